"""``nocturne report``: a store's whole history gathered once, for a page that is looked at without the store.

What a person took back is not gathered: neither the words of those facts, nor the turns that said them, nor what
was argued about them. That a fact was there, and when it went, stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Protocol

from nocturne.app.lineage import Ancestry, Origin, Quote
from nocturne.app.ports import Head, MutationRow, SnapshotInfo, Store
from nocturne.core.acts import ERASED
from nocturne.core.facts import Activation, Fact, Link, Span, Turn
from nocturne.core.policy import Policy
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.text.measures import content

TAKEN_BACK = "[taken back]"
"""What is read where a person took a text back."""
MOST_TOUCHES = 30_000
"""Strengths set that a page carries in all; where there were more, the oldest of the busiest facts are left out."""
_HARMLESS = ("from", "to", "age_days", "strength_before", "strength_after")
"""Evidence that is ours: blocks and measures."""
_SHORTEST = 8
"""Characters of cited words from which on they are looked for elsewhere: fewer occur by chance."""


Histories = Mapping[int, Sequence[tuple[int, int | None, Fact]]]
"""Every version of every fact with its half-open range of entries, oldest first, by fact."""


class Chronicled(Store, Protocol):
    """What else this needs of a store."""

    def histories(self, upto: int) -> Histories: ...
    def touches(self, upto: int) -> Sequence[tuple[int, Activation]]: ...
    def tombstone_key(self, tokens: Iterable[str]) -> str: ...


@dataclass(frozen=True, slots=True)
class Asked:
    """Which history: up to a snapshot, seen from a moment, under a policy that says what fades."""

    upto: SnapshotInfo
    now: int
    policy: Policy
    lexicon: Lexicon


@dataclass(frozen=True, slots=True)
class Chronicle:
    """Everything that the page shows, in the order of the record."""

    asked: Asked
    uuid: str
    head: Head
    snapshots: tuple[SnapshotInfo, ...]
    versions: Histories
    mutations: tuple[MutationRow, ...]
    links: tuple[tuple[int, Link], ...]
    origins: Mapping[tuple[int, int], Origin]
    """Where the text of a fact's version came from, for every version that a walk from a latest one meets."""
    quotes: Mapping[Span, Quote]
    """The cited words that may be shown."""
    bare: AbstractSet[int]
    """Turns of which nothing beyond the cited words may be shown: they also say what was taken back."""
    touches: Mapping[int, Sequence[tuple[int, Activation]]]
    untold: int
    """Strengths that were set and are left out."""
    withheld: AbstractSet[int]
    """Facts whose words a person took back or had erased."""
    buried: tuple[str, ...]
    """Texts that may stand nowhere on the page."""


def chronicle(store: Chronicled, asked: Asked) -> Chronicle:
    """The store's history up to a snapshot."""
    upto = asked.upto
    snapshots = tuple(info for info in store.snapshots() if info.number <= upto.number)
    histories = store.histories(upto.seq)
    rows = tuple(store.mutations(0, upto.seq))
    links = tuple(each for each in store.lineage(histories) if each[0] <= upto.seq)
    turns = store.turns({span.turn for fact in _all(histories) for span in fact.sources})
    standing = store.tombstone_keys()
    gone = dict(_taken_back(store, histories, standing, asked.lexicon))
    spans = {span for fact in _all(histories) if fact.text in gone.get(fact.id, ()) for span in fact.sources}
    told = _Told(histories, rows, links, turns)
    kept, untold = _newest(store.touches(asked.now))
    return Chronicle(
        asked,
        store.uuid(),
        store.head(),
        snapshots,
        {
            fact: [_veiled(version, gone.get(fact, ())) for version in line]
            for fact, line in histories.items()
        },
        tuple(_silenced(row) if gone.keys() & {*row.touched, row.fact} else row for row in rows),
        links,
        _walked(told, histories),
        _quotable(histories, turns, spans),
        frozenset(span.turn for span in spans),
        {fact: line for fact, line in kept.items() if fact in histories},
        untold,
        frozenset(gone),
        tuple(_buried(histories, gone, turns, spans)),
    )


def _all(histories: Histories) -> Iterator[Fact]:
    return (fact for line in histories.values() for _, _, fact in line)


