"""The decision ledger over real stores."""

from __future__ import annotations

from pathlib import Path

import pytest

from nocturne.app.decisions import Chain, decisions, reasoning
from nocturne.app.lexicons import default_lexicon
from nocturne.core.facts import DAY
from nocturne.memory import Memory
from nocturne.store import open_store

START = 1_767_225_600_000_000
LEXICON = default_lexicon()


def told(
    path: Path, texts: list[tuple[str, str]], *, topic: str | None = None, everything: bool = False
) -> list[Chain]:
    now = [START]
    with Memory(path, clock=lambda: now[0]) as memory:
        for text, category in texts:
            memory.append("scratch", {"text": text, "category": category})
            now[0] += 5 * DAY
        memory.sleep()
    with open_store(path, mode="readonly") as store:
        return decisions(store, lexicon=LEXICON, topic=topic, everything=everything)


def test_chains_come_newest_first_with_the_reason_of_each_reversal(tmp_path: Path) -> None:
    chains = told(
        tmp_path / "d.db",
        [
            ("We decided to meet on Mondays because the hall is free.", "decisions"),
            ("The package manager is npm.", "decisions"),
            ("The package manager is pnpm now.", "decisions"),
            ("I like tea.", "preferences"),
        ],
    )
    assert [[step.fact.text for step in chain.steps] for chain in chains] == [
        ["The package manager is pnpm now.", "The package manager is npm."],
        ["We decided to meet on Mondays because the hall is free."],
    ]
    newest, oldest = chains[0].steps
    assert (newest.outcome, oldest.outcome) == ("stands", "superseded")
    assert oldest.ended_by == newest.fact.id
    assert oldest.why
    assert oldest.ruling is not None
    assert oldest.ruling.evidence["before"] != oldest.ruling.evidence["after"]
    assert chains[1].steps[0].reasoning == "because the hall is free"
    assert chains[0].domain == "package-manager"


def test_a_topic_keeps_the_chains_that_speak_of_it(tmp_path: Path) -> None:
    texts = [("We decided to use brass hinges.", "decisions"), ("We decided to paint the shed.", "decisions")]
    (chain,) = told(tmp_path / "d.db", texts, topic="the hinges")
    assert "hinges" in chain.steps[0].fact.text
    assert told(tmp_path / "e.db", texts, topic="zeppelins") == []
    assert told(tmp_path / "f.db", texts, topic="?") == []


def test_everything_that_took_another_place(tmp_path: Path) -> None:
    texts = [
        ("I live in Porto.", "identity"),
        ("I live in Lisbon.", "identity"),
        ("I like tea.", "preferences"),
    ]
    assert told(tmp_path / "d.db", texts) == []
    (chain,) = told(tmp_path / "e.db", texts, everything=True)
    assert [step.fact.text for step in chain.steps] == ["I live in Lisbon.", "I live in Porto."]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("We chose oak because it lasts.", "because it lasts"),
        ("Usamos pino porque es barato.", "porque es barato"),
        ("We chose oak.", None),
    ],
)
def test_the_reason_in_the_words_of_the_decision(text: str, why: str | None) -> None:
    assert reasoning(text) == why
