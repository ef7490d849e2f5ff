"""``nocturne quiz``: does the memory still know what it should, and is what was forgotten gone.

Questions are made from the facts, answered from the store alone, and scored by code. What vouches for the answer key
is the record and the turns: a fact that is not what was recorded, or not what its turns say, is never recalled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal, Protocol

from nocturne.app.answering import Answer, Answerer
from nocturne.app.lineage import Ancestor, Ancestry
from nocturne.app.ports import SnapshotInfo, Store
from nocturne.app.withdrawal import leaves
from nocturne.core import questions
from nocturne.core import quiz as measure
from nocturne.core.acts import ERASED
from nocturne.core.facts import Fact, Turn
from nocturne.core.meaning import Fails, judge_encode
from nocturne.core.meaning.attributes import stated_in
from nocturne.core.policy import Policy
from nocturne.core.retention import visible
from nocturne.core.strength import strength
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.text.measures import content
from nocturne.passes.activations import curve_of
from nocturne.passes.said import uttered

QUESTIONS = 5
PROBES = 1
_NEAR = 400
"""Active facts that are measured against what was forgotten: those nearest to it."""


class Quizzable(Store, Protocol):
    """What a quiz needs of a store."""

    def vouched(self, fact: int) -> bool: ...
    def forged(self) -> Sequence[str]: ...


Wording = Callable[[Fact], Iterable[str]]
"""Questions about a fact, the best first; the gate refuses those that give it away."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question and how it went. ``why`` says what failed, in a few words."""

    fact: Fact
    question: str
    answer: Answer
    score: measure.Score
    attempts: int = 1
    untrue: str = ""
    """Why the fact cannot be the key: it is not what was recorded, or not what its turns say."""
    before: bool | None = None
    """Whether the baseline could answer it; None without one."""
    retired: str = ""
    """The rule that retired the fact since the baseline, if one did."""

    @property
    def passed(self) -> bool:
        """Whether the store recalls the fact."""
        return self.score.passed and not self.untrue

    @property
    def regressed(self) -> bool:
        """Whether it was answerable and is not, and no rule retired it."""
        return self.before is True and not self.passed and not self.retired

    @property
    def counts(self) -> bool:
        """Whether the store should be able to answer it."""
        return not self.retired


@dataclass(frozen=True, slots=True)
class Probed:
    """One probe of something forgotten."""

    fact: Fact
    question: str
    answer: Answer
    probe: measure.Probe


@dataclass(frozen=True, slots=True)
class Leaky:
    """A question that was refused because it gave its answer away."""

    fact: int
    question: str
    leak: Fraction


@dataclass(frozen=True, slots=True)
class Expectation:
    """One line of a user's own contract."""

    expect: Literal["contains", "absent"]
    question: str
    text: str


@dataclass(frozen=True, slots=True)
class Kept:
    """How an expectation went."""

    expectation: Expectation
    answer: Answer
    passed: bool
    found: str = ""


@dataclass(frozen=True, slots=True)
class Quiz:
    """Everything one quiz found."""

    answerer: str
    seed: int
    snapshot: int
    baseline: int | None
    items: tuple[Item, ...]
    probes: tuple[Probed, ...]
    leaky: tuple[Leaky, ...] = ()
    contract: tuple[Kept, ...] = ()
    wanted: int = QUESTIONS
    threshold: Fraction = Fraction(1)
    require_forgotten: bool = False
    faults: tuple[str, ...] = ()
    """What is wrong with the store as a whole."""
    generated: bool = True
    """Whether questions were made at all; a contract alone makes none."""

    @property
    def counted(self) -> list[Item]:
        """The questions that the store should be able to answer."""
        return [item for item in self.items if item.counts]

    @property
    def recalled(self) -> int:
        """How many of them it did answer."""
        return sum(item.passed for item in self.counted)

    @property
    def regressions(self) -> list[Item]:
        """What the baseline could answer and the store cannot."""
        return [item for item in self.items if item.regressed]

    @property
    def problems(self) -> list[str]:
        """Why the quiz fails; nothing where it passes."""
        found = list(self.faults)
        count = len(self.counted)
        if self.generated:
            if not count:
                found.append("nothing to ask: no fact can be asked about without giving it away")
            elif measure.share(self.recalled, count) < self.threshold:
                found.append(f"recalled {self.recalled} of {count}, {float(self.threshold):.0%} is wanted")
            if self.regressions:
                names = ", ".join(f"m{item.fact.id}" for item in self.regressions)
                found.append(f"answerable before and not now: {names}")
            failed = [probe for probe in self.probes if not probe.probe.passed]
            if failed:
                found.append("not forgotten: " + ", ".join(f"m{probe.fact.id}" for probe in failed))
            if self.require_forgotten and not self.probes:
                found.append("nothing to probe, and --require-forgotten asks for a proof of forgetting")
        broken = [kept for kept in self.contract if not kept.passed]
        if broken:
            found.append(f"{len(broken)} of {len(self.contract)} expectations do not hold")
        return found

    @property
    def exit_code(self) -> Literal[0, 1]:
        """1 where anything fails."""
        return 1 if self.problems else 0


