"""What a meaning gate is given and what it answers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, ParamSpec


class Said(NamedTuple):
    """A text, whose it is, and when it was said.

    ``said_at`` and ``occurred_at`` are microseconds UTC; ``provenance`` is a turn's provenance class; ``subject``
    is ``user``, ``assistant`` or a speaker's name.
    """

    text: str
    speaker: str | None = None
    said_at: int | None = None
    occurred_at: int | None = None
    provenance: str = "human"
    session: str | None = None
    subject: str | None = None


@dataclass(slots=True)
class Holds:
    """The gate accepts; ``rule`` names what the code verified.

    Never changed, like a refusal; neither is frozen, which would take thrice as long to make.
    """

    rule: str
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Fails:
    """The gate refuses, for the reason that ``core.codes`` words."""

    code: str
    evidence: Mapping[str, Any] = field(default_factory=dict)


Finding = Holds | Fails
_Arguments = ParamSpec("_Arguments")


def guarded(gate: Callable[_Arguments, Finding]) -> Callable[_Arguments, Finding]:
    """The gate, which refuses with N013 where it would have raised."""

    @functools.wraps(gate)
    def judged(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> Finding:
        # A gate that errs has proven nothing, whatever the error was.
        try:
            return gate(*args, **kwargs)
        except Exception as error:  # noqa: BLE001
            return Fails("N013", {"error": f"{type(error).__name__}: {error}"[:300]})

    return judged
