"""Two ingests at once: whoever comes second finds what the first stored, and stores nothing twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from nocturne.llm.rules import RulesProposer
from nocturne.store import open_store
from tests.app import making
from tests.app.making import T0

SAID = ("I live in Ghent.", "I play the cello in a quartet.")


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Callable[[], Any]]]:
    """What happens while the proposer thinks, once."""
    waiting: list[Callable[[], Any]] = []

    class Slow(RulesProposer):
        def propose(self, pass_name: str, brief: Any) -> Iterator[str]:
            while waiting:
                waiting.pop()()
            yield from super().propose(pass_name, brief)

    monkeypatch.setattr(making, "RulesProposer", Slow)
    yield waiting
    assert not waiting


def test_the_same_file_read_twice_at_once_is_stored_once(
    tmp_path: Path, meanwhile: list[Callable[[], Any]]
) -> None:
    chat = making.talk(tmp_path / "chat.jsonl", SAID)
    with (
        making.new_store(tmp_path) as store,
        open_store(tmp_path / "made.db", mode="rw", now=T0, measures=making.measures()) as other,
    ):
        meanwhile.append(lambda: making.take_in(other, chat))
        report = making.take_in(store, chat)
        assert (report.accepted, report.snapshot, report.unchanged_since) == (0, None, 1)
        assert sorted(making.texts(store).values()) == ["Ana lives in Ghent.", "Ana plays the cello in a quartet."]
        assert [info.label for info in store.snapshots()] == ["creation", "ingest"]
        assert making.audited(store).problems == ()


def test_another_file_read_meanwhile_numbers_the_turns_anew(
    tmp_path: Path, meanwhile: list[Callable[[], Any]]
) -> None:
    chat = making.talk(tmp_path / "chat.jsonl", SAID[:1])
    more = making.talk(tmp_path / "more.jsonl", SAID[1:], session="t")
    with (
        making.new_store(tmp_path) as store,
        open_store(tmp_path / "made.db", mode="rw", now=T0, measures=making.measures()) as other,
    ):
        meanwhile.append(lambda: making.take_in(other, more))
        assert making.take_in(store, chat).accepted == 1
        assert sorted(making.texts(store).values()) == ["Ana lives in Ghent.", "Ana plays the cello in a quartet."]
        assert making.audited(store).problems == ()
