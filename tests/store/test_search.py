"""The index holds the active facts and nothing else, whatever the script."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nocturne.core.facts import Change
from nocturne.core.proposals import Forget
from nocturne.core.verdicts import Accepted, Ruling
from nocturne.store import SqliteStore, open_store, search
from tests.store.story import POLICY, T0, WORDS, encoded, fact, store_now


def found(store: SqliteStore, *words: str) -> list[int]:
    known = store.token_numbers(words)
    return sorted(id_ for id_, _ in store.search([[number for number, _ in known.values()]], limit=50))


def expected(store: SqliteStore) -> dict[int, list[str]]:
    return {id_: list(WORDS.tokenise(each.text)) for id_, each in store.state().facts.items()}


def whole(store: SqliteStore) -> None:
    """The index, the dictionary and the frequencies are what the active facts say."""
    streams = expected(store)
    words = {number: token for token, number in store._link.all("SELECT token, id FROM tokens")}
    held = {id_: [words[number] for number in search.unpacked(blob)] for id_, blob in store.token_rows()}
    assert held == streams
    counts = Counter(token for stream in streams.values() for token in set(stream))
    assert {words[number]: count for number, count in store.document_frequencies().items() if count} == dict(
        counts
    )
    for token, count in counts.items():
        ids = found(store, token)
        assert len(ids) == count
        assert ids == sorted(id_ for id_, stream in streams.items() if token in stream)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE tokens SET df = df + 1 WHERE id = 3",
        "UPDATE tokens SET token = 'other' WHERE id = 3",
        "DELETE FROM fact_tokens WHERE fact = 4",
        "INSERT INTO fact_tokens VALUES (3, x'01000000')",
        "UPDATE fact_tokens SET ids = x'01000000' WHERE fact = 4",
        "INSERT INTO search (rowid, tokens) VALUES (99, '1 2')",
        "INSERT INTO search (search) VALUES ('delete-all')",
    ],
)
def test_an_index_that_went_astray_is_found(store: SqliteStore, sql: str) -> None:
    assert store.index_problems() == []
    store._link.run(sql)
    assert store.index_problems() != []


def test_the_index_can_be_checked_without_writing(path: Path) -> None:
    before = path.read_bytes()
    with open_store(path, mode="readonly", measures=WORDS) as store:
        assert store.index_problems() == []
    assert path.read_bytes() == before


def test_active_facts_only(store: SqliteStore) -> None:
    whole(store)
    assert found(store, "sugar.") == []


def test_every_script_is_found(store: SqliteStore) -> None:
    texts = ["東京 に 住む", "Живёт в Москве", "يسكن في عمان", "ñandú 🐝"]
    with store.transaction() as tx:
        tx.record([encoded(fact(6 + i, text, 1)) for i, text in enumerate(texts)], at=T0, policy=POLICY)
        tx.snapshot("x", command="", policy=None, at=T0)
    assert [found(store, word) for word in ("東京", "москве", "عمان", "🐝")] == [[6], [7], [8], [9]]
    whole(store)


def test_the_index_follows_text_retirement_and_return(store: SqliteStore) -> None:
    now = store_now(store, 4)
    for step in (
        replace(now, text="other words entirely"),
        replace(now, text="other words entirely", active=False, retired_by="x"),
        replace(now, trust=5),
    ):
        ruling = Ruling(
            "forget", "engine", Accepted(Forget(fact=4), "x"), changes=(Change(store_now(store, 4), step),)
        )
        with store.transaction() as tx:
            tx.record([ruling], at=T0, policy=POLICY)
            tx.snapshot("x", command="", policy=None, at=T0)
        whole(store)


def test_groups_are_all_wanted_and_the_best_come_first(store: SqliteStore) -> None:
    known = {
        word: number
        for word, (number, _) in store.token_numbers(["release", "branch", "bees", "the"]).items()
    }
    both = store.search([[known["release"]], [known["branch"]]], limit=9)
    assert [id_ for id_, _ in both] == [5]
    either = store.search([[known["branch"], known["release"], known["the"]]], limit=9)
    assert either[0][0] == 5
    assert [score for _, score in either] == sorted((score for _, score in either), reverse=True)
    assert store.search([], limit=9) == store.search([[]], limit=9) == []
    assert len(store.search([[known["the"]]], limit=1)) == 1


@given(st.lists(st.integers(0, 2**32 - 1), max_size=20))
def test_token_numbers_come_back(ids: list[int]) -> None:
    assert search.unpacked(search.packed(ids)) == ids
    assert [int(search.term(number), 36) for number in ids] == ids


def test_what_a_fact_could_be_denied_by_follows_its_words(store: SqliteStore) -> None:
    asked: list[tuple[str, str | None]] = []

    def denied(text: str, speaker: str | None) -> list[tuple[str, str]]:
        asked.append((text, speaker))
        return [("says", word) for word in text.split()[:2]]

    store._measures = replace(WORDS, denied=denied)
    mine, hers = replace(fact(6, "I paint", 1), speaker=None), replace(fact(7, "I sing", 1), speaker="Ana")
    with store.transaction() as tx:
        tx.record([encoded(mine), encoded(hers)], at=T0, policy=POLICY)
        tx.snapshot("x", command="", policy=None, at=T0)
    keys = store.denials()
    assert asked == [("I paint", None), ("I sing", "Ana")]
    assert [len(keys[id_]) for id_ in (6, 7)] == [16, 16]
    assert keys[6][:8] == keys[7][:8] != keys[6][8:]
    with store.transaction() as tx:
        gone = replace(mine, active=False, retired_by="forget")
        tx.record(
            [Ruling("forget", "engine", Accepted(Forget(fact=6), "x"), changes=(Change(mine, gone),))],
            at=T0,
            policy=POLICY,
        )
        tx.snapshot("y", command="", policy=None, at=T0)
    assert 6 not in store.denials()
    assert 7 in store.denials()
