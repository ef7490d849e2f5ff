"""Between a use case and a proposer that asks a model: what came back, what did not, and what it cost.

A plain proposer yields strings and knows nothing of this; a model's proposer is an ``Asker`` as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, Self, runtime_checkable

from nocturne.core.verdicts import Refused


class RawReply(str):  # noqa: SLOT000  # a str subclass with a dict beside it cannot be slotted usefully
    """One reply's JSON text, ready for the parser, and where it came from.

    ``provenance`` holds strings, integers and lists of strings: provider, host, model, prompt (hash of the
    prompt's files), request and reply (hashes of what was sent and of what came back, byte for byte),
    tokens_in, tokens_out, ms, at (microseconds since the epoch), requested, honoured, repairs.
    """

    provenance: Mapping[str, Any]

    def __new__(cls, text: str, provenance: Mapping[str, Any] | None = None) -> Self:
        """The text as it is; ``provenance`` is kept beside it."""
        made = super().__new__(cls, text)
        made.provenance = dict(provenance or {})
        return made

    def dump(self) -> str:
        """One line of JSON that ``load`` reads back."""
        return json.dumps({"text": str(self), "provenance": self.provenance}, sort_keys=True)

    @classmethod
    def load(cls, line: str) -> Self:
        """The reply that ``dump`` wrote; ValueError where it is something else."""
        data = json.loads(line)
        if not (isinstance(data, dict) and isinstance(data.get("text"), str)):
            raise ValueError("not a kept reply")  # noqa: TRY004  # the text is at fault, not a type
        return cls(data["text"], data.get("provenance") or {})


Unit = tuple[int, ...]
"""What one adjudication is about: the ids of a pair, a clash, a union, a cluster, a fact, or a turn."""


@dataclass(frozen=True, slots=True)
class Asked:
    """How asking went in one pass. ``unanswered`` are the units that nobody judged: ask them again."""

    pass_name: str
    units: int
    unanswered: tuple[Unit, ...] = ()
    failures: tuple[str, ...] = ()
    """One sentence a failed call, in the order of the calls, with secrets taken out."""
    stopped: str | None = None
    """Why the rest was not asked (a limit, an interruption, a provider that was given up), if it was not."""
    replies: int = 0
    from_journal: int = 0

    def plus(self, later: Asked) -> Asked:
        """Both rounds of one pass together."""
        return Asked(
            pass_name=self.pass_name,
            units=self.units + later.units,
            unanswered=self.unanswered + later.unanswered,
            failures=self.failures + later.failures,
            stopped=self.stopped or later.stopped,
            replies=self.replies + later.replies,
            from_journal=self.from_journal + later.from_journal,
        )

    @property
    def answered(self) -> int:
        """How many units got a usable reply."""
        return self.units - len(self.unanswered)


@dataclass(frozen=True, slots=True)
class Usage:
    """What asking took, over all passes so far. Money is None where no price is known."""

    calls: int = 0
    retries: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    cost: Fraction | None = None
    currency: str = "USD"
    formats: Mapping[str, int] | None = None
    """Calls by response format, as ``requested→honoured``."""

    def line(self) -> str:
        """For people: ``4 calls, 5,120 tokens in, 310 out, 0.0042 USD``."""
        calls = "1 call" if self.calls == 1 else f"{self.calls:,} calls"
        retried = f" ({self.retries:,} of them retries)" if self.retries else ""
        text = f"{calls}{retried}, {self.tokens_in:,} tokens in, {self.tokens_out:,} out"
        return text if self.cost is None else f"{text}, {float(self.cost):.4f} {self.currency}"


class Journal(Protocol):
    """Where raw replies are kept as they come, by the hash of what was asked."""

    def get(self, key: str) -> str | None:
        """The line kept under ``key``, or None."""
        ...

    def put(self, key: str, line: str, *, pass_name: str) -> None:
        """Keep one line; called from the thread that iterates over ``propose``, never from another."""
        ...


@runtime_checkable
class Asker(Protocol):
    """A proposer that asks somebody, and can say how that went."""

    name: str

    def propose(self, pass_name: str, brief: Any) -> Iterable[str]:
        """As in ``ports.Proposer``. ProviderFailed where nothing at all could be had."""
        ...

    def repair(self, pass_name: str, brief: Any, refusals: Sequence[Refused]) -> Iterable[str]:
        """Ask once more about what was refused, saying why; yields nothing where nothing can be mended."""
        ...

    def asked(self, pass_name: str) -> Asked | None:
        """How asking went in the pass, its rounds together; None where it was not asked."""
        ...

    @property
    def usage(self) -> Usage:
        """Calls, tokens, time and cost so far."""
        ...

    def close(self) -> None:
        """Let go of connections and child processes. May be called twice."""
        ...
