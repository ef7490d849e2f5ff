"""The names people type: facts ``m17``, snapshots ``s10``, turns ``t41``; and back to numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from nocturne.errors import UsageError

_LARGEST = 2**63 - 1
_FACT = r"(?:m_?)?([0-9]{1,19})\Z"
_TURN = r"(?:t_?)?([0-9]{1,19})\Z"
_SNAPSHOT = r"(?:s_?)?([0-9]{1,19})\Z"
_LATEST = r"latest(?:~([0-9]{1,9}))?\Z"


@dataclass(frozen=True, slots=True)
class Latest:
    """The newest snapshot, or the one ``back`` steps before it."""

    back: int = 0


def fact_id(number: int) -> str:
    """``17`` as ``m17``."""
    return f"m{number}"


def turn_id(number: int) -> str:
    """``41`` as ``t41``."""
    return f"t{number}"


def snapshot_id(number: int) -> str:
    """``10`` as ``s10``."""
    return f"s{number}"


def _match(pattern: str, text: str) -> re.Match[str] | None:
    # Compiled when an id is read, not when one is written.
    return re.match(pattern, text.strip(), re.IGNORECASE | re.ASCII)


def _number(text: str, pattern: str, what: str, example: str) -> int:
    found = _match(pattern, text)
    if found is None or int(found[1]) > _LARGEST:
        raise UsageError(f"{text!r} is not a {what} id", hint=f"{what} ids look like {example}")
    return int(found[1])


def parse_fact(text: str) -> int:
    """The number of ``m17``, ``m_17`` or ``17``; UsageError otherwise."""
    return _number(text, _FACT, "fact", "m17")


def parse_turn(text: str) -> int:
    """The number of ``t41``, ``t_41`` or ``41``; UsageError otherwise."""
    return _number(text, _TURN, "turn", "t41")


def parse_snapshot(text: str) -> int | Latest:
    """``s10``, ``s0010``, ``10`` as 10; ``latest``, ``latest~2`` as steps back; UsageError otherwise."""
    found = _match(_LATEST, text)
    if found is not None:
        return Latest(int(found[1] or 0))
    return _number(text, _SNAPSHOT, "snapshot", "s10, latest or latest~2")
