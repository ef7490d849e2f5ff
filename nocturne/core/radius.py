"""The radius graph of TF-IDF rows by an exact sparse similarity join, and scikit-learn's DBSCAN over it.

Columns stand rarest first. A row is indexed by the columns of its prefix only: as long as the norm of what
remains can still reach the threshold by itself. Two rows within the radius share a column of both prefixes,
for the rarest column that they share cannot lie in what remains of either (after Bayardo, Ma & Srikant
2007).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nocturne.core.contents import Chosen
from nocturne.core.entries import Ints, Owners, counted, ends_of, lots, run, stretches
from nocturne.core.join import AGAIN, batched, expanded, numbered, ordered, popcount, signatures

Floats = NDArray[np.float64]
SLACK = 1e-9
"""Room for the rounding of norms while candidates are sought; the final comparison has none."""
BLOCK = 1 << 14
"""Pairs measured at once."""
_WHOLE = (1 << 16) - 1
"""What stands for 1 where the square of a norm is kept in 16 bits."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """Unit rows, columns rarest first and ascending in each: a value is its column's weight by its row's length."""

    starts: Ints
    columns: NDArray[np.int32]
    weights: Floats
    lengths: Floats

    def __len__(self) -> int:
        return len(self.lengths)

    def values(self, at: int, upto: int) -> Floats:
        """Those of the rows from ``at`` to ``upto``, end to end."""
        columns = self.columns[self.starts[at] : self.starts[upto]]
        lengths = np.repeat(self.lengths[at:upto], np.diff(self.starts[at : upto + 1]))
        found: Floats = self.weights[columns] / lengths
        return found

    def matrix(self, rows: Ints) -> Any:
        """The CSR matrix of some rows, in their order."""
        from scipy.sparse import csr_matrix

        sizes = self.starts[rows + 1] - self.starts[rows]
        columns = self.columns[run(self.starts[rows], sizes)]
        values = self.weights[columns] / np.repeat(self.lengths[rows], sizes)
        return csr_matrix((values, columns, ends_of(sizes)), shape=(len(rows), len(self.weights)))


@dataclass(frozen=True, slots=True)
class Graph:
    """Pairs of rows within the radius, ``left`` < ``right``, with their cosine distance."""

    left: Ints
    right: Ints
    distance: Floats
    size: int

    def degrees(self) -> Ints:
        """How many other rows lie within the radius of each row."""
        return np.bincount(self.left, minlength=self.size) + np.bincount(self.right, minlength=self.size)

    def matrix(self) -> Any:
        """The symmetric CSR matrix of distances, zeros explicit, each row ascending by distance."""
        from scipy.sparse import csr_matrix

        every = np.arange(self.size)
        rows = np.concatenate([self.left, self.right, every])
        columns = np.concatenate([self.right, self.left, every])
        values = np.concatenate([self.distance, self.distance, np.zeros(self.size)])
        # The own zero comes first even among other zeros, so that DBSCAN finds the rows sorted as they are.
        sorting = np.lexsort((columns != rows, values, rows))
        starts = np.zeros(self.size + 1, np.int64)
        np.cumsum(np.bincount(rows, minlength=self.size), out=starts[1:])
        return csr_matrix((values[sorting], columns[sorting], starts), shape=(self.size, self.size))


def labels(
    sets: Sequence[AbstractSet[str]], weights: Mapping[str, float], *, eps: float, min_members: int
) -> list[int]:
    """DBSCAN's labels; scikit-learn is loaded only where some row is a core."""
    graph = radius_graph(vectors(sets, weights), eps)
    if not (graph.degrees() + 1 >= min_members).any():
        return [-1] * len(sets)
    return clustered(graph, eps=eps, min_members=min_members)


def clustered(graph: Graph, *, eps: float, min_members: int) -> list[int]:
    """scikit-learn's labels of the precomputed sparse graph.

    Rows without a neighbour are noise wherever a cluster needs two: they are left out, for each costs a
    slice.
    """
    from sklearn.cluster import DBSCAN

    kept = np.flatnonzero(graph.degrees() > 0) if min_members > 1 else np.arange(graph.size)
    place = np.zeros(graph.size, np.int64)
    place[kept] = np.arange(len(kept))
    near = Graph(place[graph.left], place[graph.right], graph.distance, len(kept))
    found = np.full(graph.size, -1)
    found[kept] = DBSCAN(eps=eps, min_samples=min_members, metric="precomputed").fit(near.matrix()).labels_
    labels: list[int] = found.tolist()
    return labels


def frequencies(sets: Chosen) -> dict[str, int]:
    """How many rows hold each word that any holds."""
    counts = counted(numbered(sets)[1]).tolist()
    return {word: count for word, count in zip(sets.words.known, counts, strict=False) if count}


