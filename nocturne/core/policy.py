"""A retention and consolidation policy: frozen, validated where it is read, and able to say itself in one sentence.

Ratios are decimal strings in canonical JSON and ``Fraction`` in the measures, so that no float decides. Plain
dataclasses: who uses the default policy does not wait for pydantic, which is loaded to validate a table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from nocturne.core.digest import canonical, plain, policy_digest
from nocturne.core.facts import Category, Layer

if TYPE_CHECKING:
    from pydantic import TypeAdapter

PassName = Literal["dedupe", "contradict", "merge", "promote", "schematise", "forget"]
Intent = Literal["decision", "research", "tasks", "chat"]
Boosted = Literal[Category, Layer]


class Allowed:
    """What a value may be: limits by pydantic's names for them, as in ``Allowed(gt=0.0, le=10.0)``."""

    def __init__(self, **limits: float) -> None:
        self._limits = limits

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        # Pydantic asks what stands in an annotation for its part of the schema.
        return {**handler(source), **self._limits}


class Switch:
    """A limit that the word ``never`` switches off: TOML has no null."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        from pydantic_core import core_schema

        return core_schema.no_info_before_validator_function(
            lambda value: None if value == "never" else value, handler(source)
        )


Ratio = Annotated[float, Allowed(ge=0.0, le=1.0)]
Boost = Annotated[float, Allowed(gt=0.0, le=10.0)]


class _Section:
    __slots__ = ()
    __pydantic_config__: ClassVar[Mapping[str, str]] = {"extra": "forbid"}


@dataclass(frozen=True, slots=True)
class Dedupe(_Section):
    """When two facts are the same."""

    floor: Annotated[float, Allowed(gt=0.5, le=1.0)] = 0.9
    smallest_subset: Annotated[int, Allowed(ge=1, le=20)] = 4
    """A proper subset of fewer content tokens is dropped only when adjudicated, never by the backstop."""


@dataclass(frozen=True, slots=True)
class Merge(_Section):
    """What may become one fact."""

    floor: Ratio = 0.5
    model_text: bool = True
    max_originals: Annotated[int, Allowed(ge=2, le=16)] = 4
    max_chars: Annotated[int, Allowed(ge=80, le=4000)] = 400
    candidates_per_fact: Annotated[int, Allowed(ge=1, le=50)] = 3


@dataclass(frozen=True, slots=True)
class Contradict(_Section):
    """Which attributes hold one value at a time."""

    single_valued: tuple[str, ...] = (
        "name",
        "age",
        "birthday",
        "home",
        "employer",
        "job",
        "email",
        "phone",
        "address",
        "timezone",
        "partner",
        "favourite",
        "version",
        "port",
        "package-manager",
        "deadline",
    )


@dataclass(frozen=True, slots=True)
class Promote(_Section):
    """What leaves scratch, and on how much evidence."""

    independent_sources: Annotated[int, Allowed(ge=1, le=10)] = 1
    low_trust: Annotated[int, Allowed(ge=0, le=100)] = 50
    """Below this trust a promotion needs two independent sources whatever else is set."""


@dataclass(frozen=True, slots=True)
class Schematise(_Section):
    """How patterns are found."""

    episodes_eps: Ratio = 0.35
    semantic_eps: Ratio = 0.45
    min_members: Annotated[int, Allowed(ge=3, le=100)] = 3
    min_sessions: Annotated[int, Allowed(ge=2, le=100)] = 2


@dataclass(frozen=True, slots=True)
class Forget(_Section):
    """What is retired, and when."""

    stale_days: Annotated[Annotated[int, Allowed(ge=1, le=36500)] | None, Switch()] = 60
    capacity: Annotated[Annotated[int, Allowed(ge=1)] | None, Switch()] = None
    protected: tuple[Category, ...] = ("identity", "preferences", "commitments", "decisions")


@dataclass(frozen=True, slots=True)
class Strength(_Section):
    """How memories fade from view; forgetting is another thing."""

    law: Literal["hyperbolic", "exponential", "linear", "none"] = "hyperbolic"
    visible_above: Ratio = 0.1
    importance_in_salience: bool = False


@dataclass(frozen=True, slots=True)
class Limits(_Section):
    """Guards on what is taken in."""

    max_turn_chars: Annotated[int, Allowed(ge=200, le=10_000_000)] = 200_000
    max_fact_chars: Annotated[int, Allowed(ge=40, le=10_000)] = 1000


_BOOSTS: Mapping[Intent, Mapping[Boosted, float]] = {
    "decision": {"decisions": 1.5, "commitments": 1.2, "schema": 1.5},
    "research": {"semantic": 1.3, "schema": 1.3, "fact": 1.2},
    "tasks": {"commitments": 1.5, "decisions": 1.2, "event": 1.2},
    "chat": {"preferences": 1.2, "identity": 1.2},
}


@dataclass(frozen=True, slots=True)
class Policy(_Section):
    """Everything that a sleep or an ingest is allowed to do."""

    name: Annotated[str, Allowed(min_length=1, max_length=60)] = "default"
    passes: tuple[PassName, ...] = (
        "dedupe",
        "contradict",
        "merge",
        "promote",
        "schematise",
        "forget",
    )
    loss_budget: Ratio = 0.25
    dedupe: Dedupe = Dedupe()
    merge: Merge = Merge()
    contradict: Contradict = Contradict()
    promote: Promote = Promote()
    schematise: Schematise = Schematise()
    forget: Forget = Forget()
    strength: Strength = Strength()
    limits: Limits = Limits()
    boosts: dict[Intent, dict[Boosted, Boost]] = field(
        default_factory=lambda: {intent: dict(row) for intent, row in _BOOSTS.items()}
    )
    """Per intent, the boost of a category or layer in recall; absent means 1.0."""

    @classmethod
    def of(cls, table: Any) -> Policy:
        """The policy of a table; ``pydantic.ValidationError`` names every key and value that may not stand there."""
        return _reader().validate_python(table)

    def table(self) -> dict[str, Any]:
        """Every key with its value, section by section."""
        from dataclasses import asdict

        return asdict(self)

    def document(self) -> str:
        """The whole policy as the canonical JSON that the record keeps; ratios are the decimals that were written."""
        return canonical(plain(self.table()))

    def digest(self) -> str:
        """What the record names the policy by."""
        return policy_digest(self.document())

    def is_protected(self, category: str) -> bool:
        """Whether facts of the category are never retired by the policy."""
        return category in self.forget.protected

    def sentence(self) -> str:
        """The policy in one sentence, as a person would say it."""
        limitless = self.forget.stale_days is None and self.forget.capacity is None
        if limitless or "forget" not in self.passes:
            keep = "forget nothing"
        else:
            limits = []
            if self.forget.stale_days is not None:
                limits.append(f"keep {self.forget.stale_days} days")
            if self.forget.capacity is not None:
                limits.append(f"keep at most {self.forget.capacity} facts")
            keep = ", ".join(limits)
            if self.forget.protected:
                names = list(self.forget.protected)
                listed = names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
                keep += f", {listed} for ever"
        text = "code-built merges only" if not self.merge.model_text else "merges judged clause by clause"
        return (
            f"{keep}; same fact from {self.dedupe.floor:g}; {text}; "
            f"lose at most {self.loss_budget:.0%} a sleep"
        )


@cache
def _reader() -> TypeAdapter[Policy]:
    from pydantic import TypeAdapter

    return TypeAdapter(Policy)


def schema() -> dict[str, Any]:
    """What a policy's table may hold, as JSON Schema."""
    return _reader().json_schema()


@lru_cache(maxsize=256)
def exact(ratio: float) -> Fraction:
    """The decimal that a person wrote, as a fraction: ``0.9`` is 9/10, not its nearest binary."""
    return Fraction(str(ratio))
