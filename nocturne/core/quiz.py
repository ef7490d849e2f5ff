"""Scoring a quiz: whether a question gives its answer away, whether an answer recalls a fact, whether one leaks.

The store is the answer key, code is the judge. An answer recalls a fact where it has at least nine tenths of its
content words, every value and name exactly, and denies what the fact denies and nothing else.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction

from nocturne.core.meaning import Holds, Said, judge_drop
from nocturne.core.meaning.grammar import grammar_of
from nocturne.core.text.analysis import analyse
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.text.measures import content, values

ENOUGH = Fraction(9, 10)
"""The share of a fact's content words that an answer must have."""
LEAKY = Fraction(1, 2)
"""The share of its answer's content words from which on a question gives the answer away."""
NOT_IN_MEMORY = "not in memory"

_ABSENT = re.compile(
    r"\bnot in (?:my |the )?memory\b|\bno (?:memory|record|recollection) of\b|\bnot (?:remembered|on record)\b"
    r"|\b(?:i )?(?:do not|don't|don’t) (?:have|know|remember|recall)\b|\bnothing (?:about|on) (?:that|this|it)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+", re.UNICODE)


def share(part: int, whole: int) -> Fraction:
    """A part of a whole; of nothing, nothing."""
    return Fraction(part, whole) if whole else Fraction(0)


def own_words(text: str, subjects: AbstractSet[str], lexicon: Lexicon) -> frozenset[str]:
    """The content words of a text, without those that only name whom it is about."""
    return content(text, lexicon) - subjects


def leak(question: str, answer: str, subjects: AbstractSet[str], lexicon: Lexicon) -> Fraction:
    """The share of the answer's content words that the question says itself."""
    wanted = own_words(answer, subjects, lexicon)
    return share(len(wanted & content(question, lexicon)), len(wanted))


def gives_away(leaked: Fraction) -> bool:
    """Whether a question with this leak proves nothing."""
    return leaked >= LEAKY


@dataclass(frozen=True, slots=True)
class Score:
    """How well an answer recalls a fact."""

    recalled: int
    of: int
    missing: tuple[str, ...] = ()
    lost_values: tuple[str, ...] = ()
    strange_values: tuple[str, ...] = ()
    """Values that the answer has and neither the fact nor what it cites."""
    polarity: bool = True

    @property
    def share(self) -> Fraction:
        """The share of the fact's content words that the answer has."""
        return share(self.recalled, self.of)

    @property
    def passed(self) -> bool:
        """Whether the answer recalls the fact."""
        return (
            self.of > 0
            and self.share >= ENOUGH
            and self.polarity
            and not (self.lost_values or self.strange_values)
        )


def score(answer: str, fact: str, lexicon: Lexicon, cited: Sequence[str] = ()) -> Score:
    """Measure an answer against the fact that it must recall; ``cited`` are the texts that it rests on."""
    wanted, held = content(fact, lexicon), analyse(answer, lexicon).vocabulary
    lost = (
        (values(fact, lexicon) | _names(fact, lexicon))
        - values(answer, lexicon)
        - _names(answer, lexicon)
        - held
    )
    missing = sorted(wanted - held)
    known = values(fact, lexicon).union(*(values(text, lexicon) for text in cited))
    return Score(
        len(wanted) - len(missing),
        len(wanted),
        tuple(missing),
        tuple(sorted(lost)),
        tuple(sorted(values(answer, lexicon) - known)),
        _denies_alike(answer, fact, lexicon),
    )


def _names(text: str, lexicon: Lexicon) -> frozenset[str]:
    return frozenset(token.stem for token in analyse(text, lexicon).tokens if token.kind == "name")


def _denies_alike(answer: str, fact: str, lexicon: Lexicon) -> bool:
    """Whether the sentence of the answer that is nearest to the fact denies exactly what the fact denies."""
    nearest = max(
        sentences(answer, lexicon) or [answer],
        key=lambda sentence: len(content(sentence, lexicon) & content(fact, lexicon)),
    )
    if denials(nearest, lexicon) == denials(fact, lexicon):
        return True
    # A longer sentence may deny something else beside it: then the meaning gate must find the fact in it.
    found = judge_drop(Said(fact), Said(nearest), floor=ENOUGH, lexicon=lexicon)
    return isinstance(found, Holds)


