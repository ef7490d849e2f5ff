"""English verb forms from a closed list: what a word can be, and how it agrees with a third person."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from nocturne.llm.rules.cues import load

VOWELS = "aeiou"


@dataclass(frozen=True, slots=True)
class Forms:
    """Every surface form that the list can make, by what it is."""

    base: frozenset[str]
    third: frozenset[str]
    past: frozenset[str]
    participle: frozenset[str]
    gerund: frozenset[str]
    only_past: frozenset[str]
    """Pasts that are no present form as well: "went", not "put"."""


def third_person(base: str) -> str:
    """``go`` → ``goes``: by the spelling rules, which hold for words outside the list too."""
    if base in {"be", "am", "are"}:
        return "is"
    if base == "have":
        return "has"
    if base.endswith(("s", "x", "z", "ch", "sh", "o")) and not base.endswith("oo"):
        return base + "es"
    if base.endswith("y") and base[-2:-1] not in VOWELS:
        return base[:-1] + "ies"
    return base + "s"


def _doubles(base: str) -> bool:
    """One short syllable, consonant, vowel, consonant: ``plan`` → ``planned``."""
    if len(base) < 3 or base[-1] in VOWELS + "wxy" or base[-2] not in VOWELS or base[-3] in VOWELS:
        return False
    return sum(letter in VOWELS for letter in base) == 1 or base in {
        "prefer", "refer", "commit", "permit", "admit", "occur", "regret", "format", "transfer", "submit",
        "control", "rebut", "begin", "forget", "unwrap", "kidnap", "outrun", "unplug",
    }  # fmt: skip


def past_form(base: str) -> str:
    """The regular past: ``move`` → ``moved``, ``plan`` → ``planned``, ``try`` → ``tried``."""
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2:-1] not in VOWELS:
        return base[:-1] + "ied"
    return base + base[-1] + "ed" if _doubles(base) else base + "ed"


def gerund_form(base: str) -> str:
    """``make`` → ``making``, ``lie`` → ``lying``, ``run`` → ``running``."""
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")) and base != "be":
        return base[:-1] + "ing"
    return base + base[-1] + "ing" if _doubles(base) or base in {"run", "get", "set"} else base + "ing"


@cache
def forms() -> Forms:
    """All forms, built once."""
    lists = load("verbs.json")
    base: set[str] = set()
    third: set[str] = {"is", "has", "does"}
    past: set[str] = set()
    participle: set[str] = {"been"}
    gerund: set[str] = set()
    for row in lists["irregular"]:
        stem, pasts, participles = row.split()
        base.add(stem)
        past.update(pasts.split("/"))
        participle.update(participles.split("/"))
    for stem in " ".join(lists["regular"]).split():
        base.add(stem)
        past.add(past_form(stem))
        participle.add(past_form(stem))
    for stem in base:
        third.add(third_person(stem))
        gerund.add(gerund_form(stem))
    for stem in ("travel", "cancel", "label", "model", "program", "focus"):
        past.update({stem + stem[-1] + "ed", stem + "ed"})
        participle.update({stem + stem[-1] + "ed", stem + "ed"})
        gerund.update({stem + stem[-1] + "ing", stem + "ing"})
    return Forms(*(frozenset(part) for part in (base, third, past, participle, gerund, past - base)))


def is_past(word: str) -> bool:
    """Whether a verb after "I" is in the past already: listed, or an -ed form of an unlisted verb."""
    known = forms()
    if word in known.past:
        return True
    return word.endswith("ed") and len(word) > 4 and word not in known.base and not word.endswith("eed")
