"""Two versions side by side, as text: what went, what changed and why, and what was refused meanwhile."""

from __future__ import annotations

from collections.abc import Mapping

from nocturne.app.compare import Comparison, Difference
from nocturne.core.diff import Kind
from nocturne.core.facts import Fact
from nocturne.core.ids import fact_id
from nocturne.report.page import BAD, DIM, GOOD, ID, STRONG, WARN, Page
from nocturne.report.text import mutations
from nocturne.report.when import day

ALWAYS: tuple[Kind, ...] = ("forgotten", "superseded", "changed", "returned", "withdrawn")
ON_REQUEST: tuple[Kind, ...] = ("absorbed", "added")
_COLOUR: Mapping[str, str] = {
    "forgotten": BAD,
    "withdrawn": BAD,
    "superseded": WARN,
    "changed": STRONG,
    "added": GOOD,
    "returned": GOOD,
    "absorbed": DIM,
}
FEW = 12
"""Refusals that are shown without being asked for."""


def diff(comparison: Comparison, *, everything: bool = False, width: int = 80) -> Page:
    """The whole comparison; what merely moved or came in is counted, and listed with ``everything``."""
    page = Page(width)
    older, newer = comparison.older, comparison.newer
    back = "  (backwards in time)" if comparison.reversed else ""
    page.line(
        (f"s{older.number} → s{newer.number}", STRONG),
        f"  {older.active:,} → {newer.active:,} active facts{back}",
    )
    counts = comparison.counts
    shown = ALWAYS + ON_REQUEST if everything else ALWAYS
    for kind in shown:
        entries = [entry for entry in comparison.differences if entry.kind == kind]
        moved = [entry for entry in entries if _merely_moved(entry)]
        told = [entry for entry in entries if not _merely_moved(entry)]
        for name, some in ((kind, told), ("moved", moved)):
            if some:
                page.blank()
                page.line((name, _COLOUR[kind]), f" {len(some):,}")
            for entry in some:
                _difference(page, entry, comparison.successors)
    page.blank()
    rest = [f"{kind} {counts[kind]:,}" for kind in ON_REQUEST if counts[kind] and not everything]
    rest.append(f"unchanged {comparison.kept:,}")
    more = "--all to list them" if len(rest) > 1 else ""
    page.apart(["   ".join(rest)], [(more, DIM)])
    if comparison.refused:
        page.blank()
        page.line(("refused", WARN), f" {len(comparison.refused):,}")
        most = comparison.refused if everything else comparison.refused[:FEW]
        for row in most:
            page.line(*mutations.refused(row), indent=2, hang=7)
        if len(most) < len(comparison.refused):
            page.line((f"… and {len(comparison.refused) - len(most):,} more: --all", DIM), indent=2)
    return page


def _difference(page: Page, entry: Difference, successors: Mapping[int, Fact]) -> None:
    fact = entry.fact
    page.entry((fact_id(fact.id), ID), fact.text, (_tail(entry), DIM))
    if entry.kind == "changed" and entry.before is not None and entry.before.text != fact.text:
        page.line(("was: ", DIM), entry.before.text, indent=7, hang=12)
    if entry.kind == "superseded":
        until = f"until {day(fact.valid_until)}" if fact.valid_until is not None else "ended"
        heir = successors.get(fact.successor) if fact.successor is not None else None
        text = f" {heir.text}" if heir is not None else ""
        page.line(until, ", by ", (_named(fact.successor), ID), text, indent=7, hang=9)
    # That two facts can both be true changes neither: it is on the record, and in ``why`` of both.
    rows = [row for row in entry.mutations if row.kind != "keep"]
    told = [] if _merely_moved(entry) else [mutations.done(row) for row in rows]
    if entry.kind == "absorbed" and not any(_named(fact.successor) in line for line in told):
        page.line(f"lives on in {_named(fact.successor)}", indent=7)
    for line in told:
        page.line((line, DIM), indent=7, hang=9)


def _merely_moved(entry: Difference) -> bool:
    """Whether the right edge says it all: another block, proposed as usual, and nothing else."""
    same = entry.before is not None and entry.after is not None and entry.before.text == entry.after.text
    usual = all(row.kind in ("promote", "keep") and row.origin == "model" for row in entry.mutations)
    return entry.kind == "changed" and same and usual


def _named(fact: int | None) -> str:
    return fact_id(fact) if fact is not None else "nothing"


def _tail(entry: Difference) -> str:
    before, after = entry.before, entry.after
    if entry.kind == "changed" and before is not None and after is not None and before.block != after.block:
        return f"{before.block} → {after.block}"
    return entry.fact.block
