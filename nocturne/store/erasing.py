"""Purging: which texts to null, and how to leave no byte of them in the file or its log."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping

from nocturne.core import digest as d
from nocturne.core.chain import COLUMNS
from nocturne.errors import StoreLocked
from nocturne.store.connection import Link
from nocturne.store.rows import normal

_USES = (
    ("facts", "SELECT COUNT(*) FROM facts WHERE text IN ({0}) OR speaker IN ({0}) OR subject IN ({0})"),
    ("turns", "SELECT COUNT(*) FROM turns WHERE text IN ({0}) OR tool_payload IN ({0}) OR speaker IN ({0})"),
    ("sources", "SELECT COUNT(*) FROM sources WHERE path IN ({0}) OR state IN ({0})"),
    ("quiz_runs", "SELECT COUNT(*) FROM quiz_runs WHERE report IN ({0})"),
    ("journal", "SELECT COUNT(*) FROM journal WHERE reply IN ({0})"),
)


def uses(link: Link, hashes: Iterable[str]) -> Mapping[str, int]:
    """How many rows of each table name one of these texts: for the receipt."""
    wanted = json.dumps(sorted(set(hashes)))
    chosen = "SELECT value FROM json_each(?1)"
    return {table: int(link.value(sql.format(chosen), (wanted,))) for table, sql in _USES}


def of_turns(link: Link, turns: Iterable[int]) -> frozenset[str]:
    """The commitments of turns' texts and payloads."""
    rows = link.all(
        "SELECT text, tool_payload FROM turns WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(set(turns))),),
    )
    return frozenset(hash_ for row in rows for hash_ in row if hash_ is not None)


def facts_with(link: Link, hashes: Iterable[str]) -> list[int]:
    """The facts of which any version has one of these texts."""
    rows = link.all(
        "SELECT DISTINCT fact_id FROM facts WHERE text IN (SELECT value FROM json_each(?)) ORDER BY fact_id",
        (json.dumps(sorted(set(hashes))),),
    )
    return [row[0] for row in rows]


def leaf_hashes(link: Link, facts: Iterable[int]) -> dict[int, list[str]]:
    """SHA-256 of the leaf of every version, as the state digest takes it, oldest first."""
    found: dict[int, list[str]] = {}
    for fact in sorted(set(facts)):
        spans = link.all(
            "SELECT turn, start, stop, from_seq, to_seq FROM fact_sources WHERE fact = ?", (fact,)
        )
        for since, *values in link.all(
            f"SELECT from_seq, {', '.join(COLUMNS)} FROM facts WHERE fact_id = ? "  # noqa: S608 - only our own words
            "ORDER BY from_seq",
            (fact,),
        ):
            held = [span[:3] for span in spans if span[3] <= since and (span[4] is None or span[4] > since)]
            leaf = d.leaf(fact, d.trusted(normal(values)), held)
            found.setdefault(fact, []).append(hashlib.sha256(leaf).hexdigest())
    return found


def leaves(link: Link) -> Iterator[bytes]:
    """The leaf of every current version, as the state digest takes it."""
    spans: dict[int, list[tuple[int, int, int]]] = {}
    for fact, *span in link.stream("SELECT fact, turn, start, stop FROM fact_sources WHERE to_seq IS NULL"):
        spans.setdefault(fact, []).append((span[0], span[1], span[2]))
    for fact, *values in link.stream(
        f"SELECT fact_id, {', '.join(COLUMNS)} FROM facts WHERE to_seq IS NULL"  # noqa: S608 - only our own words
    ):
        yield d.leaf(fact, d.trusted(normal(values)), spans.get(fact, ()))


def is_pending(link: Link) -> bool:
    """Whether texts were nulled by a purge whose clearing of the file was cut short."""
    return link.value("SELECT value FROM meta WHERE key = 'scrub_pending'") is not None


def scrub(link: Link) -> None:
    """Rewrite the file without its free pages and empty its log; StoreLocked where somebody reads it."""
    _empty_log(link)
    link.run("VACUUM")
    _empty_log(link)
    link.run("DELETE FROM meta WHERE key = 'scrub_pending'")
    _empty_log(link)


def _empty_log(link: Link) -> None:
    row = link.one("PRAGMA wal_checkpoint(TRUNCATE)")
    if row is not None and row[0]:
        raise StoreLocked(
            f"{link.path}: the texts are erased, but another process still reads the log that holds them",
            hint="end the other command, then run any writing command: it takes the clearing up again",
        )
