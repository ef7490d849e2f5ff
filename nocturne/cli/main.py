"""The command line's one entry: a table of commands, each loaded only when it is called."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import typer

from nocturne.cli import help as help_pages
from nocturne.cli.shell import (
    DbOption,
    JsonOption,
    NowOption,
    OutputClosed,
    QuietOption,
    command,
    explain_failure,
)
from nocturne.errors import NocturneError

INTERRUPTED = 130
UNEXPECTED = 5

INTRO = """Consolidates an agent's memory overnight, and can account for every word of it. The model
proposes, the code applies; nothing is lost silently."""

EXAMPLES = (
    ("nocturne ingest ~/.claude/projects/shop/", "read transcripts into ./nocturne.db"),
    ("nocturne sleep --dry-run", "see what tonight would do, and write nothing"),
    ("nocturne diff s2 latest", "see what it did, line by line"),
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One command: its name, its group, one line of help, and the module that holds it."""

    name: str
    panel: str
    line: str
    module: str


COMMANDS: tuple[Entry, ...] = (
    Entry(
        "ingest",
        "remember",
        "read transcripts; put the facts that people stated into scratch",
        "nocturne.cli.ingest",
    ),
    Entry("sleep", "sleep", "consolidate: propose, judge, apply, record", "nocturne.cli.sleep"),
    Entry("apply", "sleep", "apply a plan that sleep --plan saved", "nocturne.cli.apply"),
    Entry("review", "sleep", "decide a saved plan, proposal by proposal", "nocturne.cli.review"),
    Entry("log", "inspect", "the snapshots, newest first", "nocturne.cli.log"),
    Entry("diff", "inspect", "what changed between two versions, and why", "nocturne.cli.diff"),
    Entry("show", "inspect", "one fact in full", "nocturne.cli.show"),
    Entry("why", "inspect", "a fact's lineage, down to who said it", "nocturne.cli.why"),
    Entry("facts", "inspect", "what the store holds, by block", "nocturne.cli.facts"),
    Entry(
        "decisions",
        "inspect",
        "what was decided, what it replaced, and why",
        "nocturne.cli.decisions",
    ),
    Entry("drift", "inspect", "where the weight of the memory moves", "nocturne.cli.drift"),
    Entry("report", "inspect", "the whole history as one page to look at", "nocturne.cli.report"),
    Entry("restore", "undo", "bring an earlier version back, as a new one", "nocturne.cli.restore"),
    Entry("quiz", "prove", "recall proven by questions, forgetting by probes", "nocturne.cli.quiz"),
    Entry("audit", "prove", "replay and re-measure the whole record", "nocturne.cli.audit"),
    Entry("gate", "prove", "judge proposals from stdin: the gates as a filter", "nocturne.cli.gate"),
    Entry("explain", "prove", "what a refusal's code checks, and why", "nocturne.cli.explain"),
    Entry("bench", "prove", "how honestly a model edits memory", "nocturne.cli.bench"),
    Entry("recall", "use", "the facts that answer a query, best first", "nocturne.cli.recall"),
    Entry("ask", "use", "an answer that cites facts, or \"not in memory\"", "nocturne.cli.ask"),
    Entry("export", "use", "the facts as a prompt block, MEMORY.md or JSON", "nocturne.cli.export"),
    Entry("forget", "forget", "retire facts at a person's word, and keep them away", "nocturne.cli.forget"),
    Entry("purge", "forget", "erase the words everywhere, and leave a receipt", "nocturne.cli.purge"),
    Entry("simulate", "prove", "published figures, measured with a simulated clock", "nocturne.cli.simulate"),
    Entry("init", "setup", "create a store", "nocturne.cli.init"),
    Entry("backup", "setup", "copy the store whole", "nocturne.cli.backup"),
    Entry("doctor", "setup", "check that the store's file is whole", "nocturne.cli.doctor"),
    Entry("policy", "setup", "list, show or check the policies that rule a sleep", "nocturne.cli.policy"),
    Entry("provider", "setup", "check who proposes; fetch a small local model", "nocturne.cli.provider"),
)


