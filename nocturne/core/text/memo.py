"""Keep what was made of a short text: the words of a language come again and again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Made = TypeVar("Made")
LONGEST_KEPT = 64
"""Code points of the longest text that is kept: longer ones seldom come twice."""


class Memo(dict[str, Made], Generic[Made]):
    """A table that makes what it is asked for and keeps it; it forgets all of it where it has grown too large.

    A table rather than a cache of calls, so that a whole list is looked up by one ``map``.
    """

    __slots__ = ("make", "room")

    def __init__(self, make: Callable[[str], Made], room: int = 32_768) -> None:
        super().__init__()
        self.make = make
        self.room = room

    def __missing__(self, text: str) -> Made:
        made = self.make(text)
        if len(text) <= LONGEST_KEPT:
            if len(self) >= self.room:
                self.clear()
            self[text] = made
        return made
