"""What a retrieval leaves in the memory: stronger hits, weaker competitors, windows open to refinement.

All of it lies beside the versions: the chain does not move, and restore leaves it alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nocturne.app.recall import MOST_RECENT, Found
from nocturne.core.facts import Activation, Fact
from nocturne.core.lability import opened
from nocturne.core.policy import Policy
from nocturne.core.retrieval import blended, competitors, in_reach, tfidf
from nocturne.core.strength import accessed, suppressed
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.text.measures import content
from nocturne.errors import StoreLocked, StoreWriteFailed
from nocturne.passes.activations import curve_of, row_of

if TYPE_CHECKING:
    from nocturne.app.ports import Store, Transaction

RETRIEVED, SUPPRESSED, CLOSED = "retrieved", "suppressed", "closed"


@dataclass(frozen=True, slots=True)
class Remembered:
    """What was recorded; ``failure`` says why nothing was, if nothing was."""

    retrieved: tuple[int, ...] = ()
    suppressed: tuple[int, ...] = ()
    failure: str | None = None


def remember(
    store: Store, answers: Sequence[Found], *, policy: Policy, lexicon: Lexicon, now: int
) -> Remembered:
    """Record the accesses of these answers, in their order, in one transaction; a locked store is no error.

    Strengths are read inside the transaction, so that two recalls at a time both count.
    """
    if not any(answer.hits for answer in answers):
        return Remembered()
    try:
        with store.transaction() as tx:
            return _Recording(store, policy, lexicon, now).write(tx, answers)
    except (StoreLocked, StoreWriteFailed) as error:
        return Remembered(failure=error.message)


class _Recording:
    def __init__(self, store: Store, policy: Policy, lexicon: Lexicon, now: int) -> None:
        self.store = store
        self.law = policy.strength.law
        self.lexicon = lexicon
        self.now = now
        self.rows: dict[int, Activation] = {}
        self.windows: dict[int, int] = {}

    def write(self, tx: Transaction, answers: Sequence[Found]) -> Remembered:
        self.windows = dict(self.store.labile(self.now))
        retrieved: dict[int, None] = {}
        weakened: dict[int, None] = {}
        for answer in answers:
            rivals = self._rivals(answer)
            self._read([*(hit.fact.id for hit in answer.hits), *rivals])
            hits = [hit.fact for hit in answer.hits]
            closed = self._open(hits)
            tx.note_accesses([self._strengthen(fact) for fact in hits], kind=RETRIEVED, at=self.now)
            facts = self.store.facts(rivals)
            tx.note_accesses([self._weaken(facts[id_]) for id_ in rivals], kind=SUPPRESSED, at=self.now)
            tx.note_accesses(self._shut(closed), kind=CLOSED, at=self.now)
            retrieved |= dict.fromkeys(fact.id for fact in hits)
            weakened |= dict.fromkeys(rivals)
        return Remembered(tuple(retrieved), tuple(weakened))

    def _read(self, ids: Sequence[int]) -> None:
        unread = [id_ for id_ in ids if id_ not in self.rows]
        self.rows.update(self.store.activations(unread))

    def _open(self, hits: Sequence[Fact]) -> list[int]:
        """Open or extend the windows of the hits; the facts whose window had to close for them."""
        before = self.windows
        self.windows = opened(before, [fact.id for fact in hits], self.now)
        return [fact for fact in before if fact not in self.windows and before[fact] >= self.now]

    def _strengthen(self, fact: Fact) -> Activation:
        after = accessed(curve_of(self.rows.get(fact.id), fact), self.now, self.law)
        row = self.rows[fact.id] = row_of(fact, after, self.windows.get(fact.id))
        return row

    def _weaken(self, fact: Fact) -> Activation:
        row = self.rows.get(fact.id)
        after = suppressed(curve_of(row, fact))
        made = self.rows[fact.id] = row_of(fact, after, row.labile_until if row else None)
        return made

    def _shut(self, closed: Sequence[int]) -> list[Activation]:
        self._read(closed)
        rows = [self.rows[id_] for id_ in closed if id_ in self.rows]
        shut = [Activation(row.fact, row.base, row.last_access, row.spaced) for row in rows]
        self.rows.update((row.fact, row) for row in shut)
        return shut

    def _rivals(self, answer: Found) -> tuple[int, ...]:
        """The close competitors among the candidates that were not shown; schemas are exempt."""
        hits = {hit.fact.id for hit in answer.hits}
        others = [id_ for id_ in answer.candidates if id_ not in hits]
        if not others:
            return ()
        texts = [
            content(text, self.lexicon) for text in (answer.query.text, *answer.query.recent[:MOST_RECENT])
        ]
        known = self.store.token_numbers({term for terms in texts for term in terms})
        size = self.store.size()
        counts = {str(number): count for number, count in known.values()}
        asked = [
            tfidf([str(known[term][0]) for term in sorted(terms) if term in known], counts, size)
            for terms in texts
        ]
        query = blended(asked[0], asked[1:])
        # Most candidates share one common word: those need no look at how rare their other words are.
        held = {
            fact: tokens
            for fact, numbers in self.store.tokens_of(others).items()
            if in_reach(query, tokens := [str(number) for number in numbers])
        }
        numbers = {int(token) for tokens in held.values() for token in tokens}
        frequencies = {
            str(number): count for number, count in self.store.document_frequencies(numbers).items()
        }
        vectors = {fact: tfidf(tokens, frequencies, size) for fact, tokens in held.items()}
        near = competitors(query, vectors, retrieved=hits)
        layers = self.store.facts(near)
        return tuple(id_ for id_ in near if layers[id_].layer != "schema" and layers[id_].block != "schemas")
