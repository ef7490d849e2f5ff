"""From a turn's text to its sentences: what is code, a log, a table, a quotation or a paste is left out.

Every step is linear in the text. Offsets always refer to the turn's stored text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from nocturne.llm.rules.cues import cue
from nocturne.llm.rules.grammar import ABBREVIATIONS

TOKEN = re.compile(r"[^\W_](?:[\w'’]|[-./@:_#+&](?=\w))*(?:\+\+|#)?|\.\.\.|--+|[^\w\s]|_+")
FENCE = re.compile(r"^[ \t]*(```+|~~~+)")
QUOTE_LINE = re.compile(r"^\s*(?:>|\|)")
BULLET = re.compile(r"^\s*(?:[-*+•·▪◦–]\s+|\(?\d{1,3}[.)]\s+|\[[ xX]\]\s+|#{1,6}\s+)+")
DIFF = re.compile(r"(?:diff --git |@@ -\d|Index: \S+$|--- a/|\+\+\+ b/)")
TAG_BLOCK = re.compile(r"<([A-Za-z][\w-]{1,40})(?:\s[^<>]{0,200})?>")
ENDS = re.compile(
    r"(?:[.!?…]+|\.\.\.)[\"'”’)\]*_]*(?=\s|$)|[。！？｡؟।॥]+[」』”）]*|[!?]{1,5}(?=[A-Z])"
)
LOG_LINE = cue("refuse.json", "log_line")
CODE_SHAPE = cue("refuse.json", "code_shape")
PASTE_INTRO = cue("refuse.json", "paste_intro")
SYMBOLS = str.maketrans("", "", "{}[]()<>=;|\\/*&^%$#@~`_")
SENTENCE_MARKS = ".!?:;。！？…"
MAX_UNCLOSED = 50
"""After so many tags without an end no more ends are looked for, which keeps the work linear."""
LONGEST_LINE = 4_000
MAY_END = frozenset(
    {"etc", "a.m", "p.m", "u.s", "no", "mon", "tue", "tues", "wed", "thu", "thurs", "fri", "sat", "sun"}
)
"""Abbreviations that a sentence often ends with."""
LONGEST_SENTENCE = 3_000


class Token(NamedTuple):
    """A word, number, identifier or mark with its place in the turn; a tuple, since there are so many."""

    text: str
    low: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence's tokens, and what ends it."""

    tokens: tuple[Token, ...]
    mark: str
    start: int
    end: int


def tokens(text: str, start: int, end: int) -> tuple[Token, ...]:
    """The tokens of ``text[start:end]``, apostrophes straightened in ``low``."""
    found = []
    for match in TOKEN.finditer(text, start, end):
        surface = match[0]
        low = surface.lower()
        if "’" in low:
            low = low.replace("’", "'")
        found.append(Token(surface, low, *match.span()))
    return tuple(found)


def _is_code(line: str) -> bool:
    if LOG_LINE.within(line) or CODE_SHAPE.within(line):
        return True
    return len(line) > 8 and 4 * (len(line) - len(line.translate(SYMBOLS))) > len(line)


def _without_tags(text: str, stop: int) -> Iterator[tuple[int, int]]:
    """The stretches of text outside tagged blocks, which tools write and people do not."""
    at = 0
    unclosed: set[str] = set()
    for match in TAG_BLOCK.finditer(text, 0, stop):
        if match.start() < at:
            continue
        yield at, match.start()
        at = match.end()
        if match[1] in unclosed or len(unclosed) > MAX_UNCLOSED:
            continue
        close = text.find(f"</{match[1]}>", at, stop)
        if close < 0:
            unclosed.add(match[1])
        else:
            at = close + len(match[1]) + 3
    yield at, stop


