"""What goes in comes out: facts with every column, turns, rulings, and all that is kept beside them."""

from __future__ import annotations

from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path

import pytest

from nocturne.app.ports import HeadMoved, KeyedTurn, SourceStep
from nocturne.core.acts import Act, Tombstone
from nocturne.core.facts import Activation, Change, Fact, Link, Reversion, Span
from nocturne.core.proposals import Encode, Forget
from nocturne.core.verdicts import Accepted, Refused, Ruling
from nocturne.errors import InputUnreadable
from nocturne.store import QuizRun, Reply, SqliteStore, open_store
from nocturne.store.drafts import figures_of
from tests.store.story import (
    FACTS,
    POLICY,
    SAID,
    T0,
    WORDS,
    dropped,
    encoded,
    fact,
    live,
    new_store,
    remember,
    store_now,
    turns,
)


@pytest.fixture
def fresh(tmp_path: Path) -> SqliteStore:
    store = new_store(tmp_path, "fresh.db")
    remember(store, FACTS)
    return store


def close(store: SqliteStore, label: str = "end") -> None:
    with store.transaction() as tx:
        tx.snapshot(label, command="", policy=None, at=T0)


FULL = Fact(
    id=6,
    text='Lisbon — "zażółć" \t 東京 🐝',
    block="episodes",
    category="event",
    recorded_at=T0,
    layer="semantic",
    speaker="Ana",
    subject="Bruno",
    attribute="home",
    said_at=T0 - 5,
    occurred_at=-1,
    occurred_grain="year",
    confirmed_at=T0 + 5,
    valid_from=0,
    valid_until=T0,
    successor=2,
    active=False,
    retired_by="contradict",
    trust=0,
    quarantined_by="imperative",
    pinned=True,
    namespace="work",
    importance=10,
    originals=3,
    sources=(Span(1, 0, 4), Span(2, 3, 9), Span(2, 5, 6)),
)


def test_every_column_of_a_fact_comes_back(fresh: SqliteStore) -> None:
    plain = Fact(1, "", "human", "fact", 0)
    assert all(getattr(FULL, each.name) != getattr(plain, each.name) for each in fields(Fact))
    with fresh.transaction() as tx:
        tx.record([encoded(FULL)], at=T0, policy=POLICY)
        tx.snapshot("one", command="", policy=POLICY, at=T0)
        bare = replace(plain, id=7, text="bare")
        tx.record([encoded(bare)], at=T0, policy=POLICY)
        back = Change(FULL, replace(bare, id=6, text="now plain"))
        tx.record([replace(encoded(bare), changes=(back,))], at=T0, policy=POLICY)
        tx.snapshot("two", command="", policy=POLICY, at=T0)
    assert fresh.fact(6, at=2) == FULL
    assert fresh.fact(7) == bare
    assert fresh.fact(6) == replace(bare, id=6, text="now plain")
    assert fresh.replayed().holds


def test_facts_read_together_share_what_is_the_same(fresh: SqliteStore) -> None:
    with fresh.transaction() as tx:
        tx.record([encoded(replace(FULL, id=id_, recorded_at=T0, said_at=T0)) for id_ in (6, 7)], at=T0, policy=POLICY)
    first, second = fresh.facts([6, 7]).values()
    for column in ("recorded_at", "said_at", "block", "category", "speaker", "subject", "attribute", "namespace"):
        assert getattr(first, column) is getattr(second, column), column
    assert first.said_at is first.recorded_at


