#!/usr/bin/env python3
"""Audits a nocturne store from outside: one file, Python 3.11 or later, the standard library, nothing of nocturne.

    python verify.py --db FILE [--expect-head HASH] [--json]   audit a store, read-only
    python verify.py [--json]                                  play a scenario through the installed nocturne

Everything is written from nocturne/store/SCHEMA.md and nocturne/core/MEASURES.md a second time, so that a fault of
the product is not repeated here. One line a check with its figure. Exit code 0 only if all hold, 1 if one does not,
2 usage, 3 a file that cannot be read, 5 not a store, or one of a newer version.
"""

# ruff: noqa: S608, SIM905, FBT001, FBT003, TRY301
# Queries are put together of names that stand in this file; lists of words are written as words.

from __future__ import annotations

import argparse
import contextlib
import datetime as dt
import hashlib
import hmac
import json
import os
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

# ---------------------------------------------------------------------------------------------------------------
# What is checked, and what came of it
# ---------------------------------------------------------------------------------------------------------------

SHOWN = 5


@dataclass(slots=True)
class Check:
    """One line of the report: how many of how many held, and the first that did not."""

    name: str
    unit: str
    held: int = 0
    seen: int = 0
    problems: list[str] = field(default_factory=list)
    untold: int = 0
    notes: list[str] = field(default_factory=list)

    def holds(self, ok: bool, problem: str, *args: object) -> bool:
        """Count one thing; where it does not hold, say what (``str.format``)."""
        self.seen += 1
        if ok:
            self.held += 1
        else:
            self.bad(problem, *args)
        return ok

    def bad(self, problem: str, *args: object) -> None:
        """Something is wrong that was not counted as a thing of its own."""
        if len(self.problems) < SHOWN:
            self.problems.append(problem.format(*args) if args else problem)
        else:
            self.untold += 1

    @property
    def passed(self) -> bool:
        """Whether everything seen held."""
        return not self.problems

    def line(self, number: int) -> str:
        """The line as printed, and below it what did not hold and what must be said."""
        told = f"{'ok  ' if self.passed else 'FAIL'} {number:2d}  {self.name}: {self.held} of {self.seen} {self.unit}"
        more = [f"         {problem}" for problem in self.problems]
        if self.untold:
            more.append(f"         … and {self.untold} more")
        more += [f"         ({note})" for note in self.notes]
        return "\n".join([told, *more])


class Unreadable(Exception):
    """The audit cannot begin; ``code`` is the exit code."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


# ---------------------------------------------------------------------------------------------------------------
# Canonical JSON and hashes (SCHEMA.md, "The store, table by table")
# ---------------------------------------------------------------------------------------------------------------

ZERO = "0" * 64
_DUMP = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


def digest(domain: int, content: bytes) -> str:
    """H: SHA-256 over one domain byte and the content."""
    return hashlib.sha256(bytes((domain,)) + content).hexdigest()


def utf8(text: str) -> bytes:
    """UTF-8; what a damaged file holds instead keeps its bytes."""
    return text.encode("utf-8", "surrogateescape")


def keyed(secret: bytes, domain: int, value: object) -> str:
    """HMAC-SHA-256 under the store's key over a domain byte and canonical JSON."""
    return hmac.new(secret, bytes((domain,)) + utf8(_DUMP(value)), hashlib.sha256).hexdigest()


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no integer")


def _integer(text: str) -> int:
    value = int(text)
    if not -(2**63) <= value < 2**63:
        raise ValueError(f"{text} does not fit 64 bits")
    return value


def parsed(text: str) -> Any:
    """Canonical JSON as values; ValueError where the text is any other JSON or none."""
    value = json.loads(text, parse_float=_no_number, parse_constant=_no_number, parse_int=_integer)
    if _DUMP(value) != text:
        raise ValueError("it is not canonical JSON")
    return value


class Lanes:
    """LtHash: 1024 lanes of 16 bits, to which leaves are added and from which they are taken.

    Even and odd lanes are summed apart, in slots of 32 bits, so that one addition of long integers adds 512 lanes.
    """

    SLOTS = int.from_bytes(b"\xff\xff\x00\x00" * 512, "little")

    def __init__(self) -> None:
        self.sums = [0, 0, 0, 0]
        self.steps = 0
        self.known = ""

    def step(self, leaf: bytes, *, away: bool = False) -> None:
        """Put a leaf in, or take it out."""
        value = int.from_bytes(hashlib.shake_128(leaf).digest(2048), "little")
        at = 2 if away else 0
        self.sums[at] += value & self.SLOTS
        self.sums[at + 1] += (value >> 16) & self.SLOTS
        self.known = ""
        self.steps += 1
        if self.steps == 60_000:
            self.sums = [total & self.SLOTS for total in self.sums]
            self.steps = 0

    def state(self) -> bytes:
        """The 2048 bytes of the sum."""
        slots = [struct.unpack("<512I", (total & self.SLOTS).to_bytes(2048, "little")) for total in self.sums]
        lanes = [0] * 1024
        lanes[::2] = [(there - gone) & 0xFFFF for there, gone in zip(slots[0], slots[2], strict=True)]
        lanes[1::2] = [(there - gone) & 0xFFFF for there, gone in zip(slots[1], slots[3], strict=True)]
        return struct.pack("<1024H", *lanes)

    def digest(self) -> str:
        """The state digest."""
        if not self.known:
            self.known = digest(4, self.state())
        return self.known


# ---------------------------------------------------------------------------------------------------------------
# Reading a store, and never writing to it
# ---------------------------------------------------------------------------------------------------------------

APPLICATION, VERSION, MEASURES = 0x4E6F6374, 2, "1"
ENTRY = (
    "type at number label command active digest previous snapshot pass kind fact origin accepted code rule under "
    "refs figures reason evidence policy"
).split()
COLUMNS = (
    "text block category recorded_at layer speaker subject attribute said_at occurred_at occurred_grain confirmed_at "
    "valid_from valid_until successor active retired_by trust quarantined_by pinned namespace importance originals"
).split()
DEFAULT: dict[str, str | int | None] = {
    **dict.fromkeys(COLUMNS), "layer": "episodic", "active": 1, "trust": 100, "pinned": 0, "namespace": "default",
    "originals": 1,
}  # fmt: skip
TURN = (
    "id source key native_id byte_offset position session speaker provenance text said_at role tool_name tool_call "
    "tool_payload tool_outcome active_path trust"
).split()
ACCESS = "id at kind fact base last_access spaced labile_until".split()
QUIZ = "id at snapshot baseline asked recalled probed absent passed report".split()
SOURCE = "id path format content_hash cursor reader_version state".split()
TABLES = (
    "meta ledger texts names policies lexicons blocks sources turns facts fact_sources lineage touched tombstones memo "
    "activation accesses quiz_runs drift journal tokens fact_tokens"
).split()
Row = tuple[Any, ...]
Json = dict[str, Any]


class Store:
    """One moment of a store's file, opened so that SQLite itself refuses to write."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.raw = self._opened()
        self.raw.text_factory = lambda held: held.decode("utf-8", "surrogateescape")
        application, version = self.value("PRAGMA application_id"), self.value("PRAGMA user_version")
        if application != APPLICATION:
            raise Unreadable(f"{path} is a SQLite database, but not a nocturne store", 5)
        if version > VERSION:
            raise Unreadable(f"{path} is a store of version {version}; this verify.py knows version {VERSION}", 5)
        self.raw.execute("BEGIN")
        kinds: dict[str, str] = dict(self.all("SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view')"))
        if lacking := [name for name in TABLES if kinds.get(name) != "table"]:
            raise Unreadable(f"{path} has no table {lacking[0]}: it is no whole nocturne store", 5)

    def _opened(self) -> sqlite3.Connection:
        path = self.path
        try:
            with path.open("rb") as file:
                if file.read(16) != b"SQLite format 3\0":
                    raise Unreadable(f"{path} is not a nocturne store", 5)
        except OSError as error:
            raise Unreadable(f"{path} cannot be read: {error.strerror}", 3) from error
        address = f"file:{quote(str(path.absolute()))}?mode=ro"
        log = path.with_name(path.name + "-wal")
        waiting = log.exists() and log.stat().st_size > 0
        # In a folder that takes no sidecar files SQLite reads the file only as one that cannot change.
        for more in ("", "" if waiting else "&immutable=1"):
            raw = sqlite3.connect(address + more, uri=True, isolation_level=None, timeout=10)
            raw.execute("PRAGMA query_only = ON")
            raw.execute("PRAGMA trusted_schema = OFF")
            try:
                raw.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()
            except sqlite3.OperationalError as error:
                raw.close()
                if more or waiting:
                    raise Unreadable(f"{path} cannot be read: {error}", 3) from error
            else:
                return raw
        raise Unreadable(f"{path} cannot be read", 3)

    def all(self, sql: str, args: Sequence[Any] = ()) -> list[Row]:
        """Every row."""
        return self.raw.execute(sql, args).fetchall()

    def stream(self, sql: str, args: Sequence[Any] = ()) -> Iterator[Row]:
        """Rows one by one."""
        return self.raw.execute(sql, args)

    def one(self, sql: str, args: Sequence[Any] = ()) -> Row | None:
        """The first row, or None."""
        found: Row | None = self.raw.execute(sql, args).fetchone()
        return found

    def value(self, sql: str, args: Sequence[Any] = ()) -> Any:
        """The first column of the first row, or None."""
        row = self.one(sql, args)
        return None if row is None else row[0]


# ---------------------------------------------------------------------------------------------------------------
# The record, played again from its first entry
# ---------------------------------------------------------------------------------------------------------------

Span = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Version:
    """A fact as the record has it: columns in normal form, sources, since which entry, by which one retired."""

    columns: Json
    spans: frozenset[Span]
    since: int
    retired: int | None

    @property
    def active(self) -> bool:
        """Whether the fact is active."""
        return "active" not in self.columns

    def get(self, column: str) -> Any:
        """A column's value, its default where it is left out."""
        return self.columns.get(column, DEFAULT[column])

    @property
    def learned(self) -> int:
        """When the fact was last said or confirmed, else recorded."""
        said = self.get("said_at")
        first: int = self.columns["recorded_at"] if said is None else said
        confirmed = self.get("confirmed_at")
        return first if confirmed is None else max(first, confirmed)

    def leaf(self, fact: int) -> bytes:
        """The fact as the state digest sees it."""
        return b"\x03" + utf8(_DUMP([fact, self.columns, [list(span) for span in sorted(self.spans)]]))


