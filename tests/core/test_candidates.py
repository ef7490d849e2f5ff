"""Nomination: set-equal to the naive method by both ways, in the keeper's order, near-linear for merges."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nocturne.core import candidates, crowds, entries, join
from nocturne.core.candidates import (
    Neighbours,
    Nominee,
    candidate_pairs,
    keeper,
    nominate_pairs,
    nominate_unions,
    reaches,
)
from nocturne.core.entries import Owners
from nocturne.core.facts import DAY, Block, Fact

FLOOR = Fraction(9, 10)

rows = st.lists(st.frozensets(st.integers(0, 25), max_size=14), max_size=30)
floors = st.sampled_from([Fraction(9, 10), Fraction(51, 100), Fraction(2, 3), Fraction(4, 5), Fraction(1)])
ways = pytest.mark.parametrize("small", [10**9, -1], ids=["plain", "numpy"])


def naive(sets: Sequence[frozenset[int]], floor: Fraction) -> list[tuple[int, int, int]]:
    found = []
    for (i, a), (j, b) in combinations(enumerate(sets), 2):
        if a and b and Fraction(len(a & b), min(len(a), len(b))) >= floor:
            found.append((i, j, len(a & b)))
    return found


@ways
@given(rows, floors)
def test_pairs_equal_the_naive_method(small: int, sets: list[frozenset[int]], floor: Fraction) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "SMALL", small)
        assert candidate_pairs(sets, floor) == naive(sets, floor)


@ways
@given(rows, floors, st.frozensets(st.integers(0, 29)))
def test_new_rows_bring_exactly_their_pairs(
    small: int, sets: list[frozenset[int]], floor: Fraction, some: frozenset[int]
) -> None:
    new = {row for row in some if row < len(sets)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "SMALL", small)
        found = candidate_pairs(sets, floor, new)
    assert found == [pair for pair in naive(sets, floor) if pair[0] in new or pair[1] in new]


@settings(deadline=None)
@given(rows, floors, st.frozensets(st.integers(0, 29)), st.integers(1, 9), st.integers(1, 9))
def test_stretches_of_any_length_give_the_same_pairs(
    sets: list[frozenset[int]], floor: Fraction, some: frozenset[int], stretch: int, together: int
) -> None:
    new = {row for row in some if row < len(sets)}
    expected = naive(sets, floor)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "SMALL", -1)
        patch.setattr(entries, "STRETCH", stretch)
        patch.setattr(join, "TOGETHER", together)
        assert candidate_pairs(sets, floor) == expected
        found = candidate_pairs(sets, floor, new)
    assert found == [pair for pair in expected if pair[0] in new or pair[1] in new]


@pytest.mark.parametrize("vocabulary", [8, 100, 3_000])
def test_pairs_equal_the_naive_method_on_many_rows(vocabulary: int) -> None:
    source = random.Random(vocabulary)
    sets = [
        frozenset(source.choices(range(vocabulary), weights=[1 / (k + 1) for k in range(vocabulary)], k=12))
        for _ in range(500)
    ]
    sets += [row | {source.randrange(vocabulary)} for row in sets[:100]]
    expected = naive(sets, FLOOR)
    assert len(expected) > 50
    assert candidate_pairs(sets, FLOOR) == expected


@given(
    st.lists(st.frozensets(st.integers(0, 9), max_size=9), min_size=4, max_size=90),
    floors,
    st.sampled_from([2, 8, 32]),
)
def test_rows_without_a_rare_token_lose_no_pair(
    sets: list[frozenset[int]], floor: Fraction, crowded: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "SMALL", -1)
        patch.setattr(crowds, "FEWEST_ROWS", 4)
        patch.setattr(crowds, "CROWDED", crowded)
        patch.setattr(crowds, "BLOCK", 3)
        patch.setattr(entries, "STRETCH", 7)
        assert candidate_pairs(sets, floor) == naive(sets, floor)


def test_a_dense_vocabulary_is_read_by_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowds, "FEWEST_ROWS", 64)
    source = random.Random(3)
    sets = [frozenset(source.sample(range(24), source.randint(6, 20))) for _ in range(700)]
    rows = join.rows_of([sorted(row) for row in sets])
    order = np.argsort(-np.diff(rows.starts), kind="stable")
    held = crowds.crowd(rows.starts, rows.tokens, order, Owners.of(rows.starts, np.argsort(order)))
    assert held is not None
    assert len(held.places) == 700
    assert candidate_pairs(sets, FLOOR) == naive(sets, FLOOR)


def test_rows_of_thousands_of_tokens_are_counted_too() -> None:
    long = frozenset(range(4_000))
    sets = [long, frozenset(range(3_000)), frozenset(range(2_000, 9_000)), long - {7}]
    sets += [frozenset({10_000 + row}) for row in range(400)]
    assert candidate_pairs(sets, FLOOR) == naive(sets, FLOOR)


@ways
def test_empty_rows_pair_with_nothing(monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    monkeypatch.setattr(candidates, "SMALL", small)
    assert candidate_pairs([frozenset(), frozenset(), frozenset({1})], FLOOR) == []
    assert candidate_pairs([], FLOOR) == []


@ways
def test_repeated_tokens_count_once(monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    monkeypatch.setattr(candidates, "SMALL", small)
    assert candidate_pairs([[1, 1, 2, 2], [2, 1]], FLOOR) == [(0, 1, 2)]


@pytest.mark.parametrize(
    ("shared", "size", "expected"),
    [(9, 10, True), (8, 9, False), (18, 20, True), (17, 19, False), (0, 0, False)],
)
def test_the_floor_is_a_fraction(shared: int, size: int, expected: bool) -> None:
    assert reaches(shared, size, FLOOR) is expected


def fact(number: int, text: str, block: Block = "scratch", **more: object) -> Fact:
    made = Fact(number, text, block, "fact", recorded_at=number * DAY)
    return replace(made, **more)  # type: ignore[arg-type]  # fields of Fact by name


def content(*facts: Fact) -> dict[int, frozenset[str]]:
    return {each.id: frozenset(each.text.lower().rstrip(".").split()) for each in facts}


def companies(facts: dict[int, Fact]) -> list[tuple[int, object]]:
    """What two facts must have in common."""
    return [(id_, (each.namespace, each.block, each.subject, each.attribute)) for id_, each in facts.items()]


def by_id(*facts: Fact) -> dict[int, Fact]:
    return {each.id: each for each in facts}


KEEPERS = [
    ("the superset", fact(1, "owns a kiln", "human"), fact(2, "owns a small kiln"), 2),
    ("human before episodes", fact(1, "owns a kiln", "episodes"), fact(2, "owns a kiln", "human"), 2),
    ("persona before scratch", fact(1, "owns a kiln"), fact(2, "owns a kiln", "persona"), 2),
    ("episodes before scratch", fact(1, "owns a kiln"), fact(2, "owns a kiln", "episodes"), 2),
    ("block before pin", fact(1, "owns a kiln", pinned=True), fact(2, "owns a kiln", "human"), 2),
    ("the pinned", fact(1, "owns a kiln"), fact(2, "owns a kiln", pinned=True), 2),
    ("the earliest said", fact(1, "owns a kiln", said_at=9), fact(2, "owns a kiln", said_at=8), 2),
    ("the lowest id", fact(1, "owns a kiln", said_at=9), fact(2, "owns a kiln", said_at=9), 1),
    ("human equals persona", fact(1, "owns a kiln", "persona"), fact(2, "owns a kiln", "human"), 1),
]


@pytest.mark.parametrize(("_why", "a", "b", "kept"), KEEPERS, ids=[case[0] for case in KEEPERS])
def test_the_keeper(_why: str, a: Fact, b: Fact, kept: int) -> None:
    assert keeper(a, b, content(a, b)) == keeper(b, a, content(a, b))
    assert keeper(a, b, content(a, b))[0] == kept


def test_pairs_carry_their_measure() -> None:
    facts = by_id(
        fact(1, "the studio rents two large kilns near the old harbour every single spring weekend"),
        fact(2, "the studio rents two large kilns near the old harbour every single autumn weekend"),
        fact(3, "the studio rents two large kilns"),
    )
    found = nominate_pairs(facts.values(), content(*facts.values()), FLOOR)
    assert found == [
        Nominee(2, 1, Fraction(12, 13), equal=False),
        Nominee(3, 1, Fraction(1), equal=False),
        Nominee(3, 2, Fraction(1), equal=False),
    ]


def test_the_same_text_many_times_meets_its_keeper_only() -> None:
    facts = by_id(
        *(fact(number, "owns a kiln") for number in range(1, 2_001)), fact(9_000, "owns a small kiln")
    )
    found = nominate_pairs(facts.values(), content(*facts.values()), FLOOR)
    assert len(found) == 2_000
    assert Nominee(1, 9_000, Fraction(1), equal=False) in found
    assert {pair.keep for pair in found if pair.drop != 1} == {1}


def test_the_same_words_in_another_order_all_meet() -> None:
    facts = by_id(fact(1, "Ana hired Ben"), fact(2, "Ben hired Ana"), fact(3, "ben hired Ana"))
    found = nominate_pairs(facts.values(), content(*facts.values()), FLOOR)
    assert [(pair.drop, pair.keep, pair.equal) for pair in found] == [
        (2, 1, True),
        (3, 1, True),
        (3, 2, True),
    ]


def test_a_crowd_of_equal_content_grows_in_a_line() -> None:
    facts = by_id(*(fact(number, "owns a kiln" + "!" * number) for number in range(1, 165)))
    sets = dict.fromkeys(facts, frozenset({"owns", "kiln"}))
    found = nominate_pairs(facts.values(), sets, FLOOR)
    assert len(found) == 64 * 63 // 2 + 100 * 64
    assert {pair.keep for pair in found} == set(range(1, 65))
    assert {pair.drop for pair in found} == set(range(2, 165))


def test_the_same_words_on_other_days_all_meet() -> None:
    facts = by_id(*(fact(number, "fired the kiln", occurred_at=number % 2) for number in range(1, 5)))
    found = {pair[:2] for pair in nominate_pairs(facts.values(), content(*facts.values()), FLOOR)}
    assert found == {(3, 1), (4, 2), (2, 1)}


def test_what_can_never_be_one_is_not_nominated() -> None:
    facts = by_id(
        fact(1, "owns a kiln"),
        fact(2, "owns a kiln", "schemas"),
        fact(3, "owns a kiln", namespace="work"),
        fact(4, "owns a kiln", active=False),
        fact(5, "…"),
        fact(6, "…", subject="Ana"),
    )
    sets = content(*facts.values()) | {5: frozenset(), 6: frozenset()}
    assert nominate_pairs(facts.values(), sets, FLOOR) == []


def test_only_pairs_with_a_fresh_fact_are_nominated_where_fresh_is_given() -> None:
    facts = by_id(*(fact(number, "owns a kiln") for number in (1, 2, 3)), fact(4, "owns a small kiln"))
    sets = content(*facts.values())
    every = nominate_pairs(facts.values(), sets, FLOOR)
    for fresh in ({2}, {4}, {1}, {2, 3}, set[int]()):
        expected = [pair for pair in every if pair.drop in fresh or pair.keep in fresh]
        assert nominate_pairs(facts.values(), sets, FLOOR, fresh=fresh) == expected


CRAFT = ["kiln", "clay", "glaze", "wheel", "oven", "shelf", "brush", "apron"]
words = st.lists(st.sampled_from(CRAFT), min_size=1, max_size=6)


@ways
@given(st.lists(words, max_size=25), st.integers(1, 4), st.sampled_from([2, 5, 100]))
def test_unions_equal_their_definition(small: int, texts: list[list[str]], most: int, hot: int) -> None:
    facts = by_id(*(fact(number, " ".join(text)) for number, text in enumerate(texts, 1)))
    sets = content(*facts.values())
    near: dict[int, list[tuple[Fraction, int]]] = {number: [] for number in facts}
    for a, b in combinations(facts, 2):
        similarity = Fraction(len(sets[a] & sets[b]), min(len(sets[a]), len(sets[b])))
        cool = any(sum(token in row for row in sets.values()) <= hot for token in sets[a] & sets[b])
        if similarity >= Fraction(1, 2) and cool:
            near[a].append((-similarity, b))
            near[b].append((-similarity, a))
    expected = {
        Neighbours(min(a, b), max(a, b), -distance)
        for a, ranked in near.items()
        for distance, b in sorted(ranked)[:most]
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "SMALL", small)
        found = sorted(nominate_unions(companies(facts), sets, Fraction(1, 2), per_fact=most, hot=hot))
    assert found == sorted(expected)


@settings(deadline=None)
@given(st.lists(words, max_size=25), st.integers(1, 3), st.frozensets(st.integers(1, 25)), st.integers(1, 9))
def test_stretches_of_any_length_give_the_same_unions(
    texts: list[list[str]], most: int, some: frozenset[int], stretch: int
) -> None:
    facts = by_id(*(fact(number, " ".join(text)) for number, text in enumerate(texts, 1)))
    sets = content(*facts.values())
    for fresh in (None, some & facts.keys()):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(candidates, "SMALL", 10**9)
            expected = list(nominate_unions(companies(facts), sets, Fraction(1, 2), per_fact=most, fresh=fresh))
            order = [(-pair.similarity, pair.first, pair.second) for pair in expected]
            assert order == sorted(order)
            patch.setattr(candidates, "SMALL", -1)
            patch.setattr(entries, "STRETCH", stretch)
            patch.setattr(join, "TOGETHER", stretch)
            found = nominate_unions(companies(facts), sets, Fraction(1, 2), per_fact=most, fresh=fresh)
            assert list(found) == expected


@ways
def test_a_fresh_fact_meets_its_nearest_and_no_more(small: int) -> None:
    crowd = [fact(number, f"owns a kiln and shelf {number}") for number in range(1, 30)]
    facts = by_id(*crowd, fact(30, "owns a kiln and a lamp"))
    sets = content(*facts.values())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "SMALL", small)
        found = list(nominate_unions(companies(facts), sets, Fraction(1, 2), per_fact=3, fresh={30}))
        every = list(nominate_unions(companies(facts), sets, Fraction(1, 2), per_fact=3))
    assert [pair[:2] for pair in found] == [(1, 30), (2, 30), (3, 30)]
    assert {pair[:2] for pair in every} >= {(1, 2), (2, 3)}


def test_unions_stay_within_their_group() -> None:
    facts = by_id(
        fact(1, "owns a kiln"),
        fact(2, "owns a wheel", "human"),
        fact(3, "owns a shelf", subject="Ana"),
        fact(4, "owns a brush", attribute="home"),
        fact(5, "owns a stool", namespace="work"),
        fact(6, "owns a table"),
    )
    sets = content(*facts.values())
    assert [pair[:2] for pair in nominate_unions(companies(facts), sets, Fraction(1, 2))] == [(1, 6)]
    half = Fraction(1, 2)
    together = list(nominate_unions(((id_, each.namespace) for id_, each in facts.items()), sets, half, fresh={2}))
    assert {pair[:2] for pair in together} >= {(1, 2), (2, 3), (2, 4)}
    assert all(2 in pair[:2] for pair in together)


def test_a_small_night_never_loads_numpy() -> None:
    script = (
        "import sys\n"
        "from fractions import Fraction\n"
        "from nocturne.core.candidates import candidate_pairs\n"
        "rows = [{n, n + 1} for n in range(299)] + [{5, 6}]\n"
        "assert candidate_pairs(rows, Fraction(9, 10)) == [(5, 299, 2)]\n"
        "assert 'numpy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
