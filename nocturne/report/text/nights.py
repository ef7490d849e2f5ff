"""Nights of many stores as text: a line for each as it ends, and one for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from nocturne.app.nights import Nights, StoreNight
from nocturne.report import wording
from nocturne.report.page import BAD, DIM, GOOD, STRONG, WARN, Page, cells, clip, counted
from nocturne.report.when import took


def column(names: Iterable[str], width: int = 80) -> int:
    """How wide the column of the stores is: as their longest name, at most two fifths of the page."""
    return min(max((cells(name) for name in names), default=0), width * 2 // 5)


def one(night: StoreNight, *, room: int, width: int = 80) -> Page:
    """How one store's night ended, its name in a column of ``room`` cells."""
    page = Page(width)
    if cells(night.db) > room:
        page.line((night.db, STRONG))
        name = ""
    else:
        name = night.db
    end = (f"exit {night.exit_code}", BAD if night.exit_code else GOOD)
    page.entry((name, STRONG), happened(night), end, indent=0, mark_width=room + 2)
    if night.hint:
        page.line(("hint:  ", DIM), night.hint, indent=room + 2, hang=room + 9)
    return page


def happened(night: StoreNight) -> str:
    """What the night did, in a few words."""
    words = [_did(night.report)] if night.report is not None else []
    if night.error is not None:
        # What was stopped did not go wrong, and says so itself.
        words.append(night.error if night.exit_code > 128 else f"error: {night.error}")
    return "; ".join(words)


def _did(report: Mapping[str, Any]) -> str:
    passes = report["passes"]
    active = counted(report["after"], "fact") + " active"
    if report["unchanged_since"] is not None:
        did = f"unchanged since {report['unchanged_since']}, {active}"
    else:
        parts = []
        for key in ("accepted", "refused", "engine"):
            count = sum(part[key] for part in passes)
            if count or key != "engine":
                parts.append(f"{count:,} {key if key != 'engine' else 'by the engine'}")
        did = ", ".join([*parts, active])
        if report["start"] is not None:
            did += f", {report['start']} → {report['end']}"
    if report["dry_run"]:
        did = f"dry run: {did}"
    held = [_withheld(part["name"], part["withheld"]) for part in passes if part["withheld"]]
    left = sum(part["not_asked"] for part in passes)
    if left:
        held.append(f"{left:,} not asked, the next sleep goes on with them")
    return "; ".join([did, *held])


def _withheld(name: str, code: str) -> str:
    lets = " (--allow-loss lets it)" if code == "N306" else ""
    return f"{name} was refused whole: {wording.title(code)}{lets}"


def working(names: Iterable[str], *, done: int, of: int, width: int = 80) -> Page:
    """The line that stands below the others while stores are still asleep."""
    page = Page(width)
    lead = f"{done:,} of {of:,} done, asleep: "
    page.line((lead, DIM), (clip(", ".join(names), max(width - cells(lead), 8)), DIM))
    return page


def summary(nights: Nights, *, seconds: float, width: int = 80) -> Page:
    """How many stores ended how, and the exit code of them all."""
    page = Page(width)
    parts = [f"{count:,} done" if not code else f"{count:,} with exit {code}"
             for code, count in sorted(nights.codes.items())]  # fmt: skip
    lead = f"{counted(len(nights.stores), 'store')} in {took(seconds)}: "
    how = (", ".join(parts), WARN if nights.exit_code else "")
    page.apart([lead, how], [(f"exit {nights.exit_code}", BAD if nights.exit_code else GOOD)])
    return page
