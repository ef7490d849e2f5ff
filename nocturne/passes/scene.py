"""The one frozen scene that a gate looks at, and what every pass answers to."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Protocol

from nocturne.core.clustering import Found
from nocturne.core.contents import Contents, Row, Words
from nocturne.core.digest import TOMBSTONE, keyed
from nocturne.core.facts import Activation, Change, Fact, Link, State, Turn
from nocturne.core.policy import Policy
from nocturne.core.proposals import Proposal
from nocturne.core.table import texts_of
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.text.measures import content
from nocturne.core.verdicts import Accepted, Verdict

Session = tuple[int, str | None]
"""A source and the session in it."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a turn comes from: its source file, session and day (None where the format has no time)."""

    source: int
    session: str | None
    day: int | None


@dataclass(frozen=True, slots=True)
class Memo:
    """Which refusals by text are remembered. Keys are HMACs under the store's secret: they tell nothing alone."""

    secret: bytes
    measures: int
    policy: str
    known: AbstractSet[str] = frozenset()

    def key(self, pass_name: str, kind: str, texts: Iterable[str]) -> str:
        """The key of one question: these texts, in this order, under these measures and this policy."""
        return self._key(pass_name, kind, str(self.measures), self.policy, *texts)

    def lasting(self, kind: str, texts: Iterable[str]) -> str:
        """The key of a person's answer, which is not bound to the policy under which it was asked for."""
        return self._key("review", kind, "0", "", *texts)

    def _key(self, *parts: str) -> str:
        told = bytearray()
        for part in parts:
            data = part.encode("utf-8", "surrogatepass")
            told += len(data).to_bytes(8, "big") + data
        return hmac.digest(self.secret, told, "sha256").hex()


@dataclass(frozen=True, slots=True)
class Tombstones:
    """What a person forgot, rejected or purged: HMACs over the sorted canonical content of each text."""

    secret: bytes
    known: AbstractSet[str] = frozenset()

    def of(self, content: Iterable[str]) -> str:
        """The tombstone that a text of this canonical content has or would have."""
        return keyed(self.secret, TOMBSTONE, sorted(content))

    def holds(self, content: Iterable[str]) -> bool:
        """Whether a text of this content may not come back."""
        return bool(self.known) and self.of(content) in self.known


@dataclass(frozen=True, slots=True)
class Scene:
    """All that a gate may know.

    ``before`` is the store as the pass found it; ``facts`` and ``consumed`` are read-only views that the engine
    advances after each accepted proposal. ``fresh`` holds the facts whose text or block changed since this pass
    last ran whole under these rules (None: all of them): only they can be in a new pair, so that cost follows what
    changed. ``measured`` holds content sets by text, where they are known already. ``kept_for`` lists, by keeper,
    the facts dropped for it in this pass. ``windows`` has for each fact the times, from and to,
    in which it was open to refinement. ``evidence`` has the members of each schema as last measured,
    ``denials`` what a fact could be denied by (sealed keys of eight bytes), where that is known already,
    ``forgotten`` those members that the policy forgot, ``clusters`` the clusters of each layer, where the pass looks
    for them.
    """

    before: State
    facts: Mapping[int, Fact]
    consumed: Mapping[int, str]
    policy: Policy
    now: int
    lexicon: Lexicon
    memo: Memo
    tombstones: Tombstones
    origins: Mapping[int, Origin] = field(default_factory=dict)
    turns: Mapping[int, Turn] = field(default_factory=dict)
    sessions: Mapping[Session, tuple[Turn, ...]] = field(default_factory=dict)
    kept_for: Mapping[int, Sequence[int]] = field(default_factory=dict)
    strengths: Mapping[int, Activation] = field(default_factory=dict)
    windows: Mapping[int, Sequence[tuple[int, int]]] = field(default_factory=dict)
    fresh: AbstractSet[int] | None = None
    over: AbstractSet[int] = frozenset()
    adjudicated: bool = True
    round: int = 1
    measured: Contents[str] = field(default_factory=lambda: Contents(Words(), {}))
    evidence: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    forgotten: Mapping[int, Fact] = field(default_factory=dict)
    clusters: Sequence[tuple[str, Found]] = ()
    denials: Mapping[int, bytes] = field(default_factory=dict)

    @property
    def at_rest(self) -> bool:
        """Whether no fact is new to the pass, so that there is no new pair to look for."""
        return self.fresh is not None and self.fresh.isdisjoint(self.before.facts)

    def content(self, text: str) -> frozenset[str]:
        """The canonical content of a text."""
        return self.measured[text] if text in self.measured else content(text, self.lexicon)

    def contents(self) -> Contents[int]:
        """The content of the facts that the pass found, by id, as numbers where so many at once are compared."""
        return Contents(self.measured.words, _Rows(self))


class _Rows(Mapping[int, Row]):
    """The facts' rows, found through their texts: a table by id would be as large as the facts' own."""

    def __init__(self, scene: Scene) -> None:
        self._facts = scene.before.facts
        self._text = texts_of(scene.before.facts)
        self._rows = scene.measured.rows
        self._words = scene.measured.words
        self._lexicon = scene.lexicon
        self._new: dict[str, Row] = {}

    def __getitem__(self, key: int) -> Row:
        text = self._text(key)
        row = self._rows.get(text)
        return self._measured(text) if row is None else row

    def _measured(self, text: str) -> Row:
        row = self._new.get(text)
        if row is None:
            row = self._new[text] = self._words.row(content(text, self._lexicon))
        return row

    def __iter__(self) -> Iterator[int]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)


@dataclass(frozen=True, slots=True)
class Effect:
    """What applying an accepted proposal does: rows' steps, lineage, strengths. Never a deletion."""

    changes: tuple[Change, ...] = ()
    links: tuple[Link, ...] = ()
    activations: tuple[Activation, ...] = ()


class Pass(Protocol):
    """One stage of the night: what to ask, how to judge the answer, what the code does by itself."""

    name: str

    def ready(self, scene: Scene) -> Scene:
        """The scene with what this pass measures once over the whole store."""
        ...

    def brief(self, scene: Scene) -> Any:
        """What the proposer is shown; None where there is nothing to ask."""
        ...

    def gate(self, scene: Scene, proposal: Proposal) -> Verdict:
        """Judge one proposal against the scene. Pure; a refusal is a value."""
        ...

    def apply(self, scene: Scene, accepted: Accepted) -> Effect:
        """What the accepted proposal changes."""
        ...

    def backstop(self, scene: Scene, brief: Any, settled: AbstractSet[tuple[int, ...]]) -> Iterable[Proposal]:
        """What the engine proposes by rule where nobody did; gated like any proposal."""
        ...

    def memo(self, scene: Scene, proposal: Proposal) -> str | None:
        """The memo key of the question that the proposal answers, or None where none is kept."""
        ...
