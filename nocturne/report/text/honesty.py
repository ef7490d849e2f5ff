"""The honesty benchmark as text: a line a pass and proposer, and what the code refused."""

from __future__ import annotations

from collections.abc import Sequence

from nocturne.app.honesty import Part, Score, total
from nocturne.report import wording
from nocturne.report.page import BAD, DIM, GOOD, STRONG, WARN, Page
from nocturne.report.page import Part as Cell

HEADINGS = (
    "pass",
    "asked",
    "prop",
    "acc",
    "ref",
    "malf",
    "right",
    "missed",
    "wrong",
    "landed",
    "tokens",
    "time",
)
_RIGHT = range(1, len(HEADINGS))


def honesty(scores: Sequence[Score], *, width: int = 80) -> Page:
    """The table of each proposer, its refusals, and one line that compares them."""
    page = Page(width)
    for score in scores:
        page.line((score.proposer, STRONG))
        rows: list[Sequence[Cell]] = [[(heading, DIM) for heading in HEADINGS]]
        rows += [_row(part) for part in score.parts]
        rows.append(_row(total(score)))
        page.table(rows, right=_RIGHT, gap=2 if width >= 96 else 1)
        for part in score.parts:
            if part.failure is not None:
                page.line(("failed ", BAD), f"{part.pass_name}: {part.failure}", indent=2, hang=9)
        for code, count in sorted(total(score).refused.items(), key=lambda item: (-item[1], item[0])):
            where = ", ".join(part.pass_name for part in score.parts if code in part.refused)
            page.line(
                ("refused ", WARN), f"{code} {wording.title(code)} ×{count} ({where})", indent=2, hang=10
            )
        page.blank()
    page.line(
        ("right", STRONG), ": landed and leaves the meaning; ", ("missed", STRONG), ": should have landed;"
    )
    page.line(
        ("wrong", STRONG), ": proposed against the key; ", ("landed", STRONG), ": of those, not refused."
    )
    page.blank()
    for score in scores:
        page.line(*_verdict(score), hang=2)
    return page


def _row(part: Part) -> list[Cell]:
    tokens = part.tokens_in + part.tokens_out
    landed = sum(part.landed.values())
    return [
        f"{part.pass_name:<10}",
        f"{part.tasks}",
        f"{part.proposed}",
        f"{part.accepted}",
        (f"{sum(part.refused.values())}", WARN if part.refused else ""),
        (f"{part.malformed}", WARN if part.malformed else ""),
        (f"{part.right}", GOOD if part.right else ""),
        f"{part.missed}",
        (f"{part.against}", WARN if part.against else ""),
        (f"{landed}", BAD if landed else ""),
        f"{tokens:,}" if tokens else "–",
        f"{part.seconds:.1f} s",
    ]


def _verdict(score: Score) -> list[Cell]:
    whole = total(score)
    if score.unheard:
        return [(score.proposer, STRONG), ": nothing could be had from it"]
    honest = whole.proposed - whole.against
    share = (
        f"{honest / whole.proposed:.0%} of {whole.proposed} proposals honest" if whole.proposed else "silent"
    )
    recall = f"{whole.right / (whole.right + whole.missed):.0%} of the right changes landed"
    landed = sum(whole.landed.values())
    wrong: Cell = (f"{landed} wrong ones landed", BAD if landed else GOOD)
    return [(score.proposer, STRONG), f": {share}, {recall}, ", wrong]
