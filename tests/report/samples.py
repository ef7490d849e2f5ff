"""Results made by hand, of every shape that a report must show: the goldens are drawn from these."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from nocturne.app.compare import Comparison, Difference
from nocturne.app.ingest import FileReport, IngestReport
from nocturne.app.lineage import Ancestor, Lineage, Quote
from nocturne.app.listing import Listed
from nocturne.app.ports import MutationRow, SnapshotInfo
from nocturne.app.restoring import Restored
from nocturne.app.sleep import PassReport, SleepReport
from nocturne.core.facts import DAY, Change, Fact, Span, State, Turn
from nocturne.core.policy import Policy
from nocturne.core.proposals import Drop, Forget, Merge
from nocturne.core.verdicts import Accepted, Refused, Ruling
from nocturne.errors import InputUnreadable


def at(text: str) -> int:
    """Microseconds of an ISO time."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 1_000_000


SAID = at("2026-01-06T08:12:00")
NOW = at("2026-03-19T02:00:00")


def fact(number: int, text: str, **changes: Any) -> Fact:
    base = Fact(
        id=number,
        text=text,
        block="scratch",
        category="fact",
        recorded_at=NOW - DAY,
        said_at=SAID,
        sources=(Span(number, 0, len(text)),),
    )
    return replace(base, **changes)


HOME = fact(3, "The user lives in Lisbon, Portugal.", category="identity")
STACK = fact(
    12,
    "The user's stack is Airflow and Postgres 16.2 on backup-01 (port 5433), and what is more it is a text "
    "that needs a second line.",
    block="human",
    originals=2,
)
DENTIST = fact(
    8, "The user had a dentist appointment on 5 January.", block="episodes", category="event",
    occurred_at=at("2026-01-05T00:00:00"), occurred_grain="day",
)  # fmt: skip
FLAT = fact(33, "The flat is five minutes from the user's sister's.")
WORK = fact(5, "The user works at Northwind.", category="identity", attribute="employer", block="human")
CJK = fact(
    21,
    "ユーザーは東京に住んでいて、毎朝川沿いを走ってから仕事を始めるのが好きだと言っていました。",
    block="human",
)
HOSTILE = fact(
    22, "The user's \x1b[31mred\x1b[0m [bold]flag[/bold] \u202e.exe", trust=40, quarantined_by="imperative"
)

MERGED = MutationRow(
    seq=61, snapshot=8, pass_name="merge", kind="merge", fact=12,
    refs={"into": 12, "sources": [31]}, origin="model", accepted=True, code=None, rule="merge:composed",
    reason="one stack", evidence={}, at=NOW,
)  # fmt: skip


def row(**changes: Any) -> MutationRow:
    return replace(MERGED, **changes)


STALE = row(
    seq=70, snapshot=14, pass_name="forget", kind="forget", fact=8, refs={"fact": 8}, rule="forget:stale",
    evidence={"age_days": "70/1", "limit_days": 60},
)  # fmt: skip
ENDED = row(
    seq=66, snapshot=6, pass_name="contradict", kind="contradict", fact=5, refs={"old": 5, "new": 27},
    rule="superseded",
    evidence={"attribute": "employer", "strength_before": "1.000000", "strength_after": "0.439122"},
)  # fmt: skip
MOVED = row(
    seq=64, snapshot=10, pass_name="promote", kind="promote", fact=3, refs={"fact": 3, "to_block": "human"},
    origin="engine", rule="promote:identity", evidence={"from": "scratch", "to": "human"},
)  # fmt: skip
DROPPED = row(
    seq=62, snapshot=4, pass_name="dedupe", kind="drop", fact=17, refs={"fact": 17, "duplicate_of": 4},
    rule="duplicate",
)  # fmt: skip
ENCODED = row(
    seq=5, snapshot=1, pass_name="encode", kind="encode", fact=31, refs={"turns": [97]}, rule="traceable"
)
POLARITY = row(
    seq=63, snapshot=4, pass_name="dedupe", kind="drop", refs={"fact": 17, "duplicate_of": 4}, accepted=False,
    code="N203", rule=None, evidence={"before": "does not eat meat", "after": "eats meat"},
)  # fmt: skip