class Replay:
    """Plays the ledger, and holds every covered table against what it says. ``judge`` sees each ruling on the way."""

    def __init__(self, store: Store, judge: Judge) -> None:
        self.db = store
        self.judge = judge
        judge.replay = self
        self.chain = Check("the chain is whole", "entries follow from the one before")
        self.read = Check("every entry is readable, in canonical JSON", "entries")
        self.origin = Check("the store is the one that entry 1 names", "of its key's hash and its identity")
        self.digests = Check("the state digest is replayed at every snapshot", "snapshots")
        self.snapshots = Check("snapshots are numbered, linked and counted right", "snapshots")
        self.rows = {
            name: Check(f"table {name} is what the record makes", "rows")
            for name in "facts fact_sources lineage touched turns sources tombstones memo activation".split()
        }
        self.documents = Check("policies and lexicons are those on record", "documents")
        self.running = Check("accesses and quiz runs have the hashes that snapshots recorded", "hashes")
        self.texts = Check("every text is the one that was recorded", "texts")
        self.refused = Check("refused rulings changed nothing", "refused rulings")
        self.meta = Check("what runs along with the record agrees with it", "figures")
        self.state: dict[int, Version] = {}
        self.lanes = Lanes()
        self.seq, self.head = 0, ZERO
        self.heads: dict[str, int] = {}
        self.newest = self.turn = self.active = 0
        self.number, self.digest = -1, Lanes().digest()
        self.counts: Counter[str] = Counter()
        self.settings: dict[int, Json] = {}
        self.setting = 0
        self.open: dict[tuple[int, int, int, int], int] = {}
        self.keys: dict[str, set[Row]] = {name: set() for name in ("facts", "fact_sources", "lineage", "touched")}
        self.read_sources: dict[int, Row] = {}
        self.stones: dict[str, list[Any]] = {}
        self.memo: dict[str, int] = {}
        self.runs: dict[str, list[tuple[int, str, int]]] = {"accesses": [], "quiz_runs": []}
        self.named: set[str] = set()
        self.interned: set[str] = set()
        self.erased: dict[str, int] = {}
        self.uuid = ""
        self.secret = b""

    def checks(self) -> list[Check]:
        """In the order in which they are printed."""
        return [
            self.chain, self.read, self.origin, self.digests, self.snapshots, *self.rows.values(), self.documents,
            self.running, self.texts, self.refused, self.meta,
        ]  # fmt: skip

    def run(self) -> None:
        """Everything, from the first entry to the last row."""
        self._documents()
        columns = ", ".join(("seq", "hash", *ENTRY, "more"))
        for row in self.db.stream(f"SELECT {columns} FROM ledger ORDER BY seq"):
            self._entry(row)
        if not self.seq:
            self.chain.bad("the ledger is empty")
        self._versions_end()
        self._compare("sources", f"SELECT {', '.join(SOURCE)}, mutation FROM sources", self.read_sources)
        stones = {key: tuple(held) for key, held in self.stones.items()}
        self._compare("tombstones", "SELECT key, fact, cause, mutation, lifted FROM tombstones", stones)
        self._compare("memo", "SELECT key, mutation FROM memo", {key: (seq,) for key, seq in self.memo.items()})
        if (more := self.db.value("SELECT COUNT(*) FROM turns")) != self.rows["turns"].seen:
            self.rows["turns"].bad("{} rows, and the record made {}", more, self.rows["turns"].seen)
        self._beside()
        self._texts()
        self._meta()

    def _documents(self) -> None:
        self.known: dict[str, dict[str, str]] = {"policies": {}, "lexicons": {}}
        for table, domain in (("policies", 6), ("lexicons", 7)):
            for key, text in self.db.stream(f"SELECT digest, json FROM {table}"):
                ok = self.documents.holds(digest(domain, utf8(text)) == key, "{} {}: another digest", table, key[:12])
                if ok:
                    self.known[table][key] = text
        for key, name in self.db.stream("SELECT digest, name FROM policies"):
            text = self.known["policies"].get(key)
            if text is not None and json.loads(text).get("name") != name:
                self.documents.bad("policies {}: it is not called {!r}", key[:12], name)

    def _entry(self, row: Row) -> None:
        seq, told, more = row[0], row[1], row[-1]
        columns = row[2:-1]
        start = _DUMP([seq, self.head, *columns])
        follows = seq == self.seq + 1
        right = digest(1, utf8(f"{start[:-1]},{more}]")) == told
        if not follows:
            self.chain.bad("entry {} is missing", self.seq + 1)
        self.chain.holds(follows and right, "entry {}: its hash is not that of its content and of the one before", seq)
        self.seq, self.head = seq, told
        self.heads[told] = seq
        try:
            parts = parsed(more)
            if not isinstance(parts, dict) or parts.keys() & set(ENTRY):
                raise ValueError("its column more is no object apart from the columns")
            entry: Json = {name: value for name, value in zip(ENTRY, columns, strict=True) if value is not None}
            entry |= parts
            for name in ("refs", "figures"):
                if name in entry:
                    entry[name] = parsed(entry[name])
            self._take(seq, entry)
        except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
            self.read.holds(False, "entry {}: {!r}", seq, error)
        else:
            self.read.holds(True, "")

    def _take(self, seq: int, entry: Json) -> None:
        kind = entry["type"]
        if kind == "mutation":
            self._mutation(seq, entry)
        elif kind == "snapshot":
            self._snapshot(seq, entry)
        elif kind == "setting":
            self.settings[seq] = entry
            self.setting = seq
            for table, key in (("policies", entry["policy"]), ("lexicons", entry["lexicon"])):
                if key not in self.known[table]:
                    self.documents.bad("entry {} rules under one of the {} that is not there", seq, table)
        elif kind == "genesis" and seq == 1:
            self.uuid = entry["uuid"]
            secret = self.db.value("SELECT value FROM meta WHERE key = 'secret'")
            self.secret = secret if isinstance(secret, bytes) else b""
            self.origin.holds(digest(9, self.secret) == entry["secret"], "its key is not the one it was created with")
            self.origin.holds(entry["format"] <= VERSION, "it was created in format {}", entry["format"])
        else:
            raise ValueError(f"an entry of type {kind!r} has no place here")

    def _mutation(self, seq: int, entry: Json) -> None:
        if entry["snapshot"] != self.number + 1:
            self.snapshots.bad("entry {} says s{}, and s{} is next", seq, entry["snapshot"], self.number + 1)
        if "under" in entry and entry["under"] not in self.settings:
            raise ValueError(f"entry {entry['under']} is no setting")
        for name in ("reason", "evidence", "raw", "said", "text", "by"):
            if name in entry:
                self.named.add(entry[name])
        if entry["kind"] == "source":
            self._source(seq, entry["source"])
        elif entry["kind"] == "turns":
            self._turns(seq, entry["turns"])
        else:
            self.counts["accepted" if entry["accepted"] else "refused"] += 1
            self.counts["engine"] += bool(entry["accepted"]) and entry["origin"] == "engine"
        if not entry["accepted"]:
            acts = [name for name in DEEDS if name in entry]
            self.refused.holds(not acts, "entry {} was refused, and has {}", seq, ", ".join(acts))
        before = {fact: self.state.get(fact) for fact in {step[0] for step in entry.get("changes", ())}}
        parents = {link[1]: self.state[link[1]].since for link in entry.get("links", ())}
        self._changes(seq, entry)
        self._links(seq, entry, parents)
        if "memo" in entry:
            self.memo.setdefault(entry["memo"], seq)
        for key, fact, cause in entry.get("buries", ()):
            self.stones[key] = [fact, cause, seq, None]
        for key in entry.get("lifts", ()):
            if key in self.stones and self.stones[key][3] is None:
                self.stones[key][3] = seq
        for key in entry.get("erased", ()):
            self.erased.setdefault(key, seq)
        self.judge.ruling(seq, entry, before)

    def _changes(self, seq: int, entry: Json) -> None:
        spans: dict[int, set[Span]] = {}
        steps = entry.get("changes", ())
        for fact, _ in steps:
            held = self.state.get(fact)
            spans[fact] = set(held.spans) if held else set()
        for fact, turn, start, stop in entry.get("sourced", ()):
            spans[fact].add((turn, start, stop))
            self.open[fact, turn, start, stop] = seq
            if turn > self.turn:
                raise ValueError(f"m{fact} rests on t{turn}, which was not read yet")
        for fact, turn, start, stop in entry.get("unsourced", ()):
            spans[fact].discard((turn, start, stop))
            self._span((fact, turn, start, stop), self.open.pop((fact, turn, start, stop)), seq)
        for fact, step in steps:
            self._step(seq, fact, step, frozenset(spans[fact]))

    def _step(self, seq: int, fact: int, step: Json, spans: frozenset[Span]) -> None:
        old = self.state.get(fact)
        if old is None:
            if fact <= self.newest:
                raise ValueError(f"m{fact} is new, and not above m{self.newest}")
            self.newest = fact
        else:
            self._version(fact, old, seq)
            self.lanes.step(old.leaf(fact), away=True)
        merged = {**(old.columns if old else {}), **step}
        columns = {
            name: value for name, value in merged.items() if name == "recorded_at" or value != DEFAULT[name]
        }
        was, now = old is not None and old.active, "active" not in columns
        retired = None if now else old.retired if old is not None and not was else seq
        self.active += now - was
        self.counts["added" if old is None else "changed" if was == now else "retired" if was else "revived"] += 1
        self.state[fact] = version = Version(columns, spans, seq, retired)
        self.lanes.step(version.leaf(fact))
        self.named.update(columns[name] for name in ("text", "speaker", "subject") if name in columns)
        self.interned.update(columns[name] for name in ("speaker", "subject") if name in columns)

    def _version(self, fact: int, version: Version, to: int | None) -> None:
        """Hold a version's row against the record, now that its end is known."""
        check = self.rows["facts"]
        self.keys["facts"].add((fact, version.since))
        row = self.db.one(FACT_ROW, (fact, version.since))
        if not check.holds(row is not None, "m{} from entry {}: the row is missing", fact, version.since):
            return
        wanted = [to, version.retired, *(version.get(name) for name in COLUMNS)]
        for name, value, told in zip(("to_seq", "retired_seq", *COLUMNS), wanted, row or (), strict=True):
            if value != told:
                check.held -= 1
                check.bad("m{} from entry {}: {} is {!r}, the record says {!r}", fact, version.since, name, told, value)
                return

    def _span(self, key: tuple[int, int, int, int], since: int, to: int | None) -> None:
        self.keys["fact_sources"].add((*key, since))
        row = self.db.one(SPAN_ROW, (*key, since))
        told = "missing" if row is None else f"until {row[0]}"
        self.rows["fact_sources"].holds(
            row is not None and row[0] == to, "m{} t{} {}–{}: the row is {}, the record says until {}", *key, told, to
        )

    def _links(self, seq: int, entry: Json, parents: Mapping[int, int]) -> None:
        touched = {step[0] for step in entry.get("changes", ())} | ({entry["fact"]} if "fact" in entry else set())
        for child, parent, role in dict.fromkeys(map(tuple, entry.get("links", ()))):
            touched |= {child, parent}
            row = self.db.one(LINK_ROW, (seq, child, parent, role))
            self.keys["lineage"].add((seq, child, parent, role))
            wanted = (self.state[child].since, parents[parent])
            self.rows["lineage"].holds(row == wanted, "entry {}: m{} of m{} as {}", seq, child, parent, role)
        for name, value in entry.get("refs", {}).items():
            if name in NAMES_FACTS:
                touched |= set(value if isinstance(value, list) else [value])
        for fact in touched:
            self.keys["touched"].add((fact, seq))
            found = self.db.one("SELECT 1 FROM touched WHERE fact = ? AND mutation = ?", (fact, seq))
            self.rows["touched"].holds(found is not None, "m{} in entry {}: the row is missing", fact, seq)

    def _source(self, seq: int, held: Json) -> None:
        self.read_sources[held["id"]] = (*(held[name] for name in SOURCE[1:]), seq)
        self.named.update(held[name] for name in ("path", "state") if held[name] is not None)

    def _turns(self, seq: int, batch: Json) -> None:
        check, first, count = self.rows["turns"], batch["first"], batch["count"]
        rows = self.db.all(TURN_ROWS, (first, first + count))
        state = hashlib.sha256(b"\x05")
        for row in rows:
            state.update(utf8(_DUMP(row[:-1])) + b"\n")
            named = {name: value for name, value in zip(TURN, row[:-1], strict=True) if value is not None}
            self.named.update(named[name] for name in ("speaker", "text", "tool_payload") if name in named)
            self.interned.update({named["speaker"]} if "speaker" in named else ())
        right = (
            first == self.turn + 1
            and [row[0] for row in rows] == list(range(first, first + count))
            and all(row[1] == batch["source"] and row[-1] == seq for row in rows)
            and state.hexdigest() == batch["digest"]
        )
        check.seen += count
        check.held += count if right else 0
        if not right:
            check.bad("t{} to t{} of entry {}: their digest is not the one on record", first, first + count - 1, seq)
        self.turn = first + count - 1

    def _snapshot(self, seq: int, entry: Json) -> None:
        number, replayed = entry["number"], self.lanes.digest()
        self.digests.holds(entry["digest"] == replayed, "s{}: it says {:.12}…, replayed it is {:.12}…", number,
                           entry["digest"], replayed)  # fmt: skip
        counts = {name: count for name, count in self.counts.items() if count}
        figures = (number, entry["previous"], entry["active"], entry["counts"])
        wanted = (self.number + 1, self.digest, self.active, counts)
        self.snapshots.holds(figures == wanted, "s{}: it says {}, replayed it is {}", number, figures, wanted)
        if "policy" in entry and entry["policy"] not in self.known["policies"]:
            self.documents.bad("s{} names a policy that is not there", number)
        if "command" in entry:
            self.named.add(entry["command"])
        for table, runs in self.runs.items():
            runs.append((entry[table][0], entry[table][1], number))
        self.number, self.digest = number, replayed
        self.counts.clear()
        self.judge.snapshot(seq, entry)

    def _versions_end(self) -> None:
        for fact, version in self.state.items():
            self._version(fact, version, None)
        for span, since in self.open.items():
            self._span(span, since, None)
        for table, key in (
            ("facts", "fact_id, from_seq"), ("fact_sources", "fact, turn, start, stop, from_seq"),
            ("lineage", "mutation, child, parent, role"), ("touched", "fact, mutation"),
        ):  # fmt: skip
            known = self.keys[table]
            if self.db.value(f"SELECT COUNT(*) FROM {table}") != len(known):
                for row in self.db.stream(f"SELECT {key} FROM {table}"):
                    if row not in known:
                        self.rows[table].bad("the row {} was made by no entry", row)

    def _compare(self, table: str, sql: str, wanted: Mapping[Any, Row]) -> None:
        left = dict(wanted)
        check = self.rows[table]
        for key, *held in self.db.stream(sql):
            expected = left.pop(key, None)
            check.holds(expected == tuple(held), "{}: it holds {}, the record {}", str(key)[:16], held, expected)
        for key in left:
            check.holds(False, "{}: the row is missing", str(key)[:16])

    def _beside(self) -> None:
        """Accesses and quiz runs under their running hashes; the strengths that the accesses left."""
        last: dict[int, Row] = {}
        self.ran: dict[str, str] = {}
        for table, names in (("accesses", ACCESS), ("quiz_runs", QUIZ)):
            hashes, count = [ZERO], 0
            for row in self.db.stream(f"SELECT {', '.join(names)} FROM {table} ORDER BY id"):
                count += 1
                if row[0] != count:
                    self.running.bad("{}: row {} is missing", table, count)
                hashes.append(digest(8, bytes.fromhex(hashes[-1]) + utf8(_DUMP([table, *row]))))
                if table == "accesses":
                    last[row[3]] = tuple(row[4:])
                elif row[-1] is not None:
                    self.named.add(row[-1])
            for length, told, number in self.runs[table]:
                right = length <= count and hashes[length] == told
                self.running.holds(right, "s{}: {} up to row {} are not those that it recorded", number, table, length)
            self.ran[f"running:{table}"] = f"{count} {hashes[-1]}"
            if self.runs[table] and (after := count - self.runs[table][-1][0]) > 0:
                self.running.notes.append(f"{after} {table} came after the last snapshot: the next one covers them")
        self._compare("activation", "SELECT fact, base, last_access, spaced, labile_until FROM activation", last)

    def _texts(self) -> None:
        missing = set(self.named)
        erased: Counter[int] = Counter()
        for key, salt, text in self.db.stream("SELECT hash, salt, text FROM texts"):
            missing.discard(key)
            if text is None or salt is None:
                gone = key in self.erased and text is None and salt is None
                self.texts.holds(gone, "{}: it is gone, and no entry erased it", key[:12])
                if gone:
                    erased[self.erased[key]] += 1
                continue
            self.texts.holds(
                digest(2, salt + utf8(text)) == key and key not in self.erased,
                "{}: it is not the text that was recorded, or it was erased and is there", key[:12],
            )  # fmt: skip
        for key in sorted(missing):
            self.texts.holds(False, "{}: the record names it, and it is not there", key[:12])
        for seq, count in sorted(erased.items()):
            self.texts.notes.append(f"{count} texts were erased by mutation {seq}")
        lacking = self.interned - {row[0] for row in self.db.stream("SELECT hash FROM names")}
        self.meta.holds(not lacking, "names: {} are not listed", len(lacking))

    def _meta(self) -> None:
        held: dict[str, Any] = dict(self.db.all("SELECT key, value FROM meta"))
        self.meta.holds(held.get("lanes") == self.lanes.state(), "meta.lanes is not the sum of the facts")
        for key, wanted in self.ran.items():
            told = held.get(key, f"0 {ZERO}")
            self.meta.holds(told == wanted, "meta.{} is {!r}", key, told)
        tail = {
            "seq": self.seq, "active": self.active, "digest": self.lanes.digest(),
            "counts": {name: count for name, count in self.counts.items() if count},
        }  # fmt: skip
        if self.setting:
            setting = self.settings[self.setting]
            tail["setting"] = [self.setting, setting["policy"], setting["lexicon"], setting["measures"]]
        self.meta.holds(held.get("tail") == _DUMP(tail), "meta.tail is not where the record ends")


DEEDS = ("changes", "sourced", "unsourced", "links", "activations", "buries", "lifts", "erased", "source", "turns")
NAMES_FACTS = frozenset("fact duplicate_of other into sources old new members".split())
FACT_ROW = f"SELECT to_seq, retired_seq, {', '.join(COLUMNS)} FROM facts WHERE fact_id = ? AND from_seq = ?"
SPAN_ROW = "SELECT to_seq FROM fact_sources WHERE fact = ? AND turn = ? AND start = ? AND stop = ? AND from_seq = ?"
LINK_ROW = "SELECT child_seq, parent_seq FROM lineage WHERE mutation = ? AND child = ? AND parent = ? AND role = ?"
TURN_ROWS = f"SELECT {', '.join(TURN)}, mutation FROM turns WHERE id >= ? AND id < ? ORDER BY id"


# ---------------------------------------------------------------------------------------------------------------
# The measures (MEASURES.md): cleaning and pieces
# ---------------------------------------------------------------------------------------------------------------

LONGEST = 20_000
TABLE = {
    **dict.fromkeys("\u2018\u2019\u201b\u02bc\u2032\u00b4\uff07\u02b9", "'"),
    **dict.fromkeys("\u2010\u2011\u2212\ufe63\uff0d", "-"), **dict.fromkeys("\u2012\u2013\u2015", "\u2014"),
    "≥": ">=", "⩾": ">=", "≤": "<=", "⩽": "<=", "≠": "!=", "→": "->", "←": "<-", "⇒": "=>", "…": "...",
    "\u00b5": "\u03bc", "ё": "е", "Ё": "Е", "ẞ": "ß",
}  # fmt: skip
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", "0123456789+-=()ni")
LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎", "0123456789+-=()")
ARABIC_SIGNS = re.compile("[\u0610-\u061a\u064b-\u0650\u0652-\u065f\u0670\u06d6-\u06ed]")


def fold(word: str) -> str:
    """Case folded, ß kept."""
    return "ß".join(part.casefold() for part in word.split("ß")) if "ß" in word else word.casefold()


def _plain(char: str) -> str:
    if " " <= char <= "~":
        return char
    if char in "\n\x0b\x0c\r\x85\u2028\u2029":
        return "\n"
    if char in TABLE:
        return TABLE[char]
    category = unicodedata.category(char)
    if category in ("Cf", "Cc", "Cs", "Co", "Cn"):
        return " " if char == "\t" else ""
    if category == "Zs":
        return " "
    if char in "\u0640\u034f" or "\ufe00" <= char <= "\ufe0f":
        return ""
    if category == "Nd":
        return str(unicodedata.decimal(char))
    normal = unicodedata.normalize("NFKC", char)
    if unicodedata.decomposition(char).startswith("<fraction>"):
        return " " + normal.replace("\u2044", "/")
    return "".join(TABLE.get(part, part) for part in normal)


def cleaned(text: str) -> str:
    """The text that is read: at most its first 20,000 characters, in one form of each."""
    text = text[:LONGEST]
    if text.isascii() and not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text):
        return text
    text = unicodedata.normalize("NFC", text)
    text = re.sub("(?<=[0-9])[\u00a0\u202f\u2009](?=[0-9]{3}(?![0-9]))", "", text)
    text = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ]+", lambda run: "^" + run.group().translate(RAISED), text)
    text = re.sub("[₀-₉₊₋₌₍₎]+", lambda run: "_" + run.group().translate(LOWERED), text)
    text = unicodedata.normalize("NFC", "".join(map(_plain, text)))
    return re.sub("(?<=[0-9])\u2014(?=[0-9])", "-", ARABIC_SIGNS.sub("", text))


UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
LETTER = (
    rf"(?:[^\W\d_{UNSPACED}]|[\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0651\u0900-\u0903\u093a-\u094f\u0951-\u0957"
    r"\u0962-\u0963\u0980-\u0dff\u0f71-\u0f84])"
)
BIT = r"[A-Za-z0-9_.@%+~*-]{0,100}[A-Za-z0-9_%~*]"
FIGURES = r"[0-9]{1,20}(?:[.:][0-9]{1,20}){0,4}"
STAMP = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
    r"(?![\w-])"
)
DATE = (
    r"[0-9]{1,2}/[0-9]{1,2}/(?:[0-9]{4}|[0-9]{2})(?![\w/])|[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}(?!\w|\.[0-9])|"
    r"[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}(?![\w/])"
)
VERSIONS = (
    r"[0-9]{1,20}(?:\.[0-9]{1,20}){2,8}[-+][A-Za-z0-9.]{0,60}[A-Za-z0-9]|"
    r"[0-9]{1,20}(?:\.[0-9]{1,20}){0,8}\.[xX*](?!\w)"
)
NUMBER = (
    r"(?:(?<![\w)\]])[-+\xb1])?(?:[0-9]+(?:[.,:][0-9]+)*|\.[0-9]+)(?:\^[-+]?[0-9a-z]+)?"
    rf"(?:{LETTER}(?:{LETTER}|[0-9_])*(?:\^[0-9])?)?"
)
PIECES = re.compile(
    "|".join(
        f"(?P<{kind}>{expression})"
        for kind, expression in (
            ("plain", r"[A-Za-z]+(?=[,;!?)]|\.?\Z)"),
            ("url", r"(?:[A-Za-z][A-Za-z0-9+.-]{0,15}://|www\.)[^\s<>\"'`|]*[A-Za-z0-9_/#=&%+~-]"),
            ("email", r"[A-Za-z0-9_.+%-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}"),
            ("window", r"[A-Za-z]:\\[^\s\"'<>|*?]*[^\s\"'<>|*?.,;:!)]"),
            ("stamp", STAMP),
            ("date", DATE),
            ("path", rf"(?<![\w/.])(?:~|\.{{1,2}}|{BIT})?(?:/{BIT})+/?"),
            ("range", rf"(?<![\w.,-]){FIGURES}(?:-{FIGURES}){{1,8}}(?![\w-])(?!\.[0-9])"),
            ("version", VERSIONS),
            ("number", NUMBER),
            ("flag", r"(?<![\w-])(?:--[A-Za-z][A-Za-z0-9_-]*(?:=[^\s,;)]*[^\s,;).])?|-[A-Za-z]{1,4}(?![\w'-]))"),
            ("variable", r"\$\{[A-Za-z_][A-Za-z0-9_]{0,60}\}|\$[A-Za-z_][A-Za-z0-9_]*"),
            ("tag", r"(?<!\w)[@#][A-Za-z0-9_][A-Za-z0-9_-]*"),
            ("call", r"[A-Za-z_][A-Za-z0-9_.]{0,100}\(\)"),
            ("initials", r"(?<!\w)(?:[^\W\d_]\.){2,}"),
            ("dotted", r"[A-Za-z_][A-Za-z0-9_-]{0,60}(?:\.[A-Za-z0-9_][A-Za-z0-9_-]{0,60})+"),
            ("snake", r"(?=[A-Za-z0-9]{0,60}_{1,8}[A-Za-z0-9])(?:[A-Za-z0-9]+_+|_+[A-Za-z0-9])[A-Za-z0-9_]*"),
            ("mixed", r"[A-Za-z](?=[A-Za-z-]{0,60}[0-9])[A-Za-z0-9]*(?:-[A-Za-z0-9]+)*"),
            ("sharp", r"[A-Za-z](?:\+\+|#)(?!\w)"),
            ("joint", r"[A-Za-z]{1,20}&[A-Za-z]+"),
            ("money", r"(?:US|CA|AU|NZ|HK|R)?\$|[\u20ac\xa3\xa5\u20b9\u20bd\u20a9\u20aa\u20ba\u20ab\u20b4]"),
            ("unspaced", rf"[{UNSPACED}]+"),
            ("word", rf"{LETTER}+(?:'{LETTER}+)*(?:(?<=s)'\Z)?"),
            ("operator", r"<=|>=|!=|==|=>|->|<-|&&|\|\||[<>=+^~%\xb1\xd7\xf7\u2248\u221a\u221e]|\xb0[CF]?"),
            ("open", r"[\u201c\xab\u201e\u300c\u300e\u2039\xbf\xa1\u2022]|(?:\A|(?<=[(\[{\u2014/]))[\"']"),
            ("mark", r"\S"),
        )
    )
)  # fmt: skip
CODE = re.compile(
    r"(?P<code>```[^`]{1,2000}```|`[^`\n]{1,400}`)|(?P<break>\n[ \t]*\n|\n(?=[ \t]*(?:[-*•+]|[0-9]{1,3}[.)])[ \t]))"
)
WORDS = frozenset(("plain", "word"))


class Piece(NamedTuple):
    """A stretch of text of one kind; tied: a hyphen joins it to the one before."""

    kind: str
    text: str
    tied: bool = False


def pieces_of(text: str) -> list[Piece]:
    """A cleaned text cut into pieces."""
    found: list[Piece] = []
    end = tied_at = -1

    def cut(part: str, base: int) -> None:
        nonlocal end, tied_at
        for stretch in re.finditer("[^ ]+", part.replace("\n", " ")):
            words = stretch.group()
            for match in PIECES.finditer(words):
                kind, first = match.lastgroup or "mark", base + stretch.start() + match.start()
                after = words[match.end() : match.end() + 1]
                joins = kind == "mark" and match.group() == "-" and end == first and after.isalnum()
                if joins and found[-1].kind != "mark":
                    tied_at = first + 1
                    continue
                found.append(Piece(kind, match.group(), first == tied_at))
                end = base + stretch.start() + match.end()

    if "`" not in text and "\n" not in text:
        cut(text, 0)
        return found
    done = 0
    for match in CODE.finditer(text):
        cut(text[done : match.start()], done)
        found.append(Piece(match.lastgroup or "", match.group(), match.start() == tied_at))
        done, end = match.end(), -1
    cut(text[done:], done)
    return found


# ---------------------------------------------------------------------------------------------------------------
# The measures: languages
# ---------------------------------------------------------------------------------------------------------------

SCRIPTS = [
    (int(part.split("-")[0], 16), int(part.split("-")[1], 16), name)
    for name, blocks in {
        "Latin": "41-5a 61-7a c0-24f 1e00-1eff", "Greek": "370-3ff 1f00-1fff", "Cyrillic": "400-52f",
        "Armenian": "531-58f", "Hebrew": "5d0-5f4", "Arabic": "620-6ff 750-77f", "Devanagari": "900-97f",
        "Indic": "980-dff", "Thai": "e00-e7f", "Lao": "e80-eff", "Burmese": "1000-109f", "Georgian": "10a0-10ff",
        "Hangul": "1100-11ff 3131-318e ac00-d7af", "Khmer": "1780-17ff",
        "Han": "3005-3007 3400-4dbf 4e00-9fff f900-faff 20000-3ffff", "Kana": "3041-309f 30a1-30ff 31f0-31ff",
    }.items()
    for part in blocks.split()
]  # fmt: skip
FUNCTION = (
    "stopwords modals hedges quantifiers connectives directions order comparison pronouns questions conditionals "
    "plural_subject restrictors relatives determiners auxiliaries unstemmed"
).split()


@lru_cache(maxsize=4096)
def _script(char: str) -> str | None:
    point = ord(char)
    if char in "×÷":
        return None
    return next((name for first, last, name in SCRIPTS if first <= point <= last), None)


class Tongue:
    """One language's lists and tables, as the rules ask for them."""

    def __init__(self, code: str, held: Json) -> None:
        self.code = code
        self.held = held
        self.stop = self.single("stopwords")
        negation = frozenset(held.get("negation", {}).get("words", ()))
        self.negation = frozenset(word for word in negation if " " not in word)
        self.function = self.single(*FUNCTION) | self.negation
        left_out = ("modals", "auxiliaries", "unstemmed", "order")
        self.no_names = self.single(*(name for name in FUNCTION if name not in left_out)) | self.negation
        strong = self.single("strong")
        markers = self.single("markers", *(name for name in FUNCTION if name != "unstemmed")) | self.negation
        self.votes = {word: 1 + (word in strong) for word in markers | strong}
        self.subject = {word: form for form, words in held.get("subject", {}).items() for word in words}
        self.phrases: dict[str, list[list[str]]] = {}
        for key in held.get("phrases", {}):
            self.phrases.setdefault(key.split()[0], []).append(key.split())
        for keys in self.phrases.values():
            keys.sort(key=len, reverse=True)
        self.begins = {key.split("-")[0] for name in ("numbers", "scales", "ordinals") for key in self.table(name)}
        self.stems: dict[str, str] = {}

    def table(self, name: str) -> dict[str, Any]:
        """A table, empty where the language has none."""
        found: dict[str, Any] = self.held.get(name) or {}
        return found

    def list(self, name: str) -> list[Any]:
        """A list, empty where the language has none."""
        found: list[Any] = self.held.get(name) or []
        return found

    def single(self, *names: str) -> frozenset[str]:
        """The single words of some lists."""
        return frozenset(word for name in names for word in self.list(name) if " " not in word)

    def stem(self, form: str) -> str:
        """The bounded stem."""
        found = self.stems.get(form)
        if found is None:
            found = self.stems[form] = self._stem(bare(form) or form)
        return found

    def _stem(self, word: str) -> str:
        if (known := self.table("stems").get(word)) is not None:
            return str(known)
        if word in self.function:
            return word
        if len(word) <= 3 or not word.isalpha():
            return word
        if len(word) >= 5:
            for ending, other in self.list("endings"):
                if word.endswith(ending):
                    return word[: -len(ending)] + str(other)
        return word[:-1] if word[-1] == "s" and word[-2] not in "su" else word


class Lexicon:
    """A stored lexicon."""

    def __init__(self, held: Json) -> None:
        self.held = held
        self.order: list[str] = held.get("order", [])
        self.tongues = {code: Tongue(code, table) for code, table in held.get("languages", {}).items()}
        self.unknown = Tongue("und", {})
        self.votes: dict[str, list[tuple[str, int]]] = {}
        for code in self.order:
            if self.tongues[code].held.get("script", "Latin") == "Latin":
                for word, weight in self.tongues[code].votes.items():
                    self.votes.setdefault(word, []).append((code, weight))
        self.others: dict[str, list[str]] = {}
        for code, words in held.get("others", {}).items():
            for word in words:
                self.others.setdefault(word, []).append(code)
        self.analyses: dict[str, Analysis] = {}

    def tongue(self, text: str, pieces: Sequence[Piece]) -> Tongue:
        """The language of a cleaned text."""
        if text.isascii():
            return self._latin(text, pieces)
        scripts = Counter(name for name in map(_script, text) if name)
        three = 3 * (scripts["Han"] + scripts["Kana"])
        ranked = {"three": three} if three else {}
        ranked |= {name: count for name, count in scripts.items() if name not in ("Han", "Kana")}
        script = max(ranked, key=lambda name: ranked[name], default="Latin")
        code = {"Cyrillic": "ru", "Arabic": "ar", "Devanagari": "hi", "three": "ja" if scripts["Kana"] else "zh"}
        if script == "Latin":
            return self._latin(text, pieces)
        found = self.tongues.get(code.get(script, ""))
        if found is None or set(found.held.get("foreign_letters", "")) & set(text):
            return self.unknown
        words = set(found.list("foreign_words"))
        return self.unknown if words and any(piece.text in words for piece in pieces) else found

    def _latin(self, text: str, pieces: Sequence[Piece]) -> Tongue:
        votes: Counter[str] = Counter()
        words = [piece.text for piece in pieces if piece.kind in WORDS]
        for word in words:
            folded = fold(word)
            for code, weight in self.votes.get(folded, ()):
                votes[code] += weight
            if word == word.lower():
                votes.update(self.others.get(folded, ()))
            if "'" in word:
                before, after = folded.rsplit("'", 1)
                for code in self.order:
                    tongue = self.tongues[code]
                    votes[code] += before in tongue.table("elisions")
                    endings = tongue.table("contracted_endings")
                    votes[code] += bool(endings) and (after in endings or after in ("s", "t", "d"))
        if not text.isascii():
            letters = self.held.get("letters", {})
            for char in {char if char in letters else char.lower() for char in text}:
                for code in letters.get(char, ()):
                    votes[code] += 2
        most = max(votes.values(), default=0)
        if not most:
            few = len(words) <= self.held.get("latin_limit", 0)
            return self.tongues[self.order[0]] if few and self.order else self.unknown
        return next((self.tongues[code] for code in self.order if votes[code] == most), self.unknown)


# ---------------------------------------------------------------------------------------------------------------
# The measures: words
# ---------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Part:
    """A form that quantities may still join with its neighbours."""

    kind: str
    form: str
    surface: str = ""
    tied: bool = False
    number: str | None = None
    month: int = 0
    counts: bool = True
    stem: str | None = None
    scale: int = 0


def bare(word: str) -> str:
    """Without a possessive."""
    return re.sub(r"(?:'s|')+$", "", word) if "'" in word else word


class Reader:
    """Reads the pieces of one text into parts."""

    def __init__(self, lexicon: Lexicon, tongue: Tongue, pieces: Sequence[Piece]) -> None:
        self.lexicon, self.tongue, self.pieces = lexicon, tongue, pieces
        self.folds = [fold(piece.text) if piece.kind in WORDS else "" for piece in pieces]
        self.parts: list[Part] = []

    def read(self) -> list[Part]:
        """Every part."""
        at = 0
        while at < len(self.pieces):
            at += self._word(at) if self.pieces[at].kind in WORDS else self._other(self.pieces[at])
        return self.parts

    def _is_word(self, at: int) -> bool:
        return 0 <= at < len(self.pieces) and self.pieces[at].kind in WORDS

    def _tied(self, at: int) -> bool:
        return at < len(self.pieces) and self.pieces[at].tied

    def _word(self, at: int) -> int:
        piece = self.pieces[at]
        taken = self._phrase(at) or self._number(at)
        if taken:
            return taken
        outputs = self._contracted(at)
        if outputs is None and self._is_bare_user(at):
            self.parts.append(Part("subject", "§subj's" if "'" in piece.text else "§subj", piece.text))
        elif outputs is None:
            self.parts.append(self.word(piece.text, tied=piece.tied))
        else:
            self._put(outputs, piece)
        return 1

    def _put(self, outputs: Sequence[str], piece: Piece) -> None:
        for place, output in enumerate(outputs):
            tied = piece.tied and place == 0
            if output.startswith("§"):
                self.parts.append(Part("subject", output.replace("§user", "§subj"), piece.text, tied))
                continue
            written = piece.text[: len(output)]
            keeps = place == 0 and fold(written) == fold(output)
            self.parts.append(self.word(written if keeps else output, tied=tied))

    def word(self, written: str, *, tied: bool = False) -> Part:
        """One word by itself."""
        tongue, folded = self.tongue, fold(written)
        if "\u0651" in folded and not any(folded.endswith(entry) for entry in tongue.list("marked")):
            folded = folded.replace("\u0651", "")
        if (subject := tongue.subject.get(folded)) is not None:
            return Part("subject", subject, written, tied)
        if written.isascii() and re.match("[a-z]+[A-Z][a-z0-9]", written):
            return Part("camel", bare(written), written, tied)
        aliases = tongue.table("aliases")
        form = aliases.get(written) or aliases.get(folded) or tongue.table("agreement").get(folded) or folded
        month = 0
        if folded in tongue.table("months") and (written[:1].isupper() or not tongue.held.get("months_capital")):
            month = int(tongue.table("months")[folded])
        return Part("word", form, written, tied, month=month, counts=bare(form) not in tongue.stop)

    def _phrase(self, at: int) -> int:
        for key in self.tongue.phrases.get(self.folds[at], ()):
            end = at + len(key)
            if self.folds[at:end] != key:
                continue
            outputs = self.tongue.table("phrases")[" ".join(key)]
            if outputs[-1] == "§user":
                after = self.folds[end] if end < len(self.folds) else ""
                if self._tied(end) or (after and after in self.tongue.list("subject_compounds")):
                    continue
            self._put(outputs, self.pieces[at])
            return len(key)
        return 0

    def _contracted(self, at: int) -> list[str] | None:
        tongue, folded = self.tongue, self.folds[at]
        known = tongue.table("contractions").get(folded)
        if known is not None:
            return list(known)
        for start, first, second in tongue.list("splits"):
            if folded.startswith(start) and len(folded) >= len(start) + 2:
                return [first, second + folded[len(start) :]]
        if "'" not in folded:
            return None
        before, rest = folded.split("'", 1)
        if before in tongue.table("elisions"):
            return [*tongue.table("elisions")[before], rest] if rest else None
        before, after = folded.rsplit("'", 1)
        endings = tongue.table("contracted_endings")
        if not before or not endings:
            return None
        if after == "t" and before.endswith("n"):
            return [before[:-1], "not"]
        more = self._ending(at, before, after, endings)
        return [before, *more] if more else None

    def _ending(self, at: int, before: str, after: str, endings: Mapping[str, str]) -> list[str] | None:
        tongue = self.tongue
        free = self._is_word(at + 1) and not self._tied(at + 2)
        following = self.pieces[at + 1].text.casefold() if free else ""
        done = following in tongue.list("participles") or following.endswith("ed")
        if after in endings:
            return [endings[after]]
        if after == "d":
            return ["had" if done or following == "better" else "would"]
        if after != "s":
            return None
        if before in tongue.list("takes_is"):
            return ["have" if following in tongue.list("after_has") else "is"]
        if following == "been":
            return ["have"]
        second = self.folds[at + 2] if at + 2 < len(self.folds) else ""
        gerund = following.endswith("ing") and second in tongue.list("after_gerund")
        return ["is"] if following in tongue.list("after_is") or gerund else None

    def _is_bare_user(self, at: int) -> bool:
        if self.tongue.code != "en" or self.folds[at] not in ("user", "user's"):
            return False
        if at and self.pieces[at - 1].kind not in ("mark", "open", "break"):
            return False
        if not self._is_word(at + 1) or self._tied(at + 1):
            return False
        tongue, following = self.tongue, self.folds[at + 1]
        if self.folds[at] == "user's":
            return True
        verbs = tongue.single("auxiliaries", "modals", "participles") | tongue.negation
        return following not in tongue.list("subject_compounds") and (
            following in verbs or following.endswith(("s", "ed"))
        )

    # Number words

    def _number(self, at: int) -> int:
        numbers, scales, ordinals = (self.tongue.table(name) for name in ("numbers", "scales", "ordinals"))
        if self.folds[at] not in self.tongue.begins:
            return 0
        for length in (5, 4, 3, 2):
            if all(self._is_word(at + n) and (n == 0 or self._tied(at + n)) for n in range(length)):
                value = numbers.get("-".join(self.folds[at : at + length]))
                if value is not None:
                    return self._numbered(at, str(value), length)
        joiners = self.tongue.list("number_joiners")
        following = self.folds[at + 1] if at + 1 < len(self.folds) else ""
        alone = not self._tied(at + 1) and following not in self.tongue.begins and following not in joiners
        if alone and self.folds[at] in numbers:
            return self._numbered(at, str(numbers[self.folds[at]]), 1)
        for length in (2, 1):
            joined = "-".join(self.folds[at : at + length])
            if joined in ordinals and (length == 1 or self._tied(at + 1)):
                form = ordinals[joined]
                self.parts.append(Part("ordinal", form, self.pieces[at].text, self.pieces[at].tied))
                return length
        if self.folds[at] in numbers or self.folds[at] in scales:
            return self._sum(at, numbers, scales, joiners)
        return 0

    def _numbered(self, at: int, number: str, taken: int) -> int:
        self.parts.append(Part("number", f"#:{number}", self.pieces[at].text, self.pieces[at].tied, number))
        return taken

    def _sum(self, start: int, numbers: Mapping[str, int], scales: Mapping[str, int], joiners: Sequence[str]) -> int:
        current: int | None = None
        total, at, largest, joined = 0, start, 0, False
        after = {**numbers, **self.tongue.table("numbers_after")}

        def adds(value: int) -> bool:
            if current is None:
                return True
            if current > 0 and current % 100 == 0:
                return 0 < value < 100
            return current % 100 in range(20, 100, 10) and 0 < value < 10

        while at < start + 12 and self._is_word(at):
            word = self.folds[at]
            if at > start and not self._tied(at) and self._tied(at + 1) and self.folds[at + 1] not in numbers:
                break
            value, scale = (after if joined else numbers).get(word), scales.get(word)
            joined = False
            if value is not None and adds(value):
                current = (current or 0) + value
            elif scale == 100 and (current is None or 0 < current < 20):
                current = (1 if current is None else current) * 100
            elif scale is not None and scale > 100 and (not largest or scale < largest):
                total += (1 if current is None else current) * scale
                current, largest = None, scale
            elif word in joiners and at > start and self._joins(at + 1, after, current, total, adds):
                joined = True
            else:
                break
            at += 1
        return self._numbered(start, str(total + (current or 0)), at - start) if at > start else 0

    def _joins(
        self, at: int, numbers: Mapping[str, int], current: int | None, total: int, adds: Callable[[int], bool]
    ) -> bool:
        value = numbers.get(self.folds[at]) if self._is_word(at) else None
        if value is None:
            return False
        if (current is None and total > 0) or (current is not None and current > 0 and current % 100 == 0):
            return value < 100
        return self.tongue.code != "en" and adds(value)

    # Pieces that are no words

    def _other(self, piece: Piece) -> int:
        kind, text, tied = piece
        part = Part("value", text, text, tied)
        if kind == "code":
            part.form = " ".join(text.strip("`").split()) or text
        elif kind in ("email", "sharp"):
            part.form = fold(text)
        elif kind in ("initials", "joint"):
            counts = bare(fold(text)) not in self.tongue.stop
            part = Part("word", fold(text), text, tied, stem=fold(text), counts=counts)
        elif kind == "number":
            part = self._digits(text, tied=tied)
        elif kind in ("stamp", "date", "money", "unspaced", "break", "open"):
            part.kind, part.tied = kind, tied and kind != "unspaced"
        elif kind == "mark" and text == "&":
            part = self.word("and", tied=tied)
        elif kind == "mark" and unicodedata.category(text) == "So":
            part = Part("word", text, text, tied, stem=text)
        elif kind == "mark":
            part.kind = "mark"
        self.parts.append(part)
        return 1

    def _figures(self, figures: str) -> str | None:
        """Plain figures, or None."""
        comma = self.tongue.held.get("decimal_comma")
        if re.fullmatch(r"[0-9]*\.?[0-9]+", figures):
            return figures
        if comma is not None and comma:
            if re.fullmatch(r"[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+|[0-9]{1,3}(?:\.[0-9]{3}){2,}", figures):
                return figures.replace(".", "").replace(",", ".")
            return figures.replace(",", ".") if re.fullmatch(r"[0-9]+,[0-9]+", figures) else None
        if comma is not None and re.fullmatch(r"[0-9]{1,3}(?:,[0-9]{2,3})*,[0-9]{3}(?:\.[0-9]+)?", figures):
            return figures.replace(",", "")
        return None

    def _digits(self, text: str, *, tied: bool) -> Part:
        match = re.match(r"([-+±]?)(\.?[0-9][0-9.,:]*)(.*)", text, re.DOTALL)
        if match is None:
            return Part("value", text, text, tied)
        sign, figures, tail = match.groups()
        plain = self._figures(figures)
        if not tail:
            if not sign and (time := clock(figures)):
                return Part("time", time, text, tied)
            if plain is not None:
                return Part("number", f"#:{sign}{plain}", text, tied, sign + plain)
            return Part("value", text, text, tied)
        return self._tailed(text, sign, figures, tail, plain, tied=tied)

    def _tailed(self, text: str, sign: str, figures: str, tail: str, plain: str | None, *, tied: bool) -> Part:
        tongue, low = self.tongue, fold(tail)
        half = tongue.table("clock_words").get(low)
        if not sign and half in ("am", "pm") and (time := clock(figures.replace(".", ":"), half)) is not None:
            return Part("time", time, text, tied)
        if not sign and re.fullmatch("h[0-5][0-9]", tail) and (time := clock(f"{figures}:{tail[1:]}")) is not None:
            return Part("time", time, text, tied)
        if plain is not None:
            unit = self.lexicon.held["units"].get(tail) or tongue.table("units").get(low)
            if unit is not None:
                scale = self.lexicon.held["magnitudes"].get(tail, 0)
                return Part("value", f"{sign}{plain} {unit}", text, tied, sign + plain, scale=scale)
            if not sign and plain.isdigit() and low in tongue.list("ordinal_suffixes"):
                return Part("ordinal", tongue.table("ordinals").get(plain + low, plain + low), text, tied, plain)
            if (code := self.lexicon.held["currencies"].get(tail)) is not None:
                return Part("value", f"{sign}{plain} {code}", text, tied)
            if tail in self.lexicon.held["magnitudes"]:
                scale = self.lexicon.held["magnitudes"][tail]
                return Part("scaled", sign + plain + tail, text, tied, sign + plain, scale=scale)
        return Part("value", text, text, tied)


