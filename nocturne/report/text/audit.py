"""An audit as text: one line a question with its figures, then everything that does not hold."""

from __future__ import annotations

from collections import Counter

from nocturne.app.auditing import Audit
from nocturne.core.ids import snapshot_id
from nocturne.report.page import BAD, DIM, GOOD, STRONG, Page, counted

FEW = 40
_LIMITS = (
    "A chain shows edits, gaps and reordering. That its end was cut off, or that all of it was written anew, shows "
    "only against a head that was kept elsewhere: --expect-head."
)


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
    whole = "broken" if any(problem.where == "chain" for problem in found.problems) else "whole"
    page.line(f"chain {whole} to {short(replayed.head)}{_head(found)}", hang=2)
    page.line(
        f"re-measured {measured.accepted:,} accepted: {measured.held:,} hold{_unmeasured(found)}", hang=2
    )
    page.line(
        f"traced {counted(measured.traced, 'active fact')}: all words in their turns, no name or value invented",
        hang=2,
    )
    lost = f"{measured.breaches:,} breaches" if measured.breaches else "holds"
    page.line(
        f"conservation over {measured.passes:,} passes: {lost}   tombstones {measured.tombstones:,} · "
        f"purged {counted(len(replayed.erased), 'text')}",
        hang=2,
    )
    for seq, count in sorted(Counter(replayed.erased.values()).items()):
        page.line((f"{counted(count, 'text')} erased by mutation {seq:,}", DIM), indent=2)
    problems = found.problems
    for problem in problems[:FEW]:
        page.line((f"{problem.where}: ", BAD), problem.what, indent=2, hang=4)
    untold = max(0, len(problems) - FEW) + replayed.untold
    if untold:
        page.line((f"… and {untold:,} more", DIM), indent=2)
    if found.head_expected is None:
        page.line((_LIMITS, DIM), hang=0)
    page.line((counted(len(problems) + replayed.untold, "problem"), GOOD if not problems else BAD + " bold"))
    if problems:
        page.line("next: ", ("nocturne doctor", STRONG), ", and a backup from before")
    return page


def _head(found: Audit) -> str:
    if found.head_expected is None:
        return " (keep this head elsewhere: nocturne log --head)"
    if found.head_at is None:
        return ", without the head that was expected"
    grown = found.replayed.entries - found.head_at
    return " as expected" if not grown else f", past the expected head at entry {found.head_at:,}"


def _unmeasured(found: Audit) -> str:
    """What cannot be measured any more, because its words were erased."""
    return f", {found.measured.erased:,} rest on erased words" if found.measured.erased else ""


def short(hash_: str) -> str:
    """A hash that a person can compare at a glance."""
    return f"{hash_[:4]}…{hash_[-4:]}" if len(hash_) > 12 else hash_


def _agrees(found: Audit, what: str) -> str:
    return "problems found" if found.replayed.problems else f"{what} digest equal"
