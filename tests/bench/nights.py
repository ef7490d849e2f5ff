"""Goals 5 and 13: one pass beside a bare SELECT of the same rows, and a whole night by the command itself."""

from __future__ import annotations

import gc
import io
import sys
import time
from contextlib import closing, redirect_stdout
from datetime import UTC, datetime
from typing import Any

from nocturne.app.lexicons import default_lexicon
from nocturne.app.sleep import Night, SleepReport, asking, sleep
from nocturne.cli.main import main
from nocturne.core.facts import DAY, SECOND
from nocturne.core.policy import Policy
from nocturne.llm.rules import RulesProposer
from nocturne.store import SqliteStore
from tests.bench.child import Meter
from tests.bench.stores import NOW, bare, copied, opened

RUNS = 5
ACTIVE = (
    "SELECT f.*, t.text FROM facts AS f JOIN texts AS t ON t.hash = f.text "
    "WHERE f.to_seq IS NULL AND f.active = 1"
)


def as_the_command_does() -> None:
    """Collect cycles as rarely as ``nocturne`` does."""
    gc.set_threshold(50_000, 20, 50)


def selected(meter: Meter, path: str) -> dict[str, Any]:
    """The active facts' rows and texts, fetched and nothing made of them."""
    with closing(bare(path)) as connection:
        rows = connection.execute(ACTIVE).fetchall()
        for _ in range(RUNS):
            with meter.running():
                connection.execute(ACTIVE).fetchall()
    return {"rows": len(rows)}


def night(
    store: SqliteStore, now: int, *, policy: Policy, only: tuple[str, ...] | None = None
) -> SleepReport:
    """One night with the built-in rules."""
    proposer = RulesProposer()
    return sleep(
        Night(
            store=store,
            policy=policy,
            lexicon=default_lexicon(),
            now=now,
            command="bench",
            proposer=proposer.name,
            answer=asking(proposer),
            only=only,
            in_full=False,
        )
    )


def deduped(meter: Meter, path: str) -> dict[str, Any]:
    """The dedupe pass over a store that never slept, and once more where nothing is new; both from an open store."""
    as_the_command_does()
    with copied(path) as copy, opened(copy) as store:
        with meter.running():
            first = night(store, NOW, policy=Policy(), only=("dedupe",))
        start = time.perf_counter()
        again = night(store, NOW + DAY, policy=Policy(), only=("dedupe",))
        quiet = time.perf_counter() - start
    (part,) = first.passes
    return {
        "accepted": part.accepted,
        "refused": part.refused,
        "quiet": quiet,
        "unchanged": again.unchanged_since is not None,
    }


def slept(meter: Meter, path: str) -> dict[str, Any]:
    """A whole night by ``nocturne sleep`` with all passes; what it did, counted from its record."""
    with copied(path) as copy:
        with opened(copy) as store:
            before = store.head()
        now = datetime.fromtimestamp(NOW / SECOND, UTC).isoformat()
        argv = ["nocturne", "sleep", "--db", str(copy), "--now", now, "--provider", "rules", "--quiet"]
        with meter.running(), redirect_stdout(io.StringIO()):
            code = _run(argv)
        with closing(bare(copy)) as connection:
            rulings = connection.execute(
                "SELECT pass, SUM(accepted), COUNT(*) - SUM(accepted) FROM ledger "
                "WHERE type = 'mutation' AND seq > ? GROUP BY pass ORDER BY MIN(seq)",
                (before.seq,),
            ).fetchall()
        with opened(copy) as store:
            active, snapshots = store.size(), store.head().snapshot - before.snapshot
    return {"code": code, "rulings": rulings, "active": active, "snapshots": snapshots}


def _run(argv: list[str]) -> int:
    held, sys.argv = sys.argv, argv
    try:
        main()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0
    finally:
        sys.argv = held
    return 0
