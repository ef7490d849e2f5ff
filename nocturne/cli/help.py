"""The look of ``--help``: commands by group, options in one column, examples last, nothing wider than 80.

Typer's own panels import Rich's Markdown and syntax highlighter, which take longer than the rest of a
start-up together; these need neither.
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import typer
from typer.core import TyperCommand, TyperGroup

EXIT_CODES: tuple[tuple[str, str], ...] = (
    ("0", "done"),
    ("1", "a check did not hold"),
    ("2", "usage"),
    ("3", "input unreadable"),
    ("4", "model provider failed"),
    ("5", "store damaged or locked"),
)

Row = tuple[str, str]


class Listed(Protocol):
    """What the overview needs of a command."""

    @property
    def name(self) -> str: ...
    @property
    def panel(self) -> str: ...
    @property
    def line(self) -> str: ...


def width() -> int:
    """Columns to fill: the terminal's, at most 80."""
    columns = shutil.get_terminal_size((80, 24)).columns if sys.stdout.isatty() else 80
    return max(40, min(80, columns))


def _style(text: str, **how: Any) -> str:
    if os.environ.get("NO_COLOR") or not sys.stdout.isatty():
        return text
    return typer.style(text, **how)


def _heading(text: str) -> str:
    return _style(text, bold=True)


def _rows(rows: Iterable[Row], *, left: int) -> list[str]:
    lines = []
    room = width() - left - 4
    for name, text in rows:
        folded = textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False) or [""]
        if len(name) > left:
            lines.append("  " + _style(name, fg="cyan"))
        else:
            lines.append("  " + _style(name, fg="cyan") + " " * (left - len(name) + 2) + folded.pop(0))
        lines.extend(" " * (left + 4) + line for line in folded)
    return lines


def _paragraphs(text: str) -> list[str]:
    lines = []
    for block in text.strip().split("\n\n"):
        lines.extend(textwrap.wrap(" ".join(block.split()), width(), break_on_hyphens=False))
        lines.append("")
    return lines


def exit_codes() -> list[str]:
    """The exit codes, as many on a line as there is room for."""
    lines = ["exit codes"]
    for code, what in EXIT_CODES:
        part = f"{code} {what}"
        joined = f"{lines[-1]} · {part}" if lines[-1] != "exit codes" else f"{lines[-1]}: {part}"
        if len(joined) <= width():
            lines[-1] = joined
        else:
            lines.append(" " * 12 + part)
    return lines


def overview(ctx: typer.Context, intro: str, commands: Sequence[Listed], examples: Sequence[Row]) -> str:
    """``nocturne --help``."""
    lines = ["usage: nocturne [OPTIONS] COMMAND [ARGS]…", "", *_paragraphs(intro)]
    left = max(len(entry.name) for entry in commands)
    for panel in dict.fromkeys(entry.panel for entry in commands):
        lines.append(_heading(panel))
        lines.extend(_rows(((e.name, e.line) for e in commands if e.panel == panel), left=left))
    lines.extend(["", *_options(ctx), *_examples(examples), *exit_codes()])
    return "\n".join(lines) + "\n"


def page(ctx: typer.Context, examples: Sequence[Row]) -> str:
    """``nocturne COMMAND --help``."""
    command = ctx.command
    usage = " ".join([ctx.command_path, *command.collect_usage_pieces(ctx)]).replace("...", "…")
    lines = textwrap.wrap("usage: " + usage, width(), subsequent_indent=" " * 7, break_on_hyphens=False)
    lines.extend(["", *_paragraphs(command.help or "")])
    if isinstance(command, TyperGroup):
        inner = [(name, command.get_command(ctx, name)) for name in command.list_commands(ctx)]
        rows = [(name, (entry.help or "").strip().split("\n")[0]) for name, entry in inner if entry]
        lines.extend([_heading("commands"), *_rows(rows, left=max(len(name) for name, _ in rows)), ""])
    lines.extend([*_options(ctx), *_examples(examples), *exit_codes()])
    return "\n".join(lines) + "\n"


def _examples(examples: Sequence[Row]) -> list[str]:
    if not examples:
        return []
    left = min(44, max(len(command) for command, _ in examples))
    return [_heading("examples"), *_rows(examples, left=left), ""]


def _options(ctx: typer.Context) -> list[str]:
    panels: dict[str, list[Row]] = {}
    for parameter in ctx.command.get_params(ctx):
        if getattr(parameter, "hidden", False):
            continue
        if parameter.param_type_name == "argument":
            text = getattr(parameter, "help", None) or ""
            panels.setdefault("arguments", []).append(
                (parameter.metavar or str(parameter.name).upper(), text)
            )
            continue
        panel = getattr(parameter, "rich_help_panel", None) or "options"
        panels.setdefault(panel, []).append(_option(parameter))
    for rows in panels.values():
        rows.sort(key=lambda row: row[0].startswith("--help"))
    lines: list[str] = []
    left = min(26, max((len(name) for rows in panels.values() for name, _ in rows), default=0))
    ordered = sorted(panels, key=("arguments", "options").__contains__, reverse=True)
    for panel in ordered:
        lines.extend([_heading(panel), *_rows(panels[panel], left=left), ""])
    return lines


def _option(parameter: Any) -> Row:
    names = sorted(parameter.opts, key=len, reverse=True)
    name = ", ".join(names)
    if not parameter.is_flag:
        name += " " + (parameter.metavar or str(parameter.name).upper())
    text = parameter.help or ""
    shown = parameter.show_default is not False and parameter.default not in (None, False, (), [])
    if shown and not callable(parameter.default):
        text = f"{text.rstrip('.')} [{parameter.default}]."
    return name, text


class Command(TyperCommand):
    """One command; ``examples`` stand at the end of its help."""

    examples: Sequence[Row] = ()

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the page into the formatter."""
        formatter.write(page(ctx, self.examples))


class Group(TyperGroup):
    """A command with commands of its own."""

    examples: Sequence[Row] = ()

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the page into the formatter."""
        formatter.write(page(ctx, self.examples))

    def list_commands(self, ctx: Any) -> list[str]:
        """The commands in the order in which they were written down."""
        return list(self.commands)
