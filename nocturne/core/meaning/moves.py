"""Moves that keep a clause's meaning: an adjunct to the front, a symmetric list in another order.

Clauses are tuples of canonical words, commas among them; ``bare`` leaves the commas out.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from nocturne.core.meaning.grammar import SUBJECT_PRONOUNS, Grammar
from nocturne.core.meaning.verbs import is_form

Key = tuple[str, ...]
_LONGEST_ADJUNCT = 24
_BACK = 3


def bare(clause: Key) -> Key:
    """The clause without its commas."""
    return tuple(word for word in clause if word not in ",—") if "," in clause or "—" in clause else clause


@lru_cache(maxsize=16_384)
def bag(clause: Key) -> Key:
    """The clause's words in alphabetical order, without its commas."""
    return tuple(sorted(bare(clause)))


def moved(one: Key, two: Key, grammar: Grammar) -> str | None:
    """The name of the move where one of the clauses is the other with one whole adjunct at its front."""
    if len(one) != len(two) or bag(one) != bag(two):
        return None
    found = _fronted(one, two, grammar) or _fronted(two, one, grammar)
    if found is None and grammar.language == "hi":
        return _shifted(one, two)
    return found


_POSTPOSITIONS = frozenset(("ने", "को", "से", "में", "पर", "तक"))


def _shifted(one: Key, two: Key) -> str | None:
    """Whether one phrase that a postposition ends stands elsewhere before the verb."""
    last = len(one) - 1
    for end in range(1, last):
        if one[end] not in _POSTPOSITIONS:
            continue
        for start in range(max(0, end - 2), end):
            phrase, rest = one[start : end + 1], one[:start] + one[end + 1 :]
            if set(phrase[:-1]) & _POSTPOSITIONS:
                continue
            size = len(phrase)
            for at in range(len(two) - size):
                if two[at : at + size] == phrase and two[:at] + two[at + size :] == rest:
                    return "phrase with its postposition elsewhere"
    return None


def _fronted(front: Key, plain: Key, grammar: Grammar) -> str | None:
    """Whether ``front`` begins with an adjunct that stands elsewhere, whole, in ``plain``."""
    size = len(front)
    for length in range(1, min(size - 1, _LONGEST_ADJUNCT) + 1):
        if front[length] == plain[0] or front[length] in grammar.inverting or grammar.verb_second:
            adjunct, rest = front[:length], front[length:]
            if not grammar.fronts(adjunct, rest):
                continue
            for at in range(1, len(rest) + 1):
                if plain[at : at + length] != adjunct:
                    continue
                without = plain[:at] + plain[at + length :]
                if not grammar.free(plain, at, at + length):
                    continue
                if without == rest:
                    return "fronted adjunct"
                if _inverted(rest, without, adjunct, grammar):
                    return "fronted adjunct, subject after the verb"
    return None


def _inverted(rest: Key, without: Key, adjunct: Key, grammar: Grammar) -> bool:
    """Whether ``rest`` is ``without`` with its verb before the subject: *fahre ich*, *is the gym closed*."""
    if not (grammar.verb_second or adjunct[0] in grammar.limiters):
        return False
    verb = rest[0]
    if grammar.verb_second:
        return any(
            (*rest[1 : at + 1], verb, *rest[at + 1 :]) == without for at in range(1, min(5, len(rest)))
        )
    if verb in grammar.do_support and rest[1:] == without:
        return True
    if verb not in grammar.auxiliaries:
        return False
    return any((*rest[1 : at + 1], verb, *rest[at + 1 :]) == without for at in range(1, min(6, len(rest))))


def adverb_moved(one: Key, two: Key, grammar: Grammar) -> str | None:
    """Whether one single adverb of time or frequency stands elsewhere in the same clause."""
    if len(one) != len(two) or bag(one) != bag(two):
        return None
    for word in set(one) & grammar.floating:
        if one.count(word) == 1:
            first, second = list(one), list(two)
            places = sorted((one.index(word), two.index(word)))
            first.remove(word)
            second.remove(word)
            between = first[places[0] : places[1]]
            if not (
                _adverb_place(one, one.index(word), grammar) and _adverb_place(two, two.index(word), grammar)
            ):
                continue
            crossed = any(
                other in grammar.joints or other in grammar.connectives or other == "," for other in between
            )
            if first == second and not crossed:
                return "adverb elsewhere in its clause"
    return None


def _adverb_place(words: Key, at: int, grammar: Grammar) -> bool:
    """First, last, or next to the verb."""
    if at in (0, len(words) - 1):
        return True
    before, after = words[at - 1], words[at + 1]
    return (
        before in grammar.auxiliaries
        or before in SUBJECT_PRONOUNS
        or after in grammar.auxiliaries
        or is_form(after, "third", "past", "base")
    )


def relisted(one: Key, two: Key, grammar: Grammar) -> str | None:
    """Whether the two differ only in the order of one symmetric list."""
    if grammar.joints.keys().isdisjoint(one) or grammar.joints.keys().isdisjoint(two):
        return None
    if not grammar.ordered.isdisjoint(one) or not grammar.ordered.isdisjoint(two):
        return None
    if bag(one) != bag(two):
        return None
    limit = min(len(one), len(two))
    start = 0
    while start < limit and one[start] == two[start]:
        start += 1
    end = 0
    while end < limit - start and one[-1 - end] == two[-1 - end]:
        end += 1
    for back in range(min(start, _BACK) + 1):
        for forth in range(min(end, _BACK) + 1):
            first = one[start - back : len(one) - end + forth]
            second = two[start - back : len(two) - end + forth]
            if _same_items(first, second, grammar) and _list_stands(
                one[: start - back], one[len(one) - end + forth :], grammar
            ):
                return "list in another order"
    return None


def _same_items(first: Key, second: Key, grammar: Grammar) -> bool:
    ends = {*first[:1], *first[-1:], *second[:1], *second[-1:]}
    if "," in ends or ends & set(grammar.joints):
        return False
    one, joint = _items(first, grammar)
    two, other = _items(second, grammar)
    return joint is not None and joint == other and len(one) > 1 and sorted(one) == sorted(two) and all(one)


def _items(stretch: Key, grammar: Grammar) -> tuple[list[Key], str | None]:
    """The items of a list and what joins them; None where it is joined in two ways or none."""
    items: list[Key] = []
    joints: set[str] = set()
    item: list[str] = []
    for word in stretch:
        joint = grammar.joints.get(word)
        if word == "," or joint is not None:
            if joint is not None:
                joints.add(joint)
            if item:
                items.append(tuple(item))
                item = []
        else:
            item.append(word)
    items.append(tuple(item))
    if len(joints) != 1:
        return items, None
    return items, joints.pop()


def _list_stands(before: Key, after: Key, grammar: Grammar) -> bool:
    """A list of objects ends its clause or goes before a preposition; a list of subjects begins it."""
    return not before or not after or after[0] in grammar.breaks or after[0] in grammar.punctuation


def spans(clause: Key, grammar: Grammar) -> Iterator[tuple[int, int]]:
    """Where adjuncts begin and end, by their heads."""
    heads = [at for at, word in enumerate(clause) if word in grammar.adjuncts]
    for place, at in enumerate(heads):
        yield at, heads[place + 1] if place + 1 < len(heads) else len(clause)
