"""``python -m tests.bench [--quick | --million] [--goal N] [--json FILE]``: every goal a row, measured side by side.

Peers that are not installed are left out and said to be. Times are the best of several runs where a row does not
say otherwise; memory is what a child process grew by, or its peak. Nothing here is asserted: a benchmark that fails
a goal prints NO and exits 0. What stands as goals 14 and 15 is none of the thirteen: what a year of nights leaves,
and how fast ``nocturne gate`` is.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console

from tests.bench import goals
from tests.bench.outcome import Outcome, save, show
from tests.bench.sizes import Sizes


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, show, save."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="smaller sizes, under three minutes")
    size.add_argument(
        "--million",
        action="store_true",
        help="whole stores of up to a million facts, else 300,000",
    )
    parser.add_argument("--goal", type=int, action="append", help="only this goal; may be repeated")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows as JSON")
    chosen = parser.parse_args(arguments)
    outcomes: list[Outcome] = []
    errors = Console(stderr=True)
    with tempfile.TemporaryDirectory() as folder:
        sizes = Sizes.of(Path(folder), quick=chosen.quick, million=chosen.million)
        for row in _rows(sizes, chosen.goal, errors):
            outcomes.append(row)
            errors.print(f"goal {row.goal}: {row.what}: {row.ours} ({row.ratio})", highlight=False)
            if chosen.json:
                # After every row: what a long run measured is not lost with its end.
                save(outcomes, chosen.json)
    missing = [name for name in ("duckdb", "datasketch", "rapidfuzz") if find_spec(name) is None]
    if missing:
        errors.print(f"not installed, so not measured: {', '.join(missing)}", highlight=False)
    show(outcomes, Console())


def _rows(sizes: Sizes, wanted: Sequence[int] | None, errors: Console) -> Iterator[Outcome]:
    for number, goal in goals.GOALS:
        if not wanted or number in wanted:
            errors.print(f"measuring goal {number} …", highlight=False)
            start = time.monotonic()
            yield from goal(sizes)
            errors.print(f"  took {time.monotonic() - start:.0f} s", highlight=False)


if __name__ == "__main__":
    main()
