"""Statements that lean on the one before: "It has a cast-iron stove." is kept with what "it" is, or not at all."""

from __future__ import annotations

from collections.abc import Sequence

from nocturne.llm.rules.grammar import FAMILY, VALUING
from nocturne.llm.rules.prose import Token
from nocturne.llm.rules.trim import content

THINGS = frozenset({"it", "it's", "its", "it'll", "this", "that", "that's"})
SEVERAL = frozenset({"they", "they're", "they've", "they'll", "these", "those", "their"})
PERSONS = frozenset({"he", "he's", "he'll", "his", "she", "she's", "she'll", "her", "him"})
OWNING = frozenset(
    {"i", "i'm", "i've", "my", "our", "we", "we're", "we've", "here's", "here", "kids", "girls", "boys"}
)
COMPLIMENTS = frozenset(
    {"what", "what's", "how", "sounds", "looks", "look", "glad", "those", "that", "bet", "wish", "if"}
)
NAMELESS = (
    THINGS - {"this", "that"}
    | SEVERAL - {"these", "those"}
    | PERSONS
    | {"them", "you", "your", "you're", "you've"}
)
LONGEST = 420


def head_of(tokens: Sequence[Token]) -> str:
    """What kind of thing the pronoun that opens the clause stands for; empty where none does."""
    low = tokens[0].low if tokens else ""
    if low in THINGS:
        return "thing"
    if low in SEVERAL:
        return "several"
    return "person" if low in PERSONS else ""


def anchors(tokens: Sequence[Token], names: frozenset[str]) -> bool:
    """Whether a short sentence that is no fact by itself names what the next one speaks of: "I love this series!"."""
    if not 2 <= len(tokens) <= 16 or any(token.low in NAMELESS for token in tokens):
        return False
    own = any(token.low in OWNING or (at and token.text[0].isupper()) for at, token in enumerate(tokens))
    named = tokens[0].low.endswith("'s") and tokens[0].low not in NAMELESS
    if tokens[0].low in COMPLIMENTS or not (own or named):
        return False
    return content([token for token in tokens if token.low not in VALUING], names) >= 1


def tells(tokens: Sequence[Token], names: frozenset[str]) -> bool:
    """Whether a pronoun's clause says more than how good or bad something was."""
    rest = [token for token in tokens[1:] if token.low not in VALUING]
    return content(rest, names) >= 2


def names_it(text: str, kind: str, speaker: str | None) -> bool:
    """Whether a statement names something that such a pronoun can stand for."""
    words = [word.strip(".,!?;:()\"'") for word in text.replace("'s", "").split()]
    others = [word for word in words if word and word not in {speaker, "The", "user", "the"}]
    kin = any(word.lower() in FAMILY for word in others)
    if kind == "person":
        return kin or any(word[0].isupper() and word.isalpha() for word in others[1:])
    if kind == "several":
        plural = any(
            word.endswith("s") and not word.endswith(("ss", "us", "is")) for word in others if len(word) > 3
        )
        return kin or plural or "and" in others
    return len(others) > 2
