"""One transaction: everything that a command adds to the record, or nothing at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from nocturne.app.bulk import uncollected
from nocturne.core import digest as d
from nocturne.core.acts import ERASED, Act
from nocturne.core.chain import ENTRY_COLUMNS, sealed_row
from nocturne.core.facts import Activation, Change, Link, Reversion
from nocturne.store import search
from nocturne.store.batch import Batch
from nocturne.store.connection import Link as Connection
from nocturne.store.ledger import Setting, Tail
from nocturne.store.rows import turn_row
from nocturne.store.side import append_accesses
from nocturne.store.texts import Names, word

if TYPE_CHECKING:
    from nocturne.app.ports import KeyedTurn, SnapshotInfo, SourceStep
    from nocturne.core.policy import Policy
    from nocturne.core.verdicts import Ruling
    from nocturne.store.drafts import Draft

_CHUNK = 2_000
"""Rulings between two flushes: bounds memory, and is enough to make batches cheap."""

_BURY = (
    "INSERT INTO tombstones (key, fact, cause, mutation) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (key) DO UPDATE SET fact = excluded.fact, cause = excluded.cause, "
    "mutation = excluded.mutation, lifted = NULL"
)
_LIFT = "UPDATE tombstones SET lifted = ? WHERE key = ? AND lifted IS NULL"

# What only a ruling or a snapshot needs is imported by who writes one: a recall that notes an access does neither.
_Deed = TypeVar("_Deed", "Ruling", Act)


class Writing:
    """The open transaction of a store; ``SqliteStore.transaction`` begins, commits and undoes it."""

    def __init__(self, link: Connection, measures: search.Measures, secret: bytes) -> None:
        self._link = link
        self._measures = measures
        self._secret = secret
        self._tail = Tail(link)
        self._names = Names(link)
        self._index = search.Index(link, measures, secret)
        self._batch = Batch(link, self._index, self._names)
        self._policies: dict[int, tuple[Policy, str]] = {}
        self._judged: tuple[Policy, int] | None = None
        self._said: tuple[str | None, str | None] | None = None

    def expect(self, seq: int, hash_: str) -> None:
        """HeadMoved unless the chain ends at this row."""
        if (self._tail.seq, self._tail.hash) != (seq, hash_):
            raise _moved(f"the store is at entry {self._tail.seq}, not {seq}: it was written to meanwhile")

    # What was read

    def add_source(self, step: SourceStep) -> int:
        """Insert or advance a source; returns its id."""
        row = None
        if step.source is not None:
            row = self._link.one("SELECT id, path FROM sources WHERE id = ?", (step.source,))
            if row is None:
                raise ValueError(f"source {step.source} is not in the store")
        id_ = row[0] if row else (self._link.value("SELECT MAX(id) FROM sources") or 0) + 1
        path = row[1] if row else self._batch.text(step.path)
        state = self._batch.text(d.canonical(d.plain(step.state))) if step.state else None
        held = {
            "id": id_,
            "path": path,
            "format": step.format,
            "content_hash": step.content_hash,
            "cursor": step.cursor,
            "reader_version": step.reader_version,
            "state": state,
        }
        draft = self._reading("source")
        draft.parts["source"] = d.canonical(held)
        draft.parts["skipped"] = d.canonical(d.plain(step.skipped))
        seq = self._append(draft)
        self._batch.flush()
        self._link.run(
            "INSERT INTO sources (id, path, format, content_hash, cursor, reader_version, state, mutation) "
            "VALUES (:id, :path, :format, :content_hash, :cursor, :reader_version, :state, :mutation) "
            "ON CONFLICT (id) DO UPDATE SET format = excluded.format, content_hash = excluded.content_hash, "
            "cursor = excluded.cursor, reader_version = excluded.reader_version, state = excluded.state, "
            "mutation = excluded.mutation",
            {**held, "mutation": seq},
        )
        return int(id_)

    def add_turns(self, source: int, turns: Sequence[KeyedTurn]) -> None:
        """Store turns that carry the ids that ``SqliteStore.next_turn`` promised."""
        if not turns:
            return
        first = self._tail.turns + 1
        rows = []
        for expected, keyed in enumerate(turns, start=first):
            turn = keyed.turn
            if turn.id != expected or turn.source != source:
                raise ValueError(f"turn t{turn.id} of source {turn.source} stands where t{expected} is next")
            payload = turn.tool.payload if turn.tool is not None else None
            row = turn_row(
                turn,
                key=d.keyed(self._secret, d.TURN_KEY, keyed.key),
                text=self._batch.text(turn.text),
                payload=None if payload is None else self._batch.text(payload),
                speaker=None if turn.speaker is None else self._batch.name(turn.speaker),
            )
            rows.append(row)
        draft = self._reading("turns")
        batch = {"source": source, "first": first, "count": len(rows), "digest": d.turns_digest(rows)}
        draft.parts["turns"] = d.canonical(batch)
        seq = self._append(draft)
        self._tail.turns += len(rows)
        self._batch.turns.extend([*row, seq] for row in rows)
        self._batch.flush()

    def _reading(self, kind: str) -> Draft:
        from nocturne.store.drafts import Draft

        return Draft(self._batch, {"pass": "ingest", "kind": kind, "origin": "engine", "accepted": 1})

    # What was decided

    def record(self, rulings: Iterable[Ruling], *, at: int, policy: Policy) -> None:
        """Append rulings to the chain and apply their changes."""
        self._each(rulings, lambda ruling: self._rule(ruling, at, self._under(policy)))

    def act(self, acts: Iterable[Act], *, at: int, policy: Policy | None = None) -> None:
        """Append deeds that no proposal asked for."""
        self._each(acts, lambda act: self._do(act, at, None if policy is None else self._under(policy)))

    def _each(self, deeds: Iterable[_Deed], take: Callable[[_Deed], object]) -> None:
        supply = iter(deeds)
        while chunk := list(islice(supply, _CHUNK)):
            with uncollected():
                steps = [step for deed in chunk for step in deed.changes if step.before]
                self._batch.load({step.after.id for step in steps})
                self._batch.load_former(
                    {step.after.id for step in steps if step.before and step.before.text != step.after.text}
                )
                for deed in chunk:
                    take(deed)
                self._batch.flush()

    def _rule(self, ruling: Ruling, at: int, under: int) -> None:
        from nocturne.store import drafts

        try:
            draft, self._tail.facts = drafts.of_ruling(self._batch, ruling, at, under, self._tail.facts)
        except drafts.Stale as error:
            raise _moved(str(error)) from error
        self._commit(draft, ruling)

    def _do(self, act: Act, at: int, under: int | None, more: Mapping[str, str] | None = None) -> None:
        from nocturne.store import drafts

        try:
            draft, self._tail.facts = drafts.of_act(self._batch, act, at, under, self._tail.facts)
        except drafts.Stale as error:
            raise _moved(str(error)) from error
        draft.parts.update(more or {})
        seq = self._commit(draft, act)
        for stone in act.buries:
            self._batch.stones.append((_BURY, (stone.key, stone.fact, stone.cause, seq)))
        for key in act.lifts:
            self._batch.stones.append((_LIFT, (seq, key)))

    def restore(
        self,
        changes: Sequence[Reversion],
        *,
        to: SnapshotInfo,
        skipped: Sequence[int] = (),
        at: int,
        policy: Policy | None = None,
        lifted: bool = False,
    ) -> tuple[int, ...]:
        """Bring rows back to a snapshot as new versions; returns those left alone: their text was purged.

        ``skipped`` are rows that a tombstone keeps away; ``lifted`` lifts those of the rows that return.
        """
        steps: list[Change] = []
        purged: list[int] = []
        for each in changes:
            if each.after is None:
                if each.before is not None and each.before.active:
                    gone = replace(each.before, active=False, retired_by="restore")
                    steps.append(Change(each.before, gone))
            elif each.after.text == ERASED and not (each.before is not None and each.before.text == ERASED):
                purged.append(each.after.id)
            else:
                steps.append(Change(each.before, each.after))
        lifts = self._buried(step.after.id for step in steps if step.after.active) if lifted else ()
        refs = {"to": to.number, "skipped": sorted(skipped), "erased": sorted(purged)}
        first = Act("restore", "restore", rule="restore", refs=refs)
        parts = [tuple(steps[start : start + 500]) for start in range(0, len(steps), 500)]
        acts = [replace(first, changes=part) for part in parts or [()]]
        acts[0] = replace(acts[0], lifts=tuple(lifts))
        self.act(acts, at=at, policy=policy)
        return tuple(purged)

    def _buried(self, facts: Iterable[int]) -> list[str]:
        wanted = json.dumps(sorted(facts))
        return [
            row[0]
            for row in self._link.all(
                "SELECT key FROM tombstones "
                "WHERE lifted IS NULL AND fact IN (SELECT value FROM json_each(?))",
                (wanted,),
            )
        ]

    def erase(self, texts: Iterable[str], act: Act, *, at: int, policy: Policy | None = None) -> int:
        """Record ``act`` as having erased these texts, and null them; ``SqliteStore.scrub`` ends it."""
        hashes = sorted(set(texts))
        under = None if policy is None else self._under(policy)
        self._do(act, at, under, {"erased": d.canonical(hashes)})
        self._batch.flush()
        self._index.finish()
        self._link.many(
            "UPDATE texts SET salt = NULL, text = NULL WHERE hash = ?", [(hash_,) for hash_ in hashes]
        )
        self._names.forget()
        self._said = None, None
        self._index = search.rebuilt(self._link, self._measures, self._secret)
        self._batch.reindex(self._index)
        self._link.run("INSERT OR REPLACE INTO meta VALUES ('scrub_pending', 1)")
        return len(hashes)

    # Beside versions

    def note_accesses(self, rows: Sequence[Activation], *, kind: str, at: int) -> None:
        """Set strengths and log them; the chain does not move."""
        append_accesses(self._link, rows, kind=kind, at=at)

    def note_drift(self, weights: Mapping[str, int]) -> None:
        """Keep the weight of topics (millionths) beside the snapshot that comes next."""
        number = self._tail.snapshot + 1
        self._link.many(
            "INSERT OR REPLACE INTO drift (snapshot, topic, weight) VALUES (?, ?, ?)",
            [(number, topic, weight) for topic, weight in weights.items()],
        )

    # The chain

    def snapshot(self, label: str, *, command: str, policy: Policy | None, at: int) -> SnapshotInfo:
        """Append a snapshot: state digest, active count, chain."""
        from nocturne.app.ports import SnapshotInfo

        columns, more = self._tail.snapshot_row(label, at)
        if command:
            columns["command"] = self._command(command)
        if policy is not None:
            columns["policy"] = self._policy(policy)
        self._put("snapshot", columns, d.canonical(more))
        self._batch.flush()
        self._tail.close_snapshot(columns["digest"])
        return SnapshotInfo(
            columns["number"],
            self._tail.seq,
            label,
            command,
            None if policy is None else policy.name,
            at,
            columns["active"],
            columns["digest"],
            more["counts"],
        )

    def _command(self, command: str) -> str:
        """The commitment of a command line: that of the snapshot before, if the same command took it."""
        if self._said is None:
            last = self._tail.command
            self._said = last, word(self._link, last)
        if self._said[0] is None or self._said[1] != command:
            self._said = self._batch.text(command), command
        return str(self._said[0])

    def note_pass(self, name: str, policy: Policy, *, at: int, upto: int | None = None) -> None:
        """See ``Transaction``. It is no part of the record: what it says is only what need not be asked again."""
        from nocturne.app.ports import Noted
        from nocturne.store import noted

        number = self._tail.snapshot + 1 if upto is None else upto
        noted.note(self._link, name, policy, self._measures, Noted(number, at))

    def finish(self) -> None:
        """Write what waits and keep what runs along with the chain; called before the commit."""
        self._index.finish()
        self._tail.save()

    def _policy(self, policy: Policy) -> str:
        known = self._policies.get(id(policy))
        if known is not None and known[0] is policy:
            return known[1]
        document = policy.document()
        digest = d.policy_digest(document)
        self._link.run("INSERT OR IGNORE INTO policies VALUES (?, ?, ?)", (digest, policy.name, document))
        self._policies[id(policy)] = (policy, digest)
        return digest

    def _under(self, policy: Policy) -> int:
        """The entry that says under which policy, lexicon and measures what follows is judged."""
        if self._judged is not None and self._judged[0] is policy:
            return self._judged[1]
        seq = self._setting(policy)
        self._judged = (policy, seq)
        return seq

    def _setting(self, policy: Policy) -> int:
        document = self._measures.lexicon()
        wanted = (self._policy(policy), d.lexicon_digest(document), self._measures.version)
        last = self._tail.setting
        if last is not None and (last.policy, last.lexicon, last.measures) == wanted:
            return last.seq
        self._link.run("INSERT OR IGNORE INTO lexicons VALUES (?, ?)", (wanted[1], document))
        more = {"lexicon": wanted[1], "measures": wanted[2]}
        seq = self._put("setting", {"policy": wanted[0]}, d.canonical(more))
        self._tail.setting = Setting(seq, *wanted)
        return seq

    def _commit(self, draft: Draft, deed: Ruling | Act) -> int:
        links: Sequence[Link] = deed.links
        parents = {link.parent: self._batch.version_of(link.parent) for link in links}
        seq = self._append(draft)
        for id_, held, now in draft.steps:
            self._batch.step(seq, id_, held, now)
            self._tail.step(id_, held, now)
        for link in links:
            child = self._batch.version_of(link.child)
            self._batch.lineage.append((seq, link.child, link.parent, link.role, child, parents[link.parent]))
        self._batch.touched.extend([(id_, seq) for id_ in draft.touched])
        if deed.memo is not None:
            self._batch.memo.append((deed.memo, seq))
        if deed.activations:
            append_accesses(
                self._link, deed.activations, kind=f"pass:{draft.columns['pass']}", at=draft.columns["at"]
            )
        return seq

    def _append(self, draft: Draft) -> int:
        draft.columns["snapshot"] = self._tail.snapshot + 1
        self._tail.count(draft.columns)
        return self._put("mutation", draft.columns, draft.more())

    def _put(self, type_: str, columns: dict[str, Any], more: str) -> int:
        columns["type"] = type_
        row = (*map(columns.get, ENTRY_COLUMNS), more)
        self._tail.seq += 1
        self._tail.hash = sealed_row(self._tail.seq, self._tail.hash, row)
        self._batch.ledger.append((self._tail.seq, self._tail.hash, *row))
        return self._tail.seq


def _moved(what: str) -> Exception:
    from nocturne.app.ports import HeadMoved

    return HeadMoved(what)
