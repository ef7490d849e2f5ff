"""A provider's check-up as text."""

from __future__ import annotations

from collections.abc import Mapping

from nocturne.app.probes import Checkup, State
from nocturne.report.page import BAD, DIM, GOOD, WARN, Page

_STYLES: Mapping[State, str] = {"ok": GOOD, "warn": WARN, "fail": BAD, "skipped": DIM}


def checkup(result: Checkup, *, width: int = 80) -> Page:
    """One line a probe, and below it what to do where it did not hold."""
    page = Page(width)
    named = [result.provider, *(part for part in (result.model, result.host) if part)]
    page.line(" · ".join(named), hang=2)
    page.blank()
    column = max((len(probe.name) for probe in result.probes), default=0)
    for probe in result.probes:
        under = 2 + 7 + 2 + column + 2
        page.line(
            (f"{probe.state:<7}", _STYLES[probe.state]),
            f"  {probe.name:<{column}}  {probe.found}",
            indent=2,
            hang=under,
        )
        if probe.fix and probe.state != "ok":
            page.line((f"→ {probe.fix}", DIM), indent=under, hang=under + 2)
    page.blank()
    if result.holds:
        page.line(("ready", GOOD), ": a sleep can use this provider.")
    else:
        page.line(("not ready", BAD), ": a sleep with this provider would end with exit 4.")
    return page
