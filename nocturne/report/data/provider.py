"""A provider's check-up as JSON: provider, model, host, ok, probes [{name, state, found, fix}]."""

from __future__ import annotations

from typing import Any

from nocturne.app.probes import Checkup


def checkup(result: Checkup) -> dict[str, Any]:
    """Every probe, in order."""
    return {
        "provider": result.provider,
        "model": result.model,
        "host": result.host,
        "ok": result.holds,
        "probes": [
            {"name": probe.name, "state": probe.state, "found": probe.found, "fix": probe.fix}
            for probe in result.probes
        ],
    }
