"""``nocturne simulate`` as a person runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import Run


def test_a_whole_grid_with_claims_and_a_plot(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("simulate", "spacing", "--quick", "--svg", "s.svg")
    assert "9.4×" in done.out
    assert "reproduce" in done.out
    assert "● hyperbolic" in done.out
    assert Path("s.svg").read_text(encoding="utf-8").startswith("<svg ")
    assert max(map(len, done.out.splitlines())) <= 80
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s.svg"]


def test_the_grid_for_a_program(run: Run) -> None:
    data = run("simulate", "spacing", "--quick", "--json", "--seed", "4").data
    assert data["seed"] == 4
    assert all(len(row) == len(data["columns"]) for row in data["rows"])
    assert {"what", "claimed", "measured", "reproduces"} == set(data["claims"][0])


def test_an_unknown_name_is_a_usage_error(run: Run) -> None:
    assert run("simulate", "everything", code=2).out == ""
