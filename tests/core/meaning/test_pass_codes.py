"""Codes that a pass decides by the state of the store: cases as data, over small scenes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nocturne.core.facts import Retirement, Turn
from nocturne.core.policy import Policy
from nocturne.core.proposals import read
from nocturne.passes import contradict, dedupe, encode, forget, merge, promote, schematise
from tests.passes.scenes import NOW, codes, fact, judged, scene

FOLDER = Path(__file__).resolve().parents[3] / "fixtures" / "gates"
CASES = [json.loads(line) for line in (FOLDER / "passes.jsonl").read_text(encoding="utf-8").splitlines()]
STAGES = {
    "encode": encode.Encode(),
    "dedupe": dedupe.Dedupe(),
    "contradict": contradict.Contradict(),
    "merge": merge.Merge(),
    "promote": promote.Promote(),
    "schematise": schematise.Schematise(),
    "forget": forget.Forget(),
}


def rulings(case: dict[str, Any], proposals: list[dict[str, Any]]) -> list[str | None]:
    """The code of each ruling where somebody hands in just these proposals."""
    turns = [
        Turn(at + 1, 1, None, 0, at, "s", None, "human", text, NOW, "user")
        for at, text in enumerate(case.get("turns", ()))
    ]
    rows = [fact(row[0], row[1], **(row[2] if len(row) > 2 else {})) for row in case.get("facts", ())]
    retired = {int(id_): Retirement(*gone) for id_, gone in case.get("retired", {}).items()}
    at = scene(rows, turns=turns, retired=retired, policy=Policy.of(case.get("policy", {})))
    wanted = [
        read({key: tuple(value) if isinstance(value, list) else value for key, value in each.items()})
        for each in proposals
    ]
    return codes(judged(STAGES[case["pass"]], at, *wanted))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["code"])
def test_the_pass_refuses_with_its_code(case: dict[str, Any]) -> None:
    assert rulings(case, case["refused"])[-1] == case["code"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["code"])
def test_the_pass_accepts_the_lawful_neighbour(case: dict[str, Any]) -> None:
    lawful = case["accepted"]
    whole = {**case, **lawful} if isinstance(lawful, dict) else case
    proposals = lawful["proposals"] if isinstance(lawful, dict) else lawful
    assert rulings(whole, proposals)[-1] is None
