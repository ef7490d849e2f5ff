"""Between the stored row of a memory's strength (millionths) and the curve that the mathematics works on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

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


def inherited(
    heir: Fact, members: Sequence[Fact], strengths: Mapping[int, Activation], now: int, law: curve.Law
) -> tuple[Activation, ...]:
    """What several facts leave to the one that says them all: the strongest curve, and every spaced repetition.

    Something said again was learned again: it does not go on fading from the first time. Nothing where that
    leaves the heir as it was.
    """
    curves = [curve_of(strengths.get(fact.id), fact) for fact in members]
    strongest = max(curves, key=lambda one: (curve.strength(one, now, law), one.last_access))
    times = sorted(one.last_access for one in curves)
    again = sum(later - earlier >= curve.SPACED_GAP for earlier, later in pairwise(times))
    made = replace(strongest, spaced=max(one.spaced for one in curves) + again)
    known = strengths.get(heir.id)
    row = row_of(heir, made, known.labile_until if known else None)
    return () if row == (known or row_of(heir, curve.born(heir.recorded_at))) else (row,)
