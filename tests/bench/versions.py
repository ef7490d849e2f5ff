"""Goals 8 and 9: versions that cost what changed, beside whole copies of the table of facts in such a file.

Both sides write to a write-ahead log with ``synchronous = FULL``: what either has committed outlives a power cut.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from nocturne.app.compare import compare
from nocturne.app.lexicons import default_lexicon
from nocturne.app.restoring import restore
from nocturne.core.acts import Act
from nocturne.core.facts import HOUR, SECOND, Change, Fact
from nocturne.core.policy import Policy
from nocturne.store import SqliteStore, measures_of
from tests.bench.child import Meter, fastest
from tests.bench.stores import NOW, bare, copied, opened, settled, used_bytes

SNAPSHOTS = 9
RUNS = 5
TURNS = 3
"""A restore there and back is done so many times; the fastest counts."""


def _chosen(count: int, edits: int) -> list[int]:
    """Which facts change, in the order in which they do; the same for both sides."""
    return random.Random(8).sample(range(1, count + 1), edits)


def _is_new_text(place: int) -> bool:
    """Every other edit writes another text, the others retire a fact."""
    return place % 2 == 0


def _edited(fact: Fact, place: int) -> Act:
    after = (
        replace(fact, text=f"{fact.text[:-1]} indeed.")
        if _is_new_text(place)
        else replace(fact, active=False, retired_by="forget:stale")
    )
    return Act("edit", rule="bench", fact=fact.id, changes=(Change(fact, after),))


def _edit(store: SqliteStore, ids: Sequence[int], policy: Policy, now: int) -> None:
    held = store.facts(ids)
    with store.transaction(expect=store.head()) as tx:
        tx.act([_edited(held[id_], place) for place, id_ in enumerate(ids)], at=now, policy=policy)
        tx.snapshot("edit", command="bench", policy=policy, at=now)


def _begun(store: SqliteStore) -> None:
    """Load what writing needs, once a process: the peer has nothing to load, and starting is another goal."""
    with store.transaction():
        measures = measures_of(default_lexicon())
        measures.tokenise("The user noted a word.")
        measures.denied("The user noted a word.", None)


def ours(meter: Meter, path: str, count: int, edits: int) -> dict[str, Any]:
    """Nine snapshots with ``edits`` changes before each; what the first and the ninth differ in; both brought back."""
    policy, lexicon = Policy(), default_lexicon()
    ids = _chosen(count, SNAPSHOTS * edits)
    with copied(path) as copy:
        settled(copy)
        before = used_bytes(copy)
        with opened(copy) as store:
            _begun(store)
            with meter.running():
                for turn in range(SNAPSHOTS):
                    _edit(store, ids[turn * edits : (turn + 1) * edits], policy, NOW + turn * SECOND)
        grown = used_bytes(copy) - before
        with opened(copy) as store:
            last = store.snapshot(store.head().snapshot)
            first = store.snapshot(last.number - SNAPSHOTS + 1)
            found = compare(store, first, last)
            diff = fastest(RUNS, lambda: store.changes(first.number, last.number))
            told = fastest(RUNS, lambda: compare(store, first, last))

            def back(to: int) -> None:
                restore(
                    store,
                    store.snapshot(to),
                    policy=policy,
                    lexicon=lexicon,
                    now=NOW + LATER,
                    command="bench",
                )

            restored = []
            for _ in range(TURNS):
                restored += [fastest(1, lambda: back(first.number)), fastest(1, lambda: back(last.number))]
            back(first.number)
            exact = store.state_digest() == first.digest
    return {
        "bytes": grown,
        "differences": len(found.differences),
        "diff": diff,
        "told": told,
        "restore": min(restored),
        "exact": exact,
    }


LATER = HOUR
COPIES = """
CREATE TABLE items (
    item_id INTEGER PRIMARY KEY, block TEXT NOT NULL, text TEXT NOT NULL, category TEXT NOT NULL,
    source_turn INTEGER, created_at REAL NOT NULL, updated_at REAL NOT NULL, active INTEGER NOT NULL
);
CREATE TABLE snapshot_items (
    snapshot_id INTEGER NOT NULL, item_id INTEGER NOT NULL, block TEXT NOT NULL, text TEXT NOT NULL,
    category TEXT NOT NULL, source_turn INTEGER, created_at REAL NOT NULL, updated_at REAL NOT NULL,
    active INTEGER NOT NULL, PRIMARY KEY (snapshot_id, item_id)
) WITHOUT ROWID;
"""
ROWS = (
    "SELECT f.fact_id, f.block, t.text, f.category, f.fact_id, f.said_at / 1e6, f.recorded_at / 1e6, f.active "
    "FROM facts AS f JOIN texts AS t ON t.hash = f.text WHERE f.to_seq IS NULL ORDER BY f.fact_id"
)
COLUMNS = "item_id, block, text, category, source_turn, created_at, updated_at, active"


def copies(meter: Meter, path: str, count: int, edits: int) -> dict[str, Any]:
    """The same with a full copy of the rows a snapshot; copies have a key, so that reading one is not a scan of all."""
    ids = _chosen(count, SNAPSHOTS * edits)
    file = Path(path).with_suffix(".copies.db")
    try:
        with closing(bare(path)) as store:
            rows = store.execute(ROWS).fetchall()
        with closing(bare(file)) as base:
            base.executescript(COPIES)
            base.execute("BEGIN")
            base.executemany("INSERT INTO items VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
            base.execute("COMMIT")
        before = used_bytes(file)
        with closing(bare(file)) as base, meter.running():
            for turn in range(SNAPSHOTS):
                _copy(base, turn + 1, ids[turn * edits : (turn + 1) * edits])
        grown = used_bytes(file) - before
        with closing(bare(file)) as base:
            found = _differing(base, 1, SNAPSHOTS)
            diff = fastest(RUNS, lambda: _differing(base, 1, SNAPSHOTS))
            restored = []
            for _ in range(TURNS):
                restored += [fastest(1, lambda: _back(base, 1)), fastest(1, lambda: _back(base, SNAPSHOTS))]
    finally:
        for end in ("", "-wal", "-shm"):
            file.with_name(file.name + end).unlink(missing_ok=True)
    return {"bytes": grown, "differences": len(found), "diff": diff, "restore": min(restored)}


def _copy(base: Connection, number: int, ids: Sequence[int]) -> None:
    base.execute("BEGIN IMMEDIATE")
    said = [(id_,) for place, id_ in enumerate(ids) if _is_new_text(place)]
    gone = [(id_,) for place, id_ in enumerate(ids) if not _is_new_text(place)]
    base.executemany("UPDATE items SET text = rtrim(text, '.') || ' indeed.' WHERE item_id = ?", said)
    base.executemany("UPDATE items SET active = 0 WHERE item_id = ?", gone)
    base.execute(f"INSERT INTO snapshot_items SELECT ?, {COLUMNS} FROM items ORDER BY item_id", (number,))
    base.execute("COMMIT")


def _differing(base: Connection, first: int, second: int) -> list[tuple[Any, Any]]:
    wanted = f"SELECT {COLUMNS} FROM snapshot_items WHERE snapshot_id = ?"
    then, now = ({row[0]: row for row in base.execute(wanted, (number,))} for number in (first, second))
    return [
        (then.get(id_), now.get(id_)) for id_ in then.keys() | now.keys() if then.get(id_) != now.get(id_)
    ]


def _back(base: Connection, number: int) -> None:
    base.execute("BEGIN IMMEDIATE")
    base.execute("DELETE FROM items")
    base.execute(f"INSERT INTO items SELECT {COLUMNS} FROM snapshot_items WHERE snapshot_id = ?", (number,))
    base.execute("COMMIT")


def diffed(meter: Meter, path: str, count: int, edits: int) -> dict[str, Any]:
    """What ``edits`` changes of one snapshot were, in a store of ``count`` facts."""
    ids = _chosen(count, edits)
    with copied(path) as copy, opened(copy) as store:
        _edit(store, ids, Policy(), NOW)
        newer = store.snapshot(store.head().snapshot)
        older = store.snapshot(newer.number - 1)
        found = compare(store, older, newer)
        for _ in range(RUNS):
            with meter.running():
                compare(store, older, newer)
    return {"differences": len(found.differences)}