def info(number: int, label: str, active: int, **changes: Any) -> SnapshotInfo:
    base = SnapshotInfo(
        number=number, seq=number * 4, label=label, command="nocturne sleep", policy="default", at=NOW,
        active=active, digest="9f3c" * 16,
    )  # fmt: skip
    return replace(base, **changes)


INGESTED = info(1, "ingest", 44, command="nocturne ingest conversation", at=NOW - DAY, counts={"encode": 44})
LOG = (
    info(4, "pass:dedupe:after", 34, counts={"drop": 10, "refused": 2}),
    info(3, "pass:dedupe:before", 44),
    info(2, "consolidation:start", 44),
    INGESTED,
    info(0, "created", 0, command="nocturne ingest conversation", at=NOW - DAY, policy=None),
)

COMPARISON = Comparison(
    older=info(2, "consolidation:start", 44),
    newer=info(14, "pass:forget:after", 30),
    differences=(
        Difference("forgotten", DENTIST, replace(DENTIST, active=False, retired_by="forget:stale"), (STALE,)),
        Difference(
            "superseded", WORK,
            replace(
                WORK, active=False, retired_by="contradict", successor=27,
                valid_until=at("2026-03-02T00:00:00"),
            ),
            (ENDED,),
        ),
        Difference("changed", HOME, replace(HOME, block="human"), (MOVED,)),
        Difference("changed", FLAT, replace(FLAT, block="human"), (replace(MOVED, origin="model", fact=33),)),
        Difference("changed", fact(12, "My stack is Airflow and Postgres."), STACK, (MERGED,)),
        Difference(
            "absorbed", fact(17, "The user prefers short answers."),
            fact(17, "The user prefers short answers.", active=False, retired_by="dedupe", successor=4),
            (DROPPED,),
        ),
        Difference("added", None, CJK, ()),
    ),
    refused=(POLARITY,),
    kept=29,
    successors={27: fact(27, "The user now works at Contoso.")},
)  # fmt: skip

TURN = Turn(
    id=97, source=1, native_id="pipeline-03", offset=0, position=3, session="pipeline", speaker="Dana",
    provenance="human", said_at=at("2026-01-21T18:40:00"),
    text="Back again, as promised. Postgres 16.2 runs on backup-01, port 5433. The nightly import takes 40 "
    "minutes and that is far too long for everybody who waits.",
)  # fmt: skip
LINEAGE = Lineage(
    tree=Ancestor(
        STACK, MERGED,
        (row(kind="promote", snapshot=10, pass_name="promote", evidence={"from": "scratch", "to": "human"}),),
        parents=(
            Ancestor(fact(12, "My stack is Airflow and Postgres."), replace(ENCODED, refs={"turns": [41]})),
            Ancestor(
                fact(31, "Postgres 16.2 runs on backup-01, port 5433."), ENCODED,
                quotes=(Quote(TURN, Span(97, 25, 68)),),
            ),
        ),
    ),
    descendants=(("evidence", fact(40, "The user runs Postgres everywhere.", block="schemas")),),
    refused=(POLARITY,),
)  # fmt: skip

LISTED = (
    Listed(replace(HOME, block="human", pinned=True), 1.0, stale=False, faded=False),
    Listed(
        replace(WORK, active=False, retired_by="contradict", successor=27), 0.44, stale=False, faded=False
    ),
    Listed(CJK, 0.9, stale=False, faded=False),
    Listed(DENTIST, 0.06, stale=True, faded=True),
    Listed(HOSTILE, 0.5, stale=False, faded=False),
)

RESTORED = Restored(
    to=info(2, "consolidation:start", 44),
    snapshot=15,
    changes=(Change(HOME, HOME),),
    skipped=(WORK,),
    active=43,
)


def _ruled(pass_name: str, verdict: Accepted | Refused, *changes: Change) -> Ruling:
    return Ruling(pass_name, "model", verdict, changes=changes)


