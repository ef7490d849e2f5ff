"""What stands between a piece of text and a token: a form that later steps may still join with its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

Span = tuple[int, int]

QUIET, CAPITAL, LOUD = 0, 1, 2
"""No capital; a first capital, which a sentence's start may have made; capitals that only a name has."""


QUANTITY, SENTENCE = 1, 2
"""A part that a quantity may begin with; one that ends or begins something, or that may be a name."""
ALL = QUANTITY | SENTENCE


class Part(NamedTuple):
    """One form. ``number`` holds the digits of a number, and of a month's name its number.

    Kinds: word, subject, symbol, number, ordinal, scaled, range, money, stamp, date, clock, literal, operator,
    unspaced, open, mark, break; in the end instead of an unspaced run: gram, gram subject.
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
    notes: int = ALL
    """Which of the later steps must look at it: none at most words."""


class Columns(NamedTuple):
    """The fields of many parts, one tuple each."""

    kinds: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    surfaces: tuple[str, ...] = ()
    tied: tuple[bool, ...] = ()
    numbers: tuple[str, ...] = ()
    stems: tuple[str, ...] = ()
    capitals: tuple[int, ...] = ()
    counts: tuple[bool, ...] = ()
    notes: tuple[int, ...] = ()

    def noted(self) -> list[int]:
        """Where the parts stand that a later step must look at."""
        return list(compress(range(len(self.notes)), self.notes))


def columns_of(parts: Sequence[Part]) -> Columns:
    """The columns of parts."""
    return Columns(*zip(*parts, strict=True))


def number_part(digits: str, surface: str, *, tied: bool = False) -> Part:
    """A number by its digits."""
    form = "#:" + digits
    return Part("number", form, surface, tied, digits, stem=form, notes=QUANTITY)


class Line(NamedTuple):
    """The parts of a text, and where in the cleaned text each one starts and ends."""

    parts: list[Part]
    starts: list[int]
    ends: list[int]

    def add(self, part: Part, span: Span) -> None:
        """Append a part with its range."""
        self.parts.append(part)
        self.starts.append(span[0])
        self.ends.append(span[1])

    def put(self, first: int, last: int, other: Line) -> None:
        """Let another line stand in place of the parts from one place up to, not including, another."""
        self.parts[first:last] = other.parts
        self.starts[first:last] = other.starts
        self.ends[first:last] = other.ends

    def extend(self, other: Line, first: int, last: int) -> None:
        """Append the parts of another line from one place up to, not including, another."""
        self.parts.extend(other.parts[first:last])
        self.starts.extend(other.starts[first:last])
        self.ends.extend(other.ends[first:last])


class Joined(NamedTuple):
    """What several parts became, its range, and how many parts it took."""

    part: Part
    span: Span
    taken: int
