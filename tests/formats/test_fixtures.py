"""Every transcript under fixtures/transcripts gives exactly the turns beside it in expected/.

Run pytest with --update to write the expectations anew, then read the difference.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nocturne.core.facts import Turn
from nocturne.errors import InputUnreadable
from nocturne.formats import read

FIXTURES = Path(__file__).parents[2] / "fixtures" / "transcripts"
EXPECTED = FIXTURES / "expected"
REFUSED = {
    "alpaca.json": "no known transcript format; seen: "
    "Alpaca training rows (instruction, output), which nobody said to anybody",
}
SOURCES = sorted(path for path in FIXTURES.iterdir() if path != EXPECTED and path.name not in REFUSED)


def plain(turn: Turn) -> dict[str, Any]:
    row: dict[str, Any] = {
        "at": [turn.session, turn.position, turn.offset],
        "id": turn.native_id,
        "who": [turn.provenance, turn.role, turn.speaker],
        "said_at": turn.said_at,
        "text": turn.text,
    }
    if turn.tool is not None:
        row["tool"] = [turn.tool.name, turn.tool.call_id, turn.tool.payload, turn.tool.outcome]
    if not turn.active_path:
        row["active_path"] = False
    return row


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_exact_turns(path: Path, request: pytest.FixtureRequest) -> None:
    reading = read(path)
    found = {
        "format": reading.format,
        "turns": [plain(turn) for turn in reading.turns],
        "skipped": dict(sorted(reading.skipped.items())),
        "notes": dict(sorted(reading.notes.items())),
        "examples": {reason: list(places) for reason, places in sorted(reading.examples.items())},
    }
    golden = EXPECTED / f"{path.name}.json"
    if request.config.getoption("--update"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    assert found == json.loads(golden.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("name", "message"), REFUSED.items())
def test_refused_with_what_was_seen(name: str, message: str) -> None:
    with pytest.raises(InputUnreadable) as caught:
        read(FIXTURES / name)
    assert caught.value.message == f"{name}: {message}"
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("accepted: native, claude-code")


def test_every_expectation_has_its_transcript() -> None:
    assert {path.name.removesuffix(".json") for path in EXPECTED.iterdir()} == {path.name for path in SOURCES}
