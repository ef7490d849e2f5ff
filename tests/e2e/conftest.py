"""The command as a person runs it, in an empty directory.

``run`` calls the command's own entry in this process, streams and exit code included; ``installed`` starts
the installed command as a process of its own, which is slower and is used where a process is what is tested.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from nocturne.cli import main

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "fixtures" / "demo"
NIGHT = "2026-03-19T02:00:00Z"
COMMAND = Path(sys.executable).with_name("nocturne")


@dataclass(frozen=True)
class Done:
    """What a run said and how it ended."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """The JSON that stdout holds, and nothing else."""
        return json.loads(self.out)


Run = Callable[..., Done]


def _here(*words: str, given: str | bytes = b"", code: int | None = 0, **environment: str) -> Done:
    streams = sys.stdin, sys.stdout, sys.stderr
    data = given.encode() if isinstance(given, str) else given
    sys.stdin, sys.stdout, sys.stderr = (
        io.TextIOWrapper(io.BytesIO(content), encoding="utf-8") for content in (data, b"", b"")
    )
    before = dict(os.environ)
    os.environ.update(environment)
    try:
        ended = main.run(words)
        sys.stdout.flush()
        sys.stderr.flush()
        said = [stream.buffer.getvalue().decode() for stream in (sys.stdout, sys.stderr)]  # type: ignore[attr-defined]  # a BytesIO
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
        os.environ.clear()
        os.environ.update(before)
    return _held(Done(ended, *said), words, code)


def _held(done: Done, words: tuple[str, ...], code: int | None) -> Done:
    assert "Traceback" not in done.err, done.err
    if code is not None:
        assert done.code == code, f"{words} ended {done.code}\n{done.out}\n{done.err}"
    return done


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command line here; it must end with ``code`` (None: with anything)."""
    monkeypatch.setenv("NOCTURNE_NOW", NIGHT)
    monkeypatch.setenv("NOCTURNE_DB", "a.db")
    return _here


@pytest.fixture
def installed() -> Run:
    """Run the installed command as a process of its own."""

    def start(*words: str, given: str = "", code: int | None = 0, **environment: str) -> Done:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("NOCTURNE_")}
        done = subprocess.run(
            [str(COMMAND), *words],
            input=given,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env={**kept, "NOCTURNE_NOW": NIGHT, "NOCTURNE_DB": "a.db", **environment},
        )
        return _held(Done(done.returncode, done.stdout, done.stderr), words, code)

    return start


@pytest.fixture(scope="session")
def _nights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demonstration ingested (``ingested.db``), and after one night (``slept.db``); made once."""
    place = tmp_path_factory.mktemp("nights")
    _here("ingest", str(DEMO), "--db", str(place / "ingested.db"), "--now", NIGHT)
    shutil.copy(place / "ingested.db", place / "slept.db")
    _here("sleep", "--db", str(place / "slept.db"), "--now", NIGHT)
    return place


@pytest.fixture
def ingested(_nights: Path) -> Path:
    """A store of one's own with the demonstration in it, as ``a.db``."""
    shutil.copy(_nights / "ingested.db", "a.db")
    return Path("a.db")


@pytest.fixture
def slept(_nights: Path) -> Path:
    """The same after one night."""
    shutil.copy(_nights / "slept.db", "a.db")
    return Path("a.db")
