"""``nocturne drift`` as a person and as a program runs it."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.conftest import Run


def test_the_first_month_has_no_verdict(run: Run, slept: Path) -> None:
    out = run("drift").out
    assert out.startswith("no verdict yet")
    assert "identity" in out
    assert run("drift", "--json").data["kind"] is None


def test_a_month_later_there_is_one(run: Run, slept: Path) -> None:
    later = "2026-05-01T02:00:00Z"
    done = run("drift", "--now", later)
    assert done.out.splitlines()[0].split(" since ")[0] in ("stable", "gradual drift", "deliberate pivot")
    data = run("drift", "--now", later, "--json").data
    assert data["since"] == "s14"
    assert 0 <= data["distance"] <= 1
    assert max(map(len, done.out.splitlines())) <= 80
