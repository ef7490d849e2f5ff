"""What a year of nights leaves: bytes a night, and how long the record takes to be read then and after the first."""

from __future__ import annotations

import time
from statistics import median
from typing import Any

from nocturne.app.auditing import audit
from nocturne.app.compare import compare
from nocturne.app.lexicons import default_lexicon
from nocturne.app.lineage import why
from nocturne.app.policies import load
from nocturne.app.writing import Item, append
from nocturne.core.facts import DAY, HOUR
from nocturne.store import SqliteStore
from tests.bench.child import Meter, fastest
from tests.bench.nights import as_the_command_does, night
from tests.bench.sent import sentences
from tests.bench.stores import NOW, copied, opened, settled, used_bytes

FIRST = 5
"""After so many nights the first figures are taken."""
STRETCH = 10
"""Nights at either end over which growth is told."""
RUNS = 3
SHOWN = 40
"""So many snapshots ``nocturne log`` shows by itself."""


def lived(meter: Meter, path: str, nights: int, a_night: int) -> dict[str, Any]:
    """``a_night`` new facts a day and a night after each, under the policy that lets nothing go for its age."""
    as_the_command_does()
    policy, lexicon = load("archive"), default_lexicon()
    told = sentences(nights * a_night, seed=3)
    sizes, spans, seconds = [], [], []
    early: dict[str, float] = {}
    held = 0
    with copied(path) as copy:
        with opened(copy) as store:
            night(store, NOW, policy=policy)
        settled(copy)
        with opened(copy) as store, meter.running():
            for day in range(1, nights + 1):
                now = NOW + day * DAY
                items = [Item(text) for text in told[(day - 1) * a_night : day * a_night]]
                append(store, "scratch", items, policy=policy, lexicon=lexicon, now=now, command="bench")
                start = time.perf_counter()
                report = night(store, now + HOUR, policy=policy)
                seconds.append(time.perf_counter() - start)
                if report.start is not None and report.end is not None:
                    spans.append((report.start, report.end))
                sizes.append(used_bytes(copy, checkpoint=False))
                if day == FIRST:
                    early = _read(store, spans[-1])
                    held = store.size()
        grown = used_bytes(copy)
        with opened(copy) as store:
            late = _read(store, spans[-1])
            facts, snapshots = store.size(), store.head().snapshot + 1
    stretch = min(STRETCH, (nights - FIRST) // 2)
    return {
        "early": early,
        "late": late,
        "facts_early": held,
        "facts": facts,
        "snapshots": snapshots,
        "changed": len(spans),
        "bytes": grown,
        "a_night": (sizes[-1] - sizes[FIRST - 1]) / (nights - FIRST),
        "a_night_early": (sizes[FIRST - 1 + stretch] - sizes[FIRST - 1]) / stretch,
        "a_night_late": (sizes[-1] - sizes[-1 - stretch]) / stretch,
        "night_early": median(seconds[:stretch]),
        "night_late": median(seconds[-stretch:]),
    }


def _read(store: SqliteStore, span: tuple[int, int]) -> dict[str, float]:
    """How long it takes to tell the snapshots, the last night, a fact's origin, and to audit since that night began."""
    older, newer = (store.snapshot(number) for number in span)
    night_ = compare(store, older, newer)
    fact = max(
        (entry.fact.id for entry in night_.differences), key=lambda id_: (len(store.versions(id_)), id_)
    )
    lexicon = default_lexicon()
    audited = audit(store, lexicon=lexicon, since=span[0])
    if audited.problems:
        raise RuntimeError(f"the store does not hold: {audited.problems[:3]}")
    return {
        "differences": len(night_.differences),
        "versions": len(store.versions(fact)),
        "log": fastest(RUNS, lambda: list(store.snapshots(max(0, newer.number + 1 - SHOWN)))),
        "diff": fastest(RUNS, lambda: compare(store, older, newer)),
        "why": fastest(RUNS, lambda: why(store, fact)),
        "audit": fastest(RUNS, lambda: audit(store, lexicon=lexicon, since=span[0])),
    }
