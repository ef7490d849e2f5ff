"""Statements that say the same, but between which another value was said: a return, and no repetition."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping

from nocturne.core.facts import Fact
from nocturne.core.meaning import attribute_of
from nocturne.core.table import shared
from nocturne.core.text.lexicon import Lexicon

Key = tuple[str, str, str]


class Stations:
    """The facts that state a single-valued attribute, by whom and what, in the order in which they were said."""

    def __init__(self, facts: Iterable[Fact], lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._placed: dict[Key, list[tuple[int, int, Fact]]] = defaultdict(list)
        for fact in facts:
            if fact.attribute is not None:
                self._placed[_key(fact)].append((_when(fact), fact.id, fact))
        for placed in self._placed.values():
            placed.sort(key=lambda row: row[:2])

    @classmethod
    def among(
        cls, facts: Mapping[int, Fact], lexicon: Lexicon, *, of: Fact | None = None, schemas: bool = True
    ) -> Stations:
        """Those among the facts of a table, or of those that state what one fact does of the same person."""

        def states(fact: Fact) -> bool:
            if fact.attribute is None or (not schemas and fact.block == "schemas"):
                return False
            return of is None or _key(fact) == _key(of)

        return cls((facts[id_] for id_, stated in shared(facts, states) if stated), lexicon)

    def between(self, one: Fact, other: Fact) -> int | None:
        """The first fact between two that gives their attribute another value, or None: Porto, Lisbon, Porto."""
        if one.attribute is None or _key(one) != _key(other):
            return None
        first, last = sorted((_when(one), _when(other)))
        placed = self._placed.get(_key(one), [])
        value = self._value(one)
        for _, id_, fact in placed[
            bisect_right(placed, first, key=lambda row: row[0]) : bisect_left(
                placed, last, key=lambda row: row[0]
            )
        ]:
            said = self._value(fact)
            if value is not None and said is not None and said[:2] == value[:2] and said[2] != value[2]:
                return id_
        return None

    def _value(self, fact: Fact) -> tuple[str, str, str] | None:
        return attribute_of(fact.text, self._lexicon, fact.speaker)


def _key(fact: Fact) -> Key:
    return fact.namespace, fact.subject, fact.attribute or ""


def _when(fact: Fact) -> int:
    """When it was so, as far as the text says, else when it was said."""
    return next((at for at in (fact.occurred_at, fact.said_at) if at is not None), fact.recorded_at)
