"""A night's report with what asking a model took, and what it left unanswered."""

from __future__ import annotations

from dataclasses import replace

from nocturne.app.asking import Asked, Asker
from nocturne.app.ports import Proposer
from nocturne.app.sleep import SleepReport


def costed(report: SleepReport, proposer: Proposer) -> tuple[SleepReport, tuple[Asked, ...]]:
    """The report with usage and unanswered units, and how asking went in each pass; as it was without a model."""
    if not isinstance(proposer, Asker):
        return report, ()
    used = proposer.usage
    asked = [proposer.asked(part.name) for part in report.passes]
    passes = tuple(
        replace(part, not_asked=len(went.unanswered)) if went is not None else part
        for part, went in zip(report.passes, asked, strict=True)
    )
    usage = {
        "calls": used.calls,
        "retries": used.retries,
        "tokens_in": used.tokens_in,
        "tokens_out": used.tokens_out,
        "cost": float(used.cost) if used.cost is not None else None,
        "currency": used.currency,
        "formats": dict(used.formats or {}),
        "line": used.line(),
    }
    return replace(report, passes=passes, usage=usage), tuple(went for went in asked if went is not None)
