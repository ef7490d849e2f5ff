"""What is said again is learned again: the fact that lives on fades from the last time, not from the first."""

from __future__ import annotations

from pathlib import Path

import pytest

from nocturne.app.lexicons import default_lexicon
from nocturne.app.recall import Query, retrieve
from nocturne.core.facts import DAY, Activation
from nocturne.core.strength import NEW
from nocturne.memory import Memory
from nocturne.passes.activations import MILLION, inherited
from tests.passes.scenes import NOW, fact

START = 1_767_225_600_000_000


def test_a_repeated_fact_is_as_strong_as_the_day_it_was_repeated(tmp_path: Path) -> None:
    now = [START]
    with Memory(tmp_path / "m.db", clock=lambda: now[0]) as memory:
        for _ in range(3):
            memory.append("scratch", {"text": "The mailer runs on port 5433.", "category": "fact"})
            memory.sleep()
            now[0] += 20 * DAY
        now[0] -= 20 * DAY
        (kept,) = memory._store.state().facts.values()
        row = memory._store.activations()[kept.id]
        found = retrieve(
            memory._store, Query("mailer port"), policy=memory.policy, lexicon=default_lexicon(), now=now[0]
        )
        now[0] += DAY
        assert memory.sleep().unchanged_since is not None
        assert not memory._store.replayed().problems
    assert kept.recorded_at == START
    assert (row.base, row.last_access, row.spaced) == (MILLION, START + 40 * DAY, 2)
    assert found.hits[0].factors.strength == pytest.approx(NEW)


def test_the_strongest_curve_is_inherited_and_spaced_repetitions_add_up() -> None:
    old, new = fact(1, "a", age=30), fact(2, "b", age=2)
    (row,) = inherited(old, (old, new), {}, NOW, "hyperbolic")
    assert row == Activation(1, MILLION, new.recorded_at, 1)
    strengths = {1: Activation(1, 1_800_000, NOW - DAY, 4, NOW + DAY)}
    (row,) = inherited(old, (old, new), strengths, NOW, "hyperbolic")
    assert row == Activation(1, 1_800_000, NOW - DAY, 5, NOW + DAY)


def test_what_was_said_twice_at_once_leaves_no_row() -> None:
    one, two = fact(1, "a", age=2), fact(2, "b", age=2)
    assert inherited(one, (one, two), {}, NOW, "hyperbolic") == ()
