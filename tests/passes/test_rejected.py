"""What a person rejected or took back, met again by a pass."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nocturne.core.policy import Policy
from nocturne.core.proposals import Contradict, Drop, Encode, Forget, Merge, Promote, Schematise
from nocturne.passes.night import NIGHT
from nocturne.passes.rejected import rejection
from nocturne.passes.scene import Scene
from tests.passes.scenes import codes, fact, judged, scene

STAGES = {stage.name: stage for stage in NIGHT}
FACTS = [
    fact(1, "The user uses pytest for tests."),
    fact(2, "The user uses pytest for tests!"),
    fact(3, "The user uses ruff for tests."),
    fact(4, "The user lives in Ghent.", category="identity", age=9),
    fact(5, "The user moved to Bruges.", category="identity", age=2),
    fact(6, "The user saw a heron.", category="event", age=90),
]
PROPOSALS = [
    ("dedupe", Drop(fact=2, duplicate_of=1, reason="r")),
    ("merge", Merge(into=1, sources=(3,), reason="r")),
    ("contradict", Contradict(old=4, new=5, reason="r")),
    ("promote", Promote(fact=4, to_block="human", reason="r")),
    ("forget", Forget(fact=6, reason="r")),
]


def rejecting(at: Scene, proposal: object) -> Scene:
    key = rejection(at.memo, at.facts, proposal)  # type: ignore[arg-type]  # one of the union
    assert key is not None
    return replace(at, memo=replace(at.memo, known=frozenset({key})))


@pytest.mark.parametrize(("name", "proposal"), PROPOSALS, ids=lambda each: getattr(each, "kind", each))
def test_a_rejected_proposal_is_refused_whoever_makes_it(name: str, proposal: object) -> None:
    at = scene(FACTS)
    assert codes(judged(STAGES[name], at, proposal))[0] is None
    assert codes(judged(STAGES[name], rejecting(at, proposal), proposal)) == ["N401"]


@pytest.mark.parametrize(("name", "proposal"), PROPOSALS, ids=lambda each: getattr(each, "kind", each))
def test_a_rejection_holds_under_any_policy(name: str, proposal: object) -> None:
    at = scene(FACTS)
    known = rejecting(at, proposal).memo.known
    other = scene(FACTS, policy=Policy(name="other", loss_budget=0.5))
    other = replace(other, memo=replace(other.memo, policy="another", measures=9, known=known))
    assert codes(judged(STAGES[name], other, proposal)) == ["N401"]


def test_the_engine_does_not_do_by_rule_what_a_person_rejected() -> None:
    at = rejecting(scene(FACTS), Drop(fact=2, duplicate_of=1))
    rulings = judged(STAGES["dedupe"], at, enforce=True).rulings
    assert not any(ruling.accepted for ruling in rulings)


def test_a_drop_is_rejected_both_ways_and_a_supersession_one_way() -> None:
    at = scene(FACTS)
    assert rejection(at.memo, at.facts, Drop(fact=2, duplicate_of=1)) == rejection(
        at.memo, at.facts, Drop(fact=1, duplicate_of=2)
    )
    assert rejection(at.memo, at.facts, Contradict(old=4, new=5)) != rejection(
        at.memo, at.facts, Contradict(old=5, new=4)
    )


def test_another_text_is_another_question() -> None:
    at = scene(FACTS)
    known = rejecting(at, Promote(fact=4, to_block="human")).memo.known
    changed = [
        each if each.id != 4 else replace(each, text="The user lives in Ghent again.") for each in FACTS
    ]
    again = scene(changed)
    again = replace(again, memo=replace(again.memo, known=known))
    assert codes(judged(STAGES["promote"], again, Promote(fact=4, to_block="human", reason="r"))) == [None]


def test_what_names_no_fact_has_no_rejection() -> None:
    at = scene(FACTS)
    assert rejection(at.memo, at.facts, Encode(turns=(1,), text="x")) is None
    assert rejection(at.memo, at.facts, Forget(fact=99)) is None


def test_a_buried_text_is_neither_merged_nor_seen_as_a_pattern() -> None:
    text = "The user uses pytest for tests and ruff for linting."
    at = scene(FACTS)
    members = [fact(n, "The user runs along the river.") for n in (1, 2, 3)]
    pattern = "The user runs along the river."
    buried = frozenset({at.tombstones.of(at.content(text)), at.tombstones.of(at.content(pattern))})
    merge = Merge(into=1, sources=(3,), text=text, reason="r")
    schema = Schematise(members=(1, 2, 3), text=pattern, reason="r")
    assert codes(judged(STAGES["merge"], scene(FACTS, buried=buried), merge)) == ["N105"]
    assert codes(judged(STAGES["schematise"], scene(members, buried=buried), schema)) == ["N105"]
