"""What lies outside versions: strengths and the log of accesses, quiz runs, raw replies, drift."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nocturne.core.digest import ZERO, running_hash
from nocturne.core.facts import Activation
from nocturne.store.connection import Link
from nocturne.store.texts import Salts, sealed, word


@dataclass(frozen=True, slots=True)
class QuizRun:
    """The figures of one quiz; ``report`` is its JSON, which a purge can erase."""

    at: int
    snapshot: int
    asked: int
    recalled: int
    probed: int
    absent: int
    passed: bool
    report: str = ""
    baseline: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """One raw reply of a proposer, kept as it came; ``request`` is the hash of what was asked."""

    head: str
    pass_name: str
    batch: int
    request: str
    proposer: str
    text: str
    at: int


def running(link: Link, table: str) -> tuple[int, str]:
    """How many rows an append-only table has, and the hash that runs over them."""
    found = link.value("SELECT value FROM meta WHERE key = ?", (f"running:{table}",))
    if found is None:
        return 0, ZERO
    count, hash_ = str(found).split(" ")
    return int(count), hash_


def _extend(link: Link, table: str, rows: Iterable[Sequence[Any]]) -> None:
    """Run the table's hash over new rows, whose first column is their number."""
    count, hash_ = running(link, table)
    for row in rows:
        count += 1
        hash_ = running_hash(hash_, [table, *row])
    link.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (f"running:{table}", f"{count} {hash_}"))


def append_accesses(link: Link, rows: Sequence[Activation], *, kind: str, at: int) -> None:
    """Log accesses with the strengths that they left, and set those strengths."""
    if not rows:
        return
    first = running(link, "accesses")[0] + 1
    logged = [
        (number, at, kind, row.fact, row.base, row.last_access, row.spaced, row.labile_until)
        for number, row in enumerate(rows, start=first)
    ]
    link.many("INSERT INTO accesses VALUES (?, ?, ?, ?, ?, ?, ?, ?)", logged)
    link.many("INSERT OR REPLACE INTO activation VALUES (?, ?, ?, ?, ?)", (row[3:] for row in logged))
    _extend(link, "accesses", logged)


def activations(
    link: Link, facts: Iterable[int] | None = None, upto: int | None = None
) -> Mapping[int, Activation]:
    """The strengths that were ever set; a fact that is missing is as it was recorded.

    ``facts`` keeps to some; ``upto`` takes them from the log as they were at that time.
    """
    wanted = None if facts is None else json.dumps(sorted(set(facts)))
    some = "" if wanted is None else "fact IN (SELECT value FROM json_each(:facts))"
    columns = "fact, base, last_access, spaced, labile_until"
    if upto is None:
        where = f" WHERE {some}" if some else ""
        rows = link.stream(f"SELECT {columns} FROM activation{where}", {"facts": wanted})  # noqa: S608 - our own words
    else:
        where = f"{some} AND " if some else ""
        rows = link.stream(
            f"SELECT {columns} FROM accesses WHERE {where}at <= :upto ORDER BY id",  # noqa: S608 - our own words
            {"facts": wanted, "upto": upto},
        )
    return {row[0]: Activation(*row) for row in rows}


def touches(link: Link, upto: int) -> list[tuple[int, Activation]]:
    """Every strength that was set up to a time, with when, in the order of the log."""
    return [
        (row[0], Activation(*row[1:]))
        for row in link.stream(
            "SELECT at, fact, base, last_access, spaced, labile_until FROM accesses WHERE at <= ? ORDER BY id",
            (upto,),
        )
    ]


def labile(link: Link, at: int) -> dict[int, int]:
    """The facts whose window is open at a time, with where it ends; ids ascending."""
    return dict(
        link.all("SELECT fact, labile_until FROM activation WHERE labile_until >= ? ORDER BY fact", (at,))
    )


def windows(link: Link) -> dict[int, list[tuple[int, int]]]:
    """For each fact the windows that its retrievals opened, oldest first; one that had to close ends there."""
    found: dict[int, list[tuple[int, int]]] = {}
    for fact, at, kind, until in link.stream(
        "SELECT fact, at, kind, labile_until FROM accesses "
        "WHERE kind = 'retrieved' AND labile_until NOT NULL OR kind = 'closed' ORDER BY id"
    ):
        if kind == "closed":
            found[fact] = [(since, min(end, at)) for since, end in found.get(fact, ())]
        else:
            found.setdefault(fact, []).append((at, until))
    return found


def append_quiz(link: Link, run: QuizRun) -> int:
    """Keep a quiz run; returns its number."""
    report = None
    if run.report:
        row = sealed(Salts(), run.report)
        link.run("INSERT INTO texts (hash, salt, text) VALUES (?, ?, ?)", row)
        report = row[0]
    number = running(link, "quiz_runs")[0] + 1
    kept = (
        number, run.at, run.snapshot, run.baseline, run.asked, run.recalled, run.probed, run.absent,
        int(run.passed), report,
    )  # fmt: skip
    link.run("INSERT INTO quiz_runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", kept)
    _extend(link, "quiz_runs", [kept])
    return number


def quizzes(link: Link) -> list[QuizRun]:
    """The quiz runs, oldest first."""
    return [
        QuizRun(
            at, snapshot, asked, recalled, probed, absent, passed == 1, word(link, report) or "", baseline
        )
        for at, snapshot, baseline, asked, recalled, probed, absent, passed, report in link.all(
            "SELECT at, snapshot, baseline, asked, recalled, probed, absent, passed, report FROM quiz_runs "
            "ORDER BY id"
        )
    ]


def append_reply(link: Link, reply: Reply) -> None:
    """Keep a raw reply as it came."""
    row = sealed(Salts(), reply.text)
    link.run("INSERT INTO texts (hash, salt, text) VALUES (?, ?, ?)", row)
    link.run(
        "INSERT INTO journal (head, pass, batch, request, proposer, reply, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (reply.head, reply.pass_name, reply.batch, reply.request, reply.proposer, row[0], reply.at),
    )


def replies(link: Link, *, head: str | None = None, request: str | None = None) -> list[Reply]:
    """The replies kept for a head or a request, oldest first; purged ones are left out."""
    return [
        Reply(*row)
        for row in link.all(
            "SELECT j.head, j.pass, j.batch, j.request, j.proposer, t.text, j.at FROM journal AS j "
            "JOIN texts AS t ON t.hash = j.reply WHERE t.text NOT NULL AND (?1 IS NULL OR j.head = ?1) "
            "AND (?2 IS NULL OR j.request = ?2) ORDER BY j.id",
            (head, request),
        )
    ]


def drift(link: Link) -> dict[int, dict[str, int]]:
    """The weights of topics (millionths) by snapshot, oldest first."""
    found: dict[int, dict[str, int]] = {}
    for snapshot, topic, weight in link.all(
        "SELECT snapshot, topic, weight FROM drift ORDER BY snapshot, topic"
    ):
        found.setdefault(snapshot, {})[topic] = weight
    return found
