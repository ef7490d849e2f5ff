"""The codes of refusals as text: one in full, or all of them by name."""

from __future__ import annotations

from collections.abc import Sequence

from nocturne.core.codes import CODES, Code
from nocturne.report.page import BAD, DIM, GOOD, STRONG, Page


def listing(*, width: int = 80) -> Page:
    """Every code with its name."""
    page = Page(width)
    page.table(((entry.code, STRONG), entry.title, (", ".join(entry.passes), DIM)) for entry in CODES)
    page.blank()
    page.line("next: nocturne explain N203")
    return page


def one(entry: Code, words: Sequence[tuple[str, Sequence[str]]] | None = None, *, width: int = 80) -> Page:
    """What the code checks, why, an example each way, and where it is checked."""
    page = Page(width)
    page.line((entry.code, STRONG), f" {entry.title}")
    page.line(entry.why, hang=0)
    page.line(("refused   ", BAD), entry.refused_example, indent=2, hang=12)
    page.line(("accepted  ", GOOD), entry.accepted_example, indent=2, hang=12)
    page.line(("says      ", DIM), entry.template, indent=2, hang=12)
    page.line(f"Checked by {', '.join(entry.passes)}.", hang=2)
    for name, listed in words or ():
        page.line((f"{name}: ", DIM), ", ".join(listed), indent=2, hang=4)
    return page
