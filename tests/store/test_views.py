"""What an auditor with the sqlite3 shell finds: plain tables, and triggers against accidents."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from nocturne.store import SqliteStore
from tests.store.story import FACTS, T0

SEED = {
    "items": "item_id block text category source_turn created_at updated_at active",
    "snapshot_items": "snapshot_id item_id block text category source_turn created_at updated_at active",
    "snapshots": "snapshot_id seq label created_at active_count",
    "mutations": "mutation_id snapshot_id pass kind item_id refs accepted reason rejection_reason policy "
    "created_at",
}


@pytest.fixture
def shell(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path)


@pytest.mark.parametrize("view", SEED)
def test_the_columns_that_an_auditor_expects_come_first(shell: sqlite3.Connection, view: str) -> None:
    names = [column[0] for column in shell.execute(f"SELECT * FROM {view}").description]
    assert names[: len(SEED[view].split())] == SEED[view].split()


def test_a_snapshot_is_a_full_state(shell: sqlite3.Connection, store: SqliteStore) -> None:
    for info in store.snapshots():
        rows = shell.execute(
            "SELECT item_id, text, block, active FROM snapshot_items WHERE snapshot_id = ? ORDER BY item_id",
            (f"s{info.number}",),
        ).fetchall()
        facts = store.all_facts(info.number)
        assert rows == [(f"m{each.id}", each.text, each.block, int(each.active)) for each in facts]
        assert sum(row[3] for row in rows) == info.active


def test_items_are_the_facts_now(shell: sqlite3.Connection) -> None:
    rows = shell.execute(
        "SELECT item_id, source_turn, created_at, updated_at, active, subject, speaker FROM items"
    ).fetchall()
    assert rows[0] == ("m1", 1, FACTS[0].learned_at / 1e6, (T0 + 7) / 1e6, 1, "user", "Priya")
    assert rows[2][4] == 0


def test_mutations_tell_what_was_refused_and_why(shell: sqlite3.Connection) -> None:
    row = shell.execute(
        "SELECT snapshot_id, pass, kind, item_id, refs, rejection_reason, evidence, figures, policy_name "
        "FROM mutations WHERE accepted = 0"
    ).fetchone()
    assert row == (
        "s3", "dedupe", "keep", "m3", '{"fact":3,"other":4}', "N210", '{"found":"sugar"}',
        '{"similarity":"1/5"}', "default",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("UPDATE ledger SET code = 'x'", "append-only"),
        ("DELETE FROM ledger WHERE seq = 9", "append-only"),
        ("INSERT OR REPLACE INTO ledger SELECT * FROM ledger WHERE seq = 9", "append-only"),
        ("UPDATE facts SET trust = 1", "never changed"),
        ("UPDATE facts SET to_seq = 99 WHERE to_seq IS NOT NULL", "closed once"),
        ("DELETE FROM facts", "never deleted"),
        ("UPDATE turns SET position = 9", "append-only"),
        ("DELETE FROM turns", "append-only"),
        ("UPDATE accesses SET base = 1", "append-only"),
        ("DELETE FROM accesses", "append-only"),
        ("UPDATE quiz_runs SET passed = 1", "append-only"),
        ("DELETE FROM quiz_runs", "append-only"),
        ("UPDATE policies SET name = 'x'", "append-only"),
        ("DELETE FROM policies", "append-only"),
        ("UPDATE lexicons SET json = 'x'", "append-only"),
        ("DELETE FROM lexicons", "append-only"),
        ("UPDATE texts SET text = 'x', salt = x'00'", "erased or left"),
        ("DELETE FROM texts", "never deleted"),
    ],
)
def test_accidents_are_stopped(shell: sqlite3.Connection, sql: str, said: str) -> None:
    shell.execute("PRAGMA recursive_triggers = ON")
    with pytest.raises(sqlite3.IntegrityError, match=said):
        shell.execute(sql)


def test_the_view_of_a_snapshot_walks_the_versions_once(shell: sqlite3.Connection) -> None:
    plan = " ".join(
        row[3]
        for row in shell.execute("EXPLAIN QUERY PLAN SELECT * FROM snapshot_items WHERE snapshot_id = 's3'")
    )
    assert "SEARCH s USING COVERING INDEX ledger_snapshots" in plan
    assert "SCAN f" in plan, "one walk over the versions"
    assert "SEARCH t USING INDEX" in plan