def clock(figures: str, half: str = "") -> str | None:
    """A time of day ``HH:MM[:SS]``, or None; with am or pm of one or two numbers."""
    match = re.fullmatch(r"([0-9]{1,2})(?::([0-5][0-9]))?(?::([0-5][0-9]))?", figures)
    if match is None or (match[2] is None and not half) or (half and match[3]):
        return None
    hour = int(match[1])
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "pm" else 0)
    seconds = f":{match[3]}" if match[3] else ""
    return f"{hour:02d}:{match[2] or '00'}{seconds}" if hour < 24 else None


# ---------------------------------------------------------------------------------------------------------------
# The measures: quantities
# ---------------------------------------------------------------------------------------------------------------

TRIGGERS = frozenset("number ordinal scaled money stamp date time".split())
KANJI = re.compile("[〇零一二三四五六七八九两兩十百千万億亿]{1,12}")
KANJI_DIGITS = {char: value for value, chars in enumerate("〇 一 二 三 四 五 六 七 八 九".split()) for char in chars}
KANJI_DIGITS |= {"零": 0, "两": 2, "兩": 2}
KANJI_POWERS = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "億": 10**8, "亿": 10**8}
KANA = re.compile("[\u3041-\u3096\u309d-\u309f]+|[\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff]+|"
                  "[^\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff]+")  # fmt: skip


def exists(year: int, month: int, day: int) -> bool:
    """Whether there is such a day."""
    try:
        dt.date(year, month, day)
    except ValueError:
        return False
    return True


def times(number: str, scale: int) -> str:
    """A decimal number times a power of ten."""
    sign, figures = (number[0], number[1:]) if number[:1] in ("-", "+", "±") else ("", number)
    whole, _, rest = figures.partition(".")
    value = str(int(whole + rest or "0") * scale)
    if rest:
        value = value.zfill(len(rest) + 1)
        value = f"{value[: -len(rest)]}.{value[-len(rest) :]}".rstrip("0").rstrip(".")
    return sign + value


def kanji(text: str) -> int | None:
    """The number that kanji numerals write."""
    if all(char in KANJI_DIGITS for char in text):
        return int("".join(str(KANJI_DIGITS[char]) for char in text))
    total = part = 0
    digit: int | None = None
    for char in text:
        if char in KANJI_DIGITS:
            if digit:
                return None
            digit = KANJI_DIGITS[char]
        elif KANJI_POWERS[char] < 10_000:
            part += (1 if digit is None else digit) * KANJI_POWERS[char]
            digit = None
        else:
            total += (part + (digit or 0) or 1) * KANJI_POWERS[char]
            part, digit = 0, None
    return total + part + (digit or 0)


class Quantities:
    """Joins the parts of one text's quantities, and cuts its runs."""

    def __init__(self, lexicon: Lexicon, tongue: Tongue, parts: list[Part]) -> None:
        self.tongue, self.parts = tongue, parts
        self.currencies: Json = lexicon.held.get("currencies", {})
        self.units: Json = lexicon.held.get("units", {})
        self.magnitudes: Json = lexicon.held.get("magnitudes", {})
        self.out: list[Part] = []

    def read(self) -> list[Part]:
        """The parts, joined and cut."""
        counters = self.tongue.table("unspaced")
        if counters:
            self.parts = [piece for part in self.parts for piece in self._numerals(part)]
        at = 0
        if any(part.kind in TRIGGERS or part.month or part.scale for part in self.parts):
            while at < len(self.parts):
                part = self.parts[at]
                taken = 0
                if part.kind in TRIGGERS or part.month or part.surface in self.currencies:
                    taken = self._one(at)
                if not taken:
                    self.out.append(part)
                at += taken or 1
        else:
            self.out = self.parts
        return [cut for part in self.out for cut in (self._cut(part) if part.kind == "unspaced" else (part,))]

    def _at(self, at: int) -> Part | None:
        return self.parts[at] if 0 <= at < len(self.parts) else None

    def _put(self, at: int, form: str, taken: int, kind: str = "value", number: str | None = None) -> int:
        first = self.parts[at]
        self.out.append(Part(kind, form, first.surface, first.tied, number))
        return taken

    def _one(self, at: int) -> int:
        part = self.parts[at]
        if part.kind == "stamp":
            return self._put(at, part.form, 1)
        if part.kind == "date":
            return self._put(at, self._numeric(part.form), 1)
        counted = self._counted(at) if self.tongue.table("unspaced") else 0
        return counted or self._date(at) or self._money(at) or self._hour(at) or self._measure(at)

    def _numeric(self, text: str) -> str:
        one, two, three = (int(bit) for bit in re.split("[/.]", text))
        if re.match("[0-9]{4}/", text):
            return f"{one:04d}-{two:02d}-{three:02d}" if exists(one, two, three) else text
        long = len(re.split("[/.]", text)[2]) == 4
        year = three if long else three + (2000 if three < 70 else 1900)
        rule = self.tongue.held.get("day_first")
        order = [(two, one), (one, two)]
        if not ("." in text or rule):
            order = [order[1], order[0]]
        found = [(month, day) for month, day in order if exists(year, month, day)]
        if not found or (rule is None and "." not in text and len(set(found)) == 2):
            return text
        return f"{year:04d}-{found[0][0]:02d}-{found[0][1]:02d}"

    # Dates

    def _day(self, part: Part | None) -> int:
        if part is None or part.kind not in ("number", "ordinal"):
            return 0
        figures = part.number if part.number is not None else (re.match("[0-9]*", part.form) or [""])[0]
        return int(figures) if re.fullmatch("[0-9]{1,2}", figures) and 1 <= int(figures) <= 31 else 0

    def _is(self, part: Part | None, name: str) -> bool:
        return part is not None and part.kind == "word" and part.form in self.tongue.list(name)

    def _year(self, at: int) -> tuple[int, int]:
        """A year behind a date, and how many parts it takes."""
        start, part = at, self._at(at)
        if part is not None and ((part.kind == "mark" and part.form == ",") or self._is(part, "date_joiners")):
            at += 1
        found = self._at(at)
        if found is None or found.kind != "number" or not re.fullmatch("[12][0-9]{3}", found.number or ""):
            return 0, 0
        return int(found.number or 0), at + 1 - start + self._is(self._at(at + 1), "date_suffixes")

    def _date(self, at: int) -> int:
        part, end = self.parts[at], at + 1
        day, month = self._day(part), 0
        if day:
            joined = self._at(end)
            dotted = self.tongue.held.get("day_dot") and joined is not None and joined.form == "."
            if self._is(joined, "date_joiners") or dotted:
                end += 1
            found = self._at(end)
            month, end = (found.month, end + 1) if found is not None else (0, end)
        elif part.month and not part.tied:
            month, day = part.month, self._day(self._at(end))
            if day and self._unit(end + 1):
                day = 0
            end += bool(day)
        if not month or (day and not exists(2000, month, day)):
            return 0
        year, taken = self._year(end)
        if not day:
            return self._put(at, f"{year:04d}-{month:02d}", end + taken - at) if year else 0
        if year and exists(year, month, day):
            return self._put(at, f"{year:04d}-{month:02d}-{day:02d}", end + taken - at)
        return self._put(at, f"--{month:02d}-{day:02d}", end - at)

    # Money, hours, measures

    def _scale(self, at: int) -> int:
        """The scale that a word behind a number in figures has."""
        part = self._at(at)
        scale = int(self.tongue.table("scales").get(fold(part.surface), 0)) if part is not None else 0
        return scale if part is not None and part.number == str(scale) else 0

    def _amount(self, at: int, *, behind_mark: bool) -> tuple[str, int] | None:
        part = self._at(at)
        if part is None or part.number is None or part.kind not in ("number", "scaled", "value"):
            return None
        if part.kind == "number":
            scale = self._scale(at + 1) if part.surface[:1] in "+-±.0123456789" else 0
            return (times(part.number, scale), 2) if scale else (part.number, 1)
        if part.scale and (part.kind == "scaled" or behind_mark):
            return times(part.number, 10**part.scale), 1
        return None

    def _code(self, at: int, *, words: bool) -> str | None:
        part = self._at(at)
        if part is None or part.kind not in ("money", "word"):
            return None
        found = self.currencies.get(part.surface)
        if found is None and words and part.kind == "word":
            table = self.tongue.table("currencies")
            found = table.get(fold(part.surface)) or table.get(part.form)
        return found

    def _money(self, at: int) -> int:
        code = self._code(at, words=False)
        if code is not None:
            amount = self._amount(at + 1, behind_mark=True)
            return self._put(at, f"{amount[0]} {code}", 1 + amount[1]) if amount else 0
        amount = self._amount(at, behind_mark=False)
        if amount is None:
            return 0
        code = self._code(at + amount[1], words=True)
        return self._put(at, f"{amount[0]} {code}", amount[1] + 1) if code else 0

    def _hour(self, at: int) -> int:
        part, following = self.parts[at], self._at(at + 1)
        if part.kind not in ("number", "time") or following is None or following.kind != "word":
            return 0
        words = self.tongue.table("clock_words")
        meant = words.get(fold(following.surface)) or words.get(following.form)
        figures = part.form if part.kind == "time" else part.number or ""
        if meant == "hour":
            time = figures if part.kind == "time" else clock(f"{figures}:00") if figures.isdigit() else None
        else:
            time = clock(figures.replace(".", ":"), meant) if meant else None
        return self._put(at, time, 2) if time else 0

    def _unit(self, at: int) -> str | None:
        part, following = self._at(at), self._at(at + 1)
        if part is None or part.kind not in ("word", "value", "unspaced", "ordinal"):
            return None
        if not part.tied and following is not None and following.tied:
            return None
        table = self.tongue.table("units")
        return self.units.get(part.surface) or table.get(fold(part.surface)) or table.get(part.form)

    def _measure(self, at: int) -> int:
        part = self.parts[at]
        if part.kind != "number" or part.number is None:
            return 0
        number, taken = self._amount(at, behind_mark=False) or (part.number, 1)
        unit = self._unit(at + taken)
        if unit is not None:
            return self._put(at, f"{number} {unit}", taken + 1)
        return self._put(at, f"#:{number}", taken, "number", number) if taken == 2 else 0

    # Runs without spaces

    def _numerals(self, part: Part) -> Iterator[Part]:
        if part.kind != "unspaced":
            yield part
            return
        done = 0
        for match in KANJI.finditer(part.form):
            value = kanji(match.group())
            if value is None or part.form[match.end() : match.end() + 1] not in self.tongue.list("counters"):
                continue
            if match.start() > done:
                yield Part("unspaced", part.form[done : match.start()])
            yield Part("number", f"#:{value}", match.group(), number=str(value))
            done = match.end()
        if done < len(part.form):
            yield Part("unspaced", part.form[done:])

    def _counted(self, at: int) -> int:
        pairs: list[tuple[str, str]] = []
        place = at
        while len(pairs) < 5:
            number, run = self._at(place), self._at(place + 1)
            if number is None or run is None or number.kind != "number" or run.kind != "unspaced":
                break
            if not re.fullmatch("[0-9]{1,9}", number.number or ""):
                break
            pairs.append((number.number or "", run.form))
            place += 2
            if len(run.form) > 1:
                break
        return (self._dated(at, pairs) if pairs else 0) or self._counts(at)

    def _counts(self, at: int) -> int:
        part, run = self.parts[at], self._at(at + 1)
        if part.kind != "number" or run is None or run.kind != "unspaced":
            return 0
        for key, unit in sorted(self.tongue.table("unspaced").items(), key=lambda item: (-len(item[0]), item[0])):
            if run.form.startswith(key):
                return self._takes(at, f"{part.number} {unit}", 1, length=len(key))
        return 0

    def _dated(self, at: int, pairs: Sequence[tuple[str, str]]) -> int:
        values = [int(value) for value, _ in pairs]
        signs = "".join(run[0] for _, run in pairs).replace("号", "日").replace("號", "日")
        if signs.startswith("年月日") and exists(*values[:3]):
            return self._takes(at, f"{values[0]:04d}-{values[1]:02d}-{values[2]:02d}", 3)
        if signs.startswith("年月") and exists(values[0], values[1], 1):
            return self._takes(at, f"{values[0]:04d}-{values[1]:02d}", 2)
        if signs.startswith("月日") and exists(2000, *values[:2]):
            return self._takes(at, f"--{values[0]:02d}-{values[1]:02d}", 2)
        if signs.startswith("年") and len(pairs[0][0]) == 4:
            return self._takes(at, f"#:{pairs[0][0]}", 1, number=pairs[0][0])
        if signs[0] in "時时点點" and values[0] < 24:
            return self._time(at, values, signs, pairs)
        return 0

    def _time(self, at: int, values: Sequence[int], signs: str, pairs: Sequence[tuple[str, str]]) -> int:
        hour, minutes, taken, length = values[0], 0, 1, 1
        if len(values) > 1 and signs[1] == "分" and values[1] < 60:
            minutes, taken = values[1], 2
        elif pairs[0][1][1:2] == "半":
            minutes, length = 30, 2
        if pairs[taken - 1][1][length : length + 1] in ("钟", "鐘", "整"):
            length += 1
        for key, value in self.tongue.table("afternoon").items():
            if self.out and self.out[-1].kind == "unspaced" and self.out[-1].form.endswith(key):
                self.out[-1].form = self.out[-1].form[: -len(key)]
                hour = hour % 12 + int(value)
        return self._takes(at, f"{hour:02d}:{minutes:02d}", taken, length=length)

    def _takes(self, at: int, form: str, pairs: int, *, length: int = 1, number: str | None = None) -> int:
        """Put what so many pairs became, and leave the rest of the last run."""
        self._put(at, form, 0, "number" if number else "value", number)
        rest = self.parts[at + 2 * pairs - 1].form[length:]
        if not rest:
            return 2 * pairs
        self.parts[at + 2 * pairs - 1] = Part("unspaced", rest)
        return 2 * pairs - 1

    def _cut(self, part: Part) -> Iterator[Part]:
        tongue = self.tongue
        words = set(tongue.subject) | set(tongue.list("particles")) | set(tongue.list("plural_subject"))
        ordered = sorted(words, key=lambda word: (-len(word), word))
        known = re.compile("(" + "|".join(map(re.escape, ordered)) + ")") if ordered else None
        for stretch in known.split(part.form) if known else [part.form]:
            if stretch in tongue.subject:
                yield Part("subject", tongue.subject[stretch], stretch)
            elif stretch in words:
                yield Part("word", stretch, stretch, counts=stretch not in tongue.stop)
            else:
                for run in KANA.findall(stretch):
                    for place in range(max(1, len(run) - 1)):
                        pair = run[place : place + 2]
                        yield Part("word", pair, pair, counts=pair not in tongue.stop)


