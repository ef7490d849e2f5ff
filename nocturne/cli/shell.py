"""What every command has in common: four options, two streams, and how a function becomes a command."""

from __future__ import annotations

import inspect
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from nocturne.core.instants import from_iso
from nocturne.errors import NocturneError, UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from nocturne.report.page import Page

EVERYWHERE = "on every command"
WIDEST = 100
"""Columns beyond which a wider terminal is not used: long lines are hard to read."""

DbOption = Annotated[
    list[str] | None,
    typer.Option(
        "--db",
        metavar="PATH",
        help="The store [$NOCTURNE_DB, else ./nocturne.db].",
        show_default=False,
        rich_help_panel=EVERYWHERE,
    ),
]
SeveralOption = Annotated[
    list[str] | None,
    typer.Option(
        "--db",
        metavar="PATH",
        help="The store, or a folder of stores; may be repeated [$NOCTURNE_DB, else ./nocturne.db].",
        show_default=False,
        rich_help_panel=EVERYWHERE,
    ),
]
JsonOption = Annotated[
    bool,
    typer.Option("--json", help="Machine output alone on stdout.", rich_help_panel=EVERYWHERE),
]
QuietOption = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Only errors, and what was asked for.", rich_help_panel=EVERYWHERE),
]
NowOption = Annotated[
    str | None,
    typer.Option(
        "--now",
        metavar="TIME",
        help="The clock, as ISO 8601 [$NOCTURNE_NOW, else the system's].",
        show_default=False,
        rich_help_panel=EVERYWHERE,
    ),
]


class OutputClosed(Exception):
    """Whoever read our output went away: there is nobody left to tell."""


@dataclass(frozen=True, slots=True)
class Shell:
    """One run of one command: where the store is, what the clock says, how to speak."""

    db: Path
    as_json: bool
    quiet: bool
    now: int
    """Microseconds since the epoch, UTC."""
    command: str
    """The command line as it is recorded with what it changed."""
    out: Console
    err: Console
    stores: tuple[Path, ...] = ()
    """Every --db that was given: more than one only for a command that takes several."""
    clock: str | None = None
    """--now as it was given."""

    @property
    def width(self) -> int:
        """Columns to lay a page out in: the terminal's, 80 where there is none."""
        return min(self.out.size.width, WIDEST) if self.out.is_terminal else 80

    def say(self, page: Page) -> None:
        """Print a page of text on stdout."""
        for line in page.lines:
            self.out.print(line, soft_wrap=True)

    def note(self, text: str) -> None:
        """One line of progress on stderr, unless --quiet."""
        if not self.quiet:
            self.err.print(text, soft_wrap=True)

    def emit(self, data: Any) -> None:
        """Print one JSON value on stdout, and nothing else."""
        indent = 2 if self.out.is_terminal else None
        sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=indent) + "\n")


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


def open_shell(
    ctx: typer.Context,
    *,
    db: Sequence[str],
    as_json: bool,
    quiet: bool,
    now: str | None,
    several: bool = False,
) -> Shell:
    """The shell of this run; what stands after the command wins over what stands before it."""
    before: dict[str, Any] = ctx.find_root().meta.get("nocturne", {})
    stores = _stores(db or before.get("db") or (), several=several)
    clock = now if now is not None else before.get("now")
    return Shell(
        db=stores[0] if stores else Path(os.environ.get("NOCTURNE_DB") or "nocturne.db"),
        as_json=as_json or bool(before.get("as_json")),
        quiet=quiet or bool(before.get("quiet")),
        now=_clock(clock),
        command=_command_line(before.get("argv", [])),
        out=_console(sys.stdout),
        err=_console(sys.stderr),
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


def command(run: Callable[..., int | None], *, several: bool = False) -> Callable[..., None]:
    """``run(shell, …) -> exit code`` as a Typer callback that also takes the common options.

    ``several``: the command takes more than one store.
    """
    signature = inspect.signature(run, eval_str=True)
    own = [parameter for name, parameter in signature.parameters.items() if name != "shell"]
    stores = SeveralOption if several else DbOption
    shared = [
        inspect.Parameter("db", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=stores),
        inspect.Parameter("as_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=JsonOption),
        inspect.Parameter("quiet", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=QuietOption),
        inspect.Parameter("now", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=NowOption),
    ]
    context = inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    parameters = [
        *(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own),
        *shared,
        context,
    ]

    @wraps(run)
    def callback(
        *, ctx: typer.Context, db: list[str] | None, as_json: bool, quiet: bool, now: str | None, **own: Any
    ) -> None:
        try:
            shell = open_shell(ctx, db=db or (), as_json=as_json, quiet=quiet, now=now, several=several)
            code = run(shell, **own)
            sys.stdout.flush()
        except BrokenPipeError:
            raise OutputClosed from None
        raise typer.Exit(code or 0)

    callback.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]  # what Typer reads
    callback.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return callback


def explain_failure(error: NocturneError) -> str:
    """An error as a person reads it: what and where, and what to do next."""
    lines = [f"error: {error.message}"]
    if error.hint:
        lines.append(f"hint:  {error.hint}")
    return "\n".join(lines)
