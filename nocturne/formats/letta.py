"""Letta agent files (``.af``): the agents' messages, and their memory blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nocturne.core.facts import Turn
from nocturne.formats.content import joined_text
from nocturne.formats.conversation import Conversation
from nocturne.formats.reading import Context, Reader, Records, as_id, objects
from nocturne.formats.source import decode_json

_OLD = frozenset({"agent_type", "core_memory"})


def _claims(value: Mapping[str, Any]) -> bool:
    agents = value.get("agents")
    if isinstance(agents, list) and bool({"blocks", "mcp_servers", "tools"} & value.keys()):
        return True
    return value.keys() >= _OLD


def _read(records: Records, context: Context) -> Iterator[Turn]:
    for value in objects(records, context):
        yield from _blocks(value.get("blocks", value.get("core_memory")), context)
        agents = value.get("agents")
        for agent in agents if isinstance(agents, list) else [value]:
            if isinstance(agent, dict):
                yield from _agent(agent, context)
            else:
                context.skip("malformed: agent is not an object")


def _blocks(blocks: Any, context: Context) -> Iterator[Turn]:
    """Memory blocks: what the agent holds about itself and the person, nobody's words."""
    for block in blocks if isinstance(blocks, list) else ():
        text = block.get("value") if isinstance(block, dict) else None
        if not isinstance(text, str) or not text.strip():
            context.skip("empty text: memory block")
            continue
        label = as_id(block.get("label")) or "block"
        yield context.turn(
            text,
            "profile",
            native_id=block.get("id"),
            session="memory blocks",
            said_at=context.time(block.get("updated_at") or block.get("created_at")),
            role=f"block:{label}",
        )


def _agent(agent: Mapping[str, Any], context: Context) -> Iterator[Turn]:
    name = as_id(agent.get("name")) or context.session
    conversation = Conversation(context, name)
    messages = agent.get("messages")
    for message in messages if isinstance(messages, list) else ():
        if not isinstance(message, dict):
            context.skip("malformed: message is not an object")
            continue
        said_at = context.time(message.get("created_at") or message.get("date"))
        body = _unpacked({**message, "content": message.get("content", message.get("text"))})
        yield from conversation.message(body, said_at=said_at)


def _unpacked(message: dict[str, Any]) -> dict[str, Any]:
    """The message with its words taken out of an envelope of JSON or the arguments of ``send_message``."""
    role = message.get("role")
    if role == "user":
        packed = _json(joined_text(message.get("content"))[0])
        if isinstance(packed, dict) and isinstance(packed.get("message"), str):
            spoken = packed.get("type") in (None, "user_message")
            return {**message, "content": packed["message"], "role": "user" if spoken else "system"}
        if isinstance(packed, dict) and "type" in packed:
            return {**message, "role": "system"}
    elif role == "assistant":
        calls = message.get("tool_calls")
        others: list[Any] = []
        said: list[str] = []
        for one in calls if isinstance(calls, list) else ():
            function = one.get("function") if isinstance(one, dict) else None
            arguments = _json(function.get("arguments")) if isinstance(function, dict) else None
            spoken_by_call = isinstance(function, dict) and function.get("name") == "send_message"
            if spoken_by_call and isinstance(arguments, dict) and isinstance(arguments.get("message"), str):
                said.append(arguments["message"])
            else:
                others.append(one)
        if said:
            thought = joined_text(message.get("content"))[0]
            blocks = [{"type": "thinking", "thinking": thought}] if thought.strip() else []
            words = [{"type": "text", "text": text} for text in said]
            return {**message, "content": [*blocks, *words], "tool_calls": others}
    elif role == "tool":
        packed = _json(joined_text(message.get("content"))[0])
        if isinstance(packed, dict) and packed.get("status") not in (None, "OK", "success"):
            return {**message, "is_error": True}
    return message


def _json(text: Any) -> Any:
    if not isinstance(text, str) or not text.lstrip().startswith("{"):
        return None
    try:
        return decode_json(text)
    except ValueError:
        return None


READER = Reader(
    name="letta",
    version=1,
    accepts="Letta agent files (.af: agents with messages, memory blocks)",
    read=_read,
    claims=_claims,
)
