"""What each pass does to 920 episodes: one night over a month of them, with one pass switched off at a time."""

from __future__ import annotations

from nocturne.app.simulation.grid import Claim, Grid, Series
from nocturne.app.simulation.lab import START, Lab, Mind, share
from nocturne.app.simulation.script import Script, Size
from nocturne.core.facts import DAY, HOUR, Fact
from nocturne.core.policy import PassName, Policy
from nocturne.core.text.measures import content

FULL = Size(days=30, updates=2, repeats=2, sightings=6, patterns=8, singles=12, services=3, people=2)
QUICK = Size(days=10, updates=1, repeats=1, sightings=2, patterns=6, singles=3, services=2, people=2)
LATER = 10
"""Days between the last episode and the night, so that decay has something to do."""
ASKED = 20
CLAIMED_SEMANTIC, CLAIMED_SCHEMAS, CLAIMED_LESS = 126, 130, 72


def ablation(lab: Lab, seed: int, *, quick: bool = False) -> Grid:
    """The whole night, the night without each pass, and no night at all, over the same episodes."""
    size = QUICK if quick else FULL
    passes = Policy().passes
    arms: dict[str, tuple[PassName, ...]] = {"all passes": passes}
    arms |= {f"without {name}": tuple(other for other in passes if other != name) for name in passes}
    script = Script(seed, size)
    days = list(script.days())
    questions = script.questions(ASKED)
    night = START + (size.days + LATER) * DAY
    rows = []
    counts: dict[str, tuple[int, int, int, int]] = {}
    for name, chosen in [*arms.items(), ("no night", ())]:
        lab.tell(name)
        mind = Mind(lab, name.replace(" ", "-"), Policy(passes=chosen, loss_budget=1.0))
        for day, said in enumerate(days):
            mind.hear(day, said, START + day * DAY + 9 * HOUR)
        before = _words(mind, list(mind.store.state().facts.values()))
        if chosen:
            for later in range(2):
                mind.sleep(night + later * DAY)
        facts, shown = mind.seen(night + 2 * DAY)
        semantic = sum(fact.layer == "semantic" for fact in facts)
        schemas = sum(fact.layer == "schema" for fact in facts)
        less = 100 - 100 * _words(mind, facts) // before
        counts[name] = (len(facts), semantic, schemas, less)
        right = mind.right(questions, night + 2 * DAY)
        rows.append(
            (name, f"{len(facts):,}", f"{shown:,}", str(semantic), str(schemas), f"{less}%", share(right))
        )
    whole = counts["all passes"]
    active = tuple((float(place), float(count[0])) for place, count in enumerate(counts.values()))
    return Grid(
        name="ablation",
        task=(
            f"{size.total} episodes of {size.days} days, two nights {LATER} days later. Counted are active and "
            "visible facts, schemas of both levels, how many words fewer the active set has, and questions whose "
            "first hit is right."
        ),
        seed=seed,
        parameters=(
            ("episodes", str(size.total)),
            ("policy", "default, radii .35 and .45"),
            ("questions", str(len(questions))),
        ),
        columns=("arm", "active", "visible", "semantic", "schema", "less", "right"),
        rows=tuple(rows),
        claims=(
            Claim(
                "semantic facts", str(CLAIMED_SEMANTIC), str(whole[1]), abs(whole[1] - CLAIMED_SEMANTIC) <= 13
            ),
            Claim("schemas", str(CLAIMED_SCHEMAS), str(whole[2]), abs(whole[2] - CLAIMED_SCHEMAS) <= 13),
            Claim(
                "less storage",
                f"{CLAIMED_LESS}%",
                f"{whole[3]}% fewer words",
                abs(whole[3] - CLAIMED_LESS) <= 7,
            ),
        ),
        series=(Series("active facts", active),),
        x="arm, in the order of the table",
        y="active facts",
    )


def _words(mind: Mind, facts: list[Fact]) -> int:
    return sum(len(content(fact.text, mind.lab.lexicon)) for fact in facts)
