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
import hashlib
import hmac
import json
import sqlite3
import struct
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
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

    def step(self, leaf: bytes, *, away: bool = False) -> None:
        """Put a leaf in, or take it out."""
        value = int.from_bytes(hashlib.shake_128(leaf).digest(2048), "little")
        at = 2 if away else 0
        self.sums[at] += value & self.SLOTS
        self.sums[at + 1] += (value >> 16) & self.SLOTS
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
        return digest(4, self.state())


# ---------------------------------------------------------------------------------------------------------------
# Reading a store, and never writing to it
# ---------------------------------------------------------------------------------------------------------------

APPLICATION, VERSION, MEASURES = 0x4E6F6374, 1, "1"
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
        self.at = 0

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


class Judge:
    """Stub."""

    replay: Replay

    def ruling(self, seq: int, entry: Json, before: Mapping[int, Version | None]) -> None:
        """See."""

    def snapshot(self, seq: int, entry: Json) -> None:
        """See."""

    def sweep(self) -> None:
        """See."""

    def checks(self) -> list[Check]:
        """See."""
        return []


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
    store = Store(path)
    judge = Judge()
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
        at = replay.heads.get(expect_head.lower())
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, and return the exit code."""
    parser = argparse.ArgumentParser(prog="verify.py", description="Audit a nocturne store, or play a scenario.")
    parser.add_argument("--db", metavar="FILE", type=Path, help="the store to audit, read-only")
    parser.add_argument("--expect-head", metavar="HASH", help="a head kept elsewhere, which the chain must hold")
    parser.add_argument("--json", action="store_true", help="machine output")
    given = parser.parse_args(arguments)
    try:
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
