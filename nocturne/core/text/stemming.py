"""A bounded stem: possessive, agreement ending, one trailing s; nothing more, so that it can be explained."""

from __future__ import annotations

import re

from nocturne.core.text.lexicon import Tongue

_POSSESSIVE = re.compile(r"(?:'s|')+$")
_SHORT = 3
_LONG_ENDING = 5


def bare(form: str) -> str:
    """The form without its possessive."""
    return _POSSESSIVE.sub("", form) if "'" in form else form


def stem_of(form: str, tongue: Tongue) -> str:
    """The stem of a casefolded form: the listed exceptions have theirs, closed-class words stay as they are."""
    word = bare(form) or form
    stems = tongue.table("stems")
    if word in stems:
        found: str = stems[word]
        return found
    if word in tongue.function:
        return word
    if len(word) <= _SHORT or not word.isalpha():
        return word
    if len(word) >= _LONG_ENDING:
        for long, short in tongue.endings:
            if word.endswith(long):
                return word[: len(word) - len(long)] + short
    if word[-1] == "s" and word[-2] not in "su":
        return word[:-1]
    return word
