"""What a model may hand in: a closed union, discriminated by ``kind``. Nothing else can be applied.

Plain dataclasses, since a night holds a hundred thousand; pydantic is loaded to read what somebody else wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from nocturne.core.facts import Category

if TYPE_CHECKING:
    from pydantic import TypeAdapter


class NotAProposal(ValueError):
    """Fields that make no proposal: ``where`` is the first that does not fit, empty for their kind."""

    def __init__(self, where: str, message: str) -> None:
        super().__init__(message)
        self.where = where


class _Exactly:
    """The very type that is named: pydantic turns nothing else into it."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        # Pydantic asks what stands in an annotation for its part of the schema.
        return {**handler(source), "strict": True}


Whole = Annotated[int, _Exactly()]
Wholes = Annotated[tuple[Whole, ...], _Exactly()]
Words = Annotated[str, _Exactly()]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Proposal:
    __pydantic_config__: ClassVar[Mapping[str, str]] = {"extra": "forbid"}

    reason: Words = ""

    def values(self) -> list[tuple[str, Any]]:
        """The names and values of the fields."""
        return [(name, getattr(self, name)) for name in (*_Proposal.__slots__, *self.__slots__)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Encode(_Proposal):
    """A fact, and the turns that say it. ``start``/``end`` delimit the span within the first cited turn."""

    kind: Literal["encode"] = "encode"
    turns: Wholes
    text: Words
    block: Words = "scratch"
    category: Category = "context"
    subject: Words = "user"
    attribute: Words | None = None
    occurred_at: Whole | None = None
    occurred_grain: Words | None = None
    start: Whole | None = None
    end: Whole | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop(_Proposal):
    """``fact`` says what ``duplicate_of`` says already."""

    kind: Literal["drop"] = "drop"
    fact: Whole
    duplicate_of: Whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep(_Proposal):
    """An adjudicated "these two are not the same": the backstop leaves the pair alone."""

    kind: Literal["keep"] = "keep"
    fact: Whole
    other: Whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge(_Proposal):
    """``sources`` become one fact that keeps ``into``'s id. ``text`` None: the code composes it."""

    kind: Literal["merge"] = "merge"
    into: Whole
    sources: Wholes
    text: Words | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Promote(_Proposal):
    """``fact`` belongs in ``to_block``."""

    kind: Literal["promote"] = "promote"
    fact: Whole
    to_block: Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget(_Proposal):
    """A retention rule retires ``fact``; ``policy`` is only what the model claims."""

    kind: Literal["forget"] = "forget"
    fact: Whole
    policy: Words = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradict(_Proposal):
    """``new`` supersedes ``old``."""

    kind: Literal["contradict"] = "contradict"
    old: Whole
    new: Whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Schematise(_Proposal):
    """``text`` states the pattern that ``members`` show."""

    kind: Literal["schematise"] = "schematise"
    members: Wholes
    text: Words


Proposal = Encode | Drop | Keep | Merge | Promote | Forget | Contradict | Schematise


@cache
def _reader() -> TypeAdapter[Proposal]:
    from pydantic import Field, TypeAdapter

    return TypeAdapter(Annotated[Proposal, Field(discriminator="kind")])


def read(values: Mapping[str, Any]) -> Proposal:
    """The proposal of these fields; NotAProposal where one is missing, unknown, or of another type."""
    from pydantic import ValidationError

    try:
        return _reader().validate_python(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:])
        raise NotAProposal(where, first["msg"]) from error


def written(proposal: Proposal) -> dict[str, Any]:
    """The proposal's fields as JSON has them."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in proposal.values()}


def named_by(proposal: Proposal) -> set[int]:
    """The facts that a proposal names; none for an encode, which cites turns."""
    if isinstance(proposal, Encode):
        return set()
    named: set[int] = set()
    for _, value in proposal.values():
        if isinstance(value, int):
            named.add(value)
        elif isinstance(value, tuple):
            named.update(value)
    return named
