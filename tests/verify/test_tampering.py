"""Whatever is covered and altered, deleted, slipped in or swapped makes verify.py fail."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.verify.life import live, nocturne
from tests.verify.loaded import verify

BESIDE = {
    "texts": {"id"},
    "blocks": {"name", "position", "about"},
    "drift": {"snapshot", "topic", "weight"},
    "journal": {"id", "head", "pass", "batch", "request", "proposer", "reply", "at"},
}
"""Columns that no hash covers: an order, and what SCHEMA.md lists under "nothing"."""
COVERED_META = {"secret", "lanes", "tail", "running:accesses", "running:quiz_runs"}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return live(tmp_path_factory.mktemp("forged"))


@pytest.fixture
def forger(told: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[sqlite3.Connection]:
    """A copy in memory, with nothing that would stop a forger, and as what the audit opens."""
    memory = sqlite3.connect(":memory:", isolation_level=None)
    source = sqlite3.connect(told)
    source.backup(memory)
    source.close()
    memory.execute("PRAGMA foreign_keys = OFF")
    memory.execute("PRAGMA ignore_check_constraints = ON")
    for (trigger,) in memory.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        memory.execute(f"DROP TRIGGER {trigger}")
    monkeypatch.setattr(verify.Store, "_opened", lambda _: Kept(memory))
    yield memory
    memory.close()


class Kept:
    """The forger's own connection: the audit may neither begin a transaction in it nor close it."""

    def __init__(self, raw: sqlite3.Connection) -> None:
        self.raw = raw
        self.text_factory: Callable[[bytes], str] = bytes.decode

    def execute(self, sql: str, args: Any = ()) -> Any:
        return self.raw.execute("SELECT 1" if sql == "BEGIN" else sql, args)

    def close(self) -> None:
        """It is the test's."""


def holds(expect_head: str | None = None) -> bool:
    return bool(verify.audit(Path("forged.db"), expect_head).passed)


def altered(value: object) -> object:
    if isinstance(value, int):
        return value + 1
    if isinstance(value, bytes):
        return bytes([value[0] ^ 1]) + value[1:]
    return str(value)[:-1] + ("y" if str(value).endswith("x") else "x")


def tables(connection: sqlite3.Connection) -> dict[str, dict[str, str]]:
    """The columns of every covered table, with their types."""
    found = {}
    for table in verify.TABLES:
        columns = {row[1]: row[2] for row in connection.execute(f"PRAGMA table_info({table})")}
        found[table] = {name: kind for name, kind in columns.items() if name not in BESIDE.get(table, ())}
    return {table: columns for table, columns in found.items() if columns}


def key_of(connection: sqlite3.Connection, table: str) -> list[str]:
    try:
        connection.execute(f"SELECT rowid FROM {table} LIMIT 1")
    except sqlite3.OperationalError:
        return [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[5]]
    return ["rowid"]


COVERED = [table for table in verify.TABLES if table not in BESIDE or table == "texts"]


def test_the_story_holds(forger: sqlite3.Connection) -> None:
    report = verify.audit(Path("forged.db"))
    assert [check.problems for check in report.checks if not check.passed] == []


def test_every_covered_table_has_rows_and_every_column_is_tried(forger: sqlite3.Connection) -> None:
    assert list(tables(forger)) == COVERED
    for table in COVERED:
        assert forger.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0], table


@pytest.mark.parametrize("table", COVERED)
def test_every_covered_column_of_every_row(forger: sqlite3.Connection, table: str) -> None:
    names, columns = key_of(forger, table), tables(forger)[table]
    where = " AND ".join(f"{name} = ?" for name in names)
    missed = []
    tried = 0
    for row in forger.execute(f"SELECT {', '.join(names)} FROM {table}").fetchall():
        for column, kind in columns.items():
            (old,) = forger.execute(f"SELECT {column} FROM {table} WHERE {where}", row).fetchone()
            if table == "meta" and row[0] not in COVERED_META:
                continue
            new = altered(old) if old is not None else 1 if kind == "INTEGER" else "x"
            forger.execute("SAVEPOINT forgery")
            try:
                forger.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (new, *row))
                tried += 1
                if holds():
                    missed.append((row, column, old, new))
            except sqlite3.IntegrityError:
                tried += 1  # a unique key that is taken: the forger cannot write this one
            finally:
                forger.execute("ROLLBACK TO forgery")
                forger.execute("RELEASE forgery")
    assert tried
    assert missed == []


@pytest.mark.parametrize("table", COVERED)
def test_every_row_deleted(forger: sqlite3.Connection, table: str) -> None:
    names = key_of(forger, table)
    where = " AND ".join(f"{name} = ?" for name in names)
    rows = forger.execute(f"SELECT {', '.join(names)} FROM {table} ORDER BY {', '.join(names)}").fetchall()
    missed = []
    for row in rows:
        forger.execute("SAVEPOINT forgery")
        forger.execute(f"DELETE FROM {table} WHERE {where}", row)
        if holds():
            missed.append(row)
        forger.execute("ROLLBACK TO forgery")
        forger.execute("RELEASE forgery")
    if table == "meta":
        missed = [row for row in missed if row[0] in COVERED_META]
    assert missed == []


