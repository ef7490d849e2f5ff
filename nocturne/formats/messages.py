"""Message dumps: OpenAI and Anthropic ``messages``, ShareGPT ``conversations``, Chatbot UI's ``history``.

A whole file, a list, or one conversation a line; or one message a line or item. None has times of its own as
a rule: a turn's place in its conversation is all there is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nocturne.core.facts import Provenance, ToolCall, Turn
from nocturne.formats.content import block_text, blocks_of, first_text, joined_text
from nocturne.formats.reading import Context, Reader, Records, as_id, call, objects, result
from nocturne.formats.roles import provenance_of

_LISTS = ("messages", "conversations", "conversation", "items")
_TIMES = ("timestamp", "created_at", "create_time", "createdAt", "time", "date")
_IMAGES = frozenset(
    {"image", "image_url", "input_image", "audio", "input_audio", "video", "file", "input_file", "document"}
)


def _claims(value: Mapping[str, Any]) -> bool:
    if _is_message(value):
        return (
            value.get("type") in (None, "text", "message")
            and "sessionId" not in value
            and "parts" not in value
        )
    history = value.get("history")
    if isinstance(history, list) and "version" in value:
        return all(isinstance(chat, dict) and "messages" in chat for chat in history)
    messages = _messages(value)
    return messages is not None and bool(messages) and all(map(_is_message, messages[:5]))


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("from"), str):
        return "value" in value
    return isinstance(value.get("role"), str) and bool(
        {"content", "tool_calls", "function_call"} & value.keys()
    )


def _messages(value: Mapping[str, Any]) -> list[Any] | None:
    return next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)


def _read(records: Records, context: Context) -> Iterator[Turn]:
    loose = _Conversation(context, context.session)
    count = int(context.state.get("conversations", 0))
    for value in objects(records, context):
        if _is_message(value):
            yield from loose.message(value)
            continue
        chats = value.get("history") if "messages" not in value else None
        for chat in chats if isinstance(chats, list) else [value]:
            messages = _messages(chat) if isinstance(chat, dict) else None
            if messages is None:
                context.skip("malformed: no list of messages")
                continue
            named = as_id(chat.get("id")) or as_id(chat.get("conversation_id")) or as_id(chat.get("session"))
            conversation = _Conversation(context, named or f"{context.session}:{count}")
            count += 1
            context.state["conversations"] = count
            if isinstance(chat.get("system"), str):
                yield from conversation.message({"role": "system", "content": chat["system"]})
            for place, message in enumerate(messages):
                if isinstance(message, dict):
                    yield from conversation.message(message)
                else:
                    context.skip("malformed: message is not an object", f" message {place}")


class _Conversation:
    """One conversation's name and the names of the tools called in it."""

    def __init__(self, context: Context, session: str) -> None:
        self._context = context
        self._session = session
        self._tools: dict[str, str] = {}

    def message(self, message: Mapping[str, Any]) -> Iterator[Turn]:
        """The turns of one message: its thoughts, its words, its calls, its results."""
        role = message.get("role", message.get("from"))
        provenance = provenance_of(role)
        if provenance is None:
            self._context.skip(f"unknown role: {role}")
            return
        content = message["content"] if "content" in message else message.get("value")
        if role in ("function_call", "tool_call"):
            yield self._turn(message, as_id(message.get("name")) or "tool", "tool", call(None, None, content))
            return
        reasoning = message.get("reasoning_content") or message.get("reasoning")
        if isinstance(reasoning, str) and reasoning.strip():
            yield self._turn(message, reasoning, "thinking")
        if provenance == "tool":
            yield self._result(message, content)
            return
        yield from self._blocks(message, content, provenance)
        yield from self._calls(message)

    def _blocks(self, message: Mapping[str, Any], content: Any, provenance: Provenance) -> Iterator[Turn]:
        words: list[str] = []
        blocks = blocks_of(content)
        if blocks is None:
            if content is not None:
                self._context.skip("malformed: content")
            elif not message.get("tool_calls") and not message.get("function_call"):
                self._context.skip(f"empty text: {provenance}")
            return
        after: list[Mapping[str, Any]] = []
        for block in blocks:
            text = block_text(block)
            if text is not None:
                words.append(text)
            elif block.get("type") in ("thinking", "reasoning"):
                thought = first_text(map(block.get, ("thinking", "text", "value")))
                if thought:
                    yield self._turn(message, thought, "thinking")
            elif block.get("type") == "tool_result":
                yield self._result(message, block.get("content"), block)
            else:
                after.append(block)
        said = "\n\n".join(text for text in words if text.strip())
        if said:
            yield self._turn(message, said, provenance)
        elif not after and words:
            self._context.skip(f"empty text: {provenance}")
        for block in after:
            yield from self._other(message, block)

    def _other(self, message: Mapping[str, Any], block: Mapping[str, Any]) -> Iterator[Turn]:
        """The calls in a block that holds no words; pictures are counted."""
        kind = block.get("type")
        if kind in ("tool_use", "tool_call", "function_call"):
            yield self._called(message, block)
        elif kind == "tool_calls":
            for one in blocks_of(block.get("value")) or ():
                yield self._called(message, one)
        elif kind in _IMAGES:
            self._context.skip(f"not conversation: {kind} block")
        else:
            self._context.skip(f"unknown block: {kind}")

    def _calls(self, message: Mapping[str, Any]) -> Iterator[Turn]:
        calls = message.get("tool_calls")
        for one in calls if isinstance(calls, list) else ():
            if isinstance(one, dict):
                yield self._called(message, one)
            else:
                self._context.skip("malformed: tool call")
        if isinstance(message.get("function_call"), dict):
            yield self._called(message, message["function_call"])

    def _called(self, message: Mapping[str, Any], block: Mapping[str, Any]) -> Turn:
        inner = block.get("function")
        inner = inner if isinstance(inner, dict) else block
        name, identity = as_id(inner.get("name")), as_id(block.get("id")) or as_id(block.get("call_id"))
        if name and identity:
            self._tools[identity] = name
        arguments = next(
            (inner[key] for key in ("arguments", "input", "args", "text", "value") if key in inner), None
        )
        return self._turn(message, name or "tool", "tool", call(name, identity, arguments))

    def _result(
        self, message: Mapping[str, Any], content: Any, block: Mapping[str, Any] | None = None
    ) -> Turn:
        text, left_out = joined_text(content)
        for kind in left_out:
            self._context.skip(f"not conversation: {kind} block")
        holder = block if block is not None else message
        identity = as_id(holder.get("tool_use_id")) or as_id(holder.get("tool_call_id"))
        name = as_id(message.get("name")) or (self._tools.get(identity) if identity else None)
        failed = holder.get("is_error") is True
        return self._turn(message, text, "tool", result(name, identity, "error" if failed else "ok"))

    def _turn(
        self, message: Mapping[str, Any], text: str, provenance: Provenance, tool: ToolCall | None = None
    ) -> Turn:
        context = self._context
        role = message.get("role", message.get("from"))
        return context.turn(
            text,
            provenance,
            native_id=(message.get("id") or message.get("uuid"))
            if tool is None and provenance != "thinking"
            else None,
            session=self._session,
            speaker=message.get("name") if provenance == "human" else None,
            said_at=next(
                (context.time(message[key]) for key in _TIMES if message.get(key) is not None), None
            ),
            role=role,
            tool=tool,
        )


READER = Reader(
    name="messages",
    version=1,
    accepts='message dumps: {"messages": [{role, content}]}, ShareGPT {"conversations": [{from, value}]}, '
    "Chatbot UI history, or one message a line",
    read=_read,
    claims=_claims,
    resumable=True,
)
