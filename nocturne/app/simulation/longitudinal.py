"""Ninety days and some 16,000 memories: under what regime does memory still answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from nocturne.app.simulation.grid import Claim, Grid, Series
from nocturne.app.simulation.lab import START, Lab, Mind, has, share
from nocturne.app.simulation.script import PATTERNS, Question, Script, Size, Statement
from nocturne.core.facts import DAY, HOUR
from nocturne.core.policy import Policy, Strength
from nocturne.core.retrieval import okapi
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.text.measures import content

FULL = Size(days=90, updates=8, repeats=6, sightings=50, patterns=12, singles=100, services=40, people=40)
QUICK = Size(days=9, updates=3, repeats=2, sightings=12, patterns=4, singles=8, services=8, people=8)
ASKED = 60
"""Questions on attributes, and as many on sightings, at every checkpoint."""
LOOKED_UP = 10
"""Recalls a day, recorded."""
CLAIMED_FULL, CLAIMED_NONE = 33, 9

BASE = Policy()
_ALL = BASE.passes
ARMS: Mapping[str, Policy] = {
    "full system": BASE,
    "no decay": replace(
        BASE, strength=Strength(law="none"), passes=tuple(name for name in _ALL if name != "forget")
    ),
    "exponential law": replace(BASE, strength=Strength(law="exponential")),
    "linear stability": replace(BASE, strength=Strength(law="linear")),
    "no contradiction": replace(BASE, passes=tuple(name for name in _ALL if name != "contradict")),
    "no schemas": replace(BASE, passes=tuple(name for name in _ALL if name != "schematise")),
}
RAW = "raw turns"
Answers = tuple[list[bool], list[bool]]
"""Which answers on attributes were right, and which on sightings."""


def longitudinal(lab: Lab, seed: int, *, quick: bool = False) -> Grid:
    """All arms hear the same days; each sleeps every night and is asked the same questions at each checkpoint."""
    size = QUICK if quick else FULL
    checkpoints = [size.days // 3, 2 * size.days // 3, size.days]
    script = Script(seed, size)
    minds = {name: Mind(lab, name.replace(" ", "-"), policy) for name, policy in ARMS.items()}
    raw = Raw(lab.lexicon)
    right: dict[str, dict[int, Answers]] = defaultdict(dict)
    for day, said in enumerate(script.days()):
        at = START + day * DAY + 9 * HOUR
        lookups = script.wondered(LOOKED_UP)
        raw.hear(said)
        for mind in minds.values():
            mind.hear(day, said, at)
            mind.looks_up(lookups, at + 8 * HOUR)
            mind.sleep(at + 17 * HOUR)
        lab.tell(f"day {day + 1} of {size.days}")
        if day + 1 in checkpoints:
            questions = script.questions(ASKED)
            now = START + (day + 1) * DAY + 9 * HOUR
            for name, mind in minds.items():
                right[name][day + 1] = _split(questions, mind.right(questions, now))
            right[RAW][day + 1] = _split(questions, raw.right(questions))
    end = START + size.days * DAY + 9 * HOUR
    rows = []
    for name in (*minds, RAW):
        overall = [share(a + b) for a, b in right[name].values()]
        attributes, sightings = right[name][checkpoints[-1]]
        held = _held(minds.get(name), end, raw)
        rows.append((name, *overall, share(attributes), share(sightings), *held))
    return Grid(
        name="longitudinal",
        task=(
            "A person says what changes (ports, versions, homes, employers), what repeats and what happens once. "
            f"Every night is slept. At three checkpoints {2 * ASKED} questions ask for the latest value: half on "
            "attributes, half on sightings. The first hit counts."
        ),
        seed=seed,
        parameters=_parameters(size),
        columns=(
            "arm", *(f"day {day}" for day in checkpoints), "attributes", "sightings", "active", "visible", "schemas",
        ),
        rows=tuple(rows),
        claims=_claims(right, checkpoints[-1], size),
        series=tuple(
            Series(name, tuple((float(day), _percent(a + b)) for day, (a, b) in days.items()))
            for name, days in right.items()
        ),
        x="day",
        y="right, %",
    )  # fmt: skip


def _parameters(size: Size) -> tuple[tuple[str, str], ...]:
    daily = (
        f"{size.updates} changes, {size.repeats} repetitions, {size.sightings} sightings, "
        f"{size.patterns} of {len(PATTERNS)} patterns, {size.singles} single events, {LOOKED_UP} recalls"
    )
    return (
        ("memories", f"{size.total:,}"),
        ("days", str(size.days)),
        ("a day", daily),
        ("policy", "default; each arm changes what its name says, no decay also forgets nothing"),
    )


def _claims(right: Mapping[str, Mapping[int, Answers]], last: int, size: Size) -> tuple[Claim, ...]:
    full, none = (_percent([*a, *b]) for a, b in (right[name][last] for name in ("full system", "no decay")))
    claimed = CLAIMED_FULL / CLAIMED_NONE
    return (
        Claim(
            f"full system after {size.total:,} memories",
            f"{CLAIMED_FULL}%",
            f"{full:.0f}%",
            abs(full - CLAIMED_FULL) <= 5,
        ),
        Claim("without forgetting", f"{CLAIMED_NONE}%", f"{none:.0f}%", abs(none - CLAIMED_NONE) <= 5),
        Claim(
            "forgetting against none",
            f"{claimed:.1f}×",
            f"{full / none:.1f}×" if none else "no answer right without",
            bool(none) and abs(full / none - claimed) <= 0.5,
        ),
    )


def _split(questions: Sequence[Question], answers: Sequence[bool]) -> Answers:
    pairs = list(zip(questions, answers, strict=True))
    return (
        [right for question, right in pairs if question.key[0] != "seen"],
        [right for question, right in pairs if question.key[0] == "seen"],
    )


def _percent(right: Sequence[bool]) -> float:
    return 100 * sum(right) / len(right) if right else 0.0


def _held(mind: Mind | None, now: int, raw: Raw) -> tuple[str, str, str]:
    if mind is None:
        return f"{len(raw.texts):,}", f"{len(raw.texts):,}", "–"
    facts, shown = mind.seen(now)
    return f"{len(facts):,}", f"{shown:,}", str(sum(fact.block == "schemas" for fact in facts))


class Raw:
    """Retrieval by BM25 over every turn ever said; of equals the latest, which is the best it could do."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.texts: list[str] = []
        self._lexicon = lexicon
        self._holders: dict[str, list[int]] = defaultdict(list)
        self._lengths: dict[int, int] = {}

    def hear(self, statements: Sequence[Statement]) -> None:
        """Index what was said."""
        for statement in statements:
            words = content(statement.text, self._lexicon)
            place = len(self.texts)
            self.texts.append(statement.text)
            self._lengths[place] = len(words)
            for word in words:
                self._holders[word].append(place)

    def right(self, questions: Sequence[Question]) -> list[bool]:
        """For each question whether the best turn has the right value."""
        return [self._first_has(question) for question in questions]

    def _first_has(self, question: Question) -> bool:
        held = {word: self._holders.get(word, []) for word in content(question.text, self._lexicon)}
        places: frozenset[int] = frozenset().union(*held.values())
        scores = okapi(held, self._lengths, only=places)
        if not scores:
            return False
        best = min(scores, key=lambda place: (round(scores[place], 9), -place))
        return has(self.texts[best], question.value)
