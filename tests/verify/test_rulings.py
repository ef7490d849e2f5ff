"""A record that is whole and lies: every accepted ruling is measured anew, and every false one is found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from nocturne.app.lexicons import default_lexicon
from nocturne.app.ports import KeyedTurn, SourceStep
from nocturne.core.acts import Act, Tombstone
from nocturne.core.facts import DAY, Change, Fact, Link, Span, Turn
from nocturne.core.policy import Policy
from nocturne.core.proposals import Contradict, Drop, Encode, Forget, Merge, Promote, Schematise
from nocturne.core.text.measures import content
from nocturne.core.verdicts import Accepted, Ruling
from nocturne.store import SqliteStore, measures_of, open_store
from tests.verify.loaded import verify

T0 = 1_760_000_000_000_000
POLICY = Policy()
LEXICON = default_lexicon()
SAID = (
    "I live in Tartu.",
    "I live in Tartu now and paint boats.",
    "I keep two goats.",
    "I moved to Narva in May.",
    "I paint boats on Sundays.",
    "I went to the dentist.",
)


def fact(id_: int, text: str, turn: int, **more: object) -> Fact:
    base = Fact(
        id=id_, text=text, block="scratch", category="context", recorded_at=T0, speaker="Liis", subject="Liis",
        said_at=T0 - (10 - turn) * DAY, sources=(Span(turn, 0, len(SAID[turn - 1])),),
    )  # fmt: skip
    return replace(base, **more)  # type: ignore[arg-type]


FACTS = (
    fact(1, "Liis lives in Tartu.", 1),
    fact(2, "Liis lives in Tartu now and paints boats.", 2),
    fact(3, "Liis keeps two goats.", 3),
    fact(4, "Liis moved to Narva in May.", 4),
    fact(5, "Liis paints boats on Sundays.", 5),
    fact(6, "Liis went to the dentist.", 6, category="event"),
)


def encoded(new: Fact, *turns: int) -> Ruling:
    cited = turns or tuple(span.turn for span in new.sources)
    return Ruling(
        "encode", "model", Accepted(Encode(turns=cited, text=new.text, reason="said"), "traceable"),
        changes=(Change(None, new),),
    )  # fmt: skip


def made(folder: Path, facts: Sequence[Fact] = FACTS) -> SqliteStore:
    store = open_store(folder / "false.db", mode="create", now=T0, measures=measures_of(LEXICON))
    with store.transaction(expect=store.head()) as tx:
        source = tx.add_source(SourceStep("talk.jsonl", "native", "c0", 9, 1, {}, {}))
        turns = [
            Turn(
                id=place, source=source, native_id=None, offset=place, position=place, session=f"s{place % 2}",
                speaker="Liis", provenance="human", text=text, said_at=T0 - (10 - place) * DAY, role="user",
            )
            for place, text in enumerate(SAID, start=1)
        ]  # fmt: skip
        tx.add_turns(source, [KeyedTurn(str(turn.id), turn) for turn in turns])
        tx.record([encoded(each) for each in facts], at=T0, policy=POLICY)
        tx.snapshot("ingest", command="nocturne ingest", policy=POLICY, at=T0)
    return store


def night(
    store: SqliteStore, stage: str, rulings: Sequence[Ruling], *, at: int = T0, policy: Policy = POLICY, word: str = ""
) -> None:
    with store.transaction(expect=store.head()) as tx:
        for label in ("consolidation:start", f"pass:{stage}:before"):
            tx.snapshot(label, command=f"nocturne sleep{word}", policy=policy, at=at)
        tx.record(rulings, at=at, policy=policy)
        tx.snapshot(f"pass:{stage}:after", command=f"nocturne sleep{word}", policy=policy, at=at)


def wrong(store: SqliteStore) -> dict[str, list[str]]:
    """The checks that do not hold, by their names' first words, with what they found."""
    path = store.path
    store.close()
    report = verify.audit(Path(path))
    return {check.name: check.problems for check in report.checks if not check.passed}


def gone(old: Fact, rule: str, successor: int | None = None, **more: object) -> Change:
    return Change(old, replace(old, active=False, retired_by=rule, successor=successor, **more))  # type: ignore[arg-type]


