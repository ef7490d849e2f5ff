"""Opening a store: what a mistyped path, a strange file, a newer version and a lock lead to."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from nocturne.errors import InputUnreadable, StoreDamaged, StoreLocked
from nocturne.store import open_store
from nocturne.store import schema as schemas
from tests.store.story import T0


def test_a_missing_store_is_not_made_and_its_neighbour_is_named(path: Path) -> None:
    wrong = path.with_name("lfie.db")
    with pytest.raises(InputUnreadable, match=r"lfie\.db does not exist") as caught:
        open_store(wrong)
    assert caught.value.exit_code == 3
    assert caught.value.hint == f"Did you mean {path}? Only ingest and init create a store."
    assert not wrong.exists()


def test_a_missing_store_without_neighbours(tmp_path: Path) -> None:
    with pytest.raises(InputUnreadable) as caught:
        open_store(tmp_path / "a.db", mode="readonly")
    assert caught.value.hint == "Only ingest and init create a store."
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", ["rw", "create", "readonly"])
def test_a_directory(tmp_path: Path, mode: str) -> None:
    with pytest.raises(InputUnreadable, match="is a directory"):
        open_store(tmp_path, mode=mode, now=T0)  # type: ignore[arg-type]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputUnreadable, match="nowhere does not exist") as caught:
        open_store(tmp_path / "nowhere" / "a.db", mode="create", now=T0)
    assert caught.value.hint == "create the folder first, or name another path"


def test_an_empty_file_is_no_store_but_may_become_one(tmp_path: Path) -> None:
    blank = tmp_path / "blank.db"
    blank.touch()
    with pytest.raises(InputUnreadable, match="is empty"):
        open_store(blank)
    with open_store(blank, mode="create", now=T0) as store:
        assert store.created
        assert store.head().snapshot == 0


@pytest.mark.parametrize("mode", ["rw", "create", "readonly"])
def test_a_transcript_given_as_the_store_is_left_alone(tmp_path: Path, mode: str) -> None:
    talk = tmp_path / "talk.jsonl"
    talk.write_text('{"text":"I keep bees."}\n')
    with pytest.raises(InputUnreadable, match="is not a nocturne store"):
        open_store(talk, mode=mode, now=T0)  # type: ignore[arg-type]
    assert talk.read_text() == '{"text":"I keep bees."}\n'


@pytest.mark.parametrize("mode", ["rw", "create", "readonly"])
def test_somebody_elses_database_is_left_alone(tmp_path: Path, mode: str) -> None:
    other = tmp_path / "other.db"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE notes (note TEXT)")
    connection.commit()
    connection.close()
    before = other.read_bytes()
    with pytest.raises(InputUnreadable, match="not a nocturne store") as caught:
        open_store(other, mode=mode, now=T0)  # type: ignore[arg-type]
    assert caught.value.exit_code == 3
    assert other.read_bytes() == before


def test_a_newer_store_is_refused_with_its_version(path: Path) -> None:
    newest = schemas.newest(schemas.shipped())
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {newest + 2}")
    connection.close()
    for mode in ("rw", "create", "readonly"):
        with pytest.raises(StoreDamaged, match=f"store of version {newest + 2}; .* up to {newest}") as caught:
            open_store(path, mode=mode, now=T0)  # type: ignore[arg-type]
        assert caught.value.exit_code == 5


def test_create_opens_what_is_there(path: Path) -> None:
    with open_store(path, mode="create", now=T0 + 1) as store:
        assert not store.created
        assert store.head().snapshot == 6


def test_creation_is_the_first_snapshot(tmp_path: Path) -> None:
    with open_store(tmp_path / "new.db", mode="create", now=T0) as store:
        (first,) = store.snapshots()
        assert (first.number, first.seq, first.label, first.at, first.active) == (0, 2, "creation", T0, 0)
        assert len(store.uuid()) == 36
        assert store.replayed().holds
        assert store.state().facts == {}


def test_a_new_store_needs_a_time(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="time of its creation"):
        open_store(tmp_path / "new.db", mode="create")


def test_the_settings_of_a_connection(store) -> None:  # type: ignore[no-untyped-def]
    asked = (
        "foreign_keys",
        "recursive_triggers",
        "trusted_schema",
        "cell_size_check",
        "synchronous",
        "journal_mode",
    )
    assert [store._link.value(f"PRAGMA {name}") for name in asked] == [1, 1, 0, 1, 2, "wal"]


def test_a_locked_store_says_what_to_do(path: Path) -> None:
    with open_store(path) as store, open_store(path, busy_ms=20) as other:
        with store.transaction():
            with pytest.raises(StoreLocked, match="locked by another process") as caught, other.transaction():
                pass
            assert other.state().facts, "readers are not blocked"
        assert caught.value.exit_code == 5
        assert "run this one again" in (caught.value.hint or "")


@pytest.mark.parametrize("keep", [600, 5000, 40_000])
def test_a_file_cut_short(path: Path, keep: int) -> None:
    os.truncate(path, keep)
    with pytest.raises((StoreDamaged, InputUnreadable)) as caught, open_store(path) as store:
        store.replayed()
    assert caught.value.exit_code in (3, 5)


def test_pages_overwritten_are_damage(path: Path) -> None:
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (size - 4096))
    with pytest.raises(StoreDamaged) as caught, open_store(path) as store:
        store.state()
    assert caught.value.exit_code == 5


def test_an_unclean_close_is_checked(path: Path) -> None:
    wal = path.with_name(path.name + "-wal")
    with open_store(path) as store, store.transaction() as tx:
        tx.snapshot("more", command="", policy=None, at=T0)
    with path.open("r+b") as file:
        file.seek(8 * 4096)
        file.write(b"\xa5" * 4096)
    wal.write_bytes(b"\x00" * 32)
    with pytest.raises(StoreDamaged):
        open_store(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(path: Path) -> None:
    path.chmod(0)
    with pytest.raises(InputUnreadable, match="cannot be read"):
        open_store(path)


def test_where_there_is_no_write_ahead_log_a_journal_is_used_and_said(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nocturne.store.connection import Link

    value = Link.value

    def refuse(self: Link, sql: str, args: object = ()) -> object:
        return "delete" if sql == "PRAGMA journal_mode = WAL" else value(self, sql, args)  # type: ignore[arg-type]

    monkeypatch.setattr(Link, "value", refuse)
    with open_store(path) as store:
        assert "a rollback journal is used" in store.notes[0]
        with store.transaction() as tx:
            tx.snapshot("more", command="", policy=None, at=T0)
        assert store.head().snapshot == 7
