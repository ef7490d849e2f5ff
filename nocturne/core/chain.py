"""The record's shape: which columns a fact has, and what stands for one that is not named."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from nocturne.core.digest import canonical as canonical_json
from nocturne.core.digest import entry_hash, scalars, trusted

__all__ = [
    "COLUMNS",
    "DEFAULTS",
    "ENTRY_COLUMNS",
    "FACT_REFS",
    "canonical_json",
    "entry_of",
    "laid_out",
    "named",
    "normal",
    "sealed_row",
    "touched_by",
]

COLUMNS = (
    "text",
    "block",
    "category",
    "recorded_at",
    "layer",
    "speaker",
    "subject",
    "attribute",
    "said_at",
    "occurred_at",
    "occurred_grain",
    "confirmed_at",
    "valid_from",
    "valid_until",
    "successor",
    "active",
    "retired_by",
    "trust",
    "quarantined_by",
    "pinned",
    "namespace",
    "importance",
    "originals",
)
"""A fact's columns, in the table's order. ``text``, ``speaker`` and ``subject`` hold commitments."""

DEFAULTS: Mapping[str, str | int | None] = {
    **dict.fromkeys(COLUMNS),
    "layer": "episodic",
    "active": 1,
    "trust": 100,
    "pinned": 0,
    "namespace": "default",
    "originals": 1,
}
"""What a column holds where a body or a leaf leaves it out. A subject of null is the user."""

_UNKNOWN = object()


def normal(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The normal form of a version: the columns that differ from their default, and ``recorded_at`` always."""
    return {
        name: value
        for name, value in columns.items()
        if name == "recorded_at" or value != DEFAULTS.get(name, _UNKNOWN)
    }


FACT_REFS = frozenset({"fact", "duplicate_of", "other", "into", "sources", "old", "new", "members"})
"""The references of a proposal that name facts: a number, or a list of numbers."""


def named(refs: Mapping[str, Any]) -> set[int]:
    """The facts that a ruling's references name."""
    found: set[int] = set()
    for field, value in refs.items():
        if field in FACT_REFS:
            found.update(value if isinstance(value, list) else (value,))
    return found


def touched_by(entry: Mapping[str, Any]) -> set[int]:
    """The facts that a mutation changed, linked or named."""
    found = {change[0] for change in entry.get("changes", ())}
    if "fact" in entry:
        found.add(entry["fact"])
    for child, parent, _ in entry.get("links", ()):
        found.update((child, parent))
    return found | named(json.loads(entry.get("refs", "{}")))


ENTRY_COLUMNS = (
    "type",
    "at",
    "number",
    "label",
    "command",
    "active",
    "digest",
    "previous",
    "snapshot",
    "pass",
    "kind",
    "fact",
    "origin",
    "accepted",
    "code",
    "rule",
    "under",
    "refs",
    "figures",
    "reason",
    "evidence",
    "policy",
)
"""A ledger row's columns between ``hash`` and ``more``, in the table's order."""

_NAMES = frozenset(ENTRY_COLUMNS)


def laid_out(body: Mapping[str, Any]) -> tuple[Any, ...]:
    """The columns of an entry's row and last its ``more``: whatever no column of its own holds."""
    more = {key: value for key, value in body.items() if key not in _NAMES}
    return (*map(body.get, ENTRY_COLUMNS), trusted(more))


def sealed_row(seq: int, prev: str, row: Sequence[Any]) -> str:
    """The hash of an entry: over the canonical JSON array of its number, the hash before it, and its row."""
    return entry_hash(f'[{seq},"{prev}",{scalars(row[:-1])},{row[-1]}]')


def entry_of(columns: Sequence[Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """The entry of a row: its columns that are not null, under their names, and the members of ``more``."""
    body = {name: value for name, value in zip(ENTRY_COLUMNS, columns, strict=True) if value is not None}
    body.update(more)
    return body
