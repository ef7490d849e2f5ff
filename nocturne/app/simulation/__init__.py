"""Simulations over the real store and the real passes with a simulated clock; claims beside what was measured."""

from __future__ import annotations

from nocturne.app.simulation.ablation import ablation
from nocturne.app.simulation.grid import Claim, Grid, Series
from nocturne.app.simulation.lab import Lab
from nocturne.app.simulation.longitudinal import longitudinal
from nocturne.app.simulation.spacing import spacing
from nocturne.app.simulation.store_size import store_size

SIMULATIONS = {
    "spacing": spacing,
    "longitudinal": longitudinal,
    "store-size": store_size,
    "ablation": ablation,
}

__all__ = ["SIMULATIONS", "Claim", "Grid", "Lab", "Series"]
