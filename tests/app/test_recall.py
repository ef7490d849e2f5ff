"""Recall over real stores: what is found, what stays out of sight, and what was so at another time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from nocturne.app import policies
from nocturne.app.lexicons import default_lexicon
from nocturne.app.recall import Query, Retriever, native_ids, retrieve
from nocturne.core.facts import DAY, Activation
from nocturne.core.text.measures import content
from nocturne.memory import Memory
from nocturne.store import SqliteStore, measures_of, open_store

START = 1_767_225_600_000_000
LEXICON = default_lexicon()
DEFAULT = policies.load("default")

TEXTS = (
    ("scratch", {"text": "I live in Porto.", "category": "identity"}),
    ("scratch", {"text": "I decided to use SQLite for the ledger.", "category": "decisions"}),
    ("scratch", {"text": "The ledger of the museum lists forty boats.", "category": "fact"}),
    ("scratch", {"text": "Мой кот любит рыбу.", "category": "fact"}),
    ("scratch", {"text": "我住在东京。", "category": "fact"}),
    ("scratch", {"text": "My bicycle has a flat tyre.", "category": "context"}),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """Six facts in four scripts, all said at ``START``."""
    with Memory(tmp_path / "m.db", clock=lambda: START) as memory:
        for block, item in TEXTS:
            memory.append(block, item)
    with open_store(tmp_path / "m.db", measures=measures_of(LEXICON)) as opened:
        yield opened


def ask(store: SqliteStore, text: str, **how: object) -> list[str]:
    now = how.pop("now", START)
    found = retrieve(store, Query(text), policy=DEFAULT, lexicon=LEXICON, now=now, **how)  # type: ignore[arg-type]
    return [hit.fact.text for hit in found.hits]


def test_the_fact_that_holds_all_terms_comes_first(store: SqliteStore) -> None:
    assert ask(store, "What did I decide to use for the ledger?")[0] == TEXTS[1][1]["text"]


@pytest.mark.parametrize(
    ("query", "place"), [("любит ли кот рыбу?", 3), ("东京", 4), ("bicycles", 5), ("PORTO", 0)]
)
def test_every_script_is_found(store: SqliteStore, query: str, place: int) -> None:
    assert ask(store, query)[0] == TEXTS[place][1]["text"]


@pytest.mark.parametrize("query", ["", "?!", "who is it", "zeppelin", "\x00", '" OR 1 NEAR( *'])
def test_a_query_without_a_known_term_finds_nothing(store: SqliteStore, query: str) -> None:
    assert ask(store, query) == []


@pytest.mark.parametrize("at", [None, 6])
def test_a_hit_names_the_terms_that_it_holds(store: SqliteStore, at: int | None) -> None:
    asked = "Which ledger of boats, and whose bicycle, in Porto or 东京?"
    reader = Retriever(store, policy=DEFAULT, lexicon=LEXICON, now=START, at=at)
    hits = reader.find(Query(asked)).hits
    assert len(hits) == 5
    for hit in hits:
        held = content(hit.fact.text, LEXICON) & content(asked, LEXICON)
        assert hit.matched == tuple(sorted(held))
        assert held


def test_intent_lifts_what_it_is_about(store: SqliteStore) -> None:
    reader = Retriever(store, policy=DEFAULT, lexicon=LEXICON, now=START)
    plain = reader.find(Query("ledger")).hits
    lifted = reader.find(Query("ledger", intent="decision")).hits
    assert {hit.factors.category_boost for hit in plain} == {1.0}
    assert lifted[0].fact.category == "decisions"
    assert lifted[0].factors.category_boost == 1.5
    assert lifted[0].factors.score == pytest.approx(
        lifted[0].factors.relevance * lifted[0].factors.strength * 1.5 * lifted[0].factors.layer_boost
    )


def test_recent_turns_bring_in_what_the_query_alone_does_not_name(store: SqliteStore) -> None:
    reader = Retriever(store, policy=DEFAULT, lexicon=LEXICON, now=START)
    alone = reader.find(Query("ledger"))
    among = reader.find(Query("ledger", recent=("The museum has boats.", "Nothing of it.")))
    assert among.hits[0].fact.text == TEXTS[2][1]["text"]
    assert {hit.fact.id for hit in alone.hits} == {hit.fact.id for hit in among.hits}


def test_what_faded_is_out_of_sight_and_protected_facts_never_are(store: SqliteStore) -> None:
    later = START + 200 * DAY
    assert ask(store, "bicycle tyre", now=later) == []
    found = retrieve(store, Query("bicycle tyre"), policy=DEFAULT, lexicon=LEXICON, now=later)
    assert found.faded == 1
    assert ask(store, "Porto", now=later) == [TEXTS[0][1]["text"]]


def test_an_accessed_fact_is_seen_longer(store: SqliteStore) -> None:
    bicycle = next(fact for fact in store.state().facts.values() if "bicycle" in fact.text)
    row = Activation(bicycle.id, 1_000_000, START + 150 * DAY, 5)
    store.record_accesses([row], kind="retrieved", at=START + 150 * DAY)
    later = START + 200 * DAY
    assert ask(store, "bicycle", now=later)
    assert ask(store, "bicycle", now=later, as_of=START + 2 * DAY)


def test_an_earlier_version_is_searched_as_it_was(store: SqliteStore) -> None:
    assert ask(store, "Porto", at=0) == []
    assert ask(store, "Porto ledger bicycle", at=2) == [TEXTS[0][1]["text"], TEXTS[1][1]["text"]]
    assert ask(store, "bicycle", as_of=START - DAY) == []


@pytest.mark.parametrize(
    "query", ["Porto ledger bicycle", "ledger museum", "東京 рыбу", "ledger SQLite boats"]
)
def test_both_ways_to_search_rank_alike(store: SqliteStore, query: str) -> None:
    newest = store.head().snapshot
    one = retrieve(store, Query(query), policy=DEFAULT, lexicon=LEXICON, now=START)
    two = retrieve(store, Query(query), policy=DEFAULT, lexicon=LEXICON, now=START, at=newest)
    assert [hit.fact.id for hit in one.hits] == [hit.fact.id for hit in two.hits]
    for a, b in zip(one.hits, two.hits, strict=True):
        assert a.factors.relevance == pytest.approx(b.factors.relevance, rel=1e-6)


def test_hits_name_their_turns(store: SqliteStore) -> None:
    hit = retrieve(store, Query("Porto"), policy=DEFAULT, lexicon=LEXICON, now=START).hits[0]
    assert native_ids(store, [hit.fact]) == {hit.fact.id: ("t1",)}


def test_reading_writes_nothing(store: SqliteStore) -> None:
    before = store.path.read_bytes(), store.head()
    ask(store, "ledger")
    assert (store.path.read_bytes(), store.head()) == before
    assert store.activations() == {}
