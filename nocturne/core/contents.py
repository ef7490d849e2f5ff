"""The content words of many texts, held as numbers: a set of Python strings for each would be eight times as large."""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Generic, TypeVar, overload

Key = TypeVar("Key", bound=Hashable)
Row = bytes
"""The numbers of one text's words, ascending, each once, as 32-bit integers of this machine."""
_WIDTH = 4


class Words:
    """A dictionary that only grows: each word has one number."""

    def __init__(self, words: Iterable[str] = ()) -> None:
        self.known = list(words)
        self._numbers: dict[str, int] | None = None

    def row(self, content: AbstractSet[str]) -> Row:
        """The row of a set of words; those not met before get the next numbers."""
        numbers = self._numbers
        if numbers is None:
            numbers = self._numbers = {word: number for number, word in enumerate(self.known)}
        for word in content:
            if word not in numbers:
                numbers[word] = len(self.known)
                self.known.append(word)
        return row_of([numbers[word] for word in content])

    def content(self, row: Row) -> frozenset[str]:
        """The set of words of a row."""
        known = self.known
        return frozenset([known[number] for number in array("I", row)])


def row_of(numbers: Iterable[int]) -> Row:
    """The row of these numbers, which may stand in any order and repeat."""
    return array("I", sorted(set(numbers))).tobytes()


class Contents(Mapping[Key, frozenset[str]], Generic[Key]):
    """Sets of words by key, made when they are asked for. Equal rows are equal sets."""

    def __init__(self, words: Words, rows: Mapping[Key, Row]) -> None:
        self.words = words
        self.rows = rows

    def __getitem__(self, key: Key) -> frozenset[str]:
        return self.words.content(self.rows[key])

    def chosen(self, keys: Sequence[Key]) -> tuple[Sequence[Key], Chosen]:
        """Those of the keys whose sets are not empty, and the sets."""
        rows = [self.rows[key] for key in keys]
        if not all(rows):
            keys = [key for key, row in zip(keys, rows, strict=True) if row]
            rows = [row for row in rows if row]
        return keys, Chosen(self.words, rows)

    def __contains__(self, key: object) -> bool:
        return key in self.rows

    def __iter__(self) -> Iterator[Key]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


class Chosen(Sequence[frozenset[str]]):
    """Some of the contents, in an order: what a join takes as its rows."""

    def __init__(self, words: Words, rows: Sequence[Row]) -> None:
        self.words = words
        self.rows = rows

    @overload
    def __getitem__(self, at: int) -> frozenset[str]: ...
    @overload
    def __getitem__(self, at: slice) -> Chosen: ...
    def __getitem__(self, at: int | slice) -> frozenset[str] | Chosen:
        if isinstance(at, slice):
            return Chosen(self.words, self.rows[at])
        return self.words.content(self.rows[at])

    def __len__(self) -> int:
        return len(self.rows)

    def size(self, at: int) -> int:
        """How many words a row has."""
        return len(self.rows[at]) // _WIDTH


def gathered(contents: Mapping[Key, frozenset[str]]) -> Contents[Key]:
    """Any sets of words by key, as contents; contents as they are."""
    if isinstance(contents, Contents):
        return contents
    words = Words()
    return Contents(words, {key: words.row(content) for key, content in contents.items()})
