"""Priority drift as JSON.

``{"kind", "distance", "since", "since_at", "driven_by", "moves": [{"topic", "name", "before", "after", "by"}],
"weights"}``: shares of the whole weight in [0, 1]; ``kind`` is null where no sleep lies thirty days back.
"""

from __future__ import annotations

from typing import Any

from nocturne.app.drifting import Drifted
from nocturne.core.ids import snapshot_id
from nocturne.core.instants import iso


def drift(found: Drifted) -> dict[str, Any]:
    """The drift and what moved."""
    measured = found.drift
    return {
        "kind": measured.kind if measured else None,
        "distance": round(measured.distance, 6) if measured else None,
        "since": snapshot_id(found.since.number) if found.since else None,
        "since_at": iso(found.since.at) if found.since else None,
        "driven_by": list(measured.driven_by) if measured else [],
        "moves": [
            {
                "topic": move.topic,
                "name": found.names.get(move.topic),
                "before": round(move.before, 6),
                "after": round(move.after, 6),
                "by": round(move.by, 6),
            }
            for move in (measured.moves if measured else ())
        ],
        "weights": {topic: round(weight, 6) for topic, weight in found.weights.items()},
    }
