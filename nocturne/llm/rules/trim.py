"""What stands around a statement and says nothing: greetings, interjections, names called, thanks."""

from __future__ import annotations

from collections.abc import Sequence

from nocturne.llm.rules.clauses import starts_clause
from nocturne.llm.rules.cues import load
from nocturne.llm.rules.grammar import (
    ADVERBS,
    ALWAYS_DROPPED,
    AUXILIARY,
    CONTRACTED,
    DETERMINERS,
    FILLERS,
    OPENERS,
    OWN,
    PHRASES,
    PREPOSITIONS,
    PRONOUN_OBJECTS,
    PRONOUNS,
    SUBJECTS,
    SUBORDINATORS,
)
from nocturne.llm.rules.prose import Token
from nocturne.llm.rules.refuse import DEICTIC, WEAK
from nocturne.llm.rules.verbs import forms, is_past

EMPTY = (
    DETERMINERS | PREPOSITIONS | PRONOUNS | ADVERBS | AUXILIARY | SUBORDINATORS | WEAK | DEICTIC | CONTRACTED
    | PRONOUN_OBJECTS
)  # fmt: skip
"""Words that say nothing by themselves."""
STATEMENT = SUBJECTS | OWN | {"the", "a", "an", "please"}
OPENING_MARKS = frozenset("\"“'/@#$")
CLOSING_MARKS = frozenset(")\"”'%]}>`")
TAIL_MARKS = frozenset({",", "-", "–", "—", "--"})
TAILS = tuple(tuple(phrase.split()) for phrase in load("english.json")["tails"])
STARTS = frozenset(phrase[0] for phrase in PHRASES)


def content(tokens: Sequence[Token], names: frozenset[str] = frozenset()) -> int:
    """How many words say something by themselves; a number always does, and a name ("Go") that is none here."""
    found = 0
    for token in tokens:
        low = token.low
        telling = low not in EMPTY or (low in WEAK and token.text[0].isupper())
        found += low[0].isdigit() or (low[0].isalnum() and low not in names and telling)
    return found


def _phrase(tokens: Sequence[Token]) -> int:
    """How many tokens at the start are a set phrase that says nothing."""
    if tokens[0].low not in STARTS:
        return 0
    low = tuple(token.low for token in tokens[:9])
    return next((len(phrase) for phrase in PHRASES if low[: len(phrase)] == phrase), 0)


def _starts_statement(tokens: Sequence[Token], at: int) -> bool:
    token = tokens[at]
    return token.low in STATEMENT or token.low in FILLERS or token.text[0].isupper()


def _called(tokens: Sequence[Token], names: frozenset[str], *, marked: bool) -> bool:
    """Whether the first word is a name called out, or a bare "remember" before a statement."""
    low = tokens[0].low
    if low in names:
        return marked or tokens[1].low in SUBJECTS or tokens[1].low in OWN
    return low in {"remember", "note"} and starts_clause(tokens, 1)


def _filler(tokens: Sequence[Token], *, marked: bool) -> bool:
    low = tokens[0].low
    if low not in FILLERS:
        return False
    if marked or low in ALWAYS_DROPPED:
        return True
    after = tokens[1].low
    verb = after in forms().gerund or is_past(after)
    return low in OPENERS and not verb and _starts_statement(tokens, 1)


def strip_front(tokens: tuple[Token, ...], names: frozenset[str]) -> tuple[Token, ...]:
    """The clause without greetings, interjections, names called and politeness before it."""
    while tokens:
        first = tokens[0].text[0]
        if not first.isalnum() and first not in OPENING_MARKS:
            tokens = tokens[1:]
        elif count := _phrase(tokens):
            tokens = tokens[count:]
        else:
            after = tokens[1].text[0] if len(tokens) > 1 else ","
            marked = not after.isalnum() and after not in "'\"“"
            if not (_called(tokens, names, marked=marked) or _filler(tokens, marked=marked)):
                break
            tokens = tokens[1:]
    return tokens


def without_tail(tokens: tuple[Token, ...], names: frozenset[str]) -> tuple[Token, ...]:
    """The clause without what is only said to the other behind it: thanks, an invitation, "just like you"."""
    tokens = strip_back(tokens, names)
    for at in range(4, len(tokens) - 1):
        low = tokens[at].low
        if low in TAIL_MARKS:
            after = tuple(token.low for token in tokens[at + 1 : at + 4])
            if any(after[: len(phrase)] == phrase for phrase in TAILS):
                return strip_back(tokens[:at], names)
    return tokens


def strip_back(tokens: tuple[Token, ...], names: frozenset[str]) -> tuple[Token, ...]:
    """The clause without thanks and names called after it."""
    while tokens and not tokens[-1].text[-1].isalnum() and tokens[-1].text[-1] not in CLOSING_MARKS:
        tokens = tokens[:-1]
    for index in range(len(tokens) - 1, max(0, len(tokens) - 5), -1):
        if tokens[index].low == ",":
            said = [token.low for token in tokens[index + 1 :]]
            if all(low in names or low in FILLERS or low in {"you", "much", "!"} for low in said):
                return strip_back(tokens[:index], names)
            break
    return tokens
