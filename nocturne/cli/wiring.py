"""Where the command line puts rooms together: a store, a proposer, a lexicon. Everything heavy loads here."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal

from nocturne.cli.shell import Shell, micros
from nocturne.core import ids
from nocturne.errors import InputUnreadable, UsageError

if TYPE_CHECKING:
    from nocturne.app.ports import Proposer, SnapshotInfo
    from nocturne.core.text.lexicon import Lexicon
    from nocturne.store import SqliteStore

Mode = Literal["rw", "create", "readonly"]


@contextmanager
def opened(shell: Shell, mode: Mode = "readonly", *, busy_ms: int | None = None) -> Iterator[SqliteStore]:
    """The store of this run; closed however the command ends. ``busy_ms``: how long to wait for its lock."""
    from nocturne.store import measures_of, open_store
    from nocturne.store.store import BUSY_MS

    store = open_store(
        shell.db,
        mode=mode,
        now=shell.now,
        measures=measures_of(lexicon()),
        busy_ms=BUSY_MS if busy_ms is None else busy_ms,
    )
    for note in store.notes:
        shell.note(note)
    try:
        yield store
    finally:
        store.close()


def snapshot(store: SqliteStore, text: str) -> SnapshotInfo:
    """The snapshot that a person named."""
    wanted = ids.parse_snapshot(text)
    newest = store.head().snapshot
    number = newest - wanted.back if isinstance(wanted, ids.Latest) else wanted
    if not 0 <= number <= newest:
        there = "only s0" if newest == 0 else f"s0 to s{newest}"
        raise InputUnreadable(
            f"no snapshot {text}: there is {there}", hint="nocturne log lists every snapshot"
        )
    return store.snapshot(number)


def version(store: SqliteStore, text: str) -> int:
    """The number of the snapshot that a person named, or of the last one taken by a time."""
    try:
        return snapshot(store, text).number
    except UsageError:
        found = store.snapshot_at(micros(text, option="--at"))
    if found is None:
        raise InputUnreadable(f"the store holds nothing from before {text}", hint="nocturne log")
    return found


@dataclass(frozen=True, slots=True)
class Wanted:
    """The proposer that the command line asks for; environment and file fill in what it leaves open."""

    provider: str | None = None
    model: str | None = None
    base_url: str | None = None
    jobs: int | None = None
    max_tokens: int | None = None
    max_calls: int | None = None
    deadline: float | None = None
    replay: Path | None = None
    record: Path | None = None
    dry_run: bool = False


@contextmanager
def proposing(wanted: Wanted, store: SqliteStore, now: int) -> Iterator[Proposer]:
    """Whoever proposes in this run, let go of afterwards. What a model says is journalled as it comes."""
    from nocturne.app import config
    from nocturne.cli.journal import StoreJournal
    from nocturne.core.codes import message
    from nocturne.llm.registry import make_proposer

    settings = config.load(
        Path.cwd(),
        os.environ,
        provider=wanted.provider,
        model=wanted.model,
        base_url=wanted.base_url,
        jobs=wanted.jobs,
        limits=config.Limits(wanted.max_tokens, wanted.max_calls, wanted.deadline),
        replay=wanted.replay,
        record=wanted.record,
        dry_run=wanted.dry_run,
    )
    made = make_proposer(
        settings,
        journal=None if wanted.dry_run else StoreJournal(store, settings.provider, now),
        wording=lambda refused: message(refused.code, refused.evidence),
    )
    try:
        yield made
    finally:
        close = getattr(made, "close", None)
        if close is not None:
            close()


def lexicon() -> Lexicon:
    """The closed-class words of every language that nocturne knows."""
    from nocturne.app.lexicons import default_lexicon

    return default_lexicon()


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    beside = path.with_name(f".{path.name}.part")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise InputUnreadable(
            f"{path} cannot be written: {error.strerror}", hint="check the folder and who owns it"
        ) from error


def stdin() -> BinaryIO:
    """Standard input as bytes."""
    return sys.stdin.buffer


def own_version() -> str:
    """The version of nocturne that is installed."""
    from importlib.metadata import version as installed

    return installed("nocturne-cli")
