"""Whatever is covered and altered, deleted or swapped is found by playing the record again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from nocturne.app.ports import SourceStep
from nocturne.core.acts import Act, Tombstone
from nocturne.core.chain import COLUMNS, ENTRY_COLUMNS
from nocturne.core.facts import Activation
from nocturne.core.record import Problem
from nocturne.core.replay import replay
from nocturne.core.verdicts import Refused, Ruling
from nocturne.store import SqliteStore
from nocturne.store.connection import Link
from nocturne.store.rows import TURN_COLUMNS
from nocturne.store.tables import tables
from tests.store.story import POLICY, T0, turns

COVERED = {
    "ledger": ("seq", "hash", *ENTRY_COLUMNS, "more"),
    "facts": ("fact_id", "from_seq", "to_seq", "retired_seq", *COLUMNS),
    "fact_sources": ("fact", "turn", "start", "stop", "from_seq", "to_seq"),
    "lineage": ("mutation", "child", "parent", "role", "child_seq", "parent_seq"),
    "touched": ("fact", "mutation"),
    "turns": (*TURN_COLUMNS.split(", "), "mutation"),
    "sources": ("id", "path", "format", "content_hash", "cursor", "reader_version", "state", "mutation"),
    "tombstones": ("key", "fact", "cause", "mutation", "lifted"),
    "memo": ("key", "mutation"),
    "policies": ("digest", "name", "json"),
    "lexicons": ("digest", "json"),
    "accesses": ("id", "at", "kind", "fact", "base", "last_access", "spaced", "labile_until"),
    "activation": ("fact", "base", "last_access", "spaced", "labile_until"),
    "quiz_runs": (
        "id", "at", "snapshot", "baseline", "asked", "recalled", "probed", "absent", "passed", "report",
    ),
    "texts": ("hash", "salt", "text"),
}  # fmt: skip


@pytest.fixture
def forger(told: Path) -> Iterator[sqlite3.Connection]:
    """The story in memory, with nothing that would stop a forger."""
    memory = sqlite3.connect(":memory:", isolation_level=None)
    source = sqlite3.connect(told)
    source.backup(memory)
    source.close()
    memory.execute("PRAGMA foreign_keys = OFF")
    memory.execute("PRAGMA ignore_check_constraints = ON")
    for (trigger,) in memory.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        memory.execute(f"DROP TRIGGER {trigger}")
    yield memory
    memory.close()


def problems(forged: sqlite3.Connection) -> list[Problem]:
    return replay(tables(Link(forged, "forged"))).problems


def altered(value: object) -> object:
    if value is None:
        return None
    if isinstance(value, int):
        return value + 1
    if isinstance(value, bytes):
        return bytes([value[0] ^ 1]) + value[1:]
    return str(value)[:-1] + ("y" if str(value).endswith("x") else "x")


def schema(connection: sqlite3.Connection, table: str) -> dict[str, str]:
    return {row[1]: row[2] for row in connection.execute(f"PRAGMA table_info({table})")}


def key(connection: sqlite3.Connection, table: str) -> list[str]:
    """What names a row: its rowid, or the primary key of a table without one."""
    try:
        connection.execute(f"SELECT rowid FROM {table} LIMIT 1")
    except sqlite3.OperationalError:
        return [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[5]]
    return ["rowid"]


def test_the_story_holds(forger: sqlite3.Connection) -> None:
    assert problems(forger) == []


def test_the_covered_columns_are_all_there_are(forger: sqlite3.Connection) -> None:
    for table, columns in COVERED.items():
        rest = set(schema(forger, table)) - set(columns)
        assert rest <= ({"id"} if table == "texts" else set()), table


@pytest.mark.parametrize("table", COVERED)
def test_every_covered_column_of_every_row(forger: sqlite3.Connection, table: str) -> None:
    names = key(forger, table)
    kinds = schema(forger, table)
    where = " AND ".join(f"{name} = ?" for name in names)
    rows = forger.execute(f"SELECT {', '.join(names)} FROM {table}").fetchall()
    assert rows
    missed = []
    for row in rows:
        for column in COVERED[table]:
            (old,) = forger.execute(f"SELECT {column} FROM {table} WHERE {where}", row).fetchone()
            new = altered(old)
            if new is None:
                new = 1 if kinds[column] == "INTEGER" else "x"
            forger.execute("SAVEPOINT forgery")
            try:
                forger.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (new, *row))
                if not problems(forger):
                    missed.append((row, column, old, new))
            except sqlite3.IntegrityError:
                pass  # a unique key that is taken: the forger cannot write this one
            finally:
                forger.execute("ROLLBACK TO forgery")
                forger.execute("RELEASE forgery")
    assert missed == []


@pytest.mark.parametrize("table", COVERED)
def test_every_row_deleted(forger: sqlite3.Connection, table: str) -> None:
    names = key(forger, table)
    where = " AND ".join(f"{name} = ?" for name in names)
    rows = forger.execute(f"SELECT {', '.join(names)} FROM {table} ORDER BY {', '.join(names)}").fetchall()
    missed = []
    for place, row in enumerate(rows):
        forger.execute("SAVEPOINT forgery")
        forger.execute(f"DELETE FROM {table} WHERE {where}", row)
        if not problems(forger):
            missed.append((place, row))
        forger.execute("ROLLBACK TO forgery")
        forger.execute("RELEASE forgery")
    if table in ("ledger", "lexicons", "policies", "texts"):
        # A snapshot cut off at the end, a text that nothing covered names: the chain alone shows neither.
        last = {"ledger": [len(rows) - 1]}.get(table, [])
        named = [place for place, _ in missed if place not in last]
        assert all(_is_unnamed(forger, table, rows[place]) for place in named)
    else:
        assert missed == []


def _is_unnamed(forger: sqlite3.Connection, table: str, row: tuple[object, ...]) -> bool:
    """A text that only what lies outside the chain names (the journal)."""
    if table != "texts":
        return False
    (hash_,) = forger.execute("SELECT hash FROM texts WHERE rowid = ?", row).fetchone()
    return forger.execute("SELECT COUNT(*) FROM journal WHERE reply = ?", (hash_,)).fetchone()[0] == 1


def test_two_entries_swapped(forger: sqlite3.Connection) -> None:
    forger.execute("UPDATE ledger SET seq = 1000 WHERE seq = 7")
    forger.execute("UPDATE ledger SET seq = 7 WHERE seq = 8")
    forger.execute("UPDATE ledger SET seq = 8 WHERE seq = 1000")
    assert any("hash" in problem.what for problem in problems(forger))


def test_a_row_slipped_in(forger: sqlite3.Connection) -> None:
    forger.execute("INSERT INTO fact_sources VALUES (1, 5, 0, 3, 7, NULL)")
    assert [problem.where for problem in problems(forger)] == ["fact_sources from 7"]


def test_a_change_that_was_never_logged_shows_in_the_digest(forger: sqlite3.Connection) -> None:
    forger.execute("UPDATE ledger SET digest = (SELECT digest FROM ledger WHERE number = 1) WHERE number = 3")
    assert any(problem.where == "snapshot s3" for problem in problems(forger))


def test_problems_name_the_row_and_both_values(forger: sqlite3.Connection) -> None:
    forger.execute("UPDATE facts SET trust = 3 WHERE fact_id = 5 AND to_seq IS NULL")
    found = problems(forger)
    assert len(found) == 1
    assert found[0].where.startswith("facts m5 from ")
    assert found[0].what == "trust is 3, the record says 90"


def test_a_long_list_of_problems_is_cut_and_counted(forger: sqlite3.Connection) -> None:
    forger.execute(
        "UPDATE facts SET trust = 1, layer = 'schema', namespace = 'x', category = 'fact', pinned = 1"
    )
    for step in (100, 200, 400, 800, 1600):
        forger.execute("INSERT INTO touched SELECT fact + ?, mutation + ? FROM touched", (step, step))
    found = replay(tables(Link(forger, "forged")))
    assert len(found.problems) == 200
    assert found.untold > 0
    assert not found.holds


@pytest.mark.parametrize("since", range(7))
def test_it_can_begin_at_any_snapshot(store: SqliteStore, since: int) -> None:
    whole, part = store.replayed(), store.replayed(since)
    assert part.problems == []
    assert part.head == whole.head
    assert part.snapshots == whole.snapshots[since:]
    assert part.state.keys() == whole.state.keys()
    assert all(part.state[fact].columns == whole.state[fact].columns for fact in whole.state)


@pytest.mark.parametrize(
    ("sql", "seen_since"),
    [
        ("UPDATE facts SET trust = 3 WHERE fact_id = 5 AND from_seq > 18", [1, 4]),
        ("UPDATE facts SET trust = 3 WHERE fact_id = 5 AND from_seq < 18", [1]),
        ("UPDATE ledger SET code = 'N999' WHERE seq = 14", [1]),
        ("UPDATE accesses SET base = 7 WHERE id = 2", [1, 4]),
        ("DELETE FROM lineage WHERE mutation = 18", [1]),
        ("UPDATE fact_sources SET to_seq = NULL WHERE fact = 1 AND turn = 2", [1, 4]),
    ],
)
def test_from_a_snapshot_on_everything_after_it_is_checked(
    forger: sqlite3.Connection, sql: str, seen_since: list[int]
) -> None:
    forger.execute(sql)
    link = Link(forger, "forged")
    assert [since for since in (1, 4) if replay(tables(link, since)).problems] == seen_since


def test_what_was_set_before_a_snapshot_and_set_again_after_it(store: SqliteStore) -> None:
    again = Ruling("dedupe", "model", Refused(None, "N210"), memo="memo-1")
    stone = Tombstone(store.tombstone_key(["sugar", "tea"]), "purge", 3)
    with store.transaction() as tx:
        tx.record([again], at=T0 + 30, policy=POLICY)
        tx.act([Act("tombstone", buries=(stone,)), Act("lift", lifts=(stone.key,))], at=T0 + 30)
        source = tx.add_source(SourceStep("/home/priya/talk.jsonl", "native", "beef", 900, 1, source=1))
        tx.add_turns(source, turns(6, source, [("Priya", "human", "And one more thing.")]))
        tx.snapshot("x", command="", policy=None, at=T0 + 30)
    store.record_accesses([Activation(3, 5, T0)], kind="retrieved", at=T0 + 31)
    for since in (None, 0, 5, 6, 7):
        assert store.replayed(since).problems == []


def test_replay_says_what_the_record_holds(store: SqliteStore) -> None:
    found = store.replayed()
    assert found.holds
    assert found.head == store.head().hash
    assert found.uuid == store.uuid()
    assert [digest for _, _, digest in found.snapshots] == [info.digest for info in store.snapshots()]
    assert set(found.state) == {1, 2, 3, 4, 5}
