"""Priority drift as text: the verdict, the topics that moved, the weight of every topic."""

from __future__ import annotations

import math

from nocturne.app.drifting import Drifted
from nocturne.core.drift import Drift
from nocturne.core.ids import snapshot_id
from nocturne.report.page import DIM, GOOD, STRONG, WARN, Page, Part, clip
from nocturne.report.when import day

VERDICTS = {
    "deliberate_pivot": ("deliberate pivot", WARN),
    "gradual_drift": ("gradual drift", WARN),
    "stable": ("stable", GOOD),
}
BAR = 20
NAME = 34


def drift(found: Drifted, *, width: int = 80) -> Page:
    """The whole page."""
    page = Page(width)
    if found.drift is not None and found.since is not None:
        verdict, style = VERDICTS[found.drift.kind]
        since = f"{snapshot_id(found.since.number)} of {day(found.since.at)}"
        page.line((verdict, style), f" since {since}: {found.drift.distance:.0%} of the weight moved", hang=2)
        _moves(page, found, found.drift)
    elif found.first is not None:
        page.line(
            ("no verdict yet", STRONG),
            f": the first sleep that stored its weights is of {day(found.first.at)},",
        )
        page.line("and thirty days must lie between. The weights now:")
    else:
        page.line(("no verdict yet", STRONG), ": no sleep has stored its weights. The weights now:")
    _weights(page, found)
    return page


def _moves(page: Page, found: Drifted, drift: Drift) -> None:
    if not drift.moves:
        return
    page.blank()
    rows: list[list[Part]] = [[("moved", DIM), ("before", DIM), ("after", DIM), ("", DIM), ("", DIM)]]
    for move in drift.moves:
        why: Part = ("decided", STRONG) if move.topic in drift.driven_by else ""
        rows.append(
            [_name(found, move.topic), f"{move.before:.0%}", f"{move.after:.0%}", f"{move.by:+.0%}", why]
        )
    page.table(rows, right=(1, 2, 3))


def _weights(page: Page, found: Drifted) -> None:
    whole = math.fsum(found.weights.values())
    page.blank()
    rows: list[list[Part]] = [[("topic", DIM), ("weight", DIM), ("", DIM)]]
    for topic, weight in sorted(found.weights.items(), key=lambda item: (-item[1], item[0])):
        share = weight / whole if whole else 0.0
        rows.append([_name(found, topic), f"{weight:.2f}", ("█" * max(1, round(BAR * share)), DIM)])
    page.table(rows, right=(1,))


def _name(found: Drifted, topic: str) -> str:
    kind, _, name = topic.partition(":")
    return name if kind == "category" else clip(f"{name} {found.names.get(topic, '')}".rstrip(), NAME)
