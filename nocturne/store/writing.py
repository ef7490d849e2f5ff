"""One transaction: everything that a command adds to the record, closed by a snapshot, or nothing at all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from nocturne.app.ports import HeadMoved, KeyedTurn, SnapshotInfo, SourceStep
from nocturne.core import digest as d
from nocturne.core.acts import Act
from nocturne.core.chain import laid_out, touched_by
from nocturne.core.facts import Activation, Change, Link, Reversion
from nocturne.core.policy import Policy
from nocturne.core.verdicts import Accepted, Ruling
from nocturne.store import search
from nocturne.store.batch import Batch, Held
from nocturne.store.connection import Link as Connection
from nocturne.store.ledger import Tail
from nocturne.store.rows import ERASED, columns_of, delta, refs_of, subject_of, turn_row
from nocturne.store.side import append_accesses
from nocturne.store.texts import Names

Step = tuple[int, Held | None, Held]

_CHUNK = 2_000
"""Rulings between two flushes: bounds memory, and is enough to make batches cheap."""


class Writing:
    """The open transaction of a store; ``Store.transaction`` begins, commits and undoes it."""

    def __init__(self, link: Connection, measures: search.Measures, secret: bytes) -> None:
        self._link = link
        self._measures = measures
        self._secret = secret
        self._tail = Tail(link)
        self._names = Names(link)
        self._batch = Batch(link, measures, self._names)
        self._policies: dict[int, tuple[Policy, str]] = {}
        self._lexicon: str | None = None

    @property
    def tail(self) -> Tail:
        """Where the chain ends inside this transaction."""
        return self._tail

    def expect(self, seq: int, hash_: str) -> None:
        """HeadMoved unless the chain ends at this row."""
        if (self._tail.seq, self._tail.hash) != (seq, hash_):
            raise HeadMoved(f"the store is at entry {self._tail.seq}, not {seq}: it was written to meanwhile")

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
        body: dict[str, Any] = {
            "pass": "ingest",
            "kind": "source",
            "origin": "engine",
            "accepted": 1,
            "source": {
                "id": id_,
                "path": path,
                "format": step.format,
                "content_hash": step.content_hash,
                "cursor": step.cursor,
                "reader_version": step.reader_version,
                "state": state,
                "skipped": d.plain(step.skipped),
            },
        }
        seq = self._append(body)
        self._batch.flush()
        self._link.run(
            "INSERT INTO sources (id, path, format, content_hash, cursor, reader_version, state, mutation) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET format = excluded.format, "
            "content_hash = excluded.content_hash, cursor = excluded.cursor, "
            "reader_version = excluded.reader_version, state = excluded.state, mutation = excluded.mutation",
            (id_, path, step.format, step.content_hash, step.cursor, step.reader_version, state, seq),
        )
        return id_

    def add_turns(self, source: int, turns: Sequence[KeyedTurn]) -> None:
        """Store turns that carry the ids that ``Store.next_turn`` promised."""
        if not turns:
            return
        first = self._tail.turns + 1
        rows = []
        for expected, (key, turn) in enumerate(((each.key, each.turn) for each in turns), start=first):
            if turn.id != expected or turn.source != source:
                raise ValueError(f"turn t{turn.id} of source {turn.source} stands where t{expected} is next")
            payload = turn.tool.payload if turn.tool is not None else None
            rows.append(
                turn_row(
                    turn,
                    key=self.turn_key(key),
                    text=self._batch.text(turn.text),
                    payload=None if payload is None else self._batch.text(payload),
                    speaker=None if turn.speaker is None else self._batch.name(turn.speaker),
                )
            )
        batch = {"source": source, "first": first, "count": len(rows), "digest": d.turns_digest(rows)}
        seq = self._append(
            {"pass": "ingest", "kind": "turns", "origin": "engine", "accepted": 1, "turns": batch}
        )
        self._tail.turns += len(rows)
        self._batch.turns.extend([*row, seq] for row in rows)
        self._batch.flush()

    def turn_key(self, key: str) -> str:
        """A turn's key as it is stored: under the store's own key, so that it tells nothing of the words."""
        return d.keyed(self._secret, d.TURN_KEY, key)

    def record(self, rulings: Iterable[Ruling], *, at: int, policy: Policy) -> None:
        """Append rulings to the chain and apply their changes."""
        digest = self._policy(policy)
        supply = iter(rulings)
        while chunk := list(islice(supply, _CHUNK)):
            self._batch.load(
                {change.before.id for each in chunk for change in each.changes if change.before is not None}
            )
            for ruling in chunk:
                self._rule(ruling, at, digest)
            self._batch.flush()

    def act(self, acts: Iterable[Act], *, at: int, policy: Policy | None = None) -> None:
        """Append deeds that no proposal asked for."""
        digest = None if policy is None else self._policy(policy)
        supply = iter(acts)
        while chunk := list(islice(supply, _CHUNK)):
            self._batch.load(
                {change.before.id for each in chunk for change in each.changes if change.before is not None}
            )
            for act in chunk:
                self._do(act, at, digest)
            self._batch.flush()

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

        ``skipped`` are rows that a tombstone keeps away; ``lifted`` lifts the tombstones of those that return.
        """
        self._batch.load({each.before.id for each in changes if each.before is not None})
        steps: list[Change] = []
        purged: list[int] = []
        for each in changes:
            if each.after is None:
                if each.before is not None and each.before.active:
                    steps.append(
                        Change(each.before, replace(each.before, active=False, retired_by="restore"))
                    )
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
        """Record ``act`` as having erased these texts, and null them; ``Store.scrub`` clears the file after."""
        hashes = sorted(set(texts))
        digest = None if policy is None else self._policy(policy)
        self._batch.load({change.before.id for change in act.changes if change.before is not None})
        self._do(act, at, digest, {"erased": hashes})
        self._batch.flush()
        self._link.many(
            "UPDATE texts SET salt = NULL, text = NULL WHERE hash = ?", ((hash_,) for hash_ in hashes)
        )
        self._names.forget()
        search.rebuild(self._link, self._measures)
        self._link.run("INSERT OR REPLACE INTO meta VALUES ('scrub_pending', 1)")
        return len(hashes)

    def note_accesses(self, rows: Sequence[Activation], *, kind: str, at: int) -> None:
        """Set strengths and log them; the chain does not move."""
        append_accesses(self._link, rows, kind=kind, at=at)

    def note_drift(self, weights: Mapping[str, int]) -> None:
        """Keep the weight of topics (millionths) beside the snapshot that closes this transaction."""
        number = self._tail.snapshot + 1
        self._link.many(
            "INSERT OR REPLACE INTO drift (snapshot, topic, weight) VALUES (?, ?, ?)",
            ((number, topic, weight) for topic, weight in weights.items()),
        )

    def snapshot(self, label: str, *, command: str, policy: Policy | None, at: int) -> SnapshotInfo:
        """Append a snapshot: state digest, active count, chain."""
        digest = None if policy is None else self._policy(policy)
        body = self._tail.snapshot_body(label, self._batch.text(command) if command else None, digest, at)
        self._put("snapshot", body)
        self._batch.flush()
        self._tail.close_snapshot(body["digest"])
        return SnapshotInfo(
            body["number"],
            self._tail.seq,
            label,
            command,
            None if policy is None else policy.name,
            at,
            body["active"],
            body["digest"],
            body["counts"],
        )

    def finish(self) -> None:
        """Keep what runs along with the chain; called before the commit."""
        self._tail.save()

    def _policy(self, policy: Policy) -> str:
        known = self._policies.get(id(policy))
        if known is not None and known[0] is policy:
            return known[1]
        document = d.canonical(d.plain(policy.model_dump()))
        digest = d.policy_digest(document)
        self._link.run("INSERT OR IGNORE INTO policies VALUES (?, ?, ?)", (digest, policy.name, document))
        self._policies[id(policy)] = (policy, digest)
        return digest

    def _lexicon_digest(self) -> str:
        if self._lexicon is None:
            document = self._measures.lexicon
            self._lexicon = d.lexicon_digest(document)
            self._link.run("INSERT OR IGNORE INTO lexicons VALUES (?, ?)", (self._lexicon, document))
        return self._lexicon

    def _rule(self, ruling: Ruling, at: int, policy: str) -> None:
        verdict = ruling.verdict
        accepted = isinstance(verdict, Accepted)
        if ruling.changes and not accepted:
            raise ValueError(
                f"a refused {ruling.pass_name} ruling cannot change m{ruling.changes[0].after.id}"
            )
        proposal = verdict.proposal
        text = getattr(proposal, "text", None)
        after = None
        if accepted and text is not None:
            after = next((c.after for c in ruling.changes if c.after.text == text), None)
        refs, said = refs_of(proposal, after if proposal is not None and proposal.kind == "encode" else None)
        fact = subject_of(proposal)
        if fact is None and ruling.changes:
            fact = ruling.changes[0].after.id
        body: dict[str, Any] = {
            "pass": ruling.pass_name,
            "kind": "malformed" if proposal is None else proposal.kind,
            "origin": ruling.origin,
            "accepted": int(accepted),
            "at": at,
            "policy": policy,
            "lexicon": self._lexicon_digest(),
            "measures": self._measures.version,
        }
        if isinstance(verdict, Accepted):
            body["rule"] = verdict.rule
        else:
            body["code"] = verdict.code
        if refs:
            body["refs"] = d.trusted(refs)
        if said:
            body["said"] = self._batch.text(d.canonical(d.plain(said)))
        if ruling.raw is not None:
            body["raw"] = self._batch.text(ruling.raw)
        reason = proposal.reason if proposal is not None else ""
        shared, steps = self._finish_body(body, fact, reason, verdict.evidence, ruling)
        if text is not None:
            body["text"] = shared[text] if text in shared else self._batch.text(text)
        self._commit(body, steps, ruling.links, ruling.activations)

    def _do(self, act: Act, at: int, policy: str | None, more: Mapping[str, Any] | None = None) -> None:
        body: dict[str, Any] = {
            "pass": act.pass_name,
            "kind": act.kind,
            "origin": act.origin,
            "accepted": 1,
            "at": at,
            **(more or {}),
        }
        if policy is not None:
            body["policy"] = policy
        if act.rule is not None:
            body["rule"] = act.rule
        refs = d.plain(act.refs)
        if refs:
            body["refs"] = d.canonical(refs)
        if act.buries:
            body["buries"] = [[stone.key, stone.fact, stone.cause] for stone in act.buries]
        if act.lifts:
            body["lifts"] = sorted(act.lifts)
        fact = act.fact
        if fact is None and len(act.changes) == 1:
            fact = act.changes[0].after.id
        _, steps = self._finish_body(body, fact, act.reason, act.evidence, act)
        seq = self._commit(body, steps, act.links, act.activations)
        for stone in act.buries:
            self._link.run(
                "INSERT INTO tombstones (key, fact, cause, mutation) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (key) DO UPDATE SET fact = excluded.fact, cause = excluded.cause, "
                "mutation = excluded.mutation, lifted = NULL",
                (stone.key, stone.fact, stone.cause, seq),
            )
        for key in act.lifts:
            self._link.run("UPDATE tombstones SET lifted = ? WHERE key = ? AND lifted IS NULL", (seq, key))

    def _finish_body(
        self,
        body: dict[str, Any],
        fact: int | None,
        reason: str,
        evidence: Mapping[str, Any],
        ruling: Ruling | Act,
    ) -> tuple[dict[str, str], list[Step]]:
        """Add what rulings and acts share; returns the new texts' commitments and the facts' steps."""
        if fact is not None:
            body["fact"] = fact
        if reason:
            body["reason"] = self._batch.text(reason)
        if evidence:
            body["evidence"] = self._batch.text(d.canonical(d.plain(evidence)))
        if ruling.memo is not None:
            body["memo"] = ruling.memo
        if ruling.provenance:
            body["by"] = self._batch.name(d.canonical(d.plain(ruling.provenance)))
        if ruling.links:
            body["links"] = [[link.child, link.parent, link.role] for link in ruling.links]
        if ruling.activations:
            body["activations"] = [
                [each.fact, each.base, each.last_access, each.spaced, each.labile_until]
                for each in ruling.activations
            ]
        shared: dict[str, str] = {}
        steps: list[Step] = []
        for change in _folded(ruling.changes):
            self._change(change, body, shared, steps)
        return shared, steps

    def _change(
        self,
        change: Change,
        body: dict[str, Any],
        shared: dict[str, str],
        steps: list[Step],
    ) -> None:
        after = change.after
        held = None if change.before is None else self._batch.held(after.id)
        if held is None:
            if change.before is not None or after.id <= self._tail.facts:
                raise ValueError(f"m{after.id} is {'not in the store' if change.before else 'taken already'}")
        elif change.before is not None and not self._batch.is_current(held, change.before):
            raise HeadMoved(f"m{after.id} is no longer as it was judged")
        if held is not None and (held.text == after.text or (held.text is None and after.text == ERASED)):
            text = held.columns["text"]
        elif held is not None and (old := self._batch.former(after.id, after.text)) is not None:
            text = old
        else:
            text = shared.get(after.text) or self._batch.text(after.text)
            shared[after.text] = text
        now = Held(
            columns_of(after, text, self._batch.name),
            after.text,
            frozenset((span.turn, span.start, span.end) for span in after.sources),
        )
        had = frozenset() if held is None else held.spans
        changed = now.columns if held is None else delta(held.columns, now.columns)
        gained, lost = sorted(now.spans - had), sorted(had - now.spans)
        if held is not None and not (changed or gained or lost):
            return
        body.setdefault("changes", []).append([after.id, changed])
        if gained:
            body.setdefault("sourced", []).extend([after.id, *span] for span in gained)
        if lost:
            body.setdefault("unsourced", []).extend([after.id, *span] for span in lost)
        steps.append((after.id, held, now))
        if held is None:
            self._tail.facts = after.id

    def _commit(
        self,
        body: dict[str, Any],
        steps: Sequence[Step],
        links: Sequence[Link],
        activations: Sequence[Activation],
    ) -> int:
        parents = {link.parent: self._batch.version_of(link.parent) for link in links}
        seq = self._append(body)
        for id_, held, now in steps:
            self._batch.step(seq, id_, held, now)
            self._tail.step(id_, held, now)
        for link in links:
            child = self._batch.version_of(link.child)
            self._batch.lineage.append((seq, link.child, link.parent, link.role, child, parents[link.parent]))
        self._batch.touched.extend((id_, seq) for id_ in sorted(touched_by(body)))
        if "memo" in body:
            self._batch.memo.append((body["memo"], seq))
        if activations:
            append_accesses(self._link, activations, kind=f"pass:{body['pass']}", at=body["at"])
        return seq

    def _append(self, body: dict[str, Any]) -> int:
        body["snapshot"] = self._tail.snapshot + 1
        self._tail.count(body)
        return self._put("mutation", body)

    def _put(self, type_: str, body: dict[str, Any]) -> int:
        body["type"] = type_
        body["seq"] = self._tail.seq + 1
        body["prev"] = self._tail.hash
        self._tail.seq += 1
        self._tail.hash = d.entry_hash(d.trusted(body))
        self._batch.ledger.append((self._tail.seq, self._tail.hash, *laid_out(body)))
        return self._tail.seq


def _folded(changes: Sequence[Change]) -> Iterable[Change]:
    """One change a fact: a ruling that steps a fact twice is one step to its end."""
    if len(changes) < 2:
        return changes
    folded: dict[int, Change] = {}
    for change in changes:
        first = folded.get(change.after.id)
        folded[change.after.id] = change if first is None else Change(first.before, change.after)
    return folded.values()
