"""The one tuple of readers, and reading a source from where the last ingest stopped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any, BinaryIO

from nocturne.core.facts import Turn
from nocturne.errors import InputUnreadable, UsageError
from nocturne.formats import (
    chatgpt,
    claude_ai,
    claude_code,
    claude_memory,
    cline,
    codex,
    cursor,
    dialogue,
    gemini_cli,
    langchain,
    letta,
    mcp_log,
    mem0,
    messages,
    native,
    openclaw,
    opencode,
    swe_agent,
    traces,
)
from nocturne.formats.archive import members
from nocturne.formats.detect import accepted, detect
from nocturne.formats.json_list import items
from nocturne.formats.reading import Context, Reader, Reading
from nocturne.formats.source import Malformed, Record, Source, decode_json

READERS: tuple[Reader, ...] = (
    native.READER,
    claude_code.READER,
    chatgpt.READER,
    messages.READER,
    codex.READER,
    claude_ai.READER,
    claude_memory.READER,
    openclaw.READER,
    letta.READER,
    gemini_cli.READER,
    traces.READER,
    cline.READER,
    opencode.READER,
    cursor.READER,
    langchain.READER,
    mem0.READER,
    mcp_log.READER,
    swe_agent.READER,
    dialogue.READER,
)

_ARCHIVE = Reader("archive", 1, "a zip of the above", lambda _records, _context: iter(()))


def reader_named(name: str) -> Reader:
    """The reader that ``--format`` names."""
    for reader in READERS:
        if reader.name == name:
            return reader
    raise UsageError(f"unknown format {name!r}", hint=accepted(READERS).partition(";")[0])


def read(
    source: Path | str | bytes | BinaryIO,
    *,
    format: str | None = None,  # noqa: A002 - the option's own name
    start: int = 0,
    state: Mapping[str, Any] | None = None,
    tz: tzinfo = UTC,
    name: str | None = None,
) -> Reading:
    """The turns of one source, from the byte ``start`` on where the format can be continued there.

    ``start`` and ``state`` are the cursor and state of the last reading; if what lies before ``start``
    changed, everything is read again and ``rewritten`` is set. ``tz`` is for times without a zone. The source
    is opened, and its format told, before this returns; ``InputUnreadable`` may still be raised while the
    turns are read.
    """
    forced = reader_named(format) if format is not None else None
    opened = open_source(source, name=name)
    try:
        if opened.shape == "zip":
            return _read_archive(opened, forced, tz)
        reader = forced or detect(opened, READERS)
        return _read_one(opened, reader, start, dict(state or {}), tz)
    except BaseException:
        opened.close()
        raise


def open_source(source: Path | str | bytes | BinaryIO, *, name: str | None = None) -> Source:
    """The source's bytes; a folder that is one transcript becomes JSON lines first."""
    if isinstance(source, str | Path) and Path(source).is_dir() and opencode.is_storage(Path(source)):
        return Source.of_chunks(opencode.folder_lines(Path(source)), name or Path(source).name)
    return Source.open(source, name=name)


def _read_one(source: Source, reader: Reader, start: int, state: dict[str, Any], tz: tzinfo) -> Reading:
    def turns(reading: Reading) -> Iterator[Turn]:
        with source:
            begin, hasher = 0, None
            if 0 < start <= source.size:
                hasher = source.digest(start)
                same = hasher.hexdigest() == state.get("prefix") and reader.version == state.get("version")
                if same and (start == source.size or (reader.resumable and source.shape == "lines")):
                    begin = start
                reading.rewritten = not same
                reading.resumed = begin > 0
            elif start:
                reading.rewritten = True
            context = _context(source, reading, tz, state if begin else {})
            context.begin = begin
            tail = _Tail(source, begin, hasher if begin else source.digest(0))
            if begin < source.size:
                records = tail.lines(context) if source.shape == "lines" else _whole(source, tail)
                yield from reader.read(records, context)
                for _ in records:
                    pass
            prefix = tail.hasher.hexdigest()
            reading.finish(
                tail.cursor,
                {
                    "prefix": prefix,
                    "version": reader.version,
                    "positions": dict(context.positions),
                    "reader": context.state,
                },
                prefix,
            )

    return Reading(reader, source.name, turns)


