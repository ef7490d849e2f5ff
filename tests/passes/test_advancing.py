"""The facts of a pass that is under way are those before, with what became of some: a plain table of them agrees."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nocturne.core.facts import Fact
from nocturne.passes.advancing import Advancing
from tests.passes.scenes import fact

BEFORE = {number: fact(number, f"Fact {number}.") for number in range(1, 7)}
CHANGES = {
    "moved": lambda each: replace(each, block="human"),
    "moved back": lambda each: replace(each, block="scratch"),
    "reworded": lambda each: replace(each, text="Said anew.", block="human"),
    "gone": lambda each: replace(each, active=False, retired_by="dedupe"),
    "new": lambda each: replace(each, id=each.id + 100),
}
STEPS = st.lists(st.tuples(st.sampled_from(sorted(BEFORE)), st.sampled_from(sorted(CHANGES))), max_size=12)


def stepped(
    steps: list[tuple[int, str]], before: dict[int, Fact]
) -> tuple[Advancing, dict[int, Fact], list[int]]:
    """The facts after steps, a plain table that took the same, and whom they touched."""
    facts, table, touched = Advancing(before), dict(before), list[int]()
    for number, how in steps:
        if number not in table:
            continue
        after = CHANGES[how](table[number])
        facts.step(after)
        touched.append(after.id)
        if after.active:
            table[after.id] = after
        else:
            del table[after.id]
    return facts, table, touched


@given(STEPS)
def test_it_agrees_with_a_table(steps: list[tuple[int, str]]) -> None:
    before = dict(BEFORE)
    facts, table, touched = stepped(steps, before)
    assert list(facts.items()) == list(table.items())
    assert len(facts) == len(table)
    for number in (*BEFORE, *(number + 100 for number in BEFORE), 0):
        assert (number in facts) == (number in table)
        assert facts.get(number) == table.get(number)
    assert list(facts.touched) == list(dict.fromkeys(touched))
    apart = facts.apart()
    assert list(apart.items()) == list(table.items())
    assert before == BEFORE, "what was before is left as it was"
    same = facts.in_place()
    assert list(same.items()) == list(facts.items()) == list(table.items())
    assert same is before, "and here it is not"


def test_of_a_fact_that_only_moved_nothing_else_is_kept() -> None:
    facts, *_ = stepped([(1, "moved"), (2, "reworded"), (3, "gone")], dict(BEFORE))
    assert facts._after == {1: "human", 2: replace(BEFORE[2], text="Said anew.", block="human"), 3: None}
    assert facts[1].sources is BEFORE[1].sources
    assert list(facts.touched) == [1, 2, 3]


def test_what_is_gone_is_not_there() -> None:
    facts, *_ = stepped([(3, "gone")], dict(BEFORE))
    with pytest.raises(KeyError):
        facts[3]
    with pytest.raises(KeyError):
        facts[99]
