"""What a reader is given, what it hands back, and the account that it keeps of everything left out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any

from nocturne.core.facts import Outcome, Provenance, ToolCall, Turn
from nocturne.core.sanitise import identifier
from nocturne.formats.source import Malformed, Record, Source
from nocturne.formats.times import leading_time, parse_time

_EXAMPLES = 3
_OPEN_SESSIONS = 256
_SPEAKER = re.compile(
    r"\s*(?:\((?:speaker|from|said by)\s*[:=]\s*(?P<round>[^()\n]{1,60})\)|"
    r"\[(?:speaker|from|said by)\s*[:=]\s*(?P<square>[^\[\]\n]{1,60})\]|"
    r"<(?:speaker|from)\s*[:=]\s*(?P<angle>[^<>\n]{1,60})>)\s*[:,-]?\s*",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Tally:
    """How often something was left out or mended, by reason, with the first places."""

    counts: dict[str, int] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, reason: str, where: str) -> None:
        """Count one more."""
        self.counts[reason] = self.counts.get(reason, 0) + 1
        places = self.examples.setdefault(reason, [])
        if len(places) < _EXAMPLES:
            places.append(where)


@dataclass(slots=True)
class Context:
    """One reading in progress: where it reads, what it counts, and how it makes turns.

    ``session`` is a name for sources that have none, taken from the file's; ``begin`` is the byte offset at
    which the records begin; ``state`` is kept for the next reading, and must hold nothing that was said.
    """

    source: Source
    tz: tzinfo
    skipped: Tally
    notes: Tally
    state: dict[str, Any]
    session: str
    begin: int = 0
    record: Record = field(default_factory=lambda: Record(0, "", None))
    positions: dict[str, int] = field(default_factory=dict)

    def where(self, detail: str = "") -> str:
        """``file:line`` of the record in hand."""
        at = self.record.where
        name = self.source.name
        return f"{name}{at if at.startswith('[') else ':' + at if at else ''}{detail}"

    def skip(self, reason: str, detail: str = "") -> None:
        """Count something that yields no turn."""
        self.skipped.add(identifier(reason)[:120], self.where(detail))

    def note(self, reason: str, detail: str = "") -> None:
        """Count something that was mended or assumed."""
        self.notes.add(identifier(reason)[:120], self.where(detail))

    def time(self, value: Any) -> int | None:
        """A native time; what is no time is noted, and so is a zone that had to be assumed."""
        if value is None or value == "":
            return None
        moment, assumed = parse_time(value, self.tz)
        if moment is None:
            self.note("unreadable time")
        elif assumed:
            self.note("time without zone")
        return moment

    def turn(
        self,
        text: str,
        provenance: Provenance,
        *,
        native_id: Any = None,
        session: Any = None,
        speaker: Any = None,
        said_at: int | None = None,
        role: Any = None,
        tool: ToolCall | None = None,
        active_path: bool = True,
    ) -> Turn:
        """A turn at the record in hand, next in its session."""
        place = as_id(session)
        text, speaker = self._spoken_by(text, provenance, speaker)
        if said_at is None and provenance == "human":
            said_at = leading_time(text, self.tz)
            if said_at is not None:
                self.note("time taken from the text")
        key = place or ""
        position = self.positions.pop(key, 0)
        self.positions[key] = position + 1
        if len(self.positions) > _OPEN_SESSIONS:
            del self.positions[next(iter(self.positions))]
        return Turn(
            id=0,
            source=0,
            native_id=as_id(native_id),
            offset=self.record.offset,
            position=position,
            session=place,
            speaker=as_id(speaker),
            provenance=provenance,
            text=text,
            said_at=said_at,
            role=as_id(role),
            tool=tool,
            active_path=active_path,
        )

    def _spoken_by(self, text: str, provenance: Provenance, speaker: Any) -> tuple[str, Any]:
        """Where a person's turn names another speaker before its first word, that is who speaks."""
        if provenance != "human":
            return text, speaker
        match = _SPEAKER.match(text)
        if match is None or match.end() == len(text):
            return text, speaker
        return text[match.end() :], (match["round"] or match["square"] or match["angle"]).strip()


