"""Every older version comes up to date, whole or not at all."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from nocturne.errors import StoreDamaged
from nocturne.store import open_store
from nocturne.store import schema as schemas
from nocturne.store.connection import VERSION
from nocturne.store.schema import Migration
from tests.store.story import POLICY, T0, WORDS, encoded, fact

SHIPPED = schemas.shipped()
NEXT = Migration(
    SHIPPED[-1].version + 1, ("CREATE TABLE later (a TEXT) STRICT", "ALTER TABLE drift ADD COLUMN note TEXT")
)


WITHOUT = {2: ("DROP TABLE denials", "DROP INDEX ledger_settings")}
"""What takes a store back from each version to the one before."""


def aged(path: Path, old: int) -> None:
    """Make the store one of an older version."""
    connection = sqlite3.connect(path)
    for step in range(SHIPPED[-1].version, old, -1):
        for statement in WITHOUT[step]:
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {old}")
    connection.commit()
    connection.close()


def version(path: Path) -> int:
    connection = sqlite3.connect(path)
    found: int = connection.execute("PRAGMA user_version").fetchone()[0]
    connection.close()
    return found


def test_migrations_are_numbered_without_a_gap() -> None:
    assert [each.version for each in SHIPPED] == list(range(1, len(SHIPPED) + 1))
    assert SHIPPED[-1].version == VERSION


@pytest.mark.parametrize("old", [each.version for each in SHIPPED])
def test_a_store_of_each_version_is_brought_up_to_date(path: Path, old: int) -> None:
    """The step that comes next is made up, the machinery is the real one."""
    aged(path, old)
    assert version(path) == old
    with open_store(path, migrations=[*SHIPPED, NEXT]) as store:
        assert store.notes == (f"{path} was brought from version {old} to {NEXT.version}",)
        assert store._link.all("SELECT note FROM drift LIMIT 1") == [(None,)]
        assert store.replayed().holds
    assert version(path) == NEXT.version
    with open_store(path, migrations=[*SHIPPED, NEXT]) as store:
        assert store.notes == ()


def test_what_facts_could_be_denied_by_is_kept_from_the_first_change_on(path: Path) -> None:
    aged(path, 1)
    with open_store(path, measures=WORDS) as store:
        assert store.denials() == {}
        with store.transaction() as tx:
            tx.record([encoded(fact(6, "the user owns a dog", 1))], at=T0, policy=POLICY)
            tx.snapshot("x", command="", policy=None, at=T0)
        assert list(store.denials()) == [6]


def test_a_migration_that_fails_half_way_leaves_the_old_version(path: Path) -> None:
    broken = Migration(NEXT.version, (*NEXT.statements, "INSERT INTO nowhere VALUES (1)"))
    with pytest.raises(StoreDamaged):
        open_store(path, migrations=[*SHIPPED, broken])
    assert version(path) == SHIPPED[-1].version
    with open_store(path, migrations=[*SHIPPED, NEXT]) as store:
        assert store.replayed().holds


def test_looking_does_not_migrate(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(StoreDamaged, match=f"is a store of version {SHIPPED[-1].version}") as caught:
        open_store(path, mode="readonly", migrations=[*SHIPPED, NEXT])
    assert "any writing command" in (caught.value.hint or "")
    assert path.read_bytes() == before


def test_scripts_are_split_at_statements_not_at_semicolons() -> None:
    script = """
-- a word; before
CREATE TABLE a (b TEXT DEFAULT ';');
CREATE TRIGGER c BEFORE DELETE ON a
BEGIN SELECT RAISE(ABORT, 'no; never'); END;
"""
    assert [each.split(" (")[0][:16] for each in schemas.split(script)] == [
        "CREATE TABLE a",
        "CREATE TRIGGER c",
    ]
    with pytest.raises(ValueError, match="inside a statement"):
        schemas.split("CREATE TABLE a (b TEXT)")
