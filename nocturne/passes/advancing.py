"""The facts of a pass as its accepted proposals advance them: what became of some is laid over those before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import TypeVar

from nocturne.core.facts import BLOCKS, Fact
from nocturne.core.making import moved, only_moved
from nocturne.core.table import Held, Numbered, Table, shared, texts_of

_T = TypeVar("_T")
_CHANGED, _GONE = len(BLOCKS) + 1, len(BLOCKS) + 2
"""What became of a fact; below them stands, by its number from 1 on, the block that one only moved to."""


class Advancing(Held):
    """Active facts by id. Of one that only moved its new block is kept: a first night moves nearly all there are."""

    def __init__(self, before: Mapping[int, Fact]) -> None:
        self._before = before
        self._text_before = texts_of(before)
        self._touched = Numbered()
        self._changed = Table()
        self._count = len(before)

    @property
    def touched(self) -> AbstractSet[int]:
        """The facts that were stepped, in the order of their first step."""
        return self._touched

    def step(self, after: Fact) -> None:
        """Take a new version of a fact in; an inactive one goes."""
        id_ = after.id
        if not after.active:
            self.leave(id_)
            return
        before, became = self._before.get(id_), self._touched.number(id_)
        self._count += became == _GONE or (became == 0 and before is None)
        if before is not None and only_moved(before, after):
            if became == _CHANGED:
                self._changed.drop(id_)
            self._touched.set(id_, BLOCKS.index(after.block) + 1)
        else:
            self._changed.put(after)
            self._touched.set(id_, _CHANGED)

    def leave(self, id_: int) -> None:
        """Let a fact go."""
        self._count -= id_ in self
        self._changed.drop(id_)
        self._touched.set(id_, _GONE)

    def settled(self) -> Advancing:
        """The facts as they are now: what is stepped from now on does not reach them."""
        below = self._before
        if isinstance(below, Advancing):
            now = below.settled()
            for id_ in self._touched:
                after = self.get(id_)
                now.leave(id_) if after is None else now.step(after)
            return now
        now = Advancing(below)
        now._touched, now._changed, now._count = self._touched.copy(), self._changed.copy(), self._count
        return now

    def in_place(self) -> Table:
        """The same in the place of the table before, which nobody may look into for what was."""
        before = self._before.in_place() if isinstance(self._before, Advancing) else self._before
        table = before if isinstance(before, Table) else Table(before.values())
        for id_ in self._touched:
            became = self._touched.number(id_)
            if became == _GONE:
                table.drop(id_)
            elif became == _CHANGED:
                table.put(self._changed[id_])
            else:
                table.move(id_, BLOCKS[became - 1])
        self._before, self._text_before = table, table.text
        self._touched, self._changed = Numbered(), Table()
        return table

    def __getitem__(self, id_: int) -> Fact:
        became = self._touched.number(id_)
        if became == 0:
            return self._before[id_]
        if became == _GONE:
            raise KeyError(id_)
        return self._changed[id_] if became == _CHANGED else moved(self._before[id_], BLOCKS[became - 1])

    def text(self, id_: int) -> str:
        """See ``Held``."""
        became = self._touched.number(id_)
        if became == _GONE:
            raise KeyError(id_)
        return self._changed.text(id_) if became == _CHANGED else self._text_before(id_)

    def __contains__(self, id_: object) -> bool:
        if not isinstance(id_, int):
            return False
        became = self._touched.number(id_)
        return became != _GONE if became else id_ in self._before

    def told(self) -> Iterator[Fact]:
        """See ``Told``."""
        became = self._touched.number
        for fact in self._before.values():
            how = became(fact.id)
            if how == 0:
                yield fact
            elif how != _GONE:
                yield self._changed[fact.id] if how == _CHANGED else moved(fact, BLOCKS[how - 1])
        yield from (self._changed[id_] for id_ in self._added())

    def shared(self, key: Callable[[Fact], _T]) -> Iterator[tuple[int, _T]]:
        """See the function of this name."""
        became = self._touched.number
        for id_, found in shared(self._before, key):
            how = became(id_)
            if how == 0:
                yield id_, found
            elif how != _GONE:
                yield id_, key(self[id_])
        yield from ((id_, key(self._changed[id_])) for id_ in self._added())

    def _added(self) -> Iterator[int]:
        return (id_ for id_ in self._touched if id_ in self._changed and id_ not in self._before)

    def __iter__(self) -> Iterator[int]:
        became = self._touched.number
        yield from (id_ for id_ in self._before if became(id_) != _GONE)
        yield from self._added()

    def __len__(self) -> int:
        return self._count
