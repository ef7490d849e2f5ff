"""The facts of a pass as its accepted proposals advance them: what became of some is laid over those before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import TypeVar

from nocturne.core.facts import Block, Fact
from nocturne.core.making import moved, only_moved
from nocturne.core.table import Table, Told, shared, text_of

_T = TypeVar("_T")
_After = Fact | Block | None


class Advancing(Told):
    """Active facts by id. Of one that only moved its new block is kept: a first night moves nearly all there are."""

    def __init__(self, before: Mapping[int, Fact]) -> None:
        self._before = before
        self._after: dict[int, _After] = {}
        self._count = len(before)

    @property
    def touched(self) -> AbstractSet[int]:
        """The facts that were stepped, in the order of their first step."""
        return self._after.keys()

    def step(self, after: Fact) -> None:
        """Take a new version of a fact in; an inactive one goes."""
        id_ = after.id
        before = self._before.get(id_)
        self._count += after.active - (id_ in self)
        if not after.active:
            self._after[id_] = None
        elif before is not None and only_moved(before, after):
            self._after[id_] = after.block
        else:
            self._after[id_] = after

    def settled(self) -> Advancing:
        """The facts as they are now: what is stepped from now on does not reach them."""
        table, after = self.layers()
        now = Advancing(table)
        now._after, now._count = after, self._count
        return now

    def layers(self) -> tuple[Mapping[int, Fact], dict[int, _After]]:
        """The table below, which is none of this kind, and what became of its facts since."""
        if not isinstance(self._before, Advancing):
            return self._before, dict(self._after)
        table, after = self._before.layers()
        for id_, found in self._after.items():
            former = after.get(id_)
            moves = isinstance(former, Fact) and isinstance(found, str)
            after[id_] = moved(former, found) if moves else found  # type: ignore[arg-type]  # as was just seen
        return table, after

    def in_place(self) -> Table:
        """The same in the place of the table before, which nobody may look into for what was."""
        before = self._before.in_place() if isinstance(self._before, Advancing) else self._before
        table = before if isinstance(before, Table) else Table(before.values())
        for id_, found in self._after.items():
            if found is None:
                table.drop(id_)
            else:
                table.put(found if isinstance(found, Fact) else moved(table[id_], found))
        self._before, self._after = table, {}
        return table

    def __getitem__(self, id_: int) -> Fact:
        if id_ not in self._after:
            return self._before[id_]
        found = self._after[id_]
        if found is None:
            raise KeyError(id_)
        return found if isinstance(found, Fact) else moved(self._before[id_], found)

    def text(self, id_: int) -> str:
        """See ``Told``."""
        found = self._after.get(id_, "")
        if found is None:
            raise KeyError(id_)
        return found.text if isinstance(found, Fact) else text_of(self._before, id_)

    def __contains__(self, id_: object) -> bool:
        found = self._after.get(id_, "")  # type: ignore[call-overload]  # any key may be asked for
        return bool(found) or (found is not None and id_ in self._before)

    def told(self) -> Iterator[Fact]:
        """See ``Told``."""
        after, before = self._after, self._before
        for fact in before.values():
            if fact.id not in after:
                yield fact
            elif (found := after[fact.id]) is not None:
                yield found if isinstance(found, Fact) else moved(fact, found)
        yield from (found for id_, found in after.items() if isinstance(found, Fact) and id_ not in before)

    def shared(self, key: Callable[[Fact], _T]) -> Iterator[tuple[int, _T]]:
        """See the function of this name."""
        after = self._after
        for id_, found in shared(self._before, key):
            if id_ not in after:
                yield id_, found
            elif after[id_] is not None:
                yield id_, key(self[id_])
        yield from ((id_, key(self[id_])) for id_ in after if id_ in self and id_ not in self._before)

    def __iter__(self) -> Iterator[int]:
        after = self._after
        yield from (id_ for id_ in self._before if after.get(id_, "") is not None)
        yield from (id_ for id_, found in after.items() if found is not None and id_ not in self._before)

    def __len__(self) -> int:
        return self._count
