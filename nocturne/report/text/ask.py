"""An answer as text: what the facts say, then which facts and since when."""

from __future__ import annotations

from nocturne.app.answering import Answer
from nocturne.core.facts import Fact
from nocturne.core.ids import fact_id
from nocturne.report.page import DIM, ID, STRONG, WARN, Page, counted
from nocturne.report.when import day


def answer(said: Answer, *, width: int = 80) -> Page:
    """The answer with the facts that it cites, or that there is none."""
    page = Page(width)
    if not said.found:
        page.line((said.text, WARN))
        if said.unknown:
            page.line((f"no fact has: {', '.join(said.unknown)}", DIM), indent=2, hang=4)
        if said.faded:
            page.line(
                (f"{counted(said.faded, 'fact')} faded from view: nocturne facts --faded", DIM), indent=2
            )
        if said.quarantined:
            page.line((f"{counted(said.quarantined, 'fact')} in quarantine", DIM), indent=2)
        return page
    if said.by != "extract":
        page.line((said.text, STRONG), hang=0)
    for fact in said.facts:
        page.entry((fact_id(fact.id), ID), fact.text, (_when(fact), DIM))
        if fact.valid_until is not None:
            page.line((f"until {day(fact.valid_until)}", DIM), indent=7)
    return page


def _when(fact: Fact) -> str:
    said = fact.said_at if fact.said_at is not None else fact.recorded_at
    what = "said" if fact.said_at is not None else "recorded"
    return f"{what} {day(said)}"
