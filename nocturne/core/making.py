"""Facts and spans made a few times as fast as their own classes make them: a night makes millions.

A frozen dataclass sets each of its fields through ``object.__setattr__``. The classes here have the same slots and
may be written to; an object that is filled becomes a fact for good.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from nocturne.core.facts import Block, Fact, Span

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Fact:
    __slots__ = Fact.__slots__

    def __init__(self, values: Sequence[Any]) -> None:
        (
            self.id, self.text, self.block, self.category, self.recorded_at, self.layer, self.speaker,
            self.subject, self.attribute, self.said_at, self.occurred_at, self.occurred_grain,
            self.confirmed_at, self.valid_from, self.valid_until, self.successor, self.active,
            self.retired_by, self.trust, self.quarantined_by, self.pinned, self.namespace, self.importance,
            self.originals, self.sources,
        ) = values  # fmt: skip


SHARED = (
    "block", "category", "layer", "speaker", "subject", "attribute", "occurred_grain", "active", "retired_by", "trust",
    "quarantined_by", "pinned", "namespace", "importance", "originals",
)  # fmt: skip
"""What a fact is likely to have in common with others; the block stands first."""
UNKNOWN = -(1 << 63)
"""Stands in a row of numbers for one that is None."""


class _Row:
    __slots__ = Fact.__slots__

    def __init__(self, text: str, common: tuple[Any, ...], row: tuple[int, ...]) -> None:
        self.id, recorded, said, occurred, confirmed, since, until, successor, _, _, _ = row
        self.text = text
        (
            self.block, self.category, self.layer, self.speaker, self.subject, self.attribute, self.occurred_grain,
            self.active, self.retired_by, self.trust, self.quarantined_by, self.pinned, self.namespace,
            self.importance, self.originals,
        ) = common  # fmt: skip
        self.recorded_at = recorded
        self.said_at = recorded if said == recorded else None if said == UNKNOWN else said
        self.occurred_at = None if occurred == UNKNOWN else occurred
        self.confirmed_at = None if confirmed == UNKNOWN else confirmed
        self.valid_from = None if since == UNKNOWN else since
        self.valid_until = None if until == UNKNOWN else until
        self.successor = None if successor == UNKNOWN else successor


class _Span:
    __slots__ = Span.__slots__

    def __init__(self, turn: int, start: int, end: int) -> None:
        self.turn = turn
        self.start = start
        self.end = end


def fact_made(values: Sequence[Any]) -> Fact:
    """The fact with these values, one for each field in their order."""
    made: Any = _Fact(values)
    made.__class__ = Fact
    fact: Fact = made
    return fact


def fact_read(text: str, common: tuple[Any, ...], row: tuple[int, ...], several: Sequence[int] | None) -> Fact:
    """The fact of a text, of what it has in common with others (``SHARED``), and of a row of numbers.

    Those are its id, when it was recorded, said, occurred, confirmed, valid from and until, its successor, and turn,
    start and end of its source; or those of ``several`` sources or none, end to end.
    """
    made: Any = _Row(text, common, row)
    if several is None:
        made.sources = (span_made(row[8], row[9], row[10]),)
    else:
        each = iter(several)
        made.sources = tuple([span_made(*three) for three in zip(each, each, each, strict=True)])
    made.__class__ = Fact
    fact: Fact = made
    return fact


def span_made(turn: int, start: int, end: int) -> Span:
    """The span of a turn."""
    made: Any = _Span(turn, start, end)
    made.__class__ = Span
    span: Span = made
    return span


_BEFORE_BLOCK = attrgetter(*Fact.__slots__[:2])
_AFTER_BLOCK = attrgetter(*Fact.__slots__[3:])


def moved(fact: Fact, block: Block) -> Fact:
    """The fact in another block."""
    return fact_made((*_BEFORE_BLOCK(fact), block, *_AFTER_BLOCK(fact)))


def only_moved(before: Fact, after: Fact) -> bool:
    """Whether nothing differs but the block."""
    return _AFTER_BLOCK(before) == _AFTER_BLOCK(after) and _BEFORE_BLOCK(before) == _BEFORE_BLOCK(after)
