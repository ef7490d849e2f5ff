"""Rows on their way to disk: gathered in lists and written a few thousand at a time."""

from __future__ import annotations

import json
from typing import Any

from nocturne.core.acts import ERASED
from nocturne.core.digest import leaf_of, sources_json, trusted
from nocturne.core.facts import Fact
from nocturne.store.connection import Link
from nocturne.store.rows import (
    ACTIVE,
    FACT_COLUMNS,
    SPEAKER,
    SUBJECT,
    TEXT,
    Columns,
    Values,
    normal,
    overwritten,
    values_of,
)
from nocturne.store.search import Index, Said
from nocturne.store.texts import Names, Salts, sealed

Span = tuple[int, int, int]


class Held:
    """A fact's current version: its columns, its words and its sources."""

    __slots__ = (
        "_columns",
        "_json",
        "_sources",
        "active",
        "retired",
        "row",
        "seq",
        "spans",
        "text",
        "values",
    )

    def __init__(self, values: Values, text: str | None, spans: frozenset[Span]) -> None:
        self.values = values
        self.active: bool = values[ACTIVE] == 1
        self.text = text
        self.spans = spans
        self.seq = 0
        self.retired: int | None = None
        self.row: list[Any] | None = None
        self._columns: Columns | None = None
        self._json = ""
        self._sources = ""

    def stepped(self, step: Columns, values: Values, text: str | None, spans: frozenset[Span]) -> Held:
        """The version after a step."""
        now = Held(values, text, spans)
        now._columns = overwritten(self._normal(), step)
        if spans is self.spans:
            self._sources = now._sources = self._sources or sources_json(spans)
        return now

    def _normal(self) -> Columns:
        if self._columns is None:
            self._columns = normal(self.values)
        return self._columns

    def json(self) -> str:
        """The columns in normal form as canonical JSON: what a new fact's change holds."""
        if not self._json:
            self._json = trusted(self._normal())
        return self._json

    def leaf(self, fact: int) -> bytes:
        """The version as the state digest sees it."""
        if not self._sources:
            self._sources = sources_json(self.spans)
        return leaf_of(fact, self.json(), self._sources)

    @property
    def speaker(self) -> str | None:
        """The commitment of the speaker's name."""
        found: str | None = self.values[SPEAKER]
        return found


