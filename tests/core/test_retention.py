"""Retention: ages, the stale limit to the microsecond, salience, capacity, loss and fading."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nocturne.core.facts import BLOCKS, CATEGORIES, DAY, Block, Category, Fact
from nocturne.core.policy import Forget, Policy, Strength
from nocturne.core.retention import (
    BLOCK_WEIGHT,
    age_days,
    exempt,
    faded,
    loss,
    newly_faded,
    over_capacity,
    overflow,
    salience,
    stale,
    visible,
)
from nocturne.core.strength import Activation, born

NOW = 1_000 * DAY
DEFAULT = Policy()


def fact(
    number: int = 1,
    *,
    days_old: Fraction | float = 0,
    block: Block = "scratch",
    category: Category = "context",
    pinned: bool = False,
    importance: int | None = None,
    active: bool = True,
) -> Fact:
    said = NOW - int(days_old * DAY)
    return Fact(
        id=number,
        text=f"The user once mentioned item {number}.",
        block=block,
        category=category,
        recorded_at=NOW,
        said_at=said,
        pinned=pinned,
        importance=importance,
        active=active,
    )


def capped(capacity: int | None, stale_days: int | None = 60, **strength: bool) -> Policy:
    return Policy(
        forget=Forget(capacity=capacity, stale_days=stale_days),
        strength=Strength(importance_in_salience=strength.get("importance", False)),
    )


def by_id(*facts: Fact) -> dict[int, Fact]:
    return {each.id: each for each in facts}


@pytest.mark.parametrize(
    ("microseconds", "expected"),
    [(60 * DAY - 1, False), (60 * DAY, False), (60 * DAY + 1, True), (0, False), (-5 * DAY, False)],
)
def test_the_stale_limit_is_exclusive(microseconds: int, expected: bool) -> None:
    old = Fact(1, "The user tried a new café.", "scratch", "event", NOW, said_at=NOW - microseconds)
    assert stale(old, DEFAULT, NOW) is expected


def test_a_fact_of_the_future_has_no_age() -> None:
    assert age_days(fact(days_old=-3), NOW) == 0


def test_age_is_exact_and_counts_from_when_it_was_said() -> None:
    assert age_days(fact(days_old=Fraction(1, 3)), NOW) == Fraction(1, 3)


def test_age_falls_back_to_the_recording_and_is_renewed_by_confirmation() -> None:
    recorded = Fact(1, "The user rents a studio.", "scratch", "fact", NOW - 70 * DAY)
    confirmed = Fact(2, "The user rents a studio.", "scratch", "fact", NOW - 70 * DAY, confirmed_at=NOW - DAY)
    assert stale(recorded, DEFAULT, NOW)
    assert not stale(confirmed, DEFAULT, NOW)


@pytest.mark.parametrize("category", CATEGORIES)
def test_protected_categories_never_go_stale(category: Category) -> None:
    protected = category in ("identity", "preferences", "commitments", "decisions")
    assert stale(fact(days_old=5000, category=category), DEFAULT, NOW) is not protected


def test_pinned_facts_are_exempt_from_every_rule() -> None:
    pinned = fact(days_old=5000, pinned=True)
    assert exempt(pinned, DEFAULT)
    assert not stale(pinned, DEFAULT, NOW)
    assert visible(pinned, 0.05, DEFAULT)
    assert overflow(by_id(pinned, fact(2)), capped(1), NOW) == {2}


def test_without_a_limit_nothing_is_stale() -> None:
    assert not stale(fact(days_old=9000), capped(None, stale_days=None), NOW)


@pytest.mark.parametrize(
    ("days_old", "block", "category", "expected"),
    [
        (0, "persona", "context", 90),
        (0, "human", "identity", 120),
        (30, "episodes", "event", 45),
        (60, "scratch", "context", 10),
        (600, "scratch", "context", 10),
        (-9, "scratch", "context", 40),
        (20, "schemas", "fact", 60),
    ],
)
def test_salience(days_old: int, block: Block, category: Category, expected: int) -> None:
    assert salience(fact(days_old=days_old, block=block, category=category), DEFAULT, NOW) == expected


def test_salience_is_exact() -> None:
    assert salience(fact(days_old=7), capped(None, stale_days=90), NOW) == 40 - Fraction(30 * 7, 90)


def test_importance_counts_only_where_the_policy_says_so() -> None:
    weighty = fact(importance=7)
    assert salience(weighty, capped(None, importance=True), NOW) - salience(weighty, DEFAULT, NOW) == 7


def test_every_block_has_a_weight() -> None:
    assert set(BLOCK_WEIGHT) == set(BLOCKS)


def test_capacity_takes_the_least_salient_first() -> None:
    human, episode = fact(1, block="human"), fact(4, block="episodes")
    facts = by_id(human, fact(2, days_old=10), fact(3, days_old=50), episode)
    taken = over_capacity(facts, capped(2), NOW)
    assert taken.ids == (3, 2)
    assert (taken.active, taken.capacity, taken.shortfall) == (4, 2, 0)


def test_of_equals_the_lowest_id_goes_last() -> None:
    facts = by_id(*(fact(number) for number in (5, 1, 3)))
    assert over_capacity(facts, capped(1), NOW).ids == (5, 3)
    assert overflow(facts, capped(1), NOW) == {3, 5}


def test_an_active_set_at_capacity_loses_nothing() -> None:
    facts = by_id(fact(1), fact(2), fact(3, active=False))
    assert overflow(facts, capped(2), NOW) == frozenset()
    assert overflow(facts, capped(None), NOW) == frozenset()


def test_where_exempt_facts_alone_exceed_capacity_it_says_by_how_many() -> None:
    facts = by_id(*(fact(number, category="identity") for number in range(1, 5)), fact(9))
    taken = over_capacity(facts, capped(2), NOW)
    assert (taken.ids, taken.shortfall) == ((9,), 2)


facts_at_random = st.lists(
    st.builds(
        fact,
        st.integers(1, 10_000),
        days_old=st.integers(-10, 200),
        block=st.sampled_from(BLOCKS),
        category=st.sampled_from(CATEGORIES),
        pinned=st.booleans(),
        active=st.booleans(),
    ),
    unique_by=lambda each: each.id,
    max_size=25,
)


@given(facts_at_random, st.integers(1, 12))
def test_overflow_is_just_enough_exempt_nobody_and_order_free(facts: list[Fact], capacity: int) -> None:
    policy = capped(capacity)
    taken = over_capacity(by_id(*facts), policy, NOW)
    assert over_capacity(by_id(*reversed(facts)), policy, NOW) == taken
    active = [each for each in facts if each.active]
    left = [each for each in active if each.id not in taken.ids]
    assert len(left) == max(min(len(active), capacity), len(active) - len(taken.ids))
    assert len(left) - taken.shortfall == min(len(active), capacity)
    assert not any(exempt(each, policy) for each in facts if each.id in taken.ids)
    takeable = [salience(each, policy, NOW) for each in left if not exempt(each, policy)]
    gone = [salience(each, policy, NOW) for each in facts if each.id in taken.ids]
    assert not takeable or not gone or max(gone) <= min(takeable)


@pytest.mark.parametrize(
    ("retired", "start", "budget", "allowed", "crossed"),
    [
        (2, 8, 0.25, 2, False),
        (3, 8, 0.25, 2, True),
        (1, 3, 0.25, 0, True),
        (0, 0, 0.25, 0, False),
        (1, 20, 0.05, 1, False),
        (3, 30, 0.1, 3, False),
        (5, 5, 1.0, 5, False),
        (1, 100, 0.0, 0, True),
    ],
)
def test_the_loss_budget_is_exact(
    retired: int, start: int, budget: float, allowed: int, crossed: bool
) -> None:
    night = loss(retired, start, Policy(loss_budget=budget))
    assert (night.allowed, night.crossed) == (allowed, crossed)
    assert night.share == (Fraction(retired, start) if start else 0)


def test_visibility_ends_below_the_limit_not_at_it() -> None:
    assert visible(fact(), 0.1, DEFAULT)
    assert not visible(fact(), 0.0999999, DEFAULT)


def test_faded_lists_active_unprotected_facts_only() -> None:
    facts = [
        fact(4),
        fact(2, category="decisions"),
        fact(3, active=False),
        fact(1),
        fact(7),
    ]
    activations = {number: born(NOW - 100 * DAY) for number in (1, 2, 3, 4)} | {7: born(NOW)}
    assert faded(facts, activations, DEFAULT, NOW) == (1, 4)


def test_a_fact_that_was_never_touched_fades_from_its_recording_on() -> None:
    assert faded([replace(fact(1), recorded_at=NOW - 91 * DAY), fact(2)], {}, DEFAULT, NOW) == (1,)


def test_newly_faded_is_what_crossed_the_limit_since() -> None:
    facts = [fact(1), fact(2), fact(3)]
    activations = {
        1: born(NOW - 200 * DAY),
        2: Activation(1.0, NOW - 91 * DAY),
        3: Activation(1.0, NOW - 30 * DAY),
    }
    assert newly_faded(facts, activations, DEFAULT, NOW - 2 * DAY, NOW) == (2,)
