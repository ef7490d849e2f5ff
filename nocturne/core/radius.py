"""The radius graph of TF-IDF rows by an exact sparse similarity join, and scikit-learn's DBSCAN over it.

Columns stand rarest first. A row is indexed by the columns of its prefix only: as long as the norm of what
remains can still reach the threshold by itself. Two rows within the radius share a column of both prefixes,
for the rarest column that they share cannot lie in what remains of either (after Bayardo, Ma & Srikant
2007).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
SLACK = 1e-9
"""Room for the rounding of norms while candidates are sought; the final comparison has none."""
BLOCK = 1 << 22
"""Products of one block of the join."""


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
    """scikit-learn's labels of the precomputed sparse graph."""
    from sklearn.cluster import DBSCAN

    fitted = DBSCAN(eps=eps, min_samples=min_members, metric="precomputed").fit(graph.matrix())
    found: list[int] = fitted.labels_.tolist()
    return found


def vectors(
    sets: Sequence[AbstractSet[str]], weights: Mapping[str, float]
) -> tuple[Ints, NDArray[np.int32], Floats]:
    """Unit rows as (starts, columns, values): columns rarest first, ascending within each row."""
    rank = {token: place for place, token in enumerate(sorted(weights, key=lambda t: (-weights[t], t)))}
    sizes = np.fromiter(map(len, sets), np.int64, len(sets))
    columns = np.fromiter((rank[token] for row in sets for token in row), np.int64, int(sizes.sum()))
    owner = np.repeat(np.arange(len(sets), dtype=np.int64), sizes)
    keys = np.sort((owner << 32) | columns)
    columns = keys & 0xFFFFFFFF
    values = np.fromiter((weights[token] for token in rank), np.float64, len(rank))[columns]
    lengths = np.sqrt(np.bincount(owner, values**2, minlength=len(sets)))
    starts = np.zeros(len(sets) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts, columns.astype(np.int32), values / np.repeat(lengths, sizes)


def radius_graph(starts: Ints, columns: NDArray[np.int32], values: Floats, eps: float) -> Graph:
    """All pairs of unit rows with 1 − cosine ≤ ``eps``. Columns must stand in one order within each row."""
    from scipy.sparse import csr_matrix

    size = len(starts) - 1
    shape = (size, int(columns.max(initial=0)) + 1)
    whole = csr_matrix((values, columns, starts), shape=shape)
    threshold = max(SLACK, 1.0 - eps - SLACK)
    through = np.concatenate([[0.0], np.cumsum(values**2)])
    owner = np.repeat(np.arange(size), np.diff(starts))
    # The norm squared of a row's columns from each one on.
    remaining = through[starts[1:]][owner] - through[:-1]
    kept = remaining >= threshold**2 - SLACK
    prefix_starts = np.concatenate([[0], np.cumsum(kept)])[starts]
    prefix = csr_matrix((values[kept], columns[kept], prefix_starts), shape=shape)
    rest = np.sqrt(np.maximum(0.0, 1.0 - np.bincount(owner[kept], values[kept] ** 2, minlength=size)))
    turned = prefix.T.tocsr()
    load = np.cumsum(np.diff(turned.indptr)[columns[kept]])
    row_load = np.concatenate([[0], load])[prefix_starts]
    left, right, distance = [], [], []
    at = 0
    while at < size:
        upto = max(at + 1, int(np.searchsorted(row_load, row_load[at] + BLOCK, side="right")) - 1)
        product = (prefix[at:upto] @ turned).tocoo()
        a, b = product.row.astype(np.int64) + at, product.col.astype(np.int64)
        # What two rows share beyond the shorter prefix lies in the rest of that row.
        live = (a < b) & (product.data + np.maximum(rest[a], rest[b]) >= threshold)
        a, b = a[live], b[live]
        apart = np.maximum(0.0, 1.0 - _dots(whole, a, b))
        near = apart <= eps
        left.append(a[near])
        right.append(b[near])
        distance.append(apart[near])
        at = upto
    return Graph(_joined(left), _joined(right), np.concatenate([np.zeros(0), *distance]), size)


def _dots(whole: Any, a: Ints, b: Ints) -> Floats:
    if not len(a):
        return np.zeros(0)
    return np.asarray(whole[a].multiply(whole[b]).sum(axis=1)).ravel()


def _joined(parts: Sequence[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, np.int64), *parts])
