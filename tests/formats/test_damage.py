"""No damage to a file leads to anything but turns, counts, or one clear refusal."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nocturne.core.facts import PROVENANCES
from nocturne.errors import InputUnreadable
from nocturne.formats import read

FIXTURES = Path(__file__).parents[2] / "fixtures" / "transcripts"
SOURCES = sorted(path for path in FIXTURES.iterdir() if path.is_file())


def damages(data: bytes, seed: int) -> Iterator[bytes]:
    """Copies of a file as the world damages it."""
    dice = random.Random(seed)
    for _ in range(12):
        yield data[: dice.randrange(len(data))]
        flipped = bytearray(data)
        for _ in range(dice.choice((1, 3, 30))):
            flipped[dice.randrange(len(flipped))] ^= 1 << dice.randrange(8)
        yield bytes(flipped)
        start = dice.randrange(len(data))
        yield data[:start] + data[start + dice.randrange(200) :]
    yield data + data
    yield data.replace(b"\n", b"\r\n")
    yield b"\xef\xbb\xbf" + data
    yield data.replace(b'"', b"'")
    yield data.replace(b"null", b"NaN").replace(b"true", b"-1e999")
    yield data.replace(b'"text"', b'"text":[],"x"')
    yield data.replace(b":", b":[", 3)


def read_or_refuse(data: bytes) -> None:
    refused: InputUnreadable | None = None
    try:
        reading = read(data, name="damaged")
        for turn in reading.turns:
            assert turn.provenance in PROVENANCES
            assert isinstance(turn.text, str)
            assert 0 <= turn.offset <= len(data) * 3
        assert 0 <= reading.cursor <= len(data) * 3
        assert all(count > 0 for count in reading.skipped.values())
    except InputUnreadable as error:
        refused = error
    if refused is not None:
        assert refused.message.startswith("damaged")
        assert "\n" not in refused.message
        assert len(refused.message) < 500


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_damaged_fixtures(path: Path) -> None:
    for data in damages(path.read_bytes(), seed=7):
        read_or_refuse(data)


def test_two_formats_in_one_file() -> None:
    for first in SOURCES[:8]:
        for second in SOURCES[8:]:
            read_or_refuse(first.read_bytes() + b"\n" + second.read_bytes())


ODD: tuple[Any, ...] = (
    *(None, True, 0, -1, 1e308, 10**30, "", "x", "   ", "\ud800\x00", [], {}, [[]], [None], {"a": 1}),
    *([1, "a", {}], {"type": "text"}, {"role": "user", "content": "hi"}, '{"message": 3}', [{"type": 5}]),
)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container in a JSON value with each of its keys."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(pairs):
        yield value, key
        yield from places(inner)


@pytest.mark.parametrize(
    "path", [path for path in SOURCES if path.suffix != ".md"], ids=lambda path: path.name
)
def test_values_of_the_wrong_kind(path: Path) -> None:
    dice = random.Random(11)
    text = path.read_text(encoding="utf-8-sig")
    whole = path.suffix == ".json"
    for _ in range(60):
        values = [json.loads(text)] if whole else [as_json(line) for line in text.split("\n")]
        for _ in range(dice.choice((1, 1, 2, 5))):
            holder, key = dice.choice(list(places(values)))
            holder[key] = copy.deepcopy(dice.choice(ODD))
        lines = [value if isinstance(value, str) else json.dumps(value) for value in values]
        read_or_refuse("\n".join(lines).encode("utf-8", "surrogatepass"))


def as_json(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return line


@pytest.mark.corpus
def test_damaged_samples(corpus: Path) -> None:
    for number, path in enumerate(sorted((corpus / "samples").rglob("*"))):
        if path.is_file():
            data = path.read_bytes()[:60_000]
            for damaged in [*damages(data, seed=number)][::9]:
                read_or_refuse(damaged)
