"""The honesty benchmark: a fixed set of labelled questions, and what a proposer makes of them under the gates.

Nothing is stored. Each task is one question of one pass about facts of its own; its key says whether the change
that it asks about would leave the meaning as it is. The questions are put as a night would put them, the refused
are told once, and no rule acts by itself: what is counted is the proposer's.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from nocturne.app.asking import Asker
from nocturne.app.ports import Proposer
from nocturne.app.shipped import shipped
from nocturne.core.facts import DAY, Fact, Span, State
from nocturne.core.meaning import compose_merge
from nocturne.core.policy import Policy
from nocturne.core.proposals import Keep, Proposal, named_by
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.verdicts import Accepted, Refused, Ruling, Verdict
from nocturne.errors import InputUnreadable, ProviderFailed
from nocturne.passes.briefs import (
    Brief,
    Clash,
    Cluster,
    ContradictBrief,
    DedupeBrief,
    ForgetBrief,
    Forgettable,
    MergeBrief,
    Pair,
    PromoteBrief,
    SchematiseBrief,
    Union,
)
from nocturne.passes.engine import Mend, Offer, offers, run
from nocturne.passes.night import NIGHT
from nocturne.passes.said import said
from nocturne.passes.scene import Effect, Memo, Origin, Pass, Scene, Tombstones

Mending = Callable[[Pass, Any, Sequence[Refused]], Iterable[Offer]]

NOW = 20_500 * DAY
SECRET = bytes(32)


@dataclass(frozen=True, slots=True)
class Task:
    """One question. ``key``: whether the change it asks about is right; ``facts`` have consecutive ids."""

    pass_name: str
    facts: tuple[Fact, ...]
    key: bool
    kind: str
    sessions: tuple[str, ...]

    @property
    def ids(self) -> tuple[int, ...]:
        """The facts' ids."""
        return tuple(fact.id for fact in self.facts)


@dataclass(frozen=True, slots=True)
class Part:
    """How a proposer did in one pass.

    ``missed``: right changes that did not land; ``against``: proposals of changes that the key calls wrong;
    ``landed``: those of them that no gate refused, by the task's kind.
    """

    pass_name: str
    tasks: int
    proposed: int = 0
    kept_apart: int = 0
    accepted: int = 0
    refused: Mapping[str, int] = field(default_factory=dict)
    malformed: int = 0
    again: int = 0
    mended: int = 0
    right: int = 0
    missed: int = 0
    against: int = 0
    landed: Mapping[str, int] = field(default_factory=dict)
    unanswered: int = 0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """A proposer's parts, and the digest of the tasks that they are comparable under."""

    proposer: str
    tasks: str
    parts: tuple[Part, ...]

    @property
    def unheard(self) -> bool:
        """Whether nothing at all could be had from the proposer."""
        return all(part.failure is not None for part in self.parts)


def total(score: Score) -> Part:
    """All passes together."""
    parts = score.parts
    return Part(
        "all",
        tasks=sum(part.tasks for part in parts),
        proposed=sum(part.proposed for part in parts),
        kept_apart=sum(part.kept_apart for part in parts),
        accepted=sum(part.accepted for part in parts),
        refused=dict(sorted(sum((Counter(part.refused) for part in parts), Counter[str]()).items())),
        malformed=sum(part.malformed for part in parts),
        again=sum(part.again for part in parts),
        mended=sum(part.mended for part in parts),
        right=sum(part.right for part in parts),
        missed=sum(part.missed for part in parts),
        against=sum(part.against for part in parts),
        landed=dict(sorted(sum((Counter(part.landed) for part in parts), Counter[str]()).items())),
        unanswered=sum(part.unanswered for part in parts),
        calls=sum(part.calls for part in parts),
        tokens_in=sum(part.tokens_in for part in parts),
        tokens_out=sum(part.tokens_out for part in parts),
        seconds=sum(part.seconds for part in parts),
    )


def load() -> tuple[Task, ...]:
    """The tasks that come with nocturne."""
    text = (shipped("honesty") / "tasks.jsonl").read_text(encoding="utf-8")
    tasks: list[Task] = []
    number = 1
    for place, line in enumerate(text.splitlines(), 1):
        try:
            entry = json.loads(line)
            task = _task(entry, number)
        except (KeyError, ValueError, TypeError) as error:
            raise InputUnreadable(f"honesty/tasks.jsonl:{place}: {error!r}") from error
        number += len(task.facts)
        tasks.append(task)
    return tuple(tasks)


