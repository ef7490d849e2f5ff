"""What stands between a piece of text and a token: a form that later steps may still join with its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress, islice
from typing import NamedTuple, cast

Span = tuple[int, int]

QUIET, CAPITAL, LOUD = 0, 1, 2
"""No capital; a first capital, which a sentence's start may have made; capitals that only a name has."""


QUANTITY, SENTENCE = 1, 2
"""A part that a quantity may begin with; one that ends or begins something, or that may be a name."""
ALL = QUANTITY | SENTENCE
MAY_BE_LEFT_OUT = frozenset(("a", "an", "the", "that"))
"""Words of English that a meaning often does without."""


class Part(NamedTuple):
    """One form. ``number`` holds the digits of a number, and of a month's name its number.

    Kinds: word, subject, symbol, number, ordinal, scaled, range, money, stamp, date, clock, literal, operator,
    unspaced, open, mark, break; in the end instead of an unspaced run: gram, gram subject.
    """

    kind: str
    form: str
    stem: str = ""
    counts: bool = True
    """Whether it is content."""
    notes: int = ALL
    """Which of the later steps must look at it: none at most words."""
    bends: bool = True
    """Whether the gates may leave it out or take it in another form, as no name and few words."""
    surface: str = ""
    tied: bool = False
    number: str = ""
    capital: int = QUIET
    written: str = ""
    """What stands in the cleaned text; empty where only its range tells."""


Columns = tuple[
    tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[bool, ...], tuple[int, ...], tuple[bool, ...]
]
"""Kinds, forms, stems, what counts, notes and what bends of many parts: what is asked for at every one."""
_COLUMNS = 6
_NO_PARTS: Columns = ((), (), (), (), (), ())


def columns_of(parts: Sequence[Part]) -> Columns:
    """The columns of parts."""
    return cast("Columns", tuple(islice(zip(*parts, strict=True), _COLUMNS))) if parts else _NO_PARTS


def where(flags: Sequence[int]) -> list[int]:
    """At which places something other than nothing stands."""
    return list(compress(range(len(flags)), flags))


def written_as(part: Part, written: str) -> Part:
    """The part with what stands in the text for it."""
    return part if part.written == written else part._replace(written=written)


def number_part(digits: str, surface: str, *, tied: bool = False, written: str = "") -> Part:
    """A number by its digits."""
    form = "#:" + digits
    return Part("number", form, form, True, QUANTITY, False, surface, tied, digits, QUIET, written)  # noqa: FBT003


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
