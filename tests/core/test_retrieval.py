"""Ranking, blending, term choice and competitors, without a store."""

from __future__ import annotations

import math
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nocturne.core.facts import Category, Fact, Layer
from nocturne.core.policy import Intent, Policy
from nocturne.core.retrieval import (
    Factors,
    blended,
    boosts_of,
    competitors,
    cosine,
    in_reach,
    ranked,
    recent_weights,
    relevances,
    searchable,
    tfidf,
    unit,
)


def fact(number: int, category: Category = "context", layer: Layer = "episodic") -> Fact:
    return Fact(number, f"The user mentioned item {number}.", "scratch", category, 0, layer=layer)


BOOSTED: list[tuple[Intent, Category, Layer, float, float]] = [
    ("decision", "decisions", "episodic", 1.5, 1.0),
    ("decision", "commitments", "schema", 1.2, 1.5),
    ("decision", "fact", "semantic", 1.0, 1.0),
    ("research", "fact", "semantic", 1.2, 1.3),
    ("research", "decisions", "schema", 1.0, 1.3),
    ("tasks", "commitments", "episodic", 1.5, 1.0),
    ("tasks", "decisions", "schema", 1.2, 1.0),
    ("tasks", "event", "episodic", 1.2, 1.0),
    ("chat", "preferences", "semantic", 1.2, 1.0),
    ("chat", "identity", "episodic", 1.2, 1.0),
]


@pytest.mark.parametrize(("intent", "category", "layer", "by_category", "by_layer"), BOOSTED)
def test_the_score_is_the_product_of_four_factors(
    intent: Intent, category: Category, layer: Layer, by_category: float, by_layer: float
) -> None:
    (hit,) = ranked([(fact(7, category, layer), 0.5, 0.8)], boosts_of(Policy(), intent))
    assert hit.factors == Factors(0.5, 0.8, by_category, by_layer)
    assert hit.factors.score == pytest.approx(0.5 * 0.8 * by_category * by_layer)


def test_a_policy_may_boost_otherwise() -> None:
    policy = Policy(boosts={"chat": {"opinion": 3.0}})
    assert boosts_of(policy, "chat") == {"opinion": 3.0}
    assert boosts_of(policy, "tasks") == {}


def test_every_intent_has_boosts() -> None:
    assert all(boosts_of(Policy(), intent) for intent in get_args(Intent))


def test_best_first_and_of_equals_the_lowest_id() -> None:
    hits = ranked([(fact(3), 0.5, 1.0), (fact(1), 0.5, 1.0), (fact(2), 0.9, 1.0), (fact(4), 1.0, 0.1)], {})
    assert [hit.fact for hit in hits] == [2, 1, 3, 4]


def test_relevance_is_the_share_of_the_best_bm25() -> None:
    assert relevances({1: -8.0, 2: -2.0, 3: 0.0}) == {1: 1.0, 2: 0.25, 3: 1e-6}
    assert relevances({}) == {}
    assert relevances({1: 0.0, 2: 0.0}) == {1: 1.0, 2: 1.0}


@pytest.mark.parametrize(
    ("frequencies", "size", "kept", "dropped"),
    [
        ({"kiln": 3, "the": 2_001, "glaze": 2_000}, 5_000, ("kiln", "glaze"), ("the",)),
        ({"kiln": 19_000, "user": 90_000}, 1_000_000, ("kiln",), ("user",)),
        ({"kiln": 30_000, "user": 90_000}, 1_000_000, ("kiln",), ("user",)),
        ({"kiln": 20_000, "user": 20_001}, 1_000_000, ("kiln",), ("user",)),
        ({"kiln": 0, "user": 90}, 100, ("user",), ()),
        ({"kiln": 0}, 100, (), ()),
        ({}, 0, (), ()),
    ],
)
def test_hot_terms_are_not_searched_by(
    frequencies: dict[str, int], size: int, kept: tuple[str, ...], dropped: tuple[str, ...]
) -> None:
    assert searchable(frequencies, size) == (kept, dropped)


def test_tfidf_weighs_the_rare_word_more() -> None:
    vector = tfidf(["kiln", "user"], {"kiln": 1, "user": 50}, 100)
    assert vector["kiln"] / vector["user"] == pytest.approx(
        (math.log(101 / 2) + 1) / (math.log(101 / 51) + 1)
    )
    assert tfidf([], {}, 10) == {}


def test_recent_turns_halve_in_weight() -> None:
    assert recent_weights(3) == pytest.approx([4 / 7, 2 / 7, 1 / 7])
    assert recent_weights(0) == []


def test_the_query_keeps_three_fifths() -> None:
    vector = blended({"kiln": 1.0}, [{"glaze": 1.0}, {"clay": 1.0}])
    assert vector["glaze"] / vector["kiln"] == pytest.approx(0.4 * 2 / 3 / 0.6)
    assert vector["clay"] / vector["kiln"] == pytest.approx(0.4 / 3 / 0.6)


def test_a_query_without_context_stands_alone() -> None:
    assert blended({"kiln": 1.0}, []) == {"kiln": 1.0}


def test_close_competitors_are_those_above_the_limit_that_were_not_retrieved() -> None:
    query = {"kiln": 1.0}
    near = unit({"kiln": 1.0, "glaze": 1.0})
    at_limit = {"kiln": 0.7, "clay": math.sqrt(1 - 0.49)}
    far = unit({"kiln": 1.0, "clay": 3.0})
    candidates = {1: query, 2: near, 3: far, 4: near, 5: near, 6: at_limit}
    assert competitors(query, candidates, retrieved=[1], exempt=[4]) == (2, 5)


vectors = st.dictionaries(st.sampled_from("abcdef"), st.floats(0.01, 10), min_size=1, max_size=6).map(unit)


@given(vectors, st.lists(vectors, max_size=5))
def test_blending_yields_unit_vectors(query: dict[str, float], recent: list[dict[str, float]]) -> None:
    vector = blended(query, recent)
    assert math.fsum(weight**2 for weight in vector.values()) == pytest.approx(1.0)
    assert all(weight >= 0 for weight in vector.values())


@given(vectors, vectors)
def test_cosine_is_symmetric_and_bounded(a: dict[str, float], b: dict[str, float]) -> None:
    assert cosine(a, b) == pytest.approx(cosine(b, a))
    assert -1e-9 <= cosine(a, b) <= 1 + 1e-9
    assert cosine(a, a) == pytest.approx(1.0)


@given(vectors, st.lists(vectors, max_size=5))
def test_whatever_competes_is_in_reach(query: dict[str, float], others: list[dict[str, float]]) -> None:
    candidates = dict(enumerate(others))
    near = competitors(query, candidates, retrieved=[])
    assert all(in_reach(query, candidates[fact]) for fact in near)


def test_what_shares_one_common_word_of_many_is_out_of_reach() -> None:
    query = unit({"kiln": 1.0, "glaze": 1.0, "clay": 1.0})
    assert not in_reach(query, ["kiln", "boat"])
    assert in_reach(query, ["kiln", "glaze", "boat"])
    assert not in_reach({}, ["kiln"])
    assert in_reach({"kiln": 0.7, "clay": math.sqrt(0.51)}, ["kiln"])
