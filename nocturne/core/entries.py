"""Work on all entries of many rows, a stretch of them at a time: no working array is as long as the entries are.

Numpy turns 32-bit numbers that it looks up or counts into 64-bit ones first, all at once: over ten million
entries such a passing array is larger than what it is made for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
STRETCH = 1 << 19
"""Entries worked on at once."""
_NEAR = 64
"""Of one entry in so many the row is known; that of another lies fewer rows ahead."""


def ends_of(sizes: NDArray[Any]) -> Ints:
    """Where rows of these sizes begin when they stand end to end, and where the last one ends."""
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


def stretches(starts: Ints) -> Iterator[tuple[int, int]]:
    """Row numbers, from and to, of whole rows that have ``STRETCH`` entries or fewer, or one row that has more."""
    at, count = 0, len(starts) - 1
    while at < count:
        upto = int(np.searchsorted(starts, starts[at] + STRETCH, side="right")) - 1
        upto = min(count, max(at + 1, upto))
        yield at, upto
        at = upto


def run(first: Ints, count: NDArray[np.integer[Any]]) -> Ints:
    """All entries of runs that are known to be few, end to end: ``count`` of them from ``first`` on."""
    ends = np.cumsum(count)
    places: Ints = np.arange(int(ends[-1])) + np.repeat(first - (ends - count), count)
    return places


def counted(numbers: NDArray[np.int32], among: NDArray[np.bool_] | None = None) -> Ints:
    """How often each number stands among the entries, or among some of them."""
    found = np.zeros(int(numbers.max(initial=-1)) + 1, np.int64)
    for at in range(0, len(numbers), STRETCH):
        some = numbers[at : at + STRETCH]
        counts = np.bincount(some if among is None else some[among[at : at + STRETCH]])
        found[: len(counts)] += counts
    return found


def lots(
    numbers: NDArray[np.int32], wanted: NDArray[np.bool_], among: NDArray[np.bool_] | None = None
) -> Iterator[Ints]:
    """The entries of wanted numbers in lots, ascending within each: all of one number in the same.

    ``wanted`` is by number, ``among`` by entry: without it all count. Lots are by number, the lowest first;
    each has ``STRETCH`` entries or so, beside those of a number that has more by itself.
    """
    if (few := _few(numbers, wanted, among)) is not None:
        yield few
        return
    counts = counted(numbers, among)
    counts *= wanted[: len(counts)]
    lot = (np.cumsum(counts) - counts) // STRETCH + 1
    lot[counts == 0] = 0
    lot = lot.astype(np.min_scalar_type(int(lot.max())))
    kinds = np.unique(lot[lot > 0])
    held = np.empty(len(numbers), lot.dtype)
    for at in range(0, len(numbers), STRETCH):
        some = lot[numbers[at : at + STRETCH]]
        held[at : at + STRETCH] = some if among is None else some * among[at : at + STRETCH]
    for kind in kinds:
        yield np.concatenate(
            [np.flatnonzero(held[at : at + STRETCH] == kind) + at for at in range(0, len(held), STRETCH)]
        )


def _few(
    numbers: NDArray[np.int32], wanted: NDArray[np.bool_], among: NDArray[np.bool_] | None
) -> Ints | None:
    """All that ``lots`` gives, where one lot can take it."""
    found, count = [np.zeros(0, np.int64)], 0
    for at in range(0, len(numbers), STRETCH):
        held = wanted[numbers[at : at + STRETCH]]
        if among is not None:
            held &= among[at : at + STRETCH]
        found.append(np.flatnonzero(held) + at)
        count += len(found[-1])
        if count > STRETCH:
            return None
    return np.concatenate(found)


@dataclass(frozen=True, slots=True)
class Owners:
    """What each entry's row is called, at little more than a byte an entry."""

    names: NDArray[Any]
    near: NDArray[np.int32]
    ahead: NDArray[np.uint8]

    @classmethod
    def of(cls, starts: Ints, names: NDArray[Any] | None = None) -> Owners:
        """Those of rows; ``names`` are by row, and without them a row is called by its number."""
        sizes = np.diff(starts)
        # Of rows without entries there may be any number between two entries.
        filled = np.flatnonzero(sizes)
        sizes, begin = sizes[filled], np.append(starts[filled], starts[-1])
        known = np.searchsorted(begin, np.arange(0, int(starts[-1]), _NEAR), side="right") - 1
        near: NDArray[np.int32] = known.astype(np.int32)
        ahead = np.empty(int(starts[-1]), np.uint8)
        for at, upto in stretches(begin):
            first, end = int(begin[at]), int(begin[upto])
            own = np.repeat(np.arange(at, upto, dtype=np.int32), sizes[at:upto])
            behind = np.repeat(near[first // _NEAR : -(-end // _NEAR)], _NEAR)
            ahead[first:end] = own - behind[first % _NEAR :][: end - first]
        return cls(filled if names is None else names[filled], near, ahead)

    def __getitem__(self, entries: Ints) -> NDArray[Any]:
        found: NDArray[Any] = self.names[self.near[entries // _NEAR] + self.ahead[entries]]
        return found
