"""A store's health as JSON: ``{"path", "store": {…}, "machine": {…}, "problems": [text], "ok"}``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def doctor(
    path: str, info: Mapping[str, int | str], problems: Sequence[str], machine: Mapping[str, str]
) -> dict[str, Any]:
    """What the store holds, what it stands on, and what is wrong with it."""
    return {
        "path": path,
        "store": dict(info),
        "machine": dict(machine),
        "problems": list(problems),
        "ok": not problems,
    }
