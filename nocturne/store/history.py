"""What is on the record: snapshots, mutations with their words, the memo, tombstones, policies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from nocturne.app.ports import Head, MutationRow, SnapshotInfo
from nocturne.core.acts import ERASED
from nocturne.core.chain import ENTRY_COLUMNS, entry_of, named
from nocturne.core.digest import LtHash, commitment
from nocturne.core.facts import Link
from nocturne.errors import InputUnreadable, StoreDamaged
from nocturne.store.connection import Link as Connection
from nocturne.store.erasing import leaves
from nocturne.store.reading import Snapshots
from nocturne.store.texts import words

_ENTRY = ", ".join(ENTRY_COLUMNS)
_WORDED = ("reason", "evidence", "raw", "said", "text", "by")
_SAYING = ("encode", "merge", "schematise")
"""Kinds that give a fact its text."""

_decode = json.JSONDecoder().raw_decode


def _decoded(text: str) -> Any:
    """What our own JSON says: it stands alone, so that no white space around it is looked for."""
    return _decode(text)[0]


@dataclass(frozen=True, slots=True)
class TombstoneRow:
    """A content that a person does not want back, by its key; ``lifted`` is the entry that let it return."""

    key: str
    fact: int | None
    cause: str
    mutation: int
    lifted: int | None


class _Around:
    """What a mutation's row takes from elsewhere: when its snapshot was taken, what it was judged under."""

    def __init__(self, link: Connection) -> None:
        self._link = link
        self.settings = _settings(link)

    @cached_property
    def times(self) -> Snapshots:
        """Looked up only for entries that hold no time of their own."""
        return Snapshots(self._link)


def head(link: Connection) -> Head:
    """Where the chain ends."""
    row = link.one("SELECT seq, hash FROM ledger ORDER BY seq DESC LIMIT 1")
    if row is None:
        raise StoreDamaged(f"{link.path}: the record is empty", hint="restore a backup")
    number = link.value("SELECT MAX(number) FROM ledger WHERE number NOT NULL")
    return Head(row[0], row[1], number)


def _info(row: tuple[Any, ...]) -> SnapshotInfo:
    number, seq, label, command, words_, policy, at, active, digest, more = row
    shown = "" if command is None else ERASED if words_ is None else words_
    return SnapshotInfo(
        number, seq, label, shown, policy, at, active, digest, json.loads(more).get("counts", {})
    )


_SNAPSHOTS = (
    "SELECT l.number, l.seq, l.label, l.command, c.text, p.name, l.at, l.active, l.digest, l.more "
    "FROM ledger AS l LEFT JOIN texts AS c ON c.hash = l.command "
    "LEFT JOIN policies AS p ON p.digest = l.policy WHERE l.number "
)


def snapshots(link: Connection, since: int = 0) -> Iterator[SnapshotInfo]:
    """Every snapshot from a number on, oldest first."""
    return map(_info, link.all(_SNAPSHOTS + ">= ? ORDER BY l.number", (since,)))


def snapshot(link: Connection, number: int) -> SnapshotInfo:
    """One snapshot; InputUnreadable where there is none of this number."""
    row = link.one(_SNAPSHOTS + "= ?", (number,))
    if row is None:
        raise InputUnreadable(f"no snapshot s{number}", hint="nocturne log lists every snapshot")
    return _info(row)


def seq_of(link: Connection, number: int) -> int:
    """The entry of a snapshot."""
    seq: int | None = link.value("SELECT seq FROM ledger WHERE number = ?", (number,))
    if seq is None:
        raise InputUnreadable(f"no snapshot s{number}", hint="nocturne log lists every snapshot")
    return seq


def snapshot_at(link: Connection, moment: int) -> int | None:
    """The number of the last snapshot taken at or before a time, or None."""
    number: int | None = link.value(
        "SELECT number FROM ledger WHERE number NOT NULL AND at <= ? ORDER BY number DESC LIMIT 1", (moment,)
    )
    return number


def last_sleep_at(link: Connection) -> int | None:
    """When the last night began, or None where there was none."""
    at: int | None = link.value(
        "SELECT at FROM ledger WHERE number NOT NULL AND label = 'consolidation:start' "
        "ORDER BY number DESC LIMIT 1"
    )
    return at