def dropped(old: Fact, kept: Fact) -> Ruling:
    heir = replace(kept, sources=kept.sources + old.sources)
    proposal = Drop(fact=old.id, duplicate_of=kept.id, reason="the same")
    return Ruling(
        "dedupe", "model", Accepted(proposal, "duplicate"), changes=(gone(old, "dedupe", kept.id), Change(kept, heir)),
        links=(Link(kept.id, old.id, "kept-for"),),
    )  # fmt: skip


def merged(text: str, into: Fact, *others: Fact, **more: object) -> Ruling:
    whole = replace(
        into, text=text, originals=1 + len(others), sources=into.sources + tuple(s for o in others for s in o.sources)
    )
    proposal = Merge(into=into.id, sources=tuple(other.id for other in others), text=text, reason="together")
    return Ruling(
        "merge", "model", Accepted(proposal, "merge:model"),
        changes=(Change(into, replace(whole, **more)), *(gone(o, "merge", into.id) for o in others)),  # type: ignore[arg-type]
        links=tuple(Link(into.id, one.id, "merged-from") for one in (into, *others)),
    )  # fmt: skip


def superseded(old: Fact, new: Fact) -> Ruling:
    begins = new.said_at or 0
    return Ruling(
        "contradict", "model", Accepted(Contradict(old=old.id, new=new.id, reason="moved"), "superseded"),
        changes=(gone(old, "contradict", new.id, valid_until=begins), Change(new, replace(new, valid_from=begins))),
        links=(Link(new.id, old.id, "supersedes"),),
    )  # fmt: skip


def forgotten(old: Fact, rule: str) -> Ruling:
    return Ruling("forget", "model", Accepted(Forget(fact=old.id, reason="old"), rule), changes=(gone(old, rule),))


def promoted(old: Fact, block: str, **more: object) -> Ruling:
    after = replace(old, block=block, **more)  # type: ignore[arg-type]
    proposal = Promote(fact=old.id, to_block=block, reason="lasting")
    return Ruling("promote", "model", Accepted(proposal, "promotion"), changes=(Change(old, after),))


def patterned(text: str, *members: Fact, **more: object) -> Ruling:
    schema = replace(
        members[0], id=7, text=text, block="schemas", layer="semantic", recorded_at=T0,
        sources=tuple(span for one in members for span in one.sources),
    )  # fmt: skip
    proposal = Schematise(members=tuple(one.id for one in members), text=text, reason="a pattern")
    return Ruling(
        "schematise", "model", Accepted(proposal, "schema"),
        changes=(Change(None, replace(schema, **more)),),  # type: ignore[arg-type]
        links=tuple(Link(7, one.id, "evidence") for one in members),
    )  # fmt: skip


ONE, TWO, THREE, FOUR, FIVE, SIX = FACTS
JOINED = "Liis lives in Tartu. Liis keeps two goats."
LATE = T0 + 100 * DAY
GUARDED = Policy.of({"forget": {"protected": ["event", "context"]}})
SMALL = Policy.of({"forget": {"stale_days": "never", "capacity": 5}, "loss_budget": 1.0})
LOSING = Policy.of({"loss_budget": 1.0})
STRICT = Policy.of({"promote": {"independent_sources": 2}})

