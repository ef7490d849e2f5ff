"""Full text and token numbers of the active facts, in the transaction that changed them.

The index holds no words: a fact's tokens are numbers of the dictionary ``tokens``, and the full-text index is
fed those numbers in base 36, which is ASCII whatever the script.
"""

from __future__ import annotations

import array
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from nocturne.core.contents import Contents, Words, row_of
from nocturne.core.digest import lexicon_digest, sealed_keys
from nocturne.store.connection import Link

Said = tuple[str, str | None]
"""A text and its speaker."""

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def _words(text: str) -> Sequence[str]:
    return text.casefold().split()


def _no_words() -> str:
    return "{}"


def _nothing(_text: str, _speaker: str | None) -> Sequence[Sequence[str]]:
    return ()


@dataclass(frozen=True, slots=True)
class Measures:
    """How texts are measured: tokens to index by, the measures' version, and how to write the lexicon down.

    ``lexicon`` gives it as canonical JSON, which takes longer than a query: who only reads does not ask.
    ``denied`` gives what a text, as somebody's, could be denied by: sealed with the store's key it is kept beside
    the tokens.
    """

    version: str = "0"
    lexicon: Callable[[], str] = _no_words
    tokenise: Callable[[str], Sequence[str]] = _words
    denied: Callable[[str, str | None], Sequence[Sequence[str]]] = _nothing


_PAIRS = [high + low for high in _DIGITS for low in _DIGITS]


def term(token: int) -> str:
    """A token's number as the full-text index has it."""
    out = ""
    while token >= 36:
        token, pair = divmod(token, 1_296)
        out = _PAIRS[pair] + out
    return (_DIGITS[token] + out).lstrip("0") or "0"


def packed(ids: Iterable[int]) -> bytes:
    """Token numbers as little-endian 32-bit integers, in the text's order."""
    block = array.array("I", ids)
    if sys.byteorder == "big":
        block.byteswap()
    return block.tobytes()


def unpacked(blob: bytes) -> list[int]:
    """The token numbers of a blob."""
    block = array.array("I")
    block.frombytes(blob)
    if sys.byteorder == "big":
        block.byteswap()
    return block.tolist()


def numbers(link: Link, tokens: Iterable[str]) -> dict[str, int]:
    """The numbers of the tokens that the dictionary knows."""
    wanted = json.dumps(sorted(set(tokens)), ensure_ascii=False)
    return dict(
        link.all("SELECT token, id FROM tokens WHERE token IN (SELECT value FROM json_each(?))", (wanted,))
    )


