"""An audit as text: one line a question with its figures, then everything that does not hold."""

from __future__ import annotations

from nocturne.app.auditing import Audit
from nocturne.core.ids import snapshot_id
from nocturne.report.page import BAD, DIM, GOOD, STRONG, Page, counted

FEW = 40


def audit(found: Audit, *, width: int = 80) -> Page:
    """The whole audit."""
    page = Page(width)
    replayed, measured = found.replayed, found.measured
    begun = "the first entry" if found.since is None else snapshot_id(found.since)
    snapshots = counted(len(replayed.snapshots), "snapshot")
    page.line(
        f"replayed {counted(replayed.entries, 'entry').replace('entrys', 'entries')} from {begun}: "
        f"{_agrees(found, 'state')} at {snapshots}",
        hang=2,
    )
    if any(problem.where == "chain" for problem in found.problems):
        page.line(("chain broken", BAD), f", it ends in {short(replayed.head)}")
    else:
        kept = (
            " as expected" if found.head_expected else " (keep the whole head elsewhere: nocturne log --head)"
        )
        page.line(f"chain whole to {short(replayed.head)}{kept}", hang=2)
    page.line(
        f"re-measured {measured.accepted:,} accepted: {measured.held:,} hold",
        f"   traced {measured.traced:,} active facts to their turns",
        hang=2,
    )
    erased = f" · {counted(len(replayed.erased), 'text')} erased on the record" if replayed.erased else ""
    page.line(
        f"conservation over {measured.passes:,} passes   tombstones {measured.tombstones:,}{erased}", hang=2
    )
    problems = found.problems
    for problem in problems[:FEW]:
        page.line((f"{problem.where}: ", BAD), problem.what, indent=2, hang=4)
    untold = max(0, len(problems) - FEW) + replayed.untold
    if untold:
        page.line((f"… and {untold:,} more", DIM), indent=2)
    page.line((counted(len(problems) + replayed.untold, "problem"), GOOD if not problems else BAD + " bold"))
    if problems:
        page.line("next: ", ("nocturne doctor", STRONG), ", and a backup from before")
    return page


def short(hash_: str) -> str:
    """A hash that a person can compare at a glance."""
    return f"{hash_[:4]}…{hash_[-4:]}" if len(hash_) > 12 else hash_


def _agrees(found: Audit, what: str) -> str:
    return "problems found" if found.replayed.problems else f"{what} digest equal"
