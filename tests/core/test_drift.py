"""Drift: shares of topics, thirty days apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nocturne.core.drift import Move, baseline, compared, topic_weights
from nocturne.core.facts import DAY, Fact

HOME, WORK, SAIL = "category:fact", "category:decisions", "schema:m9"


def test_weights_are_strengths_summed_by_schema_and_category() -> None:
    facts = {
        1: Fact(1, "Rents a studio.", "human", "fact", 0),
        2: Fact(2, "Bought a boat.", "episodes", "event", 0),
        3: Fact(3, "Sailed at dawn.", "episodes", "event", 0),
        4: Fact(4, "Sold the van.", "episodes", "event", 0, active=False),
        9: Fact(9, "Sails often.", "schemas", "fact", 0, layer="schema"),
    }
    strengths = {1: 0.5, 2: 1.0, 3: 0.25, 4: 2.0, 9: 1.5}
    weights = topic_weights([(fact, strengths[id_]) for id_, fact in facts.items()], {2: 9, 3: 9})
    assert weights == {"category:fact": 0.5, "schema:m9": 2.75}


def test_the_baseline_is_the_latest_at_least_thirty_days_back() -> None:
    now = 100 * DAY
    assert baseline([10 * DAY, 70 * DAY, 70 * DAY + 1, 99 * DAY], now) == 70 * DAY
    assert baseline([71 * DAY], now) is None
    assert baseline([], now) is None


def test_small_moves_are_stable() -> None:
    found = compared({HOME: 5.0, WORK: 5.0}, {HOME: 6.0, WORK: 4.0}, {WORK})
    assert found.kind == "stable"
    assert found.distance == pytest.approx(0.1)
    assert found.driven_by == ()
    assert [move.topic for move in found.moves] == [WORK, HOME]


def test_a_decision_in_a_moved_topic_makes_it_deliberate() -> None:
    found = compared({HOME: 5.0, WORK: 5.0}, {HOME: 2.0, WORK: 2.0, SAIL: 6.0}, {SAIL})
    assert found.kind == "deliberate_pivot"
    assert found.driven_by == (SAIL,)
    assert found.moves[0].topic == SAIL
    assert found.moves[0].by == pytest.approx(0.6)


def test_without_one_it_is_gradual() -> None:
    assert compared({HOME: 5.0, WORK: 5.0}, {HOME: 8.0, WORK: 2.0}, set()).kind == "gradual_drift"


def test_a_decision_elsewhere_does_not_count() -> None:
    before, after = {HOME: 5.0, WORK: 5.0, SAIL: 0.1}, {HOME: 8.0, WORK: 2.0, SAIL: 0.1}
    assert compared(before, after, {SAIL}).kind == "gradual_drift"


def test_growth_in_proportion_is_no_drift() -> None:
    assert compared({HOME: 1.0, WORK: 2.0}, {HOME: 10.0, WORK: 20.0}, {HOME}).distance == pytest.approx(0.0)


def test_from_an_empty_memory_everything_is_new() -> None:
    found = compared({}, {HOME: 3.0}, set())
    assert (found.kind, found.distance) == ("gradual_drift", 0.5)
    assert found.moves == (Move(HOME, 0.0, 1.0),)
    assert compared({}, {}, set()).kind == "stable"


weights = st.dictionaries(
    st.sampled_from([HOME, WORK, SAIL, "category:event"]), st.floats(0.05, 50), max_size=4
)


@given(weights, weights)
def test_distance_is_symmetric_and_at_most_one(a: dict[str, float], b: dict[str, float]) -> None:
    there, back = compared(a, b, set()), compared(b, a, set())
    assert there.distance == pytest.approx(back.distance)
    assert 0.0 <= there.distance <= 1.0 + 1e-9
    assert compared(a, a, set()).kind == "stable"
