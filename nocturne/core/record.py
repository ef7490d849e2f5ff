"""What a replay is given and what it gives back: a store's rows, and where they and the record disagree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from nocturne.core import digest as d

Row = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in the store that the record does not bear out."""

    where: str
    what: str


@dataclass(frozen=True, slots=True)
class Base:
    """A snapshot to begin at instead of the first entry. What lies before it is taken on trust, but for its digest."""

    ledger: Row
    """The snapshot's own row, as in Tables."""
    facts: Iterable[Row]
    """The versions that held at it, as in Tables."""
    spans: Iterable[Row]
    """fact, turn, start, stop, to_seq of the sources that held at it."""
    newest: int
    """The highest number of a fact."""
    turn: int
    """The last turn."""
    settings: Mapping[int, str]
    """The settings on record, with their policies."""
    erased: Mapping[str, int]
    """Texts that were purged by then, with the entry that erased each."""
    memo: AbstractSet[str]
    """The keys remembered by then."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The rows of a store. Columns and orders are those of ``store/SCHEMA.md``."""

    ledger: Iterable[Row]
    """seq, hash, the columns of ENTRY_COLUMNS, more; by seq."""
    facts: Iterable[Row]
    """from_seq, fact_id, to_seq, retired_seq, then COLUMNS; by from_seq, fact_id."""
    fact_sources: Iterable[Row]
    """from_seq, fact, turn, start, stop, to_seq; by from_seq, fact, turn, start, stop."""
    lineage: Iterable[Row]
    """mutation, child, parent, role, child_seq, parent_seq; by the first four."""
    touched: Iterable[Row]
    """mutation, fact; by both."""
    turns: Iterable[Row]
    """mutation, then the canonical row of a turn; by id."""
    sources: Iterable[Row]
    """id, path, format, content_hash, cursor, reader_version, state, mutation; by id."""
    tombstones: Iterable[Row]
    """key, fact, cause, mutation, lifted; by key."""
    memo: Iterable[Row]
    """key, mutation; by key."""
    policies: Iterable[Row]
    """digest, name, json."""
    lexicons: Iterable[Row]
    """digest, json."""
    accesses: Iterable[Row]
    """id, at, kind, fact, base, last_access, spaced, labile_until; by id."""
    activation: Iterable[Row]
    """fact, base, last_access, spaced, labile_until; by fact."""
    quiz_runs: Iterable[Row]
    """id, at, snapshot, baseline, asked, recalled, probed, absent, passed, report; by id."""
    texts: Iterable[Row]
    """hash, salt, text."""
    secret: bytes = b""
    base: Base | None = None
    """With a base, every table but facts' texts, policies and lexicons holds only what came after it."""


@dataclass(slots=True)
class Version:
    """A fact's current version as the record gives it; ``until`` is what its row claims about its end."""

    columns: dict[str, Any]
    spans: set[tuple[int, int, int]]
    since: int
    retired: int | None
    until: int | None = None

    def leaf(self, fact: int) -> bytes:
        """The fact as the state digest sees it."""
        return d.leaf(fact, d.trusted(self.columns), self.spans)


@dataclass(slots=True)
class Replayed:
    """What the record says, and everything that does not agree with it."""

    problems: list[Problem] = field(default_factory=list)
    untold: int = 0
    entries: int = 0
    mutations: int = 0
    accepted: int = 0
    head: str = d.ZERO
    snapshots: list[tuple[int, int, str]] = field(default_factory=list)
    """Number, entry and state digest as replayed."""
    state: dict[int, Version] = field(default_factory=dict)
    erased: dict[str, int] = field(default_factory=dict)
    """Commitments of purged texts, with the entry that erased each."""
    uuid: str = ""
    lanes: bytes = b""
    """The sum of the current facts' lanes at the last entry."""
    running: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Of the tables beside the chain: how many rows, and the hash that runs over them."""

    @property
    def holds(self) -> bool:
        """Whether everything agrees."""
        return not self.problems
