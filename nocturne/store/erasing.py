"""Purging: which texts to null, and how to leave no byte of them in the file or its log."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from nocturne.errors import StoreLocked
from nocturne.store.connection import Link

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
