"""Many facts held as rows of numbers and shared words: as objects they would be five times as large.

A row becomes a fact again each time it is asked for. Times, the successor and the one source of most facts are
numbers of the row; what a fact has in common with others (block, category, whose it is …) is held once for all of
them; the sources of a fact that has several stand aside.
"""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, Sequence, ValuesView
from collections.abc import Set as AbstractSet
from operator import attrgetter
from struct import Struct
from typing import Any, TypeVar, overload

from nocturne.core.facts import Block, Fact
from nocturne.core.making import SHARED, UNKNOWN, fact_read

_T = TypeVar("_T")
_ROW = Struct("=9q2I")
"""The numbers that ``fact_read`` takes."""
_SIZE, _READ, _WRITE = _ROW.size, _ROW.unpack_from, _ROW.pack
Numbers = tuple[bytes, "array[int]"]
"""The rows of some facts, end to end, and the number of what each has in common with others."""
_ASIDE = -1
"""Stands for the turn of a fact that has no source, or whose sources stand aside."""
_LONGEST = (1 << 32) - 1
_COMMON = attrgetter(*SHARED)
_NEAR = 2_048
"""So many facts that were asked for one by one are kept as they are: a gate asks for the same ones several times."""


class Rows(Sequence[Fact]):
    """Facts in the order in which they were added."""

    __slots__ = ("_common", "_data", "_moved", "_numbers", "_several", "kinds", "texts")

    def __init__(self) -> None:
        self._data = bytearray()
        self.texts: list[str] = []
        self.kinds = array("I")
        """Of each fact the number of what it has in common with others."""
        self._common: list[tuple[Any, ...]] = []
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._moved: dict[tuple[int, Block], int] = {}
        self._several: dict[int, array[int]] = {}

    def __len__(self) -> int:
        return len(self.texts)

    def append(self, fact: Fact) -> None:
        """Take a fact in."""
        self._data += self._row(len(self.texts), fact)
        self.kinds.append(self._number(_COMMON(fact)))
        self.texts.append(fact.text)

    def put(self, place: int, fact: Fact) -> None:
        """Set a fact in the place of another."""
        self._several.pop(place, None)
        self.texts[place] = fact.text
        self.kinds[place] = self._number(_COMMON(fact))
        self._data[place * _SIZE : (place + 1) * _SIZE] = self._row(place, fact)

    def move(self, place: int, block: Block) -> None:
        """Set the block of the fact of a place."""
        former = self.kinds[place]
        number = self._moved.get((former, block))
        if number is None:
            number = self._moved[former, block] = self._number((block, *self._common[former][1:]))
        self.kinds[place] = number

    def drop(self, place: int) -> None:
        """Let go of what the fact of a place holds."""
        self._several.pop(place, None)
        self.texts[place] = ""

    def copy(self) -> Rows:
        """Other rows of the same facts."""
        other = Rows()
        other._data, other.texts, other.kinds = self._data[:], self.texts[:], self.kinds[:]
        other._common, other._numbers = self._common[:], dict(self._numbers)
        other._several = dict(self._several)
        return other

    def emptied(self) -> Numbers:
        """The numbers of the facts, which stand here no longer: whoever has them can read the facts (``filled``)."""
        numbers = bytes(self._data), self.kinds
        self._data, self.kinds = bytearray(), array("I")
        return numbers

    def filled(self, numbers: Numbers) -> Rows:
        """The facts to read, once their numbers were taken out."""
        other = Rows()
        other._data, other.kinds = bytearray(numbers[0]), numbers[1]
        other.texts, other._common, other._several = self.texts, self._common, self._several
        return other

    def _number(self, common: tuple[Any, ...]) -> int:
        number = self._numbers.get(common)
        if number is None:
            number = self._numbers[common] = len(self._common)
            self._common.append(common)
        return number

    def _row(self, place: int, fact: Fact) -> bytes:
        sources, turn, start, end = fact.sources, _ASIDE, 0, 0
        if len(sources) == 1 and 0 <= sources[0].start <= sources[0].end <= _LONGEST:
            turn, start, end = sources[0].turn, sources[0].start, sources[0].end
        elif sources:
            self._several[place] = array(
                "q", [each for span in sources for each in (span.turn, span.start, span.end)]
            )
        said, occurred, confirmed, since = fact.said_at, fact.occurred_at, fact.confirmed_at, fact.valid_from
        until, successor = fact.valid_until, fact.successor
        return _WRITE(
            fact.id,
            fact.recorded_at,
            UNKNOWN if said is None else said,
            UNKNOWN if occurred is None else occurred,
            UNKNOWN if confirmed is None else confirmed,
            UNKNOWN if since is None else since,
            UNKNOWN if until is None else until,
            UNKNOWN if successor is None else successor,
            turn,
            start,
            end,
        )

    @overload
    def __getitem__(self, place: int) -> Fact: ...
    @overload
    def __getitem__(self, place: slice) -> list[Fact]: ...
    def __getitem__(self, place: int | slice) -> Fact | list[Fact]:
        places = range(len(self))[place]
        return self.fact(places) if isinstance(places, int) else [self.fact(each) for each in places]

    def __iter__(self) -> Iterator[Fact]:
        return map(self.fact, range(len(self)))

    def ids(self) -> array[int]:
        """The ids in their order."""
        return array("q", (row[0] for row in _ROW.iter_unpack(self._data)))

    def fact(self, place: int) -> Fact:
        """The fact of a place that there is."""
        row = _READ(self._data, place * _SIZE)
        several = self._several.get(place, ()) if row[8] == _ASIDE else None
        return fact_read(self.texts[place], self._common[self.kinds[place]], row, several)

    def each_kind(self, key: Callable[[Fact], _T]) -> list[_T]:
        """The key of each kind, which must depend on nothing but what its facts have in common."""
        return [
            key(Fact(id=0, text="", recorded_at=0, **dict(zip(SHARED, common, strict=True))))
            for common in self._common
        ]