def denials(text: str, lexicon: Lexicon) -> Counter[str]:
    """The negations of a text, each as often as it stands there."""
    read = analyse(text, lexicon)
    grammar = grammar_of(lexicon, read.lang, judged=read.judged)
    found = Counter(word for word in read.words if word in grammar.negation)
    # In two dress, one word: no matter which of them denies.
    return Counter({"not": found.total()}) if grammar.english else found


def sentences(text: str, lexicon: Lexicon) -> list[str]:
    """The sentences of a text, as written."""
    read = analyse(text, lexicon)
    return [text[read.tokens[a].start : read.tokens[b - 1].end] for a, b in read.sentences]


# Forgetting


@dataclass(frozen=True, slots=True)
class Probe:
    """The three conditions under which something is forgotten, each on its own."""

    absent: bool
    said_absent: bool
    leaked: tuple[str, ...] = ()
    still: int | None = None
    """The active fact that says it all the same."""

    @property
    def passed(self) -> bool:
        """Whether it is forgotten: gone from the store, said to be gone, and nothing told of it."""
        return self.absent and self.said_absent and not self.leaked


def says_absent(answer: str) -> bool:
    """Whether an answer says in so many words that the memory does not have it."""
    return _ABSENT.search(answer) is not None


def still_says(fact: str, forgotten: str, lexicon: Lexicon) -> bool:
    """Whether a fact says nine tenths of what was to be forgotten, and denies what it denied."""
    wanted = content(forgotten, lexicon)
    if not wanted or denials(fact, lexicon) != denials(forgotten, lexicon):
        return False
    return share(len(wanted & content(fact, lexicon)), len(wanted)) >= ENOUGH


def leaked(
    answer: str, forgotten: str, question: str, subjects: AbstractSet[str], lexicon: Lexicon
) -> tuple[str, ...]:
    """What an answer tells of the forgotten that the question did not say: half of its words, a value, a name."""
    asked = analyse(question, lexicon).vocabulary
    hidden = own_words(forgotten, subjects, lexicon) - asked
    told = hidden & analyse(answer, lexicon).vocabulary
    telling = (values(forgotten, lexicon) | _names(forgotten, lexicon)) - subjects - asked
    exact = telling & (
        values(answer, lexicon) | _names(answer, lexicon) | analyse(answer, lexicon).vocabulary
    )
    if exact or (hidden and share(len(told), len(hidden)) >= LEAKY):
        return tuple(sorted(told | exact))
    return ()


# Choosing and asking


def drawn(ids: Iterable[int], seed: int) -> list[int]:
    """Facts in the order in which a seed draws them: the same for the same seed, whatever else is in the store."""

    def place(fact: int) -> bytes:
        return hashlib.sha256(f"quiz {seed} {fact}".encode()).digest()

    return sorted(ids, key=lambda fact: (place(fact), fact))


def mentions(text: str, wanted: str, lexicon: Lexicon) -> bool:
    """Whether a text has a phrase word for word, or all its content words and values."""
    folded = " ".join(_WORD.findall(text.casefold()))
    phrase = " ".join(_WORD.findall(wanted.casefold()))
    if phrase and f" {phrase} " in f" {folded} ":
        return True
    words = content(wanted, lexicon)
    return (
        bool(words)
        and words <= analyse(text, lexicon).vocabulary
        and denials(wanted, lexicon) == denials(text, lexicon)
    )


def cue_words(text: str, subjects: AbstractSet[str], lexicon: Lexicon) -> Sequence[tuple[str, str]]:
    """The content words of a text in their order, as (stem, as written), without the subject's own."""
    read = analyse(text, lexicon)
    found: dict[str, str] = {}
    for token in read.tokens:
        if token.stem in read.content and token.stem not in subjects and token.kind != "punct":
            found.setdefault(token.stem, token.surface)
    return tuple(found.items())


def most_cues(count: int) -> int:
    """How many of so many content words a question may say without giving the answer away."""
    return max(0, (count - 1) // 2)
