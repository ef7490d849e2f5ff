"""An ingest as JSON.

``{"snapshot", "unchanged_since", "proposer", "files": [{"path", "format", "turns", "known", "skipped",
"unchanged", "error"}], "turns": {provenance: n}, "known", "skipped": {reason: n}, "noted": {reason: n},
"cleaned", "artefacts", "secrets": {kind: n}, "purged", "lifted", "proposed", "accepted", "refused": {code: n},
"facts": [id], "stale_tonight", "exit"}``
"""

from __future__ import annotations

from typing import Any

from nocturne.app.ingest import FileReport, IngestReport
from nocturne.core.ids import fact_id, snapshot_id


def ingest(report: IngestReport) -> dict[str, Any]:
    """The whole report."""
    since = report.unchanged_since
    return {
        "snapshot": snapshot_id(report.snapshot) if report.snapshot is not None else None,
        "unchanged_since": snapshot_id(since) if since is not None else None,
        "proposer": report.proposer,
        "files": [_file(file) for file in report.files],
        "turns": dict(report.turns),
        "known": report.known,
        "skipped": dict(report.skipped),
        "noted": dict(report.notes),
        "cleaned": dict(report.cleaned),
        "artefacts": dict(report.artefacts),
        "secrets": dict(report.secrets),
        "purged": report.purged,
        "lifted": report.lifted,
        "proposed": report.proposed,
        "accepted": report.accepted,
        "refused": dict(report.refusals),
        "facts": [fact_id(fact.id) for fact in report.facts],
        "stale_tonight": report.stale_tonight,
        "exit": report.exit_code,
    }


def _file(file: FileReport) -> dict[str, Any]:
    return {
        "path": file.path,
        "format": file.format or None,
        "turns": dict(file.turns),
        "known": file.known,
        "skipped": dict(file.skipped),
        "unchanged": file.unchanged,
        "error": file.failed.message if file.failed is not None else None,
    }
