"""The store's rows as the replay takes them: plain, and in the ledger's order."""

from __future__ import annotations

from nocturne.core.chain import COLUMNS, ENTRY_COLUMNS
from nocturne.core.replay import Tables
from nocturne.store.connection import Link
from nocturne.store.rows import TURN_COLUMNS

_LEDGER = f"SELECT seq, hash, {', '.join(ENTRY_COLUMNS)}, more FROM ledger ORDER BY seq"  # noqa: S608
_FACTS = (
    f"SELECT from_seq, fact_id, to_seq, retired_seq, {', '.join(COLUMNS)} FROM facts "  # noqa: S608
    "ORDER BY from_seq, fact_id"
)
_TURNS = f"SELECT mutation, {TURN_COLUMNS} FROM turns ORDER BY id"  # noqa: S608


def tables(link: Link) -> Tables:
    """Every covered table, read as it is asked for; read it inside one moment of the store."""
    return Tables(
        ledger=link.stream(_LEDGER),
        facts=link.stream(_FACTS),
        fact_sources=link.stream(
            "SELECT from_seq, fact, turn, start, stop, to_seq FROM fact_sources "
            "ORDER BY from_seq, fact, turn, start, stop"
        ),
        lineage=link.stream(
            "SELECT mutation, child, parent, role, child_seq, parent_seq FROM lineage "
            "ORDER BY mutation, child, parent, role, child_seq, parent_seq"
        ),
        touched=link.stream("SELECT mutation, fact FROM touched ORDER BY mutation, fact"),
        turns=link.stream(_TURNS),
        sources=link.stream(
            "SELECT id, path, format, content_hash, cursor, reader_version, state, mutation FROM sources "
            "ORDER BY id"
        ),
        tombstones=link.stream("SELECT key, fact, cause, mutation, lifted FROM tombstones ORDER BY key"),
        memo=link.stream("SELECT key, mutation FROM memo ORDER BY key"),
        policies=link.stream("SELECT digest, name, json FROM policies ORDER BY digest"),
        lexicons=link.stream("SELECT digest, json FROM lexicons ORDER BY digest"),
        accesses=link.stream(
            "SELECT id, at, kind, fact, base, last_access, spaced, labile_until FROM accesses ORDER BY id"
        ),
        activation=link.stream(
            "SELECT fact, base, last_access, spaced, labile_until FROM activation ORDER BY fact"
        ),
        quiz_runs=link.stream(
            "SELECT id, at, snapshot, baseline, asked, recalled, probed, absent, passed, report "
            "FROM quiz_runs ORDER BY id"
        ),
        texts=link.stream("SELECT hash, salt, text FROM texts ORDER BY id"),
        secret=link.value("SELECT value FROM meta WHERE key = 'secret'") or b"",
    )
