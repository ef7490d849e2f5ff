"""From a turn's text to its sentences: what is code, a log, a table, a quotation or a paste is left out.

Every step is linear in the text. Offsets always refer to the turn's stored text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from nocturne.llm.rules.cues import cue, load

TOKEN = re.compile(
    r"[^\W_](?:[\w'’]|[-./@:_#+&](?=\w))*(?:\+\+|#)?|\.\.\.|--+|[^\w\s]|_+",
)
FENCE = re.compile(r"^[ \t]*(```+|~~~+)")
QUOTE_LINE = re.compile(r"^\s*(?:>|\|)")
BULLET = re.compile(r"^\s*(?:[-*+•·▪◦–]\s+|\(?\d{1,3}[.)]\s+|\[[ xX]\]\s+|#{1,6}\s+)+")
LOG_LINE = re.compile(
    r"""^\s*(?:
      (?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)\S*\]?\s+)?\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL|CRITICAL)\b[\]:\s]
    | \[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,]\d+
    | Traceback\ \(most\ recent | File\ "[^"]{1,400}",\ line\ \d | at\ [\w$.<>]{1,200}\([^)]{0,200}\)
    | [\w.]{1,80}(?:Error|Exception|Warning):\s | (?:npm|yarn|pip|error|warning|fatal|make)(?:\ ERR!|\[\w+\]|:\s|:\ \*\*\*)
    | (?:\$|%|>>>|\.\.\.|PS\ [A-Z]:\\|[\w.-]{1,40}@[\w.-]{1,60}[:~])\s*\S
    | (?:diff\ --git|index\ [0-9a-f]{7}|@@\ -\d|\+\+\+\ |---\ [ab/]|commit\ [0-9a-f]{12})
    | (?:SELECT|INSERT\ INTO|UPDATE|DELETE\ FROM|CREATE\ TABLE|ALTER\ TABLE|DROP\ TABLE)\s+[\w*`"]
    | (?:import|from|def|class|function|const|let|var|return|public|private|package|use|using|func|fn|pub|struct|enum|interface|export|async|await|elif|else|try|except|finally|raise|print|console\.log|echo|sudo|export|cd|ls|cat|grep|curl|docker|kubectl)\b.*[;{}()=\[\]:]\s*$
    )""",
    re.VERBOSE,
)
CODE_SHAPE = re.compile(r"[{};]\s*$|^\s*[\w.\[\]'\"]{1,80}\s*(?:=|:=|\+=|->|=>)\s*\S|^\s*<[/!?\w][^>]{0,300}>|^\s*\d+:\s*\S|^\s*[}\])]+[;,]?\s*$|^\s*(?://|/\*|\*/|#!|\"\w[^\"]{0,80}\"\s*:)")
DIFF = re.compile(r"(?:diff --git |@@ -\d|Index: \S+$|--- a/|\+\+\+ b/)")
TAG_BLOCK = re.compile(r"<([A-Za-z][\w-]{1,40})(?:\s[^<>]{0,200})?>")
INLINE_CODE = re.compile(r"`[^`\n]{1,300}`")
ENDS = re.compile(r"(?:[.!?…]+|\.\.\.)[\"'”’)\]*_]*(?=\s|$)|[。！？｡؟।॥]+[」』”）]*|[!?]{1,5}(?=[A-Z])")
ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof sr jr st vs e.g i.e eg ie etc approx no fig vol dept inc ltd co corp jan feb mar apr jun "
    "jul aug sep sept oct nov dec mon tue tues wed thu thurs fri sat sun a.m p.m u.s u.k ph.d al cf resp".split()
)
PASTE_INTRO = cue("refuse.json", "paste_intro")


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number, identifier or mark with its place in the turn."""

    text: str
    low: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence's tokens; ``mark`` is what ends it, ``bullet`` whether it stands in a list."""

    tokens: tuple[Token, ...]
    mark: str
    start: int
    end: int
    bullet: bool = False


def tokens(text: str, start: int, end: int) -> tuple[Token, ...]:
    """The tokens of ``text[start:end]``, apostrophes straightened in ``low``."""
    found = []
    for match in TOKEN.finditer(text, start, end):
        surface = match[0]
        low = surface.lower().replace("’", "'")
        found.append(Token(surface, low, match.start(), match.end()))
    return tuple(found)


def _is_code(line: str) -> bool:
    if LOG_LINE.match(line) or CODE_SHAPE.search(line):
        return True
    symbols = sum(character in "{}[]()<>=;|\\/*&^%$#@~`_" for character in line)
    return symbols * 4 > len(line) and len(line) > 8


def _closing(text: str, match: re.Match[str], stop: int) -> int:
    """Where a tagged block ends: its closing tag, else the end of the tag itself."""
    end = text.find(f"</{match[1]}>", match.end(), stop)
    return match.end() if end < 0 else end + len(match[1]) + 3


def _without_tags(text: str, stop: int) -> list[tuple[int, int]]:
    """The stretches of text outside tagged blocks, which tools write and people do not."""
    pieces, at = [], 0
    missing: set[str] = set()
    for match in TAG_BLOCK.finditer(text, 0, stop):
        if match.start() < at:
            continue
        pieces.append((at, match.start()))
        if match[1] in missing:
            at = match.end()
            continue
        at = _closing(text, match, stop)
        if at == match.end():
            missing.add(match[1])
    pieces.append((at, stop))
    return pieces


def paragraphs(text: str, stop: int) -> Iterator[tuple[int, int, bool]]:
    """Stretches of prose as (start, end, in a list): hard-wrapped lines are joined, all else ends a stretch."""
    fence: str | None = None
    pasted = False
    for start, end in _without_tags(text, stop):
        open_at, open_end = -1, -1
        at = start
        while at < end:
            line_end = text.find("\n", at, end)
            line_end = end if line_end < 0 else line_end
            line = text[at : min(line_end, at + 4000)]
            mark = FENCE.match(line)
            blank = not line.strip()
            skip = False
            if fence is not None:
                skip = True
                if mark is not None and mark[1].startswith(fence):
                    fence = None
            elif mark is not None:
                skip = True
                fence = mark[1][:3]
                pasted = False
            elif pasted:
                skip = True
            elif DIFF.match(line):
                skip = pasted = True
            elif not blank:
                skip = bool(QUOTE_LINE.match(line)) or line.startswith("    ") or _is_code(line)
            bullet = None if skip or blank else BULLET.match(line)
            if open_at >= 0 and (skip or blank or bullet or _breaks(text, open_end, line)):
                yield open_at, open_end, False
                open_at = -1
            if not skip and not blank:
                if bullet:
                    yield at + bullet.end(), line_end, True
                elif open_at < 0:
                    open_at, open_end = at, line_end
                else:
                    open_end = line_end
                pasted = PASTE_INTRO.within(line[-200:]) and line_end < end
            at = line_end + 1
        if open_at >= 0:
            yield open_at, open_end, False


def _breaks(text: str, open_end: int, line: str) -> bool:
    """Whether a new line starts a new stretch rather than continuing a wrapped one."""
    before = text[open_end - 1 : open_end]
    first = line.lstrip()[:1]
    return before in ".!?:;。！？…" or not (first.islower() or first in "(\"'“")


def sentences(text: str, limit: int) -> Iterator[Sentence]:
    """The sentences of the turn's prose, within the first ``limit`` characters."""
    stop = min(len(text), limit)
    for start, end, bullet in paragraphs(text, stop):
        at = start
        for match in ENDS.finditer(text, start, end):
            if match.end() <= at or not _ends_here(text, match, at, end):
                continue
            yield from _sentence(text, at, match.start(), match[0], match.end(), bullet)
            at = match.end()
        yield from _sentence(text, at, end, "", end, bullet)


def _ends_here(text: str, match: re.Match[str], at: int, end: int) -> bool:
    mark = match[0]
    if mark[0] != ".":
        return mark[0] != "…" or not _continues(text, match.end(), end)
    if mark.startswith(".."):
        return not _continues(text, match.end(), end)
    back = match.start()
    while back > at and back > match.start() - 12 and not text[back - 1].isspace():
        back -= 1
    word = text[back : match.start()].lower().lstrip("(\"'")
    if len(word) == 1 and word.isalpha() and word != "i":
        return False
    return word not in ABBREVIATIONS or (word in {"etc", "a.m", "p.m", "u.s", "no"} and not _continues(text, match.end(), end))


def _continues(text: str, at: int, end: int) -> bool:
    while at < end and text[at].isspace():
        at += 1
    return at < end and text[at].islower()


def _sentence(text: str, start: int, end: int, mark: str, close: int, bullet: bool) -> Iterator[Sentence]:
    while start < end and text[start].isspace():
        start += 1
    if start >= end or end - start > 3000:
        return
    found = tokens(text, start, end)
    if found:
        yield Sentence(found, mark, start, close, bullet)


@dataclass(frozen=True, slots=True)
class Words:
    """The closed classes of English words as sets."""

    adverbs: frozenset[str]
    modals: frozenset[str]
    be: frozenset[str]
    have: frozenset[str]
    do: frozenset[str]
    determiners: frozenset[str]
    prepositions: frozenset[str]
    subordinators: frozenset[str]
    pronouns: frozenset[str]
    fillers: frozenset[str]
    request_heads: frozenset[str]
    imperatives: frozenset[str]
    family: frozenset[str]
    project: frozenset[str]
    event_nouns: frozenset[str]
    labels: frozenset[str]
    role_names: frozenset[str]
    light_first: frozenset[str]
    filler_phrases: tuple[tuple[str, ...], ...]


def _words() -> Words:
    lists = load("english.json")
    names = [name for name in Words.__slots__ if name != "filler_phrases"]
    phrases = sorted(
        (tuple(phrase.split()) for phrase in lists["filler_phrases"].split(";")), key=len, reverse=True
    )
    sets = {name: frozenset(lists[name].split()) for name in names}
    return Words(**sets, filler_phrases=tuple(phrases))


WORDS = _words()
