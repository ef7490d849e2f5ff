"""The goals that whole stores and processes are measured for, each a generator of table rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.bench import nights, recalls, startup, versions, year
from tests.bench.child import measured
from tests.bench.outcome import Outcome, milliseconds, times
from tests.bench.sizes import Sizes

EDITS = 50
"""Changes before each of the nine snapshots."""
CHANGES = 500
"""Changes of the one snapshot whose difference is told in a small and a huge store."""
A_NIGHT = 8
"""New facts a day in the year."""
UNNOTICED = 0.05
"""Seconds that nobody notices beside a command's start."""
GIB = 1024
"""Megabytes."""
LARGE, MILLION = 100_000, 1_000_000
"""Sizes for which the goals are set."""


def dedupes_whole(sizes: Sizes) -> Iterator[Outcome]:
    """Goal 5: the dedupe pass from reading the store to its commit, beside fetching the same rows."""
    count = sizes.stores.large
    path = sizes.store(count)
    plain = measured(nights.selected, path=path)
    found = measured(nights.deduped, path=path)
    ruled = f"{found['accepted']:,} dropped, {found['refused']:,} refused"
    for what, seconds, note in (
        ("dedupe pass, first night", found["seconds"], f"brief, gates and commit; {ruled}"),
        (
            "dedupe pass, nothing new",
            found["quiet"],
            "nothing written" if found["unchanged"] else "NOT quiet: something was written",
        ),
    ):
        yield Outcome(
            5,
            f"{what}, {count:,} facts",
            milliseconds(seconds),
            f"SELECT {milliseconds(plain['seconds'])}",
            times(seconds, plain["seconds"]),
            "≤ 8×",
            seconds <= 8 * plain["seconds"],
            _told(note, count, LARGE),
        )


