"""Candidates among rows that hold no rare token at all, by bit rows instead of postings.

A prefix filter lives on rare tokens. Where even a row's rarest token stands in more than a thirty-second of
all rows, reading its postings costs more than intersecting bits: one bit row a token, one bit a place, 64
places a step. A plane for each number of misses keeps the filter exact at any floor.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nocturne.core.entries import Ints, Owners, counted, lots, stretches

Shorts = NDArray[np.int32]
Words = NDArray[np.uint64]

FEWEST_ROWS = 4_096
CROWDED = 32
"""A token is hot where more than one row in so many holds it."""
FEW = 16.0
"""Candidates a row at which exact counting is cheaper than one more token's bits."""
BLOCK = 1 << 16
"""Words of one plane of a block: what fits the second-level cache."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """Rows by place (size descending) whose tokens are all hot, with the bit row of each hot token."""

    places: Ints
    tokens: NDArray[np.int32]
    starts: Ints
    number: Ints
    """Of each token that is hot: its place among the hot ones."""
    share: NDArray[np.float64]
    bits: Words

    def candidates(self, sizes: Shorts, missing: Shorts) -> Iterator[tuple[Ints, Ints]]:
        """Places (larger, smaller) with at most ``missing`` of the first tokens looked at absent."""
        at = 0
        while at < len(self.places):
            size = int(sizes[self.places[at]])
            alike = at + int(np.searchsorted(-sizes[self.places[at:]], -size, side="right"))
            width = int(self.places[min(alike, len(self.places)) - 1]) // 64 + 1
            upto = min(alike, at + max(1, BLOCK // width))
            yield from self._block(self.places[at:upto], size, int(missing[self.places[at]]))
            at = upto

    def _block(self, places: Ints, size: int, missing: int) -> Iterator[tuple[Ints, Ints]]:
        width = int(places[-1]) // 64 + 1
        tokens = self.number[self.tokens[self.starts[places][:, None] + np.arange(size)]]
        # Plane q holds the places that lack at most q tokens so far; one not yet there holds every place.
        planes: list[Words] = []
        for column in range(self._columns(tokens, missing)):
            bits = self.bits[tokens[:, column], :width]
            if len(planes) <= missing:
                planes.append(np.full_like(bits, ~np.uint64(0)))
            for q in range(len(planes) - 1, 0, -1):
                planes[q] &= bits
                planes[q] |= planes[q - 1]
            planes[0] &= bits
        last = planes[missing].ravel()
        cells = np.flatnonzero(last)
        words = last[cells]
        while len(cells):
            lowest = words & (~words + np.uint64(1))
            larger = (cells % width) * 64 + _exponents(lowest)
            smaller = places[cells // width]
            before = larger < smaller
            yield larger[before], smaller[before]
            words ^= lowest
            more = words != 0
            cells, words = cells[more], words[more]

    def _columns(self, tokens: Ints, missing: int) -> int:
        """How many tokens to look at, until few candidates are to be expected even of the worst row."""
        size = int(tokens.shape[1])
        expected = np.full(len(tokens), self.bits.shape[1] * 64.0)
        for column in range(missing, size):
            expected *= self.share[tokens[:, column]]
            if float(expected.max()) * math.comb(column + 1, missing) <= FEW:
                return column + 1
        return size


def crowd(starts: Ints, tokens: NDArray[np.int32], order: Shorts, places: Owners) -> Crowd | None:
    """The rows without a rare token, or None where there are none; ``order`` lists row numbers by place."""
    count = len(order)
    if count < FEWEST_ROWS:
        return None
    frequency = counted(tokens)
    hot = frequency * CROWDED > count
    filled = np.flatnonzero(np.diff(starts))
    if not hot.any() or not len(filled):
        return None
    # Rarest first: only a row whose first token is hot can hold hot ones alone. A frozen order may have aged.
    if not hot[tokens[starts[:-1][filled]]].any():
        return None
    crowded = np.zeros(count, np.bool_)
    for at, upto in stretches(starts):
        some = filled[np.searchsorted(filled, at) : np.searchsorted(filled, upto)]
        if len(some):
            held = hot[tokens[starts[at] : starts[upto]]]
            crowded[some] = np.logical_and.reduceat(held, starts[some] - starts[at])
    if not crowded.any():
        return None
    number = np.cumsum(hot) - 1
    bits = np.zeros((int(hot.sum()), -(-count // 64)), np.uint64)
    for lot in lots(tokens, hot):
        entries = lot[np.argsort(tokens[lot], kind="stable")]
        edges = np.flatnonzero(np.diff(tokens[entries])) + 1
        for some in np.split(entries, edges):
            mask = np.zeros(bits.shape[1] * 64, np.uint8)
            mask[places[some]] = 1
            bits[number[tokens[some[0]]]] = np.packbits(mask, bitorder="little").view("<u8")
    return Crowd(np.flatnonzero(crowded[order]), tokens, starts[order], number, frequency[hot] / count, bits)


def _exponents(powers: Words) -> Ints:
    """The exponents of powers of two."""
    return np.log2(powers.astype(np.float64)).astype(np.int64)
