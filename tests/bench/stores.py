"""Stores of made facts: built once a size and a run, through the store's own transactions; copied to be changed."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from nocturne.app.lexicons import default_lexicon
from nocturne.app.ports import KeyedTurn, SourceStep
from nocturne.core.facts import DAY, HOUR, Category, Change, Fact, Span, Turn
from nocturne.core.policy import Policy
from nocturne.core.proposals import Encode
from nocturne.core.verdicts import Accepted, Ruling
from nocturne.store import SqliteStore, measures_of, open_store
from tests.bench.child import Meter
from tests.bench.sent import START, sentences

SPAN = 80
"""Days over which the facts of a store were said, evenly: the default policy lets the first quarter go stale."""
NOW = START + SPAN * DAY + HOUR
BATCH = 10_000
SHARES: dict[Category, int] = {
    "fact": 35,
    "context": 15,
    "event": 15,
    "preferences": 12,
    "decisions": 8,
    "commitments": 6,
    "opinion": 5,
    "identity": 4,
}


def build(meter: Meter, path: str, count: int) -> dict[str, Any]:
    """A store of ``count`` made facts, a turn each.

    The encode gate is not asked, which would take most of the time: every fact says its turn word for word, and
    its entry holds what the gate says of such a one, so that the store stands up to an audit.
    """
    source = random.Random(count)
    policy = Policy()
    with meter.running():
        texts = sentences(count)
        categories = source.choices(list(SHARES), list(SHARES.values()), k=count)
        measures = measures_of(default_lexicon())
        with open_store(path, mode="create", now=START, measures=measures) as store:
            for start in range(0, count, BATCH):
                batch = range(start, min(start + BATCH, count))
                turns = [_turn(texts[place], place + 1, count) for place in batch]
                facts = [_fact(turn, categories[turn.id - 1]) for turn in turns]
                _remember(store, turns, facts, policy)
    return {"bytes": used_bytes(path)}


def _turn(text: str, id_: int, count: int) -> Turn:
    said = START + id_ * SPAN * DAY // count
    return Turn(id_, 1, None, id_, id_, "made", None, "human", text, said, "user")


def _fact(turn: Turn, category: Category) -> Fact:
    assert turn.said_at is not None
    return Fact(
        id=turn.id,
        text=turn.text,
        block="scratch",
        category=category,
        recorded_at=turn.said_at,
        said_at=turn.said_at,
        sources=(Span(turn.id, 0, len(turn.text)),),
    )


def _remember(store: SqliteStore, turns: Sequence[Turn], facts: Sequence[Fact], policy: Policy) -> None:
    at = facts[-1].recorded_at
    known = store.source_for("made")
    with store.transaction(expect=store.head()) as tx:
        step = SourceStep("made", "native", "made", turns[-1].id, 1, source=known.id if known else None)
        source = tx.add_source(step)
        tx.add_turns(source, [KeyedTurn(f"made:{turn.id}", turn) for turn in turns])
        tx.record((_encoded(fact) for fact in facts), at=at, policy=policy)
        tx.snapshot("ingest", command="bench", policy=policy, at=at)


def _encoded(fact: Fact) -> Ruling:
    proposal = Encode(
        turns=(fact.sources[0].turn,), text=fact.text, category=fact.category, reason="word for word"
    )
    accepted = Accepted(proposal, "traceable", {"rewrites": [], "subject": "user"})
    return Ruling("encode", "person", accepted, changes=(Change(None, fact),))


@contextmanager
def copied(path: str) -> Iterator[Path]:
    """A copy of a closed store, to be changed; it is gone afterwards."""
    copy = Path(path).with_suffix(".copy.db")
    shutil.copyfile(path, copy)
    try:
        yield copy
    finally:
        for end in ("", "-wal", "-shm"):
            copy.with_name(copy.name + end).unlink(missing_ok=True)


def opened(path: str | Path) -> SqliteStore:
    """The store at this path, measured as the product measures."""
    return open_store(path, measures=measures_of(default_lexicon()))


def bare(path: str | Path) -> sqlite3.Connection:
    """A plain connection with the settings that cost the store time, so that neither side is spared them."""
    connection = sqlite3.connect(path, isolation_level=None)
    for setting in ("journal_mode = WAL", "synchronous = FULL", "cache_size = -65536"):
        connection.execute(f"PRAGMA {setting}")
    return connection


def settled(path: str | Path) -> None:
    """Merge what building left of the full-text index: else what follows would seem to free what it only tidies up."""
    with closing(bare(path)) as base:
        base.execute("INSERT INTO search (search) VALUES ('optimize')")


def used_bytes(path: str | Path, *, checkpoint: bool = True) -> int:
    """How much of the file is in use, its log taken in first, or counted with it."""
    connection = bare(path)
    try:
        if checkpoint:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        pages, free, size = (
            int(connection.execute(f"PRAGMA {name}").fetchone()[0])
            for name in ("page_count", "freelist_count", "page_size")
        )
    finally:
        connection.close()
    return (pages - free) * size