def _read_archive(source: Source, forced: Reader | None, tz: tzinfo) -> Reading:
    chosen = forced
    for member in members(source):
        with member:
            if chosen is None:
                try:
                    chosen = detect(member, READERS)
                except InputUnreadable:
                    continue
            break
    if chosen is None:
        raise source.refuse("a zip archive without a conversation in it", accepted(READERS))
    first = chosen

    def turns(reading: Reading) -> Iterator[Turn]:
        with source:
            for member in members(source):
                with member:
                    member.name = f"{source.name}:{member.name}"
                    context = _context(member, reading, tz, {})
                    try:
                        reader = forced or detect(member, READERS)
                    except InputUnreadable:
                        context.skip("archive member without a conversation")
                        continue
                    tail = _Tail(member, 0, member.digest(0))
                    records = tail.lines(context) if member.shape == "lines" else _whole(member, tail)
                    yield from reader.read(records, context)
            digest = source.digest(source.size).hexdigest()
            reading.finish(source.size, {"prefix": digest, "version": first.version}, digest)

    return Reading(first, source.name, turns)


def _context(source: Source, reading: Reading, tz: tzinfo, state: Mapping[str, Any]) -> Context:
    positions = state.get("positions")
    kept = state.get("reader")
    return Context(
        source=source,
        tz=tz,
        skipped=reading._skipped,  # noqa: SLF001 - the reading's own account, filled here
        notes=reading._notes,  # noqa: SLF001
        state=dict(kept) if isinstance(kept, dict) else {},
        session=Path(source.name).name.split(".")[0] or "input",
        positions=dict(positions) if isinstance(positions, dict) else {},
    )


class _Tail:
    """Lines from a cursor on; an unterminated last line that is no whole JSON object waits."""

    def __init__(self, source: Source, begin: int, hasher: Any) -> None:
        self._source = source
        self._begin = begin
        self.cursor = begin
        self.hasher = hasher

    def whole(self) -> None:
        """Note that everything was read."""
        self.cursor = self._source.size
        self.hasher = self._source.digest(self._source.size)

    def lines(self, context: Context) -> Iterator[Record]:
        """The JSON lines; empty ones are passed over, broken ones are ``Malformed``."""
        if self._begin == 0 and self._source.bom:
            self.hasher.update(self._source.head[: self._source.bom])
            self.cursor = self._source.bom
        for offset, number, line in self._source.lines(self._begin):
            body = line.strip()
            record = Record(offset, str(number), None)
            if body:
                text = body.decode("utf-8", "replace")
                if "\ufffd" in text and not _is_utf8(body):
                    context.record = record
                    context.note("bytes that are not UTF-8")
                try:
                    value = decode_json(text)
                except ValueError:
                    value = Malformed("malformed: not JSON")
                if not line.endswith(b"\n") and not isinstance(value, dict):
                    context.record = record
                    context.skip("unterminated last line: waits for the next ingest")
                    return
                self.hasher.update(line)
                self.cursor = offset + len(line)
                yield Record(offset, str(number), value)
            else:
                self.hasher.update(line)
                self.cursor = offset + len(line)


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _whole(source: Source, tail: _Tail) -> Iterator[Record]:
    """The records of a list, a document or a text; the cursor goes to the end once all are read."""
    if source.shape == "array":
        yield from items(source)
    elif source.shape == "document":
        yield Record(source.bom, "", source.document())
    elif source.shape == "text":
        for offset, number, line in source.lines():
            yield Record(offset, str(number), line.decode("utf-8", "replace").rstrip("\r\n"))
    tail.whole()
