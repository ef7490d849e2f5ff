"""An applied plan as text: the night, and what was judged otherwise than when the plan was made."""

from __future__ import annotations

from nocturne.app.plans import Applied
from nocturne.core.verdicts import Refused
from nocturne.report import wording
from nocturne.report.page import DIM, STRONG, WARN, Page
from nocturne.report.text import sleep


def applied(result: Applied, *, seconds: float, width: int = 80) -> Page:
    """The night as it was applied."""
    page = sleep.sleep(result.report, seconds=seconds, width=width)
    if result.moved:
        page.blank()
        page.line(
            ("the store moved on", STRONG), " since the plan was made; every proposal was judged again."
        )
    if result.otherwise:
        page.line((f"judged otherwise than planned {len(result.otherwise):,}", WARN))
    for entry, ruling in result.otherwise:
        verdict = ruling.verdict
        what = " ".join(
            f"{key} {value}" for key, value in entry.proposal.items() if key not in ("kind", "reason")
        )
        now = (
            f"now refused: {verdict.code} {wording.sentence(verdict.code, verdict.evidence)}"
            if isinstance(verdict, Refused)
            else "now accepted"
        )
        page.line(f"{entry.pass_name}: {what}  ", (now, DIM), indent=2, hang=4)
    return page
