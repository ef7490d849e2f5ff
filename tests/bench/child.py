"""Runs one measurement in a process of its own, so that its peak of memory is its own too."""

from __future__ import annotations

import importlib
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

STATUS = Path("/proc/self/status")


class Meter:
    """The best time of the measured block, and the most memory that it added to what was there before."""

    def __init__(self) -> None:
        self.seconds = float("inf")
        self.grown_mb = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Measure this block; of several runs the fastest counts, and the largest growth."""
        _forget_peak()
        before = _megabytes("VmRSS")
        start = time.perf_counter()
        yield
        self.seconds = min(self.seconds, time.perf_counter() - start)
        self.grown_mb = max(self.grown_mb, _megabytes("VmHWM") - before)


def fastest(runs: int, work: Callable[[], object]) -> float:
    """The seconds of the fastest of so many runs."""
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def _forget_peak() -> None:
    if STATUS.exists():
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _megabytes(field: str) -> float:
    if not STATUS.exists():
        # Elsewhere only the peak of the whole life is known, in bytes on macOS.
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)
    for line in STATUS.read_text(encoding="ascii").splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    raise ValueError(f"{field} is not in {STATUS}")


def measured(function: Callable[..., dict[str, Any]], **arguments: Any) -> dict[str, Any]:
    """What ``function(meter, **arguments)`` returns in a child, with its time and memory."""
    name = f"{function.__module__}:{function.__qualname__}"
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.child", name, json.dumps(arguments)],
        check=False,
        stdout=subprocess.PIPE,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"{name} ended with exit code {done.returncode}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Run the named function and print what it found as one line of JSON."""
    module, name = sys.argv[1].split(":")
    meter = Meter()
    found = getattr(importlib.import_module(module), name)(meter, **json.loads(sys.argv[2]))
    found |= {"seconds": meter.seconds, "grown_mb": meter.grown_mb, "peak_mb": _megabytes("VmHWM")}
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
