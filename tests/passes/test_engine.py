"""The engine: what a pass decides, in which order, and what it leaves behind."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nocturne.app.asking import RawReply
from nocturne.core.facts import Retirement, Span, Turn
from nocturne.core.policy import Dedupe as DedupeRules
from nocturne.core.policy import Forget as ForgetRules
from nocturne.core.policy import Merge as MergeRules
from nocturne.core.policy import Policy
from nocturne.core.policy import Promote as PromoteRules
from nocturne.core.proposals import Drop, Encode, Forget, Keep, Merge, Promote
from nocturne.core.text.measures import content
from nocturne.passes.engine import Offer, _Settled, offers, run, withhold
from nocturne.passes.night import ENCODE, NIGHT
from nocturne.passes.scene import Origin
from tests.passes.scenes import NOW, codes, fact, judged, scene

DEDUPE, CONTRADICT, MERGE, PROMOTE, SCHEMATISE, FORGET = NIGHT

LISBON = "I live in Lisbon and work best in the morning."
LISBON_TOO = "The user lives in Lisbon and works best in the morning."
PORTO = "I live in Porto and work best in the morning."


def test_the_order_of_the_night_is_fixed() -> None:
    assert [stage.name for stage in NIGHT] == [
        "dedupe",
        "contradict",
        "merge",
        "promote",
        "schematise",
        "forget",
    ]


def store() -> list:
    return [
        fact(1, LISBON),
        fact(2, LISBON_TOO),
        fact(3, PORTO),
        fact(4, "The user keeps a bearded dragon."),
        fact(5, "The user keeps a bearded dragon called Saffron."),
        fact(6, "The user has a dentist appointment.", category="event", age=70),
        fact(7, "The user will call the bank.", category="commitments", age=70),
        fact(8, "The kitchen tap leaks.", category="context", age=10, block="episodes"),
    ]


ADVERSARIAL = [
    # The seed's model-free proposals: each must be refused for its own cause, or pass.
    (DEDUPE, Drop(fact=2, duplicate_of=1, reason="same"), None),
    (DEDUPE, Drop(fact=4, duplicate_of=5, reason="subset"), None),
    (DEDUPE, Drop(fact=5, duplicate_of=4, reason="same"), "N202"),
    (DEDUPE, Drop(fact=99, duplicate_of=1, reason="same"), "N002"),
    (DEDUPE, Drop(fact=1, duplicate_of=99, reason="same"), "N002"),
    (DEDUPE, Drop(fact=1, duplicate_of=1, reason="same"), "N005"),
    (DEDUPE, Drop(fact=2, duplicate_of=1, reason="  "), "N007"),
    (DEDUPE, Drop(fact=50, duplicate_of=1, reason="same"), "N003"),
    (MERGE, Merge(into=1, sources=(99,), text="x", reason="r"), "N002"),
    (MERGE, Merge(into=1, sources=(1,), text=LISBON, reason="r"), "N005"),
    (MERGE, Merge(into=1, sources=(), text=LISBON, reason="r"), "N012"),
    (MERGE, Merge(into=4, sources=(8,), text="The user keeps a bearded dragon.", reason="r"), "N011"),
    (PROMOTE, Promote(fact=1, to_block="longterm", reason="r"), "N008"),
    (PROMOTE, Promote(fact=1, to_block="scratch", reason="r"), "N008"),
    (PROMOTE, Promote(fact=8, to_block="episodes", reason="r"), "N010"),
    (PROMOTE, Promote(fact=1, to_block="persona", reason="r"), "N209"),
    (PROMOTE, Promote(fact=1, to_block="human", reason="r"), None),
    (FORGET, Forget(fact=7, reason="old", policy="stale"), "N304"),
    (FORGET, Forget(fact=8, reason="old", policy="stale"), "N301"),
    (FORGET, Forget(fact=6, reason="old", policy="capacity"), None),
]


@pytest.mark.parametrize(
    ("stage", "proposal", "expected"), ADVERSARIAL, ids=lambda v: getattr(v, "kind", None)
)
def test_every_cause_has_its_own_code(stage, proposal, expected) -> None:
    at = scene(store(), retired={50: Retirement(12, "dedupe")})
    assert codes(judged(stage, at, proposal)) == [expected]


def test_a_dissimilar_duplicate_is_refused_and_nothing_changes() -> None:
    at = scene(store())
    outcome = judged(DEDUPE, at, Drop(fact=3, duplicate_of=1, reason="same"))
    assert codes(outcome)[0] is not None
    assert outcome.state.facts == at.before.facts


def test_a_fact_used_once_is_told_apart_from_one_that_never_was() -> None:
    outcome = judged(
        DEDUPE,
        scene(store()),
        Drop(fact=2, duplicate_of=1, reason="same"),
        Drop(fact=2, duplicate_of=1, reason="again"),
    )
    assert codes(outcome) == [None, "N004"]


def test_the_code_records_the_rule_that_it_verified_itself() -> None:
    outcome = judged(FORGET, scene(store()), Forget(fact=6, reason="old", policy="capacity"))
    (ruling,) = outcome.rulings
    assert ruling.verdict.rule == "forget:stale"
    assert ruling.changes[0].after.retired_by == "forget:stale"


def test_a_keeper_inherits_sources_confirmation_protection_and_pin() -> None:
    first = fact(1, "The user drinks green tea.", age=9, sources=(Span(1, 0, 5),))
    second = fact(
        2, "I drink green tea.", age=2, category="preferences", pinned=True, sources=(Span(2, 0, 5),)
    )
    outcome = judged(DEDUPE, scene([first, second]), Drop(fact=2, duplicate_of=1, reason="same"))
    kept = outcome.state.facts[1]
    assert kept.sources == (Span(1, 0, 5), Span(2, 0, 5))
    assert kept.confirmed_at == second.said_at
    assert kept.category == "preferences"
    assert kept.pinned
    assert 2 not in outcome.state.facts


def test_an_unadjudicated_pair_reaches_the_backstop_and_is_the_engines() -> None:
    outcome = judged(DEDUPE, scene(store()), enforce=True)
    engine = [ruling for ruling in outcome.rulings if ruling.origin == "engine"]
    assert (outcome.enforced, outcome.accepted) == (1, 0)
    assert {ruling.changes[0].after.id for ruling in engine if ruling.accepted} == {2}
    # Three content tokens are contained by chance: the dragon waits for somebody to adjudicate it.
    assert [ruling.verdict.code for ruling in engine if not ruling.accepted] == ["N220"]


def test_a_pair_that_was_kept_apart_is_left_alone() -> None:
    outcome = judged(
        DEDUPE,
        scene([fact(1, LISBON), fact(2, LISBON_TOO)]),
        Keep(fact=2, other=1, reason="told on different days"),
        enforce=True,
    )
    assert [ruling.origin for ruling in outcome.rulings] == ["model"]
    assert set(outcome.state.facts) == {1, 2}


def test_the_backstop_never_retries_what_was_refused() -> None:
    at = scene(
        [fact(1, "The user is not allergic to soy milk."), fact(2, "The user is allergic to soy milk.")]
    )
    outcome = judged(DEDUPE, at, Drop(fact=2, duplicate_of=1, reason="same"), enforce=True)
    assert codes(outcome).count("N203") == 1
    assert set(outcome.state.facts) == {1, 2}


def test_a_refusal_by_text_is_remembered_and_not_nominated_again() -> None:
    at = scene(
        [fact(1, "The user is not allergic to soy milk."), fact(2, "The user is allergic to soy milk.")]
    )
    first = judged(DEDUPE, at, enforce=True)
    keys = frozenset(ruling.memo for ruling in first.rulings if ruling.memo)
    assert keys
    again = replace(at, memo=replace(at.memo, known=keys))
    assert DEDUPE.brief(again) is None
    assert not judged(DEDUPE, again, enforce=True).changed


def test_a_tiny_subset_is_dropped_only_when_adjudicated() -> None:
    facts = [fact(1, "The user rows."), fact(2, "The user rows on Lake Como with Beatrice.")]
    by_rule = judged(DEDUPE, scene(facts), enforce=True)
    assert set(by_rule.state.facts) == {1, 2}
    asked = judged(DEDUPE, scene(facts), Drop(fact=1, duplicate_of=2, reason="contained"))
    assert set(asked.state.facts) == {2}


def test_the_floor_of_the_policy_is_the_gates_floor() -> None:
    policy = Policy(dedupe=DedupeRules(floor=1.0))
    outcome = judged(DEDUPE, scene(store(), policy=policy), Drop(fact=2, duplicate_of=1, reason="same"))
    assert codes(outcome) == [None]


def test_merge_and_retirement_are_one_ruling() -> None:
    facts = [
        fact(1, "The user plays the cello.", category="preferences"),
        fact(2, "The user plays the viola.", category="preferences"),
    ]
    outcome = judged(MERGE, scene(facts), Merge(into=1, sources=(2,), reason="one list"))
    (ruling,) = outcome.rulings
    assert ruling.accepted
    assert {change.after.id: change.after.active for change in ruling.changes} == {1: True, 2: False}
    merged = outcome.state.facts[1]
    lexicon = scene([]).lexicon
    for each in facts:
        assert content(each.text, lexicon) <= content(merged.text, lexicon)
    assert merged.originals == 2
    assert {(link.child, link.parent, link.role) for link in ruling.links} == {
        (1, 1, "merged-from"),
        (1, 2, "merged-from"),
    }


def test_a_policy_may_take_code_built_merges_only() -> None:
    policy = Policy(merge=MergeRules(model_text=False))
    facts = [fact(1, "The user plays the cello."), fact(2, "The user plays the viola.")]
    text = "The user plays the viola and the cello, both."
    outcome = judged(MERGE, scene(facts, policy=policy), Merge(into=1, sources=(2,), text=text, reason="r"))
    assert codes(outcome) == ["N229"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The user plays the cello and the viola in Kitchen.", ("N101", "N102")),
        ("The user plays the cello and the viola at the pub.", ("N101",)),
        ("The user plays the cello.", ("N221",)),
    ],
)
def test_a_models_text_may_neither_invent_nor_lose(text, code) -> None:
    facts = [fact(1, "The user plays the cello."), fact(2, "The user plays the viola.")]
    outcome = judged(MERGE, scene(facts), Merge(into=1, sources=(2,), text=text, reason="r"))
    assert codes(outcome)[0] in code


def test_a_merge_takes_at_most_so_many_originals() -> None:
    facts = [
        fact(n, f"The user plays the {name}.")
        for n, name in enumerate(["cello", "viola", "lute", "harp", "oboe"], 1)
    ]
    outcome = judged(MERGE, scene(facts), Merge(into=1, sources=(2, 3, 4, 5), reason="all of them"))
    assert codes(outcome) == ["N224"]


def test_low_trust_needs_two_independent_sources() -> None:
    lone = fact(1, "The user likes BrewCo.", category="preferences", trust=20, sources=(Span(1, 0, 3),))
    same_day = {1: Origin(1, "a", 100), 2: Origin(2, "b", 100)}
    other_day = {1: Origin(1, "a", 100), 2: Origin(2, "b", 107)}
    twice = replace(lone, sources=(Span(1, 0, 3), Span(2, 0, 3)))
    wanted = Promote(fact=1, to_block="human", reason="r")
    assert codes(judged(PROMOTE, scene([lone], origins=same_day), wanted)) == ["N307"]
    assert codes(judged(PROMOTE, scene([twice], origins=same_day), wanted)) == ["N307"]
    assert codes(judged(PROMOTE, scene([twice], origins=other_day), wanted)) == [None]
    strict = Policy(promote=PromoteRules(independent_sources=2))
    trusted = replace(lone, trust=100)
    assert codes(judged(PROMOTE, scene([trusted], policy=strict, origins=same_day), wanted)) == ["N307"]


def test_promotion_enforcement_moves_what_nobody_promoted() -> None:
    facts = [
        fact(1, "The user is called Ida.", category="identity"),
        fact(2, "The user went to Oslo.", category="event"),
        fact(3, "The tap drips.", category="context"),
    ]
    outcome = judged(PROMOTE, scene(facts), enforce=True)
    assert {id_: each.block for id_, each in outcome.state.facts.items()} == {
        1: "human",
        2: "episodes",
        3: "scratch",
    }
    assert outcome.enforced == 2


def test_capacity_takes_the_least_salient_unprotected_facts_and_no_more() -> None:
    policy = Policy(forget=ForgetRules(capacity=6))
    facts = [
        *(fact(n, f"Note number {n}.", category="context", age=n) for n in range(1, 5)),
        *(fact(n, f"Decision number {n}.", category="decisions", age=90) for n in range(5, 11)),
    ]
    outcome = judged(FORGET, scene(facts, policy=policy), enforce=True)
    assert set(outcome.state.facts) == set(range(5, 11))
    assert {ruling.verdict.rule for ruling in outcome.rulings} == {"forget:capacity"}
    assert outcome.enforced == 4


def test_capacity_alone_never_takes_a_protected_or_pinned_fact() -> None:
    policy = Policy(forget=ForgetRules(capacity=1))
    facts = [
        fact(1, "The user is Ida.", category="identity", age=500),
        fact(2, "The tap drips.", category="context", pinned=True, age=500),
    ]
    outcome = judged(FORGET, scene(facts, policy=policy), enforce=True)
    assert not outcome.changed
    refused = judged(
        FORGET,
        scene(facts, policy=policy),
        Forget(fact=1, reason="r"),
        Forget(fact=2, reason="r"),
    )
    assert codes(refused) == ["N304", "N305"]


@pytest.mark.parametrize(
    ("age", "code"), [(59, "N301"), (60, "N301"), (60.01, None), (61, None), (-3, "N301")]
)
def test_the_age_limit_is_exact(age, code) -> None:
    outcome = judged(FORGET, scene([fact(1, "The tap drips.", age=age)]), Forget(fact=1, reason="r"))
    assert codes(outcome) == [code]


def test_a_pass_refused_whole_leaves_the_state_and_says_why_for_each() -> None:
    at = scene(store())
    outcome = judged(FORGET, at, Forget(fact=6, reason="old"), Forget(fact=8, reason="old"))
    held = withhold(outcome, at.before, "N306", {"would_lose": 1})
    assert codes(held) == ["N306", "N301"]
    assert held.state == at.before
    assert (held.accepted, held.refused, held.withheld) == (0, 2, "N306")
    assert all(not ruling.changes for ruling in held.rulings)


def test_a_gate_that_errs_refuses(monkeypatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("nocturne.passes.dedupe.judge_drop", broken)
    at = scene(store())
    outcome = judged(DEDUPE, at, Drop(fact=2, duplicate_of=1, reason="same"))
    assert codes(outcome) == ["N013"]
    (ruling,) = outcome.rulings
    assert "ZeroDivisionError" in ruling.verdict.evidence["error"]
    assert outcome.state.facts == at.before.facts


def test_what_is_no_proposal_is_recorded_with_its_reason() -> None:
    raw = '{"drop":[{"itemId":"m2","duplicateOf":"m1","reason":"same","confidence":1}],"keep":[]}'
    outcome = run(DEDUPE, scene(store()), lambda _: list(offers("dedupe", [raw, "not json"])), enforce=False)
    assert codes(outcome) == ["N001", "N001"]
    first, _ = outcome.rulings
    assert "confidence" in first.verdict.evidence["found"]
    assert first.raw is not None


def test_a_proposal_of_another_pass_is_refused() -> None:
    outcome = judged(PROMOTE, scene(store()), Forget(fact=6, reason="r"))
    assert codes(outcome) == ["N001"]


def turn(id_: int, text: str, **fields: object) -> Turn:
    base = {"provenance": "human", "role": "user", "speaker": None, "session": "s", "said_at": NOW}
    base.update(fields)
    return Turn(id_, 1, None, 0, id_, text=text, **base)  # type: ignore[arg-type]


def test_encode_adds_numbered_facts_with_spans() -> None:
    at = scene([], turns=[turn(1, "I live in Lisbon and I drive a van.")])
    outcome = judged(
        ENCODE,
        at,
        Encode(
            turns=(1,), text="The user lives in Lisbon.", category="identity", reason="r", start=0, end=16
        ),
        Encode(turns=(1,), text="The user drives a van.", reason="r"),
    )
    assert codes(outcome) == [None, None]
    assert list(outcome.state.facts) == [1, 2]
    assert outcome.state.facts[1].sources == (Span(1, 0, 16),)
    assert outcome.state.facts[1].said_at == NOW


@pytest.mark.parametrize(
    ("said", "proposal", "expected"),
    [
        ({}, {"text": "The user prefers Lisbon."}, ("N101",)),
        ({}, {"text": "The user lives in Lisbon.", "turns": (7,)}, ("N015",)),
        ({}, {"text": "The user lives in Lisbon.", "turns": ()}, ("N015",)),
        ({}, {"text": "The user lives in Lisbon.", "block": "human"}, ("N008",)),
        ({}, {"text": "   "}, ("N110",)),
        ({}, {"text": "x" * 1001}, ("N109",)),
        ({}, {"text": "The user lives in Lisbon.", "start": 3, "end": 400}, ("N111",)),
        ({"provenance": "tool", "role": "tool"}, {"text": "The user lives in Lisbon."}, ("N104",)),
        ({"provenance": "assistant", "role": "assistant"}, {"text": "The user lives in Lisbon."}, ("N104",)),
        ({}, {"text": "The user lives in Lisbon.\x00"}, ("N108",)),
    ],
)
def test_encode_refuses_each_for_its_cause(said, proposal, expected) -> None:
    at = scene([], turns=[turn(1, "I live in Lisbon.", **said)])
    wanted = Encode(**{"turns": (1,), "reason": "r", **proposal})
    assert codes(judged(ENCODE, at, wanted))[0] in expected


def test_a_buried_text_is_not_encoded_again() -> None:
    at = scene([], turns=[turn(1, "I am allergic to walnuts.")])
    buried = at.tombstones.of(content("The user is allergic to walnuts.", at.lexicon))
    at = scene([], turns=[turn(1, "I am allergic to walnuts.")], buried=frozenset({buried}))
    wanted = Encode(turns=(1,), text="The user is allergic to walnuts.", reason="r")
    assert codes(judged(ENCODE, at, wanted)) == ["N105"]


def test_offers_carry_where_a_reply_came_from() -> None:
    found = list(
        offers(
            "forget",
            [RawReply('{"forget":[{"itemId":"m6","reason":"old","policy":"stale"}]}', {"model": "tiny"})],
        )
    )
    assert [offer.provenance for offer in found] == [{"model": "tiny"}]
    assert isinstance(found[0], Offer)


def test_facts_that_share_no_more_than_their_subject_stay_apart_whatever_joins_them() -> None:
    facts = [fact(1, "The user likes tea."), fact(2, "The user broke a leg in Oslo.")]
    text = "The user likes tea and broke a leg in Oslo."
    outcome = judged(MERGE, scene(facts), Merge(into=1, sources=(2,), text=text, reason="one person"))
    assert codes(outcome) == ["N225"]


@pytest.mark.parametrize(
    ("one", "two", "code"),
    [
        ("The user's dentist is Ana Silva.", "The user's dentist is Priya Nair.", "N222"),
        ("The user's landlord is Omar Haddad.", "The user's landlord is Lena Vogt.", "N222"),
        ("The user plays the cello.", "The user plays the viola.", None),
    ],
)
def test_a_role_in_the_singular_has_one_holder(one, two, code) -> None:
    outcome = judged(MERGE, scene([fact(1, one), fact(2, two)]), Merge(into=1, sources=(2,), reason="r"))
    assert codes(outcome) == [code]


@given(st.lists(st.lists(st.integers(-1, 12), min_size=1, max_size=3).map(tuple)))
def test_what_is_settled_is_a_set_of_questions(questions: list[tuple[int, ...]]) -> None:
    settled, plain = _Settled(10), set(questions)
    for question in questions:
        settled.add(question)
    assert settled == plain
    assert len(settled) == len(plain)
    assert all((number,) in settled for number in range(-1, 13) if (number,) in plain)
    assert not any((number,) in settled for number in range(-1, 13) if (number,) not in plain)
    assert "words" not in settled
