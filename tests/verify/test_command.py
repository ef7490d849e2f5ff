"""verify.py as an auditor runs it: alone, read-only, one line a check, exit codes that say which."""

from __future__ import annotations

import ast
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.verify.life import live
from tests.verify.loaded import FILE, verify


def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", str(FILE), *words], cwd=cwd, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return live(tmp_path_factory.mktemp("lived"))


def test_it_needs_nothing_but_the_standard_library() -> None:
    tree = ast.parse(FILE.read_text(encoding="utf-8"))
    named = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert named <= set(sys.stdlib_module_names)


def test_one_line_a_check_with_its_figure(lived: Path) -> None:
    done = run("--db", lived.name, cwd=lived.parent)
    assert done.returncode == 0, done.stdout
    lines = [line for line in done.stdout.splitlines() if line.startswith(("ok", "FAIL"))]
    assert len(lines) >= 18
    assert all(line.startswith("ok") and " of " in line for line in lines)
    assert "erased by mutation" in done.stdout
    assert "--expect-head" in done.stdout
    assert done.stdout.rstrip().endswith("checks hold")


def test_json_says_the_same(lived: Path) -> None:
    found = json.loads(run("--db", lived.name, "--json", cwd=lived.parent).stdout)
    assert found["holds"] is True
    assert len(found["head"]) == 64
    assert all(check["holds"] for check in found["checks"])
    head = run("--db", lived.name, "--expect-head", found["head"][:12], cwd=lived.parent)
    assert head.returncode == 0
    other = run("--db", lived.name, "--expect-head", "ab" * 32, cwd=lived.parent)
    assert other.returncode == 1
    assert "cut off or rewritten" in other.stdout


def test_it_writes_not_one_byte(lived: Path) -> None:
    before = {path.name: path.read_bytes() for path in lived.parent.iterdir() if path.stat().st_size}
    assert run("--db", lived.name, cwd=lived.parent).returncode == 0
    after = {path.name: path.read_bytes() for path in lived.parent.iterdir() if path.stat().st_size}
    assert after == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_takes_no_files(lived: Path, tmp_path: Path) -> None:
    copy = tmp_path / "kept" / "life.db"
    copy.parent.mkdir()
    copy.write_bytes(lived.read_bytes())
    copy.parent.chmod(0o500)
    assert run("--db", str(copy), cwd=tmp_path).returncode == 0
    copy.parent.chmod(0o700)


def test_what_is_no_store_is_said(tmp_path: Path, lived: Path) -> None:
    (tmp_path / "talk.txt").write_text("no database at all, but long enough", encoding="utf-8")
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE t (x)").connection.close()
    newer = tmp_path / "newer.db"
    newer.write_bytes(lived.read_bytes())
    raw = sqlite3.connect(newer)
    raw.execute("PRAGMA user_version = 99")
    raw.close()
    for name, code, word in (
        ("missing.db", 3, "cannot be read"),
        ("talk.txt", 5, "not a nocturne store"),
        ("other.db", 5, "not a nocturne store"),
        ("newer.db", 5, "version 99"),
    ):
        done = run("--db", name, cwd=tmp_path)
        assert done.returncode == code, (name, done.stderr)
        assert word in done.stderr
        assert not done.stdout
    assert not (tmp_path / "missing.db").exists()
    assert run("--nonsense", cwd=tmp_path).returncode == 2


def test_a_damaged_file_fails_or_is_refused(lived: Path, tmp_path: Path) -> None:
    whole = lived.read_bytes()
    for place in range(4096 * 3, len(whole), max(4096, len(whole) // 12)):
        path = tmp_path / "damaged.db"
        path.write_bytes(whole[:place] + b"\xff" * 2048 + whole[place + 2048 :])
        done = run("--db", path.name, cwd=tmp_path)
        assert "Traceback" not in done.stderr
        assert done.returncode in (0, 1, 3, 5)
    path.write_bytes(whole[: len(whole) // 2])
    done = run("--db", path.name, cwd=tmp_path)
    assert "Traceback" not in done.stderr
    assert done.returncode in (1, 3, 5)


def test_without_nocturne_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(verify, "installed", lambda: None)
    assert verify.main([]) == 3
    assert "pip install" in capsys.readouterr().err


@pytest.mark.slow
def test_its_own_scenario_holds(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(FILE)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("ok")]
    assert len(lines) >= 18
    assert all(" of " in line for line in lines)
    assert not list(tmp_path.iterdir())
