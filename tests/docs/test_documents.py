"""The documents say what the code says, and name nothing that is not there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from nocturne.app import policies
from nocturne.cli.table import COMMANDS
from tests.docs.generate import DOCUMENTS, ROOT, renewed


@pytest.mark.slow
@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_generated_parts_are_up_to_date(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert renewed(text) == text, "make docs WRITE=1"


def test_every_command_that_a_document_names_is_there() -> None:
    known = {entry.name for entry in COMMANDS}
    for name in DOCUMENTS:
        text = (ROOT / name).read_text(encoding="utf-8")
        named = set()
        for block in re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            named |= set(re.findall(r"^(?:\$ )?nocturne ([a-z]+)", block, re.MULTILINE))
        named |= set(re.findall(r"`nocturne ([a-z]+)", text))
        assert named <= known, f"{name}: {sorted(named - known)}"


def test_every_file_that_the_readme_links_to_is_there() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / target).is_file(), target


def test_the_native_line_in_the_readme_is_read(tmp_path: Path) -> None:
    from nocturne.formats.ingestion import read

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith('{"session"'))
    path = tmp_path / "line.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    reading = read(path)
    (turn,) = reading.turns
    assert reading.format == "native"
    assert (turn.speaker, turn.session, turn.native_id, turn.provenance) == (
        "Dana",
        "2026-03-18",
        "t-1",
        "human",
    )
    assert turn.said_at is not None


def test_the_library_example_runs(tmp_path: Path) -> None:
    (tmp_path / "conversation").symlink_to(ROOT / "fixtures" / "demo")
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "docs" / "example.py")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    passes = policies.load("archive").passes
    assert tuple(line.split()[0] for line in lines[: len(passes)]) == passes
    assert any("first train on Mondays" in line for line in lines)
    assert lines[-1].startswith("refused N2")