def mutations(
    link: Connection,
    after: int,
    upto: int,
    *,
    pass_name: str | None = None,
    accepted: bool | None = None,
    fact: int | None = None,
) -> Iterator[MutationRow]:
    """The mutations with ``after < entry <= upto``, in order; ``fact`` keeps those that named it."""
    chosen = "" if fact is None else "seq IN (SELECT mutation FROM touched WHERE fact = :fact) AND "
    if pass_name is not None:
        chosen += "pass = :pass AND "
    if accepted is not None:
        chosen += "accepted = :accepted AND "
    rows = link.stream(
        f"SELECT seq, hash, more, {_ENTRY} FROM ledger "  # noqa: S608 - only our own words
        f"WHERE {chosen}type = 'mutation' AND seq > :after AND seq <= :upto ORDER BY seq",
        {"fact": fact, "pass": pass_name, "accepted": accepted, "after": after, "upto": upto},
    )
    around = _Around(link)
    while batch := list(islice(rows, 5_000)):
        read = [(row[0], entry_of(row[3:], _decoded(row[2])), row[1]) for row in batch]
        wanted = {body[field] for _, body, _ in read for field in _WORDED if field in body}
        wanted |= {
            step["text"]
            for _, body, _ in read
            if body["kind"] in _SAYING
            for _, step in body.get("changes", ())
            if "text" in step
        }
        known = words(link, wanted)
        for seq, body, hash_ in read:
            yield _mutation(seq, body, hash_, known, around)


def _settings(link: Connection) -> dict[int, tuple[str, str, str]]:
    return {
        seq: (policy, read["lexicon"], read["measures"])
        for seq, policy, more in link.all("SELECT seq, policy, more FROM ledger WHERE type = 'setting'")
        if (read := json.loads(more))
    }


def settings(link: Connection, upto: int) -> dict[int, tuple[str, str]]:
    """The policy and the lexicon of every setting up to an entry."""
    return {seq: known[:2] for seq, known in _settings(link).items() if seq <= upto}


def mutation(link: Connection, seq: int) -> MutationRow | None:
    """The mutation that is this entry, or None where the entry is a snapshot or missing."""
    return next(mutations(link, seq - 1, seq), None)


def _word(known: Mapping[str, str], body: Mapping[str, Any], field: str) -> str | None:
    hash_ = body.get(field)
    return None if hash_ is None else known.get(hash_, ERASED)


def _new_text(known: Mapping[str, str], body: Mapping[str, Any]) -> str | None:
    """The text that an accepted proposal gave to its fact: it stands in the change alone."""
    if body["kind"] not in _SAYING:
        return None
    return next(
        (known.get(step["text"], ERASED) for _, step in body.get("changes", ()) if "text" in step), None
    )


def _table(known: Mapping[str, str], body: Mapping[str, Any], field: str) -> dict[str, Any]:
    hash_ = body.get(field)
    if hash_ is None:
        return {}
    text = known.get(hash_)
    if text is None:
        return {"erased": 1}
    read: dict[str, Any] = _decoded(text)
    return read


def _mutation(
    seq: int,
    body: Mapping[str, Any],
    hash_: str,
    known: Mapping[str, str],
    around: _Around,
) -> MutationRow:
    policy, lexicon, measures = around.settings.get(body.get("under", 0), (None, None, None))
    refs = _decoded(body["refs"]) if "refs" in body else {}
    figures = _decoded(body["figures"]) if "figures" in body else {}
    links = body.get("links", ())
    touched = named(refs).union(step[0] for step in body.get("changes", ()))
    touched.update(fact for link in links for fact in link[:2])
    if "fact" in body:
        touched.add(body["fact"])
    return MutationRow(
        seq=seq,
        snapshot=body["snapshot"],
        pass_name=body["pass"],
        kind=body["kind"],
        fact=body.get("fact"),
        refs={**refs, **_table(known, body, "said")},
        origin=body["origin"],
        accepted=body["accepted"] == 1,
        code=body.get("code"),
        rule=body.get("rule"),
        reason=_word(known, body, "reason"),
        evidence={**figures, **_table(known, body, "evidence")},
        at=body["at"] if "at" in body else around.times.time_of(body["snapshot"]),
        touched=tuple(sorted(touched)),
        text=_word(known, body, "text") or _new_text(known, body),
        raw=_word(known, body, "raw"),
        policy_digest=policy,
        lexicon=lexicon,
        measures=measures,
        memo=body.get("memo"),
        provenance=_table(known, body, "by"),
        links=tuple([Link(*each) for each in links]),
        hash=hash_,
        erased=len(body.get("erased", ())),
    )