class _Told:
    """The record in memory, for walks that would ask the store ten thousand times."""

    def __init__(
        self,
        histories: Histories,
        rows: Sequence[MutationRow],
        links: Sequence[tuple[int, Link]],
        turns: Mapping[int, Turn],
    ) -> None:
        self._histories = histories
        self._rows = {row.seq: row for row in rows}
        self._turns = turns
        self._links: dict[int, list[tuple[int, Link]]] = {}
        for seq, link in links:
            for fact in {link.child, link.parent}:
                self._links.setdefault(fact, []).append((seq, link))

    def versions(self, fact: int) -> Sequence[tuple[int, int | None, Fact]]:
        return self._histories.get(fact, ())

    def mutation(self, seq: int) -> MutationRow | None:
        return self._rows.get(seq)

    def links(self, fact: int) -> Sequence[tuple[int, Link]]:
        return self._links.get(fact, ())

    def turns(self, ids: Iterable[int]) -> Mapping[int, Turn]:
        return {id_: self._turns[id_] for id_ in ids if id_ in self._turns}


def _walked(told: _Told, histories: Histories) -> dict[tuple[int, int], Origin]:
    """Every step of every walk, each once: a long chain of duplicates is as cheap as many short ones."""
    ancestry = Ancestry(told)
    waiting = [(fact, len(line) - 1) for fact, line in histories.items()]
    found: dict[tuple[int, int], Origin] = {}
    while waiting:
        at = waiting.pop()
        if at not in found:
            found[at] = ancestry.origin(*at)
            waiting.extend(found[at].joined)
    return found


def _taken_back(
    store: Chronicled,
    histories: Histories,
    standing: AbstractSet[str],
    lexicon: Lexicon,
) -> Iterator[tuple[int, frozenset[str]]]:
    """The facts with a text that a person took back, each with those texts; erased ones have none left."""
    known: dict[str, bool] = {}

    def buried(text: str) -> bool:
        if text not in known:
            known[text] = store.tombstone_key(content(text, lexicon)) in standing
        return known[text]

    for fact, line in histories.items():
        said = [version for _, _, version in line]
        if (said[-1].retired_by or "").startswith("person:"):
            yield fact, frozenset(version.text for version in said)
        elif any(version.text == ERASED for version in said):
            yield fact, frozenset({ERASED})
        elif standing and (texts := {version.text for version in said if buried(version.text)}):
            yield fact, frozenset(texts)


def _veiled(version: tuple[int, int | None, Fact], gone: Iterable[str]) -> tuple[int, int | None, Fact]:
    begun, ended, fact = version
    if fact.text not in gone:
        return version
    text = ERASED if fact.text == ERASED else TAKEN_BACK
    return begun, ended, replace(fact, text=text, sources=(), subject="user", attribute=None)


def _silenced(row: MutationRow) -> MutationRow:
    """What was done, without a word that the proposer or the gates quoted."""
    evidence = {
        name: value for name, value in row.evidence.items() if isinstance(value, int) or name in _HARMLESS
    }
    return replace(row, reason=None, text=None, raw=None, evidence=evidence)


def _quotable(
    histories: Histories,
    turns: Mapping[int, Turn],
    gone: AbstractSet[Span],
) -> dict[Span, Quote]:
    taken: dict[int, list[Span]] = {}
    for span in gone:
        taken.setdefault(span.turn, []).append(span)

    def clear(span: Span) -> bool:
        return not any(
            other.start < span.end and span.start < other.end for other in taken.get(span.turn, ())
        )

    return {
        span: Quote(turns[span.turn], span)
        for fact in _all(histories)
        for span in fact.sources
        if span.turn in turns and clear(span)
    }


def _newest(
    touches: Sequence[tuple[int, Activation]],
) -> tuple[dict[int, list[tuple[int, Activation]]], int]:
    """The touches by fact, as many of the latest of each as fit in all."""
    found: dict[int, list[tuple[int, Activation]]] = {}
    for each in touches:
        found.setdefault(each[1].fact, []).append(each)
    counts = Counter(len(line) for line in found.values())
    most = max(counts, default=0)
    while most > 1 and sum(min(length, most) * facts for length, facts in counts.items()) > MOST_TOUCHES:
        most = most * 3 // 4
    kept = {fact: line[-most:] for fact, line in found.items()}
    return kept, len(touches) - sum(map(len, kept.values()))


def _buried(
    histories: Histories,
    gone: Mapping[int, AbstractSet[str]],
    turns: Mapping[int, Turn],
    spans: Iterable[Span],
) -> Iterator[str]:
    """Texts and cited words that were taken back, but for what a fact that stands says itself."""
    standing = {line[-1][2].text for line in histories.values() if line[-1][2].active}
    texts = {text for fact in gone for text in gone[fact]} - {ERASED} - standing
    yield from sorted(texts)
    words = {turns[span.turn].text[span.start : span.end] for span in spans if span.turn in turns}
    yield from sorted(text for text in words - texts - standing - {ERASED} if len(text) >= _SHORTEST)
