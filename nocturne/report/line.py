"""One line of styled text, and how many cells a text fills: what a page is made of.

Rich draws it where there are styles to see. A pipe sees none, and a command that is read by another program
should not wait for Rich.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

Part = str | tuple[str, str]
"""Plain text, or text and its style."""

_NARROW = frozenset(
    map(
        chr,
        (
            *range(0x20, 0x7F),
            *range(0xA1, 0xAD),
            *range(0xAE, 0x300),  # Latin and phonetic letters
            *range(0x370, 0x483),  # Greek, and the Cyrillic of most languages
            *range(0x2010, 0x2028),  # dashes, quotation marks, the ellipsis
            *range(0x2190, 0x2200),  # arrows
            *range(0x2500, 0x2580),  # lines of boxes and trees
            0x20AC,
            0x2212,
        ),
    )
)


def cells(text: str) -> int:
    """How many cells of a terminal the text fills, as Rich counts them."""
    if _NARROW.issuperset(text):
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


class Line:
    """Pieces of text, each with its style; ``base`` is a style under all of them."""

    __slots__ = ("base", "pieces")

    def __init__(self, pieces: Iterable[Part] = (), base: str = "") -> None:
        self.pieces = [(piece, "") if isinstance(piece, str) else piece for piece in pieces]
        self.base = base

    @property
    def plain(self) -> str:
        """The text without styles."""
        return "".join([text for text, _ in self.pieces])

    @property
    def cells(self) -> int:
        """How many cells of a terminal the line fills."""
        return cells(self.plain)

    def add(self, *parts: Part | Line) -> Line:
        """The same line, with these behind what it had; of a line its pieces count."""
        for part in parts:
            if isinstance(part, Line):
                self.pieces += part.pieces
            else:
                self.pieces.append((part, "") if isinstance(part, str) else part)
        return self

    def between(self, start: int, stop: int) -> Line:
        """The characters from ``start`` up to ``stop``, in their styles."""
        found: list[Part] = []
        at = 0
        for text, style in self.pieces:
            piece = text[max(start - at, 0) : max(stop - at, 0)]
            if piece:
                found.append((piece, style))
            at += len(text)
        return Line(found)

    def trimmed(self) -> Line:
        """The line without the spaces at its end."""
        return self.between(0, len(self.plain.rstrip()))

    def rich(self) -> Text:
        """The line as Rich draws it."""
        from rich.text import Text

        return Text.assemble(*self.pieces, style=self.base)
