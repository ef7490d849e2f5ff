"""A review as JSON: ``{"applied", "accepted", "rejected", "left", "forgotten", "snapshot", "night"}``."""

from __future__ import annotations

from typing import Any

from nocturne.app.reviewing import Review, Settled
from nocturne.core.ids import fact_id, snapshot_id
from nocturne.report.data import sleep


def settled(review: Review, done: Settled | None) -> dict[str, Any]:
    """What was decided and, where it was carried out, what that did."""
    snapshot = done.snapshot if done is not None else None
    return {
        "applied": done is not None,
        "policy": review.plan.policy.name,
        "accepted": [dict(review.plan.entries[place].proposal) for place in review.accepted],
        "rejected": [
            {"proposal": dict(review.plan.entries[place].proposal), "reason": review.reasons.get(place)}
            for place in review.rejected
        ],
        "left": len(review.open),
        "forgotten": [fact_id(fact) for fact in review.facts],
        "snapshot": snapshot_id(snapshot.number) if snapshot is not None else None,
        "night": sleep.sleep(done.night) if done is not None and done.night is not None else None,
    }