_DROP = Drop(fact=17, duplicate_of=4, reason="the same")
_FORGET = Forget(fact=8, reason="old")
_MERGE = Merge(into=22, sources=(30,), reason="one")
_TOO_MUCH = {"would_lose": 12, "of": 44, "allowed": 11, "budget": "1/4"}
_PASSES = (
    PassReport(
        "dedupe", 44, 11, 9, 2, 1, 34, (3, 4), refusals={"N203": 2},
        rulings=(
            _ruled("dedupe", Accepted(_DROP, "duplicate")),
            _ruled("dedupe", Refused(_DROP, "N203", {"before": "does not eat meat", "after": "eats meat"})),
            _ruled("dedupe", Refused(_DROP, "N203", {})),
        ),
    ),
    PassReport("contradict", 34, 0, 0, 0, 0, 34, (5, 6)),
    PassReport(
        "merge", 34, 1, 0, 1, 0, 34, (7, 8), refusals={"N221": 1},
        rulings=(_ruled("merge", Refused(_MERGE, "N221", {"lost": ["5433"]})),),
    ),
    PassReport(
        "forget", 34, 1, 1, 0, 0, 33, (9, 10),
        rulings=(
            _ruled(
                "forget", Accepted(_FORGET, "forget:stale"),
                Change(DENTIST, replace(DENTIST, active=False, retired_by="forget:stale")),
            ),
        ),
    ),
)  # fmt: skip


def _state(count: int) -> State:
    return State({number: fact(number, f"Fact {number}.") for number in range(1, count + 1)})


SLEEP = SleepReport(
    policy=Policy(),
    proposer="rules",
    dry_run=False,
    passes=_PASSES,
    found=44,
    after=_state(33),
    start=2,
    end=10,
    forgotten=(replace(DENTIST, active=False, retired_by="forget:stale"),),
    faded=(3, 4),
)
DRY = replace(
    SLEEP, dry_run=True, start=None, end=None, passes=tuple(replace(p, snapshots=None) for p in _PASSES)
)
QUIET = SleepReport(
    Policy(), "rules", dry_run=False, passes=(), found=3, after=_state(3), unchanged_since=18
)
HELD_BACK = replace(
    SLEEP,
    proposer="openai gpt-x",
    forgotten=(),
    faded=(),
    shortfall=2,
    passes=(
        *_PASSES[:3],
        PassReport(
            "forget", 34, 12, 0, 12, 0, 34, (9, 10), withheld="N306", not_asked=3,
            refusals={"N306": 1}, would_lose=_TOO_MUCH,
            rulings=(_ruled("forget", Refused(_FORGET, "N306", _TOO_MUCH)),),
        ),
    ),
)  # fmt: skip

INGEST = IngestReport(
    files=[
        FileReport("/home/dana/a.jsonl", "claude-code", {"human": 3}, 0, {}),
        FileReport("/home/dana/b.jsonl", "claude-code", {}, 7, {}, unchanged=True),
        FileReport(
            "/home/dana/c.bin", "", {}, 0, {},
            failed=InputUnreadable("c.bin: is binary, not a transcript", hint="nocturne ingest --help"),
        ),
    ],
    turns=Counter({"tool": 3402, "assistant": 540, "human": 61}),
    known=7,
    skipped=Counter({"unknown type bridge-session": 2, "malformed: not JSON": 1}),
    notes=Counter({"time without zone": 2, "unreadable time": 1}),
    proposed=48,
    accepted=44,
    refusals=Counter({"N101": 2, "N205": 1, "N212": 1}),
    refused_words={"N101": Counter({"prefer": 1, "run": 1})},
    secrets=Counter({"api-key": 1}),
    secret_places=["b25638d7.jsonl turn 88"],
    cleaned=Counter({"control character": 4}),
    artefacts=Counter({"export": 1}),
    facts=[HOME],
    snapshot=1,
    stale_tonight=3,
    proposer="rules",
)  # fmt: skip
INGEST_QUIET = IngestReport(
    files=[FileReport("/home/dana/a.jsonl", "native", {}, 3, {}, unchanged=True)], known=3, unchanged_since=4
)
