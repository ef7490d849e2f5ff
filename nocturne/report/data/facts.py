"""Facts as JSON.

A fact is ``{"id", "text", "block", "category", "layer", "subject", "attribute", "speaker", "said_at",
"confirmed_at", "occurred_at", "occurred_grain", "recorded_at", "valid_from", "valid_until", "active",
"retired_by", "successor", "trust", "quarantined_by", "pinned", "namespace", "importance", "originals",
"sources": [{"turn", "start", "end"}]}``; in a listing it has ``"strength"``, ``"stale"`` and ``"faded"`` as
well (and a schema that is shown alone ``"evidence"`` and ``"sessions"``); the listing is
``{"count", "blocks": [{"block", "facts": […]}]}``. Times are ISO 8601 with Z, or null.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from nocturne.app.export import record
from nocturne.app.listing import Listed
from nocturne.core.facts import Fact
from nocturne.core.ids import fact_id


def fact(row: Fact) -> dict[str, Any]:
    """One fact: what ``nocturne export`` writes of it, and what only this store knows."""
    return {
        **record(row),
        "quarantined_by": row.quarantined_by,
        "namespace": row.namespace,
        "importance": row.importance,
        "originals": row.originals,
    }


def listed(line: Listed) -> dict[str, Any]:
    """A fact with its strength now."""
    made = {**fact(line.fact), "strength": round(line.strength, 6), "stale": line.stale, "faded": line.faded}
    if line.evidence:
        made |= {"evidence": [fact_id(member) for member in line.evidence], "sessions": line.sessions}
    return made


def facts(lines: Sequence[Listed]) -> dict[str, Any]:
    """A listing by block."""
    return {
        "count": len(lines),
        "blocks": [
            {"block": block, "facts": [listed(line) for line in group]}
            for block, group in groupby(lines, key=lambda line: line.fact.block)
        ],
    }
