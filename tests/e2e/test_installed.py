"""The installed command as a process of its own: streams, exit codes, pipes, start-up."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from tests.e2e.conftest import COMMAND, DEMO, Run


def test_two_commands_on_a_fresh_machine(installed: Run) -> None:
    assert "next: nocturne sleep --dry-run" in installed("ingest", str(DEMO)).out
    night = installed("sleep")
    assert "undo: nocturne restore s2" in night.out
    assert night.err == ""
    assert installed("facts", "--json").data["count"] > 0


def test_a_failure_is_its_exit_code_and_a_hint(installed: Run) -> None:
    done = installed("facts", code=3)
    assert done.out == ""
    assert done.err.splitlines()[0] == "error: a.db does not exist"
    assert done.err.splitlines()[1].startswith("hint:")


def test_output_that_nobody_reads_is_quiet(slept: Path) -> None:
    script = f"NOCTURNE_DB=a.db {COMMAND} log --limit 0 | head -n 1"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == ""


def test_help_is_as_quick_as_its_libraries_allow() -> None:
    """Side by side in one run, the best of each: at most twice what importing Typer and Rich takes."""
    imports, help_ = [], []
    for _ in range(7):
        imports.append(_took([sys.executable, "-c", "import typer, rich"]))
        help_.append(_took([str(COMMAND), "--help"]))
    assert min(help_) <= 2 * min(imports)


def _took(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, capture_output=True, check=True)
    return time.perf_counter() - started
