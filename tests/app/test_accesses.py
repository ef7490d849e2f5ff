"""What a recall leaves behind: reinforcement, suppression, windows; and what it never touches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from nocturne.app import policies
from nocturne.app.accesses import Remembered, remember
from nocturne.app.lexicons import default_lexicon
from nocturne.app.recall import Query, Retriever
from nocturne.core.facts import DAY, HOUR
from nocturne.core.lability import MOST, WINDOW
from nocturne.core.strength import boost, decayed
from nocturne.memory import Memory
from nocturne.store import SqliteStore, measures_of, open_store

START = 1_767_225_600_000_000
LEXICON = default_lexicon()
DEFAULT = policies.load("default")


def made(path: Path, texts: Sequence[str]) -> None:
    with Memory(path, clock=lambda: START) as memory:
        for text in texts:
            memory.append("scratch", {"text": text, "category": "context"})


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """Three facts about one kiln, one about another thing."""
    made(tmp_path / "m.db", ["The kiln is hot.", "The kiln is blue.", "The kiln is old.", "My boat leaks."])
    with open_store(tmp_path / "m.db", measures=measures_of(LEXICON)) as opened:
        yield opened


def recall(store: SqliteStore, text: str, now: int, top: int = 10) -> Remembered:
    found = Retriever(store, policy=DEFAULT, lexicon=LEXICON, now=now).find(Query(text, top=top))
    return remember(store, [found], policy=DEFAULT, lexicon=LEXICON, now=now)


def test_a_hit_is_reinforced_by_the_formula_and_its_window_opens(store: SqliteStore) -> None:
    now = START + 2 * DAY
    kept = recall(store, "boat", now)
    (row,) = store.activations().values()
    expected = decayed(1.0, 2.0, 0)
    assert kept.retrieved == (row.fact,)
    assert row.base == round((expected + boost(expected, 2.0)) * 1_000_000)
    assert (row.last_access, row.spaced, row.labile_until) == (now, 1, now + WINDOW)


def test_only_a_gap_of_twelve_hours_counts_as_spaced(store: SqliteStore) -> None:
    for hours in (1, 2, 14, 15, 27):
        recall(store, "boat", START + hours * HOUR)
    (row,) = store.activations().values()
    assert row.spaced == 2


def test_what_shares_one_word_of_several_is_no_competitor(store: SqliteStore) -> None:
    kept = recall(store, "the hot kiln", START + DAY, top=1)
    texts = {fact.id: fact.text for fact in store.state().facts.values()}
    assert [texts[id_] for id_ in kept.retrieved] == ["The kiln is hot."]
    assert kept.suppressed == ()
    assert set(store.activations()) == set(kept.retrieved)


def test_a_near_twin_that_was_not_shown_loses_three_in_a_hundred(tmp_path: Path) -> None:
    made(tmp_path / "t.db", ["The zither.", "My zither.", "The zither is old."])
    with open_store(tmp_path / "t.db", measures=measures_of(LEXICON)) as store:
        kept = recall(store, "zither", START + DAY, top=1)
        rows = store.activations()
        assert len(kept.retrieved) == 1
        assert len(kept.suppressed) >= 1
        for id_ in kept.suppressed:
            assert (rows[id_].base, rows[id_].last_access) == (970_000, START)


def test_at_most_ten_windows_stay_open(tmp_path: Path) -> None:
    words = ["anvil", "basin", "candle", "dune", "ember", "fjord"]
    words += ["glacier", "harbour", "island", "jetty", "kelp", "lagoon"]
    made(tmp_path / "t.db", [f"The {word} is grey." for word in words])
    with open_store(tmp_path / "t.db", measures=measures_of(LEXICON)) as store:
        for minute, word in enumerate(words):
            recall(store, word, START + DAY + minute * 60_000_000)
        now = START + DAY + len(words) * 60_000_000
        labile = store.labile(now)
        texts = {fact.id: fact.text for fact in store.state().facts.values()}
        assert len(labile) == MOST
        assert {texts[id_].split()[1] for id_ in labile} == set(words[2:])
        assert not store.replayed().problems


def test_a_locked_store_is_told_not_raised(store: SqliteStore) -> None:
    with open_store(store.path, measures=measures_of(LEXICON), busy_ms=20) as other, store.transaction():
        kept = recall(other, "boat", START + DAY)
    assert kept.failure is not None
    assert "locked" in kept.failure
    assert kept.retrieved == ()
    assert store.activations() == {}


def test_the_chain_does_not_move(store: SqliteStore) -> None:
    before = store.head(), store.state_digest()
    recall(store, "boat", START + DAY)
    assert (store.head(), store.state_digest()) == before


def test_nothing_found_is_nothing_recorded(store: SqliteStore) -> None:
    assert recall(store, "zeppelin", START) == Remembered()
    assert store.activations() == {}
