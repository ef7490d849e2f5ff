"""What a model may hand in: a closed union, discriminated by ``kind``. Nothing else can be applied."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from nocturne.core.facts import Category


class _Proposal(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    reason: str = ""


class Encode(_Proposal):
    """A fact, and the turns that say it. ``start``/``end`` delimit the span within the first cited turn."""

    kind: Literal["encode"] = "encode"
    turns: tuple[int, ...]
    text: str
    block: str = "scratch"
    category: Category = "context"
    subject: str = "user"
    attribute: str | None = None
    occurred_at: int | None = None
    occurred_grain: str | None = None
    start: int | None = None
    end: int | None = None


class Drop(_Proposal):
    """``fact`` says what ``duplicate_of`` says already."""

    kind: Literal["drop"] = "drop"
    fact: int
    duplicate_of: int


class Keep(_Proposal):
    """An adjudicated "these two are not the same": the backstop leaves the pair alone."""

    kind: Literal["keep"] = "keep"
    fact: int
    other: int


class Merge(_Proposal):
    """``sources`` become one fact that keeps ``into``'s id. ``text`` None: the code composes it."""

    kind: Literal["merge"] = "merge"
    into: int
    sources: tuple[int, ...]
    text: str | None = None


class Promote(_Proposal):
    """``fact`` belongs in ``to_block``."""

    kind: Literal["promote"] = "promote"
    fact: int
    to_block: str


class Forget(_Proposal):
    """A retention rule retires ``fact``; ``policy`` is only what the model claims."""

    kind: Literal["forget"] = "forget"
    fact: int
    policy: str = ""


class Contradict(_Proposal):
    """``new`` supersedes ``old``."""

    kind: Literal["contradict"] = "contradict"
    old: int
    new: int


class Schematise(_Proposal):
    """``text`` states the pattern that ``members`` show."""

    kind: Literal["schematise"] = "schematise"
    members: tuple[int, ...]
    text: str


Proposal = Annotated[
    Encode | Drop | Keep | Merge | Promote | Forget | Contradict | Schematise,
    Field(discriminator="kind"),
]

PROPOSAL: TypeAdapter[Proposal] = TypeAdapter(Proposal)


def named_by(proposal: Proposal) -> set[int]:
    """The facts that a proposal names; none for an encode, which cites turns."""
    if isinstance(proposal, Encode):
        return set()
    named: set[int] = set()
    for value in proposal.model_dump(exclude={"kind", "reason"}).values():
        if isinstance(value, int):
            named.add(value)
        elif isinstance(value, tuple):
            named.update(item for item in value if isinstance(item, int))
    return named
