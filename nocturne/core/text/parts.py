"""What stands between a piece of text and a token: a form that later steps may still join with its neighbours."""

from __future__ import annotations

from typing import NamedTuple

from nocturne.core.text.lexing import Piece


class Part(NamedTuple):
    """One form. ``number`` is set for numbers (digits) and month names (1 to 12), ``tail`` for what is glued on.

    Kinds: word, subject, number, ordinal, literal (a finished value), clock, money, unspaced, mark, break.
    """

    kind: str
    form: str
    start: int
    end: int
    tied: bool = False
    number: str = ""
    surface: str = ""


def spanning(kind: str, form: str, first: Part | Piece, last: Part | Piece, surface: str = "") -> Part:
    """A part over everything from one part to another."""
    return Part(kind, form, first.start, last.end, first.tied, "", surface)