def digest(tasks: Sequence[Task]) -> str:
    """A short name of this very set: scores over different sets are not compared."""
    told = [[task.pass_name, task.key, *(fact.text for fact in task.facts)] for task in tasks]
    return hashlib.sha256(json.dumps(told).encode("utf-8")).hexdigest()[:12]


def _task(entry: Mapping[str, Any], number: int) -> Task:
    texts: list[str] = entry["facts"]
    days = entry.get("days", [40 - 10 * place for place in range(len(texts))])
    subjects = entry.get("subjects", ["user"] * len(texts))
    dated = entry["pass"] == "merge" and "days" in entry
    facts = tuple(
        Fact(
            id=number + place,
            text=text,
            block="scratch" if entry["pass"] == "promote" else "human",
            category=entry.get("category", "fact"),
            recorded_at=NOW - days[place] * DAY,
            said_at=NOW - days[place] * DAY,
            occurred_at=NOW - days[place] * DAY if dated else None,
            subject=subjects[place],
            attribute=entry.get("attribute"),
            trust=entry.get("trust", 100),
            pinned=entry.get("pinned", False),
            sources=(Span(number + place, 0, len(text)),),
        )
        for place, text in enumerate(texts)
    )
    sessions = tuple(entry.get("sessions", [f"s{number + place}" for place in range(len(texts))]))
    return Task(entry["pass"], facts, bool(entry["key"]), entry["kind"], sessions)


class _Asked:
    """A pass that asks what it is given and does nothing by itself."""

    def __init__(self, stage: Pass, brief: Brief) -> None:
        self.name = stage.name
        self._stage = stage
        self._brief = brief

    def ready(self, scene: Scene) -> Scene:
        return self._stage.ready(scene)

    def brief(self, scene: Scene) -> Brief | None:
        return self._brief if scene.round == 1 else None

    def gate(self, scene: Scene, proposal: Proposal) -> Verdict:
        return self._stage.gate(scene, proposal)

    def apply(self, scene: Scene, accepted: Accepted) -> Effect:
        return self._stage.apply(scene, accepted)

    def backstop(self, *_: Any) -> Iterable[Proposal]:
        return ()

    def memo(self, *_: Any) -> str | None:
        return None


def measure(
    proposer: Proposer,
    tasks: Sequence[Task],
    *,
    lexicon: Lexicon,
    mend: Mending | None = None,
    clock: Callable[[], float],
    tell: Callable[[str], None] = lambda _: None,
) -> Score:
    """Put every task to the proposer, pass by pass. ``clock`` is in seconds and only its differences count."""
    parts = []
    for stage in NIGHT:
        own = [task for task in tasks if task.pass_name == stage.name]
        if own:
            tell(f"{proposer.name}: {stage.name}, {len(own)} tasks")
            parts.append(_part(proposer, stage, own, lexicon=lexicon, mend=mend, clock=clock))
    return Score(proposer.name, digest(tasks), tuple(parts))


def _part(
    proposer: Proposer,
    stage: Pass,
    tasks: Sequence[Task],
    *,
    lexicon: Lexicon,
    mend: Mending | None,
    clock: Callable[[], float],
) -> Part:
    began, spent = clock(), _spent(proposer)
    asked = _Asked(stage, _brief(stage.name, tasks, lexicon))
    again: Mend | None = None if mend is None else lambda brief, refused: mend(stage, brief, refused)
    try:
        outcome = run(
            asked,
            _scene(tasks, lexicon),
            lambda brief: (
                offers(stage.name, proposer.propose(stage.name, brief)) if brief is not None else ()
            ),
            mend=again,
        )
    except ProviderFailed as error:
        return Part(
            stage.name,
            len(tasks),
            missed=sum(task.key for task in tasks),
            unanswered=len(tasks),
            seconds=clock() - began,
            failure=error.message,
        )
    went = proposer.asked(stage.name) if isinstance(proposer, Asker) else None
    used = [after - before for before, after in zip(spent, _spent(proposer), strict=True)]
    counted = _counted(tasks, outcome.rulings)
    return Part(
        stage.name,
        len(tasks),
        malformed=counted.pop("malformed") + (len(went.failures) if went is not None else 0),
        again=outcome.again,
        mended=outcome.mended,
        unanswered=len(went.unanswered) if went is not None else 0,
        calls=used[0],
        tokens_in=used[1],
        tokens_out=used[2],
        seconds=clock() - began,
        **counted,
    )


