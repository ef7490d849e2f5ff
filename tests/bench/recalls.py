"""Goal 12: recall, rare terms first, beside plain FTS5 over the same index with all terms joined by OR."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import closing
from statistics import median
from typing import Any

from nocturne.app.lexicons import default_lexicon
from nocturne.app.recall import Query, Retriever
from nocturne.core.policy import Policy
from nocturne.core.text.measures import content
from nocturne.store import SqliteStore
from nocturne.store.search import term
from tests.bench.child import Meter
from tests.bench.stores import NOW, bare, opened

OPENING = 3
"""The words with which every made fact begins: they say nothing, so no query holds them."""
RUNS = 2
TOP = 10
PLAIN = "SELECT rowid, rank FROM search WHERE search MATCH ? ORDER BY rank LIMIT ?"


def queries(store: SqliteStore, count: int, wanted: int) -> list[str]:
    """Queries of the words of facts: mostly its hottest word and three others, some of hot words alone, some whole."""
    source = random.Random(12)
    lexicon = default_lexicon()
    found = []
    for place, id_ in enumerate(source.sample(range(1, count + 1), wanted)):
        words = store.facts([id_])[id_].text.rstrip(".").split()[OPENING:]
        counts = {word: _frequency(store, content(word, lexicon)) for word in words}
        by_heat = sorted(words, key=lambda word: -counts[word])
        kind = place % 10
        if kind < 7:
            chosen = [by_heat[0], *source.sample(by_heat[1:], 3)]
        elif kind < 9:
            chosen = by_heat[:3]
        else:
            chosen = words
        found.append(" ".join(chosen))
    return found


def _frequency(store: SqliteStore, tokens: frozenset[str]) -> int:
    return max((count for _, count in store.token_numbers(tokens).values()), default=0)


def drawn(meter: Meter, path: str, count: int, wanted: int) -> dict[str, Any]:
    """The queries alone, for whoever asks them from a shell."""
    with opened(path) as store, meter.running():
        return {"queries": queries(store, count, wanted)}


def answered(meter: Meter, path: str, count: int, wanted: int) -> dict[str, Any]:
    """Every query both ways over one open store each: all once to warm up, then each the better of two."""
    lexicon = default_lexicon()
    with opened(path) as store, closing(bare(path)) as plain, meter.running():
        asked = queries(store, count, wanted)
        reader = Retriever(store, policy=Policy(), lexicon=lexicon, now=NOW)
        matches = []
        for query in asked:
            numbers = sorted(number for number, _ in store.token_numbers(content(query, lexicon)).values())
            matches.append(" OR ".join(term(number) for number in numbers))

        def ours(place: int) -> object:
            return reader.find(Query(asked[place], top=TOP))

        def theirs(place: int) -> object:
            return plain.execute(PLAIN, (matches[place], TOP)).fetchall()

        times = {"ours": _times(ours, wanted), "plain": _times(theirs, wanted)}
        empty = sum(not reader.find(Query(query, top=TOP)).hits for query in asked)
    worst = {f"{name}_worst": max(each) for name, each in times.items()}
    middle = {f"{name}_median": median(each) for name, each in times.items()}
    slowest = max(range(wanted), key=lambda place: times["ours"][place])
    return {**worst, **middle, "empty": empty, "words": len(asked[slowest].split())}


def _times(ask: Callable[[int], object], wanted: int) -> list[float]:
    for place in range(wanted):
        ask(place)
    return [min(_timed(ask, place) for _ in range(RUNS)) for place in range(wanted)]


def _timed(ask: Callable[[int], object], place: int) -> float:
    start = time.perf_counter()
    ask(place)
    return time.perf_counter() - start
