"""Memories exported from other stores: Mem0 ``{"results": [{id, memory}]}`` and MemOS cubes.

They are summaries that a model wrote: kept with their dates, and nobody's words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nocturne.core.facts import Turn
from nocturne.formats.reading import Context, Reader, Records, as_id, objects

_LISTS = ("results", "memories", "nodes")
_TIMES = ("updated_at", "created_at", "memory_time")


def _claims(value: Mapping[str, Any]) -> bool:
    if _memory(value) is not None:
        return True
    return any(
        sum(_memory(one) is not None for one in value[key][:5]) * 3 > len(value[key][:5])
        for key in _LISTS
        if isinstance(value.get(key), list)
    )


def _memory(value: Any) -> Mapping[str, Any] | None:
    """The object that holds the words, if this is a memory."""
    if not isinstance(value, dict):
        return None
    payload = value.get("payload")
    inner = payload if isinstance(payload, dict) else value
    return inner if isinstance(inner.get("memory"), str) and "id" in value else None


def _read(records: Records, context: Context) -> Iterator[Turn]:
    for value in objects(records, context):
        listed = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), [value])
        for place, one in enumerate(listed):
            memory = _memory(one)
            if memory is None:
                context.skip("malformed: no memory", f" item {place}")
            elif not memory["memory"].strip():
                context.skip("empty text", f" item {place}")
            else:
                yield _turn(one, memory, context)


def _turn(one: Mapping[str, Any], memory: Mapping[str, Any], context: Context) -> Turn:
    metadata = memory.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    times = [holder.get(key) for holder in (one, memory, metadata) for key in _TIMES]
    return context.turn(
        memory["memory"],
        "derived-summary",
        native_id=one.get("id"),
        session=next(
            (as_id(holder.get("user_id")) for holder in (one, metadata) if holder.get("user_id")), None
        )
        or context.session,
        said_at=context.time(next((time for time in times if time is not None), None)),
        role="memory",
    )


READER = Reader(
    name="mem0",
    version=1,
    accepts='memory exports: Mem0 {"results": [{id, memory}]}, MemOS cubes',
    read=_read,
    claims=_claims,
)
