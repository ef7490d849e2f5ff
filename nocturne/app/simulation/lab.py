"""A memory under simulation: it hears, sleeps and answers through the very use cases of the product."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nocturne.app.accesses import remember
from nocturne.app.ingest import Ingest, ingest
from nocturne.app.ports import Proposer, Store
from nocturne.app.recall import Query, Retriever
from nocturne.app.simulation.script import Question, Statement
from nocturne.app.sleep import Night, SleepReport, asking, sleep
from nocturne.core.facts import SECOND, Fact, Turn
from nocturne.core.policy import Policy
from nocturne.core.retention import visible
from nocturne.core.strength import strength
from nocturne.core.text.lexicon import Lexicon
from nocturne.passes.activations import curve_of

START = 1_767_225_600_000_000
"""2026-01-01T00:00:00Z: every simulation begins then."""

Told = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Lab:
    """What a simulation needs of the outside: new stores by name, who proposes at night, words, someone to tell."""

    make: Callable[[str], Store]
    rules: Proposer
    lexicon: Lexicon
    tell: Told = field(default=lambda _: None)


@dataclass(frozen=True, slots=True)
class _Said:
    """A day's statements as a reading; every turn is a source line of its own."""

    turns: Sequence[Turn]
    content_hash: str
    format: str = "simulation"
    reader_version: int = 1
    own_sessions: bool = True
    resumed: bool = False
    skipped: Mapping[str, int] = field(default_factory=dict)
    notes: Mapping[str, int] = field(default_factory=dict)
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    state: Mapping[str, Any] = field(default_factory=dict)

    @property
    def cursor(self) -> int:
        """How many turns there are."""
        return len(self.turns)


class _Verbatim:
    """Proposes every turn as one fact, word for word; the gates judge it like anything."""

    name = "script"

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._category = {statement.text: statement.category for statement in statements}

    def propose(self, pass_name: str, brief: Any) -> Iterable[str]:
        """One entry a turn; by night others propose."""
        if pass_name != "encode":
            return
        facts = [
            {
                "turnIds": [f"t{turn.id}"],
                "text": turn.text,
                "category": self._category[turn.text],
                "reason": "said word for word",
            }
            for turn in brief.turns
        ]
        yield json.dumps({"facts": facts})


class Mind:
    """One memory under one policy."""

    def __init__(self, lab: Lab, name: str, policy: Policy) -> None:
        self.lab = lab
        self.name = name
        self.policy = policy
        self.store = lab.make(name)

    def hear(self, day: int, statements: Sequence[Statement], at: int) -> None:
        """Take in what is said; a second apart, in one session."""
        turns = [
            Turn(
                0,
                0,
                f"{day}-{place}",
                place,
                place,
                f"day {day}",
                None,
                "human",
                each.text,
                at + place * SECOND,
            )
            for place, each in enumerate(statements)
        ]
        text = "\n".join(turn.text for turn in turns)
        reading = _Said(turns, hashlib.sha256(f"{day}\n{text}".encode()).hexdigest())
        job = Ingest(
            store=self.store,
            policy=self.policy,
            lexicon=self.lab.lexicon,
            proposer=_Verbatim(statements),
            now=at + len(turns) * SECOND,
            command="simulate",
            open=lambda *_, **__: reading,
        )
        ingest(job, [f"day-{day}"])

    def sleep(self, now: int) -> SleepReport:
        """One night."""
        return sleep(
            Night(
                store=self.store,
                policy=self.policy,
                lexicon=self.lab.lexicon,
                now=now,
                command="simulate",
                proposer=self.lab.rules.name,
                answer=asking(self.lab.rules),
            )
        )

    def looks_up(self, texts: Sequence[str], now: int, *, top: int = 1) -> None:
        """Recall, with the access recorded."""
        reader = self.reader(now)
        found = [reader.find(Query(text, top=top)) for text in texts]
        remember(self.store, found, policy=self.policy, lexicon=self.lab.lexicon, now=now)

    def reader(self, now: int) -> Retriever:
        """Answers without recording."""
        return Retriever(self.store, policy=self.policy, lexicon=self.lab.lexicon, now=now)

    def right(self, questions: Sequence[Question], now: int) -> list[bool]:
        """For each question whether the first hit has the right value."""
        reader = self.reader(now)
        answers = []
        for question in questions:
            hits = reader.find(Query(question.text, top=1)).hits
            answers.append(bool(hits) and has(hits[0].fact.text, question.value))
        return answers

    def seen(self, now: int) -> tuple[list[Fact], int]:
        """The active facts, and how many of them recall may show."""
        facts = list(self.store.state().facts.values())
        stored = self.store.activations()
        law = self.policy.strength.law
        shown = sum(
            visible(fact, strength(curve_of(stored.get(fact.id), fact), now, law), self.policy)
            for fact in facts
        )
        return facts, shown


def has(text: str, value: str) -> bool:
    """Whether a text holds the value as a word of its own."""
    return value in text.rstrip(".").replace(",", "").split()


def share(right: Sequence[bool]) -> str:
    """The share that is right, in percent."""
    return f"{100 * sum(right) / len(right):.0f}%" if right else "–"
