"""The plain reader: a command line that leaves no room for doubt, read without waiting for Typer.

Agents call ``nocturne recall`` before each turn, and Typer takes longer to load than a recall takes. So a line of
a known command, known options in full and values that can be nothing else is read here, from the same
declarations. Everything else (help, mistakes, abbreviations, a value that begins with a dash) is left to Typer
whole: nothing here explains, corrects or refuses.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from nocturne.cli.parameters import NEEDED, Parameter, Told, parameters
from nocturne.cli.table import COMMANDS

_UNDERSTOOD = {"metavar", "help", "show_default", "rich_help_panel", "min", "max", "callback"}
"""What may be told of a parameter that is read here; whoever declares more is read by Typer."""
_MOST_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Call:
    """A command, what it was told by keyword, and the common options that stood before it."""

    run: Callable[..., int | None]
    told: dict[str, Any]
    before: dict[str, Any]
    several: bool


class _Doubt(Exception):
    """Not everything here means one thing."""


@dataclass(frozen=True, slots=True)
class _Slot:
    """A parameter as it is filled: one value of ``what``, or ``many``."""

    name: str
    what: Any
    many: bool
    told: Told


def understood(argv: Sequence[str]) -> Call | None:
    """What the line asks for; None where Typer should read it."""
    if "_NOCTURNE_COMPLETE" in os.environ or "--help" in argv or "-h" in argv:
        return None
    try:
        at, before = _before(argv)
    except _Doubt:
        return None
    module = next((entry.module for entry in COMMANDS if [entry.name] == list(argv[at : at + 1])), None)
    if module is None:
        return None
    held = import_module(module)
    words = argv[at + 1 :]
    if actions := getattr(held, "ACTIONS", None):
        run = dict(actions).get(words[0]) if words else None
        words = words[1:]
        several = False
    else:
        run, several = held.run, getattr(held, "SEVERAL_STORES", False)
    if run is None:
        return None
    try:
        return Call(run, _told(parameters(run, several=several), words), before, several)
    except _Doubt:
        return None


def _before(argv: Sequence[str]) -> tuple[int, dict[str, Any]]:
    """Where the command stands, and the common options before it."""
    if not argv or not argv[0].startswith("-"):
        return 0, {}
    common = parameters(lambda: None)
    known = {name: slot for slot in map(_slot, common) for name in slot.told.names}
    at = 0
    while at < len(argv) and argv[at].startswith("-"):
        name, equals, _ = argv[at].partition("=")
        if name not in known:
            raise _Doubt
        at += 1 if equals or known[name].what is bool else 2
    return at, _told(common, argv[:at])


def _told(declared: Sequence[Parameter], words: Sequence[str]) -> dict[str, Any]:
    slots = [_slot(each) for each in declared]
    given = _given(slots, words)
    values: dict[str, Any] = {}
    for slot, each in zip(slots, declared, strict=True):
        if slot.name in given:
            found = [_value(slot, word) for word in given[slot.name]]
            values[slot.name] = found if slot.many else found[0]
        elif each.default is NEEDED:
            raise _Doubt
        else:
            values[slot.name] = each.default
    by_name = {slot.name: slot for slot in slots}
    for name in sorted(values, key=lambda name: list(given).index(name) if name in given else len(given)):
        if check := by_name[name].told.how.get("callback"):
            values[name] = check(values[name])
    return values


def _slot(parameter: Parameter) -> _Slot:
    what, told = parameter.what, parameter.told
    if not told.how.keys() <= _UNDERSTOOD or any("/" in name for name in told.names):
        raise _Doubt
    if get_origin(what) in (Union, UnionType):
        (what,) = (each for each in get_args(what) if each is not NoneType)
    many = get_origin(what) is list
    if many:
        (what,) = get_args(what)
    if what not in (bool, int, float, str, Path) and get_origin(what) is not Literal:
        raise _Doubt
    if what is bool and (many or parameter.default is not False or not told.is_option):
        raise _Doubt
    return _Slot(parameter.name, what, many, told)


def _given(slots: Sequence[_Slot], words: Sequence[str]) -> dict[str, list[str]]:
    """The words that each parameter was given, in the order in which they stand."""
    options = {name: slot for slot in slots if slot.told.is_option for name in slot.told.names}
    arguments = [slot for slot in slots if not slot.told.is_option]
    if any(slot.many for slot in arguments[:-1]):
        raise _Doubt
    given: dict[str, list[str]] = {}
    rest = iter(words)
    place = 0
    for word in rest:
        _usual(word)
        if word.startswith("-"):
            name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
            slot = options.get(name)
            if slot is None or (slot.what is bool and equals):
                raise _Doubt
            if slot.what is not bool:
                value = value if equals else next(rest, "")
                if value.startswith("-"):
                    raise _Doubt
                _usual(value)
        else:
            if place >= len(arguments):
                raise _Doubt
            slot, value = arguments[place], word
            place += not slot.many
        if slot.name in given and not slot.many:
            raise _Doubt
        given.setdefault(slot.name, []).append(value)
    return given


def _usual(word: str) -> None:
    """Doubt what is empty, and what is no Unicode."""
    if not word or any("\ud800" <= char <= "\udfff" for char in word):
        raise _Doubt


def _value(slot: _Slot, word: str) -> Any:
    if slot.what is bool:
        return True
    if slot.what is str:
        return word
    if slot.what is Path:
        return _path(word)
    if slot.what in (int, float):
        return _number(slot, word)
    if word not in get_args(slot.what):
        raise _Doubt
    return word


def _path(word: str) -> Path:
    """The path; Typer says what is wrong with one that is there and cannot be read."""
    path = Path(word)
    try:
        path.stat()
    except OSError:
        return path
    if not os.access(path, os.R_OK):
        raise _Doubt
    return path


def _number(slot: _Slot, word: str) -> float:
    whole, point, part = word.partition(".")
    digits = [whole, part] if point and slot.what is float else [word]
    if not all(each.isascii() and each.isdigit() and len(each) <= _MOST_DIGITS for each in digits):
        raise _Doubt
    if len(whole) > 1 and whole.startswith("0"):
        raise _Doubt
    number: float = slot.what(word)
    low, high = slot.told.how.get("min"), slot.told.how.get("max")
    if (low is not None and number < low) or (high is not None and number > high):
        raise _Doubt
    return number
