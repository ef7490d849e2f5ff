"""Pronouns behind a verb that name nothing: "painted it", "got her last year"."""

from __future__ import annotations

from collections.abc import Sequence

from nocturne.llm.rules.grammar import (
    ADVERBS,
    AUXILIARY,
    CONTRACTED,
    DETERMINERS,
    FAMILY,
    FIRST,
    PREPOSITIONS,
    SUBORDINATORS,
    TIMES,
)
from nocturne.llm.rules.prose import Token
from nocturne.llm.rules.verbs import forms

MEANT = {
    "it": "thing",
    "him": "person",
    "her": "person",
    "them": "several",
    "those": "several",
    "these": "several",
}
PEOPLE = frozenset(
    {"someone", "somebody", "everyone", "girl", "boy", "man", "woman", "lady", "guy", "people", "folks"}
)
HANGING = frozenset(
    {("a", "few"), ("this", "one"), ("that", "one"), ("these", "ones"), ("those", "ones"), ("some", "more")}
)
LATER = frozenset({"last", "next", "two", "three", "four", "five", "for", "when"})
AHEAD = frozenset({"when", "that", "how", "to"})
"""After these "it" stands for what follows: "I love it when it rains", "I find it hard to sleep"."""
FREE = (
    ADVERBS
    | PREPOSITIONS
    | DETERMINERS
    | AUXILIARY
    | SUBORDINATORS
    | TIMES
    | {"and", "but", "so", ",", "—", "-"}
)


def owner_of(tokens: Sequence[Token]) -> str:
    """The kind of thing that "her house" or "their offer" belongs to, where nothing before it names one."""
    seen = several = False
    for at, token in enumerate(tokens):
        low = token.low
        if low in {"his", "her", "him", "she", "he"} and not seen:
            return "person"
        if low in {"their", "them", "they"} and not (seen or several):
            return "several"
        someone = low in FAMILY or low in PEOPLE
        seen = seen or someone or (at > 0 and token.text[0].isupper() and low not in FIRST | TIMES)
        several = (
            several
            or someone
            or (len(low) > 3 and low.endswith("s") and not low.endswith(("ss", "us", "is")))
        )
    return ""


def _placeless(tokens: Sequence[Token]) -> bool:
    """Whether "there" stands for a place that was named before: "we go there together"."""
    for at, token in enumerate(tokens):
        if token.low == "there" and at > 1:
            after = tokens[at + 1].low if at + 1 < len(tokens) else ","
            return after not in AUXILIARY and after not in PREPOSITIONS
    return False


def object_of(tokens: Sequence[Token], verb: int) -> str:
    """The kind of thing that a pronoun right behind the verb stands for, with no noun before it."""
    known = forms()
    if _placeless(tokens) or tuple(token.low for token in tokens[-2:]) in HANGING:
        return "thing"
    for at in range(verb + 1, min(verb + 6, len(tokens))):
        low = tokens[at].low
        after = tokens[at + 1].low if at + 1 < len(tokens) else ","
        if low in MEANT:
            owns = low in {"her", "those", "these"} and not (after in FREE | LATER or not after[0].isalnum())
            ahead = low == "it" and not AHEAD.isdisjoint(token.low for token in tokens[at + 1 : at + 4])
            return "" if owns or ahead else MEANT[low]
        if low in {"that", "this"} and (
            after in {"one", "every", "each", "all"}
            or after in FREE - DETERMINERS - TIMES
            or not after[0].isalnum()
        ):
            return "thing"
        verbal = low in known.base or low in known.gerund or low in known.participle or low in known.past
        if not (verbal or low in FREE or low in CONTRACTED):
            return ""
    return ""