class _Lines:
    """Goes through lines, holding a wrapped stretch open and knowing what it is inside of."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.fence: str | None = None
        self.pasted = False
        self.open: tuple[int, int] | None = None

    def _skips(self, line: str) -> bool:
        """Whether the line is code, a log, a quotation or part of a paste; blank lines are not."""
        mark = FENCE.match(line)
        if self.fence is not None:
            if mark is not None and mark[1].startswith(self.fence):
                self.fence = None
            return True
        if mark is not None:
            self.fence, self.pasted = mark[1][:3], False
            return True
        if not self.pasted and DIFF.match(line):
            self.pasted = True
        if self.pasted or not line.strip():
            return self.pasted
        return QUOTE_LINE.match(line) is not None or line.startswith("    ") or _is_code(line)

    def take(self, at: int, end: int, *, last: bool) -> Iterator[tuple[int, int]]:
        """Read the line ``text[at:end]``; gives the stretches that it ends."""
        line = self.text[at : min(end, at + LONGEST_LINE)]
        skipped, blank = self._skips(line), not line.strip()
        bullet = None if skipped or blank else BULLET.match(line)
        if self.open is not None and (skipped or blank or bullet or self._breaks(line)):
            yield from self.close()
        if skipped or blank:
            return
        if bullet:
            yield at + bullet.end(), end
        else:
            self.open = (self.open[0] if self.open is not None else at, end)
        self.pasted = not last and PASTE_INTRO.within(line[-200:])

    def close(self) -> Iterator[tuple[int, int]]:
        """The stretch that is open, if one is."""
        if self.open is not None:
            yield self.open
            self.open = None

    def _breaks(self, line: str) -> bool:
        """Whether a new line starts a new stretch rather than continuing a wrapped one."""
        before = self.text[self.open[1] - 1] if self.open is not None else ""
        first = line.lstrip()[:1]
        return before in SENTENCE_MARKS or not (first.islower() or first in "(\"'“")


def paragraphs(text: str, stop: int) -> Iterator[tuple[int, int]]:
    """Stretches of prose: hard-wrapped lines are joined, all else ends a stretch."""
    lines = _Lines(text)
    for start, end in _without_tags(text, stop):
        at = start
        while at < end:
            line_end = text.find("\n", at, end)
            line_end = end if line_end < 0 else line_end
            yield from lines.take(at, line_end, last=line_end >= end)
            at = line_end + 1
        yield from lines.close()


def sentences(text: str, limit: int) -> Iterator[Sentence]:
    """The sentences of the turn's prose, within the first ``limit`` characters."""
    for start, end in paragraphs(text, min(len(text), limit)):
        at = start
        for match in ENDS.finditer(text, start, end):
            if match.end() > at and _ends_here(text, match, at, end):
                yield from _sentence(text, at, match.start(), match[0])
                at = match.end()
        yield from _sentence(text, at, end, "")


def _ends_here(text: str, match: re.Match[str], at: int, end: int) -> bool:
    """Whether a mark ends the sentence: not an abbreviation's dot, nor dots before a small letter."""
    mark = match[0]
    if mark[0] == "…" or mark.startswith(".."):
        return not _continues(text, match.end(), end)
    if mark[0] != ".":
        return True
    back = match.start()
    while back > max(at, match.start() - 12) and not text[back - 1].isspace():
        back -= 1
    word = text[back : match.start()].lower().lstrip("(\"'")
    if len(word) == 1 and word.isalpha() and word != "i":
        return False
    if word not in ABBREVIATIONS:
        return True
    return word in MAY_END and not _continues(text, match.end(), end)


def _continues(text: str, at: int, end: int) -> bool:
    while at < end and text[at].isspace():
        at += 1
    return at < end and text[at].islower()


def _sentence(text: str, start: int, end: int, mark: str) -> Iterator[Sentence]:
    while start < end and text[start].isspace():
        start += 1
    if 0 < end - start <= LONGEST_SENTENCE and (found := tokens(text, start, end)):
        yield Sentence(found, mark, start, end + len(mark))
