"""What a person's word brings down, as JSON.

A preview is ``{"what", "falls": [{"fact", "why"}], "returns": [{"now", "back"}], "ended", "also", "turns",
"decisions", "erased", "uses", "bereft", "outside"}``; what was done is the receipt: see ``nocturne forget --help``.
"""

from __future__ import annotations

from typing import Any

from nocturne.app.forgetting import Preview
from nocturne.core.ids import fact_id, turn_id
from nocturne.report.data.facts import fact


def preview(seen: Preview) -> dict[str, Any]:
    """Everything that would fall, and what would come back."""
    found, erasure = seen.withdrawal, seen.erasure
    return {
        "what": seen.order.what,
        "done": False,
        "falls": [{"fact": fact(each.fact), "why": each.why} for each in found.falls],
        "returns": [{"now": fact(each.now), "back": fact(each.back)} for each in found.returns],
        "ended": [{"fact": fact(old), "by": fact_id(by)} for old, by in found.ended],
        "also": [fact(each) for each in found.also],
        "turns": [turn_id(turn.id) for turn in found.turns],
        "decisions": found.decisions,
        "erased": len(erasure.hashes),
        "uses": dict(erasure.uses or {}),
        "bereft": [fact_id(each.id) for each in erasure.bereft],
        "outside": list(seen.outside),
    }
