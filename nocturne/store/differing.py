"""What differs between two entries: both versions of every fact that took a step between them, in one walk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nocturne.app.bulk import uncollected
from nocturne.core.facts import Fact, Span
from nocturne.core.making import span_made
from nocturne.store.connection import Link
from nocturne.store.rows import FACT_COLUMNS, fact_of
from nocturne.store.texts import names_of

Pair = tuple[Fact | None, Fact | None]

_WORDS = FACT_COLUMNS.replace("f.text", "t.text", 1)
"""A fact's columns with its words in place of their commitment."""
_STEPPED = "(SELECT fact_id FROM facts WHERE from_seq > :low AND from_seq <= :high)"
# The plus keeps the planner from the index over from_seq: a fact's own versions are few.
_VERSIONS = (
    f"SELECT f.fact_id, f.from_seq, f.to_seq, {_WORDS} FROM facts AS f "  # noqa: S608 - our own words
    f"JOIN texts AS t ON t.hash = f.text WHERE f.fact_id IN {_STEPPED} "
    "AND +f.from_seq <= :high AND (f.to_seq IS NULL OR f.to_seq > :high "
    "OR (+f.from_seq <= :low AND f.to_seq > :low)) ORDER BY f.fact_id, f.from_seq"
)
_SOURCES = (
    f"SELECT fact, turn, start, stop, from_seq, to_seq FROM fact_sources WHERE fact IN {_STEPPED} "  # noqa: S608
    "ORDER BY fact, turn, start, stop"
)


def changes(link: Link, first: int, second: int) -> list[Pair]:
    """The facts that differ between two entries, as they stood at each; None where there was none; ids ascending."""
    low, high = min(first, second), max(first, second)
    between = {"low": low, "high": high}
    with uncollected():
        rows = link.all(_VERSIONS, between)
        if not rows:
            return []
        names = names_of(link)
        cited: dict[int, list[Any]] = {}
        for row in link.all(_SOURCES, between):
            cited.setdefault(row[0], []).append(row)
        earlier: dict[int, Fact] = {}
        later: dict[int, Fact] = {}
        for row in rows:
            fact, since, until = row[:3]
            spans = cited.get(fact, ())
            if since <= low:
                earlier[fact] = fact_of(fact, row[3:], row[3], names, _held(spans, low))
            if until is None or until > high:
                later[fact] = fact_of(fact, row[3:], row[3], names, _held(spans, high))
    then, now = (earlier, later) if first == low else (later, earlier)
    return [
        (then.get(fact), now.get(fact))
        for fact in later
        if then.get(fact) != now.get(fact)
    ]


def _held(spans: Sequence[Any], seq: int) -> tuple[Span, ...]:
    """What a fact rested on at an entry."""
    return tuple(
        [
            span_made(turn, start, stop)
            for _, turn, start, stop, since, until in spans
            if since <= seq and (until is None or until > seq)
        ]
    )
