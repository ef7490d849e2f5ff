"""opencode: a ``storage`` folder of JSON parts, and later a SQLite file with the same objects.

A folder is given to the reader as JSON lines of ``{"opencode": kind, "data": …}``; see ``folder_lines``.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from nocturne.core.facts import Outcome, Turn
from nocturne.formats.conversation import Conversation
from nocturne.formats.reading import Context, Reader, Records, as_id, as_text, call, objects, result, word
from nocturne.formats.source import Malformed, Record, decode_json

_KINDS = ("session", "message", "part")
_FAILED = ("error", "failed")
_SILENT = frozenset(
    {"step-start", "step-finish", "snapshot", "patch", "file", "agent", "retry", "compaction"}
)


def is_storage(folder: Path) -> bool:
    """Whether the folder is an opencode storage."""
    return (folder / "message").is_dir() and (folder / "part").is_dir()


def folder_lines(folder: Path) -> Iterator[bytes]:
    """The folder's objects as JSON lines: sessions, messages, parts, each in the order of their paths."""
    for kind in _KINDS:
        for file in sorted((folder / kind).rglob("*.json")):
            place = file.relative_to(folder).as_posix()
            try:
                data = decode_json(file.read_text("utf-8", "replace"))
            except (ValueError, OSError):
                data = None
            line = {"opencode": kind, "file": place, "data": data}
            yield json.dumps(line, separators=(",", ":")).encode() + b"\n"


def _claims(value: Mapping[str, Any]) -> bool:
    return value.get("opencode") in _KINDS


def _claims_tables(tables: set[str]) -> bool:
    return tables >= set(_KINDS)


def _read(records: Records, context: Context) -> Iterator[Turn]:
    store = _Store(context)
    if context.source.shape == "sqlite":
        records = _rows(context)
    for value in objects(records, context):
        store.add(value)
    yield from store.turns()


def _rows(context: Context) -> Iterator[Record]:
    """The rows of the SQLite file in the folder's shape: columns, with the JSON of ``data`` over them."""
    with closing(context.source.database()) as database:
        database.row_factory = sqlite3.Row
        try:
            for kind in _KINDS:
                for row in database.execute(f"SELECT * FROM {kind} ORDER BY id"):  # noqa: S608 - constants
                    columns = {name: row[name] for name in row.keys()}  # noqa: SIM118 - a Row iterates values
                    packed = columns.pop("data", None)
                    try:
                        data = decode_json(packed) if isinstance(packed, str) else {}
                    except ValueError:
                        yield Record(0, f" {kind} {columns.get('id')}", Malformed("malformed: not JSON"))
                        continue
                    merged = {**_renamed(columns), **(data if isinstance(data, dict) else {})}
                    line = {"opencode": kind, "file": str(columns.get("id")), "data": merged}
                    yield Record(0, f" {kind} {columns.get('id')}", line)
        except sqlite3.Error as error:
            raise context.source.refuse(f"the SQLite database cannot be read: {error}") from error


def _renamed(columns: Mapping[str, Any]) -> dict[str, Any]:
    names = {"session_id": "sessionID", "message_id": "messageID", "parent_id": "parentID"}
    renamed: dict[str, Any] = {names.get(name, name): value for name, value in columns.items()}
    if "time_created" in columns:
        renamed["time"] = {"created": columns["time_created"]}
    return renamed


class _Store:
    """Sessions, messages and parts, put together once all are there."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._children: set[str] = set()
        self._messages: list[tuple[Record, Mapping[str, Any]]] = []
        self._parts: dict[str, list[tuple[Record, Mapping[str, Any]]]] = defaultdict(list)

    def add(self, value: Mapping[str, Any]) -> None:
        """Keep one object."""
        data, kind, place = value.get("data"), value.get("opencode"), str(value.get("file", ""))
        record = self._context.record
        if not isinstance(data, dict):
            self._context.skip("malformed: not JSON", f" {place}")
        elif kind == "message":
            self._messages.append((record, data))
        elif kind == "part":
            folders = place.split("/")
            owner = as_id(data.get("messageID")) or (folders[-2] if len(folders) > 1 else "")
            self._parts[owner].append((record, data))
        elif data.get("parentID"):
            self._children.add(str(data.get("id")))

    def turns(self) -> Iterator[Turn]:
        """The turns of every session, by the time its messages were made."""
        messages = sorted(self._messages, key=lambda one: (str(one[1].get("sessionID")), _made(one[1])))
        for record, message in messages:
            self._context.record = record
            parts = self._parts.pop(str(message.get("id")), [])
            if not parts:
                self._context.skip("message without parts")
            yield from self._message(message, parts)
        for owner in self._parts.values():
            for record, _ in owner:
                self._context.record = record
                self._context.skip("part without its message")

    def _message(
        self, message: Mapping[str, Any], parts: list[tuple[Record, Mapping[str, Any]]]
    ) -> Iterator[Turn]:
        session = as_id(message.get("sessionID")) or self._context.session
        conversation = Conversation(self._context, session, subagent=session in self._children)
        role = message.get("role")
        made = message.get("time")
        said_at = self._context.time(made.get("created")) if isinstance(made, dict) else None
        for record, part in parts:
            self._context.record = record
            kind = word(part.get("type"))
            identity = as_id(part.get("id"))
            if kind == "text":
                hidden = part.get("synthetic") is True or part.get("ignored") is True
                body = {"role": "system" if hidden else role, "content": part.get("text")}
                yield from conversation.message(body, native_id=identity, said_at=said_at)
            elif kind == "reasoning":
                block = {"type": "thinking", "thinking": part.get("text")}
                body = {"role": "assistant", "content": [block]}
                yield from conversation.message(body, native_id=identity, said_at=said_at)
            elif kind == "tool":
                yield from self._tool(part, identity, session, said_at)
            elif kind in _SILENT:
                self._context.skip(f"not conversation: {kind} part")
            else:
                self._context.skip(f"unknown type: {kind} part")

    def _tool(
        self, part: Mapping[str, Any], identity: str | None, session: str, said_at: int | None
    ) -> Iterator[Turn]:
        state = part.get("state")
        state = state if isinstance(state, dict) else {}
        name, call_id = as_id(part.get("tool")) or "tool", as_id(part.get("callID"))
        yield self._context.turn(
            name,
            "tool",
            native_id=identity,
            session=session,
            said_at=said_at,
            role="assistant",
            tool=call(name, call_id, state.get("input")),
        )
        if "output" in state or "error" in state:
            yield self._context.turn(
                as_text(state.get("output", state.get("error"))),
                "tool",
                native_id=f"{identity}#result",
                session=session,
                said_at=said_at,
                role="tool",
                tool=result(name, call_id, _outcome(state)),
            )


def _made(message: Mapping[str, Any]) -> tuple[float, str]:
    made = message.get("time")
    created = made.get("created") if isinstance(made, dict) else None
    return (float(created) if isinstance(created, int | float) else 0.0, str(message.get("id")))


def _outcome(state: Mapping[str, Any]) -> Outcome:
    metadata = state.get("metadata")
    code = metadata.get("exit") if isinstance(metadata, dict) else None
    if state.get("status") in _FAILED or code not in (None, 0):
        return "error"
    return "interrupted" if state.get("status") in ("aborted", "cancelled") else "ok"


READER = Reader(
    name="opencode",
    version=1,
    accepts="opencode storage folders and databases",
    read=_read,
    claims=_claims,
    claims_tables=_claims_tables,
)
