"""Sources and turns: what was read, how far, and the words as they were said."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from nocturne.core.acts import ERASED
from nocturne.core.digest import TURN_KEY, keyed
from nocturne.core.facts import Turn
from nocturne.store.connection import Link
from nocturne.store.rows import TURN_COLUMNS, turn_of
from nocturne.store.texts import names_of

if TYPE_CHECKING:
    from nocturne.app.ports import SourceInfo

_TURNS = ", ".join(f"u.{column}" for column in TURN_COLUMNS.split(", "))
_SOURCES = (
    "SELECT s.id, p.text, s.format, s.content_hash, s.cursor, s.reader_version, s.state, j.text "
    "FROM sources AS s "
    "JOIN texts AS p ON p.hash = s.path LEFT JOIN texts AS j ON j.hash = s.state "
)


def _source(row: tuple[Any, ...]) -> SourceInfo:
    from nocturne.app.ports import SourceInfo

    id_, path, format_, content_hash, cursor, version, _, state = row
    shown = ERASED if path is None else path
    return SourceInfo(id_, shown, format_, content_hash, cursor, version, json.loads(state) if state else {})


def sources(link: Link) -> list[SourceInfo]:
    """Every source, in the order first read."""
    return [_source(row) for row in link.all(_SOURCES + "ORDER BY s.id")]


def source(link: Link, id_: int) -> SourceInfo | None:
    """One source by number."""
    row = link.one(_SOURCES + "WHERE s.id = ?", (id_,))
    return None if row is None else _source(row)


def source_for(link: Link, path: str | None, content_hash: str | None) -> SourceInfo | None:
    """The source read from a path, or with this content; of several the one last read."""
    where, args = ("p.text = ?", path) if path is not None else ("s.content_hash = ?", content_hash)
    row = link.one(_SOURCES + f"WHERE {where} ORDER BY s.mutation DESC LIMIT 1", (args,))
    return None if row is None else _source(row)


def turns(link: Link, ids: Iterable[int]) -> dict[int, Turn]:
    """Turns by id; unknown ids are missing."""
    wanted = json.dumps(sorted(set(ids)))
    return {turn.id: turn for turn in _read(link, "u.id IN (SELECT value FROM json_each(?))", (wanted,))}


def all_turns(link: Link, *, source: int | None = None) -> Iterator[Turn]:
    """Every turn by id, or those of one source."""
    return _read(link, "1" if source is None else "u.source = ?", () if source is None else (source,))


def _read(link: Link, where: str, args: tuple[Any, ...]) -> Iterator[Turn]:
    names = names_of(link)
    for row in link.stream(
        f"SELECT t.text, p.text, {_TURNS} FROM turns AS u "  # noqa: S608 - only our own words
        f"JOIN texts AS t ON t.hash = u.text LEFT JOIN texts AS p ON p.hash = u.tool_payload "
        f"WHERE {where} ORDER BY u.id",
        args,
    ):
        yield turn_of(row[2:], row[0], row[1], names)


def known_keys(link: Link, secret: bytes, keys: Iterable[str]) -> frozenset[str]:
    """Which of these turns' keys the store has: those turns were read before, whatever file they stand in."""
    stored = {keyed(secret, TURN_KEY, key): key for key in keys}
    rows = link.all(
        "SELECT key FROM turns WHERE key IN (SELECT value FROM json_each(?))", (json.dumps(list(stored)),)
    )
    return frozenset(stored[row[0]] for row in rows)


def origins(link: Link) -> Iterator[tuple[int, int, str | None, int | None]]:
    """Every turn's number, source, session and the day it was said (days since 1970, UTC)."""
    return link.stream("SELECT id, source, session, said_at / 86400000000 FROM turns ORDER BY id")


def counts(link: Link) -> Mapping[str, int]:
    """How many turns of each provenance class."""
    return dict(link.all("SELECT provenance, COUNT(*) FROM turns GROUP BY provenance"))
