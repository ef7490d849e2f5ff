"""Everything that a call to a model can come to: one usable text, or one named failure with its plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "unreachable",
    "timeout",
    "disconnected",
    "too-large",
    "rate-limited",
    "quota",
    "auth",
    "model-missing",
    "not-found",
    "redirected",
    "format-refused",
    "parameter-refused",
    "context-exceeded",
    "bad-request",
    "server-error",
    "not-json",
    "streamed",
    "no-choices",
    "empty",
    "reasoning-only",
    "declined",
    "cut",
    "prompt-cut",
    "nonce-missing",
    "unclosed-think",
    "prose",
    "broken-json",
    "ambiguous",
    "shape",
    "illegal-json",
    "flood",
]
Then = Literal["fail", "stop", "halve", "next-format", "drop-parameter"]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do about a failure: how often to try the same again, and what when that is used up.

    ``fail`` gives up these units only, ``stop`` the provider for this run. ``retries`` None is as configured.
    """

    retries: int | None
    then: Then


PLANS: Mapping[Kind, Plan] = {
    "unreachable": Plan(None, "stop"),
    "timeout": Plan(1, "fail"),
    "disconnected": Plan(None, "fail"),
    "too-large": Plan(0, "fail"),
    "rate-limited": Plan(None, "stop"),
    "quota": Plan(0, "stop"),
    "auth": Plan(0, "stop"),
    "model-missing": Plan(0, "stop"),
    "not-found": Plan(0, "stop"),
    "redirected": Plan(0, "stop"),
    "format-refused": Plan(0, "next-format"),
    "parameter-refused": Plan(0, "drop-parameter"),
    "context-exceeded": Plan(0, "halve"),
    "bad-request": Plan(0, "fail"),
    "server-error": Plan(None, "fail"),
    "not-json": Plan(None, "fail"),
    "streamed": Plan(0, "fail"),
    "no-choices": Plan(1, "fail"),
    "empty": Plan(1, "fail"),
    "reasoning-only": Plan(0, "fail"),
    "declined": Plan(0, "fail"),
    "cut": Plan(0, "halve"),
    "prompt-cut": Plan(0, "halve"),
    "nonce-missing": Plan(1, "fail"),
    "unclosed-think": Plan(1, "fail"),
    "prose": Plan(1, "fail"),
    "broken-json": Plan(1, "fail"),
    "ambiguous": Plan(1, "fail"),
    "shape": Plan(1, "fail"),
    "illegal-json": Plan(0, "fail"),
    "flood": Plan(0, "fail"),
}
UNHELD: frozenset[Kind] = frozenset({"prose", "broken-json", "ambiguous", "shape", "empty"})
"""Failures that show that a promised response format was not honoured."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """What the server says it read and wrote; None where it does not say."""

    read: int | None = None
    written: int | None = None


UNCOUNTED = Tokens()


@dataclass(frozen=True, slots=True)
class Usable:
    """A reply that can be handed to the parser.

    ``text`` is strict JSON in ASCII without the nonce; ``raw`` is the content as it was received.
    """

    text: str
    raw: str
    repairs: tuple[str, ...] = ()
    tokens: Tokens = Tokens()


@dataclass(frozen=True, slots=True)
class Failure:
    """A call that gave nothing usable. ``detail`` has no secrets in it; ``retry_after`` is in seconds."""

    kind: Kind
    detail: str
    hint: str | None = None
    retry_after: float | None = None
    tokens: Tokens = Tokens()
    parameter: str | None = None

    @property
    def plan(self) -> Plan:
        """What to do about it."""
        return PLANS[self.kind]

    def sentence(self) -> str:
        """For people: the kind, what was found, and the way out."""
        text = f"{self.kind}: {self.detail}"
        return f"{text}; {self.hint}" if self.hint else text


Outcome = Usable | Failure


@dataclass(frozen=True, slots=True)
class Expected:
    """What was asked, so far as judging the reply needs it.

    ``estimate`` is the least number of tokens that the prompt can have; ``nonce`` None is not asked for.
    """

    pass_name: str
    keys: frozenset[str]
    units: int
    estimate: int
    nonce: str | None = None

    @property
    def most_entries(self) -> int:
        """More entries than this are a flood: nobody asked for them."""
        return max(64, 16 * self.units)
