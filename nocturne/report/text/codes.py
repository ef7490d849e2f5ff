"""The codes of refusals as text: one in full, or all of them by name."""

from __future__ import annotations

from collections.abc import Sequence

from nocturne.core.codes import CODES, Code
from nocturne.report.page import BAD, DIM, GOOD, STRONG, Page


def listing(*, width: int = 80) -> Page:
    """Every code with its name."""
    page = Page(width)
    page.table(((entry.code, STRONG), entry.title) for entry in CODES)
    page.blank()
    page.line("next: nocturne explain N203")
    return page


def one(
    entry: Code,
    words: Sequence[tuple[str, Sequence[str]]] = (),
    *,
    has_words: bool = False,
    width: int = 80,
) -> Page:
    """What the code checks, why, an example each way, and where it is checked."""
    page = Page(width)
    page.line((entry.code, STRONG), f" {entry.title}")
    page.line(entry.why, hang=0)
    page.line(("refused   ", BAD), entry.refused_example, indent=2, hang=12)
    page.line(("accepted  ", GOOD), entry.accepted_example, indent=2, hang=12)
    page.line(("says      ", DIM), entry.template, indent=2, hang=12)
    follow = f" Words that count: nocturne explain {entry.code} --words" if has_words and not words else ""
    page.line(f"Checked by {', '.join(entry.passes)}.{follow}", hang=2)
    if words:
        page.blank()
    for name, listed in words:
        page.line((f"{name}: ", DIM), ", ".join(listed), indent=2, hang=4)
    return page
