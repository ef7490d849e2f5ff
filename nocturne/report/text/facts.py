"""Facts as text: by block, one in full, and what was restored."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from nocturne.app.listing import Listed
from nocturne.core.facts import Fact
from nocturne.core.ids import fact_id, turn_id
from nocturne.core.instants import iso
from nocturne.report.page import DIM, ID, STRONG, WARN, Page, counted
from nocturne.report.when import day


def facts(lines: Sequence[Listed], *, width: int = 80) -> Page:
    """Facts under the name of their block, with category, strength, and what should be known of them."""
    page = Page(width)
    for block, group in groupby(lines, key=lambda line: line.fact.block):
        inside = list(group)
        page.blank()
        page.line((block, STRONG), f" {len(inside):,}")
        for line in inside:
            fact = line.fact
            page.entry((fact_id(fact.id), ID), fact.text, (f"{fact.category} {line.strength:.2f}", DIM))
            if notes := flags(line):
                page.line((notes, WARN), indent=7)
    if not lines:
        page.line("no facts match.")
    return page


def flags(line: Listed) -> str:
    """What sets the fact apart from others, if anything does."""
    fact, notes = line.fact, []
    if not fact.active:
        notes.append(gone(fact))
    if line.stale:
        notes.append("stale: the next sleep may forget it")
    if line.faded:
        notes.append("faded from recall")
    if fact.pinned:
        notes.append("pinned")
    if fact.quarantined_by:
        notes.append(f"quarantined by {fact.quarantined_by}")
    return " · ".join(notes)


def gone(fact: Fact) -> str:
    """How a fact left the active set, and where it lives on."""
    where = f", lives on in {fact_id(fact.successor)}" if fact.successor is not None else ""
    until = f", held until {day(fact.valid_until)}" if fact.valid_until is not None else ""
    return f"not active: {fact.retired_by or 'unknown'}{until}{where}"


def show(line: Listed, *, width: int = 80) -> Page:
    """One fact with everything that is known of it."""
    fact = line.fact
    page = Page(width)
    page.line((fact_id(fact.id), ID), f"  {fact.text}", hang=len(fact_id(fact.id)) + 2)
    page.blank()
    rows = [
        ("state", "active" if fact.active else gone(fact)),
        ("block", fact.block),
        ("category", fact.category),
        ("layer", fact.layer),
        ("subject", fact.subject if not fact.attribute else f"{fact.subject}, attribute {fact.attribute}"),
        ("speaker", fact.speaker),
        ("said", iso(fact.said_at) or "no time in the transcript"),
        ("confirmed", iso(fact.confirmed_at)),
        ("occurred", _occurred(fact)),
        ("recorded", iso(fact.recorded_at)),
        ("held", _held(fact)),
        ("strength", f"{line.strength:.4f}"),
        ("trust", str(fact.trust)),
        ("importance", None if fact.importance is None else f"{fact.importance} of 10"),
        ("originals", None if fact.originals == 1 else str(fact.originals)),
        ("namespace", None if fact.namespace == "default" else fact.namespace),
        ("evidence", _evidence(line)),
        ("sources", ", ".join(f"{turn_id(s.turn)} [{s.start}:{s.end}]" for s in fact.sources) or "none"),
    ]
    if fact.pinned or fact.quarantined_by or line.stale or line.faded:
        rows.append(("note", flags(line)))
    page.table([((name, DIM), value) for name, value in rows if value is not None])
    page.blank()
    page.line("next: ", (f"nocturne why {fact_id(fact.id)}", STRONG))
    return page


def _evidence(line: Listed) -> str | None:
    if not line.evidence:
        return None
    members = ", ".join(map(fact_id, line.evidence))
    return f"{members} ({counted(len(line.evidence), 'fact')} of {counted(line.sessions, 'session')})"


def _occurred(fact: Fact) -> str | None:
    if fact.occurred_at is None:
        return None
    if fact.occurred_grain in ("day", "week", "month", "year"):
        return f"{day(fact.occurred_at)} (to the {fact.occurred_grain})"
    return iso(fact.occurred_at)


def _held(fact: Fact) -> str | None:
    if fact.valid_from is None and fact.valid_until is None:
        return None
    return f"{iso(fact.valid_from) or 'always'} to {iso(fact.valid_until) or 'now'}"
