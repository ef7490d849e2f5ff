"""An audit as JSON.

``{"ok", "since", "head", "head_expected", "entries", "mutations", "snapshots", "accepted", "held", "traced",
"passes", "tombstones", "erased", "problems": [{"where", "what"}], "untold", "exit"}``
"""

from __future__ import annotations

from typing import Any

from nocturne.app.auditing import Audit
from nocturne.core.ids import snapshot_id


def audit(found: Audit) -> dict[str, Any]:
    """The whole audit."""
    replayed, measured = found.replayed, found.measured
    return {
        "ok": not found.problems,
        "since": snapshot_id(found.since) if found.since is not None else None,
        "head": replayed.head,
        "head_expected": found.head_expected,
        "entries": replayed.entries,
        "mutations": replayed.mutations,
        "snapshots": len(replayed.snapshots),
        "accepted": measured.accepted,
        "held": measured.held,
        "traced": measured.traced,
        "passes": measured.passes,
        "tombstones": measured.tombstones,
        "erased": len(replayed.erased),
        "problems": [{"where": problem.where, "what": problem.what} for problem in found.problems],
        "untold": replayed.untold,
        "exit": found.exit_code,
    }
