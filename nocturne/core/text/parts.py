"""What stands between a piece of text and a token: a form that later steps may still join with its neighbours."""

from __future__ import annotations

from typing import NamedTuple

Span = tuple[int, int]

QUIET, CAPITAL, LOUD = 0, 1, 2
"""No capital; a first capital, which a sentence's start may have made; capitals that only a name has."""


class Part(NamedTuple):
    """One form. ``number`` holds the digits of a number, and of a month's name its number.

    Kinds: word, subject, symbol, number, ordinal, scaled, range, money, stamp, date, clock, literal, operator,
    unspaced, open, mark, break.
    """

    kind: str
    form: str
    surface: str = ""
    tied: bool = False
    number: str = ""
    stem: str = ""
    capital: int = QUIET
    counts: bool = True
    """Whether it is content."""


class Line(NamedTuple):
    """The parts of a text and their ranges in the cleaned text."""

    parts: list[Part]
    spans: list[Span]

    def add(self, part: Part, span: Span) -> None:
        """Append a part with its range."""
        self.parts.append(part)
        self.spans.append(span)


class Joined(NamedTuple):
    """What several parts became, its range, and how many parts it took."""

    part: Part
    span: Span
    taken: int
