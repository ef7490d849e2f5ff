"""The facts of a pass that is under way are those before, with what became of some: a plain table of them agrees."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nocturne.core.facts import Fact
from nocturne.core.table import Table
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
    assert list(facts.values()) == list(table.values())
    assert dict(facts.shared(lambda each: each.block)) == {number: each.block for number, each in table.items()}
    assert {number: facts.text(number) for number in facts} == {number: each.text for number, each in table.items()}
    assert before == BEFORE, "what was before is left as it was"
    assert list(facts.in_place().items()) == list(facts.items()) == sorted(table.items())


@given(st.lists(STEPS, max_size=3))
def test_rounds_lay_one_over_the_other(rounds: list[list[tuple[int, str]]]) -> None:
    before = Table(BEFORE.values())
    facts, table, rest = Advancing(before), dict(BEFORE), list(rounds)
    while rest:
        for number, how in rest.pop(0):
            if number in table:
                after = CHANGES[how](table[number])
                facts.step(after)
                table.pop(after.id, None)
                if after.active:
                    table[after.id] = after
        settled = facts.settled()
        facts = Advancing(settled)
        assert dict(settled) == dict(facts) == table
        assert len(settled) == len(facts) == len(table)
    assert dict(before) == BEFORE, "what was before is left as it was"
    same = facts.in_place()
    assert same is before, "and here it is not"
    assert dict(same) == table


def test_of_a_fact_that_only_moved_nothing_else_is_kept() -> None:
    facts, *_ = stepped([(1, "moved"), (2, "reworded"), (3, "gone")], dict(BEFORE))
    assert dict(facts._changed) == {2: replace(BEFORE[2], text="Said anew.", block="human")}
    assert facts[1].sources is BEFORE[1].sources
    assert list(facts.touched) == [1, 2, 3]


def test_what_is_gone_is_not_there() -> None:
    facts, *_ = stepped([(3, "gone")], dict(BEFORE))
    for asked in (facts.__getitem__, facts.text):
        with pytest.raises(KeyError):
            asked(3)
    with pytest.raises(KeyError):
        facts[99]
