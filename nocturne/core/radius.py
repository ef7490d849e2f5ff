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

from nocturne.core.join import Ints, distinct, expanded, numbered, popcount, signatures

Floats = NDArray[np.float64]
SLACK = 1e-9
"""Room for the rounding of norms while candidates are sought; the final comparison has none."""
BLOCK = 1 << 16
"""Pairs measured at once."""


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
    graph = radius_graph(*vectors(sets, weights), eps)
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


def vectors(
    sets: Sequence[AbstractSet[str]], weights: Mapping[str, float]
) -> tuple[Ints, NDArray[np.int32], Floats]:
    """Unit rows as (starts, columns, values): columns rarest first, ascending within each row."""
    sizes, numbers, words = numbered(sets)
    rarest_first = sorted(weights, key=lambda token: (-weights[token], token))
    place: dict[Hashable, int] = {token: rank for rank, token in enumerate(rarest_first)}
    # A word of the dictionary that no row holds has no weight, and no place that is ever looked up.
    rank = np.fromiter((place.get(word, 0) for word in words), np.int64, len(words))
    owner = np.repeat(np.arange(len(sets), dtype=np.int64), sizes)
    keys = np.sort((owner << 32) | rank[numbers])
    columns = keys & 0xFFFFFFFF
    values = np.fromiter((weights[token] for token in rarest_first), np.float64, len(rarest_first))[columns]
    lengths = np.sqrt(np.bincount(owner, values**2, minlength=len(sets)))
    starts = np.zeros(len(sets) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts, columns.astype(np.int32), values / np.repeat(lengths, sizes)


def radius_graph(starts: Ints, columns: NDArray[np.int32], values: Floats, eps: float) -> Graph:
    """All pairs of unit rows with 1 − cosine ≤ ``eps``. Columns must be ascending within each row."""
    from scipy.sparse import csr_matrix

    size = len(starts) - 1
    whole = csr_matrix((values, columns, starts), shape=(size, int(columns.max(initial=0)) + 1))
    keys = [np.zeros(0, np.int64), *_candidates(starts, columns, values, max(SLACK, 1.0 - eps - SLACK))]
    pairs = distinct(np.concatenate(keys))
    a, b = pairs >> 32, pairs & 0xFFFFFFFF
    distance = np.concatenate(
        [np.zeros(0)]
        + [_distances(whole, a[at : at + BLOCK], b[at : at + BLOCK]) for at in range(0, len(a), BLOCK)]
    )
    near = distance <= eps
    return Graph(a[near], b[near], distance[near], size)


def _candidates(starts: Ints, columns: NDArray[np.int32], values: Floats, threshold: float) -> Iterator[Ints]:
    """Pairs (left << 32 | right) that may reach the threshold, some more than once.

    At the rarest column that two rows share, their cosine is at most the product of what is left of each norm
    from there on. Postings stand by that norm, so that each entry meets only those that it can reach it with.
    """
    sizes = np.diff(starts)
    owner = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)
    through = np.concatenate([[0.0], np.cumsum(values**2)])
    left = np.sqrt(np.maximum(0.0, through[starts[1:]][owner] - through[:-1]))
    kept = np.flatnonzero(left >= threshold - SLACK)
    # Token and norm in one ascending number: the norms of one column descend from 1 within half a unit.
    key = columns[kept] + (1.0 - left[kept]) * 0.5
    sorting = np.argsort(key, kind="stable")
    key, kept = key[sorting], kept[sorting]
    rows = owner[kept]
    held, ends = sizes[rows], starts[1:][rows]
    reach = columns[kept] + (1.0 - (threshold - SLACK) / left[kept]) * 0.5 + SLACK
    first = np.searchsorted(key, columns[kept] - SLACK)
    count = np.minimum(np.searchsorted(key, reach, side="right"), np.arange(len(kept))) - first
    busy = np.flatnonzero(count > 0)
    first, count = first[busy], count[busy]
    marks = signatures(starts, columns)[rows]
    least = (threshold - SLACK) ** 2
    for at, upto, spot in expanded(first, count):
        own = np.repeat(busy[at:upto], count[at:upto])
        mine, theirs = marks[own], marks[spot]
        # Columns shared from here on, at most; the heaviest stand first.
        most = np.minimum(held[own] - popcount(mine & ~theirs), held[spot] - popcount(theirs & ~mine))
        bound = _share(through, kept[own], most, ends[own]) * _share(through, kept[spot], most, ends[spot])
        live = np.flatnonzero(bound >= least)
        a, b = rows[own[live]], rows[spot[live]]
        yield (np.minimum(a, b) << 32) | np.maximum(a, b)


def _share(through: Floats, entry: Ints, most: Ints, end: Ints) -> Floats:
    """The norm squared of ``most`` columns of a row from ``entry`` on."""
    return through[np.minimum(entry + np.maximum(most, 1), end)] - through[entry]


def _distances(whole: Any, a: Ints, b: Ints) -> Floats:
    products = np.asarray(whole[a].multiply(whole[b]).sum(axis=1)).ravel()
    return np.maximum(0.0, 1.0 - products)
