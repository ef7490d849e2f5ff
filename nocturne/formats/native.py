"""Our own JSON lines: ``{"session", "id", "speaker", "role", "text", "time"}``, all but ``text`` optional."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nocturne.core.artefacts import is_own_export
from nocturne.core.facts import Turn
from nocturne.formats.reading import Context, Reader, Records, objects
from nocturne.formats.roles import provenance_of

_KEYS = frozenset({"session", "id", "speaker", "role", "text", "time"})
_FOREIGN = frozenset({"type", "content", "message", "memory", "instruction", "output", "parts", "sender"})


def _claims(value: Mapping[str, Any]) -> bool:
    if is_own_export(value):
        return True
    return isinstance(value.get("text"), str) and (value.keys() <= _KEYS or not _FOREIGN & value.keys())


def _read(records: Records, context: Context) -> Iterator[Turn]:
    for value in objects(records, context):
        if is_own_export(value):
            context.skip("own export: already memory, not something said")
            continue
        text = value.get("text")
        if not isinstance(text, str):
            context.skip("malformed: no text")
            continue
        if not text.strip():
            context.skip("empty text")
            continue
        for key in value.keys() - _KEYS:
            context.note(f"unknown key: {key}")
        role, speaker = value.get("role"), value.get("speaker")
        named = provenance_of(speaker)
        provenance = (named or "human") if role is None else provenance_of(role)
        if provenance is None:
            context.skip(f"unknown role: {role}")
            continue
        yield context.turn(
            text,
            provenance,
            native_id=value.get("id"),
            session=value.get("session"),
            speaker=None if named else speaker,
            said_at=context.time(value.get("time")),
            role=role,
        )


READER = Reader(
    name="native",
    version=1,
    accepts='JSON lines of {"session", "id", "speaker", "role", "text", "time"}, all but text optional',
    read=_read,
    claims=_claims,
    resumable=True,
    own_sessions=True,
)
