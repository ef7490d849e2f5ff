"""A simulation's grid as JSON.

``{"name", "task", "seed", "parameters", "columns", "rows", "claims": [{"what", "claimed", "measured",
"reproduces"}], "series": [{"name", "points": [[x, y]]}]}``; cells are the strings that the table shows.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from nocturne.app.simulation import Grid


def grid(found: Grid) -> dict[str, Any]:
    """The whole grid."""
    return {
        "name": found.name,
        "task": found.task,
        "seed": found.seed,
        "parameters": dict(found.parameters),
        "columns": list(found.columns),
        "rows": [list(row) for row in found.rows],
        "claims": [asdict(claim) for claim in found.claims],
        "series": [
            {"name": series.name, "points": [list(point) for point in series.points]}
            for series in found.series
        ],
    }
