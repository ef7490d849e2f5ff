"""Lability windows: six hours from an access, to the later end, at most ten."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nocturne.core.facts import HOUR
from nocturne.core.lability import MOST, WINDOW, extended, opened, within


def test_a_window_lasts_six_hours() -> None:
    assert extended(None, 5) == 5 + 6 * HOUR


def test_a_second_access_extends_to_the_later_end_only() -> None:
    assert extended(100 * HOUR, 10 * HOUR) == 100 * HOUR
    assert extended(12 * HOUR, 10 * HOUR) == 16 * HOUR


def test_ended_windows_close_and_the_end_itself_is_still_open() -> None:
    assert opened({1: 9, 2: 10}, [], 10) == {2: 10}
    assert within(0, WINDOW, WINDOW)
    assert not within(0, WINDOW, WINDOW + 1)
    assert not within(10, 20, 9)


def test_the_eleventh_closes_the_one_that_ends_first() -> None:
    windows = {fact: WINDOW + fact for fact in range(1, 11)}
    after = opened(windows, [11], 500)
    assert sorted(after) == list(range(2, 12))


def test_of_equal_ends_the_lowest_ids_stay() -> None:
    assert list(opened({}, range(20, 0, -1), 0)) == list(range(1, 11))


@given(
    st.dictionaries(st.integers(1, 40), st.integers(0, 20 * HOUR), max_size=10),
    st.lists(st.integers(1, 40), max_size=15),
    st.integers(0, 20 * HOUR),
)
def test_never_more_than_ten_and_never_shortened(windows: dict[int, int], facts: list[int], at: int) -> None:
    after = opened(windows, facts, at)
    assert len(after) <= MOST
    assert all(end >= at for end in after.values())
    assert all(after[fact] >= windows[fact] for fact in after if fact in windows)
    assert all(fact in windows or fact in facts for fact in after)
