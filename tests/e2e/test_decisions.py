"""``nocturne decisions`` as a person runs it."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.conftest import Run


def test_the_ledger_of_the_demonstration(run: Run, slept: Path) -> None:
    done = run("decisions")
    assert "partitioned tables" in done.out
    assert done.out.index("Excel") < done.out.index("partitioned")
    data = run("decisions", "--all", "--json").data
    home = next(c for c in data["chains"] if any("Porto" in step["text"] for step in c["steps"]))
    assert home["steps"][-1]["why"]
    assert home["steps"][-1]["held_until"] is not None


def test_no_decision_on_a_topic(run: Run, slept: Path) -> None:
    assert run("decisions", "--topic", "zeppelins").out.startswith("no decisions on zeppelins.")
