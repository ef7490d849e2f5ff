"""Entries of rows, a stretch at a time: whatever its length, the same as all at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from nocturne.core import entries
from nocturne.core.entries import Owners, counted, ends_of, lots, run, stretches

sizes = st.lists(st.integers(0, 9), max_size=40)
short = st.integers(1, 12)
numbers = st.lists(st.integers(0, 11), max_size=60).map(lambda held: np.array(held, np.int32))


@given(sizes, short)
def test_stretches_cover_whole_rows_in_order(held: list[int], stretch: int) -> None:
    starts = ends_of(np.array(held, np.int64))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entries, "STRETCH", stretch)
        found = list(stretches(starts))
    assert [row for at, upto in found for row in range(at, upto)] == list(range(len(held)))
    assert all(upto == at + 1 or starts[upto] - starts[at] <= stretch for at, upto in found)


@given(sizes, short)
def test_an_entry_knows_its_row(held: list[int], stretch: int) -> None:
    starts = ends_of(np.array(held, np.int64))
    every = np.arange(int(starts[-1]))
    rows = np.repeat(np.arange(len(held)), held)
    names = np.arange(len(held))[::-1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entries, "STRETCH", stretch)
        patch.setattr(entries, "_NEAR", 4)
        assert Owners.of(starts)[every].tolist() == rows.tolist()
        assert Owners.of(starts, names)[every].tolist() == names[rows].tolist()


def test_an_entry_knows_its_row_behind_many_empty_ones() -> None:
    starts = ends_of(np.array([1, *[0] * 1_000, 2, *[0] * 1_000]))
    assert Owners.of(starts)[np.arange(3)].tolist() == [0, 1_001, 1_001]


@given(numbers, short, st.frozensets(st.integers(0, 11)))
def test_lots_have_each_wanted_entry_once_and_keep_a_number_together(
    held: NDArray[np.int32], stretch: int, chosen: frozenset[int]
) -> None:
    wanted = np.isin(np.arange(12), list(chosen))
    among = np.arange(len(held)) % 3 > 0
    for mask in (None, among):
        expected = [at for at, number in enumerate(held) if wanted[number] and (mask is None or mask[at])]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(entries, "STRETCH", stretch)
            found = [lot.tolist() for lot in lots(held, wanted, mask)]
            counts = counted(held, mask)
        assert sorted(entry for lot in found for entry in lot) == expected
        assert all(lot == sorted(lot) for lot in found)
        kinds = [number for lot in found for number in sorted({int(held[entry]) for entry in lot})]
        assert kinds == sorted(set(kinds))
        assert all(len(lot) < stretch + counts.max(initial=0) + 1 for lot in found)
        alone = held if mask is None else held[mask]
        assert counts.tolist() == np.bincount(alone, minlength=len(counts)).tolist()


@given(sizes)
def test_runs_stand_end_to_end(held: list[int]) -> None:
    count = np.array([*held, 0])
    first = np.arange(len(count)) * 10
    expected = [start + step for start, size in zip(first, count, strict=True) for step in range(size)]
    assert run(first, count).tolist() == expected
