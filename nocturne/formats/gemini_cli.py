"""Gemini CLI chats: one JSON object, or JSON lines whose ``$set`` and ``$rewindTo`` are applied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nocturne.core.facts import Provenance, Turn
from nocturne.formats.content import first_text
from nocturne.formats.reading import Context, Reader, Records, as_id, as_text, call, objects, result, word
from nocturne.formats.source import Record

_TYPES: dict[str, Provenance] = {
    "user": "human",
    "gemini": "assistant",
    "model": "assistant",
    "info": "injected",
    "warning": "injected",
    "error": "injected",
}
_COMMANDS = ("$set", "$rewindTo", "$push")


def _claims(value: Mapping[str, Any]) -> bool:
    if "projectHash" in value and "sessionId" in value:
        return True
    if any(command in value for command in _COMMANDS):
        return True
    return word(value.get("type")) in _TYPES and "content" in value and "id" in value and "role" not in value


def _read(records: Records, context: Context) -> Iterator[Turn]:
    session = context.session
    messages: list[tuple[Record, Mapping[str, Any]]] = []
    left: list[tuple[Record, Mapping[str, Any]]] = []
    for value in objects(records, context):
        session = as_id(value.get("sessionId")) or session
        if "$rewindTo" in value:
            kept = _rewound(messages, value["$rewindTo"], context)
            left.extend(messages[kept:])
            del messages[kept:]
        elif "$set" in value or "$push" in value:
            changes = value.get("$set", value.get("$push"))
            _set(messages, changes if isinstance(changes, dict) else {}, context)
        elif "type" in value:
            messages.append((context.record, value))
        else:
            listed = value.get("messages")
            for message in listed if isinstance(listed, list) else ():
                if isinstance(message, dict):
                    messages.append((context.record, message))
                else:
                    context.skip("malformed: message is not an object")
            if not isinstance(listed, list):
                context.skip("not conversation: session header")
    for active, kept_messages in ((True, messages), (False, left)):
        for record, message in kept_messages:
            context.record = record
            yield from _message(message, session, context, active=active)


def _rewound(messages: list[tuple[Record, Mapping[str, Any]]], target: Any, context: Context) -> int:
    """How many messages stay when the chat is taken back to a message: that message itself goes too."""
    identity = target.get("id") if isinstance(target, dict) else target
    for place, (_, message) in enumerate(messages):
        if message.get("id") == identity and identity is not None:
            return place
    context.skip("rewind to an unknown message")
    return len(messages)


def _set(
    messages: list[tuple[Record, Mapping[str, Any]]], changes: Mapping[str, Any], context: Context
) -> None:
    listed = changes.get("messages")
    if isinstance(listed, list):
        messages[:] = [(context.record, message) for message in listed if isinstance(message, dict)]
    else:
        context.skip("not conversation: $set")


def _message(message: Mapping[str, Any], session: str, context: Context, *, active: bool) -> Iterator[Turn]:
    kind = word(message.get("type"))
    provenance = _TYPES.get(kind) if isinstance(kind, str) else None
    if provenance is None:
        context.skip(f"unknown type: {kind}")
        return
    said_at = context.time(message.get("timestamp"))
    identity = as_id(message.get("id"))
    thoughts = message.get("thoughts")
    for place, thought in enumerate(thoughts if isinstance(thoughts, list) else ()):
        words = (
            [as_text(thought.get(key)) for key in ("subject", "description", "summary")]
            if isinstance(thought, dict)
            else []
        )
        text = "\n".join(word for word in words if word)
        if text:
            yield context.turn(
                text,
                "thinking",
                native_id=f"{identity}#thought{place}" if identity else None,
                session=session,
                said_at=said_at,
                role=kind,
                active_path=active,
            )
    text = _words(message.get("content"))
    if text.strip():
        yield context.turn(
            text,
            provenance,
            native_id=identity,
            session=session,
            said_at=said_at,
            role=kind,
            active_path=active,
        )
    elif not message.get("toolCalls"):
        context.skip(f"empty text: {kind}")
    calls = message.get("toolCalls")
    for one in calls if isinstance(calls, list) else ():
        if isinstance(one, dict):
            yield from _call(one, session, context, said_at=said_at, active=active)


def _words(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [content]
    return "\n".join(
        part if isinstance(part, str) else part["text"]
        for part in parts
        if isinstance(part, str) or (isinstance(part, dict) and isinstance(part.get("text"), str))
    )


def _call(
    one: Mapping[str, Any], session: str, context: Context, *, said_at: int | None, active: bool
) -> Iterator[Turn]:
    name, identity = as_id(one.get("name")), as_id(one.get("id"))
    yield context.turn(
        name or "tool",
        "tool",
        session=session,
        said_at=said_at,
        role="gemini",
        tool=call(name, identity, one.get("args")),
        active_path=active,
    )
    if "result" not in one and "status" not in one:
        return
    status = word(one.get("status"))
    outcome = result(
        name,
        identity,
        "error" if status == "error" else "interrupted" if status in ("cancelled", "canceled") else "ok",
    )
    yield context.turn(
        _output(one), "tool", session=session, said_at=said_at, role="tool", tool=outcome, active_path=active
    )


def _output(one: Mapping[str, Any]) -> str:
    texts: list[str] = []
    results = one.get("result")
    for part in results if isinstance(results, list) else ():
        inner = part.get("functionResponse") if isinstance(part, dict) else None
        response = inner.get("response") if isinstance(inner, dict) else None
        if isinstance(response, dict):
            texts.append(first_text((response.get("output"), response.get("error"))) or as_text(response))
    return "\n".join(texts) or as_text(one.get("resultDisplay"))


READER = Reader(
    name="gemini-cli",
    version=1,
    accepts="Gemini CLI chats ({sessionId, projectHash, messages}, or JSON lines)",
    read=_read,
    claims=_claims,
)