# ---------------------------------------------------------------------------------------------------------------
# The measures: sentences, names, and what is compared
# ---------------------------------------------------------------------------------------------------------------


class Analysis(NamedTuple):
    """A text as it is compared."""

    tokens: tuple[str, ...]
    content: frozenset[str]
    values: frozenset[str]
    vocabulary: frozenset[str]
    names: frozenset[str]
    initials: frozenset[str]
    spoken: frozenset[str]
    tongue: Tongue


ENDS = frozenset(".!?。！？؟।॥")
NO_WORDS = frozenset(("mark", "open", "break"))


@lru_cache(maxsize=4)
def lexicon_of(text: str) -> Lexicon:
    """A lexicon of the JSON that the store keeps."""
    return Lexicon(json.loads(text))


def analysed(text: str, lexicon: Lexicon) -> Analysis:
    """The text as it is compared; remembered."""
    found = lexicon.analyses.get(text)
    if found is None:
        found = lexicon.analyses[text] = _analysed(text, lexicon)
    return found


def _analysed(text: str, lexicon: Lexicon) -> Analysis:
    clean = cleaned(text)
    pieces = pieces_of(clean)
    tongue = lexicon.tongue(clean, pieces)
    parts = Quantities(lexicon, tongue, Reader(lexicon, tongue, pieces).read()).read()
    _passives(parts, tongue)
    tokens, content, values, vocabulary = [], set(), set(), set()
    for part in parts:
        if part.kind in NO_WORDS:
            continue
        tokens.append(part.form)
        stem = part.form
        if part.kind == "word":
            stem = part.stem if part.stem is not None else tongue.stem(part.form)
        elif part.kind != "subject":
            values.add(part.form)
        vocabulary.add(stem)
        if part.kind != "subject" and part.counts:
            content.add(stem)
    names, initials = _names(parts, tongue)
    spoken = {bare(fold(piece.text)) for piece in pieces} | {bare(fold(part.surface)) for part in parts}
    return Analysis(
        tuple(tokens), frozenset(content), frozenset(values), frozenset(vocabulary), frozenset(names),
        frozenset(initials), frozenset(spoken), tongue,
    )  # fmt: skip


def _passives(parts: Sequence[Part], tongue: Tongue) -> None:
    bases = tongue.table("participle_bases")
    if not bases:
        return
    opened = False
    for at in range(len(parts) - 1, -1, -1):
        part = parts[at]
        if part.kind == "mark" and part.form in ENDS:
            opened = False
        elif part.kind == "word" and part.form == "by":
            opened = True
        elif opened and part.kind == "word" and part.form in bases:
            for before in parts[max(0, at - 3) : at][::-1]:
                if before.kind == "word" and before.form in ("is", "be"):
                    part.stem = str(bases[part.form])
                    break
                if before.kind != "word" or not (before.form in tongue.function or before.form.endswith("ly")):
                    break


def _names(parts: Sequence[Part], tongue: Tongue) -> tuple[set[str], set[str]]:
    names: set[str] = set()
    initials: set[str] = set()
    initial, ended, sofar = True, False, 0
    numbered = False
    for at, part in enumerate(parts):
        if part.kind == "break":
            initial, ended, sofar = True, False, 0
        elif part.kind == "open":
            initial = True
        elif part.kind == "mark":
            ended = ended or _ends(part, parts[at - 1] if at else None, tongue)
            initial = initial or ended or part.form == ":" or (part.form == ")" and sofar == 1 and numbered)
        else:
            if ended:
                ended, sofar = False, 0
            sofar += 1
            numbered = part.kind == "number"
            if part.kind == "camel":
                names.add(bare(part.surface))
            elif part.kind == "word":
                _named(parts, at, tongue, names, initials, initial=initial)
            initial = False
    return names, initials


def _ends(part: Part, before: Part | None, tongue: Tongue) -> bool:
    if part.form not in ENDS:
        return False
    if part.form != "." or before is None or before.kind != "word":
        return True
    word = before.surface
    return not (word.lower() in tongue.list("abbreviations") or (len(word) == 1 and word.isupper()))


def _named(
    parts: Sequence[Part], at: int, tongue: Tongue, names: set[str], initials: set[str], *, initial: bool
) -> None:
    part = parts[at]
    word = bare(part.surface)
    if part.surface == part.surface.lower() or not word:
        return
    if bare(fold(part.surface)) in tongue.no_names or part.form in tongue.no_names:
        return
    if any(char.isupper() for char in word[1:]):
        names.add(word)
    elif word[0] != word[0].lower():
        named = not initial or (not part.surface.endswith("s") and _acts(parts, at + 1, tongue))
        (names if named else initials).add(word)


def _acts(parts: Sequence[Part], at: int, tongue: Tongue) -> bool:
    """Whether a verb stands there that an initial capitalised word is the subject of."""
    endings = tuple(tongue.list("name_verb_endings"))
    if at >= len(parts) or not endings or parts[at].kind != "word" or parts[at].tied:
        return False
    if not parts[at].form.endswith(endings) or parts[at].form in tongue.function:
        return False
    if at + 1 == len(parts):
        return True
    after = parts[at + 1]
    follows = after.kind == "word" and after.form in tongue.single("directions", "determiners")
    return after.kind in ("mark", "subject") or follows


def names_of(text: str, lexicon: Lexicon, context: Sequence[str] = ()) -> frozenset[str]:
    """The names of a text, folded, read beside its context."""
    read = analysed(text, lexicon)
    found = {fold(name) for name in read.names}
    elsewhere = found.union(*({fold(name) for name in analysed(other, lexicon).names} for other in context))
    return frozenset(found | ({fold(name) for name in read.initials} & elsewhere))


def similarity(one: str, two: str, lexicon: Lexicon) -> Fraction | None:
    """Shared content over the smaller content; None where either has none."""
    first, second = analysed(one, lexicon).content, analysed(two, lexicon).content
    return Fraction(len(first & second), min(len(first), len(second))) if first and second else None


# ---------------------------------------------------------------------------------------------------------------
# Rulings, measured anew (MEASURES.md, "What every accepted ruling holds")
# ---------------------------------------------------------------------------------------------------------------

DAY = 86_400_000_000
WEIGHT = {"persona": 60, "human": 50, "schemas": 40, "episodes": 30, "scratch": 10}
KEEPS_WORDS = frozenset(("dedupe", "merge", "promote", "schematise"))
PASSES = ("dedupe", "contradict", "merge", "promote", "schematise", "forget")


class Erased(Exception):
    """A text that measuring needs was purged; holds its commitment."""


class Turn(NamedTuple):
    """What measuring needs of a turn."""

    text: str
    speaker: str | None
    provenance: str
    trust: int
    said_at: int | None
    source: int
    session: str | None


class Setting(NamedTuple):
    """What a ruling was made under."""

    policy: Json
    lexicon: Lexicon