def build(entry: Entry) -> Any:
    """The command that an entry's module holds: ``run`` for one command, ``ACTIONS`` for a group of them."""
    module = import_module(entry.module)
    examples = tuple(getattr(module, "EXAMPLES", ()))
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    if actions := getattr(module, "ACTIONS", None):
        app = typer.Typer(
            cls=help_pages.Group,
            name=entry.name,
            help=module.__doc__,
            add_completion=False,
            pretty_exceptions_enable=False,
        )
        for name, run in actions:
            app.command(name, cls=help_pages.Command)(command(run))
        app.callback()(lambda: None)
    else:
        several = getattr(module, "SEVERAL_STORES", False)
        app.command(entry.name, cls=help_pages.Command)(command(module.run, several=several))
    built = typer.main.get_command(app)
    built.name = entry.name
    built.help = module.__doc__ if actions else built.help
    built.examples = examples  # type: ignore[attr-defined]  # both classes are ours and have it
    return built


class Overview(help_pages.Group):
    """The top level: knows every command's line, loads a command only to run it or to show its help."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names in the order of the table."""
        return [entry.name for entry in COMMANDS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Load the command, or None where there is none of that name."""
        return next((build(entry) for entry in COMMANDS if entry.name == cmd_name), None)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that the first word names; an unknown word is met with the nearest name."""
        found = self.get_command(ctx, args[0])
        if found is None:
            near = get_close_matches(args[0], self.list_commands(ctx), n=1)
            guess = f" Did you mean {near[0]}?" if near else ""
            ctx.fail(f"there is no command {args[0]!r}.{guess}")
        return args[0], found, args[1:]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the overview into the formatter."""
        formatter.write(help_pages.overview(ctx, INTRO, COMMANDS, EXAMPLES))


app = typer.Typer(
    cls=Overview,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _show_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"nocturne {version('nocturne-cli')}")
        raise typer.Exit


@app.callback()
def common(
    ctx: typer.Context,
    db: DbOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    now: NowOption = None,
    version: bool = typer.Option(
        False, "--version", is_eager=True, callback=_show_version, help="Print the version and stop."
    ),
) -> None:
    """Keep what stands before the command for the command itself."""
    ctx.find_root().meta["nocturne"] = {
        "db": db,
        "as_json": as_json,
        "quiet": quiet,
        "now": now,
        "argv": sys.argv[1:] if ctx.obj is None else ctx.obj,
    }


def run(argv: Sequence[str]) -> int:
    """Run one command line and return its exit code; never raises but for a trace that was asked for."""
    try:
        code = app(list(argv), prog_name="nocturne", standalone_mode=False, obj=list(argv))
        sys.stdout.flush()
    except NocturneError as error:
        return _tell(explain_failure(error), error.exit_code)
    except (OutputClosed, BrokenPipeError):
        _close_output()
        return 0
    except (KeyboardInterrupt, typer.Abort):
        return _tell(_STOPPED, INTERRUPTED)
    except SystemExit as stop:
        _close_output()
        return stop.code if isinstance(stop.code, int) else 0
    except Exception as error:
        if hasattr(error, "format_message"):
            return _usage(error)
        if os.environ.get("NOCTURNE_DEBUG"):
            raise
        return _tell(
            f"error: unexpected {type(error).__name__}: {error}\n"
            "hint:  nothing half-done was kept; NOCTURNE_DEBUG=1 shows where it happened",
            UNEXPECTED,
        )
    if code == INTERRUPTED:
        return _tell(_STOPPED, INTERRUPTED)
    return code if isinstance(code, int) else 0


_STOPPED = "stopped: what was finished before is kept, nothing is half-written"


def _usage(error: Any) -> int:
    if type(error).__name__ == "NoArgsIsHelpError":
        sys.stdout.write(error.format_message() or error.ctx.get_help())
        sys.stdout.write("\n")
        return 2
    ctx = getattr(error, "ctx", None)
    path = ctx.command_path if ctx is not None else "nocturne"
    message = error.format_message().strip()
    return _tell(f"error: {message[:1].lower()}{message[1:]}\nhint:  {path} --help", 2)


def _tell(text: str, code: int) -> int:
    try:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    except BrokenPipeError:
        _close_output()
    return code


def _close_output() -> None:
    """Point both streams at nothing, so that the interpreter's last flush cannot fail on a closed pipe."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            os.dup2(nothing, stream.fileno())
        except (OSError, ValueError):
            continue
    os.close(nothing)


def main() -> None:
    """The ``nocturne`` command."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    # What is read and judged is kept and holds no cycles: looking for some every 700 objects takes a third of a run.
    gc.set_threshold(50_000, 20, 50)
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
