"""The library's face: what it takes, what it refuses, and that a refusal leaves a block as it was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nocturne import Memory
from nocturne.errors import CheckFailed, InputUnreadable, UsageError


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "a.db") as opened:
        opened.append("human", "The user plays the cello.")
        yield opened


def held(memory: Memory) -> list[str]:
    return [fact.text for fact in memory.get_block("human")]


def test_replace_keeps_what_is_given_back_and_retires_the_rest(memory: Memory) -> None:
    memory.append("human", "The user cycles to work.")
    memory.replace("human", ["The user plays the cello.", {"text": "The user bakes rye bread."}])
    assert held(memory) == ["The user plays the cello.", "The user bakes rye bread."]


def test_a_refused_item_leaves_the_whole_block_as_it_was(memory: Memory) -> None:
    before = memory.snapshot()
    with pytest.raises(CheckFailed, match="N110"):
        memory.replace("human", ["The user bakes rye bread.", ""])
    assert held(memory) == ["The user plays the cello."]
    memory.append("human", "The user cycles to work.")
    memory.restore(before)
    assert held(memory) == ["The user plays the cello."]


@pytest.mark.parametrize(
    "item",
    [None, 5, {}, {"text": 5}, {"text": "The user bakes.", "colour": "red"}, "The user\0 bakes.", "A \ud800 b."],
)
def test_what_is_no_item_is_a_usage_error(memory: Memory, item: Any) -> None:
    with pytest.raises(UsageError):
        memory.append("human", item)
    assert held(memory) == ["The user plays the cello."]


@pytest.mark.parametrize("items", [None, "The user bakes.", {"text": "The user bakes."}])
def test_replace_takes_a_list(memory: Memory, items: Any) -> None:
    with pytest.raises(UsageError):
        memory.replace("human", items)
    assert held(memory) == ["The user plays the cello."]


@pytest.mark.parametrize("name", [None, "m1", -1, True])
def test_what_is_no_snapshot_id_is_a_usage_error(memory: Memory, name: Any) -> None:
    with pytest.raises(UsageError):
        memory.restore(name)


def test_a_snapshot_that_is_not_there_is_named(memory: Memory) -> None:
    with pytest.raises(InputUnreadable, match="s999"):
        memory.restore("s999")


def test_recall_finds_by_words_and_records_the_access_only_when_asked_to(memory: Memory) -> None:
    memory.append("human", "The user drinks green tea.")
    silent = memory.recall("cello", record=False)
    assert [hit.fact.text for hit in silent.hits] == ["The user plays the cello."]
    assert memory._store.activations() == {}
    memory.recall("cello")
    assert set(memory._store.activations()) == {silent.hits[0].fact.id}
    assert memory.recall("zeppelin").hits == ()
