"""Facts held as rows come back as they were, and a table of them agrees with a plain one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nocturne.core.facts import BLOCKS, CATEGORIES, LAYERS, Fact, Span
from nocturne.core.table import Rows, Some, Table, by_id, shared, texts_of

LONG = 1 << 40
TIMES = st.none() | st.integers(-LONG, LONG)
SPANS = st.builds(Span, st.integers(1, LONG), st.integers(0, 9), st.integers(9, LONG))
FACTS = st.builds(
    Fact,
    id=st.integers(1, 30),
    text=st.text(max_size=5),
    block=st.sampled_from(BLOCKS),
    category=st.sampled_from(CATEGORIES),
    recorded_at=st.integers(0, 9),
    layer=st.sampled_from(LAYERS),
    speaker=st.none() | st.just("Ana"),
    attribute=st.none() | st.just("diet"),
    said_at=TIMES | st.integers(0, 9),
    occurred_at=TIMES,
    occurred_grain=st.none() | st.just("day"),
    confirmed_at=TIMES,
    valid_from=TIMES,
    valid_until=TIMES,
    successor=st.none() | st.integers(1, 30),
    active=st.booleans(),
    trust=st.integers(0, 100),
    pinned=st.booleans(),
    importance=st.none() | st.integers(0, 5),
    sources=st.lists(SPANS, max_size=3).map(tuple),
)


@given(st.lists(FACTS, max_size=8))
def test_rows_are_the_facts_that_were_added(facts: list[Fact]) -> None:
    rows = Rows()
    for fact in facts:
        rows.append(fact)
    assert list(rows) == facts
    assert rows[1:] == facts[1:]
    assert [rows[-place] for place in range(1, len(facts) + 1)] == facts[::-1]
    with pytest.raises(IndexError):
        rows[len(facts)]
    numbers = rows.emptied()
    assert list(rows.filled(numbers)) == facts


@given(st.lists(st.tuples(FACTS, st.booleans()), max_size=12))
def test_a_table_agrees_with_a_plain_one(steps: list[tuple[Fact, bool]]) -> None:
    table, plain = Table(), dict[int, Fact]()
    for fact, stays in steps:
        if stays:
            table.put(fact)
            plain[fact.id] = fact
        else:
            table.drop(fact.id)
            plain.pop(fact.id, None)
        assert table.get(fact.id) == plain.get(fact.id)
    assert list(table.items()) == sorted(plain.items())
    assert list(table.values()) == [plain[id_] for id_ in sorted(plain)]
    assert list(table) == sorted(plain)
    assert table == plain
    assert len(table) == len(plain)
    assert dict(shared(table, _kept_in)) == dict(shared(plain, _kept_in))
    assert all(texts_of(table)(id_) == texts_of(plain)(id_) for id_ in plain)
    assert all(table[id_] is table[id_] for id_ in plain), "one that was just asked for is not made again"


@given(st.lists(FACTS, max_size=12))
def test_a_table_over_rows_holds_them_by_id(facts: list[Fact]) -> None:
    rows = Rows()
    for fact in facts:
        rows.append(fact)
    assert Table.over(rows) == Table(facts)
    assert len(Table.over(rows)) == len({fact.id for fact in facts})


def _kept_in(fact: Fact) -> tuple[str, bool]:
    return fact.block, fact.pinned


def test_what_is_not_in_a_table_is_not_there() -> None:
    table = Table([Fact(3, "Tea.", "human", "fact", 1)])
    for id_ in (-1, 0, 2, 4):
        assert id_ not in table
        for asked in (table.__getitem__, table.text):
            with pytest.raises(KeyError):
                asked(id_)
    assert "3" not in table
    table.drop(4)
    assert list(table) == [3]


def test_some_facts_are_in_their_own_order_and_each_is_once() -> None:
    plain = {number: Fact(number, f"Fact {number}.", "human", "fact", 1) for number in range(1, 6)}
    some = Some(Table(plain.values()), (4, 2, 4))
    assert list(some.items()) == [(4, plain[4]), (2, plain[2])]
    assert len(some) == 2
    assert 3 not in some
    with pytest.raises(KeyError):
        some[3]


def test_a_table_is_by_id_as_it_is() -> None:
    facts = {1: Fact(1, "Tea.", "human", "fact", 1)}
    assert by_id(facts) is facts
    assert by_id(facts.values()) == facts
    assert by_id([replace(facts[1], id=2)])[2].id == 2
