"""Where the weight of memory moves: topics tonight against those of thirty days ago.

A topic is a schema with its members, or else a category. Its weight is the summed strength of its facts, and
a topic moved if its share of the whole did.
"""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from nocturne.core.facts import DAY, Fact

DriftKind = Literal["deliberate_pivot", "gradual_drift", "stable"]

BACK = 30 * DAY
STABLE_BELOW = 0.15
MOVED_FROM = 0.05


@dataclass(frozen=True, slots=True)
class Move:
    """One topic's share of the weight, before and after, each in [0, 1]."""

    topic: str
    before: float
    after: float

    @property
    def by(self) -> float:
        """How far the share moved; positive where the topic grew."""
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class Drift:
    """The verdict: ``distance`` is half the sum of absolute moves of share, ``moves`` the largest first.

    ``driven_by`` names the moved topics in which a decision or a supersession was recorded.
    """

    kind: DriftKind
    distance: float
    moves: tuple[Move, ...]
    driven_by: tuple[str, ...] = ()


def topic_of(fact: Fact, schema: int | None) -> str:
    """``schema:m12`` for a schema or its evidence, else ``category:decisions``."""
    if fact.layer == "schema" or fact.block == "schemas":
        return f"schema:m{fact.id}"
    return f"schema:m{schema}" if schema is not None else f"category:{fact.category}"


def topic_weights(strengths: Iterable[tuple[Fact, float]], schemas: Mapping[int, int]) -> dict[str, float]:
    """The strengths of active facts, summed by topic; ``schemas`` maps a member to its schema."""
    parts: dict[str, array[float]] = defaultdict(lambda: array("d"))
    for fact, strength in strengths:
        if fact.active:
            parts[topic_of(fact, schemas.get(fact.id))].append(strength)
    return {topic: math.fsum(parts[topic]) for topic in sorted(parts)}


def baseline(times: Collection[int], now: int) -> int | None:
    """The latest of the stored times that lies at least thirty days back; None where none does."""
    return max((time for time in times if time <= now - BACK), default=None)


def compared(before: Mapping[str, float], after: Mapping[str, float], decided: Collection[str]) -> Drift:
    """The drift between two sets of topic weights.

    ``decided`` are the topics in which a decision or a supersession was recorded in between. Below a
    distance of 0.15 memory is stable. Above it, a pivot is deliberate if such a topic is among those that
    moved by 0.05 of the whole or more.
    """
    old, new = _shares(before), _shares(after)
    moves = [
        Move(topic, old.get(topic, 0.0), new.get(topic, 0.0)) for topic in sorted(old.keys() | new.keys())
    ]
    distance = math.fsum(abs(move.by) for move in moves) / 2
    moved = [move for move in moves if abs(move.by) >= MOVED_FROM]
    moved.sort(key=lambda move: (-abs(move.by), move.topic))
    driven = tuple(move.topic for move in moved if move.topic in decided)
    if distance < STABLE_BELOW:
        return Drift("stable", distance, tuple(moved))
    return Drift("deliberate_pivot" if driven else "gradual_drift", distance, tuple(moved), driven)


def _shares(weights: Mapping[str, float]) -> dict[str, float]:
    total = math.fsum(weights.values())
    return {topic: weight / total for topic, weight in weights.items()} if total else {}
