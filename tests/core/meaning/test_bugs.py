"""Mistakes that other memory systems made, in our own words: what a gate decides of them, it decides rightly.

The rest of them waits for other rooms: ingest and artefacts (bug-24, -29, -39, -40, -59), tombstones (bug-60),
secrets (bug-65), policy and budget (bug-19, -52, -56), strength (bug-57), size (bug-55), restore (bug-61, -62),
namespaces (bug-53).
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from nocturne.app.lexicons import default_lexicon
from nocturne.core.meaning import Fails, Finding, Holds, Said, judge_contradict, judge_drop, judge_encode
from nocturne.core.policy import Contradict

FOLDER = Path(__file__).resolve().parents[3] / "fixtures" / "gates"
CASES = [json.loads(line) for line in (FOLDER / "bugs.jsonl").read_text(encoding="utf-8").splitlines()]


def judge(case: dict[str, Any]) -> Finding:
    lexicon = default_lexicon()
    if case["gate"] == "encode":
        return judge_encode([Said(**turn) for turn in case["turns"]], case["text"], lexicon=lexicon)
    if case["gate"] == "drop":
        return judge_drop(Said(case["drop"]), Said(case["keep"]), floor=Fraction(9, 10), lexicon=lexicon)
    old, new = Said(case["old"], said_at=1), Said(case["new"], said_at=30)
    return judge_contradict(old, new, lexicon=lexicon, single_valued=Contradict().single_valued)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_outcome_is_the_right_one(case: dict[str, Any]) -> None:
    found = judge(case)
    if case["right"] == "accepted":
        assert isinstance(found, Holds), found
    else:
        assert isinstance(found, Fails), found
        assert case["right"] in ("refused", found.code), found
