"""Goal 7: clusters by the sparse join, beside scikit-learn's DBSCAN over a dense distance matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from nocturne.core import radius
from nocturne.core.clustering import inverse_frequencies
from tests.bench.child import Meter
from tests.bench.joins import lists

RUNS = 5


def _vectors(path: str) -> radius.Vectors:
    sets = [frozenset(map(str, row)) for row in lists(path)]
    return radius.vectors(sets, inverse_frequencies(sets))


def sparse(meter: Meter, path: str, eps: float, min_members: int) -> dict[str, Any]:
    """Our way, from TF-IDF rows to labels."""
    vectors = _vectors(path)
    # A first run pays for the imports, as the dense way's does.
    found = radius.clustered(radius.radius_graph(vectors, eps), eps=eps, min_members=min_members)
    for _ in range(RUNS):
        with meter.running():
            radius.clustered(radius.radius_graph(vectors, eps), eps=eps, min_members=min_members)
    return {"labels": found}


def dense(meter: Meter, path: str, eps: float, min_members: int) -> dict[str, Any]:
    """The plain way: all n×n cosine distances of the same rows, then DBSCAN over them."""
    from sklearn.cluster import DBSCAN

    vectors = _vectors(path)
    rows = vectors.matrix(np.arange(len(vectors)))
    DBSCAN(eps=eps, min_samples=min_members, metric="precomputed").fit(np.eye(4))
    with meter.running():
        distances = (rows @ rows.T).toarray()
        np.subtract(1.0, distances, out=distances)
        np.maximum(distances, 0.0, out=distances)
        np.fill_diagonal(distances, 0.0)
        fitted = DBSCAN(eps=eps, min_samples=min_members, metric="precomputed").fit(distances)
    return {"labels": fitted.labels_.tolist()}