TRUE: dict[str, tuple[str, Ruling, int, Policy]] = {
    "drop": ("dedupe", dropped(ONE, TWO), T0, POLICY),
    "merge": ("merge", merged(JOINED, ONE, THREE), T0, POLICY),
    "contradict": ("contradict", superseded(ONE, FOUR), T0, POLICY),
    "promote": ("promote", promoted(ONE, "human"), T0, POLICY),
    "schematise": ("schematise", patterned("Liis paints boats.", ONE, TWO, FIVE), T0, POLICY),
    "stale": ("forget", forgotten(THREE, "forget:stale"), LATE, LOSING),
    "capacity": ("forget", forgotten(ONE, "forget:capacity"), T0, SMALL),
}
FALSE: dict[str, tuple[str, Ruling, int, Policy]] = {
    "drop of another": ("dedupe", dropped(THREE, ONE), T0, POLICY),
    "drop of the longer": ("dedupe", dropped(TWO, ONE), T0, POLICY),
    "merge that loses": ("merge", merged("Liis lives in Tartu. Liis keeps goats.", ONE, THREE), T0, POLICY),
    "merge that invents": ("merge", merged("Liis lives in Tartu. Liis keeps two big goats.", ONE, THREE), T0, POLICY),
    "merge that leaves one": (
        "merge",
        replace(merged(JOINED, ONE, THREE), changes=merged(JOINED, ONE, THREE).changes[:1]),
        T0, POLICY,
    ),
    "merge counted wrong": ("merge", merged(JOINED, ONE, THREE, originals=1), T0, POLICY),
    "contradiction backwards": ("contradict", superseded(FOUR, ONE), T0, POLICY),
    "promotion nowhere": ("promote", promoted(ONE, "schemas"), T0, POLICY),
    "promotion to the assistant": ("promote", promoted(ONE, "persona"), T0, POLICY),
    "promotion that rewords": ("promote", promoted(ONE, "human", text="Liis lives in Narva."), T0, POLICY),
    "promotion on one source": ("promote", promoted(ONE, "human"), T0, STRICT),
    "pattern of two": ("schematise", patterned("Liis paints boats.", TWO, FIVE), T0, POLICY),
    "pattern unsaid": ("schematise", patterned("Liis sells boats.", ONE, TWO, FIVE), T0, POLICY),
    "pattern of one's value": ("schematise", patterned("Liis keeps two goats.", ONE, TWO, THREE), T0, POLICY),
    "pattern trusted more": ("schematise", patterned("Liis paints boats.", ONE, TWO, FIVE, trust=99), T0, POLICY),
    "forgotten too soon": ("forget", forgotten(THREE, "forget:stale"), T0, LOSING),
    "forgotten though protected": ("forget", forgotten(THREE, "forget:stale"), LATE, GUARDED),
    "forgotten under capacity": ("forget", forgotten(THREE, "forget:capacity"), T0, LOSING),
    "forgotten out of turn": ("forget", forgotten(SIX, "forget:capacity"), T0, SMALL),
    "forgotten by no rule": ("forget", forgotten(THREE, "forget:dull"), LATE, LOSING),
    "forgotten for evidence": ("forget", forgotten(THREE, "forget:evidence"), T0, LOSING),
}  # fmt: skip


@pytest.mark.parametrize("name", TRUE)
def test_true_rulings_hold(tmp_path: Path, name: str) -> None:
    stage, ruling, at, policy = TRUE[name]
    store = made(tmp_path)
    night(store, stage, [ruling], at=at, policy=policy)
    assert wrong(store) == {}


@pytest.mark.parametrize("name", FALSE)
def test_false_rulings_are_found(tmp_path: Path, name: str) -> None:
    stage, ruling, at, policy = FALSE[name]
    store = made(tmp_path)
    night(store, stage, [ruling], at=at, policy=policy)
    found = wrong(store)
    proposal = ruling.verdict.proposal
    assert proposal is not None
    assert any(proposal.kind in check and "anew" in check for check in found), found
    assert not any("chain" in check or "digest" in check or "table" in check for check in found), found


@pytest.mark.parametrize(
    ("new", "cited"),
    [
        (fact(7, "Liis lives in Riga.", 1), ()),
        (fact(7, "Liis lives in Tartu with Marek.", 1), ()),
        (fact(7, "Liis keeps three goats.", 3), ()),
        (fact(7, "Liis keeps two goats.", 3), (4,)),
        (fact(7, "Liis keeps two goats.", 3, block="human"), ()),
    ],
)
def test_facts_that_no_turn_says_are_found(tmp_path: Path, new: Fact, cited: tuple[int, ...]) -> None:
    store = made(tmp_path)
    with store.transaction(expect=store.head()) as tx:
        tx.record([encoded(new, *cited)], at=T0, policy=POLICY)
        tx.snapshot("ingest", command="nocturne ingest", policy=POLICY, at=T0)
    assert any("encode" in check for check in wrong(store))


def test_a_name_that_no_turn_has_is_found_in_the_sweep(tmp_path: Path) -> None:
    store = made(tmp_path)
    with store.transaction(expect=store.head()) as tx:
        act = Act("edit", rule="person:edit", changes=(Change(ONE, replace(ONE, text="Liis lives in Riga.")),))
        tx.act([act], at=T0, policy=POLICY)
        tx.snapshot("edit", command="nocturne edit", policy=POLICY, at=T0)
    assert list(wrong(store)) == ["no active fact holds a name or value that its turns lack"]


