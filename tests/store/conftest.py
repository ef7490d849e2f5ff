"""A store with a story, made once and copied."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from nocturne.store import SqliteStore, open_store
from tests.store.story import WORDS, live, new_store


@pytest.fixture(scope="session")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a store in which every table has rows; not to be written to."""
    folder = tmp_path_factory.mktemp("told")
    with new_store(folder) as store:
        live(store)
    return folder / "life.db"


@pytest.fixture
def path(told: Path, tmp_path: Path) -> Path:
    """A copy of that file."""
    return Path(shutil.copy(told, tmp_path / "life.db"))


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    """That copy, open for writing."""
    with open_store(path, measures=WORDS) as opened:
        yield opened
