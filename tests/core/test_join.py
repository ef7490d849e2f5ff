"""The numpy join's own parts: stored rows, frozen orders, signatures."""

from __future__ import annotations

import random
import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nocturne.core import join

FLOOR = Fraction(9, 10)
sets = st.lists(st.frozensets(st.integers(0, 20), max_size=12), max_size=25)


def pairs(rows: join.Rows) -> list[tuple[int, int, int]]:
    return list(join.triples(join.containment_join(rows, FLOOR)))


@given(sets)
def test_stored_blobs_give_the_rows_of_their_ids(some: list[frozenset[int]]) -> None:
    blobs = [struct.pack(f"<{len(row)}i", *sorted(row)) for row in some]
    from_blobs, from_sets = join.rows_of_blobs(blobs), join.rows_of(some)
    assert np.array_equal(from_blobs.starts, from_sets.starts)
    assert np.array_equal(from_blobs.tokens, from_sets.tokens)


@given(sets, st.permutations(range(21)))
def test_any_fixed_order_of_tokens_gives_the_same_pairs(some: list[frozenset[int]], order: list[int]) -> None:
    assert pairs(join.rows_of(some, np.array(order, np.int32))) == pairs(join.rows_of(some))


def test_ranks_are_rarest_first_and_of_equals_the_lowest_id() -> None:
    assert join.rarest_first(np.array([5, 1, 3, 1])).tolist() == [3, 0, 2, 1]


def test_unseen_tokens_come_before_all_others_and_leave_their_order() -> None:
    ranks = np.array([1, 0, 2], np.int32)
    wider = join.extended(ranks, 5)
    assert sorted(wider.tolist()) == list(range(5))
    assert np.argsort(wider[:3]).tolist() == np.argsort(ranks).tolist()
    assert wider[3:].max() < wider[:3].min()
    assert join.extended(ranks, 3) is ranks


def test_a_row_is_sorted_by_rank_with_repeats_dropped() -> None:
    rows = join.rows_of([[2, 0, 2], [], [1, 0]], np.array([2, 1, 0], np.int32))
    assert rows.starts.tolist() == [0, 2, 2, 4]
    assert rows.tokens.tolist() == [0, 2, 1, 2]
    assert len(rows) == 3


@given(st.lists(st.integers(0, 2**64 - 1), max_size=50))
def test_bits_are_counted_the_same_without_numpy_2(words: list[int]) -> None:
    expected = [word.bit_count() for word in words]
    assert join.popcount(np.array(words, np.uint64)).tolist() == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr(np, "bitwise_count", raising=False)
        assert join.popcount(np.array(words, np.uint64)).tolist() == expected


def test_candidates_in_many_blocks_are_all_met(monkeypatch: pytest.MonkeyPatch) -> None:
    source = random.Random(11)
    some = [frozenset(source.sample(range(40), 12)) for _ in range(200)]
    some += [row | {99} for row in some[:60]]
    expected = pairs(join.rows_of(some))
    assert len(expected) >= 60
    monkeypatch.setattr(join, "CHUNK", 7)
    monkeypatch.setattr(join, "ABREAST", 3)
    monkeypatch.setattr(join, "WIDE", 150)
    assert pairs(join.rows_of(some)) == expected
