"""The ledger: where it ends, its snapshots, and its mutations as rows that people read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nocturne.core.digest import ZERO, LtHash, canonical
from nocturne.errors import StoreDamaged
from nocturne.store.connection import Link
from nocturne.store.side import running

if TYPE_CHECKING:
    from nocturne.core.record import Replayed
    from nocturne.store.batch import Held

_COUNTS = ("accepted", "refused", "engine", "added", "changed", "retired", "revived")


@dataclass(frozen=True, slots=True)
class Setting:
    """Under which policy, lexicon and measures the rulings after an entry are made."""

    seq: int
    policy: str
    lexicon: str
    measures: str


class Tail:
    """The end of the chain inside a transaction, and what runs along: digest, counts, last numbers."""

    def __init__(self, link: Link) -> None:
        row = link.one("SELECT seq, hash FROM ledger ORDER BY seq DESC LIMIT 1")
        last = link.one(
            "SELECT number, digest, command FROM ledger WHERE number NOT NULL ORDER BY number DESC LIMIT 1"
        )
        kept = link.value("SELECT value FROM meta WHERE key = 'tail'")
        lanes = link.value("SELECT value FROM meta WHERE key = 'lanes'")
        if row is None or last is None or kept is None or lanes is None:
            raise _past_us(link, "the record has no beginning")
        tail = json.loads(kept)
        self.seq: int = row[0]
        self.hash: str = row[1]
        self.snapshot: int = last[0]
        self.digest: str = last[1]
        self.command: str | None = last[2]
        self.active: int = tail["active"]
        self.facts = int(link.value("SELECT MAX(fact_id) FROM facts") or 0)
        self.turns = int(link.value("SELECT MAX(id) FROM turns") or 0)
        self._lanes = LtHash(lanes)
        self.setting = Setting(*tail["setting"]) if "setting" in tail else None
        self._counts: dict[str, int] = {**dict.fromkeys(_COUNTS, 0), **tail["counts"]}
        self._link = link
        self._first = self.seq
        if tail["seq"] != self.seq or tail["digest"] != self._lanes.digest():
            raise _past_us(
                link, f"the record ends at entry {self.seq}, and nocturne left it at {tail['seq']}"
            )

    def step(self, fact: int, before: Held | None, after: Held) -> None:
        """Take one change of one fact into the digest and the counts."""
        is_active = after.active
        if before is None:
            self._counts["added"] += 1
            self.active += is_active
        else:
            self._lanes.remove(before.leaf(fact))
            was = before.active
            self.active += is_active - was
            self._counts["changed" if was == is_active else "retired" if was else "revived"] += 1
        self._lanes.add(after.leaf(fact))

    def count(self, body: dict[str, Any]) -> None:
        """Count a ruling."""
        if body["kind"] in ("source", "turns"):
            return
        self._counts["accepted" if body["accepted"] else "refused"] += 1
        if body["accepted"] and body["origin"] == "engine":
            self._counts["engine"] += 1

    def snapshot_row(self, label: str, at: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """The columns and ``more`` of the snapshot that would close what was written so far."""
        columns = {
            "number": self.snapshot + 1,
            "label": label,
            "at": at,
            "active": self.active,
            "digest": self._lanes.digest(),
            "previous": self.digest,
        }
        more = {
            "counts": {name: count for name, count in self._counts.items() if count},
            "accesses": list(running(self._link, "accesses")),
            "quiz_runs": list(running(self._link, "quiz_runs")),
        }
        return columns, more

    def close_snapshot(self, digest: str) -> None:
        """Begin counting for the next snapshot."""
        self.snapshot += 1
        self.digest = digest
        self._counts = dict.fromkeys(_COUNTS, 0)

    def current(self) -> str:
        """The digest of the facts as they stand."""
        return self._lanes.digest()

    def save(self) -> None:
        """Keep what runs along for the next transaction; where no entry was added there is nothing to keep."""
        if self.seq == self._first:
            return
        kept: dict[str, Any] = {
            "seq": self.seq,
            "active": self.active,
            "digest": self._lanes.digest(),
            "counts": {name: count for name, count in self._counts.items() if count},
        }
        if self.setting is not None:
            setting = self.setting
            kept["setting"] = [setting.seq, setting.policy, setting.lexicon, setting.measures]
        rows = [("lanes", self._lanes.lanes()), ("tail", canonical(kept))]
        self._link.many("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)


def problems(link: Link, replayed: Replayed) -> list[str]:
    """Where the figures kept beside the record differ from what it was replayed to."""
    found: list[str] = []
    kept: dict[str, Any] = dict(link.all("SELECT key, value FROM meta"))
    if kept.get("lanes") != replayed.lanes:
        found.append("lanes: not the sum of the facts")
    try:
        tail = json.loads(kept.get("tail") or "{}")
        told = (tail.get("seq"), tail.get("digest"))
    except (ValueError, TypeError, AttributeError):
        told = (None, None)
    wanted = (replayed.entries, LtHash(replayed.lanes).digest())
    if told != wanted:
        found.append(f"tail: it ends at entry {told[0]}, the record at {wanted[0]}, or their digests differ")
    for table, (count, hash_) in replayed.running.items():
        if kept.get(f"running:{table}", f"0 {ZERO}") != f"{count} {hash_}":
            found.append(f"running:{table}: not the hash of its {count} rows")
    unlisted = link.value(
        "SELECT COUNT(*) FROM (SELECT speaker AS name FROM facts UNION SELECT subject FROM facts "
        "UNION SELECT speaker FROM turns) WHERE name NOT NULL AND name NOT IN (SELECT hash FROM names)"
    )
    if unlisted:
        found.append(f"names: {unlisted} are not listed")
    return found


def _past_us(link: Link, what: str) -> StoreDamaged:
    return StoreDamaged(
        f"{link.path}: {what}",
        hint="something wrote to the database past nocturne; see what with `nocturne audit`",
    )


def first_rows(uuid: str, secret_digest: str, version: int, at: int) -> list[dict[str, Any]]:
    """The bodies of a new store's first two rows: who it is, and the empty snapshot s0."""
    empty = LtHash().digest()
    return [
        {"type": "genesis", "uuid": uuid, "secret": secret_digest, "format": version, "at": at},
        {
            "type": "snapshot",
            "number": 0,
            "label": "creation",
            "at": at,
            "active": 0,
            "digest": empty,
            "previous": empty,
            "counts": {},
            "accesses": [0, ZERO],
            "quiz_runs": [0, ZERO],
        },
    ]
