"""A night as text: the policy, a line a pass, what was refused, what was kept, and what to type next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from nocturne.app.sleep import PassReport, SleepReport
from nocturne.core.policy import Policy
from nocturne.report import wording
from nocturne.report.line import Line
from nocturne.report.page import BAD, DIM, GOOD, STRONG, WARN, Page, Part
from nocturne.report.when import took

HEADINGS = ("pass", "in", "proposed", "accepted", "refused", "engine", "active", "snapshots")
NARROW = ("pass", "in", "prop", "acc", "ref", "eng", "active", "snapshots")
_RIGHT = range(1, 7)


def opening(policy: Policy, proposer: str, *, dry_run: bool, width: int = 80) -> Page:
    """What stands above the table."""
    page = Page(width)
    page.line(("policy ", DIM), (policy.name, STRONG), f": {policy.sentence()}", hang=2)
    if proposer == "rules":
        page.line(("proposer ", DIM), ("rules", STRONG), " (built in, no model)")
    else:
        page.line(("proposer ", DIM), (proposer, STRONG))
    if dry_run:
        page.line(("dry run", WARN), ": every proposal is judged, nothing is written")
    page.lines.append(Line())
    return page


def table(passes: Sequence[PassReport], *, working: tuple[str, int] | None = None, width: int = 80) -> Page:
    """A line a pass; ``working`` is the pass under way and the active facts that it looks at."""
    page = Page(width)
    rows: list[Sequence[Part]] = [[(heading, DIM) for heading in (HEADINGS if width >= 76 else NARROW)]]
    rows += [_row(report) for report in passes]
    if working is not None:
        rows.append([(f"{working[0]:<10}", STRONG), f"{working[1]:,}", ("…", DIM), "", "", "", "", ""])
    page.table(rows, right=_RIGHT, gap=2 if width >= 76 else 1)
    return page


def _row(report: PassReport) -> list[Part]:
    name = (f"{report.name:<10}", BAD if report.withheld else "")
    spans = report.snapshots
    return [
        name,
        f"{report.received:,}",
        f"{report.proposed:,}",
        (f"{report.accepted:,}", GOOD if report.accepted else ""),
        (f"{report.refused:,}", WARN if report.refused else ""),
        f"{report.enforced:,}",
        f"{report.active:,}",
        f"s{spans[0]} → s{spans[1]}" if spans else ("–", DIM),
    ]


def closing(report: SleepReport, *, seconds: float, plan: str | None = None, width: int = 80) -> Page:
    """What stands below the table."""
    page = Page(width)
    if report.unchanged_since is not None:
        since = report.unchanged_since
        held = any(part.withheld for part in report.passes)
        said = "the night would say what is on record already" if held else "nothing to propose"
        page.line((f"unchanged since s{since}", STRONG), f": {said}, nothing is written.")
        _held_back(page, report)
        _asked(page, report)
        return page
    page.lines.append(Line())
    _refused(page, report)
    _kept(page, report)
    _held_back(page, report)
    _asked(page, report)
    if report.shortfall:
        page.line(
            ("capacity     ", WARN),
            f"protected facts alone are {report.shortfall:,} more than the policy's capacity; none was taken",
            indent=2,
            hang=15,
        )
    if report.faded:
        page.line(
            ("faded        ", DIM),
            f"{len(report.faded):,} fell below sight and are still there: nocturne facts --faded",
            indent=2,
            hang=15,
        )
    page.blank()
    if report.dry_run:
        follow = f"nocturne apply {plan}" if plan else "nocturne sleep"
        page.line(f"dry run in {took(seconds)}, nothing was written.  do it: ", (follow, STRONG))
    elif report.start is not None:
        page.line(
            f"s{report.start} → s{report.end} in {took(seconds)}.  undo: ",
            (f"nocturne restore s{report.start}", STRONG),
            "   look: ",
            (f"nocturne diff s{report.start} s{report.end}", STRONG),
        )
    return page


def _asked(page: Page, report: SleepReport) -> None:
    """What asking a model took, and what it was not asked."""
    for part in report.passes:
        if part.not_asked:
            waits = f"{part.name}: {part.not_asked:,}, the next sleep goes on with them"
            page.line(("not asked    ", WARN), waits, indent=2, hang=15)
    again = sum(part.again for part in report.passes)
    if again:
        mended = sum(part.mended for part in report.passes)
        page.line(("second try   ", DIM), f"{again:,} proposed anew, {mended:,} accepted", indent=2, hang=15)
    if line := report.usage.get("line"):
        page.line(("model        ", DIM), str(line), indent=2, hang=15)


def _held_back(page: Page, report: SleepReport) -> None:
    for part in report.passes:
        if part.withheld:
            page.line(
                ("held back    ", BAD),
                f"{part.name} was refused whole: {wording.title(part.withheld)}. {_withheld(part)}",
                indent=2,
                hang=15,
            )


def _withheld(part: PassReport) -> str:
    evidence = part.would_lose
    if not evidence:
        return "The passes before it stand."
    return (
        f"It would lose {evidence['would_lose']} of {evidence['of']} facts, {evidence['allowed']} may go: "
        "--allow-loss lets it."
    )


def _refused(page: Page, report: SleepReport) -> None:
    refusals = report.refusals
    total = sum(refusals.values())
    if not total:
        return
    parts = [f"{code} {wording.title(code)} ×{count}" for code, count in refusals.most_common()]
    page.line(("refused ", WARN), f"{total:<5}", parts[0], indent=2, hang=15)
    for part in parts[1:]:
        page.line(part, indent=15, hang=20)


def _kept(page: Page, report: SleepReport) -> None:
    before, after = report.found, len(report.after.facts)
    gone = []
    superseded = sum(part.superseded for part in report.passes)
    if superseded:
        gone.append(f"{superseded:,} superseded")
    if report.forgotten:
        rules = Counter(rule_name(fact.retired_by) for fact in report.forgotten)
        gone.append(f"{len(report.forgotten):,} forgotten by rule ({_listed(rules)})")
    but = f", but for {' and '.join(gone)}" if gone else ""
    page.line(
        ("kept safe    ", GOOD),
        f"every word of {before:,} facts is in {after:,} active facts{but}",
        indent=2,
        hang=15,
    )


def rule_name(rule: str | None) -> str:
    """``forget:stale`` as ``stale``."""
    return (rule or "unknown").rsplit(":", 1)[-1]


def _listed(counts: Counter[str]) -> str:
    return ", ".join(name if count == 1 else f"{name} ×{count}" for name, count in counts.most_common())


def sleep(report: SleepReport, *, seconds: float, plan: str | None = None, width: int = 80) -> Page:
    """The whole night. ``plan`` is the file that the judged plan was saved in."""
    page = opening(report.policy, report.proposer, dry_run=report.dry_run, width=width)
    if report.unchanged_since is None:
        page.lines += table(report.passes, width=width).lines
    page.lines += closing(report, seconds=seconds, plan=plan, width=width).lines
    return page