@dataclass(frozen=True, slots=True)
class Exam:
    """Everything one quiz is run with."""

    store: Quizzable
    policy: Policy
    lexicon: Lexicon
    now: int
    answerers: Callable[[int | None], Answerer]
    """Who answers from the store now (None) or at a snapshot."""
    wording: Wording | None = None
    seed: int = 0
    questions: int = QUESTIONS
    probes: int = PROBES
    baseline: SnapshotInfo | None = None
    threshold: Fraction = Fraction(1)
    require_forgotten: bool = False
    contract: Sequence[Expectation] = ()
    only_contract: bool = False
    faults: Sequence[str] = field(default_factory=tuple)


def quiz(exam: Exam) -> Quiz:
    """Ask, probe, check the contract. Reads only."""
    asking = _Asking(exam)
    items: list[Item] = []
    probes: list[Probed] = []
    if not exam.only_contract:
        items = list(asking.items())
        probes = list(asking.probes())
    return Quiz(
        answerer=asking.answerer.name,
        seed=exam.seed,
        snapshot=exam.store.head().snapshot,
        baseline=exam.baseline.number if exam.baseline is not None else None,
        items=tuple(items),
        probes=tuple(probes),
        leaky=tuple(asking.leaky),
        contract=tuple(asking.kept(each) for each in exam.contract),
        wanted=exam.questions,
        threshold=exam.threshold,
        require_forgotten=exam.require_forgotten,
        faults=(*exam.faults, *asking.faults()),
        generated=not exam.only_contract,
    )


class Templates:
    """The questions that code words, for facts as they stand at one moment of the store."""

    def __init__(self, store: Store, lexicon: Lexicon, answerer: Answerer) -> None:
        self._store = store
        self._lexicon = lexicon
        self._answerer = answerer

    def __call__(self, fact: Fact) -> Iterator[str]:
        """Of the attribute that the fact states, then of its rarest words; one that finds it comes first."""
        holder = fact.speaker or "the user"
        for stated in stated_in(fact.text, self._lexicon, fact.speaker):
            if not stated.denied:
                name = holder if stated.holder == "user" or self._is(stated.holder, holder) else stated.holder
                yield from questions.of_attribute(stated, name)
        tried = [questions.of_words(holder, cues) for cues in self._cues(fact)]
        yield from sorted(tried, key=lambda question: not self._finds(fact, question))

    def _is(self, one: str, two: str) -> bool:
        return content(one, self._lexicon) <= content(two, self._lexicon)

    def _finds(self, fact: Fact, question: str) -> bool:
        return any(found.id == fact.id for found in self._answerer.answer(question).facts)

    def _cues(self, fact: Fact) -> Iterator[list[str]]:
        words = measure.cue_words(fact.text, subjects_of(fact, self._lexicon), self._lexicon)
        known = self._store.token_numbers([stem for stem, _ in words])
        rare = sorted(words, key=lambda word: known.get(word[0], (0, 0))[1])
        for count in range(1, measure.most_cues(len(words)) + 1):
            chosen = {stem for stem, _ in rare[:count]}
            yield [shown for stem, shown in words if stem in chosen]


def subjects_of(fact: Fact, lexicon: Lexicon) -> frozenset[str]:
    """The words that only say whom a fact is about."""
    subject = "" if fact.subject == "user" else fact.subject
    return content(f"{fact.speaker or ''} {subject}", lexicon)


