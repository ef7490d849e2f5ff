"""What a surviving fact inherits, and where a fact is at home."""

from __future__ import annotations

from collections.abc import Iterable

from nocturne.core.facts import CATEGORIES, Block, Category, Fact, Stand
from nocturne.core.policy import Policy

LASTING: tuple[Block, ...] = ("persona", "human", "episodes")
_HUMAN = frozenset({"identity", "preferences", "commitments", "decisions", "opinion", "fact"})


def most_protected(facts: Iterable[Fact], policy: Policy) -> Category:
    """The category that the policy guards; of several the first in the order of ``CATEGORIES``."""
    categories = {fact.category for fact in facts}
    return min(categories, key=lambda name: (not policy.is_protected(name), CATEGORIES.index(name)))


def home(fact: Fact | Stand) -> Block:
    """The block a fact is in or, from scratch, would be promoted to: so that a merge need not wait a night."""
    if fact.block != "scratch":
        return fact.block
    if fact.subject == "assistant":
        return "persona"
    if fact.category == "event":
        return "episodes"
    return "human" if fact.category in _HUMAN else "scratch"
