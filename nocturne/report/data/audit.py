"""An audit as JSON.

``{"ok", "since", "head", "head_expected", "head_at", "entries", "mutations", "snapshots", "accepted", "held",
"traced", "passes", "tombstones", "breaches", "unmeasured", "erased", "erased_by": {mutation: n}, "problems":
[{"where", "what"}], "untold", "exit"}``
"""

from __future__ import annotations

from collections import Counter
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
        "head_at": found.head_at,
        "entries": replayed.entries,
        "mutations": replayed.mutations,
        "snapshots": len(replayed.snapshots),
        "accepted": measured.accepted,
        "held": measured.held,
        "traced": measured.traced,
        "passes": measured.passes,
        "tombstones": measured.tombstones,
        "breaches": measured.breaches,
        "unmeasured": measured.erased,
        "erased": len(replayed.erased),
        "erased_by": {str(seq): count for seq, count in sorted(Counter(replayed.erased.values()).items())},
        "problems": [{"where": problem.where, "what": problem.what} for problem in found.problems],
        "untold": replayed.untold,
        "exit": found.exit_code,
    }
