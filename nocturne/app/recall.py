"""Recall: what a memory answers a query with, by relevance · strength · category boost · layer boost.

``Retriever`` only reads. It looks at the store as it stands through its full-text index, rare terms first; at an
earlier version, or at what was true then, it ranks by the same formula over the facts themselves. What a
retrieval leaves behind in the memory is ``app.accesses``' affair.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from nocturne.core.facts import Fact, Span
from nocturne.core.policy import Intent, Policy
from nocturne.core.retention import visible
from nocturne.core.retrieval import (
    HOT_FLOOR,
    HOT_SHARE,
    Factors,
    Posted,
    boosts_of,
    mixed,
    okapi,
    ranked,
    relevances,
    searchable,
)
from nocturne.core.strength import strength
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.text.measures import content
from nocturne.passes.activations import curve_of

if TYPE_CHECKING:
    from nocturne.app.ports import Store

TOP = 10
CANDIDATES = 200
"""So many candidates are scored, and are competitors of each other."""
MOST_CANDIDATES = 3_200
"""Where the nearest candidates have faded from view, the search goes on up to here."""
LEAST_RELEVANT = 0.01
"""A fact below this shares with the query only words that most facts hold: no answer, and no access."""
MOST_TERMS = 32
"""A long text is looked for by its rarest terms."""
MOST_RECENT = 5
"""Older turns weigh less than a fiftieth of the query."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked: a text, what for, and the recent turns around it, the latest first."""

    text: str
    intent: Intent | None = None
    recent: tuple[str, ...] = ()
    top: int = TOP


