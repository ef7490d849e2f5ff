"""Importance: a sum of counted signals, from 1 to 10."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nocturne.core.facts import Fact, Provenance, Span, Turn
from nocturne.core.importance import Signals, asks, corrects, importance, observed


@pytest.mark.parametrize(
    ("signals", "expected"),
    [
        (Signals(), 1),
        (Signals(corrections=1), 3),
        (Signals(corrections=9), 5),
        (Signals(mentions=2), 2),
        (Signals(mentions=40), 4),
        (Signals(words=39), 1),
        (Signals(words=40), 2),
        (Signals(follow_ups=3), 2),
        (Signals(corrections=2, mentions=4, words=200, follow_ups=1), 10),
    ],
)
def test_the_sum(signals: Signals, expected: int) -> None:
    assert importance(signals) == expected


counts = st.integers(0, 50)


@given(counts, counts, counts, counts, counts)
def test_more_of_any_signal_never_lowers_it(a: int, b: int, c: int, d: int, more: int) -> None:
    base = importance(Signals(a, b, c, d))
    assert 1 <= base <= 10
    for signals in (
        Signals(a + more, b, c, d),
        Signals(a, b + more, c, d),
        Signals(a, b, c + more, d + more),
    ):
        assert importance(signals) >= base


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Actually, it was on Tuesday.", True),
        ("no, the other kiln", True),
        ("That’s wrong: I sold it.", True),
        ("Nobody came.", False),
        ("I actually like it.", False),
    ],
)
def test_corrections_open_a_turn(text: str, expected: bool) -> None:
    assert corrects(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Did it crack?", True), ('She said "why?"', True), ("裂了吗？", True), ("It did.", False)],
)
def test_questions_end_in_a_mark(text: str, expected: bool) -> None:
    assert asks(text) is expected


def turn(
    number: int, text: str, provenance: Provenance = "human", session: str = "a", position: int | None = None
) -> Turn:
    place = number if position is None else position
    return Turn(number, 1, None, 0, place, session, None, provenance, text)


def signals(*turns: Turn, cited: int = 1) -> Signals:
    fact = Fact(1, "The kiln cracked.", "episodes", "event", 0, sources=(Span(cited, 0, 5),))
    words = {each.id: frozenset(each.text.lower().strip(".?!").replace(",", "").split()) for each in turns}
    return observed(fact, frozenset({"kiln", "cracked"}), turns, words)


def test_what_was_said_once_and_left_has_no_signal() -> None:
    assert signals(turn(1, "The kiln cracked.")) == Signals(0, 1, 3, 0)


def test_corrections_repeats_and_questions_are_counted() -> None:
    found = signals(
        turn(1, "The kiln cracked."),
        turn(2, "Is the kiln insured?", "assistant"),
        turn(3, "Actually, the old kiln."),
        turn(4, "Can a kiln be mended?"),
        turn(5, "My kiln cracked again today."),
    )
    assert found == Signals(corrections=1, mentions=2, words=3, follow_ups=1)


def test_only_turns_near_it_in_its_session_about_it_count() -> None:
    found = signals(
        turn(1, "The kiln cracked."),
        turn(2, "Actually, make it tea."),
        turn(3, "Is the kiln fine?", session="b"),
        turn(4, "Actually, the kiln.", position=8),
        turn(5, "Is the kiln old?", position=0),
    )
    assert found == Signals(0, 1, 3, 0)


def test_a_fact_whose_turns_are_gone_is_still_one_mention() -> None:
    assert signals(cited=9) == Signals(0, 1, 0, 0)