def memo_keys(link: Connection) -> frozenset[str]:
    """What need not be asked again."""
    return frozenset(row[0] for row in link.stream("SELECT key FROM memo"))


def tombstones(link: Connection) -> list[TombstoneRow]:
    """Every tombstone, lifted ones included, in the order they were set."""
    return [
        TombstoneRow(*row)
        for row in link.all(
            "SELECT key, fact, cause, mutation, lifted FROM tombstones ORDER BY mutation, key"
        )
    ]


def tombstone_keys(link: Connection) -> frozenset[str]:
    """The keys of the tombstones that stand."""
    return frozenset(row[0] for row in link.all("SELECT key FROM tombstones WHERE lifted IS NULL"))


def documents(link: Connection, table: str) -> dict[str, str]:
    """The policies or lexicons on record: canonical JSON by digest."""
    if table not in ("policies", "lexicons"):
        raise ValueError(f"{table} holds no documents")
    return dict(link.all(f"SELECT digest, json FROM {table}"))  # noqa: S608 - one of two words


def texts_of_mutations(link: Connection, facts: Iterable[int]) -> dict[str, set[int]]:
    """The commitments in facts' versions and in the mutations that touched them: what a purge would null."""
    found: dict[str, set[int]] = {}
    for fact in facts:
        for reason, evidence, more in link.all(
            "SELECT reason, evidence, more FROM ledger "
            "WHERE seq IN (SELECT mutation FROM touched WHERE fact = ?)",
            (fact,),
        ):
            read = json.loads(more)
            for hash_ in (reason, evidence, *(read.get(field) for field in ("raw", "said", "text"))):
                if hash_ is not None:
                    found.setdefault(hash_, set()).add(fact)
        for (text,) in link.all("SELECT DISTINCT text FROM facts WHERE fact_id = ?", (fact,)):
            found.setdefault(text, set()).add(fact)
    return found


def vouched(link: Connection, fact: int) -> bool:
    """Whether the fact's words are those that they are committed to, and that its last text on record names."""
    row = link.one(
        "SELECT f.text, t.salt, t.text FROM facts AS f JOIN texts AS t ON t.hash = f.text "
        "WHERE f.fact_id = ? AND f.to_seq IS NULL",
        (fact,),
    )
    if row is None or row[1] is None or row[2] is None or commitment(row[1], row[2]) != row[0]:
        return False
    for (more,) in link.all(
        "SELECT more FROM ledger WHERE seq IN (SELECT mutation FROM touched WHERE fact = ?) ORDER BY seq DESC",
        (fact,),
    ):
        for changed, step in json.loads(more).get("changes", ()):
            if changed == fact and "text" in step:
                return bool(step["text"] == row[0])
    return False


def forged(link: Connection) -> list[str]:
    """Where facts' words are not those that they are committed to, and whether the facts have the digest on record.

    The digest is compared only where nothing was written after the last snapshot.
    """
    found = [
        f"the words of m{fact} are not those that were recorded"
        for fact, hash_, salt, text in link.stream(
            "SELECT f.fact_id, f.text, t.salt, t.text FROM facts AS f JOIN texts AS t ON t.hash = f.text "
            "WHERE f.to_seq IS NULL AND f.active = 1 AND t.text NOT NULL ORDER BY f.fact_id"
        )
        if salt is None or commitment(salt, text) != hash_
    ]
    last = link.one("SELECT type, digest FROM ledger ORDER BY seq DESC LIMIT 1")
    if last is not None and last[0] == "snapshot":
        lanes = LtHash()
        for leaf in leaves(link):
            lanes.add(leaf)
        if lanes.digest() != last[1]:
            found.append("the facts are not those that the last snapshot recorded")
    return found
