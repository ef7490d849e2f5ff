"""An applied plan as JSON.

A night's shape, and ``"moved"`` and ``"otherwise": [{"pass", "proposal", "now"}]``.
"""

from __future__ import annotations

from typing import Any

from nocturne.app.plans import Applied
from nocturne.report.data import sleep


def applied(result: Applied) -> dict[str, Any]:
    """The night, and the proposals whose verdict changed since the plan was made."""
    return {
        **sleep.sleep(result.report),
        "moved": result.moved,
        "otherwise": [
            {"pass": entry.pass_name, "proposal": dict(entry.proposal), "now": sleep.ruling(ruling)}
            for entry, ruling in result.otherwise
        ],
    }
