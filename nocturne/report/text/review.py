"""A plan under review as text: one proposal at a time, and what became of them all."""

from __future__ import annotations

from collections.abc import Sequence

from nocturne.app.plans import Entry
from nocturne.app.reviewing import Review, Settled, Shown
from nocturne.core.ids import turn_id
from nocturne.report import wording
from nocturne.report.page import BAD, DIM, GOOD, ID, STRONG, WARN, Page, clip, counted
from nocturne.report.text import sleep
from nocturne.report.when import minute

FEW = 3
KEYS = "a accept · r [why] reject · f ID forget a fact · p POLICY · s skip · b back · A all · q quit"
HELP = (
    ("a", "accept it"),
    ("r [why]", "reject it: your ruling, on record and remembered"),
    ("f ID", "forget this fact itself, and keep it away"),
    ("p NAME|FILE", "judge the whole plan under another policy"),
    ("s", "leave it open, neither applied nor rejected"),
    ("b", "back to the one before"),
    ("A", "accept this one and all that are left"),
    ("q", "stop here; the same command goes on where you left"),
)


def opening(review: Review, *, width: int = 80) -> Page:
    """How many there are, and how many are left."""
    page = Page(width)
    entries = review.plan.entries
    held = sum(entry.accepted for entry in entries)
    done = len(review.decisions)
    page.line(
        f"{counted(held, 'proposal')} that {'holds' if held == 1 else 'hold'}, "
        f"{len(entries) - held:,} refused by the gates   policy {review.plan.policy.name}",
        (f"   {done:,} decided already" if done else "", DIM),
    )
    return page


def entry(
    review: Review, place: int, facts: Sequence[Shown], *, number: int, total: int, width: int = 80
) -> Page:
    """One proposal: who asked and why, the facts before and after, and who said them."""
    page = Page(width)
    asked = review.plan.entries[place]
    page.blank()
    page.line(
        (f"{number}/{total} ", DIM),
        (f"{asked.pass_name}: {_what(asked)}", STRONG),
        (f"   {_verdict(asked)} · asked by {asked.origin}", DIM),
        hang=5,
    )
    reason = asked.proposal.get("reason")
    if reason:
        page.line((f"“{reason}”", DIM), indent=2, hang=3)
    for each in facts:
        _fact(page, each)
    return page


def _what(asked: Entry) -> str:
    proposal = asked.proposal
    match proposal.get("kind"):
        case "drop":
            return f"drop {proposal['fact']}, which {proposal['duplicate_of']} says too"
        case "merge":
            return f"join {', '.join([proposal['into'], *proposal['sources']])}"
        case "contradict":
            return f"end {proposal['old']} in favour of {proposal['new']}"
        case "promote":
            return f"move {proposal['fact']} to {proposal['to_block']}"
        case "forget":
            return f"forget {proposal['fact']}"
        case "schematise":
            return f"see a pattern in {', '.join(proposal['members'])}"
        case "keep":
            return f"keep {proposal['fact']} and {proposal['other']} apart"
        case _:
            return "an unreadable proposal"


def _verdict(asked: Entry) -> str:
    if asked.accepted:
        return "accepted by the gates"
    return f"refused, {asked.code}" if asked.code else "refused"


def _fact(page: Page, each: Shown) -> None:
    text = each.before if each.before is not None else each.after or ""
    page.entry((each.label, ID), text, ("new", GOOD) if each.before is None else "")
    if each.before is not None and each.after is None:
        page.line(("goes", BAD), indent=7)
    elif each.before is not None and each.after != each.before:
        page.line(("becomes ", GOOD), each.after or "", indent=7, hang=15)
    for turn in each.turns[:FEW]:
        who = turn.speaker or turn.provenance
        when = f", {minute(turn.said_at)}" if turn.said_at is not None else ""
        said = clip(turn.text, max(20, page.width - 12))
        page.line((f"{turn_id(turn.id)} {who}{when}", DIM), indent=7)
        page.line((f"“{said}”", DIM), indent=9, hang=10)
    if len(each.turns) > FEW:
        page.line((f"… and {len(each.turns) - FEW:,} more turns", DIM), indent=7)


def keys(*, width: int = 80) -> Page:
    """What can be typed."""
    page = Page(width)
    page.table([((key, STRONG), what) for key, what in HELP])
    return page


def summary(review: Review, *, width: int = 80) -> Page:
    """What was decided, before it is done."""
    page = Page(width)
    page.blank()
    page.line(
        (f"accept {len(review.accepted):,}", GOOD),
        " · ",
        (f"reject {len(review.rejected):,}", BAD),
        f" · left open {len(review.open):,}"
        + (f" · forget {', '.join(f'm{fact}' for fact in review.facts)}" if review.facts else ""),
    )
    return page


def settled(done: Settled, *, seconds: float, width: int = 80) -> Page:
    """What became of the review."""
    page = sleep.sleep(done.night, seconds=seconds, width=width) if done.night is not None else Page(width)
    if done.rejected:
        where = f", on record at s{done.snapshot.number}" if done.snapshot is not None else ""
        count = counted(len(done.rejected), "proposal")
        page.line(
            (f"rejected {count} at your word{where}", WARN),
            f": {wording.title('N401')}, and remembered",
            hang=2,
        )
    if done.forgotten:
        page.line(f"forgotten {', '.join(f'm{fact}' for fact in done.forgotten)}, and kept away", hang=2)
    if done.left:
        page.line((f"left open {done.left:,}: neither applied nor rejected", DIM))
    return page