class Numbered(AbstractSet[int]):
    """Ids in the order in which they were added, and a number of each: a byte for every id that there may be."""

    def __init__(self) -> None:
        self._order = array("q")
        self._numbers = bytearray()

    def set(self, id_: int, number: int) -> None:
        """Add an id, or give it another number, which is not 0."""
        numbers = self._numbers
        if id_ >= len(numbers):
            numbers += bytes(id_ + 1 - len(numbers))
        if not numbers[id_]:
            self._order.append(id_)
        numbers[id_] = number

    def number(self, id_: int) -> int:
        """The number of an id; 0 where it was not added."""
        numbers = self._numbers
        return numbers[id_] if 0 <= id_ < len(numbers) else 0

    def copy(self) -> Numbered:
        """Another one with the same ids."""
        other = Numbered()
        other._order, other._numbers = self._order[:], self._numbers[:]
        return other

    @classmethod
    def _from_iterable(cls, it: Iterable[_T]) -> AbstractSet[_T]:
        return frozenset(it)

    def __contains__(self, id_: object) -> bool:
        return isinstance(id_, int) and self.number(id_) > 0

    def __iter__(self) -> Iterator[int]:
        return iter(self._order)

    def __len__(self) -> int:
        return len(self._order)


class Told(Mapping[int, Fact]):
    """Facts by id that are told one after the other faster than each is looked up."""

    __slots__ = ()

    @abstractmethod
    def told(self) -> Iterator[Fact]:
        """The facts in their order; none of them is kept."""

    def values(self) -> ValuesView[Fact]:
        """The facts, each made as it is come to."""
        return _Facts(self)

    def items(self) -> ItemsView[int, Fact]:
        """Ids and facts, each made as it is come to."""
        return _Pairs(self)


class _Facts(ValuesView[Fact]):
    _mapping: Told

    def __iter__(self) -> Iterator[Fact]:
        return self._mapping.told()


class _Pairs(ItemsView[int, Fact]):
    _mapping: Told

    def __iter__(self) -> Iterator[tuple[int, Fact]]:
        return ((fact.id, fact) for fact in self._mapping.told())


class Held(Told):
    """Facts of which something is known without making them."""

    __slots__ = ()

    @abstractmethod
    def shared(self, key: Callable[[Fact], _T]) -> Iterator[tuple[int, _T]]:
        """See the function of this name."""

    @abstractmethod
    def text(self, id_: int) -> str:
        """What a fact says."""