def as_id(value: Any) -> str | None:
    """An id or name from outside as safe text; None where there is none."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float | str):
        return identifier(str(value)) or None
    return None


def word(value: Any) -> str | None:
    """A type's or role's word; None for what is no text, so that it can be looked up in a table."""
    return value if isinstance(value, str) else None


def as_text(value: Any) -> str:
    """A payload as text: strings as they are, everything else as compact JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def call(name: Any, call_id: Any, arguments: Any) -> ToolCall:
    """A tool's call; arguments that are JSON in a string stay as they are."""
    return ToolCall(as_id(name), as_id(call_id), as_text(arguments))


def result(name: Any, call_id: Any, outcome: Outcome | None) -> ToolCall:
    """A tool's result; its text is the turn's."""
    return ToolCall(as_id(name), as_id(call_id), None, outcome)


Records = Iterator[Record]
Read = Callable[[Records, Context], Iterator[Turn]]


def _never(_value: Any) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Reader:
    """One transcript format.

    ``claims`` looks at one JSON object (a line, a list's item, or a whole document), ``claims_text`` at the
    head of a text, ``claims_tables`` at the tables of a SQLite file. ``resumable`` says that the tail of JSON
    lines can be read without what lies before it; ``own_sessions``, that sessions are named by the file's
    writer and never replayed under another name.
    """

    name: str
    version: int
    accepts: str
    read: Read
    claims: Callable[[Mapping[str, Any]], bool] = _never
    claims_text: Callable[[str], bool] = _never
    claims_tables: Callable[[set[str]], bool] = _never
    resumable: bool = False
    own_sessions: bool = False


class Reading:
    """The turns of one source, read as they are asked for, and afterwards the account of the reading.

    ``turns`` is a single pass. The account (``skipped``, ``examples``, ``notes``, ``cursor``, ``state``,
    ``content_hash``) is known when it has come to its end; asking earlier is an error of the program.
    """

    def __init__(self, reader: Reader, name: str, start: Callable[[Reading], Iterator[Turn]]) -> None:
        self.format = reader.name
        self.reader_version = reader.version
        self.own_sessions = reader.own_sessions
        self.name = name
        self.rewritten = False
        """Whether what lay before the cursor is no longer what was read last time; all was read again."""
        self.resumed = False
        """Whether reading began where the last one ended, and not anew; known from the first turn on."""
        self._skipped = Tally()
        self._notes = Tally()
        self._ended: tuple[int, dict[str, Any], str] | None = None
        self.turns: Iterator[Turn] = start(self)

    def drain(self) -> list[Turn]:
        """Every turn that is left, as a list."""
        return list(self.turns)

    def finish(self, cursor: int, state: dict[str, Any], content_hash: str) -> None:
        """Close the account."""
        self._ended = (cursor, state, content_hash)

    @property
    def skipped(self) -> Mapping[str, int]:
        """How many records or parts gave no turn, by reason (``unknown type: bridge-session``)."""
        self._end()
        return self._skipped.counts

    @property
    def notes(self) -> Mapping[str, int]:
        """How often something was mended or assumed, by reason."""
        self._end()
        return self._notes.counts

    @property
    def examples(self) -> Mapping[str, tuple[str, ...]]:
        """The first three places (``file:line``) of each reason."""
        self._end()
        both = {**self._notes.examples, **self._skipped.examples}
        return {reason: tuple(places) for reason, places in both.items()}

    @property
    def cursor(self) -> int:
        """The byte offset at which the next ingest continues."""
        return self._end()[0]

    @property
    def state(self) -> Mapping[str, Any]:
        """What to hand to the next reading of this source: JSON-safe."""
        return self._end()[1]

    @property
    def content_hash(self) -> str:
        """SHA-256 of the bytes before the cursor."""
        return self._end()[2]

    def _end(self) -> tuple[int, dict[str, Any], str]:
        if self._ended is None:
            raise RuntimeError("the account of a reading is known only after its turns were read")
        return self._ended


def objects(records: Records, context: Context) -> Iterator[Mapping[str, Any]]:
    """The records that are JSON objects, with ``context.record`` at each; the others are counted."""
    for record in records:
        context.record = record
        value = record.value
        if isinstance(value, dict):
            yield value
        elif isinstance(value, Malformed):
            context.skip(value.reason)
        else:
            context.skip("malformed: not a JSON object")
