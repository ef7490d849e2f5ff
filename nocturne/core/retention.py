"""Who may be forgotten, and why: age, staleness, salience, capacity, the loss budget, and fading from view.

All of it is exact: ages are whole microseconds, limits are fractions, no float decides. A fact whose category
the policy protects, or that a person pinned, is exempt from every rule here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from operator import attrgetter

from nocturne.core.facts import DAY, Block, Fact
from nocturne.core.policy import Policy, exact
from nocturne.core.strength import Activation, born, strength
from nocturne.core.table import shared

BLOCK_WEIGHT: dict[Block, int] = {
    "persona": 60,
    "human": 50,
    "schemas": 40,
    "episodes": 30,
    "scratch": 10,
}
"""Schemas stand between what is known of the person and single events: members can yield them anew."""

PROTECTED_WEIGHT = 40
RECENCY_WEIGHT = 30
RECENCY_DAYS_WITHOUT_STALE_LIMIT = 60


def age(fact: Fact, now: int) -> int:
    """Microseconds since the fact was last said or confirmed; a fact of the future has no age yet."""
    return max(0, now - fact.learned_at)


def age_days(fact: Fact, now: int) -> Fraction:
    """``age`` in days, exactly."""
    return Fraction(age(fact, now), DAY)


def exempt(fact: Fact, policy: Policy) -> bool:
    """Whether no retention rule may take the fact: protected category, or pinned."""
    return fact.pinned or policy.is_protected(fact.category)


def stale(fact: Fact, policy: Policy, now: int) -> bool:
    """Whether the stale rule may retire the fact: strictly older than the limit, and not exempt."""
    limit = policy.forget.stale_days
    return limit is not None and age(fact, now) > limit * DAY and not exempt(fact, policy)


def spans(fact: Fact, policy: Policy, now: int) -> int:
    """How many whole times the stale limit has been passed; 0 while the fact is not stale, or without a limit."""
    limit = policy.forget.stale_days
    return 0 if limit is None else max(0, age(fact, now) - 1) // (limit * DAY)


def salience(fact: Fact, policy: Policy, now: int) -> Fraction:
    """Block weight + 40 if protected + max(0, 30 − 30·age/stale); + importance where the policy counts it."""
    span = _recency_span(policy)
    return Fraction(_scaled_salience(fact, policy, now, span), span)


def _recency_span(policy: Policy) -> int:
    days = policy.forget.stale_days
    return (RECENCY_DAYS_WITHOUT_STALE_LIMIT if days is None else days) * DAY


def _scaled_salience(fact: Fact, policy: Policy, now: int, span: int) -> int:
    """Salience times ``span``: whole numbers, because a million fractions cost seconds."""
    whole = BLOCK_WEIGHT[fact.block]
    if policy.is_protected(fact.category):
        whole += PROTECTED_WEIGHT
    if policy.strength.importance_in_salience and fact.importance is not None:
        whole += fact.importance
    return whole * span + RECENCY_WEIGHT * max(0, span - age(fact, now))


@dataclass(frozen=True, slots=True)
class Overflow:
    """Which facts capacity takes, first to go first, and how many exempt facts stand above it even then."""

    ids: tuple[int, ...] = ()
    active: int = 0
    capacity: int | None = None
    shortfall: int = 0


def overflow(
    facts: Mapping[int, Fact], policy: Policy, now: int, *, gone: AbstractSet[int] = frozenset()
) -> frozenset[int]:
    """Ids of the facts that capacity takes, once those in ``gone`` have been let go."""
    return frozenset(over_capacity(facts, policy, now, gone=gone).ids)


def over_capacity(
    facts: Mapping[int, Fact], policy: Policy, now: int, *, gone: AbstractSet[int] = frozenset()
) -> Overflow:
    """The facts of least salience above the policy's capacity; of equals the lowest id goes last.

    Exempt facts are never taken: where they alone exceed the capacity, ``shortfall`` says by how many.
    """
    capacity = policy.forget.capacity
    active = sum(stands and id_ not in gone for id_, stands in shared(facts, attrgetter("active")))
    if capacity is None or active <= capacity:
        return Overflow(active=active, capacity=capacity)
    excess = active - capacity
    span = _recency_span(policy)
    takes = shared(facts, lambda fact: fact.active and not exempt(fact, policy))
    ranked = [id_ for id_, may_go in takes if may_go and id_ not in gone]
    # Two sorts by one number each: pairs of numbers would be larger than the facts' own table.
    ranked.sort(reverse=True)
    ranked.sort(key=lambda id_: _scaled_salience(facts[id_], policy, now, span))
    taken = tuple(ranked[:excess])
    return Overflow(taken, active, capacity, excess - len(taken))


@dataclass(frozen=True, slots=True)
class Loss:
    """Retirements without a live successor, against the active set at the start of the sleep."""

    retired: int
    start: int
    budget: Fraction

    @property
    def share(self) -> Fraction:
        """The share of the start's facts that went; of an empty start nothing can be lost."""
        return Fraction(self.retired, self.start) if self.start else Fraction(0)

    @property
    def allowed(self) -> int:
        """How many facts the budget lets go in all, rounded down."""
        return int(self.budget * self.start)

    @property
    def crossed(self) -> bool:
        """Whether more went than the budget allows; exactly the budget is allowed."""
        return self.retired > self.budget * self.start


def loss(retired: int, start: int, policy: Policy) -> Loss:
    """The loss of a sleep so far: ``retired`` facts without a live successor of ``start`` active ones."""
    return Loss(retired, start, exact(policy.loss_budget))


def visible(fact: Fact, current: float, policy: Policy) -> bool:
    """Whether recall and export may show a fact of strength ``current``; exempt facts never fade."""
    return current >= policy.strength.visible_above or exempt(fact, policy)


def faded(
    facts: Iterable[Fact], activations: Mapping[int, Activation], policy: Policy, now: int
) -> tuple[int, ...]:
    """Ids of the active facts that are below visibility, ascending; they are still there for the person.

    A fact without an activation was never touched: its strength is that of a new one at ``recorded_at``.
    """
    law = policy.strength.law
    found = []
    for fact in facts:
        if fact.active and not exempt(fact, policy):
            activation = activations.get(fact.id) or born(fact.recorded_at)
            if not visible(fact, strength(activation, now, law), policy):
                found.append(fact.id)
    return tuple(sorted(found))


def newly_faded(
    facts: Collection[Fact], activations: Mapping[int, Activation], policy: Policy, since: int, now: int
) -> tuple[int, ...]:
    """Those of the faded that were still visible at ``since``, as their activations stand now."""
    before = set(faded(facts, activations, policy, since))
    return tuple(fact for fact in faded(facts, activations, policy, now) if fact not in before)
