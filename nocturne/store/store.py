"""The store: a memory in one SQLite file, behind the port that use cases know."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from nocturne.core.digest import TOMBSTONE, keyed
from nocturne.core.facts import Activation, Fact, Link, Retirement, Span, State, Step, Turn
from nocturne.errors import InputUnreadable, StoreDamaged, StoreLocked
from nocturne.store import connection, reading, search, side, texts, transcripts
from nocturne.store.connection import Link as Connection
from nocturne.store.connection import Mode
from nocturne.store.search import Measures

if TYPE_CHECKING:
    from nocturne.app.ports import Head, MutationRow, Noted, SnapshotInfo, SourceInfo
    from nocturne.core.contents import Contents
    from nocturne.core.policy import Policy
    from nocturne.core.record import Replayed
    from nocturne.core.replay import Watch
    from nocturne.store import differing, erasing, founding, history, ledger, noted, schema, tables
    from nocturne.store.writing import Writing
else:

    class _Later:
        """A module of this package that loads when something of it is asked for: a recall needs few of them."""

        def __init__(self, name: str) -> None:
            self._name = f"{__package__}.{name}"

        def __getattr__(self, what: str) -> Any:
            return getattr(import_module(self._name), what)

    differing, erasing, founding = _Later("differing"), _Later("erasing"), _Later("founding")
    history, ledger = _Later("history"), _Later("ledger")
    noted, schema, tables = _Later("noted"), _Later("schema"), _Later("tables")

BUSY_MS = 5_000
"""How long a command waits for another one's write lock."""


def open_store(
    path: str | os.PathLike[str],
    *,
    mode: Mode = "rw",
    now: int | None = None,
    measures: Measures | None = None,
    busy_ms: int = BUSY_MS,
    migrations: Sequence[schema.Migration] | None = None,
) -> SqliteStore:
    """Open a store. ``create`` makes one where there is none; ``readonly`` leaves file and log as they are.

    ``now`` (microseconds) is when a new store says it was created. Raises InputUnreadable, StoreDamaged or
    StoreLocked.
    """
    where = Path(path)
    link, _, unclean = connection.connect(where, mode, busy_ms=busy_ms)
    try:
        notes, created = _prepare(link, mode, migrations, unclean=unclean, now=now)
        store = SqliteStore(link, where, measures or Measures(), notes, created=created)
    except BaseException:
        link.close()
        raise
    return store


def _prepare(
    link: Connection,
    mode: Mode,
    migrations: Sequence[schema.Migration] | None,
    *,
    unclean: bool,
    now: int | None,
) -> tuple[list[str], bool]:
    version = connection.check_identity(link)
    notes: list[str] = []
    if version == 0:
        if mode != "create":
            raise InputUnreadable(
                f"{link.path} holds no store yet", hint="Only ingest and init create a store."
            )
        if now is None:
            raise ValueError("a new store needs the time of its creation")
        created = founding.create(link, schema.shipped() if migrations is None else migrations, now)
        _switch(link, notes)
        return notes, created
    newest = connection.VERSION if migrations is None else schema.newest(migrations)
    if version > newest:
        raise schema.newer(link, version, newest)
    if unclean:
        _check(link)
    if version < newest:
        if mode == "readonly":
            raise StoreDamaged(
                f"{link.path} is a store of version {version}; this nocturne reads {newest}",
                hint="back it up, then run any writing command: it brings the store up to date",
            )
        before, after = schema.migrate(link, schema.shipped() if migrations is None else migrations)
        notes.append(f"{link.path} was brought from version {before} to {after}")
    if mode != "readonly":
        _switch(link, notes)
        if erasing.is_pending(link):
            erasing.scrub(link)
            notes.append(f"{link.path}: finished clearing the file after an earlier purge")
    return notes, False


def _switch(link: Connection, notes: list[str]) -> None:
    note = connection.use_write_ahead_log(link)
    if note is not None:
        notes.append(note)


def _check(link: Connection) -> None:
    found = [row[0] for row in link.all("PRAGMA quick_check(3)")]
    if found != ["ok"]:
        raise StoreDamaged(f"{link.path} is damaged: {found[0]}", hint="restore a backup")