class Index:
    """The index within one transaction: it knows the tokens it has met, and counts them once, at the end."""

    def __init__(self, link: Link, measures: Measures, secret: bytes) -> None:
        self._link = link
        self._tokenise = measures.tokenise
        self._denied = measures.denied
        self._secret = secret
        self._known: dict[str, int] = {}
        self._terms: dict[int, str] = {}
        self._counts: Counter[int] = Counter()

    def update(self, wanted: Mapping[int, Said | None]) -> None:
        """Bring the index to where these facts say this; None takes a fact out."""
        link = self._link
        terms = self._terms
        gone: list[tuple[int, str]] = []
        for fact, blob in link.all(
            "SELECT fact, ids FROM fact_tokens WHERE fact IN (SELECT value FROM json_each(?))",
            (json.dumps(list(wanted)),),
        ):
            ids = unpacked(blob)
            self._counts.subtract(set(ids))
            gone.append((fact, " ".join([terms.get(number) or self._term(number) for number in ids])))
        if gone:
            link.many("INSERT INTO search (search, rowid, tokens) VALUES ('delete', ?, ?)", gone)
            link.many("DELETE FROM fact_tokens WHERE fact = ?", [(fact,) for fact, _ in gone])
            link.many("DELETE FROM denials WHERE fact = ?", [(fact,) for fact, _ in gone])
        streams = {fact: self._tokenise(said[0]) for fact, said in wanted.items() if said is not None}
        if not streams:
            return
        self._learn({token for stream in streams.values() for token in stream})
        known = self._known
        rows: list[tuple[int, bytes]] = []
        fed: list[tuple[int, str]] = []
        for fact in sorted(streams):
            ids = [known[token] for token in streams[fact]]
            self._counts.update(set(ids))
            rows.append((fact, packed(ids)))
            fed.append((fact, " ".join([terms[number] for number in ids])))
        link.many("INSERT INTO fact_tokens (fact, ids) VALUES (?, ?)", rows)
        link.many("INSERT INTO search (rowid, tokens) VALUES (?, ?)", fed)
        denials = [
            (fact, sealed_keys(self._secret, self._denied(*said)))
            for fact, said in sorted(wanted.items())
            if said is not None
        ]
        link.many("INSERT INTO denials (fact, keys) VALUES (?, ?)", denials)

    def _term(self, number: int) -> str:
        made = self._terms[number] = term(number)
        return made

    def _learn(self, tokens: set[str]) -> None:
        unmet = tokens - self._known.keys()
        if not unmet:
            return
        found = numbers(self._link, unmet)
        fresh = sorted(unmet - found.keys())
        if fresh:
            first = int(self._link.value("SELECT value FROM meta WHERE key = 'next_token'") or 1)
            given = dict(zip(fresh, range(first, first + len(fresh)), strict=True))
            self._link.many("INSERT INTO tokens (token, id, df) VALUES (?, ?, 0)", given.items())
            self._link.run("INSERT OR REPLACE INTO meta VALUES ('next_token', ?)", (first + len(fresh),))
            found.update(given)
        self._known.update(found)
        self._terms.update((number, term(number)) for number in found.values())

    def finish(self) -> None:
        """Write the document frequencies that changed."""
        steps = [(step, number) for number, step in sorted(self._counts.items()) if step]
        if steps:
            self._link.many("UPDATE tokens SET df = df + ? WHERE id = ?", steps)
        self._counts.clear()


def rebuilt(link: Link, measures: Measures, secret: bytes) -> Index:
    """The index and its dictionary made anew from the active facts; numbers of tokens that stay are kept."""
    link.run("INSERT INTO search (search) VALUES ('delete-all')")
    link.run("DELETE FROM fact_tokens")
    link.run("DELETE FROM denials")
    link.run("UPDATE tokens SET df = 0")
    index = Index(link, measures, secret)
    texts = link.all(
        "SELECT f.fact_id, t.text, s.text FROM facts AS f JOIN texts AS t ON t.hash = f.text "
        "LEFT JOIN texts AS s ON s.hash = f.speaker "
        "WHERE f.to_seq IS NULL AND f.active = 1 AND t.text NOT NULL ORDER BY f.fact_id"
    )
    for start in range(0, len(texts), 5_000):
        index.update({fact: (text, speaker) for fact, text, speaker in texts[start : start + 5_000]})
    index.finish()
    link.run("DELETE FROM tokens WHERE df = 0")
    return Index(link, measures, secret)


def rows(link: Link) -> list[tuple[int, bytes]]:
    """Every active fact's token numbers."""
    found: list[tuple[int, bytes]] = [
        (row[0], row[1]) for row in link.all("SELECT fact, ids FROM fact_tokens")
    ]
    return found


def contents(link: Link, measures: Measures) -> Contents[int]:
    """The content words of every active fact, as they were measured at writing.

    Empty where any of the record was measured otherwise than now: then the texts must be measured anew.
    """
    if not _measured_alike(link, measures):
        return Contents(Words(), {})
    held: dict[int, str] = dict(link.stream("SELECT id, token FROM tokens"))
    # Numbers are given out one after the other, but nothing in the file promises that none is missing.
    words = Words([held.get(number, "") for number in range(max(held, default=-1) + 1)])
    return Contents(
        words, {fact: row_of(unpacked(ids)) for fact, ids in link.stream("SELECT fact, ids FROM fact_tokens")}
    )


def denials(link: Link, measures: Measures) -> dict[int, bytes]:
    """What every active fact could be denied by, as sealed keys of eight bytes.

    Empty where any of the record was measured otherwise than now.
    """
    return dict(link.stream("SELECT fact, keys FROM denials")) if _measured_alike(link, measures) else {}


