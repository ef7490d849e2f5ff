"""Rows on their way to disk: gathered in lists and written a few thousand at a time."""

from __future__ import annotations

import json
from typing import Any

from nocturne.core.digest import trusted
from nocturne.core.facts import Fact
from nocturne.store.connection import Link
from nocturne.store.rows import FACT_COLUMNS, Columns, columns_of, fact_row, normal
from nocturne.store.search import Index, Said
from nocturne.store.texts import Names, Salts, sealed

Span = tuple[int, int, int]


class Held:
    """A fact's current version: its columns in normal form, its words and its sources."""

    __slots__ = ("_json", "columns", "retired", "row", "seq", "spans", "text")

    def __init__(self, columns: Columns, text: str | None, spans: frozenset[Span]) -> None:
        self.columns = columns
        self.text = text
        self.spans = spans
        self.seq = 0
        self.retired: int | None = None
        self.row: list[Any] | None = None
        self._json = ""

    def json(self) -> str:
        """The columns as canonical JSON: what a new fact's change holds, and the leaf."""
        if not self._json:
            self._json = trusted(self.columns)
        return self._json

    @property
    def speaker(self) -> str | None:
        """The commitment of the speaker's name."""
        found: str | None = self.columns.get("speaker")
        return found

    @property
    def said(self) -> tuple[str | None, str | None]:
        """The words, and whose."""
        return self.text, self.speaker

    @property
    def active(self) -> bool:
        """Whether the version is in the active set."""
        return "active" not in self.columns


class Batch:
    """What a transaction has built and not yet written, and the current versions that it has looked at."""

    def __init__(self, link: Link, search_index: Index, names: Names) -> None:
        self._link = link
        self._search = search_index
        self._names = names
        self._salts = Salts()
        self._held: dict[int, Held] = {}
        self._shared: dict[str, str] = {}
        self._index: dict[int, Said | None] = {}
        self._texts: list[tuple[str, bytes, str]] = []
        self._new_names: list[tuple[str]] = []
        self._facts: list[list[Any]] = []
        self._unwritten: set[int] = set()
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
            held = Held(normal(row[4:]), row[3], frozenset(spans.get(row[0], ())))
            held.seq, held.retired = row[1], row[2]
            self._held[row[0]] = held

    def held(self, fact: int) -> Held | None:
        """The fact's current version inside this transaction, or None where there is none."""
        if fact not in self._held:
            self.load({fact})
        return self._held.get(fact)

    def is_current(self, held: Held, fact: Fact) -> bool:
        """Whether the fact, as a pass judged it, is the version that the store holds."""
        return (
            (held.text is None or held.text == fact.text)
            and held.spans == frozenset((span.turn, span.start, span.end) for span in fact.sources)
            and held.columns == columns_of(fact, held.columns["text"], self.name)
        )

    def former(self, fact: int, text: str) -> str | None:
        """The commitment under which an earlier version of the fact said the same, or None."""
        if fact in self._unwritten:
            self._write_texts()
            self._write_facts()
        found: str | None = self._link.value(
            "SELECT f.text FROM facts AS f JOIN texts AS t ON t.hash = f.text "
            "WHERE f.fact_id = ? AND t.text = ? LIMIT 1",
            (fact, text),
        )
        return found

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
        row = [fact, seq, None, *fact_row(after.columns), after.retired]
        after.row = row
        self._facts.append(row)
        self._unwritten.add(fact)
        if before is not None:
            if before.row is not None:
                before.row[2] = seq
            else:
                self._closed.append((seq, fact, before.seq))
        had = before.spans if before is not None else frozenset()
        for span in after.spans - had:
            source = [fact, *span, seq, None]
            self._sources.append(source)
            self._source_rows[fact, span] = source
        for span in had - after.spans:
            open_row = self._source_rows.pop((fact, span), None)
            if open_row is not None:
                open_row[5] = seq
            else:
                self._sources_closed.append((seq, fact, *span))
        self._held[fact] = after
        was = before is not None and before.active
        if after.active and not (was and before is not None and before.said == after.said):
            # None where it was purged: there is nothing to find it by.
            self._index[fact] = None if after.text is None else (after.text, self._names.of(after.speaker))
        elif was and not after.active:
            self._index[fact] = None

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
        self._source_rows = {}

    def _write_texts(self) -> None:
        self._many("INSERT INTO texts (hash, salt, text) VALUES (?, ?, ?)", self._texts)
        self._many("INSERT INTO names VALUES (?)", self._new_names)

    def _write_facts(self) -> None:
        """Write entries and versions; versions that are held on are marked as written."""
        self._whole("ledger", self.ledger)
        self._whole("turns", self.turns)
        self._many("UPDATE facts SET to_seq = ? WHERE fact_id = ? AND from_seq = ?", self._closed)
        self._whole("facts", self._facts)
        self._unwritten.clear()
        for held in self._held.values():
            held.row = None
        self._many(
            "UPDATE fact_sources SET to_seq = ? WHERE fact = ? AND turn = ? AND start = ? AND stop = ? "
            "AND to_seq IS NULL",
            self._sources_closed,
        )
        self._many("INSERT INTO fact_sources VALUES (?, ?, ?, ?, ?, ?)", self._sources)
        self._source_rows = {}
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
