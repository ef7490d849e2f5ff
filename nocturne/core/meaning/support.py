"""Whether a clause follows from a longer one: the same words in order, and what the longer one adds is harmless."""

from __future__ import annotations

from nocturne.core.meaning.additions import Addition, harmless
from nocturne.core.meaning.alike import Rewrites, match
from nocturne.core.meaning.clauses import statements, verb_at
from nocturne.core.meaning.forms import forms, lacks
from nocturne.core.meaning.grammar import SUBJECT_PRONOUNS, Grammar
from nocturne.core.meaning.moves import Key, bag, bare
from nocturne.core.meaning.reading import Reading

_LONGEST = 150
"""Words of a claim beyond which no alignment is tried."""


def follows(claim: Key, source: Key, grammar: Grammar, *, loose: bool = False) -> Rewrites | None:
    """The rewrites by which ``source`` says ``claim`` and maybe more; None where it does not."""
    if (found := match(claim, source, grammar)) is not None:
        return found
    if not grammar.known or len(claim) > len(source) + 4 or lacks(source, claim, grammar):
        return None
    for form, names in forms(source, grammar).items():
        if _aligned(claim, form, grammar, loose=loose):
            return (*names, "more is said")
    for form, names in forms(claim, grammar).items():
        if names and _aligned(form, source, grammar, loose=loose):
            return (*names, "more is said")
    return None


def contained(one: Reading, two: Reading, *, loose: bool = False) -> Rewrites | None:
    """The rewrites by which every statement of ``one`` follows from a statement of ``two``."""
    grammar = two.grammar
    if grammar.language != one.grammar.language or one.asks or two.asks or not grammar.known:
        return None
    if bag(one.words) == bag(two.words):
        return None
    offered = [sentence.words for sentence in two.sentences]
    for sentence in two.sentences:
        parts = statements(sentence.words, grammar)
        if len(parts) > 1 and not embedded(sentence.words, grammar):
            offered.extend(
                part
                for part in parts
                if not any(set(other) & grammar.negation for other in parts if other != part)
            )
    names: dict[str, None] = {}
    for sentence in one.sentences:
        found = _first(sentence.words, offered, grammar, loose=loose)
        if found is None:
            parts = statements(sentence.words, grammar)
            several = [_first(part, offered, grammar, loose=loose) for part in parts]
            if len(parts) < 2 or any(item is None for item in several):
                return None
            found = tuple(name for item in several if item for name in item)
        names.update(dict.fromkeys(found))
    return tuple(names) or ("more is said",)


def _first(claim: Key, offered: list[Key], grammar: Grammar, *, loose: bool) -> Rewrites | None:
    for source in offered:
        found = follows(claim, source, grammar, loose=loose)
        if found is not None:
            return found
    return None


def embedded(sentence: Key, grammar: Grammar) -> bool:
    """Whether what the sentence says may hang on a condition, a doubt, a report or somebody's word."""
    words = set(sentence)
    if words & (grammar.conditionals - grammar.modals) or '"' in words or ":" in words:
        return True
    return bool(words & grammar.modals & grammar.conditionals) or reports(sentence, grammar)


def reports(sentence: Key, grammar: Grammar) -> bool:
    """Whether a verb of saying or thinking has a clause of its own behind it."""
    for at, word in enumerate(sentence):
        if (word in grammar.reporting or word in grammar.hedges) and word not in ("called", "call", "calls"):
            rest = sentence[at + 1 :]
            if not grammar.english or (
                rest[:1] and (rest[0] in SUBJECT_PRONOUNS or verb_at(rest, grammar) is not None)
            ):
                return True
    return False


def _aligned(claim: Key, source: Key, grammar: Grammar, *, loose: bool) -> bool:
    wanted, given = bare(claim), source
    if len(wanted) >= len(given) or len(wanted) > _LONGEST or not set(wanted).issubset(given):
        return False
    return _Alignment(wanted, given, grammar, loose=loose).fits(0, 0)


class _Alignment:
    """A claim's words laid into those of a source; it remembers from where on they do not fit."""

    def __init__(self, wanted: Key, given: Key, grammar: Grammar, *, loose: bool) -> None:
        self.wanted, self.given, self.grammar, self.loose = wanted, given, grammar, loose
        self.failed: set[tuple[int, int]] = set()

    def fits(self, i: int, j: int) -> bool:
        """Whether the claim from ``i`` on is said by the source from ``j`` on."""
        if (i, j) in self.failed:
            return False
        wanted, given, grammar = self.wanted, self.given, self.grammar
        if i == len(wanted):
            if harmless(Addition(given, j, len(given), wanted, i, self.loose), grammar):
                return True
        else:
            for k in range(j, len(given)):
                if given[k] != wanted[i]:
                    continue
                more = Addition(given, j, k, wanted, i, self.loose)
                if (k == j or harmless(more, grammar)) and self.fits(i + 1, k + 1):
                    return True
        self.failed.add((i, j))
        return False
