"""Priority drift over whole nights: stored with the night, measured against thirty days back."""

from __future__ import annotations

from pathlib import Path

from nocturne.app import policies
from nocturne.app.drifting import Drifted, drift
from nocturne.core.facts import DAY
from nocturne.memory import Memory
from nocturne.store import open_store

START = 1_767_225_600_000_000
EARLY = [("I like tea.", "preferences"), ("I like rain.", "preferences"), ("I own a boat.", "fact")]


def lived(path: Path, later: list[tuple[str, str]]) -> Drifted:
    """A night, then some facts 35 days on, and another night."""
    now = [START]
    with Memory(path, clock=lambda: now[0]) as memory:
        for text, category in EARLY:
            memory.append("scratch", {"text": text, "category": category})
        memory.sleep()
        now[0] += 35 * DAY
        for text, category in later:
            memory.append("scratch", {"text": text, "category": category})
        memory.sleep()
    with open_store(path, mode="readonly") as store:
        return drift(store, policy=policies.load("default"), now=now[0])


def test_nothing_new_is_stable(tmp_path: Path) -> None:
    found = lived(tmp_path / "d.db", [])
    assert found.drift is not None
    assert found.drift.kind == "stable"


def test_new_weight_without_a_decision_is_gradual(tmp_path: Path) -> None:
    found = lived(tmp_path / "d.db", [("I planted a pear tree.", "event"), ("I met Ines.", "event")])
    assert found.drift is not None
    assert found.drift.kind == "gradual_drift"
    assert found.drift.moves[0].topic in ("category:event", "category:preferences")


def test_a_decision_makes_it_a_pivot(tmp_path: Path) -> None:
    found = lived(
        tmp_path / "d.db",
        [("We decided to sell the boat.", "decisions"), ("We decided to move the shop.", "decisions")],
    )
    assert found.drift is not None
    assert found.drift.kind == "deliberate_pivot"
    assert found.drift.driven_by == ("category:decisions",)


def test_before_thirty_days_there_is_no_verdict(tmp_path: Path) -> None:
    with Memory(tmp_path / "d.db", clock=lambda: START) as memory:
        memory.append("scratch", {"text": "I like tea.", "category": "preferences"})
        memory.sleep()
    with open_store(tmp_path / "d.db", mode="readonly") as store:
        found = drift(store, policy=policies.load("default"), now=START + 29 * DAY)
        assert found.drift is None
        assert found.first is not None
        assert store.drift() == {found.first.number: {"category:preferences": 1_000_000}}


def test_a_quiet_night_stores_nothing(tmp_path: Path) -> None:
    now = [START]
    with Memory(tmp_path / "d.db", clock=lambda: now[0]) as memory:
        memory.append("scratch", {"text": "I like tea.", "category": "preferences"})
        memory.sleep()
        stored = memory._store.drift()
        now[0] += DAY
        assert memory.sleep().unchanged_since is not None
        assert memory._store.drift() == stored
