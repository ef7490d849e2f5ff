"""A restore as text: what it brought back, what stays away at a person's word, and how to undo it."""

from __future__ import annotations

from nocturne.app.restoring import Restored
from nocturne.core.ids import fact_id
from nocturne.report.page import ID, STRONG, WARN, Page, counted

FEW = 20


def restore(done: Restored, before: int, *, width: int = 80) -> Page:
    """``before`` is the snapshot that was the latest until now."""
    page = Page(width)
    target = done.to.number
    if done.snapshot is None:
        page.line(f"unchanged: the store is as it was at s{target}, nothing is written.")
    else:
        left = len(done.skipped) + len(done.purged) + len(done.kept)
        exact = "exactly as it was" if done.exact else f"but for {counted(left, 'fact')}"
        active = counted(done.active, "active fact")
        page.line(
            (f"s{done.snapshot}", STRONG),
            f"  s{target} is back, {exact}: {active}, {len(done.changes):,} changed.",
            hang=4,
        )
    if done.skipped:
        page.line(("left out", WARN), " at a person's word (--lift-tombstones brings them back):", hang=2)
        for fact in done.skipped[:FEW]:
            page.entry((fact_id(fact.id), ID), fact.text)
        if len(done.skipped) > FEW:
            page.line(f"… and {len(done.skipped) - FEW:,} more", indent=2)
    for names, what in (
        (done.purged, "purged: the words are erased, and nothing brings them back"),
        (done.kept, "kept active: they were to live on in one of these"),
    ):
        if names:
            shown = ", ".join(fact_id(number) for number in names[:FEW])
            more = f" and {len(names) - FEW:,} more" if len(names) > FEW else ""
            page.line((shown, ID), f"{more}  {what}", indent=2, hang=7)
    if done.snapshot is not None:
        page.line(
            "undo: ", (f"nocturne restore s{before}", STRONG), "   look: ", f"nocturne diff s{before} latest"
        )
    return page
