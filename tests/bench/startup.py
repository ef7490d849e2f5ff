"""Goals 11 and 12, as processes: ``nocturne --help`` and one recall, beside as little as there could be."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import Any

from nocturne.core.facts import SECOND
from tests.bench.child import Meter
from tests.bench.stores import NOW, copied

HEAVY = frozenset({"numpy", "scipy", "sklearn", "httpx"})
PEER = "import typer, rich"
EMPTY = "import sqlite3; sqlite3.connect({db!r}).execute('select 1')"


def nocturne() -> list[str]:
    """The installed command, run by this Python."""
    script = Path(sys.executable).with_name("nocturne")
    return [sys.executable, str(script)] if script.exists() else [sys.executable, "-m", "nocturne.cli.main"]


def compiled() -> dict[str, str]:
    """An environment that keeps byte code, as of an installed package: else every run compiles our sources anew."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def interleaved(commands: dict[str, Iterator[Sequence[str]]], runs: int) -> dict[str, list[float]]:
    """The times of ``runs`` rounds of one run each, after a first round that is not counted.

    Byte code is kept between them.
    """
    kept = compiled()
    found: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(runs + 1):
        for name, supply in commands.items():
            argv = next(supply)
            start = time.perf_counter()
            subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, env=kept)
            if number:
                found[name].append(time.perf_counter() - start)
    return found


def helped(meter: Meter, runs: int) -> dict[str, Any]:
    """``nocturne --help`` beside the import of what it is written with, and which heavy packages it loads."""
    with meter.running():
        found = interleaved(
            {
                "ours": cycle([[*nocturne(), "--help"]]),
                "peer": cycle([[sys.executable, "-c", PEER]]),
            },
            runs,
        )
    python, *rest = nocturne()
    told = subprocess.run(
        [python, "-X", "importtime", *rest, "--help"], check=True, capture_output=True, text=True
    )
    names = {line.rpartition("|")[2].strip() for line in told.stderr.splitlines() if "import time:" in line}
    heavy = sorted({name.partition(".")[0] for name in names} & HEAVY)
    return {name: median(times) for name, times in found.items()} | {"heavy": heavy, "modules": len(names)}


def recalled(meter: Meter, path: str, queries: list[str], runs: int) -> dict[str, Any]:
    """``nocturne recall QUERY`` of the shell, the access recorded or not, beside a process that opens the store."""
    now = datetime.fromtimestamp(NOW / SECOND, UTC).isoformat()
    with copied(path) as copy:

        def asking(*more: str) -> Iterator[Sequence[str]]:
            for query in cycle(queries):
                yield [*nocturne(), "recall", query, "--db", str(copy), "--now", now, *more]

        with meter.running():
            found = interleaved(
                {
                    "ours": asking(),
                    "read_only": asking("--read-only"),
                    "empty": cycle([[sys.executable, "-c", EMPTY.format(db=str(copy))]]),
                    "imports": cycle([[sys.executable, "-c", PEER]]),
                },
                runs,
            )
    return {name: median(times) for name, times in found.items()} | {
        "queries": len(list(islice(queries, runs)))
    }
