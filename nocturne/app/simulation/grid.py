"""What a simulation gives: a whole grid, the claimed figures beside the measured ones, curves to plot."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Claim:
    """A figure that somebody published, what was measured here, and whether that reproduces it."""

    what: str
    claimed: str
    measured: str
    reproduces: bool


@dataclass(frozen=True, slots=True)
class Series:
    """One curve: points (x, y) with x ascending."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """One simulation's whole result. ``task`` says in a sentence or two what is done and what is counted."""

    name: str
    task: str
    seed: int
    parameters: tuple[tuple[str, str], ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    claims: tuple[Claim, ...]
    series: tuple[Series, ...] = field(default=())
    x: str = ""
    y: str = ""
    log: bool = False
    """Whether the plot's y axis is logarithmic."""
