"""The snapshots as text, newest first, under the command that made them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from nocturne.report.page import DIM, ID, STRONG, Page
from nocturne.report.when import minute

if TYPE_CHECKING:
    from nocturne.app.ports import Head, SnapshotInfo


def log(snapshots: Sequence[SnapshotInfo], *, more: int = 0, width: int = 80) -> Page:
    """``snapshots`` newest first; ``more`` is how many older ones are not shown."""
    page = Page(width)
    for (command, at), group in groupby(snapshots, key=lambda info: (info.command, info.at)):
        inside = list(group)
        page.blank()
        policy = f"   policy {inside[0].policy}" if inside[0].policy else ""
        page.line((minute(at), DIM), "  ", (command or inside[0].label, STRONG), (policy, DIM), hang=18)
        page.table(
            [
                ((f"s{info.number}", ID), f"{info.active:,}", "active", info.label, (_counts(info), DIM))
                for info in inside
            ],
            right=(1,),
        )
    if more:
        page.blank()
        page.line((f"… {more:,} older: --limit 0 shows all", DIM))
    return page


def head(at: Head, *, width: int = 80) -> Page:
    """Where the chain ends: keep this elsewhere, to detect truncation."""
    page = Page(width)
    page.line(at.hash)
    return page


def _counts(info: SnapshotInfo) -> str:
    return " · ".join(f"{name} {count:,}" for name, count in info.counts.items() if count)
