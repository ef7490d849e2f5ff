"""One row of the benchmark's table, and the table itself."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

WIDE_ENOUGH = 120


@dataclass(frozen=True, slots=True)
class Outcome:
    """A goal, our figure beside another way's, and whether it held (None: nothing to hold it against)."""

    goal: int
    what: str
    ours: str
    other: str
    ratio: str
    aim: str
    held: bool | None
    note: str = ""


def milliseconds(seconds: float) -> str:
    """A span in the unit that suits it."""
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def times(a: float, b: float) -> str:
    """How many times ``a`` is ``b``."""
    ratio = a / b
    return f"{ratio:,.0f}×" if ratio >= 100 else f"{ratio:.1f}×" if ratio >= 1 else f"{ratio:.3f}×"


def show(outcomes: Sequence[Outcome], console: Console) -> None:
    """The table; where the terminal is too narrow for it, a paragraph a row."""
    if console.width < WIDE_ENOUGH:
        for row in outcomes:
            console.print(f"goal {row.goal}, held: {_held(row)}", style="bold", highlight=False)
            console.print(
                f"  {row.what}: {row.ours}; {row.other}; {row.ratio} (aim: {row.aim})", highlight=False
            )
            if row.note:
                console.print(f"  {row.note}", highlight=False)
        return
    table = Table(title="goals", title_justify="left", show_lines=False)
    for name in ("goal", "measured", "ours", "other way", "ratio", "aim", "held"):
        table.add_column(name, justify="right" if name in {"goal", "ratio"} else "left", overflow="fold")
    for row in outcomes:
        what = f"{row.what}\n{row.note}" if row.note else row.what
        table.add_row(str(row.goal), what, row.ours, row.other, row.ratio, row.aim, _held(row))
    console.print(table)


def _held(row: Outcome) -> str:
    return "–" if row.held is None else "yes" if row.held else "NO"


def save(outcomes: Sequence[Outcome], path: Path) -> None:
    """The same as JSON."""
    rows = [asdict(row) for row in outcomes]
    path.write_text(json.dumps(rows, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
