"""What a use case needs from the outside: a store, a proposer, a reader of transcripts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from nocturne.core.acts import Act
from nocturne.core.contents import Contents
from nocturne.core.facts import Activation, Fact, Link, Retirement, Reversion, State, Step, Turn
from nocturne.core.policy import Policy
from nocturne.core.verdicts import Ruling


@dataclass(frozen=True, slots=True)
class Head:
    """Where the chain ends: the last sequence number and its hash, and the last snapshot's number."""

    seq: int
    hash: str
    snapshot: int


@dataclass(frozen=True, slots=True)
class SnapshotInfo:
    """One line of ``nocturne log``."""

    number: int
    seq: int
    label: str
    command: str
    policy: str | None
    at: int
    active: int
    digest: str
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MutationRow:
    """One ruling as it is on the record."""

    seq: int
    snapshot: int
    pass_name: str
    kind: str
    fact: int | None
    refs: Mapping[str, Any]
    origin: str
    accepted: bool
    code: str | None
    rule: str | None
    reason: str | None
    evidence: Mapping[str, Any]
    at: int
    touched: tuple[int, ...] = ()
    """The facts that it changed or named."""
    text: str | None = None
    raw: str | None = None
    policy_digest: str | None = None
    lexicon: str | None = None
    measures: str | None = None
    memo: str | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    hash: str = ""
    erased: int = 0
    """How many texts it erased, if it is a purge."""


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """A transcript that was read, and how far: ``cursor`` is a byte offset."""

    id: int
    path: str
    format: str
    content_hash: str
    cursor: int
    reader_version: int
    state: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SourceStep:
    """What one ingest adds to a source: where the cursor ends and what was left out, by reason."""

    path: str
    format: str
    content_hash: str
    cursor: int
    reader_version: int
    state: Mapping[str, Any] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)
    source: int | None = None


@dataclass(frozen=True, slots=True)
class Noted:
    """The snapshot up to which a pass ran whole, and when that was."""

    snapshot: int
    at: int


class HeadMoved(Exception):
    """The store's chain grew between reading and writing: judge again over the new state."""


class Reading(Protocol):
    """One transcript as a reader delivers it. ``turns`` is consumed once; the rest holds when it is exhausted."""

    @property
    def format(self) -> str: ...
    @property
    def reader_version(self) -> int: ...
    @property
    def own_sessions(self) -> bool: ...
    @property
    def resumed(self) -> bool: ...
    @property
    def turns(self) -> Iterable[Turn]: ...
    @property
    def skipped(self) -> Mapping[str, int]: ...
    @property
    def notes(self) -> Mapping[str, int]: ...
    @property
    def examples(self) -> Mapping[str, tuple[str, ...]]: ...
    @property
    def cursor(self) -> int: ...
    @property
    def state(self) -> Mapping[str, Any]: ...
    @property
    def content_hash(self) -> str: ...


@dataclass(frozen=True, slots=True)
class KeyedTurn:
    """A turn and the key that makes it the same turn again (core.turnkeys)."""

    key: str
    turn: Turn


class Transaction(Protocol):
    """One BEGIN IMMEDIATE … COMMIT. Leaving it by an exception changes nothing."""

    def add_source(self, step: SourceStep) -> int:
        """Insert or advance a source; returns its id."""
        ...

    def add_turns(self, source: int, turns: Sequence[KeyedTurn]) -> None:
        """Store turns that carry the ids that ``Store.next_turn`` promised."""
        ...

    def record(self, rulings: Iterable[Ruling], *, at: int, policy: Policy) -> None:
        """Append rulings to the chain and apply their changes."""
        ...

    def act(self, acts: Iterable[Act], *, at: int, policy: Policy | None = None) -> None:
        """Append deeds that no proposal asked for."""
        ...

    def restore(
        self,
        changes: Sequence[Reversion],
        *,
        to: SnapshotInfo,
        skipped: Sequence[int] = (),
        at: int,
        policy: Policy | None = None,
        lifted: bool = False,
    ) -> tuple[int, ...]:
        """Bring rows back to a snapshot as new versions; returns those whose text was purged."""
        ...

    def note_accesses(self, rows: Sequence[Activation], *, kind: str, at: int) -> None:
        """Set strengths and log them; the chain does not move."""
        ...

    def note_drift(self, weights: Mapping[str, int]) -> None:
        """Keep the weight of topics (millionths) beside the snapshot that comes next."""
        ...

    def note_pass(self, name: str, policy: Policy, *, at: int, upto: int | None = None) -> None:
        """Keep that the pass ran whole under this policy, lexicon and these measures.

        It had before it what holds in the snapshot ``upto``; without it, in the one that comes next.
        """
        ...

    def snapshot(self, label: str, *, command: str, policy: Policy | None, at: int) -> SnapshotInfo:
        """Append a snapshot: state digest, active count, chain."""
        ...


