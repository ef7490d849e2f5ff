"""Rulings that wait for their commit come back as they were made, however many of them were packed."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import pytest

from nocturne.core.facts import Activation, Change, Link, Span
from nocturne.core.making import moved
from nocturne.core.proposals import Drop, Encode, Forget, Keep, Merge, Promote, Schematise
from nocturne.core.verdicts import Accepted, Refused, Ruling
from nocturne.passes import rulings as packing
from nocturne.passes.engine import withhold
from nocturne.passes.night import NIGHT
from nocturne.passes.rulings import Rulings
from tests.passes.scenes import codes, fact, judged, scene

TEA = fact(1, "The user drinks tea.", sources=(Span(1, 0, 5),))
TEA_TOO = fact(2, "I drink tea.", sources=(Span(2, 3, 9),))
GONE = replace(TEA_TOO, active=False, retired_by="dedupe", successor=1)
WIDER = replace(TEA, sources=(*TEA.sources, *TEA_TOO.sources), category="preferences", block="human")

EVERY_KIND = [
    Ruling("dedupe", "model", Refused(None, "N001", {"found": "not JSON", "raw": "{\ud800"}), "{\ud800"),
    Ruling("dedupe", "engine", Refused(Keep(fact=1, other=2), "N205", {"missing": ["tea"]}), memo="ab"),
    Ruling(
        "dedupe",
        "model",
        Accepted(Drop(fact=2, duplicate_of=1, reason="same"), "contained", {"containment": "1/1"}),
        changes=(Change(TEA_TOO, GONE), Change(TEA, WIDER)),
        links=(Link(1, 2, "kept-for"),),
        activations=(Activation(1, 1_000_000, 5, 2, None),),
        memo="cd",
        provenance={"model": "m", "ms": 3},
    ),
    Ruling(
        "encode",
        "person",
        Accepted(Encode(turns=(1, 2), text="Tea.", occurred_at=7, start=0, end=4), "covered"),
        changes=(Change(None, TEA),),
    ),
    Ruling("promote", "model", Accepted(Promote(fact=1, to_block="human"), "promotion"),
           changes=(Change(TEA, moved(TEA, "human")),)),
    Ruling("merge", "model", Refused(Merge(into=1, sources=(2,), text="T"), "N101", {}), raw="{}"),
    Ruling("forget", "engine", Refused(Forget(fact=1, policy="stale"), "N301")),
    Ruling("schematise", "model", Refused(Schematise(members=(1, 2, 3), text="Tea."), "N242")),
]  # fmt: skip


@pytest.mark.parametrize("chunk", [1, 2, 3, len(EVERY_KIND), 100])
def test_what_was_packed_reads_as_it_was(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "CHUNK", chunk)
    kept = Rulings(EVERY_KIND)
    assert list(kept) == EVERY_KIND
    assert list(kept) == EVERY_KIND, "it can be read again"
    assert len(kept) == len(EVERY_KIND)
    assert all(each in kept for each in EVERY_KIND)
    assert replace(EVERY_KIND[0], raw=None) not in kept
    assert not Rulings()


def test_a_text_is_not_copied_and_the_sources_of_what_moved_stay_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "CHUNK", 1)
    drop, _, promote = list(Rulings(EVERY_KIND))[2:5]
    assert [(step.before, step.after) for step in drop.changes] == [(TEA_TOO, GONE), (TEA, WIDER)]
    assert drop.changes[0].before is not None
    assert drop.changes[0].before.text is TEA_TOO.text
    (step,) = promote.changes
    assert step.before is not None
    assert step.after.text is TEA.text
    assert step.after.sources is step.before.sources


def test_a_pass_refused_whole_refuses_what_was_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    forget = NIGHT[-1]
    at = scene([fact(number, f"Note {number}.", category="context", age=70) for number in range(1, 8)])
    asked = [Forget(fact=number, reason="old") for number in (1, 2, 99, 3, 4)]
    whole = withhold(judged(forget, at, *asked), at.before, "N306", {"would_lose": 4})
    monkeypatch.setattr(packing, "CHUNK", 2)
    outcome = judged(forget, at, *asked)
    assert len(outcome.retired) == 4
    held = withhold(outcome, at.before, "N306", {"would_lose": 4})
    assert list(held.rulings) == list(whole.rulings)
    assert codes(held) == ["N306", "N306", "N002", "N306", "N306"]
    assert held.refusals == {"N306": 4, "N002": 1}
    assert held.retired == ()
    assert held.because == {"would_lose": 4}


def test_many_rulings_are_small(monkeypatch) -> None:
    monkeypatch.setattr(packing, "CHUNK", 10_000)
    facts = [fact(number, "Tea.") for number in range(20_000)]
    after = [moved(each, "human") for each in facts]
    tracemalloc.start()
    try:
        kept = Rulings(
            Ruling("promote", "model", Accepted(Promote(fact=old.id, to_block="human", reason="r"), "promotion"),
                   changes=(Change(old, new),))
            for old, new in zip(facts, after, strict=True)
        )  # fmt: skip
        size, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(kept) == len(facts)
    assert size < 50 * len(facts)
