"""A person's word: what falls with a fact, what comes back, what stays away, and what leaves no byte."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from nocturne.app.forgetting import Order, preview
from nocturne.app.lineage import why
from nocturne.app.withdrawal import withdraw
from nocturne.core.facts import DAY
from nocturne.errors import StoreLocked, UsageError
from nocturne.store import SqliteStore
from tests.app import making
from tests.app.making import LEXICON, POLICY, T0

RUNS = (
    "I run along the river on Mondays.",
    "I run along the river.",
    "I run along the river before work.",
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with making.new_store(tmp_path) as made:
        yield made


def told(store: SqliteStore, tmp_path: Path, *said: str, session: str = "s", at: int = T0) -> list[int]:
    """These sentences as facts; their numbers."""
    before = set(making.texts(store))
    making.take_in(store, making.talk(tmp_path / f"{session}.jsonl", said, session=session, at=at))
    return sorted(set(making.texts(store)) - before)


def whole(store: SqliteStore) -> None:
    found = making.audited(store)
    assert found.problems == ()


def test_a_merge_that_loses_a_source_is_undone(store: SqliteStore, tmp_path: Path) -> None:
    one, two, three = told(
        store, tmp_path, "I use pytest for tests.", "I use ruff for linting.", "I like tea."
    )
    making.joined(store, one, two)
    done = making.taken_back(store, match=["ruff"])
    assert making.texts(store) == {one: "Ana uses pytest for tests.", three: "Ana likes tea."}
    assert [pair.back.id for pair in done.preview.withdrawal.returns] == [one]
    assert {each.fact.id for each in done.preview.withdrawal.falls} == {two}
    whole(store)


def test_the_text_that_kept_its_number_can_go_alone(store: SqliteStore, tmp_path: Path) -> None:
    one, two = told(store, tmp_path, "I use pytest for tests.", "I use ruff for linting.")
    making.joined(store, one, two)
    making.taken_back(store, match=["pytest"])
    assert making.texts(store) == {two: "Ana uses ruff for linting."}
    fact = store.fact(one)
    assert fact is not None
    assert fact.retired_by == "person:forget"
    whole(store)


def test_a_merge_named_by_its_number_goes_whole(store: SqliteStore, tmp_path: Path) -> None:
    one, two = told(store, tmp_path, "I use pytest for tests.", "I use ruff for linting.")
    making.joined(store, one, two)
    making.taken_back(store, one)
    assert making.texts(store) == {}
    for text in ("I use pytest for tests.", "I use ruff for linting."):
        again = making.take_in(store, making.talk(tmp_path / "again.jsonl", [text], session=text))
        assert again.refusals == {"N105": 1}
    whole(store)


def test_a_merge_of_merges_gives_back_the_inner_one(store: SqliteStore, tmp_path: Path) -> None:
    one, two, three = told(
        store, tmp_path, "I use pytest for tests.", "I use ruff for linting.", "I use uv for packages."
    )
    making.joined(store, one, two)
    inner = making.texts(store)[one]
    making.joined(store, one, three, now=T0 + 3 * DAY)
    making.taken_back(store, match=["uv for"])
    assert making.texts(store) == {one: inner}
    whole(store)


def test_a_duplicate_and_its_keeper_fall_together(store: SqliteStore, tmp_path: Path) -> None:
    told(store, tmp_path, "I have a dog.")
    told(store, tmp_path, "I have a dog called Saffron.", session="b", at=T0 + DAY // 2)
    making.slept(store)
    (kept,) = making.texts(store)
    gone = making.id_of(store, "has a dog.")
    assert gone != kept
    making.taken_back(store, gone)
    assert making.texts(store) == {}
    again = making.take_in(store, making.talk(tmp_path / "c.jsonl", ["I have a dog."], session="c"))
    assert again.refusals == {"N105": 1}
    whole(store)


def test_facts_that_are_no_kin_and_say_the_same_fall_too(store: SqliteStore, tmp_path: Path) -> None:
    one = told(store, tmp_path, "I like tea.")[0]
    two = told(store, tmp_path, "I like tea!", session="b")[0]
    done = making.taken_back(store, one)
    assert {each.fact.id: each.why for each in done.preview.withdrawal.falls} == {
        one: "named",
        two: "says the same",
    }
    whole(store)


def test_what_says_more_is_named_and_left_alone(store: SqliteStore, tmp_path: Path) -> None:
    one, two = told(store, tmp_path, "I like tea.", "I like tea with lemon.")
    found = withdraw(store, LEXICON, ids=[one])
    assert [fact.id for fact in found.also] == [two]
    making.taken_back(store, one)
    assert list(making.texts(store)) == [two]
    whole(store)


def test_a_schema_falls_with_its_evidence_and_its_members_stay(store: SqliteStore, tmp_path: Path) -> None:
    runs = [told(store, tmp_path, text, session=f"r{place}")[0] for place, text in enumerate(RUNS)]
    schema = making.patterned(store, runs, "Ana runs along the river.")
    done = making.taken_back(store, runs[0])
    assert schema not in making.texts(store)
    assert set(making.texts(store)) == set(runs[1:])
    assert {each.fact.id: each.why for each in done.preview.withdrawal.falls}[schema] == "is a pattern of it"
    assert "Ana runs along the river." not in done.preview.withdrawal.buried, "the others still show it"
    whole(store)


def test_what_it_had_ended_stays_ended(store: SqliteStore, tmp_path: Path) -> None:
    told(store, tmp_path, "I live in Ghent.")
    told(store, tmp_path, "I live in Bruges now.", session="b", at=T0 + DAY)
    making.slept(store, now=T0 + 3 * DAY)
    (new,) = making.texts(store)
    done = making.taken_back(store, new, now=T0 + 4 * DAY)
    assert making.texts(store) == {}
    assert [old.text for old, _ in done.preview.withdrawal.ended] == ["Ana lives in Ghent."]
    whole(store)


def test_a_preview_writes_nothing(store: SqliteStore, tmp_path: Path) -> None:
    one = told(store, tmp_path, "I like tea.")[0]
    before = store.head()
    for what in ("forget", "purge"):
        preview(store, LEXICON, Order(what, (one,), (), "Ana", "", T0, ""))  # type: ignore[arg-type]
    assert store.head() == before


def test_a_number_that_never_was_is_told(store: SqliteStore) -> None:
    with pytest.raises(UsageError, match="no fact m99"):
        preview(store, LEXICON, Order("forget", (99,), (), "Ana", "", T0, ""))


def test_a_store_that_moved_on_is_not_touched(store: SqliteStore, tmp_path: Path) -> None:
    from nocturne.app.forgetting import carry_out

    one = told(store, tmp_path, "I like tea.")[0]
    seen = preview(store, LEXICON, Order("forget", (one,), (), "Ana", "", T0, ""))
    told(store, tmp_path, "I like rain.", session="b")
    with pytest.raises(StoreLocked, match="written to"):
        carry_out(store, LEXICON, seen, policy=POLICY)
    assert one in making.texts(store)


# Coming back


def test_restore_skips_what_was_forgotten_and_says_so(store: SqliteStore, tmp_path: Path) -> None:
    one, two = told(store, tmp_path, "I like tea.", "I own a kayak.")
    making.taken_back(store, one)
    done = making.back(store, 1)
    assert ([fact.id for fact in done.skipped], done.exact) == ([one], False)
    assert list(making.texts(store)) == [two]
    whole(store)


def test_restore_of_a_merge_that_lost_a_source_loses_nothing_else(store: SqliteStore, tmp_path: Path) -> None:
    one, two = told(store, tmp_path, "I use pytest for tests.", "I use ruff for linting.")
    making.joined(store, one, two)
    merged = store.head().snapshot
    making.taken_back(store, match=["pytest"])
    done = making.back(store, merged)
    assert [fact.id for fact in done.skipped] == [one]
    assert done.kept == (two,)
    assert making.texts(store) == {two: "Ana uses ruff for linting."}
    whole(store)


def test_tombstones_can_be_lifted_by_restore(store: SqliteStore, tmp_path: Path) -> None:
    one, two = told(store, tmp_path, "I use pytest for tests.", "I use ruff for linting.")
    making.joined(store, one, two)
    merged = store.head().snapshot
    text = making.texts(store)[one]
    making.taken_back(store, match=["pytest"])
    done = making.back(store, merged, lift=True)
    assert done.exact
    assert making.texts(store) == {one: text}
    assert store.tombstone_keys() == frozenset()
    assert store.snapshot(store.head().snapshot).digest == store.snapshot(merged).digest
    whole(store)


def test_tombstones_can_be_lifted_by_reading_it_again(store: SqliteStore, tmp_path: Path) -> None:
    one = told(store, tmp_path, "I like tea.")[0]
    making.taken_back(store, one)
    path = making.talk(tmp_path / "b.jsonl", ["I like tea."], session="b")
    again = making.take_in(store, path, lift=True)
    assert (again.accepted, again.lifted) == (1, 1)
    assert list(making.texts(store).values()) == ["Ana likes tea."]
    whole(store)


# Purging


def everywhere(folder: Path, words: str) -> list[str]:
    """The files of a store, and a backup made now, that hold the words in any encoding that SQLite writes."""
    forms = [words.encode(), words.encode("utf-16-le"), words.casefold().encode()]
    return [
        file.name
        for file in folder.iterdir()
        if file.name.startswith("made.db") or file.suffix == ".bak"
        if any(form in file.read_bytes() for form in forms)
    ]


def test_purged_words_are_in_no_byte(store: SqliteStore, tmp_path: Path) -> None:
    one, two, three = told(
        store, tmp_path, "My phone number is 555 0142.", "I use pytest for tests.", "I use ruff for linting."
    )
    making.joined(store, two, three)
    assert everywhere(tmp_path, "555 0142")
    done = making.taken_back(store, one, purge=True)
    store.backup(tmp_path / "after.bak")
    for words in ("555 0142", "phone number is", "number is 555"):
        assert everywhere(tmp_path, words) == []
    assert everywhere(tmp_path, "pytest")
    assert set(making.texts(store)) == {two}
    receipt = done.to_json()
    assert "0142" not in str(receipt)
    assert receipt["rows"]["turns"] == 1
    assert len(receipt["facts"][0]["leaves"][0]) == 64
    assert str(tmp_path / "s.jsonl") in receipt["outside"]
    found = making.audited(store)
    assert found.problems == ()
    assert len(found.replayed.erased) == len(receipt["erased"])
    assert found.measured.erased >= 1


def test_a_purge_takes_a_source_out_of_a_merge(store: SqliteStore, tmp_path: Path) -> None:
    one, two = told(store, tmp_path, "I use pytest for tests.", "I use ruff for linting.")
    making.joined(store, one, two)
    merged = making.texts(store)[one]
    making.taken_back(store, match=["ruff"], purge=True)
    assert making.texts(store) == {one: "Ana uses pytest for tests."}
    for words in (merged, "ruff", "linting"):
        assert everywhere(tmp_path, words) == []
    whole(store)
    assert store.fact(one, at=1).text == "Ana uses pytest for tests."  # type: ignore[union-attr]


def test_purged_words_come_back_by_no_door(store: SqliteStore, tmp_path: Path) -> None:
    one, two = told(store, tmp_path, "My phone number is 555 0142.", "I like tea.")
    making.taken_back(store, one, purge=True)
    done = making.back(store, 1)
    assert (done.purged, list(making.texts(store))) == ((one,), [two])
    again = making.talk(tmp_path / "z.jsonl", ["My phone number is 555 0142.", "I own a kayak."], session="z")
    report = making.take_in(store, again, lift=True)
    assert (report.purged, report.accepted) == (1, 1)
    assert everywhere(tmp_path, "555 0142") == []
    assert making.take_in(store, again).turns == {}
    assert everywhere(tmp_path, "555 0142") == []
    whole(store)


def test_a_purge_by_words_takes_every_text_that_has_them(store: SqliteStore, tmp_path: Path) -> None:
    told(store, tmp_path, "I sold the yellow kayak to Rosalind.", "I like tea.")
    told(store, tmp_path, "Rosalind is kind.", session="b")
    making.slept(store)
    making.taken_back(store, match=["rosalind"], purge=True)
    assert everywhere(tmp_path, "Rosalind") == []
    assert list(making.texts(store).values()) == ["Ana likes tea."]
    whole(store)


def test_what_stands_beside_purged_words_may_be_said_again(store: SqliteStore, tmp_path: Path) -> None:
    told(store, tmp_path, "I like tea. I like jazz.")
    told(store, tmp_path, "I like tea.", "I like trains.", session="b")
    making.taken_back(store, match=["jazz"], purge=True)
    assert sorted(making.texts(store).values()) == ["Ana likes tea.", "Ana likes tea.", "Ana likes trains."]
    whole(store)
    report = making.take_in(store, making.talk(tmp_path / "c.jsonl", ["I like tea.", "I like jazz."], session="c"))
    assert (report.purged, report.accepted) == (1, 1)
    whole(store)


def test_a_sentence_with_a_date_of_its_own_is_known_again(store: SqliteStore, tmp_path: Path) -> None:
    told(store, tmp_path, "I moved to Bruges yesterday.", "I like tea.")
    making.taken_back(store, match=["bruges"], purge=True)
    again = making.talk(tmp_path / "d.jsonl", ["I moved to Bruges yesterday."], session="d", at=T0 + 9 * DAY)
    report = making.take_in(store, again)
    assert (report.purged, report.accepted) == (1, 0)
    whole(store)


def test_echoes_of_a_value_go_with_it(store: SqliteStore, tmp_path: Path) -> None:
    from nocturne.store import QuizRun

    one = told(store, tmp_path, "My phone number is 555 0142.", "Call 555 0142 before noon!")[0]
    report = '{"asked":[{"fact":"m1","answer":"it is 555 0142"}]}'
    store.record_quiz(QuizRun(T0, 1, 1, 1, 0, 0, passed=True, report=report))
    making.taken_back(store, one, purge=True)
    assert everywhere(tmp_path, "555 0142") == []
    assert store.quizzes()[0].report == ""
    whole(store)


def test_what_rests_on_the_same_turn_stays_and_is_named(store: SqliteStore, tmp_path: Path) -> None:
    told(store, tmp_path, "I like tea. I own a red kayak.")
    one = making.id_of(store, "kayak")
    done = making.taken_back(store, one, purge=True)
    assert list(making.texts(store).values()) == ["Ana likes tea."]
    assert [fact.text for fact in done.preview.erasure.bereft] == ["Ana likes tea."]
    assert everywhere(tmp_path, "red kayak") == []
    whole(store)


# Lineage


def test_what_was_brought_back_is_as_old_as_it_was(store: SqliteStore, tmp_path: Path) -> None:
    one, two = told(store, tmp_path, "I use pytest for tests.", "I use ruff for linting.")
    before = store.head().snapshot
    making.joined(store, one, two)
    making.back(store, before)
    tree = why(store, one).tree
    assert tree.parents == ()
    assert [quote.words for quote in tree.quotes] == ["I use pytest for tests"]


def test_descendants_are_a_tree(store: SqliteStore, tmp_path: Path) -> None:
    one, two, three = told(
        store, tmp_path, "I use pytest for tests.", "I use ruff for linting.", "I use uv for packages."
    )
    making.joined(store, two, three)
    making.joined(store, one, two, now=T0 + 3 * DAY)
    story = why(store, three, down=True)
    assert story.down is not None
    (child,) = story.down
    assert (child.role, child.fact.id) == ("merged-from", two)
    assert [(below.role, below.fact.id) for below in child.children] == [("merged-from", one)]
