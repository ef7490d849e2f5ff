"""LangChain messages in their three shapes: constructors, ``{type, data}``, and flat ``{type, content}``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nocturne.core.facts import Turn
from nocturne.formats.conversation import Conversation
from nocturne.formats.reading import Context, Reader, Records, as_id, objects

_ROLES = {
    "human": "user",
    "user": "user",
    "ai": "assistant",
    "assistant": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "tool",
    "chat": "user",
}
_LISTS = ("messages", "history", "chat_history")


def as_message(value: Any) -> dict[str, Any] | None:
    """A LangChain message as ``{role, content, …}``; None for anything else."""
    if not isinstance(value, dict):
        return None
    identity = value.get("id")
    if value.get("lc") == 1 and isinstance(identity, list) and isinstance(value.get("kwargs"), dict):
        name = str(identity[-1]) if identity else ""
        return _message(name, value["kwargs"])
    kind = value.get("type")
    if isinstance(value.get("data"), dict) and "content" in value["data"]:
        return _message(kind, value["data"])
    if (
        "content" in value
        and "role" not in value
        and {"additional_kwargs", "response_metadata"} & value.keys()
    ):
        return _message(kind, value)
    return None


def _message(kind: Any, fields: Mapping[str, Any]) -> dict[str, Any] | None:
    name = kind.lower().removesuffix("chunk").removesuffix("message") if isinstance(kind, str) else ""
    role = _ROLES.get(name)
    if role is None:
        return None
    extra = fields.get("additional_kwargs")
    calls = fields.get("tool_calls") or (extra.get("tool_calls") if isinstance(extra, dict) else None)
    return {
        "role": role,
        "content": fields.get("content"),
        "tool_calls": calls,
        "tool_call_id": fields.get("tool_call_id"),
        "name": fields.get("name"),
        "id": fields.get("id"),
        "is_error": fields.get("status") == "error",
    }


def _claims(value: Mapping[str, Any]) -> bool:
    if as_message(value) is not None:
        return True
    listed = _listed(value)
    return bool(listed) and as_message(listed[0]) is not None


def _listed(value: Mapping[str, Any]) -> list[Any]:
    return next((value[key] for key in _LISTS if isinstance(value.get(key), list)), [])


def _read(records: Records, context: Context) -> Iterator[Turn]:
    loose = Conversation(context, context.session)
    for value in objects(records, context):
        message = as_message(value)
        if message is not None:
            yield from loose.message(message)
            continue
        session = as_id(value.get("session_id")) or as_id(value.get("id")) or context.session
        conversation = Conversation(context, session)
        listed = _listed(value)
        if not listed:
            context.skip("malformed: no messages")
        for place, one in enumerate(listed):
            message = as_message(one)
            if message is None:
                context.skip("malformed: no LangChain message", f" message {place}")
            else:
                yield from conversation.message(message)


READER = Reader(
    name="langchain",
    version=1,
    accepts="LangChain messages (constructors, {type, data}, or {type, content})",
    read=_read,
    claims=_claims,
)
