"""What coding agents put into a person's turn, told apart by its tags from what was typed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

Piece = tuple[bool, str]
"""Whether the text is injected, and the text."""


class Envelopes:
    """The injected openings of one agent.

    ``blocks`` are tags whose whole block is injected wherever it stands; ``heads`` are patterns that make a
    whole text injected when it begins with one of them.
    """

    def __init__(self, blocks: Sequence[str], heads: Sequence[str]) -> None:
        names = "|".join(blocks)
        self._block = re.compile(rf"<(?P<tag>{names})(?:\s[^<>]*)?>.*?</(?P=tag)>", re.DOTALL)
        self._head = re.compile(rf"\s*(?:{'|'.join(heads)})")
        self._orphan = re.compile(rf"\s*<(?:{names})(?:\s[^<>]*)?>")

    def split(self, text: str) -> Iterator[Piece]:
        """The injected and the typed pieces in order, none of them blank; typed pieces are joined to one."""
        if self._head.match(text):
            yield True, text.strip()
            return
        typed: list[str] = []
        at = 0
        for match in self._block.finditer(text):
            typed.append(text[at : match.start()])
            at = match.end()
            yield True, match.group().strip()
        typed.append(text[at:])
        rest = "\n".join(piece.strip() for piece in typed if piece.strip())
        if rest:
            yield bool(self._head.match(rest) or self._orphan.match(rest)), rest
