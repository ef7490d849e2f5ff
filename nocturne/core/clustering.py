"""Facts that lie close together: DBSCAN over TF-IDF cosine distance, fed by a sparse similarity join.

Vectors come from content tokens, so that a cluster can be explained by the terms that its members share. The
radius graph holds only pairs within the radius; nothing here is ever n×n. Small sets are clustered in plain
Python; numpy, scipy and scikit-learn are loaded only for large ones, and only where there is a core point.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain

from nocturne.core.contents import Chosen, gathered
from nocturne.core.facts import Fact, Layer
from nocturne.core.table import by_id, shared

SMALL = 300
"""Below this many rows plain Python is done before numpy has been imported."""
MOST_TERMS = 8
NOISE = -1

Vector = dict[str, float]


@dataclass(frozen=True, slots=True)
class Found:
    """One cluster: ids ascending, shared terms with the most telling first.

    ``centrality`` is each member's cosine to the centroid, in (0, 1].
    """

    members: tuple[int, ...]
    terms: tuple[str, ...]
    centrality: Mapping[int, float]


def clusters(
    facts: Iterable[Fact] | Mapping[int, Fact],
    content: Mapping[int, frozenset[str]],
    *,
    eps: float,
    min_members: int,
    layer: Layer | None = None,
) -> list[Found]:
    """Clusters of active facts of one namespace and subject, by their lowest member.

    ``eps`` is a cosine distance; a fact is a core where at least ``min_members`` facts, itself included, lie
    within it. A fact without content tokens belongs nowhere. With ``layer`` only the facts of this one.
    """
    held = gathered(content)

    def group_of(fact: Fact) -> Hashable:
        among = fact.active and (layer is None or fact.layer == layer)
        return (fact.namespace, fact.subject) if among else None

    groups: dict[Hashable, array[int]] = defaultdict(lambda: array("q"))
    for id_, group in shared(by_id(facts), group_of):
        if group is not None:
            groups[group].append(id_)
    found = []
    for together in groups.values():
        ids, sets = held.chosen(array("q", sorted(together)))
        if len(ids) < min_members:
            continue
        weights = inverse_frequencies(sets)
        members: dict[int, list[int]] = defaultdict(list)
        for row, label in enumerate(_labelled(sets, weights, eps, min_members)):
            if label != NOISE:
                members[label].append(row)
        for rows in members.values():
            central = centralities([sets[row] for row in rows], weights)
            found.append(
                Found(
                    tuple(ids[row] for row in rows),
                    shared_terms([sets[row] for row in rows], weights),
                    {ids[row]: share for row, share in zip(rows, central, strict=True)},
                )
            )
    found.sort(key=lambda cluster: cluster.members)
    return found


def inverse_frequencies(sets: Sequence[AbstractSet[str]]) -> dict[str, float]:
    """idf(t) = ln((1 + n) / (1 + df(t))) + 1: smoothed, so that a token of every row still counts."""
    counts: Mapping[str, int]
    if isinstance(sets, Chosen) and len(sets) >= SMALL:
        from nocturne.core import radius

        counts = radius.frequencies(sets)
    else:
        counts = Counter(chain.from_iterable(sets))
    return {token: math.log((1 + len(sets)) / (1 + count)) + 1.0 for token, count in counts.items()}


def unit_vector(row: Iterable[str], weights: Mapping[str, float]) -> Vector:
    """The row's TF-IDF vector of length 1; each token counts once."""
    tokens = sorted(row)
    length = math.sqrt(math.fsum(weights[token] ** 2 for token in tokens))
    return {token: weights[token] / length for token in tokens}


def shared_terms(sets: Sequence[AbstractSet[str]], weights: Mapping[str, float]) -> tuple[str, ...]:
    """At most eight tokens that half of the rows hold, else two rows; by weight over the cluster."""
    counts = Counter(token for row in sets for token in row)
    needed = max(2, (len(sets) + 1) // 2)
    if not any(count >= needed for count in counts.values()):
        needed = 2
    held = [token for token, count in counts.items() if count >= needed]
    held.sort(key=lambda token: (-counts[token] * weights[token], token))
    return tuple(held[:MOST_TERMS])


def centralities(sets: Sequence[AbstractSet[str]], weights: Mapping[str, float]) -> list[float]:
    """Each row's cosine to the mean of the rows' unit vectors."""
    vectors = [unit_vector(row, weights) for row in sets]
    total: Vector = defaultdict(float)
    for vector in vectors:
        for token, weight in vector.items():
            total[token] += weight
    length = math.sqrt(math.fsum(weight**2 for weight in total.values()))
    return [
        min(1.0, math.fsum(weight * total[token] for token, weight in vector.items()) / length)
        for vector in vectors
    ]


def labels(sets: Sequence[AbstractSet[str]], *, eps: float, min_members: int) -> list[int]:
    """DBSCAN's label of each non-empty row, −1 for noise; clusters count up by their lowest core row."""
    return _labelled(sets, inverse_frequencies(sets), eps, min_members)


def _labelled(
    sets: Sequence[AbstractSet[str]], weights: Mapping[str, float], eps: float, min_members: int
) -> list[int]:
    if len(sets) < SMALL:
        return _grown(_neighbours(sets, weights, eps), min_members)
    from nocturne.core import radius

    return radius.labels(sets, weights, eps=eps, min_members=min_members)


def _neighbours(
    sets: Sequence[AbstractSet[str]], weights: Mapping[str, float], eps: float
) -> list[list[int]]:
    """For each row the rows within ``eps``, itself included, ascending."""
    vectors = [unit_vector(row, weights) for row in sets]
    postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
    near: list[list[int]] = [[] for _ in sets]
    for row, vector in enumerate(vectors):
        products: dict[int, float] = defaultdict(float)
        for token, weight in vector.items():
            for other, theirs in postings[token]:
                products[other] += weight * theirs
            postings[token].append((row, weight))
        for other, product in products.items():
            if 1.0 - product <= eps:
                near[other].append(row)
                near[row].append(other)
        near[row].append(row)
    return [sorted(row) for row in near]


def _grown(near: Sequence[Sequence[int]], min_members: int) -> list[int]:
    """DBSCAN on neighbourhoods (Ester et al. 1996); a border row goes to the first cluster it meets."""
    found = [NOISE] * len(near)
    label = 0
    for seed, around in enumerate(near):
        if found[seed] != NOISE or len(around) < min_members:
            continue
        found[seed] = label
        queue = deque([seed])
        while queue:
            for row in near[queue.popleft()]:
                if found[row] == NOISE:
                    found[row] = label
                    if len(near[row]) >= min_members:
                        queue.append(row)
        label += 1
    return found
