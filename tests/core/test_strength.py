"""Strength: published vectors, and properties that hold for all inputs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nocturne.core.facts import CATEGORIES, DAY, HOUR, SECOND
from nocturne.core.strength import (
    CEILING,
    CONTRADICTION_WEIGHT,
    FLOOR,
    Activation,
    Law,
    accessed,
    boost,
    born,
    centrality_factor,
    contradicted,
    contradiction_factor,
    decayed,
    replay,
    retention,
    scaled,
    stability,
    strength,
    suppressed,
)

LAWS: tuple[Law, ...] = ("hyperbolic", "exponential", "linear", "none")
EXACT = 5e-7

strengths = st.floats(FLOOR, CEILING)
spans = st.floats(0, 3650)
counts = st.integers(0, 60)
laws = st.sampled_from(LAWS)
activations = st.builds(Activation, base=strengths, last_access=st.integers(0, 400 * DAY), spaced=counts)


@pytest.mark.parametrize(
    ("spaced", "expected"), [(0, 1), (1, 1.5), (2, 2.414214), (3, 3.598076), (5, 6.590170), (10, 16.811388)]
)
def test_stability(spaced: int, expected: float) -> None:
    assert stability(spaced) == pytest.approx(expected, abs=EXACT)


@pytest.mark.parametrize(
    ("days", "spaced", "expected"),
    [(10, 0, 0.5), (90, 0, 0.1), (10, 1, 0.6), (30, 3, 0.545322), (90, 5, 0.422713), (90, 10, 0.651317)],
)
def test_retention(days: float, spaced: int, expected: float) -> None:
    assert retention(days, spaced) == pytest.approx(expected, abs=EXACT)


@pytest.mark.parametrize(
    ("current", "days", "expected"),
    [
        (1.0, 30 / 86_400, 0.000026),
        # Published elsewhere as +0.059; the same page's formula gives 0.15·(1 − 1/2)·(1 − e^−1) = 0.047409.
        (1.0, 1, 0.047409),
        (1.0, 7, 0.074932),
        (1.8, 7, 0.014986),
        (2.0, 7, 0.0),
    ],
)
def test_boost(current: float, days: float, expected: float) -> None:
    assert boost(current, days) == pytest.approx(expected, abs=EXACT)


@pytest.mark.parametrize(
    ("old", "weight", "expected"),
    [(1.0, 1.0, 0.439122), (2.0, 0.6, 0.681532), (0.3, 1.0, 0.223188), (0.05, 1.0, 0.200000)],
)
def test_contradiction_factor(old: float, weight: float, expected: float) -> None:
    assert contradiction_factor(old, weight) == pytest.approx(expected, abs=EXACT)


@pytest.mark.parametrize(("similarity", "expected"), [(1, 0.50), (0.9, 0.54), (0.65, 0.64), (0, 0.9)])
def test_centrality_factor(similarity: float, expected: float) -> None:
    assert centrality_factor(similarity) == pytest.approx(expected, abs=EXACT)


def test_every_category_has_its_weight_of_evidence() -> None:
    expected = dict(zip(CATEGORIES, (1.0, 0.75, 1.0, 1.0, 0.9, 0.6, 0.9, 0.5), strict=True))
    assert expected == CONTRADICTION_WEIGHT


@pytest.mark.parametrize(
    ("law", "expected"), [("hyperbolic", 0.6), ("linear", 0.6), ("exponential", 0.001273), ("none", 1.0)]
)
def test_the_laws_differ_where_they_should(law: Law, expected: float) -> None:
    assert retention(10, 1, law) == pytest.approx(expected, abs=EXACT)


def test_linear_stability_grows_by_a_half_an_access() -> None:
    assert [stability(n, "linear") for n in (0, 1, 4, 10)] == [1.0, 1.5, 3.0, 6.0]


def test_only_a_gap_of_twelve_hours_counts_as_spaced() -> None:
    fresh = born(0)
    assert accessed(fresh, 12 * HOUR - 1).spaced == 0
    assert accessed(fresh, 12 * HOUR).spaced == 1


def test_an_access_sets_the_base_to_strength_then_plus_its_boost() -> None:
    after = accessed(born(0), 10 * DAY)
    assert after.base == pytest.approx(0.5 + boost(0.5, 10))
    assert after.last_access == 10 * DAY


def test_an_access_out_of_order_changes_nothing() -> None:
    now = accessed(born(0), 5 * DAY)
    assert accessed(now, 4 * DAY) == now


def test_new_evidence_weakens_the_old_at_every_later_time() -> None:
    old = Activation(1.0, 0, 0)
    after, factor = contradicted(old, "decisions", 10 * DAY)
    assert factor == pytest.approx(contradiction_factor(0.5, 1.0))
    for day in (10, 11, 20):
        assert strength(after, day * DAY) == pytest.approx(strength(old, day * DAY) * factor)


def test_a_competitor_loses_three_percent() -> None:
    assert strength(suppressed(born(0)), 0) == pytest.approx(0.97)


@given(activations, spans, spans, laws)
def test_strength_never_rises_with_time(memory: Activation, a: float, b: float, law: Law) -> None:
    early, late = sorted(memory.last_access + int(days * DAY) for days in (a, b))
    assert strength(memory, late, law) <= strength(memory, early, law)


@given(strengths, spans, counts, st.integers(1, 20), laws)
def test_more_spaced_accesses_never_lower_it(base: float, days: float, n: int, more: int, law: Law) -> None:
    assert decayed(base, days, n + more, law) >= decayed(base, days, n, law)


@given(strengths, strengths, spans, counts, laws)
def test_the_stronger_memory_stays_the_stronger(a: float, b: float, days: float, n: int, law: Law) -> None:
    weak, strong = sorted((a, b))
    assert decayed(weak, days, n, law) <= decayed(strong, days, n, law)


@given(activations, st.lists(st.integers(0, 4000 * DAY), max_size=4), laws)
def test_reading_strength_any_number_of_times_gives_the_same_figure(
    memory: Activation, readings: list[int], law: Law
) -> None:
    now = 3000 * DAY
    once = strength(memory, now, law)
    for at in readings:
        strength(memory, at, law)
    assert strength(memory, now, law) == once


@given(activations, st.lists(st.integers(-2 * DAY, 3650 * DAY), max_size=12), laws)
def test_bounds_hold_after_any_schedule(memory: Activation, gaps: list[int], law: Law) -> None:
    at = memory.last_access
    for gap in gaps:
        at += gap
        memory = suppressed(accessed(memory, at, law))
        assert FLOOR <= memory.base <= CEILING
        assert FLOOR <= strength(memory, at, law) <= CEILING


@given(activations, st.floats(0, 1), st.floats(0, 1), spans)
def test_scaling_keeps_to_the_floor_and_never_strengthens(
    memory: Activation, a: float, b: float, days: float
) -> None:
    now = memory.last_access + int(days * DAY)
    assert FLOOR <= strength(scaled(scaled(memory, a), b), now) <= strength(memory, now)


@given(strengths, spans)
def test_a_boost_is_small_and_never_negative(current: float, days: float) -> None:
    assert 0.0 <= boost(current, days) <= 0.15


@given(strengths, strengths, st.sampled_from(sorted(CONTRADICTION_WEIGHT.values())))
def test_strong_beliefs_resist_evidence_better(a: float, b: float, weight: float) -> None:
    weak, strong = sorted((a, b))
    yielding, resisting = contradiction_factor(weak, weight), contradiction_factor(strong, weight)
    assert 0.2 <= yielding <= resisting <= 0.85


@settings(max_examples=200)
@given(
    st.integers(1, 20),
    st.integers(0, 12 * HOUR - 1),
    st.integers(12 * HOUR, 8 * DAY),
    st.integers(0, 8 * DAY),
    st.integers(0, 365 * DAY),
)
def test_a_spaced_schedule_never_ends_below_a_massed_one(
    count: int, massed_gap: int, spaced_gap: int, first: int, wait: int
) -> None:
    massed = replay(0, (first + k * massed_gap for k in range(count)))
    spaced = replay(0, (first + k * spaced_gap for k in range(count)))
    end = first + (count - 1) * spaced_gap + wait
    assert strength(spaced, end) >= strength(massed, end)


def test_beyond_that_a_very_long_gap_can_cost_more_than_it_buys() -> None:
    """The price of a hyperbola that starts anew at each access; kept as the formula has it, and known."""
    spaced = replay(0, (DAY, 46 * DAY))
    massed = replay(0, (DAY, DAY + 30 * SECOND))
    assert strength(spaced, 46 * DAY) > strength(massed, 46 * DAY)
    assert strength(spaced, 91 * DAY) < strength(massed, 91 * DAY)
