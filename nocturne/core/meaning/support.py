"""Whether a clause follows from a longer one: the same words in order, and what the longer one adds is harmless."""

from __future__ import annotations

from collections import Counter

from nocturne.core.meaning.alike import Rewrites, match
from nocturne.core.meaning.clauses import statements, verb_at
from nocturne.core.meaning.forms import forms
from nocturne.core.meaning.grammar import (
    FLOATING,
    SUBJECT_PRONOUNS,
    TIME_NOUNS,
    TIMELY,
    Grammar,
    starts_clause,
)
from nocturne.core.meaning.moves import Key, bag, bare
from nocturne.core.meaning.reading import Reading
from nocturne.core.meaning.verbs import is_form

_NAMING = frozenset(("named", "called", "aka", "nicknamed", "titled"))
_REASON = frozenset(("because", "since", "as", "due", "so"))
_BOUNDS = frozenset(("until", "till", "unless", "if", "without", "except", "but", "than", "provided", "whether"))
_PLACES = frozenset(
    ("in", "on", "at", "near", "by", "for", "from", "to", "with", "of", "about", "over", "through", "across", "under",
     "above", "behind", "beside", "inside", "outside", "into", "via", "within", "between", "around", "along", "using")
)  # fmt: skip
_OWN_CLAUSE = frozenset(("§subj", "§user", "we", "he", "she", "they"))
"""With these a relative clause without its pronoun begins: *a canoe I built*."""

_UNIVERSAL = frozenset(
    ("all", "every", "each", "always", "never", "no", "none", "only", "most", "everyone", "everybody", "everything",
     "nobody", "nothing", "any", "anyone", "anything", "must", "mostly", "usually", "no-one", "few")
)  # fmt: skip
_HARMLESS = frozenset(("also", "now", "currently", "really", "actually"))
_FOREIGN_HEADS = {
    "es": "de con en llamado llamada porque que para desde del",
    "pt": "de com em chamado chamada porque que para desde do da no na",
    "fr": "de avec en appelé appelée parce qui que pour depuis du dans à",
    "de": "mit in namens weil der die das aus von für seit",
    "ru": "с в по из который которая потому для",
    "it": "di con in chiamato perché che per da",
}


def follows(claim: Key, source: Key, grammar: Grammar, *, loose: bool = False) -> Rewrites | None:
    """The rewrites by which ``source`` says ``claim`` and maybe more; None where it does not."""
    if (found := match(claim, source, grammar)) is not None:
        return found
    if not grammar.known or len(claim) > len(source) + 4:
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
                part for part in parts if not any(set(other) & grammar.negation for other in parts if other != part)
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
            if not grammar.english or (rest[:1] and (rest[0] in SUBJECT_PRONOUNS or verb_at(rest, grammar) is not None)):
                return True
    return False


def _aligned(claim: Key, source: Key, grammar: Grammar, *, loose: bool) -> bool:
    wanted, given = bare(claim), source
    held = Counter(given)
    if len(wanted) >= len(given) or any(held[word] < count for word, count in Counter(wanted).items()):
        return False
    failed: set[tuple[int, int]] = set()

    def fits(i: int, j: int) -> bool:
        if (i, j) in failed:
            return False
        if i == len(wanted):
            if j == len(given) or _harmless(given, j, len(given), wanted, i, grammar, loose=loose):
                return True
        else:
            for k in range(j, len(given)):
                if given[k] != wanted[i]:
                    continue
                if (k == j or _harmless(given, j, k, wanted, i, grammar, loose=loose)) and fits(i + 1, k + 1):
                    return True
        failed.add((i, j))
        return False

    return fits(0, 0)


def _harmless(
    given: Key, start: int, end: int, claim: Key, at: int, grammar: Grammar, *, loose: bool
) -> bool:
    """Whether the words that the source has more at this place leave the claim true."""
    gap = given[start:end]
    core = gap
    while core and core[0] == ",":
        core = core[1:]
    while core and core[-1] == ",":
        core = core[:-1]
    if not core:
        return True
    if len(core) == 1 and core[0] in _HARMLESS and core[0] not in grammar.restrictors:
        return True
    if _dangerous(core, grammar):
        return False
    if not grammar.english:
        heads = _FOREIGN_HEADS.get(grammar.language, "").split()
        return end == len(given) and core[0] in heads and not _bounded(claim, grammar) and at > 1
    if _parallel(given, start, end, core, grammar):
        return True
    apart = bool(gap) and gap[0] == "," and (gap[-1] == "," or end == len(given))
    if at == 0:
        return _front(core, given, end, claim, grammar)
    last = end == len(given) or given[end] in grammar.adjuncts or given[end] == ","
    if apart and start > 0 and at < len(claim):
        return core[0] not in grammar.joints and core[0] not in _BOUNDS
    if _names_kin(core, given, start, end, grammar):
        return True
    return last and _tail(core, given, claim, grammar, apart=apart, loose=loose)


