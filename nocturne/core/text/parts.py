"""What stands between a piece of text and a token: a form that later steps may still join with its neighbours."""

from __future__ import annotations

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
