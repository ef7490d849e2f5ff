"""Cursor: agent transcripts (JSON lines of ``{role, message}``) and the editor's ``state.vscdb``.

In the database, ``composerData:`` rows name a chat's bubbles in order and ``bubbleId:`` rows hold them. The
file is opened for reading only, together with its write-ahead log.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

from nocturne.core.facts import Outcome, Turn
from nocturne.formats.conversation import Conversation
from nocturne.formats.envelopes import COMMON
from nocturne.formats.reading import Context, Reader, Records, as_id, as_text, call, objects, result, word
from nocturne.formats.source import Record, decode_json

_TABLE = "cursorDiskKV"
_USER, _ASSISTANT = 1, 2
_OUTCOMES: dict[str, Outcome] = {"completed": "ok", "error": "error", "cancelled": "interrupted"}


def _claims(value: Mapping[str, Any]) -> bool:
    message = value.get("message")
    if value.get("type") == "turn_ended":
        return True
    return "type" not in value and isinstance(value.get("role"), str) and isinstance(message, dict)


def _claims_tables(tables: set[str]) -> bool:
    return _TABLE in tables


def _read(records: Records, context: Context) -> Iterator[Turn]:
    if context.source.shape == "sqlite":
        yield from _database(context)
        return
    conversation = Conversation(context, context.session, envelopes=COMMON)
    for value in objects(records, context):
        message = value.get("message")
        if isinstance(message, dict) and isinstance(value.get("role"), str):
            yield from conversation.message({"role": value["role"], **message})
        else:
            kind = word(value.get("type"))
            context.skip(f"not conversation: {kind if isinstance(kind, str) else '(none)'}")


def _database(context: Context) -> Iterator[Turn]:
    with closing(context.source.database()) as database:
        try:
            yield from _composers(database, context)
        except sqlite3.Error as error:
            raise context.source.refuse(f"the SQLite database cannot be read: {error}") from error


def _composers(database: sqlite3.Connection, context: Context) -> Iterator[Turn]:
    rows = database.execute(
        f"SELECT key, value FROM {_TABLE} WHERE key LIKE 'composerData:%' ORDER BY key"  # noqa: S608 - a constant
    ).fetchall()
    for key, value in rows:
        context.record = Record(0, f" {key}", None)
        composer = _json(value)
        if composer is None:
            context.skip("malformed: composer")
            continue
        identity = str(key).partition(":")[2]
        listed = composer.get("fullConversationHeadersOnly")
        inline = composer.get("conversation")
        for header in listed if isinstance(listed, list) else inline if isinstance(inline, list) else ():
            bubble_id = header.get("bubbleId") if isinstance(header, dict) else None
            bubble = header if listed is None or not isinstance(listed, list) else None
            if bubble is None:
                found = database.execute(
                    f"SELECT value FROM {_TABLE} WHERE key = ?",  # noqa: S608 - a constant
                    (f"bubbleId:{identity}:{bubble_id}",),
                ).fetchone()
                bubble = _json(found[0]) if found else None
            if isinstance(bubble, dict):
                yield from _bubble(bubble, as_id(bubble_id), identity, context)
            else:
                context.skip("bubble without its row")


def _bubble(
    bubble: Mapping[str, Any], identity: str | None, session: str, context: Context
) -> Iterator[Turn]:
    kind = bubble.get("type")
    if kind not in (_USER, _ASSISTANT):
        context.skip(f"unknown type: {kind}")
        return
    said_at = context.time(bubble.get("createdAt"))
    role = "user" if kind == _USER else "assistant"
    thinking = bubble.get("thinking")
    thought = thinking.get("text") if isinstance(thinking, dict) else None
    if isinstance(thought, str) and thought.strip():
        yield context.turn(
            thought, "thinking", native_id=f"{identity}#thinking", session=session, said_at=said_at, role=role
        )
    text = bubble.get("text")
    tool = bubble.get("toolFormerData")
    if isinstance(text, str) and text.strip():
        conversation = Conversation(context, session, envelopes=COMMON)
        yield from conversation.message({"role": role, "content": text}, native_id=identity, said_at=said_at)
    elif not isinstance(tool, dict) and not thought:
        context.skip(f"empty text: {role}")
    if isinstance(tool, dict):
        yield from _tool(tool, identity, session, context, said_at)


def _tool(
    tool: Mapping[str, Any], identity: str | None, session: str, context: Context, said_at: int | None
) -> Iterator[Turn]:
    name, call_id = as_id(tool.get("name")) or "tool", as_id(tool.get("toolCallId"))
    yield context.turn(
        name,
        "tool",
        native_id=f"{identity}#call",
        session=session,
        said_at=said_at,
        role="assistant",
        tool=call(name, call_id, tool.get("rawArgs", tool.get("params"))),
    )
    if tool.get("result") is not None or word(tool.get("status")) in _OUTCOMES:
        status = word(tool.get("status"))
        yield context.turn(
            as_text(tool.get("result")),
            "tool",
            native_id=f"{identity}#result",
            session=session,
            said_at=said_at,
            role="tool",
            tool=result(name, call_id, _OUTCOMES.get(status, "ok") if isinstance(status, str) else "ok"),
        )


def _json(value: Any) -> dict[str, Any] | None:
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    if not isinstance(text, str):
        return None
    try:
        decoded = decode_json(text)
    except ValueError:
        return None
    return decoded if isinstance(decoded, dict) else None


READER = Reader(
    name="cursor",
    version=1,
    accepts="Cursor agent transcripts and state.vscdb",
    read=_read,
    claims=_claims,
    claims_tables=_claims_tables,
)
