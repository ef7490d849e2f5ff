"""Whom a text says to like or dislike what: enough to see that an attitude turned; closed tables, English only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from nocturne.core.meaning.attributes import lemma, plain_statements
from nocturne.core.meaning.clauses import subject_of
from nocturne.core.meaning.moves import Key
from nocturne.core.meaning.reading import Reading

_FOR = frozenset(("like", "love", "enjoy", "adore", "appreciate"))
_AGAINST = frozenset(("hate", "dislike", "detest", "loathe", "despise"))
_EXCITED = frozenset(("excited", "enthusiastic", "thrilled"))
_WARY = frozenset(("skeptical", "sceptical"))
_NEUTRAL = frozenset(("explore", "try", "incorporate", "use", "have", "do"))
"""Verbs that say no more than that one has to do with the thing."""
_DOING = (
    frozenset(("read", "watch", "eat", "drink", "wear", "play", "listen", "cook", "visit", "write", "ride"))
    | _NEUTRAL
)
_DEGREE = frozenset(
    ("really", "very", "quite", "actually", "so", "now", "still", "also", "truly", "absolutely", "to")
)
_DETERMINERS = frozenset(
    ("the", "these", "those", "this", "that", "a", "an", "more", "some", "any", "such", "new")
)
_PRAISE = frozenset(("stylish", "great", "good", "beautiful", "amazing", "wonderful", "lovely", "fantastic"))
_ENDS = frozenset((",", ";", ":", "because", "since", "so", "but", "and", "or", "that", "which", "who", "into", "in",
                   "on", "at", "with", "for", "from", "as", "when", "if", "while", "after", "before", "due", "anymore",
                   "now", "too", "much", "again", "lately"))  # fmt: skip
_EARLIER = frozenset(("initially", "first", "previously", "once", "originally"))
_MINDS = frozenset(("mind", "perspective", "view", "opinion", "attitude"))


@dataclass(frozen=True, slots=True)
class Attitude:
    """``holder`` likes, or does not, to ``verb`` the ``thing``; ``verb`` is empty where the text names none."""

    holder: str
    verb: str
    thing: str
    likes: bool

    def turns(self, later: Attitude) -> bool:
        """Whether a later attitude is the opposite of this one, on the same thing."""
        alike = self.verb == later.verb or not self.verb or not later.verb
        return (
            self.holder == later.holder and self.thing == later.thing and self.likes != later.likes and alike
        )


@lru_cache(maxsize=8_192)
def attitudes(reading: Reading) -> tuple[Attitude, ...]:
    """Every attitude that the text states, as it is in the end."""
    if not reading.grammar.english:
        return ()
    return tuple(dict.fromkeys(_found(reading)))


def _found(reading: Reading) -> Iterator[Attitude]:
    grammar = reading.grammar
    words = [word for sentence in reading.sentences for word in sentence.words]
    turned = "but" in words and any(lemma(word) == "change" for word in words) and bool(_MINDS & set(words))
    for clause in plain_statements(reading):
        subject = subject_of(clause, grammar)
        if not subject:
            continue
        rest = clause[len(subject) :]
        denied = bool(set(rest[:4]) & grammar.negation) or "cannot" in rest[:3]
        told = [word for word in rest if word not in grammar.negation and word not in _DEGREE]
        holder = " ".join(subject)
        for at, word in enumerate(told[:5]):
            head = lemma(word)
            if head in _FOR | _AGAINST and all(lemma(w) in ("do", "would", "be", "have") for w in told[:at]):
                yield from _about(holder, tuple(told[at + 1 :]), likes=(head in _FOR) != denied)
                break
            if word in _EXCITED | _WARY and lemma(told[0]) in ("be", "have", "feel"):
                after = told[at + 1 :]
                after = after[1:] if after[:1] == ["about"] else after
                wary = word in _WARY
                # Who was wary at first, and then changed his mind, is wary no longer.
                if wary and (told[0] == "was" or _EARLIER & set(told)) and not turned:
                    break
                yield from _about(holder, tuple(after), likes=(wary == denied) or (wary and turned))
                break


def _base(word: str) -> str:
    """The verb of a form, gerunds of verbs that the tables do not know included."""
    stem = word.removesuffix("ing")
    return next((verb for verb in (lemma(word), stem, f"{stem}e") if verb in _DOING), word)


def _about(holder: str, rest: Key, *, likes: bool) -> Iterator[Attitude]:
    verb = _base(rest[0]) if rest else ""
    if verb in _DOING:
        rest = rest[1:]
        rest = rest[1:] if verb == "listen" else rest
    else:
        verb = ""
    thing: list[str] = []
    for word in rest:
        if word in _ENDS:
            break
        if not thing and word in _DETERMINERS | _PRAISE:
            continue
        thing.append(word)
    if (
        thing
        and len(thing) <= 4
        and not any(word.startswith("§") or word in ("it", "them") for word in thing)
    ):
        yield Attitude(holder, "" if verb in _NEUTRAL else verb, " ".join(thing), likes)