def versions_cost_what_changed(sizes: Sizes) -> Iterator[Outcome]:
    """Goal 8: nine snapshots with edits, their bytes, a diff and a restore, beside nine copies of the table."""
    count = sizes.stores.large
    edits = min(EDITS, count // versions.SNAPSHOTS)
    path = sizes.store(count)
    mine = measured(versions.ours, path=path, count=count, edits=edits)
    theirs = measured(versions.copies, path=path, count=count, edits=edits)
    same = mine["exact"] and mine["differences"] == theirs["differences"]
    among = f"{count:,} facts, {edits} edits a snapshot"
    differ = f"{mine['differences']:,} facts differ"
    for what, key, peer, aim, note in (
        ("nine snapshots with edits", "seconds", "seconds", 10, "edits included on both sides"),
        ("diff of the first and the ninth", "diff", "diff", 30, f"{differ}, as they stood at both"),
        ("the same with reasons", "told", "diff", 30, "what nocturne diff reads; copies have none to read"),
        (
            "restore of the first or the ninth",
            "restore",
            "restore",
            5,
            "the state digest is the first's again",
        ),
    ):
        yield Outcome(
            8,
            f"{what}, {among}",
            milliseconds(mine[key]),
            f"copies {milliseconds(theirs[peer])}",
            times(theirs[peer], mine[key]),
            f"≥ {aim}×",
            same and theirs[peer] >= aim * mine[key],
            _told(note if same else "NOT the same result", count, LARGE),
        )
    an_edit = mine["bytes"] / (edits * versions.SNAPSHOTS)
    yield Outcome(
        8,
        f"bytes of nine snapshots, {among}",
        f"{mine['bytes'] / 1e6:.2f} MB",
        f"copies {theirs['bytes'] / 1e6:,.1f} MB",
        times(theirs["bytes"], mine["bytes"]),
        "≥ 200×",
        theirs["bytes"] >= 200 * mine["bytes"],
        _told(f"pages in use; {an_edit:,.0f} bytes an edit, index and record included", count, LARGE),
    )


def diffs_alike(sizes: Sizes) -> Iterator[Outcome]:
    """Goal 9: the same number of changes, told in a small and in a huge store."""
    small, huge = sizes.stores.small, sizes.stores.huge
    changes = min(CHANGES, small // 2)
    few, many = (
        measured(versions.diffed, path=sizes.store(count), count=count, edits=changes)
        for count in (small, huge)
    )
    yield Outcome(
        9,
        f"diff of {changes:,} changes, {huge:,} facts against {small:,}",
        milliseconds(many["seconds"]),
        f"{milliseconds(few['seconds'])} at {small:,}",
        times(many["seconds"], few["seconds"]),
        "≤ 3×",
        few["differences"] == many["differences"] == changes and many["seconds"] <= 3 * few["seconds"],
        _told("", huge, MILLION),
    )


def _told(note: str, count: int, wanted: int) -> str:
    """The note, and that the goal is set for a larger store where this one is smaller."""
    return note if count >= wanted else "; ".join(filter(None, (note, f"the goal's size is {wanted:,}")))


def starts_fast(sizes: Sizes) -> Iterator[Outcome]:
    """Goal 11: ``--help`` beside the import of typer and rich, and what it loads."""
    found = measured(startup.helped, runs=sizes.stores.starts)
    yield Outcome(
        11,
        "nocturne --help, a process",
        milliseconds(found["ours"]),
        f'"{startup.PEER}" {milliseconds(found["peer"])}',
        times(found["ours"], found["peer"]),
        "≤ 2×",
        found["ours"] <= 2 * found["peer"],
        f"medians of {sizes.stores.starts} interleaved runs",
    )
    yield Outcome(
        11,
        "heavy packages that nocturne --help loads",
        ", ".join(found["heavy"]) or "none",
        "–",
        "–",
        "no numpy, scikit-learn, httpx",
        not found["heavy"],
        f"{found['modules']:,} modules loaded in all, by -X importtime",
    )


def recalls_fast(sizes: Sizes) -> Iterator[Outcome]:
    """Goal 12: one recall from a shell, and the worst query, in the hugest store."""
    count, wanted = sizes.stores.huge, sizes.stores.queries
    path = sizes.store(count)
    queries = measured(recalls.drawn, path=path, count=count, wanted=wanted)["queries"]
    shot = measured(startup.recalled, path=path, queries=queries, runs=sizes.stores.starts)
    for what, key in (("nocturne recall", "ours"), ("nocturne recall --read-only", "read_only")):
        yield Outcome(
            12,
            f"{what}, a process, {count:,} facts",
            milliseconds(shot[key]),
            f"an empty sqlite3 process {milliseconds(shot['empty'])}",
            times(shot[key], shot["empty"]),
            "≤ 3×",
            shot[key] <= 3 * shot["empty"],
            _told(f"importing typer and rich alone: {milliseconds(shot['imports'])}", count, MILLION),
        )
    found = measured(recalls.answered, path=path, count=count, wanted=wanted)
    yield Outcome(
        12,
        f"worst of {wanted} queries, {count:,} facts",
        milliseconds(found["ours_worst"]),
        f"FTS5 OR {milliseconds(found['plain_worst'])}",
        times(found["plain_worst"], found["ours_worst"]),
        "≥ 5×",
        found["plain_worst"] >= 5 * found["ours_worst"],
        _told(
            f"medians {milliseconds(found['ours_median'])} and {milliseconds(found['plain_median'])}; both warm; "
            "ours ranks by strength too and delivers facts, the other ids",
            count,
            MILLION,
        ),
    )


def sleeps_whole(sizes: Sizes) -> Iterator[Outcome]:
    """Goal 13: the whole first night by the command, its time and its peak."""
    count = sizes.stores.large
    found = measured(nights.slept, path=sizes.store(count))
    yield Outcome(
        13,
        f"whole night by rules, {count:,} facts",
        _spent(found),
        "–",
        "–",
        "≤ 30 s, ≤ 1 GB",
        found["code"] == 0 and found["seconds"] <= 30 and found["peak_mb"] <= GIB,
        _told(_night_told(found), count, LARGE),
    )
    if sizes.stores.full:
        yield _hugest_night(sizes)


def _hugest_night(sizes: Sizes) -> Outcome:
    count = sizes.stores.huge
    what, aim = f"whole night by rules, {count:,} facts", "1,000,000 to the end, ≤ 1.5 GB"
    try:
        found = measured(nights.slept, path=sizes.store(count))
    except RuntimeError as error:
        return Outcome(13, what, "did not end", "–", "–", aim, held=False, note=str(error))
    ended = found["code"] == 0 and found["peak_mb"] <= 1.5 * GIB
    note = _told(_night_told(found), count, MILLION)
    return Outcome(13, what, _spent(found), "–", "–", aim, ended if count >= MILLION else None, note)


def _spent(found: dict[str, Any]) -> str:
    return f"{found['seconds']:.1f} s, {found['peak_mb']:,.0f} MB"


def _night_told(found: dict[str, Any]) -> str:
    told = ", ".join(f"{name} {accepted:,}+{refused:,}" for name, accepted, refused in found["rulings"])
    return f"exit {found['code']}; accepted+refused: {told}; {found['active']:,} facts left"


def years_stay_fast(sizes: Sizes) -> Iterator[Outcome]:
    """Not of the thirteen: what many nights leave behind, and how long the record takes to be read after them."""
    count, many = sizes.stores.nights_over, sizes.stores.nights
    found = measured(year.lived, path=sizes.store(count), nights=many, a_night=A_NIGHT)
    early, late = found["early"], found["late"]
    after = f"after {many} nights over {count:,} facts"
    yield Outcome(
        14,
        f"growth {after}",
        f"{found['a_night'] / 1e3:,.0f} kB a night",
        f"{found['a_night_early'] / 1e3:,.0f} kB in the first nights",
        times(found["a_night_late"], found["a_night_early"]),
        "for comparison",
        None,
        f"{A_NIGHT} new facts a day; the ratio is of the last nights to the first; {found['changed']} nights wrote, "
        f"{found['snapshots']:,} snapshots, {found['bytes'] / 1e6:,.1f} MB; "
        f"a night took {milliseconds(found['night_late'])}, at first {milliseconds(found['night_early'])}",
    )
    notes = {
        "log": f"{found['snapshots']:,} snapshots",
        "diff": f"{late['differences']} facts, then {early['differences']}",
        "why": f"of the most changed fact: {late['versions']} versions, then {early['versions']}",
        "audit": f"{found['facts']:,} facts, then {found['facts_early']:,}; all of them are traced",
    }
    for key, what in (
        ("log", "log"),
        ("diff", "diff of the last night"),
        ("why", "why"),
        ("audit", "audit --since the last night"),
    ):
        yield Outcome(
            14,
            f"{what} {after}",
            milliseconds(late[key]),
            f"{milliseconds(early[key])} after {year.FIRST} nights",
            times(late[key], early[key]),
            "≤ 3×, or under 50 ms",
            late[key] <= max(UNNOTICED, 3 * early[key]),
            notes[key],
        )
