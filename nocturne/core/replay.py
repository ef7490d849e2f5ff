"""The record played again from its first entry, over plain rows: what the tables must hold, and where not.

Nothing here reads a database: ``Tables`` hands in rows in the order that each field's comment states, so that
facts, sources and lineage run in step with the ledger and only the current state stands in memory.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from nocturne.core import digest as d
from nocturne.core.chain import COLUMNS, DEFAULTS, ENTRY_COLUMNS, entry_of, normal, sealed_row, touched_by
from nocturne.core.record import Base, Problem, Replayed, Row, Tables, Version

Watch = Callable[
    [int, Mapping[str, Any], Mapping[int, Version | None], Mapping[int, Version]], None
]
"""Called after each entry: its number, the entry, what stood before it of the facts it names, and what stands now."""

_MOST = 200
"""Problems told one by one; the rest is counted."""


class _Feed:
    """Rows in step with the ledger: those of one key at a time; what no entry accounts for is told."""

    def __init__(self, rows: Iterable[Row], tell: Callable[[str, str], None], name: str) -> None:
        self._rows: Iterator[Row] = iter(rows)
        self._next: Row | None = next(self._rows, None)
        self._tell = tell
        self._name = name

    def at(self, key: int) -> list[Row]:
        """The rows whose first column is ``key``."""
        found: list[Row] = []
        while self._next is not None and self._next[0] <= key:
            if self._next[0] < key:
                self._tell(f"{self._name} {list(self._next[:5])}", "no entry of the ledger made this row")
            else:
                found.append(self._next)
            self._next = next(self._rows, None)
        return found

    def rest(self) -> None:
        """Tell of the rows that are left."""
        self.at(2**63)


class Replay:
    """One pass over the ledger and, in step, over the tables that it accounts for."""

    def __init__(self, tables: Tables, watch: Watch | None = None) -> None:
        self._watch = watch
        self.found = Replayed()
        self._tables = tables
        self._lanes = d.LtHash()
        self._facts = _Feed(tables.facts, self._tell, "facts")
        self._sources = _Feed(tables.fact_sources, self._tell, "fact_sources")
        self._lineage = _Feed(tables.lineage, self._tell, "lineage")
        self._touched = _Feed(tables.touched, self._tell, "touched")
        self._turns = _Feed(tables.turns, self._tell, "turns")
        self._open: dict[tuple[int, int, int, int], int | None] = {}
        self._newest = 0
        self._turn = 0
        self._number = -1
        self._active = 0
        self._digest = d.LtHash().digest()
        self._counts: Counter[str] = Counter()
        self._settings: dict[int, str] = {}
        self._read: dict[int, list[Any]] = {}
        self._memo: dict[str, int] = {}
        self._stones: dict[str, list[Any]] = {}
        self._runs: dict[str, list[tuple[int, str, int]]] = {"accesses": [], "quiz_runs": []}
        self._named: set[str] = set()
        self._policies: set[str] = set()
        self._lexicons: set[str] = set()
        if tables.base is not None:
            self._begin(tables.base)

    def _begin(self, base: Base) -> None:
        """Stand at a snapshot, and check that the facts it holds have the digest that it recorded."""
        entry = entry_of(base.ledger[2:-1], json.loads(base.ledger[-1]))
        found = self.found
        found.entries, found.head = base.ledger[0], base.ledger[1]
        found.erased.update(base.erased)
        self._newest, self._turn = base.newest, base.turn
        self._number, self._active, self._digest = entry["number"], entry["active"], entry["digest"]
        self._settings.update(base.settings)
        for table, runs in self._runs.items():
            runs.append((*entry[table], entry["number"]))
        for since, fact, until, retired, *values in base.facts:
            columns = dict(zip(COLUMNS, values, strict=True))
            found.state[fact] = Version(normal(columns), set(), since, retired, until)
        for fact, turn, start, stop, until in base.spans:
            self._open[fact, turn, start, stop] = until
            if fact in found.state:
                found.state[fact].spans.add((turn, start, stop))
        for fact, version in found.state.items():
            self._lanes.add(version.leaf(fact))
        if self._lanes.digest() != self._digest:
            self._tell(
                f"snapshot s{self._number}", "the facts that it holds have another digest than it recorded"
            )
        found.snapshots.append((self._number, found.entries, self._digest))

    def run(self) -> Replayed:
        """Everything that the record says, and every disagreement."""
        self._documents()
        for row in self._tables.ledger:
            self._entry(row)
        if not self.found.entries:
            self._tell("ledger", "there is no entry at all")
        for feed in (self._facts, self._sources, self._lineage, self._touched, self._turns):
            feed.rest()
        self._ends()
        self._compare("sources", self._tables.sources, {k: list(v) for k, v in self._read.items()})
        self._compare("tombstones", self._tables.tombstones, {k: list(v) for k, v in self._stones.items()})
        self._compare("memo", self._tables.memo, {key: [seq] for key, seq in self._memo.items()})
        self._beside()
        self._texts()
        self.found.lanes = self._lanes.lanes()
        return self.found

    def _tell(self, where: str, what: str) -> None:
        if len(self.found.problems) < _MOST:
            self.found.problems.append(Problem(where, what))
        else:
            self.found.untold += 1

    # The ledger

    def _entry(self, row: Row) -> None:
        found = self.found
        seq, hash_, columns, more = row[0], row[1], row[2:-1], row[-1]
        where = f"ledger {seq}"
        if seq != found.entries + 1:
            self._tell(where, f"entry {found.entries + 1} is missing")
        if sealed_row(seq, found.head, row[2:]) != hash_:
            self._tell(where, "its hash is not that of its content and of the entry before it")
        found.entries, found.head = seq, hash_
        parsed = _members(more)
        if parsed is None:
            self._tell(where, "its column more is not canonical JSON")
            return
        entry = entry_of(columns, parsed)
        try:
            self._take(seq, entry)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            self._tell(where, f"it cannot be read: {error!r}")

    def _take(self, seq: int, entry: dict[str, Any]) -> None:
        type_ = entry["type"]
        watch = self._watch
        before = {} if watch is None else {fact: self.found.state.get(fact) for fact in touched_by(entry)}
        if type_ == "mutation":
            self._mutation(seq, entry)
        elif type_ == "snapshot":
            self._snapshot(seq, entry)
        elif type_ == "setting":
            self._settings[seq] = entry["policy"]
            if entry["policy"] not in self._policies or entry["lexicon"] not in self._lexicons:
                self._tell(f"ledger {seq}", "it names a policy or lexicon that is not on record")
        elif type_ == "genesis" and seq == 1:
            self.found.uuid = entry["uuid"]
            if d.secret_digest(self._tables.secret) != entry["secret"]:
                self._tell("meta", "the store's own key is not the one it was created with")
        else:
            self._tell(f"ledger {seq}", f"an entry of type {type_!r} has no place here")
        if watch is not None:
            watch(seq, entry, before, self.found.state)

    def _mutation(self, seq: int, entry: dict[str, Any]) -> None:
        where = f"ledger {seq}"
        self.found.mutations += 1
        self.found.accepted += entry["accepted"]
        if entry["snapshot"] != self._number + 1:
            self._tell(
                where, f"it says snapshot s{entry['snapshot']}, and the next one is s{self._number + 1}"
            )
        if "under" in entry and entry["under"] not in self._settings:
            self._tell(where, f"entry {entry['under']} is no setting")
        self._named.update(
            entry[key] for key in ("reason", "evidence", "raw", "said", "text", "by") if key in entry
        )
        if entry["kind"] == "source":
            self._source(seq, entry["source"])
        elif entry["kind"] == "turns":
            self._batch(seq, entry["turns"])
        else:
            self._counts["accepted" if entry["accepted"] else "refused"] += 1
            self._counts["engine"] += entry["accepted"] == 1 and entry["origin"] == "engine"
        parents = {link[1]: self.found.state[link[1]].since for link in entry.get("links", ())}
        self._changes(seq, entry)
        self._links(seq, entry.get("links", ()), parents)
        told = {row[1] for row in self._touched.at(seq)}
        if told != (wanted := touched_by(entry) if entry["kind"] not in ("source", "turns") else set()):
            self._tell(f"touched {seq}", f"it names {sorted(told)}, and the entry {sorted(wanted)}")
        if "memo" in entry:
            base = self._tables.base
            if base is None or entry["memo"] not in base.memo:
                self._memo.setdefault(entry["memo"], seq)
        for key, fact, cause in entry.get("buries", ()):
            self._stones[key] = [fact, cause, seq, None]
        for key in entry.get("lifts", ()):
            if key in self._stones and self._stones[key][3] is None:
                self._stones[key][3] = seq
        for hash_ in entry.get("erased", ()):
            self.found.erased.setdefault(hash_, seq)

    def _changes(self, seq: int, entry: Mapping[str, Any]) -> None:
        rows = {row[1]: row for row in self._facts.at(seq)}
        gained: dict[int, set[tuple[int, int, int]]] = {}
        lost: dict[int, set[tuple[int, int, int]]] = {}
        for into, part in ((gained, "sourced"), (lost, "unsourced")):
            for fact, turn, start, stop in entry.get(part, ()):
                into.setdefault(fact, set()).add((turn, start, stop))
        for fact, step in entry.get("changes", ()):
            before = self.found.state.get(fact)
            spans = (gained.pop(fact, set()) | (before.spans if before else set())) - lost.pop(fact, set())
            self._step(seq, fact, step, rows.pop(fact, None), spans)
        for fact in rows:
            self._tell(f"facts m{fact} from {seq}", "no entry of the ledger made this row")
        if gained or lost:
            self._tell(f"ledger {seq}", "it gives sources to facts that it does not change")
        self._spans(seq, entry)

    def _step(
        self, seq: int, fact: int, step: Mapping[str, Any], row: Row | None, spans: set[tuple[int, int, int]]
    ) -> None:
        before = self.found.state.get(fact)
        if before is None:
            if fact <= self._newest:
                self._tell(f"ledger {seq}", f"m{fact} is new and not above m{self._newest}")
            self._newest = max(self._newest, fact)
            merged: dict[str, Any] = dict(step)
        else:
            self._lanes.remove(before.leaf(fact))
            if before.until != seq:
                self._tell(
                    f"facts m{fact} from {before.since}", f"to_seq is {before.until}, the record says {seq}"
                )
            merged = {**before.columns, **step}
        columns = normal(merged)
        was = before is not None and "active" not in before.columns
        active = "active" not in columns
        self._active += active - was
        kind = "added" if before is None else "changed" if was == active else "retired" if was else "revived"
        self._counts[kind] += 1
        retired = None if active else seq if before is None or was else before.retired
        now = Version(columns, spans, seq, retired)
        self._lanes.add(now.leaf(fact))
        self._named.update(columns[name] for name in ("text", "speaker", "subject") if name in columns)
        self.found.state[fact] = now
        where = f"facts m{fact} from {seq}"
        if row is None:
            self._tell(where, "the row is missing")
            return
        now.until = row[2]
        if row[3] != retired:
            self._tell(where, f"retired_seq is {row[3]}, the record says {retired}")
        for name, value in zip(COLUMNS, row[4:], strict=True):
            if value != columns.get(name, DEFAULTS[name]):
                self._tell(
                    where, f"{name} is {value!r}, the record says {columns.get(name, DEFAULTS[name])!r}"
                )

    def _spans(self, seq: int, entry: Mapping[str, Any]) -> None:
        for fact, turn, start, stop in entry.get("unsourced", ()):
            until = self._open.pop((fact, turn, start, stop), None)
            if until != seq:
                self._tell(f"fact_sources m{fact} t{turn}", f"to_seq is {until}, the record says {seq}")
        told = {tuple(row[1:5]): row[5] for row in self._sources.at(seq)}
        wanted = {tuple(row) for row in entry.get("sourced", ())}
        if told.keys() != wanted:
            odd = min(told.keys() ^ wanted)
            self._tell(f"fact_sources from {seq}", f"the row {list(odd)} differs from the record")
        for key in wanted & told.keys():
            self._open[key] = told[key]
            if key[1] > self._turn:
                self._tell(f"ledger {seq}", f"m{key[0]} rests on t{key[1]}, which was not read yet")

    def _links(self, seq: int, links: Sequence[Sequence[Any]], parents: Mapping[int, int]) -> None:
        told = [tuple(row[1:]) for row in self._lineage.at(seq)]
        wanted = sorted({(c, p, role, self.found.state[c].since, parents[p]) for c, p, role in links})
        if told != wanted:
            self._tell(f"lineage {seq}", f"it holds {told}, the record {wanted}")

    def _source(self, seq: int, held: Mapping[str, Any]) -> None:
        names = ("path", "format", "content_hash", "cursor", "reader_version", "state")
        self._read[held["id"]] = [*(held[name] for name in names), seq]
        self._named.update(held[name] for name in ("path", "state") if held[name] is not None)

    def _batch(self, seq: int, batch: Mapping[str, Any]) -> None:
        rows = [list(row[1:]) for row in self._turns.at(seq)]
        if batch["first"] != self._turn + 1 or [row[0] for row in rows] != list(
            range(batch["first"], batch["first"] + batch["count"])
        ):
            self._tell(f"turns of entry {seq}", f"the record says {batch['count']} from t{batch['first']}")
        elif any(row[1] != batch["source"] for row in rows) or d.turns_digest(rows) != batch["digest"]:
            self._tell(f"turns of entry {seq}", "their digest is not the one on record")
        self._turn = batch["first"] + batch["count"] - 1
        for row in rows:
            self._named.update(row[place] for place in (7, 9, 14) if row[place] is not None)

    def _snapshot(self, seq: int, entry: Mapping[str, Any]) -> None:
        where, number, digest = f"snapshot s{entry['number']}", entry["number"], self._lanes.digest()
        if number != self._number + 1:
            self._tell(where, f"the one before it is s{self._number}")
        for name, told, wanted in (
            ("state digest", entry["digest"], digest),
            ("digest before", entry["previous"], self._digest),
            ("active count", entry["active"], self._active),
            ("counts", entry["counts"], {key: count for key, count in self._counts.items() if count}),
        ):
            if told != wanted:
                self._tell(where, f"its {name} is {told}, replayed it is {wanted}")
        if "policy" in entry and entry["policy"] not in self._policies:
            self._tell(where, "it names a policy that is not on record")
        if "command" in entry:
            self._named.add(entry["command"])
        for table, runs in self._runs.items():
            count, hash_ = entry[table]
            runs.append((count, hash_, number))
        self._number, self._digest = number, digest
        self._counts.clear()
        self.found.snapshots.append((number, seq, digest))

    # What stands at the end

    def _documents(self) -> None:
        for digest, name, document in self._tables.policies:
            self._policies.add(digest)
            if d.policy_digest(document) != digest or json.loads(document).get("name") != name:
                self._tell(f"policies {digest[:12]}", "the policy is not the one on record")
        for digest, document in self._tables.lexicons:
            self._lexicons.add(digest)
            if d.lexicon_digest(document) != digest:
                self._tell(f"lexicons {digest[:12]}", "the lexicon is not the one on record")

    def _ends(self) -> None:
        for fact, version in self.found.state.items():
            if version.until is not None:
                self._tell(
                    f"facts m{fact} from {version.since}", f"to_seq is {version.until}, and it is current"
                )
        for (fact, turn, _, _), until in self._open.items():
            if until is not None:
                self._tell(f"fact_sources m{fact} t{turn}", f"to_seq is {until}, and it is current")

    def _compare(self, table: str, rows: Iterable[Row], wanted: dict[Any, list[Any]]) -> None:
        for row in rows:
            expected = wanted.pop(row[0], None)
            if expected != list(row[1:]):
                self._tell(f"{table} {row[0]}", f"it holds {list(row[1:])}, the record {expected}")
        for key in wanted:
            self._tell(f"{table} {key}", "the row is missing")

    def _beside(self) -> None:
        last: dict[int, list[Any]] = {}
        for row in self._running("accesses", self._tables.accesses):
            last[row[3]] = list(row[4:])
        self._compare("activation", self._tables.activation, dict(last))
        for row in self._running("quiz_runs", self._tables.quiz_runs):
            if row[9] is not None:
                self._named.add(row[9])

    def _running(self, table: str, rows: Iterable[Row]) -> Iterator[Row]:
        checks = iter(self._runs[table])
        check = next(checks, None)
        count, hash_ = 0, d.ZERO
        if self._tables.base is not None and check is not None:
            count, hash_, _ = check
        first, first_hash = count, hash_
        while check is not None and check[0] == first:
            if check[1] != first_hash:
                self._tell(f"snapshot s{check[2]}", f"its hash over {table} is not that of {first} rows")
            check = next(checks, None)
        for row in rows:
            count += 1
            if row[0] != count:
                self._tell(f"{table} {row[0]}", f"row {count} is missing")
            hash_ = d.running_hash(hash_, [table, *row])
            while check is not None and check[0] == count:
                if check[1] != hash_:
                    self._tell(f"{table} up to {count}", f"its hash is not the one that s{check[2]} recorded")
                check = next(checks, None)
            yield row
        self.found.running[table] = (count, hash_)
        if check is not None:
            self._tell(table, f"it has {count} rows, and s{check[2]} recorded {check[0]}")

    def _texts(self) -> None:
        missing = self._named
        for hash_, salt, text in self._tables.texts:
            missing.discard(hash_)
            if text is None or salt is None:
                if hash_ not in self.found.erased or text is not None or salt is not None:
                    self._tell(f"texts {hash_[:12]}", "it is gone, and no entry erased it")
            elif hash_ in self.found.erased:
                self._tell(
                    f"texts {hash_[:12]}", f"entry {self.found.erased[hash_]} erased it, and it is there"
                )
            elif d.commitment(salt, text) != hash_:
                self._tell(f"texts {hash_[:12]}", "it is not the text that was recorded")
        for hash_ in sorted(missing):
            self._tell(f"texts {hash_[:12]}", "the record names it, and it is not there")


_NAMES = frozenset(ENTRY_COLUMNS)


def _members(more: str) -> dict[str, Any] | None:
    """The members of ``more``, or None where it is not a canonical object apart from the columns."""
    try:
        parsed = json.loads(more)
        whole = isinstance(parsed, dict) and d.canonical(parsed) == more and not parsed.keys() & _NAMES
    except (ValueError, TypeError):
        return None
    return parsed if whole else None


def replay(tables: Tables, watch: Watch | None = None) -> Replayed:
    """Play the record again and compare every covered table with it; ``watch`` sees every entry as it is played."""
    return Replay(tables, watch).run()
