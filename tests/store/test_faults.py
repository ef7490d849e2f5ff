"""Full disks, killed writers, two writers at once, and lookers who must leave no trace."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nocturne.app.ports import HeadMoved
from nocturne.errors import NocturneError, StoreWriteFailed
from nocturne.store import open_store
from nocturne.store.connection import Link
from tests.store.story import FACTS, POLICY, T0, WORDS, dropped, encoded, fact, new_store, remember

WRITER = """
import sys
from tests.store.story import *
store = open_store(sys.argv[1], measures=WORDS, busy_ms=20_000)
print("ready", flush=True)
number = 0
while True:
    with store.transaction() as tx:
        first = store.next_fact()
        new = [encoded(fact(first + i, f"{sys.argv[2]} {number} {i}", 1)) for i in range(20)]
        tx.record(new, at=T0, policy=POLICY)
        tx.snapshot("ingest", command=sys.argv[2], policy=POLICY, at=T0)
    number += 1
    print(number, flush=True)
    if len(sys.argv) > 3 and number == int(sys.argv[3]):
        break
"""


def spawn(path: Path, *args: str) -> subprocess.Popen[str]:
    root = Path(__file__).resolve().parents[2]
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), *args], stdout=subprocess.PIPE, text=True, cwd=root
    )


def test_a_write_that_fails_at_any_point_leaves_the_store_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every statement of a transaction fails in turn, as an I/O error would make it."""
    many, run = Link.many, Link.run
    left = -1

    def counted(name: str, call: object) -> object:
        def guarded(self: Link, sql: str, *args: object) -> object:
            nonlocal left
            if sql.startswith(("INSERT", "UPDATE", "DELETE", "COMMIT")):
                left -= 1
                if left == 0:
                    raise StoreWriteFailed("the disk is full")
            return call(self, sql, *args)  # type: ignore[operator]

        return guarded

    with open_store(path, measures=WORDS) as store:
        monkeypatch.setattr(Link, "many", counted("many", many))
        monkeypatch.setattr(Link, "run", counted("run", run))
        head, state, turns = store.head(), store.state(), store.next_turn()
        failures = 0
        for point in range(1, 200):
            left = point
            new = fact(6, "a new one", 1)
            try:
                with store.transaction() as tx:
                    tx.record([encoded(new), dropped(new, store.state().facts[1])], at=T0, policy=POLICY)
                    tx.snapshot("x", command="c", policy=POLICY, at=T0)
            except StoreWriteFailed:
                failures += 1
                assert store.head() == head
                assert store.state() == state
                assert store.next_turn() == turns
            else:
                break
            finally:
                left = -1
        assert failures > 10
        assert store.head().snapshot == head.snapshot + 1
        assert store.replayed().holds


def test_a_full_disk_is_said_and_nothing_is_half_written(path: Path) -> None:
    with open_store(path, measures=WORDS) as store:
        pages = store._link.value("PRAGMA page_count")
        store._link.value(f"PRAGMA max_page_count = {pages + 4}")
        head, state = store.head(), store.state()
        many = [encoded(fact(6 + i, f"word{i} " * 40, 1)) for i in range(500)]
        with (
            pytest.raises(StoreWriteFailed, match="full; this step was undone") as caught,
            store.transaction() as tx,
        ):
            tx.record(many, at=T0, policy=POLICY)
        assert caught.value.exit_code == 5
        assert store.head() == head
        assert store.state() == state
        store._link.value("PRAGMA max_page_count = 100000")
        with store.transaction() as tx:
            tx.record(many, at=T0, policy=POLICY)
            tx.snapshot("x", command="", policy=None, at=T0)
        assert store.replayed().holds


def test_killed_writers_lose_no_commit_and_leave_no_half(tmp_path: Path) -> None:
    """SIGKILL at random moments: what was told as committed is there, and the record replays."""
    chance = random.Random(20)
    path = tmp_path / "killed.db"
    with open_store(path, mode="create", now=T0, measures=WORDS) as store:
        remember(store, FACTS)
    told = 0
    for _ in range(6):
        writer = spawn(path, "w")
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        time.sleep(chance.random() * 0.25)
        os.kill(writer.pid, signal.SIGKILL)
        done = [line for line in writer.stdout.read().splitlines() if line.strip()]
        writer.wait()
        writer.stdout.close()
        told += len(done)
        with open_store(path, measures=WORDS) as store:
            facts = store.next_fact() - 1
            assert (facts - len(FACTS)) % 20 == 0
            assert store.head().snapshot - 1 == (facts - len(FACTS)) // 20 >= told
            assert store.replayed().holds
            told = store.head().snapshot - 1
    assert told > 0