@dataclass(frozen=True, slots=True)
class Hit:
    """A fact with the factors of its score and the query's terms that it holds."""

    fact: Fact
    factors: Factors
    matched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to one query, best first. ``candidates`` are the ids that were scored, hits included.

    ``faded`` and ``quarantined`` count candidates that were kept out of sight.
    """

    query: Query
    hits: tuple[Hit, ...]
    terms: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    """Terms that were left out because too many facts hold them."""
    unknown: tuple[str, ...] = ()
    candidates: tuple[int, ...] = ()
    faded: int = 0
    quarantined: int = 0


class _View(Protocol):
    """Where candidates come from: the store now, or as it was."""

    moment: int

    def frequencies(self, terms: Iterable[str]) -> Mapping[str, int]: ...
    def size(self) -> int: ...
    def search(
        self, groups: Sequence[Sequence[str]], limit: int, *, latest: bool = False
    ) -> Mapping[int, float]: ...
    def facts(self, ids: Iterable[int]) -> Mapping[int, Fact]: ...
    def matched(self, ids: Sequence[int], terms: Sequence[str]) -> Mapping[int, tuple[str, ...]]: ...


class _Now:
    """The store as it stands, through its index."""

    def __init__(self, store: Store, now: int) -> None:
        self.moment = now
        self._store = store
        self._numbers: dict[str, int] = {}

    def frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
        """In how many active facts each term stands; terms that no fact ever held are missing."""
        found = self._store.token_numbers(terms)
        self._numbers.update((term, number) for term, (number, _) in found.items())
        return {term: count for term, (_, count) in found.items()}

    def size(self) -> int:
        """How many facts are active."""
        return self._store.size()

    def search(
        self, groups: Sequence[Sequence[str]], limit: int, *, latest: bool = False
    ) -> Mapping[int, float]:
        """Facts that hold a term of every group, with their BM25 (lower is better); the best, or the latest."""
        numbered = [[self._numbers[term] for term in group] for group in groups]
        return {fact: -score for fact, score in self._store.search(numbered, limit=limit, latest=latest)}

    def facts(self, ids: Iterable[int]) -> Mapping[int, Fact]:
        """Facts by id."""
        return self._store.facts(ids)

    def matched(self, ids: Sequence[int], terms: Sequence[str]) -> Mapping[int, tuple[str, ...]]:
        """Which of the terms each fact holds, as it was measured at writing; no text is read for it."""
        numbers = {term: self._numbers[term] for term in terms if term in self._numbers}
        held = {fact: frozenset(tokens) for fact, tokens in self._store.tokens_of(ids).items()}
        return {
            fact: tuple(term for term, number in numbers.items() if number in held.get(fact, ()))
            for fact in ids
        }


class _Then:
    """Facts as they stood or held then; every one is looked at once, when the view is made."""

    def __init__(self, facts: Iterable[Fact], lexicon: Lexicon, moment: int) -> None:
        self.moment = moment
        self._facts = {fact.id: fact for fact in facts}
        self._holders: dict[str, list[int]] = defaultdict(list)
        self._lengths: dict[int, int] = {}
        for fact in self._facts.values():
            words = content(fact.text, lexicon)
            self._lengths[fact.id] = len(words)
            for word in words:
                self._holders[word].append(fact.id)

    def frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
        """In how many of the facts each term stands."""
        return {term: len(self._holders[term]) for term in terms if term in self._holders}

    def size(self) -> int:
        """How many facts there are."""
        return len(self._facts)

    def search(
        self, groups: Sequence[Sequence[str]], limit: int, *, latest: bool = False
    ) -> Mapping[int, float]:
        """Facts that hold a term of every group, with their BM25 (lower is better); the best, or the latest."""
        wanted = {term for group in groups for term in group}
        held: Posted = {term: self._holders[term] for term in wanted}
        holding = [set().union(*(held[term] for term in group)) for group in groups]
        common = set.intersection(*holding) if holding else set()
        scores = okapi(held, self._lengths, only=common)
        order = (lambda fact: -fact) if latest else (lambda fact: (scores[fact], fact))
        best = sorted(scores, key=order)[:limit]
        return {fact: scores[fact] for fact in best}

    def facts(self, ids: Iterable[int]) -> Mapping[int, Fact]:
        """Facts by id."""
        return {id_: self._facts[id_] for id_ in ids}

    def matched(self, ids: Sequence[int], terms: Sequence[str]) -> Mapping[int, tuple[str, ...]]:
        """Which of the terms each fact holds."""
        held = {term: frozenset(self._holders.get(term, ())) for term in terms}
        return {fact: tuple(term for term in terms if fact in held[term]) for fact in ids}


class Retriever:
    """Answers queries from one store; never writes.

    ``at`` is a snapshot's number: what the store held then. ``as_of`` is a time in microseconds: what was true
    then. Strength is that of the moment looked at, from the accesses logged by then.
    """

    def __init__(
        self,
        store: Store,
        *,
        policy: Policy,
        lexicon: Lexicon,
        now: int,
        at: int | None = None,
        as_of: int | None = None,
    ) -> None:
        self._store = store
        self._policy = policy
        self._lexicon = lexicon
        self.past = at is not None or as_of is not None
        self._view: _View
        if not self.past:
            self._view = _Now(store, now)
            return
        moment = as_of if as_of is not None else store.snapshot(at or 0).at
        if as_of is None:
            pool: Iterable[Fact] = store.state(at).facts.values()
        else:
            from nocturne.app.listing import true_at

            pool = true_at(store.all_facts(at), as_of)
        self._view = _Then(pool, lexicon, moment)

    def find(self, query: Query) -> Found:
        """The best facts for a query that may be shown: not faded, never quarantined."""
        wanted = _terms(query.text, self._lexicon)
        texts = [wanted, *(_terms(turn, self._lexicon) for turn in query.recent[:MOST_RECENT])]
        known = self._view.frequencies({term for terms in texts for term in terms})
        size = self._view.size()
        kept, dropped = searchable({term: known[term] for term in wanted if term in known}, size)
        limit = CANDIDATES
        while True:
            found = self._ranked(query, texts, known, size, limit)
            full = len(found.candidates) >= limit
            if len(found.hits) >= query.top or not full or limit >= MOST_CANDIDATES:
                break
            limit *= 4
        matched = self._view.matched([hit.fact.id for hit in found.hits], wanted)
        return Found(
            query,
            tuple(Hit(hit.fact, hit.factors, matched[hit.fact.id]) for hit in found.hits),
            kept,
            dropped,
            tuple(term for term in wanted if not known.get(term)),
            found.candidates[:CANDIDATES],
            found.faded,
            found.quarantined,
        )

    def _ranked(
        self,
        query: Query,
        texts: Sequence[Sequence[str]],
        known: Mapping[str, int],
        size: int,
        limit: int,
    ) -> Found:
        shares = []
        for terms in texts:
            kept, _ = searchable({term: known[term] for term in terms if term in known}, size)
            # A lone term that very many facts hold ranks none of them: the latest are as good as any.
            hot = len(kept) == 1 and known[kept[0]] > max(HOT_FLOOR, HOT_SHARE * size)
            shares.append(relevances(self._candidates(kept, limit, latest=hot)))
        near = mixed(shares[0], shares[1:])
        telling = [fact for fact, share in near.items() if share >= LEAST_RELEVANT]
        ids = sorted(telling, key=lambda fact: (-near[fact], fact))[:limit]
        facts = self._view.facts(ids)
        moment, law = self._view.moment, self._policy.strength.law
        stored = self._store.activations(ids, upto=moment if self.past else None)
        shown: list[tuple[Fact, float, float]] = []
        faded = quarantined = 0
        for id_ in ids:
            fact = facts[id_]
            current = strength(curve_of(stored.get(id_), fact), moment, law)
            if fact.quarantined_by is not None:
                quarantined += 1
            elif not visible(fact, current, self._policy):
                faded += 1
            else:
                shown.append((fact, near[id_], current))
        boosts = boosts_of(self._policy, query.intent) if query.intent is not None else {}
        best = ranked(shown, boosts)[: query.top]
        hits = tuple(Hit(facts[hit.fact], hit.factors) for hit in best)
        return Found(query, hits, candidates=tuple(ids), faded=faded, quarantined=quarantined)

    def _candidates(self, terms: Sequence[str], limit: int, *, latest: bool) -> Mapping[int, float]:
        """Facts that hold every term first; where they are few, facts that hold any."""
        terms = terms[:MOST_TERMS]
        if not terms:
            return {}
        found = dict(self._view.search([[term] for term in terms], limit, latest=latest))
        if len(found) < limit and len(terms) > 1:
            for fact, score in self._view.search([terms], limit).items():
                found.setdefault(fact, score)
        return found


def _terms(text: str, lexicon: Lexicon) -> tuple[str, ...]:
    return tuple(sorted(content(text, lexicon)))


def retrieve(
    store: Store,
    query: Query,
    *,
    policy: Policy,
    lexicon: Lexicon,
    now: int,
    at: int | None = None,
    as_of: int | None = None,
) -> Found:
    """One query, read-only; for several make one ``Retriever``."""
    return Retriever(store, policy=policy, lexicon=lexicon, now=now, at=at, as_of=as_of).find(query)


def native_ids(store: Store, facts: Iterable[Fact]) -> Mapping[int, tuple[str, ...]]:
    """For each fact the turns that it rests on, by the names that their transcripts gave them (else ``t41``)."""
    rests: dict[int, Sequence[Span]] = {fact.id: fact.sources for fact in facts}
    turns = store.turns({span.turn for spans in rests.values() for span in spans})
    named = {id_: turn.native_id or f"t{id_}" for id_, turn in turns.items()}
    return {
        fact: tuple(dict.fromkeys(named[span.turn] for span in spans if span.turn in named))
        for fact, spans in rests.items()
    }