class Batch:
    """What a transaction has built and not yet written, and the current versions that it has looked at."""

    def __init__(self, link: Link, search_index: Index, names: Names) -> None:
        self._link = link
        self._search = search_index
        self._names = names
        self._salts = Salts()
        self._held: dict[int, Held] = {}
        self._former: dict[int, dict[str, str]] = {}
        self._former_read: set[int] = set()
        self._shared: dict[str, str] = {}
        self._index: dict[int, Said | None] = {}
        self._texts: list[tuple[str, bytes, str]] = []
        self._new_names: list[tuple[str]] = []
        self._facts: list[list[Any]] = []
        self._closed: list[tuple[int, int, int]] = []
        self._sources: list[list[Any]] = []
        self._source_rows: dict[tuple[int, Span], list[Any]] = {}
        self._sources_closed: list[tuple[int, int, int, int, int]] = []
        self.ledger: list[tuple[Any, ...]] = []
        self.turns: list[list[Any]] = []
        self.lineage: list[tuple[int, int, int, str, int, int]] = []
        self.touched: list[tuple[int, int]] = []
        self.memo: list[tuple[str, int]] = []
        self.stones: list[tuple[str, tuple[Any, ...]]] = []

    def text(self, text: str) -> str:
        """Seal a text; returns its commitment."""
        row = sealed(self._salts, text)
        self._texts.append(row)
        return row[0]

    def shared(self, text: str) -> str:
        """The commitment of a text that many rulings of one transaction have in common."""
        known = self._shared.get(text)
        if known is None:
            known = self._shared[text] = self.text(text)
        return known

    def name(self, name: str) -> str:
        """The commitment of a name that recurs: the same one each time."""
        known = self._names.known().get(name)
        if known is not None:
            return known
        hash_ = self.text(name)
        self._names.learn(name, hash_)
        self._new_names.append((hash_,))
        return hash_

    def load(self, ids: set[int]) -> None:
        """Read the current versions of these facts in one go."""
        missing = ids - self._held.keys()
        if not missing:
            return
        wanted = json.dumps(sorted(missing))
        spans: dict[int, set[Span]] = {}
        for fact, *span in self._link.all(
            "SELECT fact, turn, start, stop FROM fact_sources "
            "WHERE fact IN (SELECT value FROM json_each(?)) AND to_seq IS NULL",
            (wanted,),
        ):
            spans.setdefault(fact, set()).add((span[0], span[1], span[2]))
        for row in self._link.all(
            f"SELECT f.fact_id, f.from_seq, f.retired_seq, t.text, {FACT_COLUMNS} FROM facts AS f "  # noqa: S608
            "JOIN texts AS t ON t.hash = f.text "
            "WHERE f.fact_id IN (SELECT value FROM json_each(?)) AND f.to_seq IS NULL",
            (wanted,),
        ):
            held = Held(row[4:], row[3], frozenset(spans.get(row[0], ())))
            held.seq, held.retired = row[1], row[2]
            self._held[row[0]] = held

    def held(self, fact: int) -> Held | None:
        """The fact's current version inside this transaction, or None where there is none."""
        if fact not in self._held:
            self.load({fact})
        return self._held.get(fact)

    def values(self, fact: Fact, text: str, held: Held | None) -> Values:
        """The fact's columns; a name that was purged from the version held stays the one it was."""
        was = (None, None) if held is None else (held.values[SPEAKER], held.values[SUBJECT])
        speaker, subject = fact.speaker, fact.subject
        return values_of(
            fact,
            text,
            None if speaker is None else self._named(speaker, was[0]),
            None if subject == "user" else self._named(subject, was[1]),
        )

    def _named(self, name: str, was: str | None) -> str:
        return was if name == ERASED and was is not None and self._names.of(was) is None else self.name(name)

    def is_current(self, held: Held, fact: Fact, spans: frozenset[Span]) -> bool:
        """Whether the fact, as a pass judged it, is the version that the store holds."""
        return (
            (held.text is None or held.text == fact.text)
            and held.spans == spans
            and held.values == self.values(fact, held.values[TEXT], held)
        )

    def load_former(self, ids: set[int]) -> None:
        """Read in one go what these facts said before."""
        missing = ids - self._former_read
        if not missing:
            return
        self._former_read |= missing
        for fact, hash_, text in self._link.all(
            "SELECT f.fact_id, f.text, t.text FROM facts AS f JOIN texts AS t ON t.hash = f.text "
            "WHERE f.fact_id IN (SELECT value FROM json_each(?)) AND f.to_seq NOT NULL AND t.text NOT NULL",
            (json.dumps(sorted(missing)),),
        ):
            self._former.setdefault(fact, {})[text] = hash_

    def former(self, fact: int, text: str) -> str | None:
        """The commitment under which an earlier version of the fact said the same, or None."""
        self.load_former({fact})
        return self._former.get(fact, {}).get(text)

    def version_of(self, fact: int) -> int:
        """The sequence number from which the fact's current version holds."""
        held = self.held(fact)
        if held is None:
            raise ValueError(f"m{fact} is not in the store")
        return held.seq

    def step(self, seq: int, fact: int, before: Held | None, after: Held) -> None:
        """Take one change of one fact: close the version before, open the next."""
        after.seq = seq
        if not after.active:
            after.retired = before.retired if before is not None and not before.active else seq
        row = [fact, seq, None, *after.values, after.retired]
        after.row = row
        self._facts.append(row)
        if before is not None:
            if before.row is not None:
                before.row[2] = seq
            else:
                self._closed.append((seq, fact, before.seq))
        had: frozenset[Span] = before.spans if before is not None else frozenset()
        if had is not after.spans:
            self._rests(seq, fact, had, after.spans)
        if before is not None and before.text is not None and before.text != after.text:
            self._former.setdefault(fact, {})[before.text] = before.values[TEXT]
        self._held[fact] = after
        was = before is not None and before.active
        if after.active and not (
            was and before is not None and before.text == after.text and before.speaker == after.speaker
        ):
            # None where it was purged: there is nothing to find it by.
            self._index[fact] = None if after.text is None else (after.text, self._names.of(after.speaker))
        elif was and not after.active:
            self._index[fact] = None

    def _rests(self, seq: int, fact: int, had: frozenset[Span], has: frozenset[Span]) -> None:
        """Open the sources that a step gained, and close those it lost."""
        for span in has - had:
            source = [fact, *span, seq, None]
            self._sources.append(source)
            self._source_rows[fact, span] = source
        for span in had - has:
            open_row = self._source_rows.pop((fact, span), None)
            if open_row is not None:
                open_row[5] = seq
            else:
                self._sources_closed.append((seq, fact, *span))

    def reindex(self, search_index: Index) -> None:
        """Go on with an index that was made anew."""
        self._search = search_index

    def flush(self) -> None:
        """Write everything gathered so far, inside the open transaction."""
        self._write_texts()
        self._write_facts()
        if self._index:
            self._search.update(self._index)
            self._index = {}
        self._held = {}
        self._former = {}
        self._former_read = set()
        self._source_rows = {}

    def _write_texts(self) -> None:
        # In the order of their index: commitments are random, and each by itself would be looked for from its root.
        self._texts.sort()
        self._many("INSERT INTO texts (hash, salt, text) VALUES (?, ?, ?)", self._texts)
        self._many("INSERT INTO names VALUES (?)", self._new_names)

    def _write_facts(self) -> None:
        """Write entries and versions, and what goes with them."""
        self._whole("ledger", self.ledger)
        self._whole("turns", self.turns)
        self._many("UPDATE facts SET to_seq = ? WHERE fact_id = ? AND from_seq = ?", self._closed)
        self._whole("facts", self._facts)
        self._many(
            "UPDATE fact_sources SET to_seq = ? WHERE fact = ? AND turn = ? AND start = ? AND stop = ? "
            "AND to_seq IS NULL",
            self._sources_closed,
        )
        self._many("INSERT INTO fact_sources VALUES (?, ?, ?, ?, ?, ?)", self._sources)
        self._many("INSERT INTO lineage VALUES (?, ?, ?, ?, ?, ?)", self.lineage)
        self._many("INSERT OR IGNORE INTO touched VALUES (?, ?)", self.touched)
        self._many("INSERT OR IGNORE INTO memo VALUES (?, ?)", self.memo)
        for sql, args in self.stones:
            self._link.run(sql, args)
        self.stones.clear()

    def _whole(self, table: str, rows: list[Any]) -> None:
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            self._many(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608 - the table is our own word

    def _many(self, sql: str, rows: list[Any]) -> None:
        if rows:
            self._link.many(sql, rows)
            rows.clear()
