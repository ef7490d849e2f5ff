"""Small scenes for the tests of passes: facts from short descriptions, a fixed clock, the real lexicon."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from nocturne.app.lexicons import default_lexicon
from nocturne.core.facts import DAY, Fact, Retirement, State, Turn
from nocturne.core.policy import Policy
from nocturne.passes.engine import Offer, Outcome, run
from nocturne.passes.scene import Memo, Origin, Pass, Scene, Tombstones

NOW = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z


def fact(id_: int, text: str, *, age: float = 1, **fields: Any) -> Fact:
    """A fact said ``age`` days ago."""
    said = NOW - int(age * DAY)
    made = Fact(id_, text, fields.pop("block", "scratch"), fields.pop("category", "fact"), said, said_at=said)
    return replace(made, **fields)


def scene(
    facts: Iterable[Fact],
    *,
    policy: Policy | None = None,
    turns: Iterable[Turn] = (),
    retired: dict[int, Retirement] | None = None,
    origins: dict[int, Origin] | None = None,
    buried: frozenset[str] = frozenset(),
) -> Scene:
    """The scene of a pass over these facts."""
    held = {each.id: each for each in facts}
    return Scene(
        before=State(held, retired or {}, max(held, default=0) + 1),
        facts=held,
        consumed={},
        policy=policy or Policy(),
        now=NOW,
        lexicon=default_lexicon(),
        memo=Memo(b"secret", 1, "policy"),
        tombstones=Tombstones(b"secret", buried),
        origins=origins or {},
        turns={turn.id: turn for turn in turns},
    )


def judged(stage: Pass, at: Scene, *proposals: Any, enforce: bool = False) -> Outcome:
    """The outcome of a pass where somebody hands in just these proposals."""
    return run(stage, at, lambda _: [Offer(each) for each in proposals], enforce=enforce)


def codes(outcome: Outcome) -> list[str | None]:
    """The code of each ruling in order; None where accepted."""
    return [getattr(ruling.verdict, "code", None) for ruling in outcome.rulings]