def test_turns_come_back_as_they_were_read(fresh: SqliteStore) -> None:
    assert fresh.turns([1, 2, 3, 4, 5, 99]) == {keyed.turn.id: keyed.turn for keyed in turns(1, 1)}
    assert [turn.id for turn in fresh.all_turns(source=1)] == [1, 2, 3, 4, 5]
    assert fresh.next_turn() == 6
    assert fresh.turn_counts() == {"assistant": 1, "human": 4}
    assert next(iter(fresh.origins())) == (1, 1, "morning", (T0 - 86_400_000_000) // 86_400_000_000)
    assert fresh.facts_by_turn([2, 5]) == {2: [2], 5: [4, 5]}


def test_turns_read_before_are_known_whatever_file_they_stand_in(fresh: SqliteStore) -> None:
    asked = [f"key-{text}" for _, _, text in SAID]
    assert fresh.known_keys([*asked, "key-new"]) == set(asked)
    stored = {row[0] for row in fresh._link.all("SELECT key FROM turns")}
    assert not stored & set(asked), "a key is kept under the store's own key"


def test_turns_out_of_order_or_of_another_source_are_refused(fresh: SqliteStore) -> None:
    for bad in (turns(7, 1), turns(6, 2), turns(5, 1)):
        with pytest.raises(ValueError, match="stands where t6 is next"), fresh.transaction() as tx:
            tx.add_turns(1, bad)
    assert fresh.next_turn() == 6


def test_a_source_advances_and_keeps_its_number(fresh: SqliteStore) -> None:
    found = fresh.source_for("/home/priya/talk.jsonl")
    assert found is not None
    assert (found.id, found.cursor, found.state) == (1, 512, {"line": 5})
    step = SourceStep(found.path, "native", "beef", 900, 2, {"line": 9, "ratio": 0.5}, {}, source=1)
    with fresh.transaction() as tx:
        assert tx.add_source(step) == 1
        assert tx.add_source(replace(step, path="/other", source=None)) == 2
        tx.snapshot("ingest", command="", policy=None, at=T0)
    again = fresh.source_for("/home/priya/talk.jsonl")
    assert again is not None
    assert (again.cursor, again.reader_version, again.state) == (900, 2, {"line": 9, "ratio": "0.5"})
    assert fresh.source_for(content_hash="beef") == fresh.source(2)
    assert [each.path for each in fresh.sources()] == ["/home/priya/talk.jsonl", "/other"]
    assert fresh.source_for("/nowhere") is None
    assert fresh.replayed().holds


def test_an_unknown_source_cannot_advance(fresh: SqliteStore) -> None:
    with pytest.raises(ValueError, match="source 9"), fresh.transaction() as tx:
        tx.add_source(SourceStep("/x", "native", "a", 1, 1, source=9))


def test_leaving_by_an_exception_changes_nothing(fresh: SqliteStore) -> None:
    head, state = fresh.head(), fresh.state()

    def torn() -> None:
        with fresh.transaction() as tx:
            tx.record([dropped(FACTS[1], FACTS[0])], at=T0, policy=POLICY)
            tx.snapshot("x", command="", policy=POLICY, at=T0)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        torn()
    assert fresh.head() == head
    assert fresh.state() == state


def test_a_head_that_moved_is_noticed(fresh: SqliteStore) -> None:
    head = fresh.head()
    close(fresh)
    with pytest.raises(HeadMoved, match="written to meanwhile"), fresh.transaction(expect=head):
        pass
    with fresh.transaction(expect=fresh.head()):
        pass


def test_a_change_from_another_version_is_refused(fresh: SqliteStore) -> None:
    stale = replace(FACTS[0], trust=50)
    with pytest.raises(HeadMoved, match="m1 is no longer as it was judged"), fresh.transaction() as tx:
        tx.record([dropped(FACTS[1], stale)], at=T0, policy=POLICY)


def test_numbers_are_never_used_twice(fresh: SqliteStore) -> None:
    assert fresh.next_fact() == fresh.state().next_id == 6
    with fresh.transaction() as tx:
        tx.record([encoded(fact(9, "later", 1))], at=T0, policy=POLICY)
        tx.snapshot("x", command="", policy=None, at=T0)
        tx.restore([Reversion(store_now(fresh, 9), None)], to=fresh.snapshot(1), at=T0)
        tx.snapshot("y", command="", policy=None, at=T0)
    assert fresh.next_fact() == 10
    for number in (5, 9):
        with pytest.raises(ValueError, match="is taken already"), fresh.transaction() as tx:
            tx.record([encoded(fact(number, "again", 1))], at=T0, policy=POLICY)


def test_a_change_to_a_fact_that_is_not_there(fresh: SqliteStore) -> None:
    ghost = fact(77, "ghost", 1)
    with pytest.raises(ValueError, match="m77 is not in the store"), fresh.transaction() as tx:
        tx.record([replace(encoded(ghost), changes=(Change(ghost, ghost),))], at=T0, policy=POLICY)


def test_a_refusal_cannot_change_anything(fresh: SqliteStore) -> None:
    refused = Ruling("encode", "model", Refused(None, "N001"), changes=(Change(None, fact(6, "x", 1)),))
    with pytest.raises(ValueError, match="refused encode ruling"), fresh.transaction() as tx:
        tx.record([refused], at=T0, policy=POLICY)


@pytest.mark.parametrize("text", ["a\x00b", "a\ud800b"])
def test_texts_that_would_not_come_back_are_refused(fresh: SqliteStore, text: str) -> None:
    with pytest.raises(ValueError, match="cannot be stored"), fresh.transaction() as tx:
        tx.record([encoded(fact(6, text, 1))], at=T0, policy=POLICY)


def test_a_time_that_is_no_integer_is_refused(fresh: SqliteStore) -> None:
    with pytest.raises(TypeError, match="said_at of m6"), fresh.transaction() as tx:
        tx.record([encoded(fact(6, "x", 1, said_at=1.5))], at=T0, policy=POLICY)


def test_versions_are_half_open_and_snapshots_stand(store: SqliteStore) -> None:
    found = store.versions(4)
    assert [(since, until) for since, until, _ in found] == [(9, 18), (18, 21), (21, None)]
    assert [each.text for _, _, each in found] == [FACTS[3].text, SAID[4][2], FACTS[3].text]
    assert store.fact(4, at=3) == FACTS[3]
    assert store.fact(4, at=4) == found[1][2]
    assert list(store.state(1).facts.values()) == list(FACTS)
    assert sorted(store.state(4).facts) == [1, 3, 4]
    assert {id_: (gone.snapshot, gone.rule) for id_, gone in store.state(4).retired.items()} == {
        2: (3, "dedupe"),
        5: (4, "merge"),
    }
    assert store.state_ids() == store.state().retired
    assert store.versions(99) == []
    assert store.fact(99) is None


def test_sources_are_part_of_a_version(store: SqliteStore) -> None:
    assert store.fact(1, at=3).sources == (*FACTS[0].sources, *FACTS[1].sources)  # type: ignore[union-attr]
    assert store.sources_of([1, 2]) == {1: FACTS[0].sources, 2: FACTS[1].sources}
    assert [each.sources for _, _, each in store.versions(1)] == [
        FACTS[0].sources,
        (*FACTS[0].sources, *FACTS[1].sources),
        FACTS[0].sources,
    ]


def test_the_difference_between_two_snapshots_applied_to_one_is_the_other(store: SqliteStore) -> None:
    whole = {number: {each.id: each for each in store.all_facts(number)} for number in range(7)}
    for first in range(7):
        for second in range(7):
            made = dict(whole[first])
            for before, after in store.changes(first, second):
                one = before or after
                assert one is not None
                assert made.get(one.id) == before
                made.pop(one.id, None)
                if after is not None:
                    made[one.id] = after
            assert made == whole[second]


def test_a_restore_is_exact_and_can_be_undone(fresh: SqliteStore) -> None:
    with fresh.transaction() as tx:
        tx.record([dropped(FACTS[1], FACTS[0]), encoded(fact(6, "one more", 3))], at=T0, policy=POLICY)
        later = tx.snapshot("later", command="", policy=POLICY, at=T0)
    then, now = fresh.state(1), fresh.state(2)
    for target, wanted in ((1, then), (2, now)):
        with fresh.transaction() as tx:
            back = [Reversion(*pair) for pair in fresh.changes(None, target)]
            assert tx.restore(back, to=fresh.snapshot(target), at=T0) == ()
            info = tx.snapshot("restore", command="", policy=None, at=T0)
        assert fresh.state().facts == wanted.facts
        assert info.active == len(wanted.facts)
    assert info.digest == later.digest
    assert fresh.replayed().holds


def test_a_text_that_returns_keeps_its_commitment(store: SqliteStore) -> None:
    names = [row[0] for row in store._link.all("SELECT text FROM facts WHERE fact_id = 4 ORDER BY from_seq")]
    assert names[0] == names[2] != names[1]


def test_equal_texts_of_two_facts_are_two_texts(fresh: SqliteStore) -> None:
    with fresh.transaction() as tx:
        tx.record([encoded(fact(6, FACTS[0].text, 1))], at=T0, policy=POLICY)
        tx.snapshot("x", command="", policy=None, at=T0)
    names = fresh._link.all("SELECT text FROM facts WHERE fact_id IN (1, 6)")
    assert len(set(names)) == 2


def test_rulings_come_back_with_their_words(store: SqliteStore) -> None:
    rows = {row.seq: row for row in store.mutations()}
    drop, keep, broken, merge = rows[13], rows[14], rows[15], rows[18]
    assert (drop.pass_name, drop.kind, drop.fact, drop.origin, drop.accepted) == (
        "dedupe",
        "drop",
        2,
        "engine",
        True,
    )
    assert (drop.reason, drop.rule, drop.touched, drop.snapshot) == ("the same", "dedupe", (1, 2), 3)
    assert (keep.accepted, keep.code, keep.memo) == (False, "N210", "memo-1")
    assert keep.evidence == {"found": "sugar", "similarity": "1/5"}
    assert keep.provenance == {"proposer": "rules"}
    assert (broken.kind, broken.raw, broken.fact) == ("malformed", '{"drop": [}', None)
    assert (merge.text, merge.refs) == (SAID[4][2], {"into": 4, "sources": [4, 5]})
    assert merge.links == (Link(4, 4, "merged-from"), Link(4, 5, "merged-from"))
    assert rows[6].text == FACTS[0].text
    assert (rows[6].measures, rows[6].lexicon) == ("7", next(iter(store.lexicons())))
    assert rows[6].policy_digest != merge.policy_digest
    assert {rows[6].policy_digest, merge.policy_digest} == set(store.policies())
    assert rows[3].at == T0


def test_mutations_can_be_chosen(store: SqliteStore) -> None:
    assert [row.seq for row in store.mutations(5, 8)] == [6, 7, 8]
    assert [row.seq for row in store.mutations(pass_name="dedupe", accepted=False)] == [14, 15]
    assert [row.seq for row in store.mutations_of(3)] == [8, 14, 19, 21, 23]
    assert store.mutation(13).kind == "drop"  # type: ignore[union-attr]
    assert store.mutation(2) is None
    assert store.mutation(999) is None
    assert store.links(5) == [(18, Link(4, 5, "merged-from"))]
    assert store.links_from(2) == [Link(1, 2, "kept-for")]
    assert store.lineage([4]) == [(18, Link(4, 4, "merged-from")), (18, Link(4, 5, "merged-from"))]


def test_snapshots_come_back(store: SqliteStore) -> None:
    info = store.snapshot(3)
    assert (info.label, info.command, info.policy, info.active) == (
        "pass:dedupe:after",
        "nocturne sleep",
        "default",
        4,
    )
    assert info.counts == {"accepted": 1, "changed": 1, "engine": 1, "refused": 2, "retired": 1}
    assert store.snapshot_at(T0 + 3) == 3
    assert store.snapshot_at(T0 - 1) is None
    assert store.last_sleep_at() == T0 + 1
    assert store.head().snapshot == 6
    assert store.state_digest() == store.snapshot(6).digest


def test_what_a_proposal_says_in_words_is_kept_apart_from_the_ledger(fresh: SqliteStore) -> None:
    odd = Encode(turns=(1,), text="x y", block="Lives At 9 Elm Road", subject="Dana", occurred_grain="day")
    with fresh.transaction() as tx:
        tx.record([Ruling("encode", "model", Refused(odd, "N105"))], at=T0, policy=POLICY)
        tx.record(
            [Ruling("forget", "model", Refused(Forget(fact=1, policy="stale"), "N301"))], at=T0, policy=POLICY
        )
        tx.snapshot("x", command="", policy=None, at=T0)
    first, second = list(fresh.mutations())[-2:]
    assert first.text == "x y"
    assert first.refs == {
        "turns": [1],
        "block": "Lives At 9 Elm Road",
        "subject": "Dana",
        "category": "context",
        "occurred_grain": "day",
    }
    assert second.refs == {"fact": 1, "policy": "stale"}
    everything = str(fresh._link.all("SELECT * FROM ledger"))
    assert "Elm" not in everything
    assert "Dana" not in everything


def test_a_ruling_that_steps_a_fact_twice_is_one_version(fresh: SqliteStore) -> None:
    one, two = replace(FACTS[0], trust=70), replace(FACTS[0], trust=60)
    ruling = Ruling(
        "forget",
        "person",
        Accepted(Forget(fact=1), "x"),
        changes=(Change(FACTS[0], one), Change(one, two)),
    )
    with fresh.transaction() as tx:
        tx.record([ruling, replace(ruling, changes=(Change(two, two),))], at=T0, policy=POLICY)
        tx.snapshot("x", command="", policy=None, at=T0)
    assert [each.trust for _, _, each in fresh.versions(1)] == [100, 60]
    assert fresh.replayed().holds


def test_many_steps_of_one_fact_in_one_transaction(fresh: SqliteStore) -> None:
    rulings = []
    now = FACTS[0]
    for step in range(50):
        sources = (Span(step % 5 + 1, 0, 3),)
        after = replace(now, trust=step, text=f"text {step % 3}", active=step % 2 == 0, sources=sources)
        rulings.append(
            Ruling("forget", "engine", Accepted(Forget(fact=1), "x"), changes=(Change(now, after),))
        )
        now = after
    with fresh.transaction() as tx:
        tx.record(rulings, at=T0, policy=POLICY)
        tx.snapshot("x", command="", policy=None, at=T0)
    assert len(fresh.versions(1)) == 51
    assert store_now(fresh, 1) == now
    assert fresh.replayed().holds


def test_tombstones_stand_until_they_are_lifted(store: SqliteStore) -> None:
    key = store.tombstone_key(["tea", "sugar"])
    assert key == store.tombstone_key(["sugar", "tea", "tea"])
    assert store.tombstone_keys() == {key}
    assert {(stone.key, stone.fact, stone.cause, stone.lifted) for stone in store.tombstones()} == {
        (key, 3, "forget", None),
        ("t2", None, "reject", 24),
    }
    with store.transaction() as tx:
        back = [Reversion(*pair) for pair in store.changes(None, 5)]
        tx.restore(back, to=store.snapshot(5), at=T0, lifted=True)
        tx.act([Act("tombstone", buries=(Tombstone("t2", "purge", 4),))], at=T0)
        tx.snapshot("x", command="", policy=None, at=T0)
    assert store.tombstone_keys() == {"t2"}
    assert store.fact(3).active  # type: ignore[union-attr]
    assert store.replayed().holds


def test_memo_entries_are_kept_once(store: SqliteStore) -> None:
    assert store.memo_keys() == {"memo-1"}
    again = Ruling("dedupe", "model", Refused(None, "N210"), memo="memo-1")
    with store.transaction() as tx:
        tx.record([again], at=T0, policy=POLICY)
        tx.snapshot("x", command="", policy=None, at=T0)
    assert store._link.all("SELECT * FROM memo") == [("memo-1", 14)]
    assert store.replayed().holds


def test_strengths_and_accesses_lie_outside_versions(store: SqliteStore) -> None:
    head = store.head()
    assert store.activations() == {
        4: Activation(4, 1_200_000, T0),
        3: Activation(3, 1_050_000, T0 + 5, 1, T0 + 6),
    }
    store.record_accesses([Activation(3, 900_000, T0 + 9)], kind="suppressed", at=T0 + 9)
    store.record_accesses([], kind="retrieved", at=T0 + 9)
    assert store.activations()[3] == Activation(3, 900_000, T0 + 9)
    assert store.head() == head
    close(store)
    assert store.replayed().holds


def test_quizzes_replies_and_drift_come_back(store: SqliteStore) -> None:
    run = QuizRun(T0 + 6, 4, 5, 5, 1, 1, passed=True, report='{"asked":["Who keeps bees?"]}')
    assert store.quizzes() == [run]
    assert store.record_quiz(replace(run, report="", baseline=1, passed=False)) == 2
    (reply,) = store.replies(request="f" * 64)
    assert reply == Reply(reply.head, "dedupe", 1, "f" * 64, "openai:x", '{"drop":[]}', T0 + 6)
    assert store.replies(head=reply.head) == [reply]
    assert store.replies(head="0") == []
    assert store.drift() == {4: {"category:event": 900_000, "m4": 1_100_000}}


def test_names_are_kept_once(store: SqliteStore) -> None:
    speakers = {
        row[0] for row in store._link.all("SELECT speaker FROM facts UNION SELECT speaker FROM turns")
    }
    assert len(speakers - {None}) == 1


def test_a_quiet_look_writes_nothing(path: Path) -> None:
    before = path.read_bytes()
    with open_store(path, mode="readonly", measures=WORDS) as store:
        store.state()
    assert path.read_bytes() == before


def test_two_lives_differ_in_every_commitment(tmp_path: Path, store: SqliteStore) -> None:
    with new_store(tmp_path, "twin.db") as twin:
        live(twin)
        mine = {row[0] for row in store._link.all("SELECT hash FROM texts")}
        theirs = {row[0] for row in twin._link.all("SELECT hash FROM texts")}
        assert not mine & theirs
        assert store.tombstone_key(["a"]) != twin.tombstone_key(["a"])


def test_info_and_integrity(store: SqliteStore) -> None:
    info = store.info()
    assert (info["facts"], info["active"], info["turns"], info["entries"], info["snapshots"]) == (
        5,
        4,
        5,
        25,
        7,
    )
    assert store.problems() == []


def test_a_backup_is_a_whole_store(store: SqliteStore, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    store.backup(target)
    with open_store(target, mode="readonly") as copy:
        assert copy.head() == store.head()
        assert copy.replayed().holds
    with pytest.raises(InputUnreadable, match="exists already"):
        store.backup(target)


def test_keyed_turns_in_a_second_file_get_the_next_numbers(fresh: SqliteStore) -> None:
    with fresh.transaction() as tx:
        source = tx.add_source(SourceStep("/b.jsonl", "native", "b", 1, 1))
        more = [KeyedTurn("new", replace(turns(6, source)[0].turn, native_id=None, tool=None))]
        tx.add_turns(source, more)
        tx.add_turns(source, [])
        tx.snapshot("x", command="", policy=None, at=T0)
    assert fresh.next_turn() == 7
    assert fresh.replayed().holds


def test_evidence_is_told_apart_into_what_a_purge_may_leave_and_words() -> None:
    figures, rest = figures_of(
        {
            "from": "scratch",
            "share": Fraction(3, 4),
            "kept": True,
            "ids": (1, 2),
            "said": "scratched",
            "of": ["scratch"],
        }
    )
    assert figures == {"from": "scratch", "share": "3/4", "kept": 1, "ids": [1, 2]}
    assert rest == {"said": "scratched", "of": ["scratch"]}
