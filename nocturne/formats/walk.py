"""The transcripts below a directory, in a fixed order, and a count of what is none."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nocturne.errors import InputUnreadable
from nocturne.formats import opencode
from nocturne.formats.archive import members
from nocturne.formats.detect import NoFormat, accepted, detect
from nocturne.formats.ingestion import READERS
from nocturne.formats.reading import Tally
from nocturne.formats.source import Source

_PASSED_OVER = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".mypy_cache"})
_SIDECARS = ("-wal", "-shm", "-journal")


@dataclass(frozen=True, slots=True)
class Discovery:
    """The transcripts found, and how many files were left out, by reason."""

    paths: tuple[Path, ...]
    skipped: Tally

    def __iter__(self) -> Iterator[Path]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)


def discover(path: Path | str, *, format: str | None = None) -> Discovery:  # noqa: A002 - the option's own name
    """The transcripts at or below ``path``, sorted; a file is its own only transcript.

    Symlinks are followed, no directory twice. Deleted sessions are never opened. Where a ``format`` is forced,
    every file that is text, JSON, SQLite or zip counts as one. A directory without transcripts is
    ``InputUnreadable``.
    """
    root = Path(path)
    skipped = Tally()
    if not root.exists():
        raise InputUnreadable(f"{root} does not exist", hint="check the path")
    if not root.is_dir():
        return Discovery((root,), skipped)
    found: list[Path] = []
    seen: set[tuple[int, int]] = set()
    for file in _files(root, skipped):
        reason = None if file.is_dir() else _unfit(file, seen, forced=format is not None)
        if reason is None:
            found.append(file)
        else:
            skipped.add(reason, str(file))
    if not found:
        looked = sum(skipped.counts.values())
        raise InputUnreadable(
            f"{root}: no transcript among {looked} files" if looked else f"{root}: the directory is empty",
            hint=accepted(READERS),
        )
    return Discovery(tuple(found), skipped)


def _files(root: Path, skipped: Tally) -> Iterator[Path]:
    walked: set[tuple[int, int]] = set()

    def unreadable(error: OSError) -> None:
        skipped.add("directory cannot be read", str(error.filename))

    for folder, below, names in os.walk(root, followlinks=True, onerror=unreadable):
        status = Path(folder).stat()
        if (status.st_dev, status.st_ino) in walked:
            below.clear()
            continue
        walked.add((status.st_dev, status.st_ino))
        if opencode.is_storage(Path(folder)):
            below.clear()
            yield Path(folder)
            continue
        below[:] = sorted(name for name in below if name not in _PASSED_OVER)
        yield from (Path(folder) / name for name in sorted(names))


def _unfit(file: Path, seen: set[tuple[int, int]], *, forced: bool) -> str | None:
    if ".deleted" in file.name:
        return "deleted session"
    if file.name.endswith(_SIDECARS):
        return "sidecar of a database"
    try:
        status = file.stat()
    except OSError:
        return "cannot be read"
    if not file.is_file():
        return "not a file"
    if (status.st_dev, status.st_ino) in seen:
        return "the same file again"
    seen.add((status.st_dev, status.st_ino))
    if status.st_size == 0:
        return "empty"
    try:
        with Source.open(file) as source:
            if forced:
                return None
            if source.shape == "zip":
                return None if any(_fits(member) for member in members(source)) else "no transcript"
            detect(source, READERS)
    except NoFormat:
        return "no transcript"
    except InputUnreadable as error:
        return "no transcript" if " not a transcript" in error.message else "damaged"
    return None


def _fits(member: Source) -> bool:
    with member:
        try:
            detect(member, READERS)
        except InputUnreadable:
            return False
    return True
