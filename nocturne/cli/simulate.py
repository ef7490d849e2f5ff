"""``nocturne simulate``: published figures, measured over the real store and passes with a simulated clock."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter
from typing import Annotated, Literal

from nocturne.cli.parameters import Argument, Option
from nocturne.cli.shell import Shell

EXAMPLES = (
    ("nocturne simulate spacing", "strength at 90 days, by recalls and gaps"),
    ("nocturne simulate longitudinal --seed 3", "90 days, 16,000 memories, seven arms"),
    ("nocturne simulate ablation --svg night.svg", "what each pass does, with the plot as a file"),
)


def run(
    shell: Shell,
    what: Annotated[
        Literal["spacing", "longitudinal", "store-size", "ablation"],
        Argument(metavar="NAME", help="spacing, longitudinal, store-size or ablation."),
    ],
    *,
    seed: Annotated[int, Option("--seed", metavar="N", help="What all lots are drawn from.")] = 1,
    quick: Annotated[
        bool, Option("--quick", help="A small size that ends in seconds; the claims are not for it.")
    ] = False,
    svg: Annotated[
        Path | None,
        Option("--svg", metavar="FILE", help="Write the plot to a file.", show_default=False),
    ] = None,
) -> int:
    """Run a simulation and print its whole grid, with each published figure beside what was measured.

    Task, sizes and seed were fixed before the first result. That a figure does not reproduce is a result too.
    Nothing of your own memory is touched: the stores are made in a temporary folder and thrown away.
    """
    from nocturne.app.simulation import SIMULATIONS, Lab
    from nocturne.app.simulation.lab import START
    from nocturne.cli import wiring
    from nocturne.llm.rules import RulesProposer
    from nocturne.report.data import simulation as data
    from nocturne.report.svg import plot
    from nocturne.report.text import simulation as text
    from nocturne.store import SqliteStore, measures_of, open_store

    began = perf_counter()
    measures = measures_of(wiring.lexicon())
    with tempfile.TemporaryDirectory(prefix="nocturne-") as place, ExitStack() as stack:

        def make(name: str) -> SqliteStore:
            store = open_store(Path(place) / f"{name}.db", mode="create", now=START, measures=measures)
            return stack.enter_context(store)

        def tell(line: str) -> None:
            if shell.err_styled:
                shell.note(line)

        grid = SIMULATIONS[what](Lab(make, RulesProposer(), wiring.lexicon(), tell), seed, quick=quick)
    if svg is not None:
        wiring.write(svg, plot(grid))
        shell.note(f"wrote the plot to {svg}")
    if shell.as_json:
        shell.emit(data.grid(grid))
    else:
        shell.say(text.grid(grid, seconds=perf_counter() - began, width=shell.width))
    return 0
