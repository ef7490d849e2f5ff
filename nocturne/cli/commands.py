"""Typer's side of the command line: help, mistakes, and every line that the plain reader leaves to it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import wraps
from importlib import import_module
from typing import Annotated, Any

import typer

from nocturne.cli import help as help_pages
from nocturne.cli.parameters import NEEDED, Option, Parameter, parameters
from nocturne.cli.shell import own_name, perform
from nocturne.cli.table import COMMANDS, Entry

INTRO = """Consolidates an agent's memory overnight, and can account for every word of it. The model
proposes, the code applies; nothing is lost silently."""

EXAMPLES = (
    ("nocturne ingest ~/.claude/projects/shop/", "read transcripts into ./nocturne.db"),
    ("nocturne sleep --dry-run", "see what tonight would do, and write nothing"),
    ("nocturne diff s2 latest", "see what it did, line by line"),
)


def command(run: Callable[..., int | None], *, several: bool = False) -> Callable[..., None]:
    """``run(shell, …) -> exit code`` as a Typer callback that also takes the common options.

    ``several``: the command takes more than one store.
    """

    @wraps(run)
    def callback(*, ctx: typer.Context, **told: Any) -> None:
        before: dict[str, Any] = ctx.find_root().meta.get("nocturne", {})
        code = perform(run, told, before=before, argv=before.get("argv", ()), several=several)
        raise typer.Exit(code)

    return _declared(callback, parameters(run, several=several))


def _declared(callback: Callable[..., None], taken: Sequence[Parameter]) -> Callable[..., None]:
    """The callback with its parameters as Typer wants to be told of them."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    shown = [
        inspect.Parameter(each.name, keyword, default=_default(each), annotation=_typed(each))
        for each in taken
    ]
    shown.append(inspect.Parameter("ctx", keyword, annotation=typer.Context))
    callback.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]  # what Typer reads
    callback.__annotations__ = {each.name: each.annotation for each in shown}
    return callback


def _default(parameter: Parameter) -> Any:
    return inspect.Parameter.empty if parameter.default is NEEDED else parameter.default


def _typed(parameter: Parameter) -> Any:
    told = parameter.told
    return Annotated[
        parameter.what, (typer.Option if told.is_option else typer.Argument)(*told.names, **told.how)
    ]


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
        typer.echo(own_name())
        raise typer.Exit


def common(*, ctx: typer.Context, version: bool = False, **told: Any) -> None:
    """Keep what stands before the command for the command itself."""
    ctx.find_root().meta["nocturne"] = {
        **told,
        "argv": sys.argv[1:] if ctx.obj is None else ctx.obj,
    }


_VERSION = Parameter(
    "version",
    bool,
    Option("--version", is_eager=True, callback=_show_version, help="Print the version and stop."),
    default=False,
)
app.callback()(_declared(common, [*parameters(lambda: None), _VERSION]))
