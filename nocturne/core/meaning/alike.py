"""Whether two readings say the same: the closed list of rewrites, and which of them were used."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from nocturne.core.meaning.clauses import statements, subject_of
from nocturne.core.meaning.forms import forms, lacks
from nocturne.core.meaning.grammar import Grammar
from nocturne.core.meaning.moves import Key, adverb_moved, bag, bare, moved, relisted
from nocturne.core.meaning.reading import Reading
from nocturne.core.meaning.verbs import third_of

Rewrites = tuple[str, ...]


@lru_cache(maxsize=1_024)
def match(one: Key, two: Key, grammar: Grammar) -> Rewrites | None:
    """The rewrites that lead from one clause to the other; None where there are none."""
    if bare(one) == bare(two):
        return ()
    if not grammar.known or lacks(one, two, grammar) or lacks(two, one, grammar):
        return None
    if found := _near(one, two, grammar):
        return found
    left, right = forms(one, grammar), forms(two, grammar)
    if len(left) == 1 and len(right) == 1:
        return None
    plain = {bare(form): names for form, names in right.items()}
    for form, names in left.items():
        others = plain.get(bare(form))
        if others is not None:
            return _joined(names, others)
    for form, names in left.items():
        for other, others in right.items():
            if (found := _near(form, other, grammar)) is not None:
                if "of for 's" in names + others and "list in another order" in found:
                    continue
                return _joined(names, others, found)
    return None


def _joined(*names: Rewrites) -> Rewrites:
    return tuple(dict.fromkeys(name for part in names for name in part))


def _near(one: Key, two: Key, grammar: Grammar) -> Rewrites | None:
    """One move between clauses of the same words."""
    if abs(len(one) - len(two)) > 3:
        return None
    first, second = bare(one), bare(two)
    if bag(one) != bag(two):
        if "do" in first or "do" in second or "did" in first or "did" in second:
            name = moved_do(first, second, grammar)
            return (name,) if name else None
        name = relisted(one, two, grammar)
        return (name,) if name else None
    name = (
        moved(first, second, grammar) or relisted(one, two, grammar) or adverb_moved(first, second, grammar)
    )
    return (name,) if name else None


def moved_do(one: Key, two: Key, grammar: Grammar) -> str | None:
    """Only on Sundays do I eat eggs → I eat eggs only on Sundays."""
    longer, shorter = (one, two) if len(one) > len(two) else (two, one)
    if len(longer) != len(shorter) + 1 or longer[0] not in grammar.limiters:
        return None
    for at in range(2, len(longer) - 1):
        if longer[at] not in grammar.do_support:
            continue
        plain = longer[:at] + longer[at + 1 :]
        agreeing = tuple(third_of(word) or word for word in shorter) if longer[at] == "do" else shorter
        for other in (shorter, agreeing):
            name = moved(plain, other, grammar)
            if name:
                return f"{name}, subject after the verb"
    return None


def same(one: Reading, two: Reading) -> Rewrites | None:
    """The rewrites between two whole texts of one language; None where they do not say the same."""
    asked_alike = _asked_alike(one, two)
    if asked_alike and bare(one.words) == bare(two.words):
        return ()
    grammar = one.grammar
    if not (grammar.known and two.grammar.known) or grammar.language != two.grammar.language:
        return None
    if not asked_alike and (one.asks or two.asks):
        return None
    first = [sentence.words for sentence in one.sentences]
    second = [sentence.words for sentence in two.sentences]
    if len(first) == len(second):
        found = _pairwise(first, second, grammar)
        if found is not None:
            return found
    if one.asks or two.asks:
        return None
    if (
        bag(one.words) == bag(two.words)
        and len(first) == len(second)
        and not _several(first + second, grammar)
    ):
        return None
    left = resolved([clause for words in first for clause in statements(words, grammar)], grammar)
    right = resolved([clause for words in second for clause in statements(words, grammar)], grammar)
    if len(left) != len(right):
        return None
    found = _pairwise(left, right, grammar)
    return None if found is None else _joined(found, ("clauses split or joined",))


def _asked_alike(one: Reading, two: Reading) -> bool:
    """Whether each sentence asks where the other text's does."""
    if not one.asks and not two.asks:
        return len(one.sentences) == len(two.sentences)
    return [sentence.asks for sentence in one.sentences] == [sentence.asks for sentence in two.sentences]


def _several(sentences: Sequence[Key], grammar: Grammar) -> bool:
    """Whether one of the sentences holds more than one statement."""
    return any(statements(words, grammar) != (words,) for words in sentences)


_DID_IT_FOR = frozenset(("because", "for", "with", "to"))


def resolved(clauses: list[Key], grammar: Grammar) -> list[Key]:
    """The statements with what points back spelled out: a shorter name, *he* and *she*, *did it because*."""
    if not grammar.english:
        return clauses
    found: list[Key] = []
    for clause in clauses:
        before = found[-1] if found else None
        did_it = len(clause) > 4 and clause[1:3] == ("did", "it") and clause[3] in _DID_IT_FOR
        if did_it and before is not None and clause[0] == before[0]:
            found[-1] = before + clause[3:]
            continue
        found.append(_spelled(clause, before, grammar) if before is not None else clause)
    return found


def _spelled(clause: Key, before: Key, grammar: Grammar) -> Key:
    subject = subject_of(before, grammar)
    own = subject_of(clause, grammar)
    if subject is None or own is None or subject[0] in ("we", "they", "you"):
        return clause
    if 1 <= len(own) < len(subject) and own[-1] == subject[-1] and own[0] == subject[0] and len(own) > 1:
        return subject + clause[len(own) :]
    rest = before[len(subject) :]
    alone = not any(word in grammar.kin or word in ("§subj", "he", "she") for word in rest)
    if own in (("he",), ("she",)) and alone and subject not in (("he",), ("she",), ("it",), ("§subj",)):
        return subject + clause[1:]
    return clause


def _pairwise(first: Sequence[Key], second: Sequence[Key], grammar: Grammar) -> Rewrites | None:
    names: list[Rewrites] = []
    for one, two in zip(first, second, strict=True):
        found = match(one, two, grammar)
        if found is None:
            return None
        names.append(found)
    return _joined(*names)
