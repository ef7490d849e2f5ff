"""A user's own expectations of a memory, from a TOML or JSON file.

TOML: one ``[[expectation]]`` with ``expect`` (``contains`` or ``absent``), ``question`` and ``text`` each. JSON: a list
of such objects, or an object that has it as ``expectations``.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from nocturne.app.quizzing import Expectation
from nocturne.errors import InputUnreadable

_KEYS = {"expect", "question", "text"}
_HINT = 'each needs expect = "contains" or "absent", a question and a text'


def load(path: Path) -> tuple[Expectation, ...]:
    """Read a contract; every fault is one line that says where."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise InputUnreadable(f"{path}: {why}", hint="--contract takes a TOML or JSON file") from error
    try:
        data: Any = (
            json.loads(text) if text.lstrip()[:1] in ("[", "{") and _is_json(path) else tomllib.loads(text)
        )
    except (ValueError, RecursionError) as error:
        raise InputUnreadable(f"{path} cannot be read: {error}", hint=_HINT) from error
    listed = data if isinstance(data, list) else _inside(data)
    if not isinstance(listed, list) or not listed:
        raise InputUnreadable(f"{path} holds no expectation", hint=_HINT)
    return tuple(_expectation(path, place, entry) for place, entry in enumerate(listed, start=1))


def _is_json(path: Path) -> bool:
    return path.suffix.lower() != ".toml"


def _inside(data: Any) -> Any:
    if not isinstance(data, dict):
        return None
    return next((data[key] for key in ("expectations", "expectation", "expect") if key in data), None)


def _expectation(path: Path, place: int, entry: Any) -> Expectation:
    def fault(what: str) -> InputUnreadable:
        return InputUnreadable(f"{path}: expectation {place} {what}", hint=_HINT)

    if not isinstance(entry, dict):
        raise fault("is no table")
    if unknown := sorted(set(entry) - _KEYS):
        raise fault(f"has the unknown key {unknown[0]}")
    for key in ("question", "text"):
        if not isinstance(entry.get(key), str) or not entry[key].strip():
            raise fault(f"has no {key}")
    if entry.get("expect") not in ("contains", "absent"):
        raise fault(f"expects {entry.get('expect')!r}")
    return Expectation(entry["expect"], entry["question"], entry["text"])
