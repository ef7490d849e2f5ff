"""Synthetic facts for the benchmarks: a Zipf vocabulary, near duplicates, negatives that differ in a name."""

from __future__ import annotations

import random
from bisect import bisect
from dataclasses import dataclass
from itertools import accumulate

SHORTEST, LONGEST = 6, 20
DUPLICATES, SWAPS = 0.15, 0.05
FILLER = ("the", "a", "of", "in", "on", "with", "for", "to", "and", "at")


@dataclass(frozen=True, slots=True)
class Made:
    """Token sets of made facts, and the labels that only the maker knows.

    ``same`` holds pairs where the second restates the first by adding words or none; ``swapped`` holds pairs
    where the second is the first with one name replaced.
    """

    rows: list[list[int]]
    same: list[tuple[int, int]]
    swapped: list[tuple[int, int]]
    names: range


class _Zipf:
    """Draws ranks with probability proportional to 1/rank."""

    def __init__(self, size: int, source: random.Random) -> None:
        self._edges = list(accumulate(1.0 / rank for rank in range(1, size + 1)))
        self._source = source

    def draw(self) -> int:
        return bisect(self._edges, self._source.random() * self._edges[-1])


def made(count: int, seed: int = 1) -> Made:
    """``count`` facts of 6–20 distinct tokens: words by Zipf's law, one or two names drawn evenly.

    The vocabulary grows with the square root of the count, as texts do (Heaps' law).
    """
    source = random.Random(seed)
    vocabulary = max(2_000, int(60 * count**0.5 * 4))
    names = range(vocabulary, vocabulary + max(200, count // 20))
    zipf = _Zipf(vocabulary, source)
    rows: list[list[int]] = []
    same, swapped = [], []
    while len(rows) < count:
        kind = source.random()
        base = source.randrange(len(rows)) if rows else 0
        if rows and kind < DUPLICATES:
            extra = source.choice((0, 0, 1, 2))
            row = dict.fromkeys(rows[base] + [zipf.draw() for _ in range(extra)])
            same.append((base, len(rows)))
        elif rows and kind < DUPLICATES + SWAPS:
            old = next(token for token in rows[base] if token in names)
            new = source.choice([name for name in source.sample(names, 3) if name not in rows[base]])
            row = dict.fromkeys(new if token == old else token for token in rows[base])
            swapped.append((base, len(rows)))
        else:
            length = source.randint(SHORTEST, LONGEST)
            row = dict.fromkeys(source.sample(names, source.choice((1, 1, 2))))
            while len(row) < length:
                row[zipf.draw()] = None
        rows.append(list(row))
    return Made(rows, same, swapped, names)


def dense(count: int, seed: int = 1, vocabulary: int = 100) -> list[list[int]]:
    """The adversary of a prefix filter: no token is rare."""
    source = random.Random(seed)
    return [source.sample(range(vocabulary), source.randint(SHORTEST, LONGEST)) for _ in range(count)]
