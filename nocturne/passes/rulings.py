"""The rulings of a pass while they wait for its commit: many of them are packed, and made again as they are read."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Collection, Iterable, Iterator
from operator import attrgetter
from typing import Any

from nocturne.core.facts import Block, Change, Fact
from nocturne.core.making import moved, only_moved
from nocturne.core.table import Rows
from nocturne.core.verdicts import Accepted, Ruling

CHUNK = 100_000
"""Rulings that are packed at once: up to 200 MB of them. To pack and make them again takes 25 µs each."""
LARGE, FEWER = 200_000, 20_000
"""Where so many facts are judged, the rulings that are packed at once are fewer."""

_BESIDE = attrgetter("pass_name", "origin", "raw", "links", "activations", "memo", "provenance")
_Step = tuple[bool, Block | None]
"""Whether there was a fact before, and its new block where nothing else changed."""
_Pack = tuple[bytes, Rows]


class Rulings(Collection[Ruling]):
    """Rulings in the order in which they were made. They are equal to, but not the same as, those that were added.

    The texts of the facts in them are kept as they are, because the states before and after the pass hold most of
    them; all else would be several times as large as those states, and is a hundredth of that when it is packed.
    """

    def __init__(self, rulings: Iterable[Ruling] = (), *, over: int = 0) -> None:
        """``over`` is the number of facts that are judged."""
        self._chunk = CHUNK if over < LARGE else FEWER
        self._packs: list[_Pack] = []
        self._last: list[Ruling] = []
        for ruling in rulings:
            self.append(ruling)

    def append(self, ruling: Ruling) -> None:
        """Add one at the end."""
        self._last.append(ruling)
        if len(self._last) == self._chunk:
            self._packs.append(_packed(self._last))
            self._last = []

    def __iter__(self) -> Iterator[Ruling]:
        for pack in self._packs:
            yield from _unpacked(pack)
        yield from self._last

    def __len__(self) -> int:
        return len(self._packs) * self._chunk + len(self._last)

    def __contains__(self, ruling: object) -> bool:
        return any(ruling == each for each in self)


def _packed(rulings: Iterable[Ruling]) -> _Pack:
    rows: list[tuple[Any, ...]] = []
    facts = Rows()
    for ruling in rulings:
        verdict, proposal = ruling.verdict, ruling.verdict.proposal
        decided = verdict.rule if isinstance(verdict, Accepted) else verdict.code
        fields = None if proposal is None else dict(proposal.values())
        steps = tuple([_kept(change, facts) for change in ruling.changes])
        rows.append((type(verdict), type(proposal), fields, decided, verdict.evidence, steps, *_BESIDE(ruling)))
    return zlib.compress(pickle.dumps((rows, facts.emptied()), pickle.HIGHEST_PROTOCOL), 1), facts


def _unpacked(pack: _Pack) -> Iterator[Ruling]:
    rows, numbers = pickle.loads(zlib.decompress(pack[0]))  # noqa: S301 - packed above, in this process
    facts = iter(pack[1].filled(numbers))
    for verdict, kind, fields, decided, evidence, steps, name, origin, raw, links, activations, memo, by in rows:
        proposal = None if fields is None else kind(**fields)
        changes = tuple([_change(step, facts) for step in steps])
        yield Ruling(
            name, origin, verdict(proposal, decided, evidence), raw, changes, links, activations, memo, by
        )


def _kept(change: Change, facts: Rows) -> _Step:
    """Which of the change's facts the next of ``facts`` are."""
    before, after = change.before, change.after
    if before is not None:
        facts.append(before)
        if only_moved(before, after):
            return True, after.block
    facts.append(after)
    return before is not None, None


def _change(step: _Step, facts: Iterator[Fact]) -> Change:
    before = next(facts) if step[0] else None
    if before is not None and step[1] is not None:
        return Change(before, moved(before, step[1]))
    return Change(before, next(facts))
