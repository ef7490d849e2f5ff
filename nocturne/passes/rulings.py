"""The rulings of a pass while they wait for its commit: many of them are packed, and made again as they are read."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Collection, Iterable, Iterator
from operator import attrgetter
from typing import Any

from nocturne.core.facts import Block, Change, Fact
from nocturne.core.making import moved, only_moved
from nocturne.core.verdicts import Accepted, Ruling

CHUNK = 100_000
"""Rulings that are packed at once. So many are some 60 MB; to pack and make them again takes 90 µs each."""

_BESIDE = attrgetter("pass_name", "origin", "raw", "links", "activations", "memo", "provenance")
_Pack = tuple[bytes, list[Fact | Block | None]]


class Rulings(Collection[Ruling]):
    """Rulings in the order in which they were made. They are equal to, but not the same as, those that were added.

    The facts in them are kept as they are, because the states before and after the pass hold most of them; what
    is said beside them would be twice as large as the facts, and is a hundredth of that when it is packed.
    """

    def __init__(self, rulings: Iterable[Ruling] = ()) -> None:
        self._packs: list[_Pack] = []
        self._last: list[Ruling] = []
        for ruling in rulings:
            self.append(ruling)

    def append(self, ruling: Ruling) -> None:
        """Add one at the end."""
        self._last.append(ruling)
        if len(self._last) == CHUNK:
            self._packs.append(_packed(self._last))
            self._last = []

    def __iter__(self) -> Iterator[Ruling]:
        for pack in self._packs:
            yield from _unpacked(pack)
        yield from self._last

    def __len__(self) -> int:
        return len(self._packs) * CHUNK + len(self._last)

    def __contains__(self, ruling: object) -> bool:
        return any(ruling == each for each in self)


def _packed(rulings: Iterable[Ruling]) -> _Pack:
    rows: list[tuple[Any, ...]] = []
    facts: list[Fact | Block | None] = []
    for ruling in rulings:
        verdict, proposal = ruling.verdict, ruling.verdict.proposal
        decided = verdict.rule if isinstance(verdict, Accepted) else verdict.code
        fields = None if proposal is None else dict(proposal.values())
        for change in ruling.changes:
            facts += (change.before, _after(change))
        rows.append(
            (type(verdict), type(proposal), fields, decided, verdict.evidence, len(ruling.changes), *_BESIDE(ruling))
        )
    return zlib.compress(pickle.dumps(rows, pickle.HIGHEST_PROTOCOL), 1), facts


def _unpacked(pack: _Pack) -> Iterator[Ruling]:
    rows, facts = pickle.loads(zlib.decompress(pack[0])), iter(pack[1])  # noqa: S301 - packed above, in this process
    for verdict, kind, fields, decided, evidence, steps, name, origin, raw, links, activations, memo, by in rows:
        proposal = None if fields is None else kind(**fields)
        changes = tuple([_change(next(facts), next(facts)) for _ in range(steps)])
        yield Ruling(
            name, origin, verdict(proposal, decided, evidence), raw, changes, links, activations, memo, by
        )


def _after(change: Change) -> Fact | Block:
    before, after = change.before, change.after
    return after.block if before is not None and only_moved(before, after) else after


def _change(before: Any, after: Any) -> Change:
    return Change(before, after if isinstance(after, Fact) else moved(before, after))
