"""No damage to a file leads to anything but turns, counts, or one clear refusal."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

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
    try:
        reading = read(data, name="damaged")
        for turn in reading.turns:
            assert turn.provenance in PROVENANCES
            assert isinstance(turn.text, str)
            assert 0 <= turn.offset <= len(data) * 3
        assert 0 <= reading.cursor <= len(data) * 3
        assert all(count > 0 for count in reading.skipped.values())
    except InputUnreadable as error:
        assert error.message.startswith("damaged")
        assert "\n" not in error.message
        assert len(error.message) < 500


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_damaged_fixtures(path: Path) -> None:
    for data in damages(path.read_bytes(), seed=7):
        read_or_refuse(data)


def test_two_formats_in_one_file() -> None:
    for first in SOURCES[:8]:
        for second in SOURCES[8:]:
            read_or_refuse(first.read_bytes() + b"\n" + second.read_bytes())


@pytest.mark.corpus
def test_damaged_samples(corpus: Path) -> None:
    for number, path in enumerate(sorted((corpus / "samples").rglob("*"))):
        if path.is_file():
            data = path.read_bytes()[:60_000]
            for damaged in [*damages(data, seed=number)][::9]:
                read_or_refuse(damaged)
