"""Answers of ``recall`` as text: facts with their score, the factors where they were asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nocturne.app.recall import Found, Hit
from nocturne.core.ids import fact_id
from nocturne.report.page import DIM, ID, STRONG, WARN, Page, counted

SHOWN_TURNS = 4


def recall(
    found: Found, turns: Mapping[int, Sequence[str]], *, explain: bool = False, width: int = 80
) -> Page:
    """The facts found, best first, and what was left out of sight."""
    page = Page(width)
    for hit in found.hits:
        page.entry((fact_id(hit.fact.id), ID), hit.fact.text, (_score(hit), DIM))
        if explain:
            _explained(page, hit, turns.get(hit.fact.id, ()))
    if not found.hits:
        page.line("nothing found.")
    if explain:
        _searched(page, found)
    _unseen(page, found)
    if found.hits:
        page.blank()
        page.line("next: ", (f"nocturne why {fact_id(found.hits[0].fact.id)}", STRONG))
    return page


def _score(hit: Hit) -> str:
    return f"{hit.fact.category} {hit.factors.score:.3f}"


def _explained(page: Page, hit: Hit, turns: Sequence[str]) -> None:
    factors = hit.factors
    parts = [
        f"relevance {factors.relevance:.3f}",
        f"strength {factors.strength:.3f}",
        f"{hit.fact.category} ×{factors.category_boost:g}",
        f"{hit.fact.layer} ×{factors.layer_boost:g}",
    ]
    page.line((" · ".join(parts), DIM), indent=7, hang=7)
    said = list(turns[:SHOWN_TURNS]) + (
        [f"{len(turns) - SHOWN_TURNS} more"] if len(turns) > SHOWN_TURNS else []
    )
    why = f"shares {', '.join(hit.matched)}" if hit.matched else "shares terms of the recent turns"
    page.line((f"{why} · said in {', '.join(said) or 'no turn'}", DIM), indent=7, hang=7)


def _searched(page: Page, found: Found) -> None:
    page.blank()
    if found.terms:
        page.line(("searched  ", DIM), ", ".join(found.terms), indent=2, hang=12)
    if found.dropped:
        page.line(("left out  ", DIM), f"{', '.join(found.dropped)}: in too many facts", indent=2, hang=12)
    if found.unknown:
        page.line(("unknown   ", DIM), f"{', '.join(found.unknown)}: in no fact", indent=2, hang=12)


def _unseen(page: Page, found: Found) -> None:
    if found.faded:
        verb = "has" if found.faded == 1 else "have"
        page.blank()
        page.line(
            (f"{counted(found.faded, 'matching fact')} {verb} faded from recall", WARN),
            ": nocturne facts --faded",
        )
    if found.quarantined:
        page.line((f"{counted(found.quarantined, 'matching fact')} in quarantine, never recalled", WARN))
