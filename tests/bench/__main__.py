"""``python -m tests.bench [--quick] [--goal N] [--json FILE]``: every goal a row, measured side by side.

Peers that are not installed are left out and said to be. Times are the best of several runs; memory is what a
child process grew by. Nothing here is asserted: a benchmark that fails a goal prints NO and exits 0.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console

from tests.bench import goals
from tests.bench.outcome import Outcome, save, show


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, show, save."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller sizes, under three minutes")
    parser.add_argument("--goal", type=int, action="append", help="only this goal; may be repeated")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows as JSON")
    chosen = parser.parse_args(arguments)
    outcomes: list[Outcome] = []
    errors = Console(stderr=True)
    with tempfile.TemporaryDirectory() as folder:
        for row in _rows(goals.Sizes.of(Path(folder), quick=chosen.quick), chosen.goal, errors):
            outcomes.append(row)
            errors.print(f"goal {row.goal}: {row.what}: {row.ours} ({row.ratio})", highlight=False)
    missing = [name for name in ("duckdb", "datasketch", "rapidfuzz") if find_spec(name) is None]
    if missing:
        errors.print(f"not installed, so not measured: {', '.join(missing)}", highlight=False)
    show(outcomes, Console())
    if chosen.json:
        save(outcomes, chosen.json)


def _rows(sizes: goals.Sizes, wanted: Sequence[int] | None, errors: Console) -> Iterator[Outcome]:
    for number, goal in goals.GOALS:
        if not wanted or number in wanted:
            errors.print(f"measuring goal {number} …", highlight=False)
            yield from goal(sizes)


if __name__ == "__main__":
    main()
