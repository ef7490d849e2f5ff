"""What every command has in common: where its store is, what its clock says, and the two streams it speaks on."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from nocturne.core.instants import from_iso
from nocturne.errors import NocturneError, UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from nocturne.report.page import Page

WIDEST = 100
"""Columns beyond which a wider terminal is not used: long lines are hard to read."""


class OutputClosed(Exception):
    """Whoever read our output went away: there is nobody left to tell."""


@dataclass(frozen=True)
class Shell:
    """One run of one command: where the store is, what the clock says, how to speak.

    ``out`` and ``err`` are Rich's consoles, made when they are first asked for: where nobody looks at a terminal
    Rich would write plain lines, and ``say`` and ``note`` write those without it.
    """

    db: Path
    as_json: bool
    quiet: bool
    now: int
    """Microseconds since the epoch, UTC."""
    command: str
    """The command line as it is recorded with what it changed."""
    stores: tuple[Path, ...] = ()
    """Every --db that was given: more than one only for a command that takes several."""
    clock: str | None = None
    """--now as it was given."""

    @cached_property
    def out(self) -> Console:
        """Where answers go."""
        return _console(sys.stdout)

    @cached_property
    def err(self) -> Console:
        """Where progress and complaints go."""
        return _console(sys.stderr)

    @property
    def out_styled(self) -> bool:
        """Whether somebody looks at stdout."""
        return styled(sys.stdout)

    @property
    def err_styled(self) -> bool:
        """Whether somebody looks at stderr."""
        return styled(sys.stderr)

    @property
    def width(self) -> int:
        """Columns to lay a page out in: the terminal's, 80 where there is none."""
        return min(self.out.size.width, WIDEST) if self.out_styled else 80

    def say(self, page: Page) -> None:
        """Print a page of text on stdout."""
        if self.out_styled:
            for line in page.lines:
                self.out.print(line.rich(), soft_wrap=True)
        else:
            sys.stdout.write("".join([line.plain + "\n" for line in page.lines]))
            sys.stdout.flush()

    def note(self, text: str) -> None:
        """One line of progress on stderr, unless --quiet."""
        if not self.quiet:
            self.complain(text)

    def complain(self, text: str) -> None:
        """One line on stderr that even --quiet does not keep back."""
        if text.isprintable() and not self.err_styled:
            sys.stderr.write(text + "\n")
            sys.stderr.flush()
        else:
            self.err.print(text, soft_wrap=True)

    def emit(self, data: Any) -> None:
        """Print one JSON value on stdout, and nothing else."""
        indent = 2 if self.out_styled else None
        sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=indent) + "\n")


def styled(stream: TextIO) -> bool:
    """Whether Rich would take the stream for a terminal, by what it goes by itself."""
    compatible = os.environ.get("TTY_COMPATIBLE", "")
    if compatible in ("0", "1"):
        return compatible == "1"
    forced = os.environ.get("FORCE_COLOR")
    if forced is not None:
        return forced != ""
    try:
        return stream.isatty()
    except ValueError:
        return False


def is_folder(path: Path) -> bool:
    """Whether the path is a folder; one that cannot be looked at is none, and opening it says why."""
    try:
        return path.is_dir()
    except OSError:
        return False


def micros(text: str, *, option: str = "--now") -> int:
    """An ISO 8601 date or time in microseconds; without a zone it is read as UTC."""
    try:
        return from_iso(text.strip())
    except ValueError:
        raise UsageError(
            f"{option} is {text!r}, which is not a date or time",
            hint="ISO 8601, as in 2026-03-01 or 2026-03-01T09:30:00Z",
        ) from None


def _clock(given: str | None) -> int:
    if given is not None:
        return micros(given)
    if set_in_environment := os.environ.get("NOCTURNE_NOW"):
        return micros(set_in_environment, option="NOCTURNE_NOW")
    return int(datetime.now(UTC).timestamp() * 1_000_000)


def _command_line(argv: Sequence[str]) -> str:
    words = [word if word and not set(word) & set(" \t\n'\"\\") else json.dumps(word) for word in argv]
    return " ".join(["nocturne", *words])


def _console(stream: TextIO) -> Console:
    """A console that says it when its reader goes away; rich would end the process with 1 by itself."""
    from rich.console import Console

    class Outlet(Console):
        def on_broken_pipe(self) -> None:
            raise OutputClosed

    return Outlet(file=stream, highlight=False, markup=False, emoji=False)


@dataclass(frozen=True, slots=True)
class Common:
    """The options of every command."""

    db: Sequence[str] | None = None
    as_json: bool = False
    quiet: bool = False
    now: str | None = None


COMMON = ("db", "as_json", "quiet", "now")


def open_shell(common: Common, *, before: Mapping[str, Any], argv: Sequence[str], several: bool) -> Shell:
    """The shell of this run; what stands after the command wins over what stands before it."""
    stores = _stores(common.db or before.get("db") or (), several=several)
    clock = common.now if common.now is not None else before.get("now")
    return Shell(
        db=stores[0] if stores else Path(os.environ.get("NOCTURNE_DB") or "nocturne.db"),
        as_json=common.as_json or bool(before.get("as_json")),
        quiet=common.quiet or bool(before.get("quiet")),
        now=_clock(clock),
        command=_command_line(argv),
        stores=stores,
        clock=clock,
    )


def _stores(given: Sequence[str], *, several: bool) -> tuple[Path, ...]:
    if not all(given):
        # As a path it would be the folder that the command happens to run in.
        raise UsageError("--db is empty", hint="give the path of a store")
    if len(given) > 1 and not several:
        raise UsageError(
            f"--db is given {len(given)} times: {', '.join(given)}",
            hint="name one store; only nocturne sleep takes several",
        )
    return tuple(Path(path) for path in given)


def perform(
    run: Callable[..., int | None],
    told: Mapping[str, Any],
    *,
    before: Mapping[str, Any] | None = None,
    argv: Sequence[str] = (),
    several: bool = False,
) -> int:
    """Run a command with what it was told by keyword, the common options among it; returns its exit code.

    ``before`` are the common options that stood before the command, ``argv`` is the whole line, for the record.
    """
    own = dict(told)
    common = Common(**{name: own.pop(name) for name in COMMON})
    try:
        shell = open_shell(common, before=before or {}, argv=argv, several=several)
        code = run(shell, **own)
        sys.stdout.flush()
    except BrokenPipeError:
        raise OutputClosed from None
    except EOFError:
        # Whoever was asked has closed the keyboard: that is an interruption as well.
        raise KeyboardInterrupt from None
    return code or 0


def own_name() -> str:
    """The product and its version."""
    from importlib.metadata import version

    return f"nocturne {version('nocturne-cli')}"


def explain_failure(error: NocturneError) -> str:
    """An error as a person reads it: what and where, and what to do next."""
    lines = [f"error: {error.message}"]
    if error.hint:
        lines.append(f"hint:  {error.hint}")
    return "\n".join(lines)
