"""A gate's answer, and the ruling that is kept of it.

``Verdict = Accepted | Refused``. Only an ``Accepted`` can be applied: passing a refusal to ``apply`` is a type
error. Evidence values are JSON-safe: strings, integers, booleans, lists and dicts of them; a measure is the
string ``"numerator/denominator"``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from nocturne.core.facts import Activation, Change, Link

if TYPE_CHECKING:
    from nocturne.core.proposals import Proposal

Origin = Literal["model", "engine", "person"]
Evidence = Mapping[str, Any]
NOTHING: Evidence = {}
"""No evidence: one for all, since a night makes a hundred thousand rulings."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """The proposal holds. ``rule`` is what the code itself verified (``forget:stale``), never a claim."""

    proposal: Proposal
    rule: str
    evidence: Evidence = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, slots=True)
class Refused:
    """The proposal does not hold. ``proposal`` is None where the raw text could not be read at all."""

    proposal: Proposal | None
    code: str
    evidence: Evidence = field(default_factory=lambda: NOTHING)


Verdict = Accepted | Refused


@dataclass(frozen=True, slots=True)
class Ruling:
    """A verdict on the record: who proposed, in which pass, what was decided and what it changed."""

    pass_name: str
    origin: Origin
    verdict: Verdict
    raw: str | None = None
    changes: tuple[Change, ...] = ()
    links: tuple[Link, ...] = ()
    activations: tuple[Activation, ...] = ()
    memo: str | None = None
    provenance: Mapping[str, Any] = field(default_factory=lambda: NOTHING)

    @property
    def accepted(self) -> bool:
        """Whether the proposal was applied."""
        return isinstance(self.verdict, Accepted)
