"""A night as JSON.

``{"policy", "proposer", "dry_run", "unchanged_since", "start", "end", "before", "after", "passes":
[{"name", "in", "proposed", "accepted", "refused", "engine", "active", "snapshots", "withheld", "not_asked",
"again", "mended", "rulings": […]}], "refusals": {code: count}, "forgotten": [id], "faded": [id],
"shortfall", "usage", "exit"}``. A ruling is ``{"kind", "origin", "accepted", "rule", "code", "message", "evidence",
"proposal"}``.
"""

from __future__ import annotations

from typing import Any

from nocturne.app.sleep import PassReport, SleepReport
from nocturne.core.ids import fact_id, snapshot_id
from nocturne.core.proposals import written
from nocturne.core.verdicts import Accepted, Ruling
from nocturne.report import wording


def sleep(report: SleepReport) -> dict[str, Any]:
    """The whole report."""
    return {
        "policy": report.policy.name,
        "proposer": report.proposer,
        "dry_run": report.dry_run,
        "unchanged_since": _snapshot(report.unchanged_since),
        "start": _snapshot(report.start),
        "end": _snapshot(report.end),
        "before": report.found,
        "after": len(report.after.facts),
        "passes": [_pass(part) for part in report.passes],
        "refusals": dict(sorted(report.refusals.items())),
        "forgotten": [fact_id(fact.id) for fact in report.forgotten],
        "faded": [fact_id(number) for number in report.faded],
        "shortfall": report.shortfall,
        "usage": dict(report.usage),
        "exit": report.exit_code,
    }


def _snapshot(number: int | None) -> str | None:
    return None if number is None else snapshot_id(number)


def _pass(part: PassReport) -> dict[str, Any]:
    return {
        "name": part.name,
        "in": part.received,
        "proposed": part.proposed,
        "accepted": part.accepted,
        "refused": part.refused,
        "engine": part.enforced,
        "active": part.active,
        "snapshots": [snapshot_id(number) for number in part.snapshots] if part.snapshots else None,
        "withheld": part.withheld,
        "not_asked": part.not_asked,
        "again": part.again,
        "mended": part.mended,
        "rulings": [ruling(entry) for entry in part.rulings],
    }


def ruling(entry: Ruling) -> dict[str, Any]:
    """One verdict with what was proposed, in the words of the closed union."""
    verdict = entry.verdict
    accepted = isinstance(verdict, Accepted)
    return {
        "kind": verdict.proposal.kind if verdict.proposal is not None else None,
        "origin": entry.origin,
        "accepted": accepted,
        "rule": verdict.rule if isinstance(verdict, Accepted) else None,
        "code": None if isinstance(verdict, Accepted) else verdict.code,
        "message": None
        if isinstance(verdict, Accepted)
        else wording.sentence(verdict.code, verdict.evidence),
        "evidence": dict(verdict.evidence),
        "proposal": written(verdict.proposal) if verdict.proposal is not None else entry.raw,
    }
