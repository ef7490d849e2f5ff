"""Facts, turns and the state of a memory: plain frozen data, no behaviour that needs a clock or a disk.

Times are integer microseconds since the Unix epoch, UTC. Four times are never mixed: ``occurred_at`` (when it
happened, as far as the text says), ``said_at`` (when the turn was spoken; None where the format has none),
``recorded_at`` (when it was ingested), ``valid_from``/``valid_until`` (when it held).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

SECOND = 1_000_000
HOUR = 3_600 * SECOND
DAY = 86_400 * SECOND

Block = Literal["persona", "human", "episodes", "scratch", "schemas"]
Category = Literal[
    "identity", "preferences", "commitments", "decisions", "event", "opinion", "fact", "context"
]
Layer = Literal["episodic", "semantic", "schema"]
Provenance = Literal[
    "human", "assistant", "tool", "injected", "derived-summary", "thinking", "subagent", "profile"
]
Outcome = Literal["ok", "error", "interrupted"]

BLOCKS: tuple[Block, ...] = ("persona", "human", "episodes", "scratch", "schemas")
CATEGORIES: tuple[Category, ...] = (
    "identity",
    "preferences",
    "commitments",
    "decisions",
    "event",
    "opinion",
    "fact",
    "context",
)
LAYERS: tuple[Layer, ...] = ("episodic", "semantic", "schema")
PROVENANCES: tuple[Provenance, ...] = (
    "human",
    "assistant",
    "tool",
    "injected",
    "derived-summary",
    "thinking",
    "subagent",
    "profile",
)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool's call or result as the transcript has it; ``payload`` is JSON or plain text."""

    name: str | None
    call_id: str | None
    payload: str | None = None
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance. ``id`` is 0 until the store gives it one; ``position`` counts within its session."""

    id: int
    source: int
    native_id: str | None
    offset: int
    position: int
    session: str | None
    speaker: str | None
    provenance: Provenance
    text: str
    said_at: int | None = None
    role: str | None = None
    tool: ToolCall | None = None
    active_path: bool = True
    trust: int = 100


@dataclass(frozen=True, slots=True)
class Span:
    """The half-open range of characters of a turn's stored text that a fact rests on."""

    turn: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Fact:
    """One atomic fact: exactly one version of one row.

    ``subject`` is ``user`` or the name of whom the fact is about's speaker; ``trust`` is 0..100, the least of
    its sources; ``attribute`` names the single-valued attribute it states, if the policy's table has one.
    ``retired_by`` is the rule that took it out of the active set (``dedupe``, ``merge``, ``contradict``,
    ``forget:stale``, ``forget:capacity``, ``person:forget``, ``person:purge``, ``restore``). ``originals`` counts
    the facts that were merged into it, itself included, so that merges do not grow into paragraphs.
    """

    id: int
    text: str
    block: Block
    category: Category
    recorded_at: int
    layer: Layer = "episodic"
    speaker: str | None = None
    subject: str = "user"
    attribute: str | None = None
    said_at: int | None = None
    occurred_at: int | None = None
    occurred_grain: str | None = None
    confirmed_at: int | None = None
    valid_from: int | None = None
    valid_until: int | None = None
    successor: int | None = None
    active: bool = True
    retired_by: str | None = None
    trust: int = 100
    quarantined_by: str | None = None
    pinned: bool = False
    namespace: str = "default"
    importance: int | None = None
    originals: int = 1
    sources: tuple[Span, ...] = ()

    @property
    def learned_at(self) -> int:
        """When the fact was last said or confirmed, else recorded: what retention measures age from."""
        said = self.said_at if self.said_at is not None else self.recorded_at
        return max(said, self.confirmed_at) if self.confirmed_at is not None else said


@dataclass(frozen=True, slots=True)
class Retirement:
    """Why a fact is no longer active: the snapshot number, the rule, and the fact that took its place, if one did."""

    snapshot: int
    rule: str
    successor: int | None = None


@dataclass(frozen=True, slots=True)
class State:
    """The active facts by id, ascending, and what became of the others."""

    facts: Mapping[int, Fact]
    retired: Mapping[int, Retirement] = field(default_factory=dict)
    next_id: int = 1


@dataclass(frozen=True, slots=True)
class Link:
    """Lineage: ``child`` came of ``parent`` in ``role`` (kept-for, merged-from, supersedes, evidence, restored)."""

    child: int
    parent: int
    role: str


@dataclass(frozen=True, slots=True)
class Activation:
    """How strong a memory is, outside versions: ``base`` in millionths at ``last_access``; strength is derived."""

    fact: int
    base: int
    last_access: int
    spaced: int = 0
    labile_until: int | None = None


class Stand(NamedTuple):
    """What of a fact at one moment decides whether a pass must look at it again; names and words may be sealed."""

    id: int
    active: bool
    text: str
    subject: str
    namespace: str
    attribute: str | None
    block: Block
    category: Category
    pinned: bool
    originals: int

    @classmethod
    def of(cls, fact: Fact) -> Stand:
        """That of a fact."""
        return cls(
            fact.id, fact.active, fact.text, fact.subject, fact.namespace, fact.attribute, fact.block, fact.category,
            fact.pinned, fact.originals,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Step:
    """A fact before (None: there was none) and after, and whether other turns bear it now."""

    before: Stand | None
    after: Stand
    resourced: bool = False

    @classmethod
    def of(cls, before: Fact | None, after: Fact) -> Step:
        """That of a change."""
        moved = before is not None and before.sources != after.sources
        return cls(None if before is None else Stand.of(before), Stand.of(after), moved)


@dataclass(frozen=True, slots=True)
class Change:
    """One row's step: ``before`` is None for a new fact. A change never deletes."""

    before: Fact | None
    after: Fact


@dataclass(frozen=True, slots=True)
class Reversion:
    """One row's step in a restore. ``after`` None: the row is not part of the restored version; its history stays."""

    before: Fact | None
    after: Fact | None
