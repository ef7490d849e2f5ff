"""How strong a memory is now: retention, reinforcement, contradiction, suppression, centrality.

Spans are in days unless a name says otherwise; instants are integer microseconds UTC, as in ``core.facts``.
Only the base (strength at the last access), the last access and the spaced count are stored. Current strength
is derived from them, so a decay pass changes nothing and two passes equal one.

Sources: hyperbolic retention after Wixted & Ebbesen (1991) and Rubin & Wenzel (1996); power-law stability
after Pimsleur (1967) and Cepeda et al. (2006); exponential retention after Ebbinghaus (1885);
retrieval-induced forgetting after Anderson, Bjork & Bjork (1994).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from nocturne.core.facts import DAY, HOUR, Category

Law = Literal["hyperbolic", "exponential", "linear", "none"]

FLOOR = 0.05
CEILING = 2.0
NEW = 1.0
HALF_LIFE_DAYS = 10.0
SPACED_GAP = 12 * HOUR
MAX_BOOST = 0.15
BOOST_HOURS = 24.0
MILDEST_FACTOR = 0.85
HARSHEST_FACTOR = 0.2
SUPPRESSION = 0.97

CONTRADICTION_WEIGHT: dict[Category, float] = {
    "identity": 1.0,
    "preferences": 0.75,
    "commitments": 1.0,
    "decisions": 1.0,
    "event": 0.9,
    "opinion": 0.6,
    "fact": 0.9,
    "context": 0.5,
}
"""Weight of new evidence by its category; never a model's own confidence."""


@dataclass(frozen=True, slots=True)
class Activation:
    """What is stored of a memory's strength.

    ``base`` is the strength at ``last_access``, in [0.05, 2.0]; ``last_access`` is ``recorded_at`` until the
    first retrieval; ``spaced`` counts the accesses that came at least 12 h after the one before.
    """

    base: float
    last_access: int
    spaced: int = 0


def born(recorded_at: int) -> Activation:
    """The activation of a fact that was just recorded: strength 1.0, never accessed."""
    return Activation(NEW, recorded_at)


def stability(spaced: int, law: Law = "hyperbolic") -> float:
    """S(n) = 1 + 0.5·n^1.5; under the ``linear`` law S(n) = 1 + 0.5·n."""
    return 1.0 + 0.5 * (spaced if law == "linear" else spaced**1.5)


def retention(elapsed_days: float, spaced: int, law: Law = "hyperbolic") -> float:
    """The share of a memory's base that is left, in (0, 1].

    Hyperbolic and linear: 1 / (1 + (t/10)/S(n)), a half-life of 10 days at n = 0. Exponential: e^(−t/S(n))
    with S in days, which is why that law empties a store in days. A negative span (an access later than the
    instant of a view of the past) counts as none.
    """
    elapsed = max(0.0, elapsed_days)
    if law == "none":
        return 1.0
    if law == "exponential":
        return math.exp(-elapsed / stability(spaced, law))
    return 1.0 / (1.0 + (elapsed / HALF_LIFE_DAYS) / stability(spaced, law))


def decayed(base: float, elapsed_days: float, spaced: int, law: Law = "hyperbolic") -> float:
    """max(0.05, base·R), never above the base."""
    return max(FLOOR, base * retention(elapsed_days, spaced, law))


def strength(activation: Activation, now: int, law: Law = "hyperbolic") -> float:
    """Current strength of a memory, in [0.05, 2.0]."""
    return decayed(activation.base, (now - activation.last_access) / DAY, activation.spaced, law)


def boost(current: float, elapsed_days: float) -> float:
    """α = 0.15·(1 − s/2.0)·(1 − e^(−Δt_h/24)): what a retrieval adds to strength ``current``.

    One published table gives +0.059 for s = 1.0 accessed one day ago. Its own formula gives
    0.15·0.5·(1 − 1/e) = 0.0474, and the formula stands.
    """
    hours = max(0.0, elapsed_days) * 24.0
    return MAX_BOOST * (1.0 - current / CEILING) * -math.expm1(-hours / BOOST_HOURS)


def accessed(activation: Activation, at: int, law: Law = "hyperbolic") -> Activation:
    """The activation after a retrieval at ``at``; one that comes before the last one changes nothing.

    The retention curve starts anew at every access, so a retrieval after a very long gap buys strength now at
    the price of a steeper start. Where gaps stay within some ten days, spaced never ends below massed.
    """
    gap = at - activation.last_access
    if gap < 0:
        return activation
    current = strength(activation, at, law)
    return Activation(
        base=min(CEILING, current + boost(current, gap / DAY)),
        last_access=at,
        spaced=activation.spaced + (1 if gap >= SPACED_GAP else 0),
    )


def replay(recorded_at: int, accesses: Iterable[int], law: Law = "hyperbolic") -> Activation:
    """The activation of a fact that was recorded, then retrieved at each of ``accesses`` in their order."""
    activation = born(recorded_at)
    for at in accesses:
        activation = accessed(activation, at, law)
    return activation


def scaled(activation: Activation, factor: float) -> Activation:
    """Multiplies strength by ``factor`` at every later instant, down to the floor.

    The last access stays where it is: moving it would let the decay of the time since count twice.
    """
    return replace(activation, base=min(CEILING, max(FLOOR, activation.base * factor)))


def contradiction_factor(old_strength: float, weight: float) -> float:
    """β = 0.2 + 0.65·e^(−c/s_old): strong beliefs resist weak evidence, weak beliefs yield.

    ``weight`` is the evidence weight of the new fact's category. Bayesian in spirit, after Friston (2010).
    """
    return HARSHEST_FACTOR + (MILDEST_FACTOR - HARSHEST_FACTOR) * math.exp(-weight / max(FLOOR, old_strength))


def contradicted(
    activation: Activation, by: Category, now: int, law: Law = "hyperbolic"
) -> tuple[Activation, float]:
    """The superseded fact's activation and the β applied, for new evidence of category ``by``."""
    factor = contradiction_factor(strength(activation, now, law), CONTRADICTION_WEIGHT[by])
    return scaled(activation, factor), factor


def suppressed(activation: Activation) -> Activation:
    """A close competitor that was not retrieved, 3% weaker; schemas are exempt: the caller omits them."""
    return scaled(activation, SUPPRESSION)


def centrality_factor(similarity: float) -> float:
    """γ = 0.5 + 0.4·(1 − sim to the centroid): what is typical fades into the schema, what is peculiar stays.

    ``similarity`` is a cosine of non-negative vectors, clamped to [0, 1].
    """
    return 0.5 + 0.4 * (1.0 - min(1.0, max(0.0, similarity)))