class _Asking:
    def __init__(self, exam: Exam) -> None:
        self.exam = exam
        self.store = exam.store
        self.lexicon = exam.lexicon
        self.answerer = exam.answerers(None)
        self.earlier = exam.answerers(exam.baseline.number) if exam.baseline is not None else None
        self.wording = exam.wording or Templates(exam.store, exam.lexicon, self.earlier or self.answerer)
        self.leaky: list[Leaky] = []
        self.ancestry = Ancestry(exam.store)
        self.state = exam.store.state().facts

    def faults(self) -> Iterator[str]:
        """Whether the store as a whole is what its last snapshot recorded: a quiz draws only a few of its facts."""
        yield from self.store.forged()
        last = self.store.snapshot(self.store.head().snapshot)
        if last.seq == self.store.head().seq and last.active != len(self.state):
            yield f"the store holds {len(self.state)} active facts, its record says {last.active}"

    def pool(self) -> Mapping[int, Fact]:
        """Facts that can be asked about: visible, of one original, no pattern, with words to spare."""
        at = self.exam.baseline.number if self.exam.baseline is not None else None
        facts = self.store.state(at).facts if at is not None else self.state
        moment = self.exam.baseline.at if self.exam.baseline is not None else self.exam.now
        stored = self.store.activations(upto=moment) if at is not None else self.store.activations()
        law = self.exam.policy.strength.law
        return {
            id_: fact
            for id_, fact in facts.items()
            if fact.originals == 1
            and fact.layer != "schema"
            and fact.block != "schemas"
            and fact.quarantined_by is None
            and fact.text != ERASED
            and visible(fact, strength(curve_of(stored.get(id_), fact), moment, law), self.exam.policy)
        }

    def items(self) -> Iterator[Item]:
        """As many questions as are wanted, in the order that the seed draws."""
        pool = self.pool()
        count = 0
        for id_ in measure.drawn(pool, self.exam.seed):
            if count >= self.exam.questions:
                return
            question = self._question(pool[id_])
            if question is not None:
                count += 1
                yield self._item(pool[id_], question)

    def _question(self, fact: Fact) -> str | None:
        """The first question about a fact that does not give it away; those that do are kept on record."""
        subjects = subjects_of(fact, self.lexicon)
        for question in self.wording(fact):
            leaked = measure.leak(question, fact.text, subjects, self.lexicon)
            if not measure.gives_away(leaked):
                return question
            self.leaky.append(Leaky(fact.id, question, leaked))
        return None

    def _item(self, fact: Fact, question: str) -> Item:
        answer, scored, attempts = self._asked(self.answerer, question, fact)
        before: bool | None = None
        retired = ""
        if self.earlier is not None:
            before = self._asked(self.earlier, question, fact)[1].passed
            retired = self._retired(fact)
        return Item(fact, question, answer, scored, attempts, self._untrue(fact), before, retired)

    def _asked(self, answerer: Answerer, question: str, fact: Fact) -> tuple[Answer, measure.Score, int]:
        """An answer and its score; one stricter try is allowed, and counted."""
        answer = answerer.answer(question)
        scored = self._scored(answer, fact)
        if scored.passed:
            return answer, scored, 1
        again = answerer.answer(question, stricter=True)
        rescored = self._scored(again, fact)
        return (again, rescored, 2) if rescored.passed else (answer, scored, 2)

    def _scored(self, answer: Answer, fact: Fact) -> measure.Score:
        found = measure.score(answer.text, fact.text, self.lexicon, [each.text for each in answer.facts])
        if found.polarity or answer.by != "extract":
            return found
        # A quoted text that took the fact's place may deny something else in another clause: that it denies
        # nothing of the fact was judged when it did, and the record vouches for its words.
        heir = self._heir(fact)
        quoted = heir is not None and heir.id != fact.id and heir.id in {each.id for each in answer.facts}
        return replace(found, polarity=True) if quoted and heir and self.store.vouched(heir.id) else found

    def _heir(self, fact: Fact) -> Fact | None:
        """The active fact in which a fact lives on now, itself included."""
        seen: set[int] = set()
        now = self.state.get(fact.id) or self.store.facts([fact.id]).get(fact.id)
        while now is not None and not now.active and now.successor is not None and now.id not in seen:
            seen.add(now.id)
            now = self.store.facts([now.successor]).get(now.successor)
        return now if now is not None and now.active else None

    def _retired(self, fact: Fact) -> str:
        """The rule that took the fact away since the baseline without another that says it."""
        now = self.store.facts([fact.id]).get(fact.id)
        seen: set[int] = set()
        while now is not None and not now.active and now.id not in seen:
            seen.add(now.id)
            rule = now.retired_by or ""
            if rule.startswith(("forget:", "person:")) or rule in ("contradict", "restore"):
                return rule
            if now.successor is None:
                return ""
            now = self.store.facts([now.successor]).get(now.successor)
        return ""

    def _untrue(self, fact: Fact) -> str:
        """Why the fact cannot be the key, if it cannot: the record and the turns must say it."""
        heir = self._heir(fact)
        if not all(self.store.vouched(each.id) for each in (fact, heir or fact)):
            return "its words are not those on record"
        node = self.ancestry.now(fact.id)
        told = list(leaves(node))
        # What absorbed another text is as old as the text that it kept.
        first = next((leaf for leaf in told if leaf.fact.text == fact.text), told[0] if told else None)
        turns = [quote.turn for quote in first.quotes] if first is not None else []
        if first is None or not turns or any(turn.text == ERASED for turn in turns):
            return ""
        return self._unsaid(first, fact, turns)

    def _unsaid(self, first: Ancestor, fact: Fact, turns: Sequence[Turn]) -> str:
        if first.made_by is None or first.made_by.kind != "encode":
            return ""
        # A fact's sources may have grown; those of its first text are enough to say it.
        found = judge_encode(
            [uttered(turn) for turn in turns],
            fact.text,
            lexicon=self.lexicon,
            subject=first.fact.subject,
            block=first.fact.block if first.fact.block == "persona" else "scratch",
        )
        return f"its turns do not say it ({found.code})" if isinstance(found, Fails) else ""

    # Forgetting

    def probes(self) -> Iterator[Probed]:
        """Something forgotten, asked for: gone, said to be gone, and nothing told."""
        count = 0
        gone = self._forgotten()
        for id_ in measure.drawn(gone, self.exam.seed):
            if count >= self.exam.probes:
                return
            fact = gone[id_]
            question = self._probe_question(fact)
            if question is None:
                continue
            count += 1
            answer = self.answerer.answer(question)
            yield Probed(fact, question, answer, self._probe(fact, question, answer))

    def _probe(self, fact: Fact, question: str, answer: Answer) -> measure.Probe:
        still = next(
            (
                near.id
                for near in self._near(fact.text)
                if measure.still_says(near.text, fact.text, self.lexicon)
            ),
            None,
        )
        told = measure.leaked(answer.text, fact.text, question, subjects_of(fact, self.lexicon), self.lexicon)
        return measure.Probe(still is None, measure.says_absent(answer.text), told, still)

    def _forgotten(self) -> Mapping[int, Fact]:
        """Facts that a rule or a person retired without a successor, and that nobody said again since."""
        since = self.exam.baseline.number if self.exam.baseline is not None else 0
        found: dict[int, Fact] = {}
        for fact in self.store.all_facts():
            rule = fact.retired_by or ""
            if fact.active or fact.text == ERASED or not rule.startswith(("forget:", "person:")):
                continue
            if since and not self._was_active(fact.id, since):
                continue
            if rule.startswith("forget:") and self._said_again(fact):
                continue
            found[fact.id] = fact
        return found

    def _was_active(self, fact: int, at: int) -> bool:
        then = self.store.facts([fact], at).get(fact)
        return then is not None and then.active

    def _said_again(self, fact: Fact) -> bool:
        return any(
            near.recorded_at > fact.recorded_at and measure.still_says(near.text, fact.text, self.lexicon)
            for near in self._near(fact.text)
        )

    def _near(self, text: str) -> list[Fact]:
        words = content(text, self.lexicon)
        numbers = [number for number, _ in self.store.token_numbers(words).values()]
        hits = self.store.search([numbers], limit=_NEAR) if numbers else ()
        return [self.state[id_] for id_, _ in hits if id_ in self.state]

    def _probe_question(self, fact: Fact) -> str | None:
        subjects = subjects_of(fact, self.lexicon)
        for question in self.wording(fact):
            if not measure.gives_away(measure.leak(question, fact.text, subjects, self.lexicon)):
                return question
        return None

    # Contracts

    def kept(self, expectation: Expectation) -> Kept:
        """Whether the store answers as its user expects."""
        answer = self.answerer.answer(expectation.question)
        says = measure.mentions(answer.text, expectation.text, self.lexicon)
        if expectation.expect == "contains":
            return Kept(expectation, answer, says, "" if says else f"it answers: {answer.text}")
        if says:
            return Kept(expectation, answer, passed=False, found=f"it answers: {answer.text}")
        for near in self._near(expectation.text):
            if measure.mentions(near.text, expectation.text, self.lexicon):
                return Kept(expectation, answer, passed=False, found=f"m{near.id} says it: {near.text}")
        return Kept(expectation, answer, passed=True)
