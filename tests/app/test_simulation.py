"""The simulations at their small size: the same seed gives the same grid, every cell of it, from the real store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from nocturne.app.lexicons import default_lexicon
from nocturne.app.simulation import SIMULATIONS, Grid, Lab
from nocturne.app.simulation.lab import START
from nocturne.app.simulation.script import Script, Size
from nocturne.core.facts import DAY, HOUR
from nocturne.core.strength import replay, strength
from nocturne.llm.rules import RulesProposer
from nocturne.report.svg import plot
from nocturne.store import SqliteStore, measures_of, open_store

Run = Callable[[str, int], Grid]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """Run a simulation at its small size over new stores."""
    with ExitStack() as stack:
        made = 0

        def start(name: str, seed: int) -> Grid:
            nonlocal made
            made += 1
            place = tmp_path / str(made)
            place.mkdir()

            def make(file: str) -> SqliteStore:
                measures = measures_of(default_lexicon())
                return stack.enter_context(
                    open_store(place / f"{file}.db", mode="create", now=START, measures=measures)
                )

            return SIMULATIONS[name](Lab(make, RulesProposer(), default_lexicon()), seed, quick=True)

        yield start


def test_spacing_through_the_store_is_what_the_formulas_say(run: Run) -> None:
    grid = run("spacing", 1)
    cells = {(row[0], row[1]): row[2:] for row in grid.rows}
    for count in (1, 2, 3):
        accesses = [START + HOUR + step * DAY for step in range(1, count + 1)]
        expected = strength(replay(START, accesses), START + 90 * DAY)
        assert float(cells["hyperbolic", str(count)][3]) == pytest.approx(expected, abs=0.002)
    assert len(grid.rows) == 6
    assert {claim.claimed for claim in grid.claims} == {"9.4×"}


def test_the_same_seed_gives_the_same_grid_and_another_another(run: Run) -> None:
    first, again, other = run("ablation", 1), run("ablation", 1), run("ablation", 2)
    assert first == again
    assert other.rows != first.rows


def test_the_ablation_has_every_arm(run: Run) -> None:
    grid = run("ablation", 1)
    rows = {row[0]: dict(zip(grid.columns, row, strict=True)) for row in grid.rows}
    assert len(rows) == 8
    assert rows["without schematise"]["semantic"] == "0"
    assert rows["no night"]["active"] == dict(grid.parameters)["episodes"]
    assert int(rows["all passes"]["semantic"]) > 0
    assert int(rows["without dedupe"]["active"]) >= int(rows["all passes"]["active"])


def test_a_script_keeps_the_latest_value_of_every_key() -> None:
    size = Size(days=4, updates=3, repeats=2, sightings=5, patterns=2, singles=3, services=3, people=3)
    script = Script(7, size)
    said = [statement for day in script.days() for statement in day]
    assert len(said) == size.total
    latest = {statement.key: statement.value for statement in said if statement.key}
    assert latest == script.current
    assert [s.text for day in Script(7, size).days() for s in day] == [statement.text for statement in said]
    for question in script.questions(5):
        assert question.value == latest[question.key]


def test_the_plot_is_a_document_of_its_own(run: Run) -> None:
    grid = run("spacing", 1)
    root = ET.fromstring(plot(grid))
    names = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {series.name for series in grid.series} <= set(names)
    assert len(list(root.iter("{http://www.w3.org/2000/svg}polyline"))) == len(grid.series)
