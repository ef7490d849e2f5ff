"""``nocturne ask``: an answer made of facts, each cited with its date, or "not in memory". Never of anything else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from nocturne.app.ports import Store
from nocturne.app.recall import Query, Retriever
from nocturne.core import questions
from nocturne.core.facts import Fact
from nocturne.core.meaning.attributes import stated_in
from nocturne.core.policy import Policy
from nocturne.core.quiz import NOT_IN_MEMORY, share
from nocturne.core.text.analysis import analyse
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.text.measures import content

MOST = 3
"""Facts that one answer is made of, at most."""
_MOSTLY = Fraction(2, 3)
"""The share of a question's words that a fact must have to answer it."""
NEAR = 50
"""Candidates that are looked at for one question."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was said, and the facts that it rests on; none where the memory does not have it.

    ``unknown`` are words of the question that no fact has; ``faded`` counts facts that were kept out of sight.
    """

    question: str
    text: str
    facts: tuple[Fact, ...] = ()
    unknown: tuple[str, ...] = ()
    faded: int = 0
    quarantined: int = 0
    by: str = "extract"

    @property
    def found(self) -> bool:
        """Whether the memory has an answer."""
        return bool(self.facts)


class Answerer(Protocol):
    """Whoever answers from a store; ``stricter`` asks once more for the very words."""

    name: str

    def answer(self, question: str, *, stricter: bool = False) -> Answer: ...


class Extract:
    """Answers by quoting facts word for word. Deterministic, needs no model, writes nothing.

    A question that asks for an attribute is answered by the facts that state it; any other by the facts that hold
    two thirds of its words, among them every name and value.
    """

    name = "extract"
    absent = NOT_IN_MEMORY

    def __init__(
        self,
        store: Store,
        *,
        policy: Policy,
        lexicon: Lexicon,
        now: int,
        at: int | None = None,
        as_of: int | None = None,
    ) -> None:
        self._lexicon = lexicon
        self._retriever = Retriever(store, policy=policy, lexicon=lexicon, now=now, at=at, as_of=as_of)
        self._frame = content(questions.FRAME_WORDS, lexicon)

    def answer(self, question: str, *, stricter: bool = False) -> Answer:
        """The answer; ``stricter`` allows one fact more."""
        most = MOST + 1 if stricter else MOST
        read = analyse(question, self._lexicon)
        attribute = questions.asked_attribute([token.surface for token in read.tokens])
        if attribute is not None:
            stating = self._stating(question, attribute)
            if stating:
                return self.told(question, stating[:most])
        # Who asks for an attribute that no fact states is not answered with what merely sounds like it.
        return self._holding(question, most, enough=_MOSTLY if attribute is None else Fraction(1))

    def _stating(self, question: str, attribute: str) -> list[Fact]:
        """The facts that state the attribute of whom the question is about."""
        found = self._retriever.find(Query(f"{question} {questions.STATES[attribute]}", top=NEAR))
        asked = content(question, self._lexicon)
        stating = []
        for hit in found.hits:
            for stated in stated_in(hit.fact.text, self._lexicon, hit.fact.speaker):
                if stated.attribute != attribute:
                    continue
                if self._is_about(stated.holder, hit.fact, asked, attribute):
                    stating.append(hit.fact)
                    break
        return stating

    def _is_about(self, holder: str, fact: Fact, asked: frozenset[str], attribute: str) -> bool:
        """Whether the question names the holder; where it is the speaker, whether it names nobody and nothing else."""
        words = content(holder, self._lexicon)
        speaker = content(fact.speaker or "", self._lexicon)
        if not (holder == "user" or words <= speaker):
            return words - speaker <= asked
        cues = frozenset().union(*questions.CUES[attribute])
        rest = asked - speaker - content(" ".join(sorted(cues)), self._lexicon) - self._frame
        return rest <= analyse(fact.text, self._lexicon).vocabulary - self._others(fact, speaker)

    def _others(self, fact: Fact, speaker: frozenset[str]) -> frozenset[str]:
        """Holders of something in the fact who are not the speaker: to name one is to ask about somebody else."""
        found: set[str] = set()
        for stated in stated_in(fact.text, self._lexicon, fact.speaker):
            if stated.holder != "user":
                found |= content(stated.holder, self._lexicon) - speaker
        return frozenset(found)

    def _holding(self, question: str, most: int, *, enough: Fraction) -> Answer:
        found = self._retriever.find(Query(question, top=NEAR))
        read = analyse(question, self._lexicon)
        asked = content(question, self._lexicon) - self._frame
        must = {token.stem for token in read.tokens if token.kind in ("name", "value")} & asked
        best: list[tuple[int, Fact]] = []
        for hit in found.hits:
            subjects = content(hit.fact.speaker or "", self._lexicon)
            wanted = asked - subjects
            vocabulary = analyse(hit.fact.text, self._lexicon).vocabulary
            held = {
                word
                for word in wanted
                if word in vocabulary or (word not in must and _near(word, vocabulary))
            }
            if not held or share(len(held), len(wanted)) < enough or must - subjects - held:
                continue
            best.append((len(held), hit.fact))
        top = max((count for count, _ in best), default=0)
        facts = [fact for count, fact in best if count == top]
        if not facts:
            return Answer(
                question,
                NOT_IN_MEMORY,
                unknown=tuple(word for word in found.unknown if word in asked),
                faded=found.faded,
                quarantined=found.quarantined,
            )
        return self.told(question, facts[:most])

    def near(self, question: str, most: int) -> list[Fact]:
        """The facts nearest to a question, whether they answer it or not."""
        return [hit.fact for hit in self._retriever.find(Query(question, top=most)).hits]

    def told(self, question: str, facts: Sequence[Fact]) -> Answer:
        """These facts as an answer, quoted."""
        return Answer(question, " ".join(_sentence(fact.text) for fact in facts), tuple(facts))


_SHORTEST = 4


def _near(word: str, vocabulary: frozenset[str]) -> bool:
    """Whether another form of a word is there: one that goes on with a few letters more, or stops short of them."""
    if len(word) < _SHORTEST or not word.isalpha():
        return False
    return any(
        len(other) >= _SHORTEST and (other.startswith(word) or word.startswith(other)) and other.isalpha()
        for other in vocabulary
    )


def _sentence(text: str) -> str:
    plain = " ".join(text.split())
    return plain if plain[-1:] in ".!?。！？…" else f"{plain}."
