"""What a command may be told: its options and arguments, declared once for whoever reads the command line.

Typer reads them for help, for errors and for every line that leaves room for doubt (``cli.commands``); the
plain reader takes what is left (``cli.plain``). Neither knows an option that the other does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
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


NEEDED: Any = object()
"""The default of a parameter that has none."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """What a command takes by one keyword: its type, what was declared of it, and what it is if nothing is said."""

    name: str
    what: Any
    told: Told
    default: Any = NEEDED


def parameters(run: Callable[..., Any], *, several: bool = False) -> list[Parameter]:
    """What a command takes by keyword: its own options and arguments, then those of every command.

    ``several``: the command takes more than one store.
    """
    # What inspect.signature would tell, without loading inspect: it takes longer than the rest of a plain line.
    code = run.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    placed = names[code.co_argcount - len(run.__defaults__ or ()) : code.co_argcount]
    defaults = {**dict(zip(placed, run.__defaults__ or (), strict=True)), **(run.__kwdefaults__ or {})}
    own = [
        _parameter(name, eval(run.__annotations__[name], run.__globals__), defaults.get(name, NEEDED))  # noqa: S307 - our own source
        for name in names
        if name != "shell"
    ]
    return [
        *own,
        _parameter("db", SeveralOption if several else DbOption, None),
        _parameter("as_json", JsonOption, False),
        _parameter("quiet", QuietOption, False),
        _parameter("now", NowOption, None),
    ]


def _parameter(name: str, annotation: Any, default: Any) -> Parameter:
    if get_origin(annotation) is Annotated:
        what, *more = get_args(annotation)
        if len(more) == 1 and isinstance(more[0], Told):
            return Parameter(name, what, more[0], default)
    raise TypeError(f"{name} is declared neither as an option nor as an argument")
