"""A reversal back keeps its whole chain, however many nights lie between; every time has its own answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from nocturne.app import policies
from nocturne.app.lexicons import default_lexicon
from nocturne.app.listing import true_at
from nocturne.app.recall import Query, retrieve
from nocturne.core.facts import DAY, Fact
from nocturne.memory import Memory
from nocturne.store import open_store

START = 1_767_225_600_000_000
STEP = 10 * DAY


def live(path: Path, texts: list[str], *, nightly: bool) -> list[Fact]:
    """Say the texts ten days apart, sleep after each or once at the end; every fact of the store."""
    now = [START]
    with Memory(path, clock=lambda: now[0]) as memory:
        for number, text in enumerate(texts):
            now[0] = START + number * STEP
            memory.append("scratch", {"text": text, "category": "identity"})
            if nightly:
                now[0] += DAY
                memory.sleep()
        now[0] += DAY
        memory.sleep()
        now[0] += DAY
        assert memory.sleep().unchanged_since is not None
    with open_store(path, mode="readonly") as store:
        return list(store.all_facts())


@pytest.mark.parametrize("nightly", [True, False])
def test_there_and_back_again(tmp_path: Path, nightly: bool) -> None:
    texts = ["I live in Porto.", "I live in Lisbon.", "I live in Porto.", "I live in Braga."]
    facts = live(tmp_path / "c.db", texts, nightly=nightly)
    assert [(fact.text, fact.successor) for fact in facts] == list(zip(texts, [2, 3, 4, None], strict=True))
    assert [fact.retired_by for fact in facts] == ["contradict", "contradict", "contradict", None]
    for number, text in enumerate(texts):
        held = true_at(facts, START + number * STEP + DAY)
        assert [fact.text for fact in held] == [text], number


@pytest.mark.parametrize("nightly", [True, False])
def test_recall_answers_for_every_time(tmp_path: Path, nightly: bool) -> None:
    live(tmp_path / "c.db", ["I live in Porto.", "I live in Lisbon.", "I live in Porto."], nightly=nightly)
    with open_store(tmp_path / "c.db", mode="readonly") as store:
        for days, town in ((5, "Porto"), (15, "Lisbon"), (25, "Porto")):
            found = retrieve(
                store,
                Query("where do I live"),
                policy=policies.load("default"),
                lexicon=default_lexicon(),
                now=START + 60 * DAY,
                as_of=START + days * DAY,
            )
            assert [hit.fact.text for hit in found.hits] == [f"I live in {town}."]


def test_a_plain_repetition_is_still_one_fact(tmp_path: Path) -> None:
    facts = live(tmp_path / "c.db", ["I live in Porto.", "I live in Porto."], nightly=False)
    assert [fact.retired_by for fact in facts] == [None, "dedupe"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I like tea.", "I like coffee."),
        ("I have a dog.", "I have a cat."),
        ("I speak Polish.", "I speak Welsh."),
        ("I visited Malta.", "I visited Crete."),
        ("My sister lives in Porto.", "I live in Lisbon."),
    ],
)
def test_what_can_both_be_true_stays(tmp_path: Path, one: str, other: str) -> None:
    facts = live(tmp_path / "c.db", [one, other], nightly=False)
    assert [fact.valid_until for fact in facts] == [None, None]


@pytest.mark.parametrize("repeats", [1, 3])
def test_one_night_over_many_days_leaves_no_value_behind(tmp_path: Path, repeats: int) -> None:
    texts = ["The indexer runs on port 5203."] * repeats
    texts += [
        "The indexer runs on port 9385.",
        "The mailer runs on port 9385.",
        "The indexer runs on port 2948.",
    ]
    texts += [
        "The indexer runs on port 7973 now.",
        "The mailer runs on port 1400.",
        "The indexer runs on port 1558.",
    ]
    facts = live(tmp_path / "c.db", texts, nightly=False)
    active = [fact.text for fact in facts if fact.active]
    assert active == ["The mailer runs on port 1400.", "The indexer runs on port 1558."]
    ends = {fact.text: fact.successor for fact in facts if fact.retired_by == "contradict"}
    names = {fact.id: fact.text for fact in facts}
    assert names[ends["The indexer runs on port 5203."] or 0] == "The indexer runs on port 9385."
    assert names[ends["The indexer runs on port 9385."] or 0] == "The indexer runs on port 2948."
