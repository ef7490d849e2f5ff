"""Spacing: how strong a memory is on day 90, by how often and at what gaps it was recalled."""

from __future__ import annotations

from nocturne.app.simulation.grid import Claim, Grid, Series
from nocturne.app.simulation.lab import START, Lab, Mind
from nocturne.app.simulation.script import SERVICES, Statement
from nocturne.core.facts import DAY, HOUR, SECOND
from nocturne.core.policy import Policy, Strength
from nocturne.core.strength import Law, strength
from nocturne.passes.activations import curve_of

COUNTS = (1, 2, 3, 5, 8, 10)
GAPS = (
    ("1 min", 60 * SECOND),
    ("1 h", HOUR),
    ("12 h", 12 * HOUR),
    ("1 d", DAY),
    ("3 d", 3 * DAY),
    ("7 d", 7 * DAY),
)
LAWS: tuple[Law, ...] = ("hyperbolic", "exponential", "linear", "none")
HORIZON = 90
CLAIMED = 9.4


def spacing(lab: Lab, seed: int, *, quick: bool = False) -> Grid:
    """Every count at every gap under every law; massed is a gap of a minute. Nothing here is drawn by lot."""
    counts = COUNTS[:3] if quick else COUNTS
    laws = LAWS[:2] if quick else LAWS
    rows: list[tuple[str, ...]] = []
    series: list[Series] = []
    best, best_at = 0.0, ""
    for law in laws:
        lab.tell(f"law {law}")
        grid = {
            (count, name): _strength(lab, law, count, name, gap) for count in counts for name, gap in GAPS
        }
        for count in counts:
            massed = grid[count, GAPS[0][0]]
            cells = [grid[count, name] for name, _ in GAPS]
            top = max(cells)
            if law == "hyperbolic" and massed > 0 and top / massed > best:
                best = top / massed
                best_at = f"{count} recalls, {GAPS[cells.index(top)][0]} apart"
            rows.append((law, str(count), *(f"{cell:.3f}" for cell in cells), f"{top / massed:.1f}×"))
        series.append(Series(law, tuple((float(count), grid[count, "3 d"]) for count in counts)))
    return Grid(
        name="spacing",
        task=(
            "One fact is recalled so often, at such gaps, through the real store; its strength is read on day 90 "
            "after it was recorded. The advantage is the best gap against one minute."
        ),
        seed=seed,
        parameters=(
            ("recalls", ", ".join(map(str, counts))),
            ("laws", ", ".join(laws)),
            ("read on day", str(HORIZON)),
        ),
        columns=("law", "recalls", *(name for name, _ in GAPS), "advantage"),
        rows=tuple(rows),
        claims=(
            Claim(
                "spaced against massed at 90 days",
                f"{CLAIMED}×",
                f"{best:.1f}× at most ({best_at})",
                abs(best - CLAIMED) / CLAIMED <= 0.1,
            ),
        ),
        series=tuple(series),
        x="recalls, 3 days apart",
        y="strength on day 90",
    )


def _strength(lab: Lab, law: Law, count: int, name: str, gap: int) -> float:
    mind = Mind(lab, f"{law}-{count}-{name.replace(' ', '')}", Policy(strength=Strength(law=law)))
    mind.hear(0, [Statement(f"The {SERVICES[0]} runs on port 4711.", "fact")], START)
    (fact,) = mind.store.state().facts.values()
    at = START + HOUR
    for _ in range(count):
        at += gap
        mind.looks_up([f"Which port does the {SERVICES[0]} run on?"], at)
    row = mind.store.activations().get(fact.id)
    return strength(curve_of(row, fact), START + HORIZON * DAY, law)
