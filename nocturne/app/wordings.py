"""A model words the questions of a quiz and the answers of ``ask``; code holds both to the facts.

A question still has to pass the gate that code's own pass. An answer is taken only where every word, name and value
of it is in the facts that it cites; else they are quoted instead.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from nocturne.app.answering import MOST, Answer, Extract
from nocturne.app.ports import Proposer
from nocturne.core.audit import lacking
from nocturne.core.facts import Fact
from nocturne.core.ids import parse_fact
from nocturne.core.quiz import denials
from nocturne.core.text.lexicon import Lexicon
from nocturne.errors import UsageError
from nocturne.passes.briefs import AskBrief, QuizBrief

SHOWN = 12
"""Facts that a model is shown for one question."""


def _entries(replies: Iterable[str], key: str) -> Iterator[Mapping[str, Any]]:
    """The entries of replies that are objects; whatever else a model wrote is no entry."""
    for reply in replies:
        try:
            listed = json.loads(reply).get(key, ())
        except (ValueError, AttributeError):
            continue
        for entry in listed if isinstance(listed, list) else ():
            if isinstance(entry, dict):
                yield entry


class ModelQuestions:
    """Questions by a model, and behind them those that code words."""

    def __init__(self, proposer: Proposer, behind: Any) -> None:
        self._proposer = proposer
        self._behind = behind

    def __call__(self, fact: Fact) -> Iterator[str]:
        """The model's question about the fact, then code's."""
        for entry in _entries(self._proposer.propose("quiz", QuizBrief({fact.id: fact})), "quiz"):
            question = entry.get("question")
            if isinstance(question, str) and question.strip():
                yield " ".join(question.split())
        yield from self._behind(fact)


class ModelAnswers:
    """Answers by a model, from the facts that retrieval found and from nothing else."""

    def __init__(self, proposer: Proposer, extract: Extract, lexicon: Lexicon) -> None:
        self.name = proposer.name
        self._proposer = proposer
        self._extract = extract
        self._lexicon = lexicon

    def answer(self, question: str, *, stricter: bool = False) -> Answer:
        """The model's answer where code finds every word of it in the facts that it cites; else these, quoted."""
        quoted = self._extract.answer(question, stricter=stricter)
        facts = {fact.id: fact for fact in (*quoted.facts, *self._extract.near(question, SHOWN))}
        if not facts:
            return quoted
        shown = dict(list(facts.items())[:SHOWN])
        asked = AskBrief(question, shown, verbatim=stricter)
        for entry in _entries(self._proposer.propose("ask", asked), "ask"):
            cited = self._cited(entry, shown)
            text = entry.get("text")
            if not cited or not isinstance(text, str) or not text.strip():
                continue
            said = " ".join(text.split())
            if self._holds(said, cited):
                return Answer(question, said, tuple(cited), by=self._proposer.name)
            return replace(self._extract.told(question, cited[:MOST]), by="extract")
        return replace(quoted, facts=(), text=self._extract.absent) if quoted.found else quoted

    def _cited(self, entry: Mapping[str, Any], shown: Mapping[int, Fact]) -> list[Fact]:
        listed = entry.get("itemIds")
        found: dict[int, Fact] = {}
        for name in listed if isinstance(listed, list) else ():
            try:
                number = parse_fact(str(name))
            except UsageError:
                continue
            if number in shown:
                found[number] = shown[number]
        return list(found.values())

    def _holds(self, text: str, cited: list[Fact]) -> bool:
        """Whether the facts say the text: every word, name and value, and as many denials at the most."""
        texts = [fact.text for fact in cited]
        speakers = [fact.speaker for fact in cited if fact.speaker]
        if lacking(text, [*texts, *speakers, "the user"], self._lexicon):
            return False
        denied = sum((denials(each, self._lexicon) for each in texts), start=denials("", self._lexicon))
        return denials(text, self._lexicon) <= denied