class Store(Protocol):
    """A memory on disk."""

    def uuid(self) -> str: ...
    def secret(self) -> bytes: ...
    def head(self) -> Head: ...
    def state_digest(self) -> str: ...
    def state(self, at: int | None = None, *, packed: bool = False) -> State: ...
    def state_ids(self) -> Mapping[int, Retirement]: ...
    def all_facts(self, at: int | None = None) -> Sequence[Fact]: ...
    def facts(self, ids: Iterable[int], at: int | None = None) -> Mapping[int, Fact]: ...
    def next_fact(self) -> int: ...
    def next_turn(self) -> int: ...
    def transaction(self, *, expect: Head | None = None) -> AbstractContextManager[Transaction]: ...
    def turns(self, ids: Iterable[int]) -> Mapping[int, Turn]: ...
    def origins(self) -> Iterable[tuple[int, int, str | None, int | None]]: ...
    def source_for(self, path: str) -> SourceInfo | None: ...
    def known_keys(self, keys: Iterable[str]) -> AbstractSet[str]: ...
    def snapshots(self, since: int = 0) -> Iterator[SnapshotInfo]: ...
    def snapshot(self, number: int) -> SnapshotInfo: ...
    def last_sleep_at(self) -> int | None: ...
    def mutations(self, after: int, upto: int) -> Iterator[MutationRow]: ...
    def mutations_of(self, fact: int) -> Sequence[MutationRow]: ...
    def mutation(self, seq: int) -> MutationRow | None: ...
    def changes(self, older: int | None, newer: int | None) -> Sequence[tuple[Fact | None, Fact | None]]: ...
    def steps(self, since: int) -> Iterator[Step]: ...
    def versions(self, fact: int) -> Sequence[tuple[int, int | None, Fact]]: ...
    def links(self, fact: int) -> Sequence[tuple[int, Link]]: ...
    def links_from(self, fact: int) -> Sequence[Link]: ...
    def lineage(self, facts: Iterable[int]) -> Sequence[tuple[int, Link]]: ...
    def memo_keys(self) -> AbstractSet[str]: ...
    def tombstone_keys(self) -> AbstractSet[str]: ...
    def pass_noted(self, name: str, policy: Policy) -> Noted | None: ...
    def contents(self) -> Contents[int]: ...
    def denials(self) -> Mapping[int, bytes]: ...
    def activations(
        self, facts: Iterable[int] | None = None, *, upto: int | None = None
    ) -> Mapping[int, Activation]: ...
    def drift(self) -> Mapping[int, Mapping[str, int]]: ...
    def windows(self) -> Mapping[int, Sequence[tuple[int, int]]]: ...
    def labile(self, at: int) -> Mapping[int, int]: ...
    def size(self) -> int: ...
    def tokens_of(self, facts: Iterable[int]) -> Mapping[int, Sequence[int]]: ...
    def document_frequencies(self, tokens: Iterable[int] | None = None) -> Mapping[int, int]: ...
    def token_numbers(self, tokens: Iterable[str]) -> Mapping[str, tuple[int, int]]: ...
    def search(
        self, groups: Sequence[Sequence[int]], *, limit: int, latest: bool = False
    ) -> Sequence[tuple[int, float]]: ...


class Proposer(Protocol):
    """Whoever hands in JSON: the built-in rules, a model, a file of recorded replies."""

    name: str

    def propose(self, pass_name: str, brief: Any) -> Iterable[str]:
        """Raw JSON texts in the model's wire shape; the parser maps them, the gates judge them."""
        ...
