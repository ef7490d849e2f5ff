"""The facts of a pass as its accepted proposals advance them: what became of some is laid over those before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet

from nocturne.core.facts import Block, Fact
from nocturne.core.making import moved, only_moved


class Advancing(Mapping[int, Fact]):
    """Active facts by id. Of one that only moved its new block is kept: a first night moves nearly all there are."""

    def __init__(self, before: Mapping[int, Fact]) -> None:
        self._before = before
        self._after: dict[int, Fact | Block | None] = {}
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

    def apart(self) -> dict[int, Fact]:
        """The facts as a table of their own."""
        return self._laid_over(dict(self._before))

    def in_place(self) -> dict[int, Fact]:
        """The same in the place of the table before, which nobody may look into for what was: no fact stands twice."""
        table = self._before if isinstance(self._before, dict) else dict(self._before)
        self._before, self._after = self._laid_over(table), {}
        return table

    def _laid_over(self, table: dict[int, Fact]) -> dict[int, Fact]:
        for id_, found in self._after.items():
            if found is None:
                table.pop(id_, None)
            elif isinstance(found, Fact):
                table[id_] = found
            else:
                table[id_] = moved(table[id_], found)
        return table

    def __getitem__(self, id_: int) -> Fact:
        if id_ not in self._after:
            return self._before[id_]
        found = self._after[id_]
        if found is None:
            raise KeyError(id_)
        return found if isinstance(found, Fact) else moved(self._before[id_], found)

    def __contains__(self, id_: object) -> bool:
        found = self._after.get(id_, "")  # type: ignore[call-overload]  # any key may be asked for
        return bool(found) or (found is not None and id_ in self._before)

    def __iter__(self) -> Iterator[int]:
        after = self._after
        yield from (id_ for id_ in self._before if after.get(id_, "") is not None)
        yield from (id_ for id_, found in after.items() if found is not None and id_ not in self._before)

    def __len__(self) -> int:
        return self._count
