"""The bytes of one transcript: told apart by their first characters, given out record by record."""

from __future__ import annotations

import codecs
import hashlib
import io
import json
import re
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, Self

from nocturne.errors import InputUnreadable

Shape = Literal["lines", "array", "document", "text", "sqlite", "zip"]

HEAD_BYTES = 256 * 1024
CHUNK = 1024 * 1024
SPOOL = 64 * 1024 * 1024
_WIDE_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MAGIC = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF", "a PDF document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a Windows program"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"PAR1", "a Parquet table"),
)
_ARRAY_START = re.compile(rb'\[\s*(?:[{\["\]]|\Z)')
_READABLE = "give it text, JSON, JSON lines, SQLite, or the zip of an export"
_EXTRA_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Record:
    """One line of JSON lines or of text, one item of a JSON list, or a whole document.

    ``offset`` is in bytes from the start of the file; ``where`` is the line number or item as people write
    it. ``value`` is decoded JSON, a text line as ``str``, or ``Malformed``.
    """

    offset: int
    where: str
    value: Any


@dataclass(frozen=True, slots=True)
class Malformed:
    """A line that is not what its neighbours are, and why."""

    reason: str


def decode_json(text: str) -> Any:
    """Decode JSON; every way in which it can be broken is a ValueError."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


class Source:
    """Seekable bytes with a name for messages. Close it, or use it in a ``with`` block."""

    def __init__(self, stream: BinaryIO, name: str, path: Path | None = None, *, depth: int = 0) -> None:
        self._stream = stream
        self.name = name
        self.path = path
        self._document: Any = None
        self.size = stream.seek(0, io.SEEK_END)
        self.head = self.peek(HEAD_BYTES)
        wide = next((encoding for bom, encoding in _WIDE_BOMS if self.head.startswith(bom)), None)
        if wide is not None:
            self._replace(self._narrow(wide))
        self.bom = len(codecs.BOM_UTF8) if self.head.startswith(codecs.BOM_UTF8) else 0
        self.shape = self._shape(depth)

    @classmethod
    def open(cls, path: Path | str | bytes | BinaryIO, *, name: str | None = None) -> Source:
        """Open a file, bytes or a stream; a stream that cannot seek is spooled to a temporary file first."""
        if isinstance(path, bytes):
            return cls(io.BytesIO(path), name or "input")
        if isinstance(path, str | Path):
            where = Path(path)
            if any(".deleted" in part for part in where.name.split("/")):
                raise InputUnreadable(
                    f"{where}: a deleted session is never read",
                    hint="rename the file without .deleted if it should be read after all",
                )
            try:
                stream = where.open("rb")
            except FileNotFoundError as error:
                raise InputUnreadable(f"{where} does not exist", hint="check the path") from error
            except IsADirectoryError as error:
                raise InputUnreadable(f"{where} is a directory", hint="give it to ingest as it is") from error
            except (OSError, ValueError) as error:
                raise InputUnreadable(f"{where} cannot be read: {error}") from error
            try:
                return cls(stream, name or where.name, where)
            except BaseException:
                stream.close()
                raise
        return cls.of_chunks(iter(lambda: path.read(CHUNK), b""), name or "stdin")

    @classmethod
    def of_chunks(cls, chunks: Iterable[bytes], name: str) -> Source:
        """Bytes that come piece by piece, kept in a temporary file once they are large."""
        spool = tempfile.SpooledTemporaryFile(max_size=SPOOL)  # noqa: SIM115 - the Source closes it
        try:
            for chunk in chunks:
                spool.write(chunk)
            return cls(spool, name)  # type: ignore[arg-type]  # typeshed: no BinaryIO, though it is one
        except BaseException:
            spool.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the file back."""
        self._stream.close()

    def peek(self, count: int) -> bytes:
        """The first bytes."""
        self._stream.seek(0)
        return self._stream.read(count)

    def stream(self) -> BinaryIO:
        """The bytes from the start, for readers of containers."""
        self._stream.seek(0)
        return self._stream

    def digest(self, upto: int) -> Any:
        """A running SHA-256 over the first ``upto`` bytes."""
        running = hashlib.sha256()
        self._stream.seek(0)
        left = upto
        while left > 0 and (chunk := self._stream.read(min(CHUNK, left))):
            running.update(chunk)
            left -= len(chunk)
        return running

    def text(self) -> str:
        """Everything as text without a byte order mark; bytes that are not UTF-8 become U+FFFD."""
        self._stream.seek(self.bom)
        return self._stream.read().decode("utf-8", "replace")

    def refuse(self, what: str, hint: str | None = None) -> InputUnreadable:
        """The error that this source cannot be read, with its name before it."""
        return InputUnreadable(f"{self.name}: {what}", hint=hint)

    def lines(self, start: int = 0) -> Iterator[tuple[int, int, bytes]]:
        """Byte offset, line number and bytes of each line from the line that begins at ``start``."""
        number = 1
        if start:
            self._stream.seek(0)
            left = start
            while left > 0 and (chunk := self._stream.read(min(CHUNK, left))):
                number += chunk.count(b"\n")
                left -= len(chunk)
        offset = max(start, self.bom)
        while True:
            self._stream.seek(offset)
            block = self._stream.readlines(CHUNK)
            if not block:
                return
            for line in block:
                yield offset, number, line
                offset += len(line)
                number += 1

    def document(self) -> Any:
        """The whole file as one JSON value, decoded once."""
        if self._document is not None:
            return self._document
        text = self.text()
        try:
            self._document = decode_json(text)
        except json.JSONDecodeError as error:
            raise self.refuse(*_explain(error, len(text))) from error
        except ValueError as error:
            raise self.refuse(f"the JSON cannot be read: {error}") from error
        return self._document

    def tables(self) -> set[str]:
        """The names of a SQLite file's tables."""
        with closing(self.database()) as database:
            try:
                rows = database.execute(
                    "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
                ).fetchall()
            except sqlite3.Error as error:
                raise self.refuse(f"the SQLite database cannot be read: {error}") from error
        return {str(row[0]) for row in rows}

    def database(self) -> sqlite3.Connection:
        """The SQLite file opened for reading only, together with its write-ahead log if it has one."""
        try:
            if self.path is not None:
                uri = self.path.resolve().as_uri() + "?mode=ro"
                return sqlite3.connect(uri, uri=True, isolation_level=None)
            database = sqlite3.connect(":memory:", isolation_level=None)
            database.deserialize(self.stream().read())
        except (sqlite3.Error, OverflowError) as error:
            raise self.refuse(f"the SQLite database cannot be opened: {error}") from error
        return database

    def _replace(self, content: bytes) -> None:
        self._stream.close()
        self._stream = io.BytesIO(content)
        self.size = len(content)
        self.head = self.peek(HEAD_BYTES)

    def _narrow(self, encoding: str) -> bytes:
        try:
            return self.stream().read().decode(encoding).encode("utf-8", "surrogatepass")
        except UnicodeError as error:
            raise self.refuse(f"begins like {encoding} text but is not") from error

    def _shape(self, depth: int) -> Shape:
        if self.head.startswith(b"SQLite format 3\x00"):
            return "sqlite"
        if self.head[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
            return "zip"
        body = self.head[self.bom :].lstrip()
        if not body:
            if self.size > len(self.head):
                raise self.refuse("starts with nothing but white space")
            raise self.refuse("is empty", _READABLE)
        for magic, what in _MAGIC:
            if self.head.startswith(magic):
                raise self.refuse(f"is {what}, not a transcript", _READABLE)
        if body[:1] not in (b"{", b"[") and b"\x00" in self.head:
            raise self.refuse("is binary, not a transcript", _READABLE)
        if body[:1] == b'"' and depth < _EXTRA_DEPTH and self._unquote():
            self.bom = 0
            return self._shape(depth + 1)
        if _ARRAY_START.match(body):
            return "array"
        return "lines" if self._looks_like_lines() else ("document" if body[:1] == b"{" else "text")

    def _unquote(self) -> bool:
        """Where the whole file is one JSON string, take its content for the file."""
        try:
            value = decode_json(self.text())
        except ValueError:
            return False
        if not isinstance(value, str) or not value.strip():
            return False
        self._replace(value.encode("utf-8", "surrogatepass"))
        return True

    def _looks_like_lines(self) -> bool:
        """Whether the head's lines are JSON objects of their own, at least half of them."""
        lines = self.head[self.bom :].split(b"\n")
        if len(self.head) < self.size and len(lines) > 1:
            lines.pop()
        whole = [line.strip() for line in lines if line.strip()][:50]
        objects = 0
        for number, line in enumerate(whole):
            if line[:1] == b"{":
                try:
                    value = decode_json(line.decode("utf-8", "replace"))
                except ValueError:
                    if number == 0 and len(self.head) < self.size and len(whole) == 1:
                        return self._first_line_is_object()
                    continue
                objects += isinstance(value, dict)
        if whole[0][:1] == b"{" and objects and not re.fullmatch(rb"\{\s*\}?,?", whole[0]):
            first_opens = whole[0].rstrip(b",")[-1:] in (b"{", b"[", b":") or whole[0][-1:] == b","
            return not first_opens or objects * 2 >= len(whole)
        return objects * 2 >= len(whole) and objects > 0

    def _first_line_is_object(self) -> bool:
        self._stream.seek(self.bom)
        try:
            return isinstance(decode_json(self._stream.readline().decode("utf-8", "replace")), dict)
        except ValueError:
            return False


def _explain(error: json.JSONDecodeError, length: int) -> tuple[str, str | None]:
    if error.pos >= length - 1 or error.msg.startswith("Unterminated string"):
        return f"the JSON ends early, at line {error.lineno}: the file is cut off", "export or copy it again"
    if error.msg == "Extra data":
        return f"more than one JSON value in the file: the second begins at line {error.lineno}", None
    return f"the JSON is malformed at line {error.lineno}, column {error.colno}: {error.msg}", None
