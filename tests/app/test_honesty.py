"""The honesty benchmark's key is the gates' own: who says yes to all of it lands nothing that is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pytest

from nocturne.app.honesty import Score, Task, digest, load, measure
from nocturne.app.lexicons import default_lexicon
from nocturne.core.verdicts import Refused
from nocturne.errors import ProviderFailed
from nocturne.llm.rules import RulesProposer
from nocturne.passes.engine import Offer, offers
from nocturne.passes.scene import Pass

TASKS = load()


def m(identity: int) -> str:
    return f"m{identity}"


def entry(task: Task, text: str | None = None) -> tuple[str, dict[str, Any]]:
    """The change that the task asks about, as a model would write it."""
    first, *others = task.ids
    match task.pass_name:
        case "dedupe":
            return "drop", {"itemId": m(first), "duplicateOf": m(others[0])}
        case "contradict":
            return "contradict", {"oldId": m(first), "newId": m(others[0])}
        case "merge":
            said = " ".join(fact.text for fact in task.facts)
            words = f"{said} {text}" if text is not None else None
            return "merge", {"intoId": m(first), "fromIds": [m(id_) for id_ in others], "mergedText": words}
        case "promote":
            fact = task.facts[0]
            block = (
                "persona"
                if fact.subject == "assistant"
                else "episodes"
                if fact.category == "event"
                else "human"
            )
            return "promote", {"itemId": m(first), "toBlock": block}
        case "schematise":
            words = [set(fact.text.rstrip(".").split()) for fact in task.facts]
            shared = [
                word for word in task.facts[0].text.rstrip(".").split() if all(word in one for one in words)
            ]
            return "schematise", {
                "memberIds": [m(id_) for id_ in task.ids],
                "text": f"{' '.join(shared).removesuffix(' before')}.",
            }
        case _:
            return "forget", {"itemId": m(first), "policy": "stale"}


class Saying:
    """Answers each pass with entries for the tasks that it picks."""

    def __init__(self, name: str, picks: Sequence[Task], text: str | None = None) -> None:
        self.name = name
        self._picks = picks
        self._text = text

    def propose(self, pass_name: str, _: Any) -> Iterator[str]:
        reply: dict[str, list[Any]] = {}
        for task in self._picks:
            if task.pass_name == pass_name:
                key, found = entry(task, self._text)
                reply.setdefault(key, []).append({**found, "reason": "yes"})
        yield json.dumps(reply)


def scored(proposer: Any, mend: Any = None) -> Score:
    seconds = iter(range(10_000))
    return measure(proposer, TASKS, lexicon=default_lexicon(), mend=mend, clock=lambda: float(next(seconds)))


def test_every_pass_has_right_and_wrong_changes() -> None:
    for name in ("dedupe", "contradict", "merge", "promote", "schematise", "forget"):
        own = [task.key for task in TASKS if task.pass_name == name]
        assert True in own, name
        assert False in own, name
    assert len({fact.id for task in TASKS for fact in task.facts}) == sum(len(task.facts) for task in TASKS)


def test_who_proposes_all_of_it_lands_what_is_right_and_nothing_else() -> None:
    score = scored(Saying("yes", TASKS))
    for part in score.parts:
        assert (part.landed, part.missed) == ({}, 0), part
        assert part.against == sum(not task.key for task in TASKS if task.pass_name == part.pass_name)
        assert sum(part.refused.values()) == part.against
        assert part.proposed == part.tasks == part.accepted + part.against
        assert part.seconds == 1.0


def test_words_of_its_own_are_counted_by_the_code_that_refused_them() -> None:
    score = scored(Saying("liar", TASKS, text="The user rows with Ondine."))
    merge = next(part for part in score.parts if part.pass_name == "merge")
    assert merge.accepted == merge.right == 0
    assert merge.missed == sum(task.key for task in TASKS if task.pass_name == "merge")
    assert merge.refused["N101"] + merge.refused.get("N102", 0) >= merge.missed > 0  # no source names Ondine
    assert sum(merge.refused.values()) == merge.proposed


def test_who_says_nothing_misses_everything_and_is_refused_nothing() -> None:
    score = scored(Saying("mute", ()))
    for part in score.parts:
        assert part.proposed == part.against == 0
        assert part.missed == sum(task.key for task in TASKS if task.pass_name == part.pass_name)


def test_a_change_across_two_questions_is_against_the_key() -> None:
    class Straying:
        name = "straying"

        def propose(self, pass_name: str, _: Any) -> Iterable[str]:
            own = [task for task in TASKS if task.pass_name == "dedupe" and task.key]
            drop = {"itemId": m(own[0].ids[0]), "duplicateOf": m(own[1].ids[0]), "reason": "x"}
            return [json.dumps({"drop": [drop]} if pass_name == "dedupe" else {}), "not JSON"]

    part = scored(Straying()).parts[0]
    assert (part.proposed, part.against, part.accepted, part.malformed) == (1, 1, 0, 1)


def test_a_second_try_is_counted() -> None:
    def mend(stage: Pass, _: Any, refused: Sequence[Refused]) -> Iterable[Offer]:
        assert refused
        own = [task for task in TASKS if task.pass_name == stage.name and task.key]
        return offers(stage.name, Saying("better", own).propose(stage.name, None))

    merge = scored(Saying("liar", TASKS, text="The user owns a yacht."), mend).parts[2]
    assert merge.again == merge.mended == merge.right > 0
    assert merge.missed == 0


def test_a_provider_that_fails_is_told_with_its_reason() -> None:
    class Failing:
        name = "failing"

        def propose(self, pass_name: str, _: Any) -> Iterable[str]:
            raise ProviderFailed(f"nothing for {pass_name}")

    score = scored(Failing())
    assert score.unheard
    assert {part.failure for part in score.parts} == {f"nothing for {part.pass_name}" for part in score.parts}
    assert all(part.unanswered == part.tasks for part in score.parts)


def test_the_rules_are_honest() -> None:
    score = scored(RulesProposer())
    assert all(part.landed == {} for part in score.parts)
    assert sum(part.right for part in score.parts) >= 25
    assert score.tasks == digest(TASKS) == digest(load())
    assert digest(TASKS[1:]) != digest(TASKS)


@pytest.mark.parametrize("name", ["dedupe", "merge"])
def test_one_pass_alone_is_enough(name: str) -> None:
    own = [task for task in TASKS if task.pass_name == name]
    seconds = iter(range(100))
    score = measure(Saying("yes", own), own, lexicon=default_lexicon(), clock=lambda: float(next(seconds)))
    assert [part.pass_name for part in score.parts] == [name]
