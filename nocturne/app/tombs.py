"""What tombstones keep out of an ingest, and which of them a person lifts by reading it in all the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace

from nocturne.core.acts import PURGED
from nocturne.core.digest import TOMBSTONE, keyed
from nocturne.core.facts import Turn
from nocturne.core.text.analysis import analyse
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.text.measures import content
from nocturne.core.verdicts import Ruling
from nocturne.passes.scene import Tombstones


def sentences_of(text: str, lexicon: Lexicon) -> Iterator[tuple[int, int]]:
    """The ranges of a text's sentences."""
    read = analyse(text, lexicon)
    for first, last in read.sentences:
        yield read.tokens[first].start, read.tokens[last - 1].end


def purged_turn(turn: Turn, secret: bytes, purged: AbstractSet[str], lexicon: Lexicon) -> tuple[Turn, int]:
    """The turn without the sentences that a purge buried, and how many there were."""
    text, gone = turn.text, 0
    for start, end in reversed(list(sentences_of(turn.text, lexicon))):
        tokens = content(turn.text[start:end], lexicon)
        if tokens and keyed(secret, TOMBSTONE, sorted(tokens)) in purged:
            text = text[:start] + PURGED + text[end:]
            gone += 1
    return (replace(turn, text=text), gone) if gone else (turn, 0)


def returning(rulings: Iterable[Ruling], buried: Tombstones, lexicon: Lexicon) -> tuple[str, ...]:
    """The tombstones over texts that are facts again."""
    found = {
        buried.of(content(change.after.text, lexicon))
        for ruling in rulings
        for change in ruling.changes
        if change.after.active
    }
    return tuple(sorted(found & buried.known))
