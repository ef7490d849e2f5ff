"""``nocturne why``: a fact's ancestry as a tree, down to the turns that first said it; and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from nocturne.app.ports import MutationRow, Store
from nocturne.core.facts import Fact, Link, Span, Turn
from nocturne.errors import InputUnreadable

_JOINS = {"merge": "merged-from", "drop": "kept-for", "schematise": "evidence", "refine": "merged-from"}


class Remembered(Protocol):
    """What a walk back in time reads of a store."""

    def versions(self, fact: int) -> Sequence[tuple[int, int | None, Fact]]: ...
    def mutation(self, seq: int) -> MutationRow | None: ...
    def links(self, fact: int) -> Sequence[tuple[int, Link]]: ...
    def turns(self, ids: Iterable[int]) -> Mapping[int, Turn]: ...


@dataclass(frozen=True, slots=True)
class Origin:
    """Where one version's text came from: the version that first had it, and what that was joined of.

    ``seq`` is the entry that made that version and ``made_by`` its mutation; ``steps`` are the later ones that left
    the text alone, newest first; ``joined`` are facts with the places of their versions.
    """

    seq: int
    version: Fact
    place: int
    made_by: MutationRow | None
    steps: tuple[MutationRow, ...]
    joined: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """A cited turn and the words in it that the fact rests on."""

    turn: Turn
    span: Span

    @property
    def words(self) -> str:
        """The cited words, as stored."""
        return self.turn.text[self.span.start : self.span.end]


@dataclass(frozen=True, slots=True)
class Ancestor:
    """A fact as it stood at one point: the mutation that made that text, what it came of, what it cites.

    ``steps`` are the later mutations that left the text alone (a promotion, a supersession), newest first.
    ``seq`` is the entry that made the version.
    """

    fact: Fact
    made_by: MutationRow | None
    steps: tuple[MutationRow, ...] = ()
    parents: tuple[Ancestor, ...] = ()
    quotes: tuple[Quote, ...] = ()
    seq: int = 0


@dataclass(frozen=True, slots=True)
class Descendant:
    """A fact that came of another one in ``role``, as it stands now, and what came of it in turn."""

    role: str
    fact: Fact
    children: tuple[Descendant, ...] = ()


@dataclass(frozen=True, slots=True)
class Lineage:
    """A fact's whole story: the tree, what came of it, and what was refused about it."""

    tree: Ancestor
    descendants: tuple[tuple[str, Fact], ...]
    refused: tuple[MutationRow, ...]
    down: tuple[Descendant, ...] | None = None
    """Everything that came of the fact, as a tree, where that was asked for."""


def why(store: Store, fact: int, *, down: bool = False) -> Lineage:
    """The lineage of one fact; with ``down`` also the whole tree of what came of it."""
    versions = store.versions(fact)
    if not versions:
        raise InputUnreadable(f"no fact m{fact}", hint="nocturne facts --all lists every fact")
    tree = Ancestry(store)
    refused = [row for row in store.mutations_of(fact) if not row.accepted]
    return Lineage(
        tree.now(fact),
        tuple(_descendants(store, fact)),
        tuple(refused),
        descended(store, fact) if down else None,
    )


def descended(store: Store, fact: int, seen: frozenset[int] = frozenset()) -> tuple[Descendant, ...]:
    """What came of a fact, each with what came of it; a fact that is met again is not followed again."""
    known = seen | {fact}
    found: dict[tuple[int, str], Descendant] = {}
    for role, child in _descendants(store, fact):
        key = (child.id, role)
        if key not in found:
            below = () if child.id in known else descended(store, child.id, known)
            found[key] = Descendant(role, child, below)
    return tuple(found.values())


def _descendants(store: Store, fact: int) -> Sequence[tuple[str, Fact]]:
    found = []
    for link in store.links_from(fact):
        if link.child != fact:
            child = store.versions(link.child)[-1][2]
            found.append((link.role, child))
    return found


class Ancestry:
    """The trees of a store's facts. Every step goes back in time, so that each walk ends."""

    def __init__(self, store: Remembered) -> None:
        self._store = store
        self._versions: dict[int, Sequence[tuple[int, int | None, Fact]]] = {}

    def _of(self, fact: int) -> Sequence[tuple[int, int | None, Fact]]:
        if fact not in self._versions:
            self._versions[fact] = self._store.versions(fact)
        return self._versions[fact]

    def _before(self, fact: int, seq: int) -> int:
        """The place of the last version of ``fact`` that began before ``seq``, or −1."""
        return sum(begun < seq for begun, _, _ in self._of(fact)) - 1

    def now(self, fact: int) -> Ancestor:
        """The fact as of its latest version."""
        return self.at(fact, len(self._of(fact)) - 1)

    def history(self, fact: int) -> list[Ancestor]:
        """The fact as of each of its versions, oldest first."""
        return [self.at(fact, place) for place in range(len(self._of(fact)))]

    def _earlier(self, fact: int, place: int, row: MutationRow | None) -> int:
        """Where the walk goes on: what a restore brought back is as old as the version that it brought back."""
        if row is None or row.kind not in ("restore", "revive"):
            return place - 1
        versions = self._of(fact)
        back = versions[place][2]
        for other in range(place - 1, -1, -1):
            before = versions[other][2]
            if before.active and (before.text, before.sources) == (back.text, back.sources):
                return other
        return place - 1

    def at(self, fact: int, place: int) -> Ancestor:
        """The fact as of its version number ``place``."""
        found = self.origin(fact, place)
        parents = tuple(self.at(*parent) for parent in found.joined)
        quotes = () if parents else self._quotes(found.version)
        return Ancestor(self._of(fact)[place][2], found.made_by, found.steps, parents, quotes, found.seq)

    def origin(self, fact: int, place: int) -> Origin:
        """One step of the walk: back to where the version's text was made, no further."""
        steps: list[MutationRow] = []
        while True:
            seq, _, version = self._of(fact)[place]
            row = self._store.mutation(seq)
            joined = self._joined(fact, seq, row)
            if joined or place == 0:
                return Origin(seq, version, place, row, tuple(steps), tuple(joined))
            if row is not None:
                steps.append(row)
            place = self._earlier(fact, place, row)

    def _joined(self, fact: int, seq: int, row: MutationRow | None) -> list[tuple[int, int]]:
        role = _JOINS.get(row.kind) if row is not None else None
        if role is None:
            return []
        parents = [link.parent for made, link in self._store.links(fact) if made == seq and link.role == role]
        if row is not None and row.kind == "drop" and parents:
            parents.insert(0, fact)
        places = [(parent, self._before(parent, seq)) for parent in parents]
        return [(parent, place) for parent, place in places if place >= 0]

    def _quotes(self, version: Fact) -> tuple[Quote, ...]:
        turns = self._store.turns([span.turn for span in version.sources])
        return tuple(Quote(turns[span.turn], span) for span in version.sources if span.turn in turns)
