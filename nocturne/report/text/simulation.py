"""A simulation as text: what was done, the whole grid, the claims, and a plot of characters."""

from __future__ import annotations

from collections.abc import Sequence

from nocturne.app.simulation import Grid, Series
from nocturne.report.page import BAD, DIM, GOOD, STRONG, Page, Part
from nocturne.report.when import took

MARKS = "●○◆◇■□▲△"
HEIGHT = 12


def grid(found: Grid, *, seconds: float, width: int = 80) -> Page:
    """The whole page."""
    page = Page(width)
    page.line((found.name, STRONG), f"  {found.task}", hang=2)
    page.blank()
    page.table([((name, DIM), value) for name, value in (("seed", str(found.seed)), *found.parameters)])
    page.blank()
    table: list[Sequence[Part]] = [[(name, DIM) for name in found.columns]]
    table += [list(row) for row in found.rows]
    page.table(table, right=range(1, len(found.columns)), gap=1 if len(found.columns) > 8 else 2)
    page.blank()
    for claim in found.claims:
        verdict: Part = ("reproduces", GOOD) if claim.reproduces else ("does not reproduce", BAD)
        here = f"{claim.what}: published {claim.claimed}, here {claim.measured}, "
        page.line(here, verdict, hang=2)
    if any(series.points for series in found.series):
        page.blank()
        _plot(page, found, width)
    page.blank()
    page.line((f"in {took(seconds)}", DIM))
    return page


def _plot(page: Page, found: Grid, width: int) -> None:
    points = [point for series in found.series for point in series.points]
    low_x, high_x = min(x for x, _ in points), max(x for x, _ in points)
    high_y = max(y for _, y in points) or 1.0
    columns = width - 14
    cells = [[" "] * columns for _ in range(HEIGHT)]
    for mark, series in zip(MARKS, found.series, strict=False):
        for x, y in series.points:
            column = round((x - low_x) / ((high_x - low_x) or 1.0) * (columns - 1))
            row = HEIGHT - 1 - round(y / high_y * (HEIGHT - 1))
            # Where two curves meet the first keeps its mark.
            if cells[row][column] == " ":
                cells[row][column] = mark
    page.line((found.y, DIM), indent=2)
    for number, marks in enumerate(cells):
        label = _number(high_y) if number == 0 else "0" if number == HEIGHT - 1 else ""
        page.line((f"{label:>8} │", DIM), "".join(marks).rstrip())
    page.line((f"{'':>8} └{'─' * columns}", DIM))
    ends = f"{_number(low_x)}{_number(high_x):>{columns - len(_number(low_x))}}"
    page.line((f"{'':>9} {ends}", DIM))
    page.line((f"{'':>9} {found.x}", DIM))
    page.line(*_legend(found.series), indent=2, hang=2)


def _legend(series: Sequence[Series]) -> list[Part]:
    return [f"{mark} {each.name}   " for mark, each in zip(MARKS, series, strict=False)]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.2f}"
