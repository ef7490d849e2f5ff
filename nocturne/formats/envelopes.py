"""What agents put into a person's turn, told apart by its tags from what was typed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

Piece = tuple[bool, str]
"""Whether the text is injected, and the text."""


class Envelopes:
    """The injected openings of one agent.

    ``blocks`` are tags whose whole block is injected wherever it stands; ``heads`` are patterns that make a
    whole text injected when it begins with one of them; ``wrappers`` are tags around what was typed;
    ``prefixes`` are patterns of what was put before it.
    """

    def __init__(
        self,
        blocks: Sequence[str],
        heads: Sequence[str],
        wrappers: Sequence[str] = (),
        prefixes: Sequence[str] = (),
    ) -> None:
        names = "|".join(blocks)
        self._block = re.compile(rf"<(?P<tag>{names})(?:\s[^<>]*)?>.*?</(?P=tag)>", re.DOTALL)
        self._head = re.compile(rf"\s*(?:{'|'.join(heads)})")
        self._orphan = re.compile(rf"\s*<(?:{names})(?:\s[^<>]*)?>")
        self._prefix = re.compile(rf"\s*(?:{'|'.join(prefixes)})", re.DOTALL) if prefixes else None
        self._wrapper = re.compile(rf"</?(?:{'|'.join(wrappers)})>") if wrappers else None

    def split(self, text: str) -> Iterator[Piece]:
        """The injected and the typed pieces in order, none of them blank; typed pieces are joined to one."""
        while self._prefix is not None and (match := self._prefix.match(text)) is not None and match.end():
            yield True, match.group().strip()
            text = text[match.end() :]
        if not text.strip():
            return
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
        if self._wrapper is not None:
            typed = [self._wrapper.sub("", piece) for piece in typed]
        rest = "\n".join(piece.strip() for piece in typed if piece.strip())
        if rest:
            yield bool(self._head.match(rest) or self._orphan.match(rest)), rest


COMMON = Envelopes(
    blocks=(
        "system-reminder",
        "environment_details",
        "user_info",
        "git_status",
        "project_layout",
        "open_and_recently_viewed_files",
        "attached_files",
        "additional_data",
        "rules",
        "cursor_rules",
        "always_applied_workspace_rules",
        "agent_skills",
        "explicit_instructions",
        "file_content",
        "folder_content",
        "url_content",
        "current_file",
    ),
    heads=(
        r"\[[a-z_]+(?: for [^\]\n]*)?\] Result:",
        r"\[ERROR\] You did not use a tool",
        r"\[TASK RESUMPTION\]",
        r"The user has (?:denied|rejected) this operation",
    ),
    wrappers=("task", "user_query", "user_message", "feedback", "answer"),
)
"""The envelopes of editors' agents whose dumps are plain role-and-content messages."""
