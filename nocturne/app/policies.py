"""Policies by name or file: read, validated, and every mistake named with its key and the allowed range."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from nocturne.app.shipped import shipped
from nocturne.core.policy import Policy, schema
from nocturne.errors import InputUnreadable, UsageError

ORDER = ("default", "strict", "tiny", "archive")


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in a policy: the dotted key, what is there, and what may be."""

    key: str
    found: str
    allowed: str

    def __str__(self) -> str:
        return f"{self.key} is {self.found}; {self.allowed}"


@dataclass(frozen=True, slots=True)
class Setting:
    """One key of a policy with its value and what it may be."""

    key: str
    value: Any
    allowed: str
    is_default: bool


def names() -> tuple[str, ...]:
    """The names of the policies that come with nocturne, the default first."""
    found = {entry.name.removesuffix(".toml") for entry in shipped("policies").iterdir()}
    return tuple(name for name in ORDER if name in found)


def load(choice: str) -> Policy:
    """The policy called ``choice``, or the one in the file of that path.

    Raises UsageError for an unknown name or a policy that does not hold, InputUnreadable for a file that
    is not there or is not text.
    """
    if choice == ORDER[0]:
        # What its file says is what a policy is that says nothing: who asks for it need not wait for a reader.
        return Policy()
    policy, problems = inspect(choice)
    if policy is None:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise UsageError(f"policy {choice}: {problems[0]}{more}", hint=f"nocturne policy check {choice}")
    return policy


def inspect(choice: str) -> tuple[Policy | None, tuple[Problem, ...]]:
    """The policy, or every problem that keeps it from being one."""
    import tomllib

    from pydantic import ValidationError

    try:
        table = tomllib.loads(_text(choice))
    except tomllib.TOMLDecodeError as error:
        return None, (Problem("the file", "not TOML", str(error)),)
    table.setdefault("name", Path(choice).stem)
    try:
        return Policy.of(table), ()
    except ValidationError as error:
        return None, tuple(_problem(entry) for entry in error.errors())


def settings(policy: Policy) -> Iterator[Setting]:
    """Every key of the policy in the order of the reference, with its value and its range."""
    yield from _walk(policy, Policy(), ())


def _text(choice: str) -> str:
    looks_like_path = choice.endswith(".toml") or "/" in choice or "\\" in choice
    if not looks_like_path and choice in names():
        return (shipped("policies") / f"{choice}.toml").read_text(encoding="utf-8")
    path = Path(choice)
    if not looks_like_path and not path.is_file():
        from difflib import get_close_matches

        near = get_close_matches(choice, names(), n=1)
        guess = f"did you mean {near[0]}? " if near else ""
        raise UsageError(
            f"there is no policy called {choice}",
            hint=f"{guess}shipped: {', '.join(names())}; or give the path of a .toml file",
        )
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputUnreadable(
            f"the policy file {choice} does not exist", hint="nocturne policy list"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputUnreadable(
            f"the policy file {choice} cannot be read: {reason}",
            hint="a policy is a TOML file: nocturne policy show default",
        ) from error


def _walk(section: Any, default: Any, path: tuple[str, ...]) -> Iterator[Setting]:
    from dataclasses import fields, is_dataclass

    for name in (field.name for field in fields(section)):
        value, usual = getattr(section, name), getattr(default, name)
        if is_dataclass(value):
            yield from _walk(value, usual, (*path, name))
        elif isinstance(value, dict):
            for intent, row in value.items():
                for key, number in row.items():
                    yield Setting(
                        ".".join((*path, name, intent, key)),
                        number,
                        _allowed((*path, name, intent, key)),
                        usual.get(intent, {}).get(key) == number,
                    )
        else:
            yield Setting(".".join((*path, name)), value, _allowed((*path, name)), value == usual)


def _problem(entry: Mapping[str, Any]) -> Problem:
    path = tuple(str(step) for step in entry["loc"] if step != "[key]")
    key = ".".join(path)
    if entry["type"] == "unexpected_keyword_argument":
        from difflib import get_close_matches

        siblings = tuple(_properties(_at(path[:-1])))
        near = get_close_matches(path[-1], siblings, n=1, cutoff=0.6)
        guess = f"did you mean {near[0]}? " if near else ""
        return Problem(key, "not a key of a policy", f"{guess}known here: {', '.join(siblings)}")
    if entry["loc"][-1] == "[key]":
        return Problem(key, "not a name that stands here", _allowed(path))
    return Problem(key, _shown(entry["input"]), _allowed(path))


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:59] + "…"


@cache
def _schema() -> dict[str, Any]:
    return schema()


def _resolve(node: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        defined: dict[str, Any] = _schema()["$defs"][node["$ref"].rsplit("/", 1)[1]]
        node = defined
    return node


def _properties(node: dict[str, Any]) -> Mapping[str, Any]:
    properties: Mapping[str, Any] = _resolve(node).get("properties", {})
    return properties


def _at(path: Sequence[str]) -> dict[str, Any]:
    node = _schema()
    for step in path:
        node = _resolve(node)
        if step in node.get("properties", {}):
            node = node["properties"][step]
        elif step.isdigit() and "items" in node:
            node = node["items"]
        elif isinstance(node.get("additionalProperties"), Mapping):
            allowed = _resolve(node.get("propertyNames", {})).get("enum")
            known = allowed is None or step in allowed
            node = node["additionalProperties" if known else "propertyNames"]
        else:
            break
    return _resolve(node)


def _allowed(path: Sequence[str]) -> str:
    return "allowed: " + _range(_at(path))


def _range(node: dict[str, Any]) -> str:
    node = _resolve(node)
    if "anyOf" in node:
        options = [_resolve(option) for option in node["anyOf"]]
        return " or ".join(
            '"never"' if option.get("type") == "null" else _range(option) for option in options
        )
    if "enum" in node:
        return ", ".join(str(value) for value in node["enum"])
    match node.get("type"):
        case "boolean":
            return "true or false"
        case "array":
            return "a list of " + _range(node["items"])
        case "string":
            longest = node.get("maxLength")
            return f"text of 1 to {longest} characters" if longest else "text"
        case "integer" | "number" as kind:
            word = "a whole number" if kind == "integer" else "a number"
            return f"{word} {_bounds(node)}".rstrip()
        case _:
            return "a table"


def _bounds(node: Mapping[str, Any]) -> str:
    low = node.get("minimum")
    above = node.get("exclusiveMinimum")
    high = node.get("maximum")
    if above is not None:
        return f"above {above:g}" + (f" and up to {high:g}" if high is not None else "")
    if low is not None and high is not None:
        return f"from {low:g} to {high:.0f}" if high >= 1000 else f"from {low:g} to {high:g}"
    return f"from {low:g}" if low is not None else ""
