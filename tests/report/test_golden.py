"""Every report against the page that was looked at and found good; ``pytest --update`` writes them anew."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from nocturne.app import policies
from nocturne.core.codes import code
from nocturne.core.policy import Policy
from nocturne.report.data import codes as codes_data
from nocturne.report.data import facts as facts_data
from nocturne.report.data import history as history_data
from nocturne.report.data import ingest as ingest_data
from nocturne.report.data import sleep as sleep_data
from nocturne.report.page import Page
from nocturne.report.text import codes, diff, facts, ingest, lineage, log, policy, restore, sleep
from tests.report import samples

GOLDEN = Path(__file__).parent / "golden"

PAGES: dict[str, Callable[[int], Page]] = {
    "codes-one": lambda width: codes.one(code("N203"), width=width),
    "diff": lambda width: diff.diff(samples.COMPARISON, width=width),
    "diff-all": lambda width: diff.diff(samples.COMPARISON, everything=True, width=width),
    "facts": lambda width: facts.facts(samples.LISTED, width=width),
    "facts-none": lambda width: facts.facts((), width=width),
    "ingest": lambda width: ingest.ingest(samples.INGEST, Policy(), width=width),
    "ingest-quiet": lambda width: ingest.ingest(samples.INGEST_QUIET, Policy(), width=width),
    "log": lambda width: log.log(samples.LOG, more=3, width=width),
    "policy": lambda width: policy.one(Policy(), list(policies.settings(Policy())), width=width),
    "restore": lambda width: restore.restore(samples.RESTORED, 14, width=width),
    "show": lambda width: facts.show(samples.LISTED[3], width=width),
    "sleep": lambda width: sleep.sleep(samples.SLEEP, seconds=0.4, width=width),
    "sleep-dry": lambda width: sleep.sleep(samples.DRY, seconds=0.4, width=width),
    "sleep-held-back": lambda width: sleep.sleep(samples.HELD_BACK, seconds=75.0, width=width),
    "sleep-plan": lambda width: sleep.sleep(samples.DRY, seconds=0.4, plan="night.json", width=width),
    "sleep-quiet": lambda width: sleep.sleep(samples.QUIET, seconds=0.1, width=width),
    "why": lambda width: lineage.why(samples.LINEAGE, width=width),
}
SHAPES: dict[str, Callable[[], Any]] = {
    "codes": lambda: codes_data.one(code("N203")),
    "diff": lambda: history_data.comparison(samples.COMPARISON),
    "facts": lambda: facts_data.facts(samples.LISTED),
    "ingest": lambda: ingest_data.ingest(samples.INGEST),
    "log": lambda: [history_data.snapshot(info) for info in samples.LOG],
    "restore": lambda: history_data.restored(samples.RESTORED),
    "sleep": lambda: sleep_data.sleep(samples.SLEEP),
    "why": lambda: history_data.lineage(samples.LINEAGE),
}


def held_against(path: Path, text: str, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_page(name: str, request: pytest.FixtureRequest) -> None:
    held_against(GOLDEN / f"{name}.txt", PAGES[name](80).plain, request)


@pytest.mark.parametrize("name", SHAPES)
def test_shape(name: str, request: pytest.FixtureRequest) -> None:
    held_against(
        GOLDEN / f"{name}.json", json.dumps(SHAPES[name](), ensure_ascii=False, indent=2) + "\n", request
    )


@pytest.mark.parametrize("width", [60, 80, 100])
@pytest.mark.parametrize("name", PAGES)
def test_no_page_is_wider_than_the_terminal(name: str, width: int) -> None:
    wide = [line.plain for line in PAGES[name](width).lines if cell_len(line.plain.rstrip()) > width]
    assert wide == []


@pytest.mark.parametrize("name", PAGES)
def test_no_page_lets_a_control_character_through(name: str) -> None:
    assert all(char.isprintable() or char == "\n" for char in PAGES[name](80).plain.replace("\u200d", ""))
