"""The audit and the independent verifier over one small store with everything in it, whole and tampered with."""

from __future__ import annotations

import importlib.util
import shutil
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from nocturne.app.auditing import audit
from nocturne.core.facts import DAY
from nocturne.errors import NocturneError, UsageError
from nocturne.store import QuizRun, open_store
from tests.app import making
from tests.app.making import LEXICON, T0
from tests.store.test_replay import COVERED, altered, key, schema

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def verify() -> ModuleType:
    spec = importlib.util.spec_from_file_location("verify", ROOT / "verify.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["verify"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def lives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A store of many deeds, and the same store before its last one."""
    folder = tmp_path_factory.mktemp("lives")
    with making.new_store(folder) as store:
        said = [
            "I use pytest for tests.",
            "I use ruff for linting.",
            "I like tea.",
            "My phone number is 555 0142.",
        ]
        making.take_in(store, making.talk(folder / "a.jsonl", said))
        again = ["I live in Ghent.", "I like tea with lemon.", "I own a red kayak."]
        making.take_in(store, making.talk(folder / "b.jsonl", again, session="b"))
        making.joined(store, 1, 2)
        moved = ["I live in Bruges now."]
        making.take_in(store, making.talk(folder / "c.jsonl", moved, session="c", at=T0 + 2 * DAY))
        making.slept(store, now=T0 + 3 * DAY)
        making.taken_back(store, making.id_of(store, "kayak"))
        making.back(store, 2)
        making.taken_back(store, making.id_of(store, "0142") if _says(store, "0142") else 4, purge=True)
        store.record_quiz(QuizRun(T0, 1, 1, 1, 0, 0, passed=True, report='{"asked":[]}'))
        shutil.copy(store.path, folder / "before.db")
        before = folder / "before.db"
        making.slept(store, now=T0 + 5 * DAY)
        store._link.value("PRAGMA wal_checkpoint(TRUNCATE)")
    return folder / "made.db", before


def _says(store: object, words: str) -> bool:
    return any(words in fact.text for fact in store.all_facts())  # type: ignore[attr-defined]


def both(path: Path, verify: ModuleType, head: str | None = None) -> tuple[bool, bool]:
    """Whether the audit and the verifier find the store true."""
    try:
        with open_store(path, mode="readonly", measures=making.measures()) as store:
            first = audit(store, lexicon=LEXICON, expect_head=head).exit_code == 0
    except (NocturneError, sqlite3.DatabaseError):
        first = False
    try:
        second: bool = verify.audit(path, head).passed
    except verify.Unreadable:
        second = False
    return first, second


@pytest.fixture
def forged(lives: tuple[Path, Path], tmp_path: Path) -> Callable[[], sqlite3.Connection]:
    """A fresh copy of the store as ``forged.db``, with nothing in the way of a forger."""

    def fresh() -> sqlite3.Connection:
        path = tmp_path / "forged.db"
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        shutil.copy(lives[0], path)
        link = sqlite3.connect(path, isolation_level=None)
        link.execute("PRAGMA foreign_keys = OFF")
        link.execute("PRAGMA ignore_check_constraints = ON")
        for (trigger,) in link.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            link.execute(f"DROP TRIGGER {trigger}")
        return link

    return fresh


def test_the_store_holds(lives: tuple[Path, Path], verify: ModuleType) -> None:
    assert both(lives[0], verify) == (True, True)
    assert both(lives[1], verify) == (True, True)


def test_what_the_audit_says(lives: tuple[Path, Path]) -> None:
    with open_store(lives[0], mode="readonly", measures=making.measures()) as store:
        found = audit(store, lexicon=LEXICON)
        since = audit(store, lexicon=LEXICON, since=store.head().snapshot - 3)
    assert found.measured.accepted > found.measured.held > 0
    assert found.measured.passes >= 12
    assert found.measured.breaches == 0
    assert found.measured.tombstones >= 2
    assert set(found.replayed.erased.values())
    assert since.problems == ()
    assert since.replayed.mutations < found.replayed.mutations


@pytest.mark.slow
@pytest.mark.parametrize("table", COVERED)
def test_every_covered_column(
    table: str, forged: Callable[[], sqlite3.Connection], verify: ModuleType, tmp_path: Path
) -> None:
    missed = []
    for column in COVERED[table]:
        link = forged()
        names = ", ".join(key(link, table))
        kinds = schema(link, table)
        rows = (
            link.execute(
                f"SELECT {names}, {column} FROM {table} WHERE {column} NOT NULL ORDER BY RANDOM() LIMIT 1"
            ).fetchall()
            or link.execute(f"SELECT {names}, {column} FROM {table} LIMIT 1").fetchall()
        )
        if not rows:
            continue
        *where, old = rows[0]
        new = altered(old)
        if new is None:
            new = 1 if kinds[column] == "INTEGER" else "x"
        clause = " AND ".join(f"{name} = ?" for name in key(link, table))
        try:
            link.execute(f"UPDATE {table} SET {column} = ? WHERE {clause}", (new, *where))
        except sqlite3.IntegrityError:
            continue
        finally:
            link.close()
        found = both(tmp_path / "forged.db", verify)
        if found != (False, False):
            missed.append((column, old, new, found))
    assert missed == []


@pytest.mark.parametrize(
    "forgery",
    [
        "DELETE FROM ledger WHERE seq = 1",
        "DELETE FROM ledger WHERE seq = (SELECT MAX(seq) / 2 FROM ledger)",
        "DELETE FROM ledger WHERE seq = (SELECT MAX(seq) FROM ledger)",
        "DELETE FROM facts WHERE fact_id = 3 AND from_seq = (SELECT MIN(from_seq) FROM facts WHERE fact_id = 3)",
        "DELETE FROM turns WHERE id = (SELECT MAX(id) FROM turns)",
        "DELETE FROM tombstones",
        "UPDATE facts SET text = (SELECT text FROM facts WHERE fact_id = 3) WHERE fact_id = 5",
        "UPDATE ledger SET hash = hash || 'x' WHERE seq = 7",
        "INSERT INTO fact_sources VALUES (3, 1, 0, 1, 5, NULL)",
    ],
)
def test_rows_gone_swapped_or_added(
    forgery: str, forged: Callable[[], sqlite3.Connection], verify: ModuleType, tmp_path: Path
) -> None:
    link = forged()
    assert link.execute(forgery).rowcount > 0
    link.close()
    assert both(tmp_path / "forged.db", verify) == (False, False)


def test_two_rows_of_the_ledger_swapped(
    forged: Callable[[], sqlite3.Connection], verify: ModuleType, tmp_path: Path
) -> None:
    link = forged()
    link.execute("UPDATE ledger SET seq = -8 WHERE seq = 8")
    link.execute("UPDATE ledger SET seq = 8 WHERE seq = 9")
    link.execute("UPDATE ledger SET seq = 9 WHERE seq = -8")
    link.close()
    assert both(tmp_path / "forged.db", verify) == (False, False)


def test_an_end_cut_off_shows_against_a_head_that_was_kept(
    lives: tuple[Path, Path], verify: ModuleType
) -> None:
    after, before = lives
    with open_store(after, mode="readonly", measures=making.measures()) as store:
        kept = store.head().hash
    with open_store(before, mode="readonly", measures=making.measures()) as store:
        older = store.head().hash
    assert older != kept
    assert both(before, verify) == (True, True), "a chain alone cannot show that its end is gone"
    assert both(before, verify, kept) == (False, False)
    assert both(after, verify, kept) == (True, True)
    assert both(after, verify, older) == (True, True), "it has grown since, and still holds it"


def test_a_head_that_is_none_is_a_mistake_of_usage(lives: tuple[Path, Path]) -> None:
    with (
        open_store(lives[0], mode="readonly", measures=making.measures()) as store,
        pytest.raises(UsageError, match="no head"),
    ):
        audit(store, lexicon=LEXICON, expect_head="9f3c…e1")


def test_a_buried_text_that_is_active_is_found(lives: tuple[Path, Path], tmp_path: Path) -> None:
    from nocturne.core.acts import Act, Tombstone
    from nocturne.core.text.measures import content

    with making.new_store(tmp_path) as store:
        making.take_in(store, making.talk(tmp_path / "a.jsonl", ["I like tea."]))
        key = store.tombstone_key(content("Ana likes tea.", LEXICON))
        with store.transaction() as tx:
            tx.act([Act("bury", rule="person:forget", buries=(Tombstone(key, "forget", 1),))], at=T0)
            tx.snapshot("bury", command="", policy=None, at=T0)
        assert [problem.where for problem in making.audited(store).problems] == ["m1"]
