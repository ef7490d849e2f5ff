"""The store's rows as the replay takes them: plain, and in the ledger's order."""

from __future__ import annotations

import json

from nocturne.core.chain import COLUMNS, ENTRY_COLUMNS
from nocturne.core.record import Base, Tables
from nocturne.errors import InputUnreadable
from nocturne.store.connection import Link
from nocturne.store.rows import TURN_COLUMNS

_LEDGER = f"SELECT seq, hash, {', '.join(ENTRY_COLUMNS)}, more FROM ledger WHERE {{}} ORDER BY seq"  # noqa: S608
_FACTS = (
    f"SELECT from_seq, fact_id, to_seq, retired_seq, {', '.join(COLUMNS)} FROM facts "  # noqa: S608
    "WHERE {} ORDER BY {}"
)
_TURNS = f"SELECT mutation, {TURN_COLUMNS} FROM turns WHERE mutation > ? ORDER BY id"  # noqa: S608


def _since(link: Link, number: int) -> Base:
    """What stood at a snapshot."""
    row = link.one(_LEDGER.format("number = ?"), (number,))
    if row is None:
        raise InputUnreadable(f"no snapshot s{number}", hint="nocturne log lists every snapshot")
    seq = row[0]
    erased: dict[str, int] = {}
    purges = "SELECT seq, more FROM ledger WHERE seq <= ? AND instr(more, '\"erased\":[') ORDER BY seq"
    for entry, more in link.stream(purges, (seq,)):
        for hash_ in json.loads(more)["erased"]:
            erased.setdefault(hash_, entry)
    settings = "SELECT seq, policy FROM ledger WHERE type = 'setting' AND seq <= ?"
    return Base(
        ledger=row,
        facts=link.stream(
            _FACTS.format("+from_seq <= ?1 AND (to_seq IS NULL OR to_seq > ?1)", "fact_id"), (seq,)
        ),
        spans=link.stream(
            "SELECT fact, turn, start, stop, to_seq FROM fact_sources "
            "WHERE from_seq <= ?1 AND (to_seq IS NULL OR to_seq > ?1)",
            (seq,),
        ),
        newest=int(link.value("SELECT MAX(fact_id) FROM facts WHERE from_seq <= ?", (seq,)) or 0),
        turn=int(link.value("SELECT MAX(id) FROM turns WHERE mutation <= ?", (seq,)) or 0),
        settings=dict(link.all(settings, (seq,))),
        erased=erased,
        memo={row[0] for row in link.all("SELECT key FROM memo WHERE mutation <= ?", (seq,))},
    )


def tables(link: Link, since: int | None = None) -> Tables:
    """Every covered table, read as it is asked for, from the first entry or after a snapshot.

    Read it inside one moment of the store.
    """
    base = None if since is None else _since(link, since)
    seq = 0 if base is None else base.ledger[0]
    runs = {} if base is None else json.loads(base.ledger[-1])
    accesses, quizzes = (runs.get(table, [0])[0] for table in ("accesses", "quiz_runs"))
    after = (seq,)
    return Tables(
        ledger=link.stream(_LEDGER.format("seq > ?"), after),
        facts=link.stream(_FACTS.format("from_seq > ?", "from_seq, fact_id"), after),
        fact_sources=link.stream(
            "SELECT from_seq, fact, turn, start, stop, to_seq FROM fact_sources WHERE from_seq > ? "
            "ORDER BY from_seq, fact, turn, start, stop",
            after,
        ),
        lineage=link.stream(
            "SELECT mutation, child, parent, role, child_seq, parent_seq FROM lineage WHERE mutation > ? "
            "ORDER BY mutation, child, parent, role, child_seq, parent_seq",
            after,
        ),
        touched=link.stream(
            "SELECT mutation, fact FROM touched WHERE mutation > ? ORDER BY mutation, fact", after
        ),
        turns=link.stream(_TURNS, after),
        sources=link.stream(
            "SELECT id, path, format, content_hash, cursor, reader_version, state, mutation FROM sources "
            "WHERE mutation > ? ORDER BY id",
            after,
        ),
        tombstones=link.stream(
            "SELECT key, fact, cause, mutation, lifted FROM tombstones WHERE mutation > ? ORDER BY key", after
        ),
        memo=link.stream("SELECT key, mutation FROM memo WHERE mutation > ? ORDER BY key", after),
        policies=link.stream("SELECT digest, name, json FROM policies ORDER BY digest"),
        lexicons=link.stream("SELECT digest, json FROM lexicons ORDER BY digest"),
        accesses=link.stream(
            "SELECT id, at, kind, fact, base, last_access, spaced, labile_until FROM accesses WHERE id > ? "
            "ORDER BY id",
            (accesses,),
        ),
        activation=link.stream(
            "SELECT fact, base, last_access, spaced, labile_until FROM activation "
            "WHERE ?1 = 0 OR fact IN (SELECT fact FROM accesses WHERE id > ?1) ORDER BY fact",
            (accesses,),
        ),
        quiz_runs=link.stream(
            "SELECT id, at, snapshot, baseline, asked, recalled, probed, absent, passed, report "
            "FROM quiz_runs WHERE id > ? ORDER BY id",
            (quizzes,),
        ),
        texts=link.stream("SELECT hash, salt, text FROM texts ORDER BY id"),
        secret=link.value("SELECT value FROM meta WHERE key = 'secret'") or b"",
        base=base,
    )