def vectors(sets: Sequence[AbstractSet[str]], weights: Mapping[str, float]) -> Vectors:
    """The TF-IDF rows of sets of words."""
    sizes, numbers, words = numbered(sets)
    rarest_first = sorted(weights, key=lambda token: (-weights[token], token))
    place: dict[Hashable, int] = {token: rank for rank, token in enumerate(rarest_first)}
    # A word of the dictionary that no row holds has no weight, and no place that is ever looked up.
    ranks = np.fromiter((place.get(word, 0) for word in words), np.int32, len(words))
    rows = ordered(sizes, numbers, ranks)
    weight = np.fromiter((weights[token] for token in rarest_first), np.float64, len(rarest_first))
    lengths = np.empty(len(rows))
    for at, upto in stretches(rows.starts):
        some = rows.starts[at : upto + 1]
        owner = np.repeat(np.arange(upto - at), np.diff(some))
        squares = weight[rows.tokens[some[0] : some[-1]]] ** 2
        lengths[at:upto] = np.sqrt(np.bincount(owner, squares, minlength=upto - at))
    return Vectors(rows.starts, rows.tokens, weight, lengths)


def radius_graph(rows: Vectors, eps: float) -> Graph:
    """All pairs of unit rows with 1 − cosine ≤ ``eps``."""
    held = [(np.zeros(0, np.int64), np.zeros(0))]
    for pairs in batched(_candidates(rows, max(SLACK, 1.0 - eps - SLACK))):
        for at in range(0, len(pairs), BLOCK):
            some = pairs[at : at + BLOCK]
            distance = _distances(rows, some >> 32, some & 0xFFFFFFFF)
            near = distance <= eps
            held.append((some[near], distance[near]))
    keys, distance = (np.concatenate(part) for part in zip(*held, strict=True))
    # Two rows may have met at more than one column.
    keys, first = np.unique(keys, return_index=True)
    return Graph(keys >> 32, keys & 0xFFFFFFFF, distance[first], len(rows))


def _candidates(vectors: Vectors, threshold: float) -> Iterator[Ints]:
    """Pairs (left << 32 | right) that may reach the threshold, some more than once.

    At the rarest column that two rows share, their cosine is at most the product of what is left of each norm
    from there on. Postings stand by that norm, so that each entry meets only those that it can reach it with.
    """
    starts, columns = vectors.starts, vectors.columns
    sizes, owners = np.diff(starts), Owners.of(starts)
    rest = _rest(vectors)
    least = (threshold - SLACK) ** 2
    looks = signatures(starts, columns), signatures(starts, columns, AGAIN)
    indexed = rest[:-1] >= int(least * _WHOLE)
    for lot in lots(columns, np.ones(len(vectors.weights), np.bool_), indexed):
        # Token and norm in one ascending number: the norms of one column descend from 1 within half a unit.
        key = columns[lot] + (1.0 - np.sqrt(rest[lot] / _WHOLE)) * 0.5
        sorting = np.argsort(key, kind="stable")
        key, kept = key[sorting], lot[sorting]
        left = np.sqrt(rest[kept] / _WHOLE)
        reach = columns[kept] + (1.0 - (threshold - SLACK) / left) * 0.5 + SLACK
        first = np.searchsorted(key, columns[kept] - SLACK)
        count = np.minimum(np.searchsorted(key, reach, side="right"), np.arange(len(kept))) - first
        busy = np.flatnonzero(count > 0)
        first, count = first[busy], count[busy]
        row = owners[kept]
        held, ends = sizes[row], starts[row + 1]
        seen = [marks[row] for marks in looks]
        for at, upto, met in expanded(first, count):
            own, spot = np.repeat(busy[at:upto], count[at:upto]), met
            for marks in seen:
                mine, theirs = marks[own], marks[spot]
                # Columns shared from here on, at most; the heaviest stand first.
                most = np.minimum(held[own] - popcount(mine & ~theirs), held[spot] - popcount(theirs & ~mine))
                bound = _share(rest, kept[own], most, ends[own]) * _share(rest, kept[spot], most, ends[spot])
                live = np.flatnonzero(bound >= least)
                own, spot = own[live], spot[live]
            a, b = row[own], row[spot]
            yield (np.minimum(a, b) << 32) | np.maximum(a, b)


def _rest(vectors: Vectors) -> NDArray[np.uint16]:
    """The square of what is left of each row's norm from each entry on: one or two units more than it is."""
    found = np.full(len(vectors.columns) + 1, 2, np.uint16)
    for at, upto in stretches(vectors.starts):
        some = vectors.starts[at : upto + 1] - vectors.starts[at]
        through = np.concatenate([[0.0], np.cumsum(vectors.values(at, upto) ** 2)])
        left = np.repeat(through[some[1:]], np.diff(some)) - through[:-1]
        found[vectors.starts[at] : vectors.starts[upto]] = np.minimum(left * _WHOLE + 2, _WHOLE)
    return found


def _share(rest: NDArray[np.uint16], entry: Ints, most: Ints, end: Ints) -> Floats:
    """The norm squared of ``most`` columns of a row from ``entry`` on, or a little more."""
    after = np.minimum(entry + np.maximum(most, 1), end)
    # Two units may be too much; of the next row's nothing is meant.
    beyond = rest[after] - 2.0
    beyond[after == end] = 0.0
    found: Floats = (rest[entry] - beyond) / _WHOLE
    return found


def _distances(rows: Vectors, a: Ints, b: Ints) -> Floats:
    products = np.asarray(rows.matrix(a).multiply(rows.matrix(b)).sum(axis=1)).ravel()
    return np.maximum(0.0, 1.0 - products)
