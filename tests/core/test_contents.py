"""Content words as numbers: the same sets, the same pairs and the same clusters as with sets of strings."""

from __future__ import annotations

from array import array
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nocturne.core import candidates, clustering
from nocturne.core.candidates import nominate_pairs, nominate_unions
from nocturne.core.clustering import clusters
from nocturne.core.contents import Chosen, Contents, Words, gathered, row_of
from nocturne.core.facts import Fact
from nocturne.store.search import unpacked

words = st.sampled_from(["kiln", "clay", "glaze", "wheel", "Ofen", "窯", "кіт", "شمس", ""])
sets = st.lists(st.frozensets(words), max_size=20)


def facts_for(held: list[frozenset[str]]) -> dict[int, Fact]:
    return {
        number: Fact(number, " ".join(sorted(row)), "scratch", "fact", 0) for number, row in enumerate(held)
    }


def numbered_elsewhere(held: list[frozenset[str]]) -> Contents[int]:
    """The sets under the numbers of a dictionary that was there before, gaps and strangers included."""
    known = Words(["stranger", "窯", "", "kiln", "another stranger"])
    return Contents(known, {number: known.row(row) for number, row in enumerate(held)})


@given(sets)
def test_what_goes_in_comes_out(held: list[frozenset[str]]) -> None:
    contents = numbered_elsewhere(held)
    assert dict(contents) == dict(enumerate(held))
    assert len(contents) == len(held)
    assert all(number in contents for number in range(len(held)))
    assert gathered(contents) is contents
    assert dict(gathered(dict(enumerate(held)))) == dict(contents)


@given(sets)
def test_equal_rows_are_equal_sets(held: list[frozenset[str]]) -> None:
    rows = numbered_elsewhere(held).rows
    for one, first in enumerate(held):
        for two, second in enumerate(held):
            assert (rows[one] == rows[two]) == (first == second)


@given(st.lists(st.integers(0, 2**32 - 1), max_size=12))
def test_a_stored_row_is_read_in_order_and_without_repeats(numbers: list[int]) -> None:
    stored = b"".join(number.to_bytes(4, "little") for number in numbers)
    assert array("I", row_of(unpacked(stored))).tolist() == sorted(set(numbers))


def test_rows_in_an_order() -> None:
    known = Words()
    rows = [known.row(frozenset(row)) for row in ({"kiln"}, {"kiln", "clay"}, set[str]())]
    chosen = Chosen(known, rows)
    assert list(chosen) == [{"kiln"}, {"kiln", "clay"}, frozenset()]
    assert list(chosen[1:]) == [{"kiln", "clay"}, frozenset()]
    assert [chosen.size(at) for at in range(len(chosen))] == [1, 2, 0]


@pytest.mark.parametrize("small", [45_000, -1], ids=["one by one", "joined"])
@settings(deadline=None)
@given(sets)
def test_numbers_nominate_the_same_pairs(small: int, held: list[frozenset[str]]) -> None:
    facts, plain = facts_for(held), dict(enumerate(held))
    floor = Fraction(1, 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "SMALL", small)
        assert nominate_pairs(facts.values(), numbered_elsewhere(held), floor) == nominate_pairs(
            facts.values(), plain, floor
        )
        assert list(nominate_unions(dict.fromkeys(facts).items(), numbered_elsewhere(held), floor)) == list(
            nominate_unions(dict.fromkeys(facts).items(), plain, floor)
        )


@pytest.mark.parametrize("small", [300, 0], ids=["grown", "joined"])
@settings(deadline=None)
@given(sets)
def test_numbers_cluster_alike(small: int, held: list[frozenset[str]]) -> None:
    facts, plain = facts_for(held), dict(enumerate(held))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clustering, "SMALL", small)
        found = clusters(facts.values(), numbered_elsewhere(held), eps=0.4, min_members=3)
        assert found == clusters(facts.values(), plain, eps=0.4, min_members=3)
