"""Facts as they stand or stood: states, single facts, versions, and what differs between two snapshots."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from nocturne.app.bulk import uncollected
from nocturne.core.acts import ERASED
from nocturne.core.facts import Fact, Link, Retirement, Span, Stand, State, Step
from nocturne.core.making import span_made
from nocturne.core.table import Table
from nocturne.store.connection import Link as Connection
from nocturne.store.rows import FACT_COLUMNS, fact_of
from nocturne.store.texts import names_of

Version = tuple[int, int | None, Fact]

# The plus keeps the planner from the index over from_seq: a state is one walk over the versions.
_OPEN = "{0}.to_seq IS NULL"
_HELD = "+{0}.from_seq <= :seq AND ({0}.to_seq IS NULL OR {0}.to_seq > :seq)"


class Snapshots:
    """The sequence numbers of the snapshots, to say which snapshot first held an entry."""

    def __init__(self, link: Connection) -> None:
        self._link = link
        self._seqs = [
            row[0] for row in link.all("SELECT seq FROM ledger WHERE number NOT NULL ORDER BY number")
        ]

    def time_of(self, number: int) -> int:
        """When a snapshot was taken; for one that is still to come, when the last was."""
        seq = self._seqs[min(number, len(self._seqs) - 1)]
        at: int = self._link.value("SELECT at FROM ledger WHERE seq = ?", (seq,))
        return at

    def holding(self, seq: int) -> int:
        """The number of the first snapshot at or after an entry."""
        return bisect_left(self._seqs, seq)


Cited = tuple[int, tuple[Span, ...]]


def _cited(link: Connection, held: str, seq: int | None, facts: str | None) -> Iterator[Cited]:
    """What each fact rests on, ids ascending; read as it is asked for."""
    which = "" if facts is None else "x.fact IN (SELECT value FROM json_each(:facts)) AND "
    rows = link.stream(
        f"SELECT x.fact, x.turn, x.start, x.stop FROM fact_sources AS x "  # noqa: S608 - only our own words
        f"WHERE {which}{held.format('x')} ORDER BY x.fact, x.turn, x.start, x.stop",
        {"seq": seq, "facts": facts},
    )
    last = 0
    spans: list[Span] = []
    for fact, turn, start, stop in rows:
        if fact != last:
            if spans:
                yield last, tuple(spans)
            last, spans = fact, []
        spans.append(span_made(turn, start, stop))
    if spans:
        yield last, tuple(spans)


def _held(
    link: Connection,
    seq: int | None,
    ids: Iterable[int] | None = None,
    *,
    where: str = "1",
    args: Mapping[str, Any] | None = None,
) -> Iterator[tuple[int, int | None, Fact]]:
    """See ``held_at``. Rows and their sources are read side by side, so that only the facts themselves stay."""
    held = _OPEN if seq is None else _HELD
    facts = None if ids is None else json.dumps(sorted(set(ids)))
    which = "" if facts is None else "f.fact_id IN (SELECT value FROM json_each(:facts)) AND "
    names = names_of(link)
    cited = _cited(link, held, seq, facts)
    last: Cited = (0, ())
    fact: Fact | None = None
    for row in link.stream(
        f"SELECT f.fact_id, f.retired_seq, t.text, {FACT_COLUMNS} "  # noqa: S608 - only our own words
        f"FROM facts AS f JOIN texts AS t ON t.hash = f.text "
        f"WHERE {which}{held.format('f')} AND {where} ORDER BY f.fact_id",
        {"seq": seq, "facts": facts, **(args or {})},
    ):
        id_ = row[0]
        while last[0] < id_ and (following := next(cited, None)) is not None:
            last = following
        spans = last[1] if last[0] == id_ else ()
        fact = fact_of(id_, row[3:], row[2], names, spans, beside=fact)
        yield id_, row[1], fact


def held_at(
    link: Connection, seq: int | None, ids: Iterable[int] | None = None
) -> list[tuple[int, int | None, Fact]]:
    """Facts as they stood at an entry (None: now), with the entry that retired them; ids ascending."""
    with uncollected():
        return list(_held(link, seq, ids))


def state(link: Connection, seq: int | None, namespace: str | None, *, packed: bool = False) -> State:
    """The active facts by id, or a table of them, and what became of the others."""
    where = "f.active = 1"
    args: dict[str, Any] = {}
    if namespace is not None:
        where, args = where + " AND f.namespace = :namespace", {"namespace": namespace}
    with uncollected():
        held = _held(link, seq, where=where, args=args)
        active = Table(fact for *_, fact in held) if packed else {id_: fact for id_, _, fact in held}
    last = int(link.value("SELECT MAX(fact_id) FROM facts") or 0)
    return State(active, retired(link, seq, namespace), last + 1)


def retired(link: Connection, seq: int | None = None, namespace: str | None = None) -> dict[int, Retirement]:
    """The facts that are not active, now or at an entry, with when and why."""
    snapshots = Snapshots(link)
    held = (_OPEN if seq is None else _HELD).format("f")
    return {
        row[0]: Retirement(snapshots.holding(row[1] or 0), row[2] or "", row[3])
        for row in link.stream(
            f"SELECT f.fact_id, f.retired_seq, f.retired_by, f.successor FROM facts AS f "  # noqa: S608 - only our own words
            f"WHERE {held} AND f.active = 0 AND (:namespace IS NULL OR f.namespace = :namespace) "
            "ORDER BY f.fact_id",
            {"seq": seq, "namespace": namespace},
        )
    }


def versions(link: Connection, fact: int) -> list[Version]:
    """Every version of a fact with its half-open range of entries, oldest first."""
    names = names_of(link)
    sources = link.all(
        "SELECT turn, start, stop, from_seq, to_seq FROM fact_sources WHERE fact = ? "
        "ORDER BY turn, start, stop",
        (fact,),
    )
    found: list[Version] = []
    for row in link.all(
        f"SELECT f.from_seq, f.to_seq, t.text, {FACT_COLUMNS} FROM facts AS f "  # noqa: S608 - only our own words
        "JOIN texts AS t ON t.hash = f.text WHERE f.fact_id = ? ORDER BY f.from_seq",
        (fact,),
    ):
        spans = tuple(
            Span(turn, start, stop)
            for turn, start, stop, since, until in sources
            if since <= row[0] and (until is None or until > row[0])
        )
        found.append((row[0], row[1], fact_of(fact, row[3:], row[2], names, spans)))
    return found


def histories(link: Connection, upto: int) -> dict[int, list[Version]]:
    """Every version of every fact that began by an entry, oldest first, by fact; in one walk."""
    with uncollected():
        names = names_of(link)
        cited: dict[int, list[tuple[int, int, int, int, int | None]]] = {}
        for fact, *span in link.stream(
            "SELECT fact, from_seq, turn, start, stop, to_seq FROM fact_sources WHERE from_seq <= ? "
            "ORDER BY fact, turn, start, stop",
            (upto,),
        ):
            cited.setdefault(fact, []).append((span[0], span[1], span[2], span[3], span[4]))
        found: dict[int, list[Version]] = {}
        for row in link.stream(
            f"SELECT f.fact_id, f.from_seq, f.to_seq, t.text, {FACT_COLUMNS} FROM facts AS f "  # noqa: S608 - only our own words
            "JOIN texts AS t ON t.hash = f.text WHERE f.from_seq <= ? ORDER BY f.fact_id, f.from_seq",
            (upto,),
        ):
            id_, seq, ended = row[:3]
            spans = tuple(
                Span(turn, start, stop)
                for since, turn, start, stop, until in cited.get(id_, ())
                if since <= seq and (until is None or until > seq)
            )
            version = fact_of(id_, row[4:], row[3], names, spans)
            found.setdefault(id_, []).append((seq, ended, version))
    return found


_STAND = ("active", "text", "subject", "namespace", "attribute", "block", "category", "pinned", "originals")


def steps(link: Connection, since: int) -> Iterator[Step]:
    """The facts with another stand than at an entry, or other turns behind them; sealed, not read; ids ascending."""
    names = names_of(link)
    touched = [
        row[0]
        for row in link.all(
            "SELECT fact FROM fact_sources WHERE from_seq > ?1 UNION SELECT fact FROM fact_sources WHERE to_seq > ?1",
            (since,),
        )
    ]
    wanted = json.dumps(touched)
    earlier, later = dict(_cited(link, _HELD, since, wanted)), dict(_cited(link, _OPEN, None, wanted))
    resourced = {fact for fact in touched if earlier.get(fact) != later.get(fact)}
    wanted = json.dumps(sorted(resourced))
    then, now = (", ".join(f"{version}.{column}" for column in _STAND) for version in "ab")
    for row in link.stream(
        f"SELECT b.fact_id, a.fact_id, {then}, {now} FROM facts AS b "  # noqa: S608 - only our own words
        "LEFT JOIN facts AS a ON a.fact_id = b.fact_id AND a.from_seq <= :since "
        "AND (a.to_seq IS NULL OR a.to_seq > :since) "
        "WHERE b.from_seq > :since AND b.to_seq IS NULL AND "
        f"(a.fact_id IS NULL OR ({then}) IS NOT ({now}) OR "
        "b.fact_id IN (SELECT value FROM json_each(:resourced))) ORDER BY b.fact_id",
        {"since": since, "resourced": wanted},
    ):
        yield Step(
            None if row[1] is None else _stand(row[0], row[2 : 2 + len(_STAND)], names),
            _stand(row[0], row[2 + len(_STAND) :], names),
            row[0] in resourced,
        )


def _stand(fact: int, values: Sequence[Any], names: Mapping[str, str]) -> Stand:
    active, text, subject, namespace, attribute, block, category, pinned, originals = values
    whose = "user" if subject is None else names.get(subject, ERASED)
    return Stand(
        fact, bool(active), text, whose, namespace, attribute, block, category, bool(pinned), originals
    )


def links(link: Connection, fact: int) -> list[tuple[int, Link]]:
    """The lineage that names a fact as child or parent, with the entry that set it, oldest first."""
    return [
        (row[0], Link(row[1], row[2], row[3]))
        for row in link.all(
            "SELECT mutation, child, parent, role FROM lineage WHERE child = ?1 OR parent = ?1 "
            "ORDER BY mutation, child, parent, role",
            (fact,),
        )
    ]


def lineage(link: Connection, facts: Iterable[int]) -> list[tuple[int, Link]]:
    """The lineage of many facts as children, with the entries that set it, oldest first."""
    wanted = json.dumps(sorted(set(facts)))
    return [
        (row[0], Link(row[1], row[2], row[3]))
        for row in link.all(
            "SELECT mutation, child, parent, role FROM lineage "
            "WHERE child IN (SELECT value FROM json_each(?)) ORDER BY mutation, child, parent, role",
            (wanted,),
        )
    ]


def by_turns(link: Connection, turns: Iterable[int]) -> dict[int, list[int]]:
    """The facts that rest on turns now, by turn."""
    wanted = json.dumps(sorted(set(turns)))
    found: dict[int, list[int]] = {}
    for turn, fact in link.all(
        "SELECT DISTINCT turn, fact FROM fact_sources WHERE turn IN (SELECT value FROM json_each(?)) "
        "AND to_seq IS NULL ORDER BY turn, fact",
        (wanted,),
    ):
        found.setdefault(turn, []).append(fact)
    return found


def sources_of(link: Connection, facts: Iterable[int]) -> Mapping[int, Sequence[Span]]:
    """The spans that facts rest on now, by fact."""
    return dict(_cited(link, _OPEN, None, json.dumps(sorted(set(facts)))))
