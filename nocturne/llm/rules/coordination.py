"""One subject with several verbs: each verb becomes a clause of its own, with the subject carried over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nocturne.llm.rules.clauses import shows_verb
from nocturne.llm.rules.grammar import (
    ADJECTIVES,
    ADVERBS,
    BE,
    CONTRACTED,
    DO,
    FIRST,
    INNER,
    LINKING,
    MODALS,
    NOUN_VERBS,
    PREPOSITIONS,
    SUBORDINATORS,
    SURE_PAST,
    SURE_PRESENT,
)
from nocturne.llm.rules.pointing import object_of
from nocturne.llm.rules.prose import Token
from nocturne.llm.rules.verbs import forms, is_past

OTHER_SUBJECTS = frozenset(
    {"they", "he", "she", "i", "they're", "he's", "she's", "it's", "i'm", "-", "–", "—"}
)
WANTING = frozenset(
    {"want", "wanted", "plan", "plans", "planning", "hope", "hoping", "need", "like", "love", "intend"}
)
LASTING = frozenset({"live", "work", "own", "speak", "study", "have"})
OFTEN = frozenset({"sometimes", "usually", "often", "rarely", "mostly", "always", "seldom", "just", "only"})
NEGATIONS = frozenset({"not", "never", "don't", "didn't", "can't", "won't"})
OWN_FINITE = frozenset({"will", "won't", "am", "was"})
JOINTS = frozenset({"and", "but", "then"})
TAILS = {"m": "be", "re": "be", "ve": "have", "ll": "modal", "d": "modal"}


@dataclass(frozen=True, slots=True)
class Clause:
    """Tokens of one statement. ``carried`` are the subject words that a coordinated verb takes over."""

    tokens: tuple[Token, ...]
    carried: tuple[Token, ...] = ()

    @property
    def words(self) -> tuple[Token, ...]:
        """The clause as it reads with its subject in place."""
        return self.carried + self.tokens


@dataclass(frozen=True, slots=True)
class Verb:
    """The main verb of a first-person clause: its place and kind (present, past, be, have, do, modal)."""

    at: int
    kind: str


def after_adverbs(tokens: Sequence[Token], at: int) -> int:
    """The first place from ``at`` on that holds no adverb and no "not"."""
    while at < len(tokens) and (
        tokens[at].low in ADVERBS or tokens[at].low in {"not", "longer"} or _no_longer(tokens, at)
    ):
        at += 1
    return at


def _no_longer(tokens: Sequence[Token], at: int) -> bool:
    return tokens[at].low == "no" and at + 1 < len(tokens) and tokens[at + 1].low == "longer"


def main_verb(tokens: Sequence[Token], subject: int) -> Verb | None:
    """The verb after a first-person subject at ``subject``."""
    low = tokens[subject].low
    if low in CONTRACTED:
        return Verb(subject, "have" if low == "ive" else TAILS.get(low.partition("'")[2], "be"))
    index = after_adverbs(tokens, subject + 1)
    if index >= len(tokens):
        return None
    word = tokens[index].low
    if word in BE:
        return Verb(index, "be")
    if word in {"have", "haven't"}:
        after = after_adverbs(tokens, index + 1)
        helps = after < len(tokens) and tokens[after].low in forms().participle
        return Verb(index, "have" if helps else "present")
    if word in DO and word != "do":
        return Verb(index, "do")
    if word in MODALS:
        return Verb(index, "modal")
    if is_past(word):
        return Verb(index, "past")
    return Verb(index, "present") if word in forms().base else None


def _made(word: str, place: Token) -> Token:
    """A word that stands for one left out; it has no width in the turn."""
    return Token(word, word.lower(), place.start, place.start)


@dataclass(frozen=True, slots=True)
class _Frame:
    """A clause under the knife: its tokens, its main verb, and its bare subject."""

    tokens: tuple[Token, ...]
    verb: Verb
    subject: Token
    negated: bool
    """Whether a negation or a word of how often stands by the verb, which might hold for a second one too."""

    @property
    def team(self) -> bool:
        return self.subject.low == "we"

    def with_auxiliary(self, word: str) -> tuple[Token, ...]:
        return (self.subject, _made(word, self.subject))


def coordinated(tokens: tuple[Token, ...], subject: int) -> list[Clause]:
    """The clause cut where its subject has several verbs; one clause where it has one."""
    verb = main_verb(tokens, subject)
    if verb is None or (subject > 0 and tokens[subject - 1].low in {"and", "or"}):
        return [Clause(tokens)]
    head = tokens[subject]
    near = {token.low for token in tokens[max(0, subject - 2) : verb.at + 3]}
    frame = _Frame(
        tokens,
        verb,
        _made("I" if head.low in FIRST else "we", head),
        negated=not near.isdisjoint(NEGATIONS | OFTEN),
    )
    parts: list[Clause] = []
    carried: tuple[Token, ...] = ()
    begin, depth, since = 0, 0, verb.at
    for at in range(verb.at + 2, len(tokens)):
        mark = tokens[at - 1].low
        depth += (mark in {"(", "["}) - (mark in {")", "]"})
        if depth > 0 or mark not in JOINTS:
            continue
        taken = _carried(frame, since, at, first=not parts)
        if taken is None:
            continue
        end = at - 1
        while end > begin and (tokens[end - 1].low in JOINTS or tokens[end - 1].low == ","):
            end -= 1
        parts.append(Clause(tokens[begin:end], carried))
        begin, carried, since = at, taken, at
    parts.append(Clause(tokens[begin:], carried))
    return parts


def _carried(frame: _Frame, since: int, at: int, *, first: bool) -> tuple[Token, ...] | None:
    """The words to put before a verb that follows a joint at ``at - 1``; None where it is no second verb."""
    tokens = frame.tokens
    index = after_adverbs(tokens, at)
    between = tokens[since + 1 : at - 1]
    if index >= len(tokens) or not between or _reaches_over(frame, between) or object_of(tokens, index):
        return None
    word, main = tokens[index].low, tokens[frame.verb.at].low
    more = index + 1 < len(tokens)
    if first and frame.negated and word != main:
        return None
    if more and word == main and frame.verb.kind in {"present", "past"}:
        return (frame.subject,)
    return _finite_again(frame, word, index) or _continued(frame, since, at - 1, index)


def _reaches_over(frame: _Frame, between: Sequence[Token]) -> bool:
    """Whether a clause of its own or a list of verbs stands before the joint, so that nothing can be cut there."""
    known = forms()
    for at, token in enumerate(between):
        after = between[at + 1].low if at + 1 < len(between) else ""
        if token.low in SUBORDINATORS or token.low in INNER or token.low in OTHER_SUBJECTS:
            return True
        if token.low in {"you", "it", "we"} and (
            after in known.base or after in known.past or after in known.third
        ):
            return True
        listed = (after in known.base or after in known.past) and (after not in NOUN_VERBS or frame.team)
        if token.low == "," and listed and at + 2 < len(between) and between[at + 2].low not in JOINTS:
            return True
    return False


def _finite_again(frame: _Frame, word: str, index: int) -> tuple[Token, ...] | None:
    """The bare subject, where the word is a finite verb beyond doubt."""
    kind, more = frame.verb.kind, index + 1 < len(frame.tokens)
    liked = word in {"love", "like"} and shows_verb(frame.tokens, index + 1)
    if word in OWN_FINITE or (kind != "past" and (word in SURE_PRESENT or liked)):
        return (frame.subject,)
    if more and kind == "be" and word in LASTING and shows_verb(frame.tokens, index + 1):
        return (frame.subject,)
    if more and word == "have" and frame.tokens[index + 1].low in forms().participle:
        return (frame.subject,)
    if more and kind in {"past", "be", "have"} and word in SURE_PAST:
        return (frame.subject,)
    return None


def _continued(frame: _Frame, since: int, until: int, index: int) -> tuple[Token, ...] | None:
    """The subject, with the auxiliary or "to" that the word at ``index`` continues."""
    known, word, kind = forms(), frame.tokens[index].low, frame.verb.kind
    after = frame.tokens[index + 1].low if index + 1 < len(frame.tokens) else ""
    placed = any(token.low in PREPOSITIONS for token in frame.tokens[since + 1 : until])
    if word in NOUN_VERBS and after in PREPOSITIONS and not placed and word not in known.past:
        return None
    if not (_plainly_verb(frame, until, index) or shows_verb(frame.tokens, index + 1)):
        return None
    plain = (frame.subject,)
    if kind == "past" and word in known.past and word not in ADJECTIVES:
        linking = frame.tokens[frame.verb.at].low in LINKING and word.endswith("ed")
        return None if linking else plain
    if kind == "be" and word in known.gerund:
        return frame.with_auxiliary("are" if frame.team else "am") if _progressive(frame, until) else None
    if word not in known.base or kind in {"have", "do"}:
        return None
    infinitive = _infinitive(frame, since, until)
    if infinitive is not None:
        return infinitive
    if any(token.low == "to" for token in frame.tokens[frame.verb.at : until]):
        return None
    return plain if kind == "present" else None


def _plainly_verb(frame: _Frame, until: int, index: int) -> bool:
    """Whether the word needs no proof that it is a verb: it cannot be a noun, and no list of nouns goes before."""
    word = frame.tokens[index].low
    if word in NOUN_VERBS or word in forms().gerund or index + 1 >= len(frame.tokens):
        return False
    return frame.tokens[index + 1].low != "of" and frame.tokens[until - 1].low != ","


def _progressive(frame: _Frame, until: int) -> bool:
    """Whether the main verb is "to be" with one gerund, so that a second one is its like."""
    at = after_adverbs(frame.tokens, frame.verb.at + 1)
    gerunds = [token.low for token in frame.tokens[frame.verb.at : until] if token.low in forms().gerund]
    single = len(gerunds) == 1 and until - at > 1
    return at < len(frame.tokens) and frame.tokens[at].low in forms().gerund and single


def _infinitive(frame: _Frame, since: int, until: int) -> tuple[Token, ...] | None:
    """The words up to the last "to" whose infinitive the joint continues; None where there is none."""
    tokens, verb = frame.tokens, frame.verb
    if sum(token.low == "to" for token in tokens[verb.at : until]) != 1:
        return None
    for index in range(until - 1, since, -1):
        direct = index - verb.at <= 3 and until - index > 2 and tokens[index - 1].low in WANTING
        if tokens[index].low == "to" and tokens[index + 1].low in forms().base and direct:
            head = tokens[verb.at : index + 1]
            return head if tokens[verb.at].low in CONTRACTED else (frame.subject, *head)
    return None