@pytest.mark.parametrize("first", [1, 2, 9, -2])
def test_neighbours_swapped(forger: sqlite3.Connection, first: int) -> None:
    (last,) = forger.execute("SELECT MAX(seq) FROM ledger").fetchone()
    seq = first if first > 0 else last + 1 + first
    for old, new in ((seq, 10_000), (seq + 1, seq), (10_000, seq + 1)):
        forger.execute("UPDATE ledger SET seq = ? WHERE seq = ?", (new, old))
    assert not holds()


@pytest.mark.parametrize("table", ["facts", "turns", "ledger"])
def test_the_contents_of_two_rows_swapped(forger: sqlite3.Connection, table: str) -> None:
    names = key_of(forger, table)
    columns = [name for name in tables(forger)[table] if name not in (*names, "seq", "id", "key", "number")]
    chosen, where = ", ".join(columns), " AND ".join(f"{name} = ?" for name in names)
    keys = f"SELECT {', '.join(names)} FROM {table} ORDER BY {names[0]} DESC"
    one, two, *_ = forger.execute(keys).fetchall()
    first, second = (
        forger.execute(f"SELECT {chosen} FROM {table} WHERE {where}", row).fetchone() for row in (one, two)
    )
    setting = ", ".join(f"{name} = ?" for name in columns)
    forger.execute(f"UPDATE {table} SET {setting} WHERE {where}", (*second, *one))
    forger.execute(f"UPDATE {table} SET {setting} WHERE {where}", (*first, *two))
    assert not holds()


def copied(connection: sqlite3.Connection, table: str, **other: object) -> str:
    """A statement that adds a table's first row once more, but for these columns."""
    names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    taken = ", ".join(repr(other[name]) if name in other else name for name in names)
    return f"INSERT INTO {table} SELECT {taken} FROM {table} LIMIT 1"


def test_rows_slipped_in(forger: sqlite3.Connection) -> None:
    for sql in (
        "INSERT INTO fact_sources VALUES (1, 5, 0, 3, 7, NULL)",
        "INSERT INTO touched VALUES (3, 999)",
        "INSERT INTO lineage VALUES (9, 1, 2, 'merged-from', 1, 1)",
        "INSERT INTO memo VALUES ('more', 3)",
        "INSERT INTO tombstones VALUES ('more', NULL, 'forget', 3, NULL)",
        copied(forger, "facts", fact_id=99),
        copied(forger, "turns", id=100, key="x"),
        copied(forger, "accesses", id=100),
        copied(forger, "quiz_runs", id=100),
        copied(forger, "policies", digest="x"),
    ):
        forger.execute("SAVEPOINT forgery")
        forger.execute(sql)
        assert not holds(), sql
        forger.execute("ROLLBACK TO forgery")
        forger.execute("RELEASE forgery")


def test_a_tail_cut_off_shows_only_against_a_head_kept_elsewhere(told: Path, tmp_path: Path) -> None:
    whole = Path(shutil.copy(told, tmp_path / "whole.db"))
    kept = verify.audit(whole)
    assert verify.audit(whole, kept.head).passed
    early = tmp_path / "early"
    early.mkdir()
    assert nocturne(early, "init").returncode == 0
    cut = verify.audit(early / "life.db")
    assert cut.passed
    assert any("cut off" in note and "--expect-head" in note for note in cut.notes)
    assert not verify.audit(early / "life.db", kept.head).passed


FORGERIES = (
    "UPDATE texts SET text = 'x' WHERE hash = (SELECT text FROM facts WHERE active = 1 AND to_seq IS NULL LIMIT 1)",
    "UPDATE ledger SET reason = NULL WHERE accepted = 1",
    "UPDATE facts SET pinned = 1 WHERE fact_id = 1",
    "UPDATE turns SET said_at = said_at + 1 WHERE id = 2",
    "DELETE FROM ledger WHERE seq = 12",
    "DELETE FROM tombstones",
    "UPDATE activation SET base = base + 1",
)


@pytest.mark.slow
@pytest.mark.parametrize("sql", ["SELECT 1", *FORGERIES])
def test_nocturne_audit_and_verify_agree(told: Path, tmp_path: Path, sql: str) -> None:
    copy = Path(shutil.copy(told, tmp_path / "life.db"))
    raw = sqlite3.connect(copy, isolation_level=None)
    for (trigger,) in raw.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        raw.execute(f"DROP TRIGGER {trigger}")
    raw.execute(sql)
    raw.close()
    ours = verify.audit(copy).passed
    assert ours == (sql == "SELECT 1")
    assert ours == (nocturne(tmp_path, "audit").returncode == 0)
