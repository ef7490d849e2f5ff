"""The decision ledger: what was decided, what took its place, and why, newest chain first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from nocturne.app.ports import MutationRow, Store
from nocturne.core.facts import Fact
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.text.measures import content

ABSORBED = frozenset({"dedupe", "merge"})
"""A fact retired so lives on, word for word, in the one that took it in: it is no step of its own."""
_BECAUSE = (
    " because ",
    " so that ",
    " porque ",
    " parce que ",
    " car ",
    " weil ",
    " потому что ",
    "因为",
    "ので",
)


@dataclass(frozen=True, slots=True)
class Step:
    """One decision of a chain. ``ended_by`` and ``why`` say what superseded it, or what else became of it."""

    fact: Fact
    reasoning: str | None
    outcome: str
    ended_by: int | None = None
    why: str | None = None
    ruling: MutationRow | None = None


@dataclass(frozen=True, slots=True)
class Chain:
    """Decisions on one matter, the newest first."""

    steps: tuple[Step, ...]

    @property
    def newest(self) -> int:
        """When its newest decision was made."""
        return _when(self.steps[0].fact)

    @property
    def domain(self) -> str:
        """The attribute that it is about where it has one, else the kind of fact."""
        named = next((step.fact.attribute for step in self.steps if step.fact.attribute), None)
        return named or self.steps[0].fact.category


def decisions(
    store: Store, *, lexicon: Lexicon, topic: str | None = None, everything: bool = False
) -> list[Chain]:
    """The chains of decisions, newest first; with ``everything`` of every fact that superseded another.

    ``topic`` keeps chains in which one fact or all together hold every content word of it.
    """
    facts = {fact.id: fact for fact in store.all_facts()}
    ends: dict[int, list[Fact]] = defaultdict(list)
    for fact in facts.values():
        if fact.retired_by not in ABSORBED and fact.layer != "schema" and fact.block != "schemas":
            ends[_end(fact, facts)].append(fact)
    wanted = content(topic, lexicon) if topic is not None else frozenset()
    chains = []
    for held in ends.values():
        held.sort(key=lambda fact: (_when(fact), fact.id), reverse=True)
        if not _told(held, everything=everything):
            continue
        words = frozenset().union(*(content(fact.text, lexicon) for fact in held))
        if topic is None or (wanted and wanted <= words):
            chains.append(Chain(tuple(_step(store, fact) for fact in held)))
    chains.sort(key=lambda chain: (-chain.newest, -chain.steps[0].fact.id))
    return chains


def _told(held: Sequence[Fact], *, everything: bool) -> bool:
    if everything:
        return len(held) > 1
    return any(fact.category == "decisions" for fact in held)


def _end(fact: Fact, facts: Mapping[int, Fact]) -> int:
    """The fact at the end of the successors."""
    seen = {fact.id}
    while fact.successor is not None and fact.successor in facts and fact.successor not in seen:
        fact = facts[fact.successor]
        seen.add(fact.id)
    return fact.id


def _when(fact: Fact) -> int:
    return next((at for at in (fact.occurred_at, fact.said_at) if at is not None), fact.recorded_at)


def _step(store: Store, fact: Fact) -> Step:
    if fact.active:
        return Step(fact, reasoning(fact.text), "stands")
    ruling = _ruling(store.mutations_of(fact.id), fact)
    why = ruling.reason if ruling is not None and ruling.reason else None
    if fact.retired_by == "contradict":
        return Step(fact, reasoning(fact.text), "superseded", fact.successor, why, ruling)
    return Step(fact, reasoning(fact.text), fact.retired_by or "retired", None, why, ruling)


def _ruling(rows: Iterable[MutationRow], fact: Fact) -> MutationRow | None:
    """The last accepted entry that retired the fact."""
    kinds = {"contradict": ("contradict",)}.get(fact.retired_by or "", ("forget", "restore", "purge"))
    found = [row for row in rows if row.accepted and row.kind in kinds and fact.id in row.touched]
    return found[-1] if found else None


def reasoning(text: str) -> str | None:
    """The reason that a decision gives for itself, in its own words."""
    low = text.casefold()
    places = [(low.index(word), word) for word in _BECAUSE if word in low]
    if not places:
        return None
    at, _ = min(places)
    return text[at:].strip().rstrip(".。!")