def test_two_writers_take_turns(tmp_path: Path) -> None:
    path = tmp_path / "shared.db"
    with open_store(path, mode="create", now=T0, measures=WORDS) as store:
        remember(store, FACTS)
    writers = [spawn(path, name, "8") for name in ("a", "b")]
    for writer in writers:
        out, _ = writer.communicate(timeout=60)
        assert out.splitlines()[-1] == "8"
    with open_store(path, measures=WORDS) as store:
        assert store.head().snapshot == 1 + 16
        assert {info.command for info in store.snapshots()} >= {"a", "b"}
        assert store.replayed().holds


def test_of_two_who_read_the_same_head_one_must_judge_again(path: Path) -> None:
    with open_store(path, measures=WORDS) as one, open_store(path, measures=WORDS) as two:
        head = one.head()
        assert two.head() == head
        with one.transaction(expect=head) as tx:
            tx.snapshot("first", command="", policy=None, at=T0)
        with pytest.raises(HeadMoved), two.transaction(expect=head):
            pass


def everything(store: object) -> None:
    store.state()  # type: ignore[attr-defined]
    list(store.mutations())  # type: ignore[attr-defined]
    store.changes(1, None)  # type: ignore[attr-defined]
    store.info()  # type: ignore[attr-defined]
    assert store.replayed().holds  # type: ignore[attr-defined]


def hashes(*files: Path) -> list[str]:
    return [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]


def test_readonly_changes_neither_the_file_nor_a_log_that_waits(tmp_path: Path) -> None:
    path = tmp_path / "waiting.db"
    with open_store(path, mode="create", now=T0, measures=WORDS) as store:
        remember(store, FACTS)
    writer = spawn(path, "w")
    assert writer.stdout is not None
    while writer.stdout.readline() != "3\n":
        pass
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    writer.stdout.close()
    log = path.with_name(path.name + "-wal")
    assert log.stat().st_size > 0
    before = hashes(path, log)
    with open_store(path, mode="readonly", measures=WORDS) as store:
        assert store.head().snapshot >= 4
        everything(store)
    assert hashes(path, log) == before


def test_a_transaction_that_adds_nothing_writes_nothing(path: Path) -> None:
    with open_store(path, measures=WORDS) as store:
        store.state()
        log = path.with_name(path.name + "-wal")
        before = hashes(path), log.stat().st_size
        with store.transaction(expect=store.head()) as tx:
            tx.record([], at=T0, policy=POLICY)
        assert (hashes(path), log.stat().st_size) == before


def test_readonly_refuses_to_write(path: Path) -> None:
    before = hashes(path)
    with open_store(path, mode="readonly", measures=WORDS) as store:
        with pytest.raises(NocturneError), store.transaction() as tx:
            tx.snapshot("x", command="", policy=None, at=T0)
        everything(store)
    assert hashes(path) == before


def test_readonly_in_a_folder_that_takes_no_files(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the log's sidecar files cannot be made, the file is read as it stands."""
    value = Link.value
    calls = 0

    def refuse(self: Link, sql: str, args: object = ()) -> object:
        nonlocal calls
        if sql == "SELECT COUNT(*) FROM sqlite_schema" and calls == 0:
            calls += 1
            raise StoreWriteFailed("unable to open database file")
        return value(self, sql, args)  # type: ignore[arg-type]

    before = hashes(path)
    monkeypatch.setattr(Link, "value", refuse)
    with open_store(path, mode="readonly", measures=WORDS) as store:
        everything(store)
    assert calls == 1
    assert hashes(path) == before


def test_a_store_written_past_us_is_not_written_further(path: Path) -> None:
    with open_store(path, measures=WORDS) as store:
        store._link.run("DROP TRIGGER ledger_stays")
        store._link.run("DELETE FROM ledger WHERE seq = 25")
        with pytest.raises(NocturneError, match="nocturne left it at 25"), store.transaction():
            pass


def test_the_story_writes_the_same_digest_whatever_the_salts(tmp_path: Path) -> None:
    one, two = new_store(tmp_path, "1.db"), new_store(tmp_path, "2.db")
    for store in (one, two):
        remember(store, FACTS)
    assert one.state() == two.state()
    assert one.state_digest() != two.state_digest(), "salted leaves: equal memories have unequal digests"