def _parallel(given: Key, start: int, end: int, core: Key, grammar: Grammar) -> bool:
    """One of two like verb forms after *is*: *is relaxing and recharging*."""
    if start == 0 or end >= len(given) or len(core) < 2 or grammar.joints.get(core[-1]) != "and":
        return False
    alike = is_form(core[0], "gerund") and is_form(given[end], "gerund")
    return alike and given[start - 1] in ("is", "was", "been")


def _dangerous(core: Key, grammar: Grammar) -> bool:
    for at, word in enumerate(core):
        if word in ("about", "around", "over", "over", "like", "as"):
            following = core[at + 1] if at + 1 < len(core) else ""
            if following.startswith("#:"):
                return True
            continue
        if (
            word in grammar.negation or word in grammar.hedges or word in grammar.conditionals
            or word in grammar.reporting - {"called", "calls", "call"} or word in _BOUNDS
            or (word in grammar.restrictors and word not in ("also", "too"))
            or (word in grammar.modals and word not in ("can", "will")) or word in ("?", '"', ":")
        ):
            return True
    return False


def _bounded(claim: Key, grammar: Grammar) -> bool:
    words = set(claim)
    return bool(words & _UNIVERSAL or words & grammar.negation)


def _past(claim: Key, grammar: Grammar) -> bool:
    at = verb_at(claim, grammar)
    return at is not None and (
        claim[at] in ("was", "were", "had", "did", "have") or (is_form(claim[at], "past") and not is_form(claim[at], "base"))
    )


def _timely(core: Key) -> bool:
    return core[0] in TIMELY or any(word in TIME_NOUNS for word in core[1:4]) or any(_dated(word) for word in core[1:3])


def _dated(word: str) -> bool:
    return len(word) >= 4 and word[:1].isdigit() and word[1:4].replace("-", "").isdigit()


_OPENERS = frozenset(
    ("lately", "recently", "yesterday", "today", "finally", "currently", "now", "anyway", "luckily", "fortunately",
     "unfortunately", "sadly", "then", "later", "eventually", "afterwards", "tomorrow", "tonight", "also", "plus")
)  # fmt: skip
"""Adverbs that may open a sentence and be left out of it."""


def _front(core: Key, given: Key, end: int, claim: Key, grammar: Grammar) -> bool:
    if len(core) == 1 and core[0] in _OPENERS:
        return True
    if core[0] not in grammar.adjuncts or not grammar.fronts(core, given[end:]):
        return False
    return not _bounded(claim, grammar) and (not _timely(core) or _past(claim, grammar))


def _names_kin(core: Key, given: Key, start: int, end: int, grammar: Grammar) -> bool:
    if len(core) > 2 or start == 0 or given[start - 1] not in grammar.kin or end >= len(given):
        return False
    following = given[end]
    closed = (
        grammar.quantifiers | grammar.pronouns | grammar.determiners | grammar.stopwords | grammar.connectives
        | grammar.restrictors | grammar.directions | grammar.tense
    )
    if closed & set(core):
        return False
    return (following in grammar.auxiliaries or is_form(following, "third", "past")) and not any(
        word in grammar.adjuncts or word in grammar.kin or is_form(word, "third") or word.endswith("'s") for word in core
    )


def _tail(core: Key, given: Key, claim: Key, grammar: Grammar, *, apart: bool, loose: bool) -> bool:
    head = core[0]
    if len(core) < 2 and head not in FLOATING:
        return False
    if len(core) > 1 and core[1] in grammar.joints:
        return False
    if grammar.joints.get(head) == "and" or head == ";":
        return len(core) > 1 and (starts_clause(core, 1, grammar) or not _bounded(claim, grammar))
    if head in ("because", "since", "due") and len(core) > 2:
        return True
    if apart and head in ("which", "who", "whose", "where"):
        return True
    if _bounded(claim, grammar):
        verb = verb_at(claim, grammar) or next(
            (at for at in range(2, len(claim)) if is_form(claim[at], "base", "third")), None
        )
        subject = set(claim[:verb]) if verb else set()
        rest = set(claim) - subject
        if not subject & {"all", "every", "each"} or rest & (_UNIVERSAL | grammar.negation):
            return False
        return head in _NAMING or head in ("who", "which", "that", "with") or is_form(head, "participle")
    if head in _NAMING or head in grammar.relatives or head in ("with", "of"):
        return True
    if head in _OWN_CLAUSE and len(core) > 1 and not apart:
        return True
    if _timely(core):
        return _past(claim, grammar)
    if is_form(head, "participle") and len(core) > 1 and core[1] in grammar.adjuncts:
        return True
    if is_form(head, "gerund") and len(core) > 1:
        return apart
    if head in _PLACES:
        return loose or claim[0] in SUBJECT_PRONOUNS or claim[0].endswith("'s") or _past(claim, grammar)
    return head in FLOATING and _past(claim, grammar)
