"""The decision ledger as JSON.

``{"chains": [{"domain", "steps": [{"fact", "text", "reasoning", "outcome", "said_at", "held_from",
"held_until", "ended_by", "why", "evidence"}]}]}``, newest first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nocturne.app.decisions import Chain, Step
from nocturne.core.ids import fact_id
from nocturne.core.instants import iso


def decisions(chains: Sequence[Chain]) -> dict[str, Any]:
    """The chains."""
    return {
        "chains": [
            {"domain": chain.domain, "steps": [_step(step) for step in chain.steps]} for chain in chains
        ]
    }


def _step(step: Step) -> dict[str, Any]:
    fact = step.fact
    return {
        "fact": fact_id(fact.id),
        "text": fact.text,
        "reasoning": step.reasoning,
        "outcome": step.outcome,
        "said_at": iso(fact.said_at),
        "held_from": iso(fact.valid_from),
        "held_until": iso(fact.valid_until),
        "ended_by": fact_id(step.ended_by) if step.ended_by is not None else None,
        "why": step.why,
        "evidence": dict(step.ruling.evidence) if step.ruling is not None else {},
    }
