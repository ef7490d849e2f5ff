"""Plain dialogue: lines of ``Name: what they said``, in text or in Markdown, with or without times.

``**Name:**`` and ``### Name`` are read like ``Name:``; what follows up to the next name belongs to the turn.
Lines inside a code fence never begin a turn. A heading or rule with a date or the word session begins a new
session.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from nocturne.core.facts import Provenance, Turn
from nocturne.core.instants import micros
from nocturne.formats.reading import Context, Reader, Records
from nocturne.formats.source import Record

_NAME = r"[^\W\d_][\w.'’-]{0,30}(?: [\w.'’-]{1,20}){0,3}"
_STAMP = (
    r"(?:\d{4}-\d{2}-\d{2}(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|\s?UTC|\s?[+-]\d{2}:?\d{2})?)?"
    r"|\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp][Mm])?"
    r"|\d{1,2}[/.]\d{1,2}[/.]\d{2,4},? \d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp][Mm])?)"
)
_OPENING = re.compile(
    rf"(?:[-*+]\s+|>\s*)?(?:\[(?P<before>{_STAMP})\]\s*|(?P<bare>{_STAMP})\s+(?:[-–—]\s+)?)?"
    rf"(?P<bold>\*\*|__)?(?:@)?(?P<name>{_NAME})"
    rf"\s*(?:[(\[](?P<after>{_STAMP})[)\]])?\s*"
    r"(?(bold)(?::\s?(?:\*\*|__)|(?:\*\*|__)\s*:)|[:：])(?P<text>(?![/\\]{2})(?:\s.*|[^\s].*)?)\Z"
)
_HEADING_NAME = re.compile(
    rf"#{{1,6}}\s+(?:\*\*)?(?P<name>{_NAME})(?:\*\*)?\s*(?:[(\[](?P<after>{_STAMP})[)\]])?:?\s*\Z"
)
_HEADING = re.compile(r"\s*(?:#{1,6}\s+|[-=_*~]{3,}\s*)(?P<title>.*?)\s*(?:[-=_*~#]{2,})?\s*\Z")
_SESSION = re.compile(r"\b(?:session|conversation|chat|day)\b", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{1,2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:?\d{2})?)?")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_SLASHED = re.compile(r"(\d{1,2})[/.](\d{1,2})[/.](\d{2,4}),? (\d{1,2}:\d{2})(?::(\d{2}))?\s?([AaPp][Mm])?")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?\s?([AaPp][Mm])?")
_LABELS = frozenset(
    """
    abstract accept action address answer attention author authors background bcc body budget category
    caution cc conclusion constraints contact content-type context cookie copyright created critical
    date deadline debug default description email encoding environment error example examples exception
    fatal fixed format from function goal hint host important info input instructions language level
    licence license link location message method model name note notes objective output owner package
    parameters path phone port priority problem question raises reason reference references reply-to
    requirements result results return returns see server severity solution source status step steps
    subject summary tag tags task team tip title to todo trace traceback type update updated url usage
    user-agent valueerror version via warn warning why
    """.split()  # noqa: SIM905 - a table of words is read more easily as running text
)
_SENTENCE_WORDS = frozenset(
    """
    the this that these those here there it is are was if when then because so but and or for with what
    how which please i we you he she they my our your in on at to of as an
    """.split()  # noqa: SIM905 - a table of words is read more easily as running text
)
_HEAD_LINES = 400
# Roles that nobody writes before a colon but in a dialogue; the weaker ones also label facts in documents.
_STRONG: dict[str, Provenance] = {
    **dict.fromkeys(("user", "human", "you", "用户", "用戶", "ユーザー", "benutzer", "nutzer"), "human"),
    **dict.fromkeys(("usuario", "usuário", "utilisateur", "utente", "пользователь"), "human"),
    **dict.fromkeys(
        ("assistant", "ai", "bot", "chatbot", "gpt", "chatgpt", "claude", "ai assistant"), "assistant"
    ),
    **dict.fromkeys(
        ("asistente", "assistente", "assistent", "助手", "助理", "アシスタント", "ассистент"), "assistant"
    ),
}
_WEAK: dict[str, Provenance] = {
    **dict.fromkeys(("me", "customer", "client"), "human"),
    **dict.fromkeys(("agent", "gemini", "copilot", "grok", "llm"), "assistant"),
    "system": "injected",
    "tool": "tool",
}


@dataclass(frozen=True, slots=True)
class Opening:
    """The start of a turn: who speaks, the stamp beside the name, and the first words."""

    name: str
    stamp: str | None
    text: str


def role_of(name: str) -> Provenance | None:
    """The class that a speaker's label names, ``You said`` included; None for a person's name."""
    label = name.strip().lower().removesuffix(" said")
    return _STRONG.get(label) or _WEAK.get(label)


def opening(line: str) -> Opening | None:
    """Who begins to speak in this line, if anybody."""
    line = line.lstrip("\ufeff\u200e\u200f")
    match = _OPENING.match(line)
    if match is not None:
        name = match["name"]
        if not _is_name(name):
            return None
        return Opening(name, match["before"] or match["bare"] or match["after"], match["text"].strip())
    match = _HEADING_NAME.match(line)
    if match is not None and role_of(match["name"]) is not None:
        return Opening(match["name"], match["after"], "")
    return None


def _is_name(name: str) -> bool:
    if role_of(name) is not None:
        return True
    words = name.split()
    first = words[0]
    if first.lower() in _LABELS or first.lower() in _SENTENCE_WORDS:
        return False
    if first[0].islower() and first[0].upper() != first[0].lower():
        return False
    return len(words) < 3 or sum(word[:1].isupper() for word in words) >= len(words) - 1


def _claims_text(head: str) -> bool:
    speakers: Counter[str] = Counter()
    lines = words = 0
    fenced = False
    for line in head.splitlines()[:_HEAD_LINES]:
        if _FENCE.match(line):
            fenced = not fenced
        heading = _HEADING.fullmatch(line) is not None and _HEADING_NAME.match(line) is None
        if fenced or heading or not line.strip():
            continue
        lines += 1
        start = opening(line)
        if start is not None:
            speakers[start.name] += 1
            words += len(start.text.split()) or 2
    turns = sum(speakers.values())
    if not turns:
        return False
    if any(name.lower().removesuffix(" said") in _STRONG for name in speakers):
        return turns * 20 >= lines
    if max(speakers.values()) > 1:
        return words >= turns and turns * 10 >= lines * 3 and len(speakers) * 2 <= turns + 2
    if any(name.lower() in _WEAK for name in speakers):
        return False
    return words >= 2 * turns and turns * 10 >= lines * 6 and turns <= 4


def _read(records: Records, context: Context) -> Iterator[Turn]:
    talk = _Talk(context)
    fenced = False
    for record in records:
        line = record.value if isinstance(record.value, str) else ""
        if _FENCE.match(line):
            fenced = not fenced
        start = None if fenced else opening(line)
        if start is not None:
            yield from talk.close()
            talk.open(start, record)
        elif not fenced and talk.is_session(line):
            yield from talk.close()
            talk.begin_session(line, record)
        else:
            talk.add(line, record)
    yield from talk.close()


class _Talk:
    """The turn being read, and the session and day it stands in."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._start: Opening | None = None
        self._record = Record(0, "", None)
        self._lines: list[str] = []
        self._session = context.session
        self._sessions = 0
        self._day: int | None = None

    def open(self, start: Opening, record: Record) -> None:
        """Begin a turn."""
        self._start, self._record, self._lines = start, record, [start.text]

    def add(self, line: str, record: Record) -> None:
        """A line of the open turn; before the first name it belongs to nobody."""
        if self._start is not None:
            self._lines.append(line)
        elif line.strip():
            self._context.record = record
            self._context.skip("text before the first speaker")

    def is_session(self, line: str) -> bool:
        """Whether the line is a heading or rule that begins a session."""
        match = _HEADING.fullmatch(line)
        if match is None:
            return False
        title = match["title"]
        return bool(_DATE.search(title) or (_SESSION.search(title) and len(title.split()) < 8))

    def begin_session(self, line: str, record: Record) -> None:
        """Take the session's day from its heading, if it names one."""
        self._context.record = record
        self._sessions += 1
        self._session = f"{self._context.session}:{self._sessions}"
        date = _DATE.search(line)
        if date is not None:
            self._day = self._context.time(date.group())

    def close(self) -> Iterator[Turn]:
        """Give out the open turn."""
        start, self._start = self._start, None
        if start is None:
            return
        self._context.record = self._record
        text = "\n".join(self._lines).strip()
        text = re.sub(r"\n+[-=_*]{3,}\Z", "", text)
        if not text:
            self._context.skip("empty text")
            return
        role = role_of(start.name)
        yield self._context.turn(
            text,
            role or "human",
            session=self._session,
            speaker=None if role else start.name,
            said_at=self._time(start.stamp),
            role=start.name if role else None,
        )

    def _time(self, stamp: str | None) -> int | None:
        if stamp is None:
            return self._day
        clock = _CLOCK.fullmatch(stamp)
        if clock is not None:
            if self._day is None:
                self._context.note("clock time without a day")
                return None
            return self._at(self._day, clock)
        slashed = _SLASHED.fullmatch(stamp)
        if slashed is None:
            return self._context.time(stamp)
        first, second, year = int(slashed[1]), int(slashed[2]), int(slashed[3])
        if first <= 12 and second <= 12 and first != second:
            self._context.note("date that could be day/month or month/day")
            return None
        day, month = (first, second) if second <= 12 else (second, first)
        date = f"{year + 2000 if year < 100 else year:04d}-{month:02d}-{day:02d}"
        base = self._context.time(date)
        rest = _CLOCK.fullmatch(slashed[0].partition(" ")[2].strip())
        return base if base is None or rest is None else self._at(base, rest)

    def _at(self, day: int, clock: re.Match[str]) -> int | None:
        hour, minute, second = int(clock[1]), int(clock[2]), int(clock[3] or 0)
        half = (clock[4] or "").lower()
        if half:
            hour = hour % 12 + (12 if half == "pm" else 0)
        if hour > 23 or minute > 59 or second > 59:
            self._context.note("unreadable time")
            return None
        moment = datetime.fromtimestamp(day // 1_000_000, self._context.tz)
        return micros(moment.replace(hour=hour, minute=minute, second=second))


READER = Reader(
    name="dialogue",
    version=1,
    accepts='text or Markdown whose lines begin with "Name: "',
    read=_read,
    claims_text=_claims_text,
)