class Table(Held):
    """Facts by id, ascending."""

    __slots__ = ("_count", "_near", "_places", "_rows")

    def __init__(self, facts: Iterable[Fact] = ()) -> None:
        self._rows = Rows()
        self._places = array("I")
        """Of each id one more than the place of its fact; 0 where there is none."""
        self._count = 0
        self._near: dict[int, Fact] = {}
        for fact in facts:
            self.put(fact)

    @classmethod
    def over(cls, rows: Rows) -> Table:
        """The facts of rows by id, which are not held twice: only one of both may be changed from here on."""
        table = cls()
        table._rows = rows
        ids = rows.ids()
        table._places.frombytes(bytes(table._places.itemsize * (max(ids, default=-1) + 1)))
        for place, id_ in enumerate(ids, 1):
            table._places[id_] = place
        table._count = len(table._places) - table._places.count(0)
        return table

    def put(self, fact: Fact) -> None:
        """Take a fact in, in the place of the one that has its id."""
        id_ = fact.id
        places = self._places
        if id_ >= len(places):
            places.frombytes(bytes(places.itemsize * (id_ + 1 - len(places))))
        if places[id_]:
            self._near.pop(id_, None)
            self._rows.put(places[id_] - 1, fact)
        else:
            self._rows.append(fact)
            places[id_] = len(self._rows)
            self._count += 1

    def move(self, id_: int, block: Block) -> None:
        """Move a fact to another block."""
        self._near.pop(id_, None)
        self._rows.move(self._places[id_] - 1, block)

    def drop(self, id_: int) -> None:
        """Let go of a fact, if there is one of this id."""
        if id_ in self:
            self._near.pop(id_, None)
            self._rows.drop(self._places[id_] - 1)
            self._places[id_] = 0
            self._count -= 1

    def __getitem__(self, id_: int) -> Fact:
        near = self._near
        fact = near.get(id_)
        if fact is None:
            place = self._place(id_)
            if len(near) >= _NEAR:
                near.clear()
            fact = near[id_] = self._rows.fact(place)
        return fact

    def text(self, id_: int) -> str:
        """See ``Held``."""
        return self._rows.texts[self._place(id_)]

    def _place(self, id_: int) -> int:
        try:
            place = self._places[id_] if id_ > 0 else 0
        except IndexError:
            place = 0
        if not place:
            raise KeyError(id_)
        return place - 1

    def __contains__(self, id_: object) -> bool:
        try:
            return id_ > 0 and self._places[id_] > 0  # type: ignore[operator,call-overload]  # any key may be asked for
        except (IndexError, TypeError):
            return False

    def __iter__(self) -> Iterator[int]:
        return (id_ for id_, place in enumerate(self._places) if place)

    def __len__(self) -> int:
        return self._count

    def told(self) -> Iterator[Fact]:
        """See ``Told``."""
        fact = self._rows.fact
        return (fact(place - 1) for place in self._places if place)

    def shared(self, key: Callable[[Fact], _T]) -> Iterator[tuple[int, _T]]:
        """See the function of this name."""
        keys, kinds = self._rows.each_kind(key), self._rows.kinds
        return ((id_, keys[kinds[place - 1]]) for id_, place in enumerate(self._places) if place)

    def copy(self) -> Table:
        """Another table of the same facts."""
        other = Table()
        other._rows, other._places, other._count = self._rows.copy(), self._places[:], self._count
        return other


class Some(Told):
    """Some of many facts, by id, in an order of their own: found among the many when they are asked for."""

    __slots__ = ("_facts", "_ids")

    def __init__(self, facts: Mapping[int, Fact], ids: Iterable[int]) -> None:
        self._facts = facts
        self._ids = Numbered()
        for id_ in ids:
            self._ids.set(id_, 1)

    def __getitem__(self, id_: int) -> Fact:
        if id_ not in self._ids:
            raise KeyError(id_)
        return self._facts[id_]

    def told(self) -> Iterator[Fact]:
        """See ``Told``."""
        return map(self._facts.__getitem__, self._ids)

    def __contains__(self, id_: object) -> bool:
        return id_ in self._ids

    def __iter__(self) -> Iterator[int]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


def shared(facts: Mapping[int, Fact], key: Callable[[Fact], _T]) -> Iterator[tuple[int, _T]]:
    """Each fact's id and key, where the key depends on nothing but what facts have in common: see ``SHARED``.

    Of a table it is asked for once for all facts that have that in common.
    """
    return facts.shared(key) if isinstance(facts, Held) else ((id_, key(fact)) for id_, fact in facts.items())


def texts_of(facts: Mapping[int, Fact]) -> Callable[[int], str]:
    """What says what each fact says; of a table without making the fact."""
    return facts.text if isinstance(facts, Held) else lambda id_: facts[id_].text


def by_id(facts: Iterable[Fact] | Mapping[int, Fact]) -> Mapping[int, Fact]:
    """Facts by id: a table of them as it is."""
    return facts if isinstance(facts, Mapping) else {fact.id: fact for fact in facts}
