"""What a proposer is shown: the facts of a pass and the candidates that the code nominated, nothing else.

A brief holds every id that a proposal of its pass may name. Candidates nominate; they never decide.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from nocturne.core.facts import DAY, Fact, Turn


@dataclass(frozen=True, slots=True)
class EncodeBrief:
    """Turns past the source's cursor that may be cited, and earlier ones for reading only."""

    turns: tuple[Turn, ...]
    context: tuple[Turn, ...] = ()
    speakers: tuple[str, ...] = ()
    pass_name: str = "encode"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two facts at or above the duplicate floor; ``equal`` where their content sets are the same."""

    drop: int
    keep: int
    similarity: Fraction
    equal: bool


@dataclass(frozen=True, slots=True)
class DedupeBrief:
    """Pairs to adjudicate: the same fact, or not."""

    pairs: tuple[Pair, ...]
    facts: Mapping[int, Fact]
    pass_name: str = "dedupe"


@dataclass(frozen=True, slots=True)
class Clash:
    """Two facts of one subject and attribute with different values or polarity, ``new`` said later."""

    old: int
    new: int
    attribute: str | None


@dataclass(frozen=True, slots=True)
class ContradictBrief:
    """Pairs of which the later may supersede the earlier."""

    clashes: tuple[Clash, ...]
    facts: Mapping[int, Fact]
    pass_name: str = "contradict"


@dataclass(frozen=True, slots=True)
class Union:
    """Facts that may become one; ``composed`` is the text that code built, or None where it cannot."""

    into: int
    sources: tuple[int, ...]
    composed: str | None
    similarity: Fraction | None = None


@dataclass(frozen=True, slots=True)
class MergeBrief:
    """Groups of facts of one block that may be said in one text."""

    unions: tuple[Union, ...]
    facts: Mapping[int, Fact]
    pass_name: str = "merge"


@dataclass(frozen=True, slots=True)
class PromoteBrief:
    """Facts that may move to a lasting block."""

    facts: Mapping[int, Fact]
    pass_name: str = "promote"


@dataclass(frozen=True, slots=True)
class Cluster:
    """Facts that lie close together, and the terms that they share, the most telling first."""

    members: tuple[int, ...]
    terms: tuple[str, ...]
    layer: str = "semantic"


@dataclass(frozen=True, slots=True)
class SchematiseBrief:
    """Clusters to word."""

    clusters: tuple[Cluster, ...]
    facts: Mapping[int, Fact]
    pass_name: str = "schematise"


@dataclass(frozen=True, slots=True)
class Forgettable:
    """A fact that a retention rule allows to retire: ``rule`` is ``stale`` or ``capacity``."""

    fact: int
    rule: str
    age: int
    """Microseconds since it was last said or confirmed."""

    @property
    def days(self) -> int:
        """Its age in whole days."""
        return self.age // DAY


@dataclass(frozen=True, slots=True)
class ForgetBrief:
    """Facts that the policy would let go."""

    candidates: tuple[Forgettable, ...]
    facts: Mapping[int, Fact] = field(default_factory=dict)
    pass_name: str = "forget"


@dataclass(frozen=True, slots=True)
class QuizBrief:
    """Facts of which somebody is to be asked: one question each. No pass of the night, and nothing is proposed."""

    facts: Mapping[int, Fact]
    pass_name: str = "quiz"


@dataclass(frozen=True, slots=True)
class AskBrief:
    """A question, and the facts that were found for it; ``verbatim`` asks for their very words."""

    question: str
    facts: Mapping[int, Fact]
    verbatim: bool = False
    pass_name: str = "ask"


Brief = (
    EncodeBrief
    | DedupeBrief
    | ContradictBrief
    | MergeBrief
    | PromoteBrief
    | SchematiseBrief
    | ForgetBrief
    | QuizBrief
    | AskBrief
)
