"""Importance of episodes through a whole ingest and night: counted from what people did."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from nocturne.core.facts import DAY, Fact
from nocturne.core.policy import Forget, Policy, Strength
from nocturne.core.retention import salience
from nocturne.memory import Memory

START = 1_767_225_600_000_000


def heard(place: Path, *texts: str, nights: int = 0, policy: Policy | None = None) -> list[Fact]:
    """The events in a store that read one session of these lines; those by the assistant begin with ``A:``."""
    rows = [
        {
            "session": "s1",
            "id": f"t{number}",
            "role": "assistant" if text.startswith("A:") else "user",
            "text": text.removeprefix("A:").strip(),
            "time": f"2025-12-01T00:{number:02}:00+00:00",
        }
        for number, text in enumerate(texts)
    ]
    (place / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with Memory(place / "m.db", policy=policy or Policy(), clock=lambda: START) as memory:
        memory.ingest(place / "t.jsonl")
        for _ in range(nights):
            memory.sleep()
        facts = [fact for block in ("scratch", "human", "episodes") for fact in memory.get_block(block)]
    return [fact for fact in facts if fact.category == "event"]


def test_a_plain_episode_weighs_one(tmp_path: Path) -> None:
    (fact,) = heard(tmp_path, "I repaired the fence.")
    assert fact.importance == 1


@pytest.mark.parametrize(
    ("after", "weight"),
    [
        (["A: Good.", "Did the fence need new posts, or could I have kept the old ones?"], 2),
        (["A: Good.", "No, the fence was not finished."], 3),
        (["A: Good.", "Yes, I repaired the fence myself, all of it.", "A: Well done."], 2),
    ],
)
def test_what_people_did_about_it_counts(tmp_path: Path, after: list[str], weight: int) -> None:
    facts = heard(tmp_path, "I repaired the fence.", *after)
    assert next(fact for fact in facts if fact.text == "The user repaired the fence.").importance == weight


def test_other_facts_have_none(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db", clock=lambda: START) as memory:
        assert memory.append("scratch", {"text": "I like tea.", "category": "preferences"}).importance is None


def test_a_repetition_weighs_more(tmp_path: Path) -> None:
    texts = ("I repaired the garden fence.", "A: Good.", *["Hm."] * 8, "I repaired the garden fence.")
    before = heard(tmp_path, *texts)
    after = heard(tmp_path, *texts, nights=1)
    assert len(before) == 2
    assert len(after) == 1
    assert after[0].importance == max(fact.importance or 0 for fact in before) + 1


def test_salience_counts_it_where_the_policy_says_so(tmp_path: Path) -> None:
    (fact,) = heard(tmp_path, "I repaired the fence.")
    plain = Policy(forget=Forget(stale_days=60))
    counted = replace(plain, strength=Strength(importance_in_salience=True))
    now = START + 10 * DAY
    assert salience(fact, counted, now) - salience(fact, plain, now) == fact.importance