class Judge:
    """Sees every entry as it is replayed, and measures what was accepted: never the gates, only what they must hold."""

    replay: Replay

    def __init__(self, store: Store) -> None:
        self.db = store
        self.word = lru_cache(maxsize=100_000)(self._word)
        self.turn = lru_cache(maxsize=20_000)(self._turn)
        self.lexicons: dict[str, Lexicon] = {}
        self.policies: dict[str, Json] = {}
        self.kinds = {
            kind: Check(f"accepted {kind} rulings hold when measured anew", "rulings")
            for kind in ("encode", "drop", "contradict", "merge", "promote", "schematise", "forget")
        }
        self.restores = Check("restores gave back the state that they name", "restores")
        self.conserved = Check("what a pass retired lives on, with every word where it must", "passes")
        self.budget = Check("no sleep lost more than its policy allows", "sleeps")
        self.traced = Check("active facts are traceable to the turns that say them", "facts")
        self.invented = Check("no active fact holds a name or value that its turns lack", "facts")
        self.buried = Check("nothing that a person forgot or purged came back", "facts said again or restored")
        self.index = Check("the index holds the words of the active facts", "facts")
        self.unmeasured = 0
        self.erased: Counter[str] = Counter()
        self.touched: dict[int, Version | None] = {}
        self.over: frozenset[int] | None = None
        self.sleep: Json | None = None
        self.returned: list[Json] = []
        self.made: dict[int, int] = {}
        self.shown_by: dict[int, list[int]] = {}
        self.back: list[tuple[int, int, str]] = []

    def checks(self) -> list[Check]:
        """In the order in which they are printed."""
        rest = [self.restores, self.conserved, self.budget, self.traced, self.invented, self.buried, self.index]
        if self.unmeasured:
            rest[1].notes.append(f"{self.unmeasured} rulings under another version of the measures were not measured")
        by: Counter[int] = Counter()
        for key, count in self.erased.items():
            by[self.replay.erased.get(key, 0)] += count
        for seq, count in sorted(by.items()):
            rest[3].notes.append(f"{count} rulings or facts are not measured: erased by mutation {seq}")
        return [*self.kinds.values(), *rest]

    # What is looked up

    def _word(self, key: str) -> str | None:
        found: str | None = self.db.value("SELECT text FROM texts WHERE hash = ?", (key,))
        return found

    def _turn(self, number: int) -> Row | None:
        names = "text, speaker, provenance, trust, said_at, source, session"
        return self.db.one(f"SELECT {names} FROM turns WHERE id = ?", (number,))

    def text(self, key: str) -> str:
        """The text of a commitment; Erased where it was purged."""
        found = self.word(key)
        if found is None:
            raise Erased(key)
        return found

    def said(self, number: int) -> Turn:
        """A turn with its words."""
        row = self.turn(number)
        if row is None:
            raise Erased("")
        speaker = None if row[1] is None else self.text(row[1])
        return Turn(self.text(row[0]), speaker, *row[2:])

    def setting(self, seq: int) -> Setting | None:
        """The policy and lexicon of a setting, or None where its measures are not these."""
        held = self.replay.settings.get(seq)
        known = self.replay.known
        if held is None or held["measures"] != MEASURES or held["policy"] not in known["policies"]:
            return None
        if held["lexicon"] not in known["lexicons"]:
            return None
        if held["lexicon"] not in self.lexicons:
            self.lexicons[held["lexicon"]] = lexicon_of(known["lexicons"][held["lexicon"]])
        if held["policy"] not in self.policies:
            self.policies[held["policy"]] = json.loads(known["policies"][held["policy"]])
        return Setting(self.policies[held["policy"]], self.lexicons[held["lexicon"]])

    # Entries, as they come

    def ruling(self, seq: int, entry: Json, before: Mapping[int, Version | None]) -> None:
        """One mutation, already replayed; ``before`` holds what its facts were."""
        state = self.replay.state
        for fact, old in before.items():
            self.touched.setdefault(fact, old)
            now = state[fact]
            if old is None or old.get("text") != now.get("text"):
                self.made[fact] = entry.get("under", self.replay.setting)
        if not entry["accepted"]:
            return
        if entry["kind"] == "restore":
            self.returned.append(entry)
        if links := [link for link in entry.get("links", ()) if link[2] == "evidence"]:
            self.shown_by[links[0][0]] = [link[1] for link in links]
        lost = [fact for fact in before if not state[fact].active and state[fact].get("successor") is None]
        if self.sleep is not None and entry["pass"] in PASSES:
            self.sleep["lost"] += sum((old := before[fact]) is not None and old.active for fact in lost)
        if entry["kind"] in ("encode", "restore"):
            self._came_back(seq, entry, before)
        check = self.kinds.get(entry["kind"])
        if check is None or entry["pass"] == "person" or str(entry.get("rule", "")).startswith("person:"):
            return
        setting = self.setting(entry.get("under", 0))
        if setting is None:
            self.unmeasured += 1
            return
        try:
            faults = list(MEASURE[entry["kind"]](Ruling(self, entry, before, setting)))
        except Erased as error:
            self.erased[error.args[0]] += 1
            return
        check.holds(not faults, "entry {}: {}", seq, "; ".join(faults))

    def _came_back(self, seq: int, entry: Json, before: Mapping[int, Version | None]) -> None:
        setting = self.setting(entry.get("under", self.replay.setting)) if self.replay.stones else None
        for fact, old in before.items():
            now = self.replay.state[fact]
            stayed = old is not None and old.active and old.get("text") == now.get("text")
            if setting is None or not now.active or stayed:
                continue
            with contextlib.suppress(Erased):
                self.back.append((seq, fact, self._grave(now, setting)))

    def _grave(self, version: Version, setting: Setting) -> str:
        """The key under which a version's words are buried, or would be."""
        words = sorted(analysed(self.text(version.get("text")), setting.lexicon).content)
        return keyed(self.replay.secret, 10, words)

    def _buried_then(self) -> None:
        """Hold what came back against the tombstones set before it, now that its command may have lifted them."""
        for seq, fact, key in self.back:
            stone = self.replay.stones.get(key)
            free = stone is None or stone[3] is not None or stone[2] >= seq
            self.buried.holds(free, "entry {}: m{} is what a person forgot", seq, fact)
        self.back.clear()

    def snapshot(self, seq: int, entry: Json) -> None:
        """A snapshot closes what came before it."""
        label = entry["label"]
        found = re.fullmatch("pass:(.+):(before|after)", label)
        if found and found[2] == "after":
            self._conserve(seq, found[1])
        if label == "consolidation:start":
            command = self.word(entry["command"]) if "command" in entry else None
            allowed = command is None or "--allow-loss" in command.split()
            self.sleep = {"start": entry["active"], "lost": 0, "allowed": allowed, "passes": []}
            self.budget.holds(True, "")
        elif found and self.sleep is not None and found[2] == "after":
            self._spent(entry, found[1])
        elif not found:
            self.sleep = None
        self._buried_then()
        if self.returned:
            self._restored(entry["number"])
        self.touched.clear()
        self.over = None

    def _spent(self, entry: Json, name: str) -> None:
        sleep = self.sleep or {}
        order = [*sleep["passes"], name]
        if name not in PASSES or order != sorted(set(order), key=PASSES.index):
            self.sleep = None  # two sleeps at once: whose loss it was cannot be told
            return
        sleep["passes"] = order
        text = self.replay.known["policies"].get(entry.get("policy", ""))
        if text is None or sleep["allowed"]:
            return
        allowed = Fraction(str(json.loads(text)["loss_budget"])) * sleep["start"]
        if sleep["lost"] > allowed:
            self.budget.held -= 1
            self.budget.bad("up to s{}: {} facts went, {} may", entry["number"], sleep["lost"], int(allowed))
            sleep["allowed"] = True

    def _heir(self, fact: int) -> Version | None:
        seen: set[int] = set()
        current: int | None = fact
        while current is not None and current not in seen and current in self.replay.state:
            version = self.replay.state[current]
            if version.active:
                return version
            seen.add(current)
            current = version.get("successor")
        return None

    def _conserve(self, seq: int, name: str) -> None:
        faults = []
        setting = self.setting(self.replay.setting)
        for fact, old in self.touched.items():
            now = self.replay.state[fact]
            if old is None or not old.active:
                if old is None and name not in ("encode", "schematise"):
                    faults.append(f"m{fact} is a new fact")
                continue
            if not now.active and now.get("retired_by") is None:
                faults.append(f"m{fact} is retired without a rule")
            if name == "forget":
                continue
            heir = self._heir(fact)
            if heir is None:
                faults.append(f"m{fact} has no live successor")
            elif name in KEEPS_WORDS and setting is not None and heir.get("text") != old.get("text"):
                with contextlib.suppress(Erased):
                    words = analysed(self.text(old.get("text")), setting.lexicon).content
                    lost = words - analysed(self.text(heir.get("text")), setting.lexicon).content
                    faults += [f"of m{fact} {', '.join(sorted(lost))} is lost"] if lost else []
        self.conserved.holds(not faults, "{} before entry {}: {}", name, seq, "; ".join(faults[:3]))

    def _restored(self, number: int) -> None:
        """Hold the state against the one that a restore names, but for the facts that it lists."""
        refs = self.returned[0]["refs"]
        self.returned.clear()
        left = set(refs.get("skipped", ())) | set(refs.get("erased", ()))
        (seq,) = self.db.one("SELECT seq FROM ledger WHERE number = ?", (refs["to"],)) or (0,)
        then = " WHERE from_seq <= ?1 AND (to_seq IS NULL OR to_seq > ?1)"
        spans: dict[int, set[Span]] = {}
        for fact, *span in self.db.stream("SELECT fact, turn, start, stop FROM fact_sources" + then, (seq,)):
            spans.setdefault(fact, set()).add((span[0], span[1], span[2]))
        faults, wanted = [], set()
        for fact, *row in self.db.stream(f"SELECT fact_id, {', '.join(COLUMNS)} FROM facts" + then, (seq,)):
            wanted.add(fact)
            now = self.replay.state[fact]
            differs = [name for name, value in zip(COLUMNS, row, strict=True) if not self._same(name, value, now)]
            if fact not in left and (differs or now.spans != spans.get(fact, set())):
                faults.append(f"m{fact} {', '.join(differs) or 'sources'}")
        more = [fact for fact, now in self.replay.state.items() if now.active and fact not in wanted]
        faults += [f"m{fact} is active" for fact in more]
        self.restores.holds(not faults, "s{} to s{}: {}", number, refs["to"], "; ".join(faults[:3]))
        if left:
            self.restores.notes.append(f"s{number} left {len(left)} facts as they were, and lists them")

    def _same(self, name: str, value: Any, now: Version) -> bool:
        held = now.get(name)
        if held == value or name not in ("text", "speaker", "subject") or value is None or held is None:
            return bool(held == value)
        return self.word(held) is not None and self.word(held) == self.word(value)

    # The whole, at the end

    def sweep(self) -> None:
        """Every active fact: down to its turns, with no name or value that they lack; and the index."""
        self._buried_then()
        for fact, version in self.replay.state.items():
            if not version.active:
                continue
            setting = self.setting(self.made.get(fact, 0))
            try:
                if setting is not None and self._stands_buried(version, setting):
                    self.buried.bad("m{}: a person does not want this text back, and it is active", fact)
                faults = self._untraced(version)
                self.traced.holds(not faults, "m{}: {}", fact, "; ".join(faults))
                if setting is not None and not faults:
                    turns = [self.said(turn) for turn in sorted({span[0] for span in version.spans})]
                    text = self.text(version.get("text"))
                    strange = strangers(text, turns, setting.lexicon)
                    self.invented.holds(not strange, "m{}: {}", fact, "; ".join(strange))
            except Erased as error:
                self.erased[error.args[0]] += 1
        self._indexed()

    def _stands_buried(self, version: Version, setting: Setting) -> bool:
        if not self.replay.stones:
            return False
        stone = self.replay.stones.get(self._grave(version, setting))
        return stone is not None and stone[3] is None

    def _untraced(self, version: Version) -> list[str]:
        if not version.spans:
            return ["it names no turn"]
        faults = []
        for turn, start, stop in version.spans:
            row = self.turn(turn)
            if row is None:
                faults.append(f"t{turn} is not there")
            elif not 0 <= start < stop or stop > len(self.text(row[0])):
                faults.append(f"t{turn} has no characters {start} to {stop}")
        return faults

    def _indexed(self) -> None:
        """The token numbers of every active fact, how many facts each stands in, and the full-text index."""
        tongues = [setting for seq in sorted(self.replay.settings) if (setting := self.setting(seq))]
        lexicons = list({id(setting.lexicon): setting.lexicon for setting in tongues}.values())
        if not lexicons:
            return
        words: dict[int, str] = dict(self.db.all("SELECT id, token FROM tokens"))
        held: dict[int, bytes] = dict(self.db.all("SELECT fact, ids FROM fact_tokens"))
        counts: Counter[int] = Counter()
        for fact, version in self.replay.state.items():
            text = self.word(version.get("text")) if version.active else None
            if text is None:
                continue
            blob = held.pop(fact, b"")
            ids = struct.unpack(f"<{len(blob) // 4}I", blob[: len(blob) // 4 * 4])
            counts.update(set(ids))
            told = [words.get(number) for number in ids]
            right = any(told == sorted(analysed(text, lexicon).content) for lexicon in lexicons)
            self.index.holds(right, "m{}: its tokens are not those of its text", fact)
        if held:
            self.index.bad("{} facts are indexed and not active, the first m{}", len(held), min(held))
        listed = {number: count for number, count in self.db.all("SELECT id, df FROM tokens") if count}
        if listed != counts:
            other = len(set(listed.items()) ^ set(counts.items()))
            self.index.bad("the dictionary counts {} tokens otherwise", other)
        try:
            found = {int(term, 36): count for term, count in self.db.all("SELECT term, doc FROM search_terms")}
        except sqlite3.OperationalError as error:
            self.index.notes.append(f"the full-text index cannot be read by this SQLite: {error}")
            return
        if found != counts:
            other = len(set(found.items()) ^ set(counts.items()))
            self.index.bad("the full-text index differs in {} tokens", other)


@dataclass(slots=True)
class Ruling:
    """One accepted ruling with what it touches."""

    judge: Judge
    entry: Json
    before: Mapping[int, Version | None]
    setting: Setting

    def ref(self, name: str) -> int:
        """A fact that the proposal names."""
        refs = self.entry.get("refs", {})
        return int(refs[name] if name in refs else self.entry["fact"])

    def many(self, name: str) -> list[int]:
        """Facts or turns that the proposal names."""
        return [int(item) for item in self.entry.get("refs", {}).get(name, ())]

    def old(self, fact: int) -> Version:
        """The fact as the ruling found it."""
        found = self.before.get(fact, self.judge.replay.state.get(fact))
        if found is None:
            raise ValueError(f"m{fact} was not there")
        return found

    def now(self, fact: int) -> Version:
        """The fact as the ruling left it."""
        return self.judge.replay.state[fact]

    def read(self, version: Version) -> Analysis:
        """A fact's words."""
        return analysed(self.text(version), self.setting.lexicon)

    def text(self, version: Version) -> str:
        """A fact's text."""
        return self.judge.text(version.get("text"))

    def names(self, version: Version, context: Sequence[str]) -> frozenset[str]:
        """A fact's names."""
        return names_of(self.text(version), self.setting.lexicon, context)

    def new(self) -> Version:
        """The one fact that the ruling made."""
        made = [fact for fact, old in self.before.items() if old is None]
        if len(made) != 1:
            raise ValueError(f"{len(made)} new facts")
        return self.now(made[0])

    def policy(self, section: str, name: str) -> Any:
        """A policy's value."""
        return self.setting.policy[section][name]

    def protected(self, version: Version) -> bool:
        """Whether no rule of the policy may take the fact."""
        return bool(version.get("pinned")) or version.get("category") in self.policy("forget", "protected")


def strangers(text: str, turns: Sequence[Turn], lexicon: Lexicon) -> list[str]:
    """Names and values of a text that its turns and their speakers' names lack."""
    read = [analysed(turn.text, lexicon) for turn in turns]
    label = {fold(word) for turn in turns for word in (turn.speaker or "").split()}
    spoken = label.union(*(one.spoken for one in read), *(one.vocabulary for one in read))
    named = names_of(text, lexicon, [turn.text for turn in turns])
    strange = sorted(name for name in named if not all(bare(part) in spoken for part in name.split()))
    values = sorted(analysed(text, lexicon).values - frozenset().union(*(one.values for one in read)))
    return [f"the name {name} is in no turn" for name in strange] + [f"{value} is in no turn" for value in values]


def _lost(what: str, one: frozenset[str], two: frozenset[str], where: str) -> Iterator[str]:
    if one - two:
        yield f"{what} {', '.join(sorted(one - two))} not in {where}"


def _active_before(ruling: Ruling, *facts: int) -> Iterator[str]:
    for fact in facts:
        if not ruling.old(fact).active:
            yield f"m{fact} was not active"


def _gone(ruling: Ruling, fact: int, rule: str, successor: int | None) -> Iterator[str]:
    now = ruling.now(fact)
    if now.active or now.get("retired_by") != rule or now.get("successor") != successor:
        yield f"m{fact} is not retired by {rule}" + (f" into m{successor}" if successor else "")
    if now.get("text") != ruling.old(fact).get("text"):
        yield f"m{fact} has another text"


def encode(ruling: Ruling) -> Iterator[str]:
    """Every word, name and value is said in the cited turns, by who may say it."""
    new, cited = ruling.new(), ruling.many("turns")
    turns = [ruling.judge.said(turn) for turn in cited]
    if not turns or {span[0] for span in new.spans} != set(cited):
        yield "its sources are not the turns that it cites"
        return
    for turn in turns:
        if turn.provenance not in ("human", "profile", "assistant"):
            yield f"a turn of class {turn.provenance} supports no fact"
        if turn.provenance == "assistant" and new.get("block") != "persona":
            yield "what an assistant says is no fact about a person"
    read = analysed(ruling.text(new), ruling.setting.lexicon)
    label = {fold(word) for turn in turns for word in (turn.speaker or "").split()}
    label |= {read.tongue.stem(word) for word in label}
    lexicon = ruling.setting.lexicon
    held = label.union({"user", "assistant"}, *(analysed(turn.text, lexicon).vocabulary for turn in turns))
    missing = frozenset(word for word in read.content if word.removesuffix("'s") not in held and word not in held)
    yield from _lost("the words", missing, frozenset(), "its turns")
    yield from strangers(ruling.text(new), turns, ruling.setting.lexicon)
    if not read.content:
        yield "it says nothing"
    if new.get("trust") > min(turn.trust for turn in turns):
        yield "it is trusted more than its turns"
    if new.get("block") not in ("scratch", "persona"):
        yield f"it began in {new.get('block')}"


def drop(ruling: Ruling) -> Iterator[str]:
    """What is dropped is contained in what is kept."""
    fact, kept = ruling.ref("fact"), ruling.ref("duplicate_of")
    yield from _active_before(ruling, fact, kept)
    yield from _gone(ruling, fact, "dedupe", kept)
    one, two, heir = ruling.old(fact), ruling.old(kept), ruling.now(kept)
    first, second, where = ruling.read(one), ruling.read(two), f"m{kept}"
    context = (ruling.text(one), ruling.text(two))
    yield from _lost("the words", first.content, second.content, where)
    yield from _lost("the values", first.values, second.values, where)
    yield from _lost("the names", ruling.names(one, context), ruling.names(two, context), where)
    share, floor = similarity(*context, ruling.setting.lexicon), Fraction(str(ruling.policy("dedupe", "floor")))
    if share is None or share < floor:
        yield f"similarity {share}, below {floor}"
    if fact == kept or not heir.active or heir.get("text") != two.get("text"):
        yield f"m{kept} does not stand as it was"
    if not one.spans <= heir.spans or (one.get("pinned") and not heir.get("pinned")):
        yield f"m{kept} did not inherit what m{fact} rests on"
    if any(one.get(name) != two.get(name) for name in ("subject", "namespace")):
        yield "they are of two subjects"


def merge(ruling: Ruling) -> Iterator[str]:
    """The merged text says all that its sources say, and nothing else."""
    into = ruling.ref("into")
    members = list(dict.fromkeys([into, *ruling.many("sources")]))
    yield from _active_before(ruling, *members)
    for fact in members[1:]:
        yield from _gone(ruling, fact, "merge", into)
    old, now = [ruling.old(fact) for fact in members], ruling.now(into)
    texts, text = [ruling.text(version) for version in old], ruling.text(now)
    context, lexicon = [text, *texts], ruling.setting.lexicon
    whole, parts = analysed(text, lexicon), [analysed(part, lexicon) for part in texts]
    none: frozenset[str] = frozenset()
    for what, merged, said in (
        ("the words", whole.content, none.union(*(part.content for part in parts))),
        ("the values", whole.values, none.union(*(part.values for part in parts))),
        ("the names", ruling.names(now, context), none.union(*(ruling.names(one, context) for one in old))),
    ):
        yield from _lost(what, said, merged, "the merged text")
        yield from _lost(what, merged, said, "any source")
    if len(members) < 2 or not now.active:
        yield "it is no merge of two"
    if any(len({one.get(name) for one in old}) > 1 for name in ("subject", "namespace", "valid_from", "valid_until")):
        yield "its sources differ in subject or validity"
    count = sum(one.get("originals") for one in old)
    absorbed = text in texts
    most, longest = ruling.policy("merge", "max_originals"), ruling.policy("merge", "max_chars")
    if not absorbed and (count > most or len(text) > longest):
        yield f"{count} originals, {len(text)} characters: more than the policy allows"
    if now.get("originals") != (max(one.get("originals") for one in old) if absorbed else count):
        yield "its originals are miscounted"
    spans = frozenset().union(*(one.spans for one in old))
    if now.get("trust") != min(one.get("trust") for one in old) or now.spans != spans:
        yield "its trust or sources are not those of what it was made of"


def promote(ruling: Ruling) -> Iterator[str]:
    """A legal block, another than before, and enough evidence."""
    fact = ruling.ref("fact")
    yield from _active_before(ruling, fact)
    old, now = ruling.old(fact), ruling.now(fact)
    block = now.get("block")
    if block not in ("persona", "human", "episodes") or block == old.get("block"):
        yield f"from {old.get('block')} to {block}"
    if {**old.columns, "block": block} != now.columns or old.spans != now.spans:
        yield "more than the block was changed"
    subject = old.get("subject")
    of_assistant = subject is not None and ruling.judge.text(subject) == "assistant"
    if of_assistant != (block == "persona"):
        yield "persona is for what is said of the assistant, and for nothing else"
    needed = ruling.policy("promote", "independent_sources")
    if old.get("trust") < ruling.policy("promote", "low_trust"):
        needed = max(needed, 2)
    rows = [row for span in old.spans if (row := ruling.judge.turn(span[0])) is not None]
    days = {None if row[4] is None else row[4] // DAY for row in rows}
    found = min(len({row[5] for row in rows}), len(days))
    if needed >= 2 and found < needed:
        yield f"{found} independent sources, {needed} needed"


def contradict(ruling: Ruling) -> Iterator[str]:
    """A later statement of the same subject took its place, and lives."""
    old, new = ruling.ref("old"), ruling.ref("new")
    yield from _active_before(ruling, old, new)
    yield from _gone(ruling, old, "contradict", new)
    before, after = ruling.old(old), ruling.old(new)
    if old == new or not ruling.now(new).active:
        yield f"m{new} does not stand"
    if any(before.get(name) != after.get(name) for name in ("subject", "namespace")):
        yield "they are of two subjects"
    then, now = (
        version.get("said_at") if version.get("occurred_at") is None else version.get("occurred_at")
        for version in (before, after)
    )
    sources = [{row[5] for turn, _, _ in one.spans if (row := ruling.judge.turn(turn))} for one in (before, after)]
    behind = (
        len(sources[0]) == 1 and sources[0] == sources[1]
        and max(span[0] for span in before.spans) < min(span[0] for span in after.spans)
    )  # fmt: skip
    if not (behind if then is None or now is None else now > then or (now == then and behind)):
        yield f"m{new} is not later than m{old}"
    if ruling.now(old).get("valid_until") != (after.columns["recorded_at"] if now is None else now):
        yield f"m{old} does not end where m{new} begins"


def schematise(ruling: Ruling) -> Iterator[str]:
    """Enough members of enough sessions, which say every word; names and values in two of them."""
    members = ruling.many("members")
    schema = int(ruling.entry["links"][0][0])
    before, new = ruling.before.get(schema), ruling.now(schema)
    if ruling.entry.get("rule") == "schema" and before is not None:
        yield f"m{schema} is not new"
    if new.get("block") != "schemas" or (before is not None and before.get("text") != new.get("text")):
        yield f"m{schema} is no schema, or another one than it was"
    yield from _active_before(ruling, *members)
    if any(fact in ruling.before for fact in members):
        yield "it changes its members"
    old = [ruling.old(fact) for fact in members]
    turns = [row for one in old for turn, _, _ in one.spans if (row := ruling.judge.turn(turn))]
    sessions = len({(row[5], row[6]) for row in turns})
    if len(set(members)) < ruling.policy("schematise", "min_members"):
        yield f"{len(members)} members"
    if sessions < ruling.policy("schematise", "min_sessions"):
        yield f"{sessions} sessions"
    lexicon = ruling.setting.lexicon
    texts = [ruling.text(one) for one in old]
    parts, read = [analysed(text, lexicon) for text in texts], ruling.read(new)
    yield from _lost("the words", read.content, frozenset().union(*(part.vocabulary for part in parts)), "its members")
    context = [ruling.text(new), *texts]
    named = Counter(name for one in old for name in ruling.names(one, context))
    named.update(value for part in parts for value in part.values)
    rare = frozenset(name for name in ruling.names(new, context) | read.values if named[name] < 2)
    yield from _lost("the names", rare, frozenset(), "two members")
    spans = frozenset().union(*(one.spans for one in old))
    if new.get("trust") != min(one.get("trust") for one in old) or new.spans != spans:
        yield "its trust or sources are not those of its members"


def forget(ruling: Ruling) -> Iterator[str]:
    """The rule that is named holds, in exact arithmetic, and nothing protected goes."""
    fact, rule = ruling.ref("fact"), ruling.entry.get("rule")
    yield from _active_before(ruling, fact)
    yield from _gone(ruling, fact, str(rule), None)
    old, at = ruling.old(fact), ruling.entry["at"]
    if rule == "forget:evidence":
        lost = [member for member in ruling.judge.shown_by.get(fact, ()) if _is_lost(ruling, member)]
        if old.get("block") != "schemas" or old.get("pinned") or not lost:
            yield f"m{fact} is no schema that lost some of its evidence, or it is pinned"
        return
    if ruling.protected(old):
        yield f"m{fact} is protected or pinned"
    days, capacity = ruling.policy("forget", "stale_days"), ruling.policy("forget", "capacity")
    age = max(0, at - old.learned)
    if rule == "forget:stale":
        if days is None or age <= days * DAY:
            yield f"it is {Fraction(age, DAY)} days old, the limit is {days}"
    elif rule == "forget:capacity":
        active = ruling.judge.replay.active + 1
        if capacity is None or active <= capacity or fact not in _overflow(ruling, at):
            yield f"of {active} facts it is not one of those above {capacity}"
    else:
        yield f"no rule is called {rule}"


def _is_lost(ruling: Ruling, member: int) -> bool:
    """Whether what a schema's member said is active no more, and not because the policy forgot it."""
    seen: set[int] = set()
    while member not in seen:
        seen.add(member)
        version = ruling.now(member)
        if version.active:
            return False
        if version.get("retired_by") not in ("dedupe", "merge"):
            return version.get("retired_by") not in ("forget:stale", "forget:capacity")
        member = version.get("successor")
    return True


def _overflow(ruling: Ruling, at: int) -> frozenset[int]:
    """Which of the facts that the pass found capacity takes: the least salient, of equals the highest number."""
    judge = ruling.judge
    if judge.over is None:
        found = {fact: judge.touched.get(fact, version) for fact, version in judge.replay.state.items()}
        facts = {fact: version for fact, version in found.items() if version is not None and version.active}
        span = (ruling.policy("forget", "stale_days") or 60) * DAY
        counted = ruling.policy("strength", "importance_in_salience")

        def salience(version: Version) -> int:
            whole = WEIGHT[version.get("block")] + (version.get("importance") or 0) * bool(counted)
            return whole * span + 30 * max(0, span - max(0, at - version.learned))

        ranked = sorted((salience(one), -fact) for fact, one in facts.items() if not ruling.protected(one))
        excess = max(0, len(facts) - ruling.policy("forget", "capacity"))
        judge.over = frozenset(-number for _, number in ranked[:excess])
    return judge.over


MEASURE: dict[str, Callable[[Ruling], Iterator[str]]] = {
    "encode": encode, "drop": drop, "merge": merge, "promote": promote, "contradict": contradict,
    "schematise": schematise, "forget": forget,
}  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------
# The scenario: what the installed commands do, checked from outside
# ---------------------------------------------------------------------------------------------------------------

NIGHT = "2026-03-21T02:00:00Z"
SESSIONS = {
    "2026-01-10T09:00": (
        "Ilse: My name is Ilse Brandt. I live in Ghent.",
        "assistant: Welcome, Ilse. You prefer jasmine tea, I suppose?",
        "Ilse: I work at Halden Rail as a signal engineer.",
        "Ilse: I don't eat fish.",
        "Ilse: My stack is Rust and SQLite.",
        "Ilse: I had a dentist appointment on 9 January.",
    ),
    "2026-02-02T18:30": (
        "Ilse: I live in Ghent.",
        "Ilse: We decided to use property tests because fuzzing found two bugs.",
        "assistant: Should I open a ticket in Bergen?",
        "Ilse: I prefer short answers with the command first.",
        "Ilse: Could you list the open bugs in the Zephyr module?",
        "Ilse: If I moved to Oslo I would sell the car.",
        "Ilse: I went for a swim in the canal this morning.",
    ),
    "2026-03-05T08:15": (
        "Ilse: I work at Kestrel Labs now.",
        "Ilse: The staging database runs Postgres 16.2 on port 5433.",
        "Ilse: I'll send the timetable to Owen Marsh by 12 March.",
        "Ilse: I still don't eat fish.",
        "tool: exit code 0, 214 packages from mirror Quokka",
        "Ilse: I moved to Antwerp last week.",
    ),
    "2026-03-19T20:00": (
        "Ilse: I live in Antwerp now.",
        "Ilse: My manager is Nora Quist.",
        "Ilse: I prefer tables over charts in reports.",
        "assistant: Tables it is.",
    ),
}
NEVER_SAID = ("Oslo", "jasmine", "Bergen", "Zephyr", "Quokka")


def _pair(one: str, two: str) -> Json:
    return {"pass": "dedupe", "drop": {"text": one}, "keep": {"text": two}}


def _said(turn: str, text: str, role: str = "user") -> Json:
    return {"pass": "encode", "turns": [{"role": role, "text": turn}], "text": text}


def _union(text: str, *sources: str) -> Json:
    return {"pass": "merge", "sources": [{"text": source} for source in sources], "text": text}


def _turned(old: str, new: str, then: str = "2026-01-01T00:00:00Z", now: str = "2026-02-01T00:00:00Z") -> Json:
    return {"pass": "contradict", "old": {"text": old, "said_at": then}, "new": {"text": new, "said_at": now}}


REFUSED: tuple[tuple[str, str, Json], ...] = (
    ("dissimilar duplicates", "N201", _pair("I live in Ghent.", "I play the cello on Sundays.")),
    ("one city for another", "N201 N213",
     _pair("I live in Ghent and work best at dawn.", "I live in Basel and work best at dawn.")),
    ("what is lost", "N202", _pair("I keep a grey parrot called Pico.", "I keep a grey parrot.")),
    ("negation", "N203", _pair("I drink coffee.", "I do not drink coffee.")),
    ("negation by never", "N203", _pair("I eat fish at work.", "I never eat fish at work.")),
    ("roles swapped", "N204", _pair("Owen reports to Nora.", "Nora reports to Owen.")),
    ("order swapped", "N204 N215 N217",
     _pair("We deploy to staging before production.", "We deploy to production before staging.")),
    ("modality", "N206", _pair("I moved to Basel in May.", "I might have moved to Basel in May.")),
    ("quantifier", "N207 N201", _pair("All tests pass on Windows.", "Some tests pass on Windows.")),
    ("tense", "N208", _pair("I work at Kestrel Labs.", "I used to work at Kestrel Labs.")),
    ("subject", "N209 N202 N201", _pair("The user's sister drinks coffee.", "The user drinks coffee.")),
    ("values", "N201 N211", _pair("The server listens on port 5433.", "The server listens on port 5434.")),
    ("version", "N201 N211", _pair("The tool is at version 1.2.", "The tool is at version 1.3.")),
    ("sign", "N201 N211", _pair("The freezer stands at -18 degrees.", "The freezer stands at 18 degrees.")),
    ("binding", "N204 N217", _pair("I keep two dogs and three cats.", "I keep three dogs and two cats.")),
    ("invented words", "N101", _said("I use Rust at work.", "The user uses Rust and weaves baskets at work.")),
    ("invented names, title-cased", "N101 N102",
     _said("my manager reviews every change", "Nora Quist reviews every change.")),
    ("invented value", "N103 N101", _said("The server listens on a high port.", "The server listens on port 5433.")),
    ("question", "N212", _said("Do I live in Ghent?", "The user lives in Ghent.")),
    ("hypothetical", "N205", _said("If I moved to Basel I would sell the car.", "The user moved to Basel.")),
    ("denied in the turn", "N203 N218", _said("I do not like oysters.", "The user likes oysters.")),
    ("the assistant about the person", "N104", _said("You live in Ghent.", "The user lives in Ghent.", "assistant")),
    ("tool output", "N104", _said("The user lives in Ghent.", "The user lives in Ghent.", "tool")),
    ("no turn cited", "N015 N001", {"pass": "encode", "turns": [], "text": "The user lives in Ghent."}),
    ("merge that loses", "N211 N221 N213",
     _union("The user uses Postgres.", "The user uses Postgres 16.2.", "The user uses Postgres on port 5433.")),
    ("merge that invents", "N101 N102 N218",
     _union("The user likes tea, rice and Basel.", "The user likes tea.", "The user likes rice.")),
    ("spliced names", "N101 N102 N218 N213 N221",
     _union("Ana Costa leads the team.", "Ana Silva leads the team.", "Bruno Costa joined.")),
    ("two homes merged", "N222",
     _union("The user lives in Ghent and lives in Basel.", "The user lives in Ghent.", "The user lives in Basel.")),
    ("both can be true", "N231 N233 N234", _turned("The user likes tea.", "The user likes coffee.")),
    ("the later superseded", "N232",
     _turned("The user lives in Ghent.", "The user lives in Basel.", "2026-03-01T00:00:00Z")),
    ("malformed", "N001", {"pass": "dedupe", "drop": {"text": "I live in Ghent."}}),
)
ACCEPTED: tuple[tuple[str, Json], ...] = (
    ("the same words", _pair("I live in Ghent.", "I live in Ghent.")),
    ("first and third person",
     _pair("I live in Ghent and work best at dawn.", "The user lives in Ghent and works best at dawn.")),
    ("contained", _pair("The user keeps a grey parrot.", "The user keeps a grey parrot called Pico.")),
    ("contraction", _pair("The user doesn't eat fish.", "The user does not eat fish.")),
    ("number words", _pair("I keep three dogs and a cat.", "I keep 3 dogs and a cat.")),
    ("dates in one form", _pair("The release is on 15 March.", "The release is on March 15.")),
    ("said outright", _said("I work at Kestrel Labs now.", "The user works at Kestrel Labs now.")),
    ("one of two clauses", _said("My name is Ilse Brandt. I live in Ghent.", "The user lives in Ghent.")),
    ("negation kept", _said("I don't eat fish.", "The user does not eat fish.")),
    ("two made one", _union("The user likes tea. The user likes rice.", "The user likes tea.", "The user likes rice.")),
    ("a move", _turned("The user lives in Ghent.", "The user lives in Basel now.")),
    ("a new employer", _turned("The user works at Halden Rail.", "The user now works at Kestrel Labs.")),
)  # fmt: skip


class Scenario:
    """A place of its own, the commands in it, and what came of each."""

    def __init__(self, command: str, place: Path) -> None:
        self.command, self.place = command, place
        self.checks: list[Check] = []
        kept = {name: value for name, value in os.environ.items() if not name.startswith("NOCTURNE_")}
        self.environment = {**kept, "NOCTURNE_NOW": NIGHT, "NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100"}

    def run(self, *words: str, db: str = "mind.db", given: str | None = None) -> subprocess.CompletedProcess[str]:
        """One command over one store."""
        return subprocess.run(
            [self.command, "--db", db, *words], cwd=self.place, env=self.environment, input=given, capture_output=True,
            text=True, encoding="utf-8", timeout=300, check=False,
        )  # fmt: skip

    def json(self, *words: str, db: str = "mind.db") -> Any:
        """What a command says as JSON."""
        done = self.run(*words, "--json", db=db)
        if not done.stdout.strip():
            raise ValueError(f"nocturne {' '.join(words)}: exit {done.returncode}, {done.stderr.strip()[-300:]}")
        return json.loads(done.stdout)

    def check(self, name: str, unit: str) -> Check:
        """A new line of the report."""
        self.checks.append(Check(name, unit))
        return self.checks[-1]

    def copy(self, name: str, db: str = "mind.db") -> Path:
        """A copy of a store by its own backup."""
        target = self.place / name
        self.run("backup", name, db=db)
        return target

    def bytes(self, db: str = "mind.db") -> bytes:
        """The store's bytes: the file's and its log's."""
        files = [self.place / db, self.place / f"{db}-wal"]
        return b"".join(file.read_bytes() for file in files if file.exists())

    def facts(self, *words: str, db: str = "mind.db") -> dict[str, Json]:
        """The active facts, but for what recall alone knows of them."""
        blocks = self.json("facts", *words, db=db)["blocks"]
        left_out = ("strength", "stale", "faded")
        return {
            fact["id"]: {name: value for name, value in fact.items() if name not in left_out}
            for block in blocks for fact in block["facts"]
        }  # fmt: skip

    def play(self) -> list[Check]:
        """Every step; one that fails to run is a check that does not hold."""
        for step in (self._seed, self._dry, self._plan, self._night, self._policies, self._gate, self._undo,
                     self._forgotten, self._audited):  # fmt: skip
            try:
                step()
            except (ValueError, KeyError, TypeError, OSError, sqlite3.Error, subprocess.SubprocessError) as error:
                self.check(f"the step {step.__name__.strip('_')} runs", "steps").holds(False, "{!r}", error)
        return self.checks

    def _seed(self) -> None:
        lines, people = [], 0
        for number, (start, said) in enumerate(SESSIONS.items()):
            first = dt.datetime.fromisoformat(start)
            for place, line in enumerate(said):
                who, text = line.split(": ", 1)
                people += who == "Ilse"
                turn = {
                    "session": f"day-{number}", "id": f"d{number}-{place}", "text": text,
                    "role": who if who in ("assistant", "tool") else "user",
                    "time": (first + dt.timedelta(minutes=2 * place)).isoformat() + "Z",
                }  # fmt: skip
                lines.append(json.dumps(turn | ({"speaker": who} if who == "Ilse" else {})))
        (self.place / "talk.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        report = self.json("ingest", "talk.jsonl")
        read = self.check("ingest reads every turn, and whose it is", "turns")
        read.seen, read.held = len(lines), sum(report["turns"].values())
        if report["turns"].get("human") != people or read.held != read.seen:
            read.bad("it read {}, of {} turns {} are a person's", report["turns"], len(lines), people)
        facts = self.facts()
        source = self.check("every fact names turns that were read", "facts")
        for name, fact in facts.items():
            source.holds(bool(fact["sources"]), "{} names none", name)
        if len(facts) < 12:
            source.bad("only {} facts were found", len(facts))
        never = self.check("questions, suppositions, the assistant and tools made no fact", "planted words")
        texts = " ".join(fact["text"] for fact in facts.values())
        for word in NEVER_SAID:
            never.holds(word not in texts, "a fact says {}", word)
        before = self.bytes()
        self.run("ingest", "talk.jsonl")
        self.check("ingesting again changes nothing", "runs").holds(before == self.bytes(), "the database changed")

    def _dry(self) -> None:
        before = self.bytes()
        done = self.run("sleep", "--dry-run")
        check = self.check("a dry run writes not one byte", "runs")
        same = before == self.bytes() and done.returncode == 0
        check.holds(same, "exit {}, or the database changed", done.returncode)
        check.notes.append(f"{len(before)} bytes compared")

    def _plan(self) -> None:
        """A plan with proposals over ids that never were, pairs with themselves, and used or retired facts."""
        self.copy("plan.db")
        self.run("sleep", "--plan", "night.json", db="plan.db")
        plan = json.loads((self.place / "night.json").read_text(encoding="utf-8"))
        facts = self.facts(db="plan.db")
        first = plan["passes"][0]["entries"]
        dropped = next(entry["proposal"] for entry in first if entry["verdict"] == "accepted")
        one, two = sorted(facts.keys() - {name for entry in first for name in entry["texts"]})[:2]
        shapes: list[tuple[str, str, Json]] = [
            ("N002", "dedupe", {"kind": "drop", "fact": "m9999", "duplicate_of": one}),
            ("N002", "dedupe", {"kind": "drop", "fact": one, "duplicate_of": "m9999"}),
            ("N004", "dedupe", {"kind": "drop", "fact": dropped["fact"], "duplicate_of": dropped["duplicate_of"]}),
            ("N005", "dedupe", {"kind": "drop", "fact": one, "duplicate_of": one}),
            ("N007", "dedupe", {"kind": "drop", "fact": one, "duplicate_of": two, "reason": ""}),
            ("N002", "merge", {"kind": "merge", "into": "m9999", "sources": [one, two]}),
            ("N005", "merge", {"kind": "merge", "into": one, "sources": [one]}),
            ("N008", "promote", {"kind": "promote", "fact": one, "to_block": "attic"}),
            ("N002", "promote", {"kind": "promote", "fact": "m9998", "to_block": "human"}),
            ("N002", "forget", {"kind": "forget", "fact": "m9999"}),
            ("N005", "contradict", {"kind": "contradict", "old": one, "new": one}),
            ("N241", "schematise", {"kind": "schematise", "members": [one], "text": facts[one]["text"]}),
        ]
        wanted: Counter[str] = Counter()
        for stage in plan["passes"]:
            for code, name, shape in shapes:
                if name == stage["pass"]:
                    wanted[code] += 1
                    proposal = {"reason": "a forged proposal", **shape}
                    entry = {"origin": "model", "proposal": proposal, "verdict": "accepted", "code": None, "texts": {}}
                    stage["entries"].append(entry)
        (self.place / "forged.json").write_text(json.dumps(plan), encoding="utf-8")
        done = self.run("apply", "forged.json", db="plan.db")
        store = Store(self.place / "plan.db")
        forged = "reason IN (SELECT hash FROM texts WHERE text = 'a forged proposal') OR code = 'N007'"
        ruled = store.all(f"SELECT code, accepted FROM ledger WHERE {forged}")
        changed = store.value("SELECT COUNT(*) FROM facts WHERE fact_id > 9000")
        store.raw.close()
        found = Counter(row[0] for row in ruled)
        check = self.check("forged ids and shapes in a plan are refused for their own reason", "proposals")
        for code, count in wanted.items():
            for place in range(count):
                check.holds(found[code] > place, "{} {} times, {} expected", code, found[code], count)
        if changed or any(row[1] for row in ruled):
            check.bad("one of them was applied")
        applied = self.check("the rest of the plan is judged again and applied", "plans")
        result = audit(self.place / "plan.db")
        applied.holds(result.passed and result.snapshot > 1, "exit {}: {}", done.returncode, done.stderr[-200:])

    def _night(self) -> None:
        self.copy("seed.db")
        before = self.facts()
        done = self.json("sleep")
        after = self.facts()
        night = self.check("a night is 1 + 2 snapshots a pass", "snapshots")
        labels = [snap["label"] for snap in self.json("log")][: 2 * len(PASSES) + 1][::-1]
        wanted = ["consolidation:start", *(f"pass:{name}:{when}" for name in PASSES for when in ("before", "after"))]
        night.seen = len(wanted)
        night.held = sum(one == two for one, two in zip(labels, wanted, strict=False))
        if labels != wanted:
            night.bad("they are {}", labels)
        gone = set(before) - set(after)
        told = self.check("the night retires duplicates and what was superseded, and promotes", "effects")
        texts = [fact["text"] for fact in after.values()]
        told.holds(bool(gone), "nothing was retired: {}", done.get("passes"))
        told.holds(len(texts) == len(set(texts)), "a text stands twice")
        told.holds(any("Antwerp" in text for text in texts), "Antwerp is lost")
        told.holds(not any("in Ghent" in text for text in texts), "Ghent still stands beside Antwerp")
        told.holds(any(fact["block"] == "human" for fact in after.values()), "nothing left scratch")
        quiet = self.check("a second night is quiet, and writes nothing", "nights")
        held = self.bytes()
        second = self.run("sleep")
        same = held == self.bytes() and second.returncode == 0
        quiet.holds(same, "exit {}, or the database changed", second.returncode)
        why = self.check("why leads from a fact to the words that say it", "facts")
        for name in sorted(after)[:3]:
            answer = self.run("why", name).stdout
            said = [fact["text"] for key, fact in after.items() if key == name]
            why.holds(bool(answer) and said[0].split()[-1].strip(".") in answer, "{} is not explained", name)

    def _policies(self) -> None:
        """The same facts under two policies."""
        shutil.copy(self.place / "seed.db", self.place / "small.db")
        self.run("sleep", "--policy", "tiny", db="small.db")
        start, large, small = self.facts("--at", "s1"), self.facts(), self.facts(db="small.db")
        check = self.check("default and tiny leave the same facts measurably different", "facts fewer")
        check.seen = check.held = len(large) - len(small)
        check.notes.append(f"of {len(start)} facts {len(large)} under default, {len(small)} under tiny")
        if len(small) >= len(large):
            check.bad("tiny left {} facts, default {}", len(small), len(large))
        explained = self.check("every fact that only tiny let go has its rule and its reason", "facts")
        store = Store(self.place / "small.db")
        for name in sorted(large.keys() - small.keys()):
            sql = "SELECT rule, figures FROM ledger WHERE accepted AND fact = ? AND rule LIKE 'forget:%'"
            row = store.one(sql, (int(name[1:]),))
            explained.holds(row is not None and "age_days" in (row[1] or ""), "{} went unexplained", name)
        protected = [fact for fact in small.values() if fact["category"] in self._protected(store)]
        store.raw.close()
        most = self.check("tiny keeps to its capacity, and never takes what is protected", "facts")
        kept = {name for name, fact in large.items() if fact["category"] in {one["category"] for one in protected}}
        most.seen, most.held = len(small), max(6, len(protected))
        if len(small) > max(6, len(protected)) or kept - small.keys():
            most.bad("{} facts, of them {} protected; lost {}", len(small), len(protected), sorted(kept - small.keys()))
        most.held = min(most.held, most.seen)

    @staticmethod
    def _protected(store: Store) -> list[str]:
        text = store.value("SELECT json FROM policies WHERE name = 'tiny'")
        found: list[str] = json.loads(text)["forget"]["protected"]
        return found

    def _gate(self) -> None:
        """Proposals that must be refused, each for its reason, and legal ones that must not."""
        lines = [{"id": str(place), **shape} for place, (_, _, shape) in enumerate(REFUSED)]
        lines += [{"id": str(len(REFUSED) + place), **shape} for place, (_, shape) in enumerate(ACCEPTED)]
        done = self.run("gate", given="".join(json.dumps(line) + "\n" for line in lines))
        verdicts = [json.loads(line) for line in done.stdout.splitlines()]
        if len(verdicts) != len(lines):
            raise ValueError(f"{len(verdicts)} verdicts over {len(lines)} proposals: {done.stderr[-200:]}")
        refused = self.check("adversarial proposals are refused, each for its own reason", "proposals")
        for (name, codes, _), verdict in zip(REFUSED, verdicts, strict=False):
            right = verdict["verdict"] != "accepted" and verdict["code"] in codes.split()
            refused.holds(right, "{}: {} {}", name, verdict["verdict"], verdict["code"])
        accepted = self.check("legal proposals are accepted", "proposals")
        for (name, _), verdict in zip(ACCEPTED, verdicts[len(REFUSED) :], strict=True):
            accepted.holds(verdict["verdict"] == "accepted", "{}: {} {}", name, verdict["code"], verdict.get("message"))

    def _undo(self) -> None:
        now, then = self.facts(), self.facts("--at", "s1")
        self.run("restore", "s1")
        exact = self.check("restore gives back the very facts of s1", "facts")
        back = self.facts()
        for name in then.keys() | back.keys():
            exact.holds(then.get(name) == back.get(name), "{} differs", name)
        last = self.json("log")[0]
        self.run("restore", f"s{int(str(last['id'])[1:]) - 1}")
        undone = self.check("the restore can itself be undone", "facts")
        back = self.facts()
        for name in now.keys() | back.keys():
            undone.holds(now.get(name) == back.get(name), "{} differs", name)

    def _forgotten(self) -> None:
        """What a person forgets stays away from ingest and restore."""
        done = self.run("forget", "--match", "dentist", "--yes")
        check = self.check("what a person forgot does not come back by ingest or restore", "ways")
        turn = {
            "session": "late", "id": "late-0", "role": "user", "speaker": "Ilse", "time": "2026-03-20T09:00:00Z",
            "text": "I had a dentist appointment on 9 January.",
        }  # fmt: skip
        (self.place / "again.jsonl").write_text(json.dumps(turn) + "\n", encoding="utf-8")
        for words in (("ingest", "again.jsonl"), ("restore", "s1")):
            self.run(*words)
            left = [fact["text"] for fact in self.facts().values() if "dentist" in fact["text"]]
            check.holds(done.returncode == 0 and not left, "after {}: {}", words[0], left or done.stderr[-200:])

    def _audited(self) -> None:
        """The store's own audit, and what becomes of it when the store is tampered with."""
        store = self.place / "mind.db"
        whole = audit(store)
        sound = self.check("this store passes the audit of verify.py --db", "checks")
        for each in whole.checks:
            sound.holds(each.passed, "{}: {}", each.name, "; ".join(each.problems))
        ours = self.run("audit")
        self.check("nocturne audit agrees", "audits").holds(ours.returncode == 0, "exit {}", ours.returncode)
        forged = self.check("tampered copies fail it, each one", "copies")
        sealed = self.copy("sealed.db")
        for name, sql in TAMPERED.items():
            copy = Path(shutil.copy(sealed, self.place / "forged.db"))
            _tamper(copy, sql)
            forged.holds(not audit(copy).passed, "{} went unseen", name)
        copy = self.place / "seed.db"
        cut = self.check("a shorter past passes alone, and fails against the head kept elsewhere", "audits")
        cut.holds(audit(copy).passed, "the past itself does not hold")
        cut.holds(not audit(copy, whole.head).passed, "the cut went unseen")
        cut.holds(audit(store, whole.head).passed, "the whole fails against its own head")


TAMPERED: dict[str, Sequence[str]] = {
    "a reworded fact": ("UPDATE texts SET text = text || '!' WHERE hash IN (SELECT text FROM facts LIMIT 1)",),
    "a fact in another block": ("UPDATE facts SET block = 'persona' WHERE to_seq IS NULL",),
    "a refusal made an acceptance": ("UPDATE ledger SET accepted = 1, code = NULL WHERE accepted = 0",),
    "an entry left out": ("DELETE FROM ledger WHERE seq = 9",),
    "two entries swapped": (
        "UPDATE ledger SET seq = -1 WHERE seq = 8", "UPDATE ledger SET seq = 8 WHERE seq = 9",
        "UPDATE ledger SET seq = 9 WHERE seq = -1",
    ),
    "a turn of another speaker": ("UPDATE turns SET speaker = NULL WHERE id = 1",),
    "a looser policy": ("UPDATE policies SET json = replace(json, '0.25', '0.99')",),
    "an added source": ("INSERT INTO fact_sources SELECT fact, turn, 0, 3, from_seq, NULL FROM fact_sources LIMIT 1",),
    "a lifted tombstone": ("UPDATE tombstones SET lifted = 9",),
    "a forged digest": ("UPDATE ledger SET digest = previous WHERE number = 1",),
}  # fmt: skip


def _tamper(path: Path, statements: Sequence[str]) -> None:
    """Change a copy past everything that would stop it."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as raw:
        raw.execute("PRAGMA ignore_check_constraints = ON")
        for (name,) in raw.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            raw.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            raw.execute(statement)


def installed() -> str | None:
    """The nocturne beside this Python, else the one on the path."""
    beside = Path(sys.executable).with_name("nocturne.exe" if os.name == "nt" else "nocturne")
    return str(beside) if beside.exists() else shutil.which("nocturne")


def play() -> list[Check]:
    """The scenario in a directory of its own; Unreadable where nocturne is not installed."""
    command = installed()
    if command is None:
        raise Unreadable("nocturne is not installed: pip install . beside this file, or give a store with --db FILE", 3)
    with tempfile.TemporaryDirectory(prefix="nocturne-verify-") as folder:
        return Scenario(command, Path(folder)).play()


# ---------------------------------------------------------------------------------------------------------------
# The audit of one store
# ---------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Report:
    """What an audit found."""

    checks: list[Check]
    head: str = ZERO
    entries: int = 0
    snapshot: int = -1
    uuid: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether every check holds."""
        return all(check.passed for check in self.checks)


def audit(path: Path, expect_head: str | None = None) -> Report:
    """Audit a store; Unreadable where it cannot begin."""
    try:
        store = Store(path)
    except sqlite3.DatabaseError as error:
        raise Unreadable(f"{path} is damaged or locked: {error}", 3) from error
    judge = Judge(store)
    replay = Replay(store, judge)
    whole = Check("SQLite finds the file whole", "of its own checks")
    checks = [whole]
    try:
        found = [row[0] for row in store.all("PRAGMA quick_check")]
        whole.holds(found == ["ok"], "quick_check: {}", "; ".join(map(str, found[:3])))
        stray = store.all("PRAGMA foreign_key_check")
        whole.holds(not stray, "foreign keys: {} rows point nowhere, the first in {}", len(stray), stray[:1])
        replay.run()
        judge.sweep()
    except sqlite3.DatabaseError as error:
        whole.holds(False, "the file cannot be read to its end: {}", error)
    finally:
        store.raw.close()
    checks += replay.checks() + judge.checks()
    report = Report(checks, replay.head, replay.seq, replay.number, replay.uuid)
    if expect_head is None:
        report.notes.append(
            "A chain shows edits, gaps and reordering. It cannot show entries cut off at its end together with what "
            "they made, nor a store rewritten whole: keep the head elsewhere, and give it with --expect-head."
        )
    else:
        kept = Check("the chain holds the head that was kept elsewhere", "heads")
        wanted = expect_head.lower()
        at = next((seq for hash_, seq in replay.heads.items() if len(wanted) >= 8 and hash_.startswith(wanted)), None)
        kept.holds(at is not None, "{}… is no entry of this chain: it was cut off or rewritten", expect_head[:12])
        if at is not None:
            kept.notes.append(f"it is entry {at} of {replay.seq}")
        checks.append(kept)
    return report


def told(report: Report, path: Path) -> str:
    """The report for people."""
    lines = [check.line(number) for number, check in enumerate(report.checks, start=1)]
    failed = sum(not check.passed for check in report.checks)
    lines += ["", f"head  {report.head}  entry {report.entries}, snapshot s{report.snapshot}, store {report.uuid}"]
    lines += report.notes
    count = len(report.checks)
    verdict = f"{failed} of {count} checks do NOT hold" if failed else f"all {count} checks hold"
    return "\n".join([f"{path}", *lines, "", verdict])


def as_json(checks: Sequence[Check]) -> list[Json]:
    """The checks for machines."""
    return [
        {
            "check": check.name, "holds": check.passed, "held": check.held, "of": check.seen, "unit": check.unit,
            "problems": check.problems, "untold": check.untold, "notes": check.notes,
        }
        for check in checks
    ]  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------
# The command line
# ---------------------------------------------------------------------------------------------------------------


def _played(*, as_machine: bool) -> int:
    """The scenario, printed."""
    checks = play()
    failed = sum(not check.passed for check in checks)
    if as_machine:
        print(json.dumps({"holds": not failed, "checks": as_json(checks)}, indent=1, ensure_ascii=False))
    else:
        lines = [check.line(number) for number, check in enumerate(checks, start=1)]
        verdict = f"{failed} of {len(checks)} checks do NOT hold" if failed else f"all {len(checks)} checks hold"
        print("\n".join([*lines, "", verdict]))
    return 1 if failed else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, and return the exit code."""
    parser = argparse.ArgumentParser(prog="verify.py", description="Audit a nocturne store, or play a scenario.")
    parser.add_argument("--db", metavar="FILE", type=Path, help="the store to audit, read-only")
    parser.add_argument("--expect-head", metavar="HASH", help="a head kept elsewhere, which the chain must hold")
    parser.add_argument("--json", action="store_true", help="machine output")
    given = parser.parse_args(arguments)
    try:
        if given.db is None:
            return _played(as_machine=given.json)
        report = audit(given.db, given.expect_head)
    except Unreadable as error:
        print(f"verify.py: {error}", file=sys.stderr)
        return error.code
    if given.json:
        found = {"db": str(given.db), "holds": report.passed, "checks": as_json(report.checks), "head": report.head,
                 "entries": report.entries, "snapshot": report.snapshot, "uuid": report.uuid,
                 "notes": report.notes}  # fmt: skip
        print(json.dumps(found, indent=1, ensure_ascii=False))
    else:
        print(told(report, given.db))
    return 0 if report.passed else 1


if __name__ == "__main__":
    sys.exit(main())
