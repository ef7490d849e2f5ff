"""A recalled fact is refined by what was said of it within six hours, judged at the next night, by event time."""

from __future__ import annotations

from pathlib import Path

import pytest

from nocturne.app import policies
from nocturne.app.accesses import remember
from nocturne.app.lexicons import default_lexicon
from nocturne.app.recall import Query, Retriever
from nocturne.core.facts import DAY, HOUR, Fact
from nocturne.core.lability import MOST
from nocturne.memory import Memory

START = 1_767_225_600_000_000
OTHERS = ("anvil", "basin", "candle", "dune", "ember", "fjord", "glacier", "harbour", "island", "jetty")
FIRST = "I delivered the oak parcels."
LATER = "I delivered the oak parcels, except for the heavy ones."


def lived(place: Path, *, recalled: int | None, said: int, others: int = 0) -> list[Fact]:
    """Say ``FIRST``, recall it and then ``others``, say ``LATER``, sleep; the facts about the parcels."""
    now = [START]
    lexicon, policy = default_lexicon(), policies.load("default")
    with Memory(place / "m.db", clock=lambda: now[0]) as memory:
        memory.append("scratch", {"text": FIRST, "category": "event"})
        for number in range(others):
            memory.append("scratch", {"text": f"The {OTHERS[number]} is grey.", "category": "context"})
        memory.sleep()
        store = memory._store
        if recalled is not None:
            texts = ["oak parcels", *(OTHERS[number] for number in range(others))]
            for step, text in enumerate(texts):
                at = START + recalled + step * 1_000_000
                reader = Retriever(store, policy=policy, lexicon=lexicon, now=at)
                remember(store, [reader.find(Query(text, top=1))], policy=policy, lexicon=lexicon, now=at)
        now[0] = START + said
        memory.append("scratch", {"text": LATER, "category": "event"})
        now[0] += 2 * DAY
        memory.sleep()
        now[0] += DAY
        assert memory.sleep().unchanged_since is not None
        assert not store.replayed().problems
        return [fact for fact in store.all_facts() if "parcels" in fact.text]


def test_what_is_said_in_the_window_refines_the_fact(tmp_path: Path) -> None:
    old, new = lived(tmp_path, recalled=3 * DAY, said=3 * DAY + 2 * HOUR)
    assert old.active
    assert old.text == LATER
    assert (new.retired_by, new.successor) == ("merge", old.id)
    assert len(old.sources) == 2


@pytest.mark.parametrize(
    ("recalled", "said"),
    [(None, 3 * DAY), (3 * DAY, 3 * DAY + 7 * HOUR), (3 * DAY, 3 * DAY - HOUR)],
)
def test_outside_the_window_two_days_stay_two_events(tmp_path: Path, recalled: int | None, said: int) -> None:
    old, new = lived(tmp_path, recalled=recalled, said=said)
    assert old.text == FIRST
    assert new.retired_by != "merge"


def test_a_window_that_had_to_close_is_closed(tmp_path: Path) -> None:
    old, new = lived(tmp_path, recalled=3 * DAY, said=3 * DAY + 2 * HOUR, others=MOST)
    assert old.text == FIRST
    assert new.retired_by != "merge"
