"""``nocturne facts`` and ``show``: what the store holds, now or at an earlier version, true now or then."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from nocturne.app.evidence import evidence_of
from nocturne.app.ports import Store
from nocturne.core.facts import BLOCKS, Fact
from nocturne.core.policy import Policy
from nocturne.core.retention import exempt, faded, stale
from nocturne.core.strength import Activation, strength
from nocturne.passes.activations import curve_of


@dataclass(frozen=True, slots=True)
class Filter:
    """Which facts to list. ``as_of`` is a time in microseconds: what was true then, as far as the store knows."""

    everything: bool = False
    at: int | None = None
    as_of: int | None = None
    category: str | None = None
    block: str | None = None
    grep: str | None = None
    faded: bool = False
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """A fact with its strength now, and whether tonight's policy would let it go.

    ``evidence`` and ``sessions`` are those of a schema, where they were looked up: its members, and in how many
    sessions they were said.
    """

    fact: Fact
    strength: float
    stale: bool
    faded: bool
    evidence: tuple[int, ...] = ()
    sessions: int = 0


def listed(store: Store, wanted: Filter, *, policy: Policy, now: int) -> list[Listed]:
    """The matching facts, in the order of blocks, then of ids."""
    pool = _pool(store, wanted)
    stored = store.activations()
    curves = {fact.id: curve_of(stored.get(fact.id), fact) for fact in pool}
    hidden = set(faded(pool, curves, policy, now))
    found = [_line(fact, curves[fact.id], policy, now, hidden=fact.id in hidden) for fact in pool]
    chosen = [line for line in found if _matches(line, wanted)]
    return sorted(chosen, key=lambda line: (BLOCKS.index(line.fact.block), line.fact.id))


def with_evidence(store: Store, line: Listed) -> Listed:
    """The line with what its schema was last measured on; other facts as they are."""
    members = evidence_of(store, {line.fact.id: line.fact}).get(line.fact.id, ())
    if not members:
        return line
    turns = store.turns({span.turn for fact in store.facts(members).values() for span in fact.sources})
    said = {(turn.source, turn.session) for turn in turns.values()}
    return replace(line, evidence=members, sessions=len(said))


def held_at(fact: Fact, moment: int) -> bool:
    """Whether the fact was true at ``moment``, as far as the store knows: said by then, and not ended by then."""
    begun = (
        fact.valid_from
        if fact.valid_from is not None
        else min(fact.learned_at, fact.said_at or fact.recorded_at)
    )
    return begun <= moment and (fact.valid_until is None or moment < fact.valid_until)


def true_at(facts: Iterable[Fact], moment: int) -> list[Fact]:
    """What was true at ``moment``: a superseded fact held until it ended, a merged one lives on in its successor."""
    return [
        fact for fact in facts if (fact.active or fact.retired_by == "contradict") and held_at(fact, moment)
    ]


def _pool(store: Store, wanted: Filter) -> list[Fact]:
    if wanted.everything or wanted.as_of is not None:
        facts: Iterable[Fact] = store.all_facts(wanted.at)
    else:
        facts = store.state(wanted.at).facts.values()
    return list(facts) if wanted.as_of is None else true_at(facts, wanted.as_of)


def _line(fact: Fact, curve: Activation, policy: Policy, now: int, *, hidden: bool) -> Listed:
    old = fact.active and not exempt(fact, policy) and stale(fact, policy, now)
    return Listed(fact, strength(curve, now, policy.strength.law), old, hidden)


def _matches(line: Listed, wanted: Filter) -> bool:
    fact = line.fact
    return (
        (wanted.category is None or fact.category == wanted.category)
        and (wanted.block is None or fact.block == wanted.block)
        and (wanted.grep is None or wanted.grep.casefold() in fact.text.casefold())
        and (not wanted.faded or line.faded)
        and (not wanted.stale or line.stale)
    )
