"""After a purge no byte of the words is left, and the record still verifies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from nocturne.core.acts import ERASED, Act, Tombstone
from nocturne.core.facts import Change, Reversion
from nocturne.errors import StoreLocked
from nocturne.store import SqliteStore, open_store
from tests.store.story import POLICY, T0, WORDS, store_now

NEEDLES = ("Anouk", "bees on the roof", "anouk")


def purge(store: SqliteStore) -> int:
    """Erase m1, m2, every turn and every other text that speaks of Anouk."""
    hashes = {*store.texts_of([1, 2]), *store.texts_containing(["Anouk", "bees"])}
    steps = []
    for id_ in (1, 2):
        now = store_now(store, id_)
        steps.append(Change(now, replace(now, active=False, retired_by="person:purge")))
    act = Act(
        "purge",
        rule="person:purge",
        changes=tuple(steps),
        buries=(Tombstone(store.tombstone_key(["bees"]), "purge", 1),),
    )
    with store.transaction(expect=store.head()) as tx:
        count = tx.erase(hashes, act, at=T0 + 20, policy=POLICY)
        tx.snapshot("purge", command="nocturne purge m1", policy=POLICY, at=T0 + 20)
    store.scrub()
    return count


def files(path: Path) -> list[Path]:
    return [each for each in path.parent.iterdir() if each.name.startswith(path.name)]


def left(path: Path) -> list[tuple[str, str]]:
    return [
        (file.name, needle)
        for file in files(path)
        for needle in NEEDLES
        for form in (needle.encode(), needle.encode("utf-16-le"))
        if form in file.read_bytes()
    ]


def test_no_byte_is_left(path: Path, store: SqliteStore) -> None:
    store._link.value("PRAGMA wal_checkpoint")
    assert left(path), "the words are there before"
    count = purge(store)
    assert count >= 5
    assert left(path) == []
    copy = path.with_name("backup.db")
    store.backup(copy)
    assert left(copy) == []


def test_the_record_still_verifies_and_says_what_was_erased(store: SqliteStore) -> None:
    count = purge(store)
    found = store.replayed()
    assert found.problems == []
    assert len(found.erased) == count
    assert set(found.erased.values()) == {27}
    row = store.mutation(27)
    assert row is not None
    assert (row.kind, row.erased) == ("purge", count)
    assert store.problems() == []


def test_what_is_read_says_erased(store: SqliteStore) -> None:
    purge(store)
    assert store_now(store, 1).text == ERASED
    assert store.fact(1, at=1).text == ERASED  # type: ignore[union-attr]
    assert store_now(store, 4).text == "The release is on 3 May."
    assert store.turns([1])[1].text == ERASED
    assert store.turns([4])[4].text == "I take my tea without sugar."
    drop = store.mutation(13)
    assert drop is not None
    assert drop.reason == ERASED
    assert sorted(store.state().facts) == [4, 5]
    assert store.quizzes()[0].report == ""


def test_the_index_and_the_dictionary_forget_too(store: SqliteStore) -> None:
    assert store.token_numbers(["anouk", "release"]).keys() == {"anouk", "release"}
    number = store.token_numbers(["release"])["release"][0]
    purge(store)
    assert store.token_numbers(["anouk", "release"]).keys() == {"release"}
    assert store.token_numbers(["release"])["release"] == (number, 2), "numbers of tokens that stay are kept"
    assert sorted(fact for fact, _ in store.search([[number]], limit=9)) == [4, 5]


def test_a_purged_text_does_not_come_back_by_restore(store: SqliteStore) -> None:
    purge(store)
    back = [Reversion(*pair) for pair in store.changes(None, 1)]
    with store.transaction() as tx:
        skipped = tx.restore(back, to=store.snapshot(1), at=T0)
        tx.snapshot("restore", command="", policy=None, at=T0)
    assert skipped == ()
    assert sorted(store.state().facts) == [1, 2, 3, 4, 5]
    assert store_now(store, 1).text == ERASED
    assert store.replayed().problems == []
    assert store.index_problems() == []
    assert store.token_numbers([ERASED]) == {}


def test_a_change_of_a_purged_fact_keeps_the_erased_name(store: SqliteStore) -> None:
    purge(store)
    now = store_now(store, 2)
    with store.transaction() as tx:
        tx.act([Act("note", changes=(Change(now, replace(now, trust=1)),))], at=T0)
        tx.snapshot("x", command="", policy=None, at=T0)
    assert store_now(store, 2).trust == 1
    assert len(set(store._link.all("SELECT text FROM facts WHERE fact_id = 2"))) == 1
    assert store.replayed().problems == []


def test_a_speaker_can_be_erased_everywhere_at_once(path: Path, store: SqliteStore) -> None:
    hashes = store.texts_containing(["priya"])
    with store.transaction() as tx:
        tx.erase(hashes, Act("purge"), at=T0)
        tx.snapshot("purge", command="", policy=None, at=T0)
    store.scrub()
    assert b"Priya" not in path.read_bytes()
    assert store_now(store, 4).speaker == ERASED
    assert store.replayed().problems == []


def test_a_fact_whose_speaker_was_erased_can_still_change(store: SqliteStore) -> None:
    with store.transaction() as tx:
        tx.erase(store.texts_containing(["priya"]), Act("purge"), at=T0)
        tx.snapshot("purge", command="", policy=None, at=T0)
    now = store_now(store, 4)
    with store.transaction() as tx:
        tx.act([Act("note", changes=(Change(now, replace(now, trust=1)),))], at=T0)
        tx.snapshot("x", command="", policy=None, at=T0)
    assert store_now(store, 4) == replace(now, trust=1)
    assert store.replayed().problems == []


def test_one_command_is_said_once_and_an_erased_one_anew(store: SqliteStore) -> None:
    def taken(command: str) -> str:
        with store.transaction() as tx:
            number = tx.snapshot("x", command=command, policy=None, at=T0).number
            assert tx.snapshot("y", command=command, policy=None, at=T0).number == number + 1
        rows = store._link.all("SELECT DISTINCT command FROM ledger WHERE number >= ?", (number,))
        assert len(rows) == 1
        return str(rows[0][0])

    first = taken("nocturne tell Anouk")
    assert taken("nocturne tell Anouk") == first
    with store.transaction() as tx:
        tx.erase([first], Act("purge"), at=T0)
        tx.snapshot("purge", command="nocturne tell Anouk", policy=None, at=T0)
    assert store.snapshot(store.head().snapshot).command == "nocturne tell Anouk"
    assert store.snapshot(store.head().snapshot - 1).command == ERASED
    second = taken("nocturne tell Anouk")
    assert second != first
    assert taken("nocturne sleep") not in (first, second)
    assert store.replayed().problems == []


def test_a_reader_in_the_way_is_named_and_the_clearing_is_taken_up_later(path: Path) -> None:
    with open_store(path, measures=WORDS, busy_ms=20) as store, open_store(path, mode="readonly") as reader:
        with reader.moment():
            reader.state()
            with pytest.raises(StoreLocked) as caught:
                purge(store)
        assert "end the other command" in (caught.value.hint or "") or "wait" in (caught.value.hint or "")
    with open_store(path, measures=WORDS) as store:
        assert any("finished clearing" in note for note in store.notes)
        assert store.replayed().problems == []
    assert left(path) == []


def test_where_words_stand_can_be_asked(store: SqliteStore) -> None:
    found = store.texts_containing(["ANOUK"])
    assert any("roof" in text for text in found.values())
    assert store.texts_containing(['"asked"']) != {}
    assert store.texts_containing([""]) == {}
    uses = store.text_uses(found)
    assert uses["turns"] == 1
    assert uses["facts"] >= 1
    assert uses["quiz_runs"] == 0
