"""Ranking what was found: relevance · strength · category boost · layer boost, each factor kept to be shown.

Also the parts of recall that need no store: which terms to search by, the query blended with recent turns,
and which close competitors a retrieval weakens.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from nocturne.core.facts import Fact
from nocturne.core.policy import Intent, Policy

QUERY_SHARE = 0.6
RECENT_DECAY = 0.5
COMPETITOR_ABOVE = 0.7
HOT_FLOOR = 2_000
HOT_SHARE = 0.02
K1, B = 1.2, 0.75
"""What SQLite's ``bm25()`` uses."""

Vector = Mapping[str, float]
Posted = Mapping[str, Sequence[int]]
"""The facts that hold a term."""


@dataclass(frozen=True, slots=True)
class Factors:
    """The four factors of a score; ``relevance`` is the share of the best candidate's BM25, in (0, 1]."""

    relevance: float
    strength: float
    category_boost: float
    layer_boost: float

    @property
    def score(self) -> float:
        """The product of the four."""
        return self.relevance * self.strength * self.category_boost * self.layer_boost


@dataclass(frozen=True, slots=True)
class Ranked:
    """A fact with its factors."""

    fact: int
    factors: Factors


def boosts_of(policy: Policy, intent: Intent) -> Mapping[str, float]:
    """The policy's boosts of categories and layers for the intent; what it does not name is 1.0."""
    return {str(name): boost for name, boost in policy.boosts.get(intent, {}).items()}


def factors_of(fact: Fact, relevance: float, strength: float, boosts: Mapping[str, float]) -> Factors:
    """The factors of one candidate."""
    return Factors(relevance, strength, boosts.get(fact.category, 1.0), boosts.get(fact.layer, 1.0))


def ranked(candidates: Iterable[tuple[Fact, float, float]], boosts: Mapping[str, float]) -> list[Ranked]:
    """Candidates (fact, relevance, strength), best first; of equal scores the lowest id first."""
    found = [Ranked(fact.id, factors_of(fact, near, strength, boosts)) for fact, near, strength in candidates]
    found.sort(key=lambda hit: (-hit.factors.score, hit.fact))
    return found


def relevances(bm25: Mapping[int, float]) -> dict[int, float]:
    """Each candidate's share of the best BM25.

    SQLite's ``bm25()`` is negative, the best the lowest. A rank of zero (a term that every row holds) says
    nothing against the fact: it counts as the least that can be told from none.
    """
    best = max((-rank for rank in bm25.values()), default=0.0)
    least = 1e-6
    if best <= 0.0:
        return dict.fromkeys(bm25, 1.0)
    return {fact: max(least, -rank / best) for fact, rank in bm25.items()}


def okapi(held: Posted, lengths: Mapping[int, int], *, only: AbstractSet[int]) -> dict[int, float]:
    """BM25 as SQLite has it (negative, the best the lowest) of the facts in ``only``.

    A term counts once a fact. ``lengths`` are those of every fact in terms, also of facts that hold none.
    """
    size = len(lengths)
    mean = math.fsum(lengths.values()) / size if size else 1.0
    scores = dict.fromkeys(sorted(only), 0.0)
    for facts in held.values():
        weight = max(1e-6, math.log((size - len(facts) + 0.5) / (len(facts) + 0.5)))
        for fact in facts:
            if fact in scores:
                scores[fact] -= weight * (K1 + 1) / (1 + K1 * (1 - B + B * lengths[fact] / mean))
    return scores


def mixed(query: Mapping[int, float], recent: Sequence[Mapping[int, float]]) -> dict[int, float]:
    """Relevances to a query blended with those to recent turns, the latest first: 0.6 and 0.4 · w_i."""
    if not recent:
        return dict(query)
    near = {fact: QUERY_SHARE * share for fact, share in query.items()}
    for weight, shares in zip(recent_weights(len(recent)), recent, strict=True):
        for fact, share in shares.items():
            near[fact] = near.get(fact, 0.0) + (1.0 - QUERY_SHARE) * weight * share
    return near


def searchable(frequencies: Mapping[str, int], size: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(kept, dropped) query terms, rarest first, of terms with their document frequency among ``size`` facts.

    Terms that more than max(2,000, 2% of the facts) hold are dropped: they cost most and tell least. Where
    that would leave none, the single rarest stays. A term that no fact holds is in neither.
    """
    known = sorted((count, term) for term, count in frequencies.items() if count > 0)
    limit = max(HOT_FLOOR, HOT_SHARE * size)
    kept = [term for count, term in known if count <= limit] or [term for _, term in known[:1]]
    return tuple(kept), tuple(term for _, term in known if term not in kept)


def tfidf(tokens: Iterable[str], frequencies: Mapping[str, int], size: int) -> dict[str, float]:
    """The unit TF-IDF vector of a text's tokens; idf(t) = ln((1 + n) / (1 + df(t))) + 1."""
    counts: dict[str, int] = {}
    for token in tokens:
        counts[token] = counts.get(token, 0) + 1
    return unit(
        {
            token: count * (math.log((1 + size) / (1 + frequencies.get(token, 0))) + 1.0)
            for token, count in counts.items()
        }
    )


def unit(vector: Vector) -> dict[str, float]:
    """The vector at length 1; one without length stays as it is."""
    length = math.sqrt(math.fsum(weight * weight for weight in vector.values()))
    return {token: weight / length for token, weight in vector.items()} if length else dict(vector)


def cosine(a: Vector, b: Vector) -> float:
    """The inner product of two unit vectors."""
    if len(b) < len(a):
        a, b = b, a
    return math.fsum(weight * b[token] for token, weight in a.items() if token in b)


def recent_weights(count: int) -> list[float]:
    """Weights of ``count`` recent turns, the latest first: 0.5^(i−1), normalised to 1."""
    raw = [RECENT_DECAY**place for place in range(count)]
    return [weight / sum(raw) for weight in raw]


def blended(query: Vector, recent: Sequence[Vector]) -> dict[str, float]:
    """0.6·query + 0.4·Σ w_i·recent_i, at length 1; ``recent`` has the latest turn first, without the query.

    Where there is no recent turn the query stands alone. All are unit vectors.
    """
    if not recent:
        return unit(query)
    total = {token: QUERY_SHARE * weight for token, weight in query.items()}
    for share, turn in zip(recent_weights(len(recent)), recent, strict=True):
        for token, weight in turn.items():
            total[token] = total.get(token, 0.0) + (1.0 - QUERY_SHARE) * share * weight
    return unit(total)


def in_reach(query: Vector, tokens: Iterable[str]) -> bool:
    """Whether a text of these tokens could be a competitor, whatever else they weigh.

    By Cauchy and Schwarz its cosine is at most the length of the query's part that it shares.
    """
    shared = math.fsum(query[token] ** 2 for token in set(tokens) if token in query)
    return shared >= COMPETITOR_ABOVE**2 - 1e-9


def competitors(
    query: Vector,
    candidates: Mapping[int, Vector],
    *,
    retrieved: Iterable[int],
    exempt: Iterable[int] = (),
) -> tuple[int, ...]:
    """Candidates whose cosine to the query is above 0.7 but that were not retrieved, ascending.

    ``exempt`` are the schemas. Cosine and not containment: a query of one word would suppress everything.
    """
    spared = set(retrieved) | set(exempt)
    return tuple(
        sorted(
            fact
            for fact, vector in candidates.items()
            if fact not in spared and cosine(query, vector) > COMPETITOR_ABOVE
        )
    )
