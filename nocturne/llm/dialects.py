"""What an API's dialect has to know: where to post, what to send, how to read what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from nocturne.llm.outcomes import Outcome
from nocturne.llm.prompting import Prompt
from nocturne.llm.statuses import Answer


@dataclass(frozen=True, slots=True)
class Call:
    """One request, ready to be carried. Headers hold the key: they are never printed or written."""

    url: str
    headers: Mapping[str, str]
    payload: Any

    def __repr__(self) -> str:
        return f"Call({self.url})"


class Dialect(Protocol):
    """An API."""

    @property
    def name(self) -> str:
        """The provider's name."""
        ...

    @property
    def base_url(self) -> str:
        """Where it is."""
        ...

    @property
    def model(self) -> str:
        """Whom to ask."""
        ...

    @property
    def formats(self) -> tuple[str, ...]:
        """The ways to ask for structure, strictest first."""
        ...

    def call(self, prompt: Prompt, *, form: str, most_tokens: int, dropped: frozenset[str]) -> Call:
        """The request; ``dropped`` names parameters that the server does not take."""
        ...

    def read(self, answer: Answer, prompt: Prompt, now: float) -> Outcome:
        """What the answer comes to. ``now`` is in seconds since the epoch, for dates in headers."""
        ...

    def models(self) -> Call:
        """The request that lists the models."""
        ...
