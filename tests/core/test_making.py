"""Facts and spans made of rows are the same as those made by their own classes."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, astuple, fields, replace

import pytest

from nocturne.core.facts import Fact, Span
from nocturne.core.making import fact_made, moved, only_moved, span_made

SPAN = Span(3, 0, 9)
FACT = Fact(
    7, "Tea.", "human", "preferences", 1, "semantic", "Ada", "Bo", "drink", 2, 3, "day", 4, 5, 6, 8, False,
    "merge", 90, "person", True, "work", 11, 2, (SPAN,),
)  # fmt: skip


def values(fact: Fact) -> list[object]:
    return [getattr(fact, field.name) for field in fields(fact)]


def test_every_field_is_set() -> None:
    made = fact_made(values(FACT))
    assert type(made) is Fact
    assert made == FACT
    assert hash(made) == hash(FACT)
    assert repr(made) == repr(FACT)
    assert astuple(span_made(3, 0, 9)) == (3, 0, 9)
    assert span_made(3, 0, 9) == SPAN


def test_what_is_made_is_frozen_and_can_be_copied() -> None:
    made = fact_made(values(FACT))
    with pytest.raises(FrozenInstanceError):
        made.text = "Coffee."  # type: ignore[misc]
    assert replace(made, text="Coffee.").text == "Coffee."
    assert copy.copy(made) == pickle.loads(pickle.dumps(made)) == FACT


def test_a_value_too_few_is_an_error() -> None:
    with pytest.raises(ValueError, match="unpack"):
        fact_made(values(FACT)[:-1])


def test_a_fact_is_moved_and_nothing_else() -> None:
    there = moved(FACT, "episodes")
    assert there == replace(FACT, block="episodes")
    assert there.sources is FACT.sources
    assert only_moved(FACT, there)
    assert only_moved(FACT, FACT)


@pytest.mark.parametrize("name", [field.name for field in fields(Fact) if field.name != "block"])
def test_any_other_difference_is_seen(name: str) -> None:
    other = replace(FACT, block="episodes", **{name: "otherwise"})  # type: ignore[arg-type]
    assert not only_moved(FACT, other)
    assert not only_moved(other, FACT)
