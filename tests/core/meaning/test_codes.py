"""Every code of the meaning gates refuses what it should and lets the nearest lawful case pass."""

from __future__ import annotations

import gc
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from nocturne.app.lexicons import default_lexicon
from nocturne.core import codes
from nocturne.core.meaning import (
    Fails,
    Finding,
    Holds,
    Said,
    judge_contradict,
    judge_drop,
    judge_encode,
    judge_merge,
    judge_schema,
)
from nocturne.core.policy import Contradict

FOLDER = Path(__file__).resolve().parents[3] / "fixtures" / "gates"
CASES = [json.loads(line) for line in (FOLDER / "codes.jsonl").read_text(encoding="utf-8").splitlines()]
SINGLE_VALUED = Contradict().single_valued


def said(entry: Any, **defaults: Any) -> Said:
    return Said(**{**defaults, **(entry if isinstance(entry, dict) else {"text": entry})})


def judge(case: dict[str, Any], last: Any) -> Finding:
    """The verdict of the case's gate, with ``last`` as the text or texts that its two halves differ in."""
    lexicon = default_lexicon()
    whole = dict(case)
    if isinstance(last, dict) and not {"text", "subject", "speaker", "occurred_at", "said_at"} >= set(last):
        whole.update(last)
        last = last.get("text") or last.get("keep") or last.get("new")
    elif isinstance(last, dict) and case["gate"] in ("encode", "merge", "schema"):
        last = last["text"]
    match case["gate"]:
        case "drop":
            return judge_drop(
                said(whole["drop"]),
                said(last),
                floor=Fraction(9, 10),
                lexicon=lexicon,
                adjudicated=whole.get("adjudicated", True),
            )
        case "merge":
            single = whole.get("single_valued", ())
            return judge_merge(
                [said(each) for each in whole["sources"]], last, lexicon=lexicon, single_valued=single
            )
        case "encode":
            turns = [said(each) for each in whole["turns"]]
            block, subject = whole.get("block", "scratch"), whole.get("subject")
            return judge_encode(turns, last, lexicon=lexicon, block=block, subject=subject)
        case "contradict":
            old, new = said(whole["old"], said_at=1), said(last, said_at=2)
            same = whole.get("same_source", False)
            return judge_contradict(old, new, lexicon=lexicon, single_valued=SINGLE_VALUED, same_source=same)
        case _:
            members = [Said(text, session=session) for session, text in whole["members"]]
            return judge_schema(members, last, lexicon=lexicon, min_members=3, min_sessions=2)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['code']}-{case['gate']}")
def test_the_code_refuses_with_its_own_sentence(case: dict[str, Any]) -> None:
    found = judge(case, case["refused"])
    assert isinstance(found, Fails), found
    assert found.code in (case["code"], *case.get("also", ())), codes.message(found.code, found.evidence)
    assert codes.message(found.code, found.evidence)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['code']}-{case['gate']}")
def test_the_lawful_neighbour_passes(case: dict[str, Any]) -> None:
    found = judge(case, case["accepted"])
    assert isinstance(found, Holds), codes.message(found.code, found.evidence)


def test_judging_leaves_no_cycles_which_the_filter_does_not_look_for() -> None:
    judged = [(case, case[half]) for case in CASES for half in ("refused", "accepted")]
    for case, last in judged[::2]:
        judge(case, last)
    gc.collect()
    gc.disable()
    try:
        for case, last in judged:
            judge(case, last)
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_the_table_is_whole_and_no_two_causes_share_a_sentence() -> None:
    assert len({entry.code for entry in codes.CODES}) == len(codes.CODES)
    assert len({entry.template for entry in codes.CODES}) == len(codes.CODES)
    assert len({entry.title for entry in codes.CODES}) == len(codes.CODES)
    for entry in codes.CODES:
        assert entry.why.endswith(".")
        assert entry.refused_example != entry.accepted_example
        assert entry.passes


def test_a_message_names_what_was_found_and_leaves_out_what_is_not_known() -> None:
    low = {"similarity": "2/3", "floor": "9/10"}
    assert codes.message("N201", low) == "similarity is 0.67, below 0.90"
    named = codes.message("N201", {**low, "fact": "m3", "other": "m2"})
    assert named == "similarity of m3 and m2 is 0.67, below 0.90"
    assert codes.message("N003", {"fact": "m3", "snapshot": "s12", "rule": "dedupe"}) == (
        "m3 is inactive since s12 (dedupe)"
    )
    assert codes.message("N999", {}) == "refused (N999)"