def _measured_alike(link: Link, measures: Measures) -> bool:
    """Whether the whole record was measured as now."""
    now = (lexicon_digest(measures.lexicon()), measures.version)
    held = {
        (read["lexicon"], read["measures"])
        for (more,) in link.all("SELECT more FROM ledger WHERE type = 'setting'")
        if (read := json.loads(more))
    }
    return held == {now}


def rows_of(link: Link, facts: Iterable[int]) -> dict[int, list[int]]:
    """The token numbers of some active facts."""
    wanted = json.dumps(sorted(set(facts)))
    return {
        fact: unpacked(blob)
        for fact, blob in link.all(
            "SELECT fact, ids FROM fact_tokens WHERE fact IN (SELECT value FROM json_each(?)) ORDER BY fact",
            (wanted,),
        )
    }


def frequencies(link: Link, tokens: Iterable[int] | None = None) -> dict[int, int]:
    """In how many active facts each token stands; of all tokens or of some."""
    if tokens is None:
        return dict(link.stream("SELECT id, df FROM tokens"))
    wanted = json.dumps(sorted(set(tokens)))
    return dict(link.all("SELECT id, df FROM tokens WHERE id IN (SELECT value FROM json_each(?))", (wanted,)))


def looked_up(link: Link, tokens: Iterable[str]) -> dict[str, tuple[int, int]]:
    """The number and the document frequency of the tokens that the dictionary knows."""
    wanted = json.dumps(sorted(set(tokens)), ensure_ascii=False)
    return {
        token: (number, count)
        for token, number, count in link.all(
            "SELECT token, id, df FROM tokens WHERE token IN (SELECT value FROM json_each(?))", (wanted,)
        )
    }


def query(
    link: Link, groups: Sequence[Sequence[int]], limit: int, *, latest: bool = False
) -> list[tuple[int, float]]:
    """Facts by BM25, the best first, that hold at least one token of every group.

    ``latest`` takes the newest facts instead of the best: a rank over all that hold a common token is dear.
    """
    parts = ["(" + " OR ".join(term(number) for number in group) + ")" for group in groups if group]
    if not parts:
        return []
    order = "rowid DESC" if latest else "rank, rowid"
    return [
        (fact, -score)
        for fact, score in link.all(
            f"SELECT rowid, rank FROM search WHERE search MATCH ? ORDER BY {order} LIMIT ?",  # noqa: S608 - ours
            (" AND ".join(parts), limit),
        )
    ]


def problems(link: Link, measures: Measures) -> list[str]:
    """Where the index and its dictionary differ from what the active facts say, made anew to compare."""
    found: list[str] = []
    words: dict[int, str] = dict(link.all("SELECT id, token FROM tokens"))
    held: dict[int, bytes] = dict(link.all("SELECT fact, ids FROM fact_tokens"))
    counts: Counter[int] = Counter()
    for fact, text in link.stream(
        "SELECT f.fact_id, t.text FROM facts AS f JOIN texts AS t ON t.hash = f.text "
        "WHERE f.to_seq IS NULL AND f.active = 1 AND t.text NOT NULL ORDER BY f.fact_id"
    ):
        ids = unpacked(held.pop(fact, b""))
        if [words.get(number) for number in ids] != list(measures.tokenise(text)):
            found.append(f"fact_tokens m{fact}: not the tokens of its text")
        counts.update(set(ids))
    found += [f"fact_tokens m{fact}: the fact is not active" for fact in held]
    listed: dict[int, int] = dict(link.all("SELECT id, df FROM tokens WHERE df != 0"))
    for number in sorted(listed.keys() | counts.keys()):
        if listed.get(number, 0) != counts[number]:
            found.append(f"tokens {number}: df is {listed.get(number, 0)}, counted {counts[number]}")
    indexed = {int(word, 36): count for word, count in link.all("SELECT term, doc FROM search_terms")}
    for number in sorted(indexed.keys() | counts.keys()):
        if indexed.get(number, 0) != counts[number]:
            found.append(
                f"search: token {number} in {indexed.get(number, 0)} facts, counted {counts[number]}"
            )
    return found
