"""Wording as data: families of phrases in JSON beside this file, each compiled once to one pattern.

An entry's ``of`` lists alternatives; a nested ``{"lead", "of", "tail"}`` adds words before and after its own.
``where`` says how they are anchored, ``triggers`` which words must occur for it to be worth trying.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

WHERE: Mapping[str, str] = {
    "words": r"\b(?:{})\b",
    "start": r"\A(?:{})",
    "opening": r"\A\W*(?:{})",
    "startwords": r"\A\W*(?:{})\b",
    "any": r"(?:{})",
    "lines": r"\A\s*(?:{})",
}


@cache
def load(name: str) -> dict[str, Any]:
    """One of the closed lists that stand beside this file."""
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


@dataclass(frozen=True, slots=True)
class Cue:
    """A family of wordings; ``triggers`` is empty where the pattern is always tried."""

    pattern: re.Pattern[str]
    triggers: frozenset[str]

    def found(self, text: str, words: AbstractSet[str]) -> bool:
        """Whether the wording occurs in lower-cased ``text``, whose words are ``words``."""
        if self.triggers and self.triggers.isdisjoint(words):
            return False
        return self.pattern.search(text) is not None

    def within(self, text: str) -> bool:
        """Whether the wording occurs in ``text``."""
        return self.pattern.search(text) is not None


def _alternatives(of: list[Any]) -> str:
    parts = [
        part if isinstance(part, str) else f"{part['lead']}(?:{_alternatives(part['of'])}){part['tail']}"
        for part in of
    ]
    return "|".join(parts)


@cache
def cue(file: str, name: str) -> Cue:
    """The family ``name`` of ``file``."""
    entry = load(file)[name]
    source = WHERE[entry["where"]].format(_alternatives(entry["of"]))
    return Cue(re.compile(source, re.IGNORECASE), frozenset(entry.get("triggers", "").split()))


@cache
def words(file: str, name: str) -> frozenset[str]:
    """The closed set ``name`` of ``file``."""
    entry = load(file)[name]
    return frozenset(entry["set"])