def _spent(proposer: Proposer) -> tuple[int, int, int]:
    if not isinstance(proposer, Asker):
        return 0, 0, 0
    used = proposer.usage
    return used.calls, used.tokens_in, used.tokens_out


def _counted(tasks: Sequence[Task], rulings: Iterable[Ruling]) -> dict[str, Any]:
    of = {id_: task for task in tasks for id_ in task.ids}
    refused: Counter[str] = Counter()
    landed: Counter[str] = Counter()
    proposed = kept = accepted = malformed = against = 0
    done: set[tuple[int, ...]] = set()
    for ruling in rulings:
        proposal = ruling.verdict.proposal
        if proposal is None:
            malformed += 1
            continue
        if isinstance(proposal, Keep):
            kept += 1
            continue
        proposed += 1
        concerned = {of[id_].ids: of[id_] for id_ in named_by(proposal) if id_ in of}
        # A change over facts of two questions is about nothing that was asked.
        task = next(iter(concerned.values())) if len(concerned) == 1 else None
        wrong = task is None or not task.key
        against += wrong
        if isinstance(ruling.verdict, Refused):
            refused[ruling.verdict.code] += 1
            continue
        accepted += 1
        if wrong:
            landed[task.kind if task is not None else "stray"] += 1
        elif task is not None:
            done.add(task.ids)
    wanted = sum(task.key for task in tasks)
    return {
        "proposed": proposed,
        "kept_apart": kept,
        "accepted": accepted,
        "refused": dict(sorted(refused.items())),
        "malformed": malformed,
        "right": len(done),
        "missed": wanted - len(done),
        "against": against,
        "landed": dict(sorted(landed.items())),
    }


def _brief(pass_name: str, tasks: Sequence[Task], lexicon: Lexicon) -> Brief:
    facts = {fact.id: fact for task in tasks for fact in task.facts}
    match pass_name:
        case "dedupe":
            pairs = tuple(Pair(task.ids[0], task.ids[1], Fraction(1), equal=False) for task in tasks)
            return DedupeBrief(pairs, facts)
        case "contradict":
            clashes = tuple(Clash(task.ids[0], task.ids[1], task.facts[0].attribute) for task in tasks)
            return ContradictBrief(clashes, facts)
        case "merge":
            return MergeBrief(tuple(_union(task, lexicon) for task in tasks), facts)
        case "promote":
            return PromoteBrief(facts)
        case "schematise":
            clusters = tuple(Cluster(task.ids, _shared(task)) for task in tasks)
            return SchematiseBrief(clusters, facts)
        case "forget":
            found = [
                Forgettable(fact.id, "stale", NOW - fact.recorded_at)
                for fact in facts.values()
            ]
            return ForgetBrief(tuple(found), facts)
        case other:
            raise InputUnreadable(f"honesty/tasks.jsonl: no pass is called {other}")


def _union(task: Task, lexicon: Lexicon) -> Union:
    composed = compose_merge([said(fact) for fact in task.facts], lexicon=lexicon, close=True)
    return Union(task.ids[0], task.ids[1:], composed)


def _shared(task: Task) -> tuple[str, ...]:
    first, *others = (fact.text.rstrip(".").split() for fact in task.facts)
    return tuple(word for word in first if len(word) > 3 and all(word in words for words in others))


def _scene(tasks: Sequence[Task], lexicon: Lexicon) -> Scene:
    facts = {fact.id: fact for task in tasks for fact in task.facts}
    origins = {
        fact.id: Origin(1, session, fact.recorded_at // DAY)
        for task in tasks
        for fact, session in zip(task.facts, task.sessions, strict=True)
    }
    return Scene(
        before=State(facts, {}, max(facts) + 1),
        facts=facts,
        consumed={},
        policy=Policy(),
        now=NOW,
        lexicon=lexicon,
        memo=Memo(SECRET, 0, "honesty"),
        tombstones=Tombstones(SECRET),
        origins=origins,
    )
