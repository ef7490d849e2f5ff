"""Ids as people type them: ``m17``, ``m_17`` or ``17``; ``s10``, ``s0010``, ``10``, ``latest`` or ``latest~2``."""

from __future__ import annotations

import re
from collections.abc import Callable

from nocturne.errors import UsageError

_FACT = re.compile(r"m?_?0*(\d{1,15})\Z", re.IGNORECASE)
_SNAPSHOT = re.compile(r"s?_?0*(\d{1,15})\Z", re.IGNORECASE)
_LATEST = re.compile(r"(?:latest|head)(?:~(\d{1,9}))?\Z", re.IGNORECASE)


def fact(text: str) -> int:
    """The number of a fact."""
    if (found := _FACT.match(text.strip())) is None:
        raise UsageError(f"{text!r} is not the id of a fact", hint="a fact's id is m17, as nocturne facts shows it")
    return int(found[1])


def snapshot(text: str, latest: Callable[[], int]) -> int:
    """The number of a snapshot; ``latest`` is asked only where the text counts back from it."""
    text = text.strip()
    if (found := _SNAPSHOT.match(text)) is not None:
        return int(found[1])
    if (back := _LATEST.match(text)) is not None:
        newest, steps = latest(), int(back[1] or 0)
        if steps > newest:
            raise UsageError(f"{text} goes back before s0: the latest is s{newest}", hint="nocturne log")
        return newest - steps
    raise UsageError(
        f"{text!r} is not the id of a snapshot",
        hint="a snapshot's id is s10, latest or latest~2, as nocturne log shows them",
    )
