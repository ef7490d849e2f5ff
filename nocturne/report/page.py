"""A page of terminal text: lines that are already folded to a width, styled, and free of control characters.

Text from the store passes through here on its way to a terminal, so this is the one place where escapes,
bidirectional controls and other invisible characters are made visible instead of obeyed.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from nocturne.report.line import Line, Part, cells

__all__ = [
    "BAD",
    "DIM",
    "GOOD",
    "ID",
    "STRONG",
    "WARN",
    "Page",
    "Part",
    "cells",
    "clean",
    "clip",
    "counted",
    "fold",
]

DIM = "dim"
STRONG = "bold"
GOOD = "green"
BAD = "red"
WARN = "yellow"
ID = "cyan"

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
_HARMLESS = {"\u200c", "\u200d", "\u00ad"}
"""Joiners that scripts and emoji need, and the soft hyphen: invisible, and obeyed by no terminal."""


def clean(text: str) -> str:
    """The text on one line, with every control or bidirectional character shown as an escape."""
    if text.isascii() and text.isprintable():
        return text
    shown = []
    for char in text:
        if char in "\n\r\t\v\f\u2028\u2029\x85":
            shown.append(" ")
        elif unicodedata.category(char) in _HIDDEN and char not in _HARMLESS:
            shown.append(f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}")
        else:
            shown.append(char)
    return " ".join("".join(shown).split()) if "\n" in text or "\r" in text else "".join(shown)


def fold(text: str, first: int, rest: int) -> list[str]:
    """The text in lines of at most ``first`` and then ``rest`` cells, broken at spaces where it has any."""
    lines: list[str] = []
    room = first
    current = ""
    lead = text[: len(text) - len(text.lstrip(" "))]
    first_word, *words = text[len(lead) :].split(" ")
    for word in (lead + first_word, *words):
        candidate = f"{current} {word}" if current else word
        if cells(candidate) <= room:
            current = candidate
            continue
        if current:
            lines.append(current)
            room = rest
        current = word
        while cells(current) > room:
            head = _head(current, room)
            lines.append(head)
            current = current[len(head) :]
            room = rest
    lines.append(current)
    return lines


def _head(text: str, room: int) -> str:
    used = 0
    for index, char in enumerate(text):
        used += cells(char)
        if used > room:
            return text[: max(index, 1)]
    return text


def counted(number: int, what: str) -> str:
    """``1 fact``, ``44 facts``."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def clip(text: str, room: int) -> str:
    """The text in at most ``room`` cells; what is cut off is shown by an ellipsis."""
    text = clean(text)
    return text if cells(text) <= room else _head(text, room - 1).rstrip() + "…"


@dataclass(slots=True)
class Page:
    """Lines of styled text, none wider than ``width`` cells."""

    width: int = 80
    lines: list[Line] = field(default_factory=list)

    def line(self, *parts: Part, indent: int = 0, hang: int | None = None, under: str | None = None) -> None:
        """One line of parts; where it is too long it goes on below, ``hang`` cells in or behind ``under``."""
        below, base = (
            (under, DIM) if under is not None else (" " * (indent + 2 if hang is None else hang), "")
        )
        styled: list[tuple[str, str]] = []
        for part in parts:
            text, style = part if isinstance(part, tuple) else (part, "")
            styled.append((clean(text), style))
        plain = "".join(text for text, _ in styled)
        if indent + cells(plain) <= self.width:
            self.lines.append(Line([" " * indent, *styled]))
            return
        whole = Line(styled)
        start = 0
        folded = fold(plain, self.width - indent, max(self.width - cells(below), 8))
        for number, piece in enumerate(folded):
            start = plain.index(piece, start)
            shown = whole.between(start, start + len(piece))
            start += len(piece)
            lead = Line([below], base) if number else Line([" " * indent])
            self.lines.append(lead.add(shown))

    def blank(self) -> None:
        """An empty line, never two in a row and never the first."""
        if self.lines and self.lines[-1].plain:
            self.lines.append(Line())

    def apart(self, left: Sequence[Part], right: Sequence[Part], *, indent: int = 0) -> None:
        """Parts at the left and parts at the right edge of one line, on two where they do not fit."""
        a, b = _assemble(left), _assemble(right)
        gap = self.width - indent - a.cells - b.cells
        if not b.cells:
            self.line(*left, indent=indent)
            return
        if gap >= 2:
            self.lines.append(Line([" " * indent]).add(a, " " * gap, b))
            return
        self.line(*left, indent=indent, hang=indent + 5)
        self.line(*right, indent=indent + 5)

    def entry(self, mark: Part, text: str, tail: Part = "", *, indent: int = 2, mark_width: int = 5) -> None:
        """An id, its text folded in a column of its own, and a word at the right edge of the first line."""
        head, end = _assemble([mark]), _assemble([tail])
        under = indent + max(mark_width, head.cells + 1)
        room = self.width - under - (end.cells + 2 if end.cells else 0)
        if room < self.width // 3:
            room = self.width - under
            self.entry(mark, text, indent=indent, mark_width=mark_width)
            self.line(tail, indent=under)
            return
        pieces = fold(clean(text), room, self.width - under)
        first = Line([" " * indent]).add(head, " " * (under - indent - head.cells), pieces[0])
        if end.cells:
            first.add(" " * (self.width - first.cells - end.cells), end)
        self.lines.append(first)
        self.lines.extend(Line([" " * under + piece]) for piece in pieces[1:])

    def table(
        self, rows: Iterable[Sequence[Part]], *, right: Iterable[int] = (), indent: int = 2, gap: int = 2
    ) -> None:
        """Rows in columns as wide as their widest cell; columns in ``right`` are set to the right.

        The last column is folded under itself where the row is wider than the page.
        """
        cells = [[_assemble([part]) for part in row] for row in rows]
        if not cells:
            return
        columns = max(len(row) for row in cells)
        widths = [
            max((row[index].cells for row in cells if index < len(row)), default=0)
            for index in range(columns)
        ]
        numeric = set(right)
        for row in cells:
            text = Line([" " * indent])
            for index, cell in enumerate(row[:-1]):
                pad = " " * (widths[index] - cell.cells)
                text.add(pad if index in numeric else "", cell, "" if index in numeric else pad, " " * gap)
            self._last(text, row, widths, numeric)

    def _last(self, text: Line, row: Sequence[Line], widths: Sequence[int], numeric: set[int]) -> None:
        last = len(row) - 1
        if last in numeric:
            text.add(" " * (widths[last] - row[last].cells))
        under = text.cells
        if under + row[last].cells <= self.width or self.width - under < 12:
            self.lines.append(text.add(row[last]).trimmed())
            return
        plain, start = row[last].plain, 0
        for piece in fold(plain, self.width - under, self.width - under):
            start = plain.index(piece, start)
            self.lines.append(text.add(row[last].between(start, start + len(piece))))
            start += len(piece)
            text = Line([" " * under])

    @property
    def plain(self) -> str:
        """The page without styles, as it is written to a file."""
        return "".join(line.plain.rstrip() + "\n" for line in self.lines)


def _assemble(parts: Sequence[Part]) -> Line:
    pieces = [part if isinstance(part, tuple) else (part, "") for part in parts]
    return Line([(clean(text), style) for text, style in pieces])