def test_a_span_outside_its_turn_is_found(tmp_path: Path) -> None:
    beyond = replace(ONE, id=7, sources=(Span(1, 3, 999),))
    store = made(tmp_path, (*FACTS, beyond))
    assert "active facts are traceable to the turns that say them" in wrong(store)


def test_a_chain_of_successors_that_breaks_is_found(tmp_path: Path) -> None:
    store = made(tmp_path)
    last = gone(replace(TWO, sources=TWO.sources + ONE.sources), "dedupe")
    end = Ruling("dedupe", "model", Accepted(Drop(fact=2, duplicate_of=3, reason="x"), "duplicate"), changes=(last,))
    night(store, "dedupe", [dropped(ONE, TWO), end])
    found = wrong(store)["what a pass retired lives on, with every word where it must"]
    assert any("m1 has no live successor" in problem for problem in found)


@pytest.mark.parametrize(("word", "holds"), [("", False), (" --allow-loss", True)])
def test_a_loss_beyond_the_budget_is_found_unless_it_was_allowed(tmp_path: Path, word: str, *, holds: bool) -> None:
    store = made(tmp_path)
    lost = [forgotten(each, "forget:stale") for each in FACTS[:4]]
    night(store, "forget", lost, at=LATE, word=word)
    found = wrong(store)
    assert found.keys() == (set() if holds else {"no sleep lost more than its policy allows"})


Steps = Callable[[Sequence[Change]], Sequence[Change]]


def _restore(store: SqliteStore, *, steps: Steps, skipped: Sequence[int]) -> None:
    back = [Change(now, then) for now, then in store.changes(None, 1) if then is not None]
    with store.transaction(expect=store.head()) as tx:
        refs = {"to": 1, "skipped": list(skipped), "erased": []}
        act = Act("restore", "restore", rule="restore", refs=refs, changes=tuple(steps(back)))
        tx.act([act], at=T0, policy=POLICY)
        tx.snapshot("restore:s1", command="nocturne restore s1", policy=POLICY, at=T0)


def test_a_restore_that_leaves_something_out_is_found_unless_it_says_so(tmp_path: Path) -> None:
    for place, (steps, skipped, holds) in enumerate(
        ((list, (), True), (lambda back: back[1:], (), False), (lambda back: back[1:], (1,), True))
    ):
        folder = tmp_path / str(place)
        folder.mkdir()
        store = made(folder)
        night(store, "dedupe", [dropped(ONE, TWO)])
        _restore(store, steps=steps, skipped=skipped)
        assert (wrong(store) == {}) == holds


def test_what_a_person_forgot_and_is_said_again_is_found(tmp_path: Path) -> None:
    store = made(tmp_path)
    with store.transaction(expect=store.head()) as tx:
        key = store.tombstone_key(content(SIX.text, LEXICON))
        buried = (Tombstone(key, "forget", 6),)
        act = Act("forget", rule="person:forget", changes=(gone(SIX, "person:forget"),), buries=buried)
        tx.act([act], at=T0, policy=POLICY)
        tx.snapshot("forget", command="nocturne forget m6", policy=POLICY, at=T0)
        tx.record([encoded(replace(SIX, id=7))], at=T0, policy=POLICY)
        tx.snapshot("ingest", command="nocturne ingest", policy=POLICY, at=T0)
    assert list(wrong(store)) == ["nothing that a person forgot or purged came back"]


def test_what_was_buried_beside_a_fact_that_stays_is_found(tmp_path: Path) -> None:
    store = made(tmp_path)
    with store.transaction(expect=store.head()) as tx:
        buried = tuple(
            Tombstone(store.tombstone_key(content(each.text, LEXICON)), "purge", None) for each in (SIX, ONE)
        )
        act = Act("bury", rule="person:purge", changes=(gone(SIX, "person:purge"),), buries=buried)
        tx.act([act], at=T0, policy=POLICY)
        tx.snapshot("purge", command="nocturne purge m6", policy=POLICY, at=T0)
    assert list(wrong(store)) == ["nothing that a person forgot or purged came back"]
