"""Two days' events are two events: a merge never makes one of them."""

from __future__ import annotations

from nocturne.core.facts import DAY
from nocturne.core.proposals import Merge as Proposed
from nocturne.llm.rules.night import schematise
from nocturne.passes.briefs import Cluster, SchematiseBrief
from nocturne.passes.merge import Merge
from tests.passes.scenes import NOW, codes, fact, judged, scene

ONE, TWO = "I saw a grey heron near the mill.", "I saw a grey heron near the fort."
PROPOSAL = Proposed(into=1, sources=(2,), reason="r")


def test_events_of_two_days_stay_two() -> None:
    at = scene([fact(1, ONE, category="event", age=3), fact(2, TWO, category="event", age=2)])
    assert Merge().brief(Merge().ready(at)) is None
    assert codes(judged(Merge(), at, PROPOSAL)) == ["N230"]


def test_events_of_one_day_may_be_said_together() -> None:
    at = scene([fact(1, ONE, category="event", age=2), fact(2, TWO, category="event", age=2)])
    assert codes(judged(Merge(), at, PROPOSAL)) == [None]


def test_what_happened_counts_and_not_when_it_was_told() -> None:
    happened = NOW - 9 * DAY
    facts = [
        fact(id_, text, category="event", age=age, occurred_at=happened)
        for id_, text, age in ((1, ONE, 3), (2, TWO, 2))
    ]
    assert codes(judged(Merge(), scene(facts), PROPOSAL)) == [None]


def test_a_pattern_holds_only_what_most_members_say() -> None:
    texts = [
        "I saw a green hare near the kiln.",
        "I saw a green fox near the kiln.",
        "I saw a blue hare near the kiln.",
    ]
    facts = {id_: fact(id_, text) for id_, text in enumerate(texts, start=1)}
    brief = SchematiseBrief((Cluster((1, 2, 3), ("kiln",)),), facts)
    assert [entry["text"] for _, entry in schematise(brief)] == []
    texts = [
        "I swam in the old quarry at dawn.",
        "I swam in the old quarry alone.",
        "I swam in the old quarry twice.",
    ]
    facts = {id_: fact(id_, text) for id_, text in enumerate(texts, start=1)}
    brief = SchematiseBrief((Cluster((1, 2, 3), ("quarry",)),), facts)
    assert [entry["text"] for _, entry in schematise(brief)] == ["I swam in the old quarry."]