class SqliteStore:
    """A memory on disk. Reads see one moment each; writes go through ``transaction``."""

    def __init__(
        self, link: Connection, path: Path, measures: Measures, notes: list[str], *, created: bool
    ) -> None:
        self._link = link
        self._measures = measures
        self.path = path
        self.notes: tuple[str, ...] = tuple(notes)
        self.created = created
        self._secret: bytes = link.value("SELECT value FROM meta WHERE key = 'secret'") or b""
        if len(self._secret) != 32:
            raise StoreDamaged(f"{link.path} lacks its own key", hint="restore a backup")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._link.close()

    @contextmanager
    def moment(self) -> Iterator[None]:
        """Let every read inside see the same moment, whoever writes meanwhile."""
        if self._link.raw.in_transaction:
            yield
            return
        self._link.run("BEGIN")
        try:
            yield
        finally:
            self._link.rollback()

    @contextmanager
    def transaction(self, *, expect: Head | None = None) -> Iterator[Writing]:
        """One BEGIN IMMEDIATE … COMMIT; HeadMoved where the chain no longer ends at ``expect``."""
        from nocturne.store.writing import Writing

        self._link.run("BEGIN IMMEDIATE")
        try:
            writing = Writing(self._link, self._measures, self._secret)
            if expect is not None:
                writing.expect(expect.seq, expect.hash)
            yield writing
            writing.finish()
            self._link.run("COMMIT")
        except BaseException:
            self._link.rollback()
            raise

    # Who and where

    def uuid(self) -> str:
        """The store's own name, from the first row of its record."""
        found: str = self._link.value("SELECT json_extract(more, '$.uuid') FROM ledger WHERE seq = 1")
        return found

    def secret(self) -> bytes:
        """The key under which the store hides what turns, tombstones and memo entries say."""
        return self._secret

    def head(self) -> Head:
        """Where the chain ends."""
        return history.head(self._link)

    def entry_with(self, hash_: str) -> int | None:
        """The entry whose hash begins so, or None."""
        seq: int | None = self._link.value(
            "SELECT seq FROM ledger WHERE substr(hash, 1, length(?1)) = ?1 ORDER BY seq LIMIT 1", (hash_,)
        )
        return seq

    def state_digest(self) -> str:
        """The digest of the facts as they stand now."""
        return ledger.Tail(self._link).current()

    # Facts

    def state(self, at: int | None = None, namespace: str | None = None, *, packed: bool = False) -> State:
        """The active facts, or a ``Table`` of them, and what became of the others, now or at a snapshot."""
        with self.moment():
            return reading.state(self._link, self._seq(at), namespace, packed=packed)

    def all_facts(self, at: int | None = None) -> list[Fact]:
        """Every fact, active or not, now or at a snapshot; ids ascending."""
        with self.moment():
            return [fact for _, _, fact in reading.held_at(self._link, self._seq(at))]

    def facts(self, ids: Iterable[int], at: int | None = None) -> dict[int, Fact]:
        """Facts by id, now or at a snapshot; unknown ids are missing."""
        with self.moment():
            return {id_: fact for id_, _, fact in reading.held_at(self._link, self._seq(at), ids)}

    def fact(self, fact: int, at: int | None = None) -> Fact | None:
        """One fact, now or at a snapshot, or None."""
        return self.facts([fact], at).get(fact)

    def state_ids(self) -> Mapping[int, Retirement]:
        """The facts that are not active, with when and why."""
        with self.moment():
            return reading.retired(self._link)

    def next_fact(self) -> int:
        """The number that the next new fact gets."""
        return int(self._link.value("SELECT MAX(fact_id) FROM facts") or 0) + 1

    def versions(self, fact: int) -> list[reading.Version]:
        """Every version of a fact with its half-open range of entries, oldest first."""
        with self.moment():
            return reading.versions(self._link, fact)

    def histories(self, upto: int) -> Mapping[int, Sequence[reading.Version]]:
        """Every version of every fact that began by an entry, oldest first, by fact."""
        with self.moment():
            return reading.histories(self._link, upto)

    def changes(self, older: int | None, newer: int | None) -> list[differing.Pair]:
        """The facts that differ between two snapshots (None: now), as they stood at each; ids ascending."""
        with self.moment():
            first, second = self._entry(older), self._entry(newer)
            return differing.changes(self._link, first, second)

    def steps(self, since: int) -> Iterator[Step]:
        """The facts that changed after a snapshot in what a pass may ask about; ids ascending."""
        with self.moment():
            yield from reading.steps(self._link, self._entry(since))

    def links(self, fact: int) -> list[tuple[int, Link]]:
        """The lineage that names a fact, with the entries that set it."""
        return reading.links(self._link, fact)

    def links_from(self, fact: int) -> list[Link]:
        """What came of a fact."""
        return [link for _, link in self.links(fact) if link.parent == fact]

    def lineage(self, facts: Iterable[int]) -> list[tuple[int, Link]]:
        """The lineage of many facts as children."""
        return reading.lineage(self._link, facts)

    def sources_of(self, facts: Iterable[int]) -> Mapping[int, Sequence[Span]]:
        """The spans that facts rest on now."""
        return reading.sources_of(self._link, facts)

    def facts_by_turn(self, turns: Iterable[int]) -> Mapping[int, Sequence[int]]:
        """The facts that rest on turns now."""
        return reading.by_turns(self._link, turns)

    # The record

    def snapshots(self, since: int = 0) -> Iterator[SnapshotInfo]:
        """Every snapshot from a number on, oldest first."""
        return history.snapshots(self._link, since)

    def snapshot(self, number: int) -> SnapshotInfo:
        """One snapshot; InputUnreadable where there is none of this number."""
        return history.snapshot(self._link, number)

    def snapshot_at(self, moment: int) -> int | None:
        """The number of the last snapshot taken at or before a time."""
        return history.snapshot_at(self._link, moment)

    def last_sleep_at(self) -> int | None:
        """When the last night began, or None."""
        return history.last_sleep_at(self._link)

    def mutations(
        self,
        after: int = 0,
        upto: int | None = None,
        *,
        pass_name: str | None = None,
        accepted: bool | None = None,
        fact: int | None = None,
    ) -> Iterator[MutationRow]:
        """The mutations with ``after < entry <= upto``, in order."""
        last = self.head().seq if upto is None else upto
        return history.mutations(self._link, after, last, pass_name=pass_name, accepted=accepted, fact=fact)

    def mutations_of(self, fact: int) -> list[MutationRow]:
        """The mutations that changed or named a fact, in order."""
        return list(self.mutations(fact=fact))

    def mutation(self, seq: int) -> MutationRow | None:
        """The mutation that is this entry, or None."""
        return history.mutation(self._link, seq)

    def memo_keys(self) -> frozenset[str]:
        """What need not be asked again."""
        return history.memo_keys(self._link)

    def tombstones(self) -> list[history.TombstoneRow]:
        """Every tombstone, lifted ones included."""
        return history.tombstones(self._link)

    def tombstone_keys(self) -> frozenset[str]:
        """The keys of the tombstones that stand."""
        return history.tombstone_keys(self._link)

    def purged_keys(self) -> frozenset[str]:
        """The keys of the tombstones that a purge left."""
        return frozenset(row.key for row in self.tombstones() if row.cause == "purge" and row.lifted is None)

    def tombstone_key(self, tokens: Iterable[str]) -> str:
        """The key under which a content is buried: an HMAC over its sorted canonical tokens."""
        return keyed(self._secret, TOMBSTONE, sorted(set(tokens)))

    def policies(self) -> Mapping[str, str]:
        """The policies on record: canonical JSON by digest."""
        return history.documents(self._link, "policies")

    def lexicons(self) -> Mapping[str, str]:
        """The lexicons on record: canonical JSON by digest."""
        return history.documents(self._link, "lexicons")

    def settings(self, upto: int) -> Mapping[int, tuple[str, str]]:
        """The policy and the lexicon, by digest, of every setting on record up to a snapshot, by entry."""
        return history.settings(self._link, history.seq_of(self._link, upto))

    # Sources and turns

    def sources(self) -> list[SourceInfo]:
        """Every source, in the order first read."""
        return transcripts.sources(self._link)

    def source(self, id_: int) -> SourceInfo | None:
        """One source by number."""
        return transcripts.source(self._link, id_)

    def source_for(self, path: str | None = None, *, content_hash: str | None = None) -> SourceInfo | None:
        """The source read from a path, or with this content."""
        return transcripts.source_for(self._link, path, content_hash)

    def next_turn(self) -> int:
        """The number that the next turn gets."""
        return int(self._link.value("SELECT MAX(id) FROM turns") or 0) + 1

    def turns(self, ids: Iterable[int]) -> dict[int, Turn]:
        """Turns by id; unknown ids are missing."""
        return transcripts.turns(self._link, ids)

    def all_turns(self, *, source: int | None = None) -> Iterator[Turn]:
        """Every turn by id, or those of one source."""
        return transcripts.all_turns(self._link, source=source)

    def known_keys(self, keys: Iterable[str]) -> frozenset[str]:
        """Which of these turns' keys the store has."""
        return transcripts.known_keys(self._link, self._secret, keys)

    def origins(self) -> Iterator[tuple[int, int, str | None, int | None]]:
        """Every turn's number, source, session and day."""
        return transcripts.origins(self._link)

    def turn_counts(self) -> Mapping[str, int]:
        """How many turns of each provenance class."""
        return transcripts.counts(self._link)

    # Beside versions

    def activations(
        self, facts: Iterable[int] | None = None, *, upto: int | None = None
    ) -> Mapping[int, Activation]:
        """The strengths that were ever set, of all facts or of some; with ``upto`` as they were at that time."""
        return side.activations(self._link, facts, upto)

    def touches(self, upto: int) -> Sequence[tuple[int, Activation]]:
        """Every strength that was set up to a time, with when, in the order of the log."""
        return side.touches(self._link, upto)

    def windows(self) -> Mapping[int, Sequence[tuple[int, int]]]:
        """For each fact the times, from and to, in which it was or is open to refinement."""
        return side.windows(self._link)

    def labile(self, at: int) -> Mapping[int, int]:
        """The facts whose window is open at a time, with where it ends."""
        return side.labile(self._link, at)

    def record_accesses(self, rows: Sequence[Activation], *, kind: str, at: int) -> None:
        """Log accesses and set the strengths that they leave; StoreLocked where another command writes."""
        if rows:
            with self._aside():
                side.append_accesses(self._link, rows, kind=kind, at=at)

    def record_quiz(self, run: side.QuizRun) -> int:
        """Keep a quiz run; returns its number."""
        with self._aside():
            return side.append_quiz(self._link, run)

    def quizzes(self) -> list[side.QuizRun]:
        """The quiz runs, oldest first."""
        return side.quizzes(self._link)

    def journal(self, reply: side.Reply) -> None:
        """Keep a raw reply as it came, before it is judged."""
        with self._aside():
            side.append_reply(self._link, reply)

    def replies(self, *, head: str | None = None, request: str | None = None) -> list[side.Reply]:
        """The raw replies kept for a head or a request."""
        return side.replies(self._link, head=head, request=request)

    def drift(self) -> Mapping[int, Mapping[str, int]]:
        """The weights of topics (millionths) by snapshot."""
        return side.drift(self._link)

    @contextmanager
    def _aside(self) -> Iterator[None]:
        """A write that leaves the chain alone."""
        self._link.run("BEGIN IMMEDIATE")
        try:
            yield
            self._link.run("COMMIT")
        except BaseException:
            self._link.rollback()
            raise

    def size(self) -> int:
        """How many facts are active."""
        return int(self._link.value("SELECT json_extract(value, '$.active') FROM meta WHERE key = 'tail'"))

    def token_rows(self) -> list[tuple[int, bytes]]:
        """Every active fact's token numbers (little-endian 32-bit, in the text's order); ids ascending."""
        return search.rows(self._link)

    def pass_noted(self, name: str, policy: Policy) -> Noted | None:
        """Up to where the pass last ran whole under this policy, lexicon and these measures."""
        return noted.look_up(self._link, name, policy, self._measures)

    def contents(self) -> Contents[int]:
        """The content words of every active fact as measured at writing; empty where they must be measured anew."""
        return search.contents(self._link, self._measures)

    def denials(self) -> Mapping[int, bytes]:
        """What every active fact could be denied by, sealed; empty where it must be found anew."""
        return search.denials(self._link, self._measures)

    def tokens_of(self, facts: Iterable[int]) -> Mapping[int, Sequence[int]]:
        """The token numbers of some active facts."""
        return search.rows_of(self._link, facts)

    def document_frequencies(self, tokens: Iterable[int] | None = None) -> Mapping[int, int]:
        """In how many active facts each token number stands; of all tokens or of some."""
        return search.frequencies(self._link, tokens)

    def token_numbers(self, tokens: Iterable[str]) -> Mapping[str, tuple[int, int]]:
        """The number and the document frequency of the tokens that are known."""
        return search.looked_up(self._link, tokens)

    def search(
        self, groups: Sequence[Sequence[int]], *, limit: int, latest: bool = False
    ) -> list[tuple[int, float]]:
        """Facts by BM25 (higher is better), or the latest, that hold of every group at least one token number."""
        return search.query(self._link, groups, limit, latest=latest)

    # Keeping and erasing

    def info(self) -> Mapping[str, int | str]:
        """Counts and sizes for ``doctor`` and ``report``."""
        link = self._link
        with self.moment():
            head = self.head()
            return {
                "uuid": self.uuid(),
                "version": int(link.value("PRAGMA user_version")),
                "entries": head.seq,
                "snapshots": head.snapshot + 1,
                "facts": int(link.value("SELECT COUNT(*) FROM facts WHERE to_seq IS NULL")),
                "active": int(link.value("SELECT COUNT(*) FROM facts WHERE to_seq IS NULL AND active = 1")),
                "turns": int(link.value("SELECT COUNT(*) FROM turns")),
                "sources": int(link.value("SELECT COUNT(*) FROM sources")),
                "bytes": int(link.value("PRAGMA page_count")) * int(link.value("PRAGMA page_size")),
            }

    def texts_containing(self, needles: Iterable[str]) -> Mapping[str, str]:
        """Every stored text, by commitment, that holds one of the needles, in any case or as JSON has it."""
        return texts.find(self._link, needles)

    def texts_of(self, facts: Iterable[int]) -> Mapping[str, frozenset[int]]:
        """The commitments in facts' versions and in the mutations that touched them, with those facts."""
        found = history.texts_of_mutations(self._link, facts)
        return {hash_: frozenset(ids) for hash_, ids in found.items()}

    def texts_of_turns(self, turns: Iterable[int]) -> frozenset[str]:
        """The commitments of turns' texts and of their tools' payloads."""
        return erasing.of_turns(self._link, turns)

    def facts_with_texts(self, hashes: Iterable[str]) -> list[int]:
        """The facts of which any version has one of these texts, ids ascending."""
        return erasing.facts_with(self._link, hashes)

    def leaf_hashes(self, facts: Iterable[int]) -> Mapping[int, Sequence[str]]:
        """SHA-256 of the leaf of every version of facts, oldest first: what a receipt keeps of them."""
        return erasing.leaf_hashes(self._link, facts)

    def text_uses(self, hashes: Iterable[str]) -> Mapping[str, int]:
        """How many rows of each table name one of these texts."""
        return erasing.uses(self._link, hashes)

    def vouched(self, fact: int) -> bool:
        """Whether a fact's words are the very ones that the record last gave it."""
        return history.vouched(self._link, fact)

    def forged(self) -> list[str]:
        """Where facts differ from what the last snapshot recorded, or texts from what they are committed to."""
        with self.moment():
            return history.forged(self._link)

    def scrub(self) -> None:
        """After ``Writing.erase``: leave no byte of the erased texts in the file or its log."""
        erasing.scrub(self._link)

    def backup(self, to: str | os.PathLike[str]) -> None:
        """Copy the store, log included, to a new file."""
        target = Path(to)
        if target.exists():
            raise InputUnreadable(f"{target} exists already", hint="name a new file, or move that one away")
        self._link.run("VACUUM INTO ?", (str(target),))

    def problems(self) -> list[str]:
        """What SQLite itself finds wrong: pages, indexes, foreign keys; nothing where all is whole."""
        found = [str(row[0]) for row in self._link.all("PRAGMA integrity_check(20)") if row[0] != "ok"]
        for table, row, parent, _ in self._link.all("PRAGMA foreign_key_check"):
            found.append(f"row {row} of {table} names a row of {parent} that is not there")
        return found

    def replayed(self, since: int | None = None, watch: Watch | None = None) -> Replayed:
        """The record played again, from its first entry or a snapshot, against every covered table."""
        from nocturne.core.replay import replay

        with self.moment():
            return replay(tables.tables(self._link, since), watch)

    def word(self, hash_: str) -> str | None:
        """The text of a commitment; None where it was purged."""
        return texts.word(self._link, hash_)

    def meta_problems(self, replayed: Replayed) -> list[str]:
        """Where what the store keeps of its own end differs from what the replay came to."""
        return ledger.problems(self._link, replayed)

    def index_problems(self) -> list[str]:
        """Where the full-text index and the dictionary differ from what the active facts say."""
        with self.moment():
            return search.problems(self._link, self._measures)

    def _seq(self, at: int | None) -> int | None:
        return None if at is None else history.seq_of(self._link, at)

    def _entry(self, number: int | None) -> int:
        return self.head().seq if number is None else history.seq_of(self._link, number)


__all__ = ["Measures", "SqliteStore", "StoreLocked", "open_store"]
