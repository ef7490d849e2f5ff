"""What a command may be told: its options and arguments, declared once for whoever reads the command line.

Typer reads them for help, for errors and for every line that leaves room for doubt (``cli.commands``); the
plain reader takes what is left (``cli.plain``). Neither knows an option that the other does not.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, get_args, get_origin


class Told:
    """One parameter's names and what Typer is told of it, kept until Typer is there to be told."""

    __slots__ = ("how", "is_option", "names")

    def __init__(self, names: tuple[str, ...], how: Mapping[str, Any], *, is_option: bool) -> None:
        self.names = names
        self.how = how
        self.is_option = is_option


def Option(*names: str, **how: Any) -> Told:  # noqa: N802 - stands where Typer's stands
    """An option of a command; the words are those of ``typer.Option``."""
    return Told(names, how, is_option=True)


def Argument(**how: Any) -> Told:  # noqa: N802 - stands where Typer's stands
    """An argument of a command; the words are those of ``typer.Argument``."""
    return Told((), how, is_option=False)


EVERYWHERE = "on every command"

DbOption = Annotated[
    list[str] | None,
    Option(
        "--db",
        metavar="PATH",
        help="The store [$NOCTURNE_DB, else ./nocturne.db].",
        show_default=False,
        rich_help_panel=EVERYWHERE,
    ),
]
SeveralOption = Annotated[
    list[str] | None,
    Option(
        "--db",
        metavar="PATH",
        help="The store, or a folder of stores; may be repeated [$NOCTURNE_DB, else ./nocturne.db].",
        show_default=False,
        rich_help_panel=EVERYWHERE,
    ),
]
JsonOption = Annotated[
    bool,
    Option("--json", help="Machine output alone on stdout.", rich_help_panel=EVERYWHERE),
]
QuietOption = Annotated[
    bool,
    Option("--quiet", "-q", help="Only errors, and what was asked for.", rich_help_panel=EVERYWHERE),
]
NowOption = Annotated[
    str | None,
    Option(
        "--now",
        metavar="TIME",
        help="The clock, as ISO 8601 [$NOCTURNE_NOW, else the system's].",
        show_default=False,
        rich_help_panel=EVERYWHERE,
    ),
]


def parameters(run: Callable[..., Any], *, several: bool = False) -> list[inspect.Parameter]:
    """What a command takes by keyword: its own options and arguments, then those of every command.

    ``several``: the command takes more than one store.
    """
    signature = inspect.signature(run, eval_str=True)
    shared: tuple[tuple[str, object, Any], ...] = (
        ("db", None, SeveralOption if several else DbOption),
        ("as_json", False, JsonOption),
        ("quiet", False, QuietOption),
        ("now", None, NowOption),
    )
    keyword = inspect.Parameter.KEYWORD_ONLY
    return [
        *(each.replace(kind=keyword) for name, each in signature.parameters.items() if name != "shell"),
        *(inspect.Parameter(name, keyword, default=usual, annotation=what) for name, usual, what in shared),
    ]


def told_of(parameter: inspect.Parameter) -> tuple[Any, Told]:
    """A parameter's type, and what was declared of it."""
    if get_origin(parameter.annotation) is Annotated:
        what, *more = get_args(parameter.annotation)
        if len(more) == 1 and isinstance(more[0], Told):
            return what, more[0]
    raise TypeError(f"{parameter.name} is declared neither as an option nor as an argument")
