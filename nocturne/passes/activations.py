"""Between the stored row of a memory's strength (millionths) and the curve that the mathematics works on."""

from __future__ import annotations

from nocturne.core import strength as curve
from nocturne.core.facts import Activation, Fact

MILLION = 1_000_000


def curve_of(row: Activation | None, fact: Fact) -> curve.Activation:
    """The fact's strength as stored, or as new where it was never touched."""
    if row is None:
        return curve.born(fact.recorded_at)
    return curve.Activation(row.base / MILLION, row.last_access, row.spaced)


def row_of(fact: Fact, activation: curve.Activation, labile_until: int | None = None) -> Activation:
    """The row to store: the base rounded to millionths."""
    base = round(activation.base * MILLION)
    return Activation(fact.id, base, activation.last_access, activation.spaced, labile_until)
