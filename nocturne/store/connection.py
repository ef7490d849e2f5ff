"""One connection to a store's file: how it is opened, and what SQLite's errors mean to a person."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from nocturne.errors import InputUnreadable, NocturneError, StoreDamaged, StoreLocked, StoreWriteFailed

Mode = Literal["rw", "create", "readonly"]
Row = tuple[Any, ...]
Args = Sequence[Any] | Mapping[str, Any]

APPLICATION_ID = 0x4E6F6374
"""``Noct`` in the file's header."""

VERSION = 2
"""Where the shipped migrations lead: a store of this version is opened without reading any of them."""

HEADER = b"SQLite format 3\x00"
_BUSY, _LOCKED, _NOMEM, _READONLY, _IOERR, _CORRUPT = 5, 6, 7, 8, 10, 11
_FULL, _CANTOPEN, _CONSTRAINT, _NOTADB = 13, 14, 19, 26


def translate(error: sqlite3.Error, path: str) -> NocturneError | None:
    """What the error is to a person; None where it is a fault of ours."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (_BUSY, _LOCKED):
        return StoreLocked(
            f"{path} is locked by another process",
            hint="wait until the other nocturne command ends, then run this one again",
        )
    if code == _FULL:
        return StoreWriteFailed(
            f"{path}: the disk is full; this step was undone, what was committed before it stands",
            hint="free some space, then run the command again",
        )
    if code in (_IOERR, _NOMEM):
        return StoreWriteFailed(
            f"{path}: {error}; this step was undone, what was committed before it stands",
            hint="check the disk, then `nocturne doctor`",
        )
    if code in (_READONLY, _CANTOPEN):
        return StoreWriteFailed(
            f"{path} cannot be written: {error}", hint="check who owns the file and its folder"
        )
    if code in (_CORRUPT, _NOTADB):
        return StoreDamaged(
            f"{path} is damaged: {error}",
            hint="restore a backup, or look at what is left with `nocturne doctor`",
        )
    if isinstance(error, sqlite3.OperationalError) and "no such" in str(error):
        return StoreDamaged(f"{path} lacks a part of its schema: {error}", hint="restore a backup")
    return None


class Link:
    """A connection whose every error is translated; rows come as plain tuples."""

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self.raw = connection
        self.path = path

    def run(self, sql: str, args: Args = ()) -> int:
        """Run one statement; returns how many rows it changed."""
        try:
            return self.raw.execute(sql, args).rowcount
        except sqlite3.Error as error:
            raise self._told(error) from error

    def many(self, sql: str, rows: Iterable[Sequence[Any]]) -> int:
        """Run one statement for every row; returns how many rows it changed."""
        try:
            return self.raw.executemany(sql, rows).rowcount
        except sqlite3.Error as error:
            raise self._told(error) from error

    def all(self, sql: str, args: Args = ()) -> list[Row]:
        """Every row."""
        try:
            return self.raw.execute(sql, args).fetchall()
        except sqlite3.Error as error:
            raise self._told(error) from error

    def one(self, sql: str, args: Args = ()) -> Row | None:
        """The first row, or None."""
        rows = self.all(sql, args)
        return rows[0] if rows else None

    def value(self, sql: str, args: Args = ()) -> Any:
        """The first column of the first row, or None."""
        row = self.one(sql, args)
        return None if row is None else row[0]

    def stream(self, sql: str, args: Args = (), *, size: int = 5_000) -> Iterator[Row]:
        """Rows in batches, for results that should not stand in memory whole."""
        try:
            cursor = self.raw.execute(sql, args)
            while rows := cursor.fetchmany(size):
                yield from rows
        except sqlite3.Error as error:
            raise self._told(error) from error

    def rollback(self) -> None:
        """Undo the open transaction, if the error has not undone it already."""
        if self.raw.in_transaction:
            self.run("ROLLBACK")

    def close(self) -> None:
        """Close the file."""
        self.raw.close()

    def _told(self, error: sqlite3.Error) -> Exception:
        told = translate(error, self.path)
        return error if told is None else told


def _looked_at(path: Path, mode: Mode) -> bool:
    """Whether a file is there; an error where it is no file that could be a store."""
    try:
        if path.is_dir():
            raise InputUnreadable(f"{path} is a directory, not a store", hint="give the path of its .db file")
        if not path.exists():
            if mode != "create":
                raise InputUnreadable(f"{path} does not exist", hint=_hint(path))
            if not path.parent.is_dir():
                raise InputUnreadable(
                    f"{path.parent} does not exist", hint="create the folder first, or name another path"
                )
            return False
        with path.open("rb") as file:
            head = file.read(len(HEADER))
    except OSError as error:
        raise InputUnreadable(
            f"{path} cannot be read: {error.strerror}", hint="check who owns the file and its folder"
        ) from error
    if not head and mode == "create":
        return False
    if not head:
        raise InputUnreadable(f"{path} is empty, not a store", hint=_hint(path))
    if head != HEADER:
        raise InputUnreadable(
            f"{path} is not a nocturne store", hint="--db names the store, not a transcript"
        )
    return True


def _hint(path: Path) -> str:
    import difflib

    told = "Only ingest and init create a store."
    try:
        names = sorted(each.name for each in path.parent.iterdir() if each.suffix in (".db", path.suffix))
    except OSError:
        return told
    near = [
        name for name in difflib.get_close_matches(path.name, names, n=2, cutoff=0.6) if name != path.name
    ]
    return f"Did you mean {path.parent / near[0]}? {told}" if near else told


def _unclean(path: Path) -> bool:
    """Whether a log or journal with content lies beside the file: a writer was killed, or is at work."""
    for suffix in ("-wal", "-journal"):
        side = path.with_name(path.name + suffix)
        if side.exists() and side.stat().st_size > 0:
            return True
    return False


def connect(path: Path, mode: Mode, *, busy_ms: int) -> tuple[Link, bool, bool]:
    """Open the file: the connection, whether it was there before, and whether its last close was unclean."""
    there = _looked_at(path, mode)
    unclean = there and _unclean(path)
    address = f"file:{quote(str(path.absolute()))}"
    flags = "mode=ro" if mode == "readonly" else "mode=rwc" if mode == "create" else "mode=rw"
    link = _opened(f"{address}?{flags}", path, busy_ms)
    if mode == "readonly":
        try:
            link.value("SELECT COUNT(*) FROM sqlite_schema")
        except StoreWriteFailed:
            # A folder that cannot hold the log's sidecar files: safe to read as it is, if no log is waiting.
            link.close()
            if unclean:
                raise
            link = _opened(f"{address}?mode=ro&immutable=1", path, busy_ms)
        link.run("PRAGMA query_only = ON")
    return link, there, unclean


def _opened(uri: str, path: Path, busy_ms: int) -> Link:
    try:
        raw = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=busy_ms / 1000)
    except sqlite3.Error as error:
        raise InputUnreadable(
            f"{path} cannot be opened: {error}", hint="check who owns the file and its folder"
        ) from error
    link = Link(raw, str(path))
    try:
        for setting in (
            "foreign_keys = ON",
            "recursive_triggers = ON",
            "trusted_schema = OFF",
            "cell_size_check = ON",
            "secure_delete = ON",
            "synchronous = FULL",
            "temp_store = MEMORY",
            "cache_size = -65536",
        ):
            link.run(f"PRAGMA {setting}")
    except NocturneError:
        link.close()
        raise
    return link


def check_identity(link: Link) -> int:
    """The schema's version, 0 where there are no tables; an error where the database is somebody else's."""
    application = link.value("PRAGMA application_id")
    version = int(link.value("PRAGMA user_version"))
    if application == APPLICATION_ID:
        return version
    if application == 0 and version == 0 and not link.value("SELECT COUNT(*) FROM sqlite_schema"):
        return 0
    raise InputUnreadable(
        f"{link.path} is a SQLite database, but not a nocturne store", hint="--db names the store"
    )


def use_write_ahead_log(link: Link) -> str | None:
    """Switch to the write-ahead log; where the file system has none, a rollback journal and a word on it."""
    got = str(link.value("PRAGMA journal_mode = WAL")).lower()
    if got == "wal":
        return None
    link.value("PRAGMA journal_mode = DELETE")
    return (
        f"{link.path}: this file system has no write-ahead log ({got}); "
        "a rollback journal is used, and readers wait for writers"
    )
