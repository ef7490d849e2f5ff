"""A hundred sessions in thirty days: how many memories stay in sight under each law, and how fast recall answers."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from time import perf_counter

from nocturne.app.recall import Query
from nocturne.app.simulation.grid import Claim, Grid, Series
from nocturne.app.simulation.lab import START, Lab, Mind
from nocturne.app.simulation.script import Script, Size
from nocturne.core.facts import DAY, HOUR
from nocturne.core.policy import PassName, Policy, Strength
from nocturne.core.strength import Law

LAWS: tuple[Law, ...] = ("none", "hyperbolic", "linear", "exponential")
FULL = Size(days=100, updates=5, repeats=5, sightings=35, patterns=15, singles=60, services=40, people=40)
QUICK = Size(days=9, updates=2, repeats=2, sightings=8, patterns=4, singles=8, services=6, people=6)
LOOKED_UP, TIMED = 5, 60
CLAIMED_ALL, CLAIMED_ACTIVE, CLAIMED_MS = 12_000, 800, 100
DAYS = 30


def store_size(lab: Lab, seed: int, *, quick: bool = False) -> Grid:
    """Every law hears the same sessions; they lie evenly over thirty days."""
    size = QUICK if quick else FULL
    script = Script(seed, size)
    step = DAYS * DAY // size.days
    minds = {
        law: Mind(lab, law, Policy(strength=Strength(law=law), loss_budget=1.0, passes=_passes(law)))
        for law in LAWS
    }
    curves: dict[str, list[tuple[float, float]]] = {law: [] for law in LAWS}
    every = max(1, size.days // 10)
    last_night = dict.fromkeys(LAWS, START)
    for session, said in enumerate(script.days(), start=1):
        at = START + session * step
        lookups = script.wondered(LOOKED_UP)
        for law, mind in minds.items():
            mind.hear(session, said, at)
            mind.looks_up(lookups, at + HOUR)
            if at + 2 * HOUR - last_night[law] >= DAY or session == size.days:
                last_night[law] = at + 2 * HOUR
                mind.sleep(last_night[law])
            if session % every == 0 or session == size.days:
                curves[law].append((float(session), float(mind.seen(at + 3 * HOUR)[1])))
        lab.tell(f"session {session} of {size.days}")
    end = START + size.days * step + 3 * HOUR
    questions = [question.text for question in script.questions(TIMED // 2)]
    rows = []
    worst: dict[str, float] = {}
    for law, mind in minds.items():
        facts, shown = mind.seen(end)
        times = _times(mind, questions, end)
        worst[law] = max(times)
        told = [f"{int(shown_then):,}" for _, shown_then in curves[law][:: max(1, len(curves[law]) // 4)]]
        rows.append(
            (
                law,
                f"{len(facts):,}",
                f"{shown:,}",
                " → ".join(told),
                f"{median(times):.1f}",
                f"{max(times):.1f}",
            )
        )
    return Grid(
        name="store-size",
        task=(
            f"{size.days} sessions in {DAYS} days, a sleep a day. Counted are active facts and those strong enough "
            "for recall to show. Under no decay nothing is forgotten either. Times are this machine's."
        ),
        seed=seed,
        parameters=(
            ("entries", f"{size.total:,}"),
            ("sessions", str(size.days)),
            ("recalls a session", str(LOOKED_UP)),
            ("timed queries", str(len(questions))),
        ),
        columns=("law", "active", "visible", "visible over time", "median ms", "worst ms"),
        rows=tuple(rows),
        claims=_claims({law: int(points[-1][1]) for law, points in curves.items()}, worst["hyperbolic"]),
        series=tuple(Series(law, tuple(points)) for law, points in curves.items()),
        x="session",
        y="visible facts",
    )


def _claims(shown: Mapping[str, int], worst: float) -> tuple[Claim, ...]:
    none, curved, steep = shown["none"], shown["hyperbolic"], shown["exponential"]
    near = any(abs(count - CLAIMED_ACTIVE) <= 0.2 * CLAIMED_ACTIVE for count in (curved, steep))
    return (
        Claim(
            "entries without decay",
            f"{CLAIMED_ALL:,}",
            f"{none:,}",
            abs(none - CLAIMED_ALL) <= 0.1 * CLAIMED_ALL,
        ),
        Claim(
            "active entries with decay",
            f"about {CLAIMED_ACTIVE}",
            f"{curved:,} hyperbolic, {steep:,} exponential",
            near,
        ),
        Claim("recall", f"under {CLAIMED_MS} ms", f"{worst:.1f} ms at worst", worst < CLAIMED_MS),
    )


def _passes(law: Law) -> tuple[PassName, ...]:
    passes = Policy().passes
    return tuple(name for name in passes if name != "forget") if law == "none" else passes


def _times(mind: Mind, questions: list[str], now: int) -> list[float]:
    """Milliseconds of each query, after one that warms the caches."""
    reader = mind.reader(now)
    reader.find(Query(questions[0]))
    times = []
    for text in questions:
        began = perf_counter()
        reader.find(Query(text))
        times.append((perf_counter() - began) * 1_000)
    return times
