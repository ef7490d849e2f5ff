"""The passes of a night as the rules adjudicate them: every nominated candidate, in the wire's shapes."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from nocturne.core.facts import DAY, Block, Category, Fact
from nocturne.llm.rules import RulesProposer
from nocturne.passes.briefs import (
    Clash,
    Cluster,
    ContradictBrief,
    DedupeBrief,
    ForgetBrief,
    Forgettable,
    MergeBrief,
    Pair,
    PromoteBrief,
    SchematiseBrief,
    Union,
)
from nocturne.passes.wire import parse


def fact(
    id_: int,
    text: str,
    *,
    category: Category = "fact",
    block: Block = "scratch",
    subject: str = "user",
    attribute: str | None = None,
) -> Fact:
    return Fact(
        id_, text, block=block, category=category, recorded_at=0, subject=subject, attribute=attribute
    )


def facts(*given: Fact) -> dict[int, Fact]:
    return {each.id: each for each in given}


def ask(pass_name: str, brief: Any) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = {}
    for reply in RulesProposer().propose(pass_name, brief):
        assert all(getattr(entry, "reason", "") for entry in parse(pass_name, reply))
        for key, entries in json.loads(reply).items():
            found.setdefault(key, []).extend(entries)
    return found


def pair(drop: int, keep: int, *, equal: bool = False) -> Pair:
    return Pair(drop, keep, Fraction(1), equal)


def test_a_contained_statement_is_dropped_into_the_richer_one() -> None:
    given = facts(
        fact(1, "The user keeps a bearded dragon."),
        fact(2, "The user keeps a bearded dragon called Saffron."),
    )
    assert ask("dedupe", DedupeBrief((pair(1, 2),), given))["drop"] == [
        {"itemId": "m1", "duplicateOf": "m2", "reason": "m2 says all that m1 says"}
    ]
    kept = ask("dedupe", DedupeBrief((pair(2, 1),), given))
    assert [entry["itemId"] for entry in kept["keep"]] == ["m2"]
    assert "saffron" in kept["keep"][0]["reason"]


def test_statements_that_deny_or_are_about_someone_else_are_kept_apart() -> None:
    denied = facts(fact(1, "The user likes coffee."), fact(2, "The user does not like coffee."))
    assert "drop" not in ask("dedupe", DedupeBrief((pair(1, 2, equal=True),), denied))
    others = facts(fact(1, "Ana likes tea.", subject="Ana"), fact(2, "Ana likes tea.", subject="Bo"))
    assert "drop" not in ask("dedupe", DedupeBrief((pair(1, 2, equal=True),), others))


def test_a_change_supersedes_and_a_second_liking_does_not() -> None:
    given = facts(
        fact(1, "The user lives in Turku.", attribute="home"),
        fact(2, "The user moved to Aarhus.", attribute="home"),
        fact(3, "The user likes tea."),
        fact(4, "The user likes coffee."),
    )
    brief = ContradictBrief((Clash(1, 2, "home"), Clash(3, 4, None)), given)
    found = ask("contradict", brief)
    assert [(entry["oldId"], entry["newId"]) for entry in found["contradict"]] == [("m1", "m2")]
    assert [(entry["oldId"], entry["newId"]) for entry in found["keep"]] == [("m3", "m4")]


def test_another_value_of_a_single_valued_attribute_supersedes_without_a_cue() -> None:
    given = facts(
        fact(1, "The cache runs on port 6379.", attribute="port"),
        fact(2, "The cache runs on port 6380.", attribute="port"),
    )
    assert len(ask("contradict", ContradictBrief((Clash(1, 2, "port"),), given))["contradict"]) == 1


def test_only_unions_that_code_composed_are_merged_and_each_fact_once() -> None:
    given = facts(*(fact(number, f"The user owns boat {number}.") for number in range(1, 5)))
    unions = (Union(1, (2,), "The user owns boat 1 and 2."), Union(2, (3,), "x"), Union(3, (4,), None))
    assert ask("merge", MergeBrief(unions, given)) == {
        "merge": [
            {
                "intoId": "m1",
                "fromIds": ["m2"],
                "mergedText": None,
                "reason": "one statement holds every word of both",
            }
        ]
    }


def test_facts_go_home_by_their_category() -> None:
    given = facts(
        fact(1, "The user lives in Turku.", category="identity"),
        fact(2, "The user sold a canoe.", category="event"),
        fact(3, "I am an AI assistant.", category="identity", subject="assistant"),
        fact(4, "The user is trying to sleep.", category="context"),
        fact(5, "The user likes quinces.", category="preferences", block="human"),
    )
    found = ask("promote", PromoteBrief(given))["promote"]
    assert {entry["itemId"]: entry["toBlock"] for entry in found} == {
        "m1": "human",
        "m2": "episodes",
        "m3": "persona",
    }


def test_a_schema_is_worded_by_its_members_without_a_lone_name_or_number() -> None:
    given = facts(
        fact(1, "The user runs along the river before work with Signe."),
        fact(2, "The user runs along the river before work in the rain."),
        fact(3, "The user runs along the river before work at 6:15."),
    )
    brief = SchematiseBrief((Cluster((1, 2, 3), ("river", "runs", "work")),), given)
    (schema,) = ask("schematise", brief)["schematise"]
    assert list(schema["memberIds"]) == ["m1", "m2", "m3"]
    assert "Signe" not in schema["text"]
    assert "6:15" not in schema["text"]
    assert schema["text"].startswith("The user runs along the river before work")
    members = {word.strip(".") for each in given.values() for word in each.text.split()}
    assert {word.strip(".") for word in schema["text"].split()} <= members


def test_members_with_nothing_in_common_but_a_name_are_not_worded() -> None:
    given = facts(fact(1, "Ana sings."), fact(2, "Bo rows."), fact(3, "Cy knits."))
    assert ask("schematise", SchematiseBrief((Cluster((1, 2, 3), ()),), given)) == {}


def test_every_candidate_for_forgetting_is_proposed_with_its_age() -> None:
    given = facts(fact(1, "The user is trying to sleep."), fact(2, "The user is at work."))
    brief = ForgetBrief(
        (Forgettable(1, "stale", 183 * DAY // 2), Forgettable(2, "capacity", DAY)), given
    )
    found = ask("forget", brief)["forget"]
    assert [(entry["itemId"], entry["policy"]) for entry in found] == [("m1", "stale"), ("m2", "capacity")]
    assert "91 days" in found[0]["reason"]


def test_an_unknown_pass_gives_no_reply() -> None:
    assert list(RulesProposer().propose("dream", None)) == []
