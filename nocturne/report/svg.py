"""A simulation's curves as an SVG that stands alone: axes, lines with points, a legend."""

from __future__ import annotations

from xml.sax.saxutils import escape

from nocturne.app.simulation import Grid

WIDE, HIGH = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 190, 40, 50
COLOURS = ("#0b5fa5", "#c2410c", "#15803d", "#7e22ce", "#a16207", "#be123c", "#0f766e", "#374151")
DASHES = ("", "6 3", "2 3", "8 3 2 3", "", "6 3", "2 3", "8 3 2 3")


def plot(grid: Grid) -> str:
    """The document; colours are doubled by dashes, so that it can be read without them."""
    points = [point for series in grid.series for point in series.points]
    low_x, high_x = min((x for x, _ in points), default=0.0), max((x for x, _ in points), default=1.0)
    high_y = max((y for _, y in points), default=1.0) or 1.0

    def place(x: float, y: float) -> tuple[float, float]:
        across = (x - low_x) / ((high_x - low_x) or 1.0)
        return (
            round(LEFT + across * (WIDE - LEFT - RIGHT), 1),
            round(HIGH - BOTTOM - y / high_y * (HIGH - TOP - BOTTOM), 1),
        )

    box = f'viewBox="0 0 {WIDE} {HIGH}" font-family="sans-serif" font-size="12" role="img"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {box}>',
        f"<title>{escape(grid.name)}, seed {grid.seed}</title>",
        f"<desc>{escape(grid.task)}</desc>",
        f'<rect width="{WIDE}" height="{HIGH}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="22" font-size="15">{escape(grid.name)}: {escape(grid.y)} by {escape(grid.x)}</text>',
    ]
    for step in range(5):
        value = high_y * step / 4
        _, y = place(low_x, value)
        lines.append(f'<line x1="{LEFT}" x2="{WIDE - RIGHT}" y1="{y}" y2="{y}" stroke="#d4d4d8"/>')
        lines.append(f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{_number(value)}</text>')
    for x in sorted({x for x, _ in points}):
        across, _ = place(x, 0.0)
        lines.append(f'<text x="{across}" y="{HIGH - BOTTOM + 18}" text-anchor="middle">{_number(x)}</text>')
    for number, series in enumerate(grid.series):
        colour, dash = COLOURS[number % len(COLOURS)], DASHES[number % len(DASHES)]
        placed = [place(x, y) for x, y in series.points]
        path = " ".join(f"{x},{y}" for x, y in placed)
        lines.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>'
        )
        lines += [f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in placed]
        at = TOP + 20 * number + 10
        lines.append(
            f'<line x1="{WIDE - RIGHT + 16}" x2="{WIDE - RIGHT + 46}" y1="{at}" y2="{at}" stroke="{colour}" '
            f'stroke-width="2" stroke-dasharray="{dash}"/>'
        )
        lines.append(f'<text x="{WIDE - RIGHT + 52}" y="{at + 4}">{escape(series.name)}</text>')
    lines.append("</svg>")
    return "\n".join(lines) + "\n"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.2f}"
