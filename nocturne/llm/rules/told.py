"""What a person tells an agent to do from now on, and what they settle, in the imperative that they used."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from nocturne.core.facts import Category
from nocturne.llm.rules import refuse
from nocturne.llm.rules.clauses import finite_at, starts_question
from nocturne.llm.rules.coordination import after_adverbs
from nocturne.llm.rules.cues import cue
from nocturne.llm.rules.grammar import CONTRAST_HEADS, EVENT_NOUNS, IMPERATIVES, LABELS, TOLD_HEADS
from nocturne.llm.rules.prose import Token
from nocturne.llm.rules.trim import content
from nocturne.llm.rules.verbs import forms

ORDERS = IMPERATIVES | {"don't", "dont", "prefer", "stick", "do"}
NO_EVENT = IMPERATIVES - EVENT_NOUNS
SETTLING = cue("kinds.json", "settling")
TRYING = re.compile(r" to (?:see|check|find|test|try)\b")
TIMED = cue("kinds.json", "timed")
POINTERS = frozenset({"it", "this", "that", "these", "those", "them"})


FORBIDDEN = frozenset(
    {"touch", "edit", "modify", "use", "commit", "push", "add", "import", "install", "delete", "mock"}
)
ONCE = POINTERS | {
    "me",
    "anything",
    "else",
    "yet",
    "now",
    "just",
    "here",
    "here.",
    "any-more",
    "again",
    "until",
    "unless",
}


@dataclass(frozen=True, slots=True)
class Told:
    """What kind of instruction a clause is."""

    category: Category | None
    attribute: str | None = None


def label(tokens: tuple[Token, ...]) -> bool:
    """``Stack: FastAPI, PostgreSQL``: a known label and its value."""
    short = 2 < len(tokens) < 40
    return short and tokens[0].low in LABELS and tokens[1].low == ":" and tokens[2].low not in {"[", "{", "<"}


def appointment(tokens: tuple[Token, ...], text: str) -> bool:
    """``Meeting tomorrow at 15:00``: an appointment's noun with a time, and no verb."""
    if len(tokens) > 14 or tokens[0].low in NO_EVENT:
        return False
    named = any(token.low in EVENT_NOUNS for token in tokens[:4])
    return named and TIMED.within(text) and finite_at(tokens, 0) is None


def told(tokens: tuple[Token, ...], text: str, bag: AbstractSet[str]) -> Told | None:
    """A standing instruction, a correction or a decision; None where it is a one-off request or none."""
    head = tokens[0].low
    if head in {"never", "always"}:
        return _always(tokens)
    if head == "let's" or (head == "let" and tokens[1].low == "us"):
        return _settled(tokens, text)
    if text.startswith("call me ") and 3 <= len(tokens) <= 5 and tokens[2].text[0].isupper():
        return Told("identity", "name")
    if head not in IMPERATIVES and head not in TOLD_HEADS:
        return None
    if content(tokens) < 2:
        return None
    if _forbidden(tokens):
        return Told("preferences")
    standing = refuse.STANDING.found(text, bag) and "never mind" not in text
    if standing and (head in ORDERS or _inner(tokens)) and not starts_question(tokens, 0):
        return Told("preferences")
    return Told("preferences") if head in CONTRAST_HEADS and refuse.CONTRAST.within(text) else None


def _forbidden(tokens: tuple[Token, ...]) -> bool:
    """A prohibition that names what it is about: "don't touch the generated files", not "don't change that yet"."""
    at = 2 if [token.low for token in tokens[:2]] == ["do", "not"] else 1
    if (
        tokens[0].low not in {"don't", "dont", "do"}
        or (tokens[0].low == "do" and at == 1)
        or len(tokens) > 24
    ):
        return False
    once = any(token.low in ONCE for token in tokens)
    return tokens[at].low in FORBIDDEN and not once and content(tokens[at + 1 :]) >= 1


def _always(tokens: tuple[Token, ...]) -> Told | None:
    at = after_adverbs(tokens, 1)
    order = at < len(tokens) and tokens[at].low in forms().base and tokens[1].low not in {"mind", "say"}
    return Told("preferences") if order and content(tokens[1:]) >= 1 else None


def _settled(tokens: tuple[Token, ...], text: str) -> Told | None:
    pointing = any(token.low in POINTERS for token in tokens[2:5])
    settles = SETTLING.within(text) and TRYING.search(text) is None
    return Told("decisions") if settles and not pointing and content(tokens[2:]) >= 1 else None


def _inner(tokens: tuple[Token, ...]) -> bool:
    """An imperative behind a fronted phrase: "From now on, answer in French"."""
    low = [token.low for token in tokens[:16]]
    if low[:3] == ["from", "now", "on"] and len(low) > 3 and low[3] != ",":
        return low[3] in ORDERS or low[3] in {"always", "never"}
    comma = low.index(",") if "," in low[:12] else None
    if comma is None:
        return False
    rest = [word for word in low[comma + 1 :] if word not in {"please", "always", "never"}]
    return bool(rest) and rest[0] in ORDERS
