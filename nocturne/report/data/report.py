"""A page that was written, as JSON: ``{"html", "bytes", "upto", "facts", "versions"}``."""

from __future__ import annotations

from typing import Any

from nocturne.app.chronicle import Chronicle
from nocturne.core.ids import snapshot_id


def written(told: Chronicle, path: str, size: int) -> dict[str, Any]:
    """Where the page is, its size in bytes, and what is in it."""
    return {
        "html": path,
        "bytes": size,
        "upto": snapshot_id(told.asked.upto.number),
        "facts": len(told.versions),
        "versions": len(told.snapshots),
    }
