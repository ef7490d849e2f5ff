"""The wheel, in an environment of its own, in an empty directory: policies and demonstration come along."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tests.e2e.conftest import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from the checkout with the build back end that is installed, without a network."""
    place = tmp_path_factory.mktemp("wheel")
    code = f"from hatchling.build import build_wheel; print(build_wheel({str(place)!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return place / done.stdout.split()[-1]


@pytest.mark.slow
def test_the_wheel_holds_policies_demonstration_and_licence(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert "nocturne/data/policies/default.toml" in names
    assert any(name.startswith("nocturne/data/demo/") and name.endswith(".jsonl") for name in names)
    assert any(name.endswith("LICENSE") for name in names)
    assert not any(name.startswith("tests/") for name in names)


@pytest.mark.slow
def test_the_installed_wheel_works_in_an_empty_directory(wheel: Path, tmp_path: Path) -> None:
    place = tmp_path / "env"
    venv.EnvBuilder(with_pip=False, symlinks=True).create(place)
    site = next(place.glob("lib/python*/site-packages"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    # The dependencies of the environment that runs the tests; the checkout itself is not on this path.
    ours = next(entry for entry in sys.path if entry.endswith("site-packages"))
    for entry in Path(ours).iterdir():
        if (
            not entry.name.lower().startswith(("nocturne", "_editable", "__editable"))
            and entry.suffix != ".pth"
        ):
            link = site / entry.name
            if not link.exists():
                link.symlink_to(entry)
    empty = tmp_path / "empty"
    empty.mkdir()
    environment = {"PATH": os.environ["PATH"], "NOCTURNE_NOW": "2026-03-19T02:00:00Z", "HOME": str(tmp_path)}
    for words in (
        ("policy", "list"),
        ("init", "--demo"),
        ("sleep", "--policy", "tiny", "--json"),
        ("facts",),
    ):
        done = subprocess.run(
            [str(place / "bin" / "python"), "-I", "-m", "nocturne.cli.main", *words],
            cwd=empty,
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )
        assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    where = subprocess.run(
        [str(place / "bin" / "python"), "-I", "-c", "import nocturne; print(nocturne.__file__)"],
        cwd=empty,
        capture_output=True,
        text=True,
        check=True,
    )
    assert where.stdout.startswith(str(place))
