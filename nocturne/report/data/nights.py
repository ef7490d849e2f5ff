"""Nights of many stores as JSON: ``nocturne sleep`` with more than one --db, or with a folder.

``{"stores": [{"db", "exit_code", "report", "error"}], "exit"}``, in the order in which the stores were given, a
folder's by name. ``report`` is a night as under ``sleep``, or null; ``error`` is ``{"message", "hint"}``, or null.
"""

from __future__ import annotations

from typing import Any

from nocturne.app.nights import Nights, StoreNight


def nights(told: Nights) -> dict[str, Any]:
    """Every store's night, and the exit code of them all."""
    return {"stores": [_one(night) for night in told.stores], "exit": told.exit_code}


def _one(night: StoreNight) -> dict[str, Any]:
    return {
        "db": night.db,
        "exit_code": night.exit_code,
        "report": night.report,
        "error": {"message": night.error, "hint": night.hint} if night.error is not None else None,
    }
