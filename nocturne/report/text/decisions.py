"""The decision ledger as text: a chain is its newest decision, and below it what it took the place of."""

from __future__ import annotations

from collections.abc import Sequence

from nocturne.app.decisions import Chain, Step
from nocturne.core.facts import Fact
from nocturne.core.ids import fact_id
from nocturne.report.page import DIM, ID, STRONG, WARN, Page
from nocturne.report.when import day


def decisions(chains: Sequence[Chain], *, topic: str | None = None, width: int = 80) -> Page:
    """The chains, newest first."""
    page = Page(width)
    for chain in chains:
        page.blank()
        for step in chain.steps:
            _step(page, step)
    if not chains:
        page.line("no decisions" + (f" on {topic}" if topic else "") + ".")
        page.line("every fact that took another's place: ", ("nocturne decisions --all", STRONG))
        return page
    page.blank()
    page.line("next: ", (f"nocturne why {fact_id(chains[0].steps[0].fact.id)}", STRONG))
    return page


def _step(page: Page, step: Step) -> None:
    fact = step.fact
    mark = (fact_id(fact.id), ID)
    if step.outcome == "stands":
        page.entry(mark, fact.text, (_since(fact), DIM))
        return
    page.entry(mark, fact.text, (_span(fact), DIM))
    if step.ended_by is not None:
        page.line(
            (f"until {fact_id(step.ended_by)}: ", WARN), step.why or "no reason given", indent=7, hang=9
        )
    else:
        page.line((step.outcome, WARN), f": {step.why}" if step.why else "", indent=7, hang=9)


def _since(fact: Fact) -> str:
    return f"since {day(_when(fact))}"


def _span(fact: Fact) -> str:
    end = f" to {day(fact.valid_until)}" if fact.valid_until is not None else ""
    return f"{day(_when(fact))}{end}"


def _when(fact: Fact) -> int:
    return next((at for at in (fact.occurred_at, fact.said_at) if at is not None), fact.recorded_at)
