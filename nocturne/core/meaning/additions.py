"""What a longer clause may say more than a shorter one without touching its truth.

An addition is harmless where it names, describes or explains (*called Otter*, *who sings*, *because …*, *, a baker,*),
where it is another statement (*and plays the oboe*), or where it places something that happened. It is not where it
holds a negation, a condition, a doubt or a bound, or where the shorter clause speaks of all, none or always.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from nocturne.core.meaning.clauses import verb_at
from nocturne.core.meaning.grammar import (
    FLOATING,
    SUBJECT_PRONOUNS,
    TIME_NOUNS,
    TIMELY,
    Grammar,
    starts_clause,
)
from nocturne.core.meaning.moves import Key
from nocturne.core.meaning.verbs import is_form

_NAMING = frozenset(("named", "called", "aka", "nicknamed", "titled"))
_REASON = frozenset(("because", "since", "as", "due", "so"))
_BOUNDS = frozenset(
    ("until", "till", "unless", "if", "without", "except", "but", "than", "provided", "whether")
)
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


@dataclass(slots=True)
class Addition:
    """The words ``given[start:end]`` that ``claim`` lacks before its word ``at``; never changed."""

    given: Key
    start: int
    end: int
    claim: Key
    at: int
    loose: bool

    @property
    def core(self) -> Key:
        """The words without the commas around them."""
        first, last = self.start, self.end
        while first < last and self.given[first] in _SEPARATORS:
            first += 1
        while last > first and self.given[last - 1] in _SEPARATORS:
            last -= 1
        return self.given[first:last]

    @property
    def apart(self) -> bool:
        """Whether commas set it off on both sides."""
        closed = self.ends or self.given[self.end - 1] in _SEPARATORS
        return self.start < self.end and self.given[self.start] in _SEPARATORS and closed

    @property
    def ends(self) -> bool:
        """Whether nothing comes after it."""
        return self.end == len(self.given)

    @property
    def following(self) -> str:
        """The word after it."""
        return "" if self.ends else self.given[self.end]


_SEPARATORS = frozenset((",", "—"))


def harmless(more: Addition, grammar: Grammar) -> bool:
    """Whether the words that the source has more at this place leave the claim true."""
    core = more.core
    if not core:
        return True
    if len(core) == 1 and core[0] in _HARMLESS and core[0] not in grammar.restrictors:
        return True
    if _dangerous(core, grammar):
        return False
    if not grammar.english:
        heads = _FOREIGN_HEADS.get(grammar.language, "").split()
        return more.ends and core[0] in heads and not _bounded(more.claim, grammar) and more.at > 1
    if _parallel(more, core, grammar):
        return True
    if more.at == 0:
        return _front(more, core, grammar)
    if more.apart and more.start > 0 and more.at < len(more.claim):
        return core[0] not in grammar.joints and core[0] not in _BOUNDS
    if _names_kin(more, core, grammar):
        return True
    last = more.ends or more.following in grammar.adjuncts or more.following in _SEPARATORS
    return last and _tail(more, core, grammar)


def _parallel(more: Addition, core: Key, grammar: Grammar) -> bool:
    """One of two like verb forms after *is*: *is relaxing and recharging*."""
    if more.start == 0 or more.ends or len(core) < 2 or grammar.joints.get(core[-1]) != "and":
        return False
    alike = is_form(core[0], "gerund") and is_form(more.following, "gerund")
    return alike and more.given[more.start - 1] in ("is", "was", "been")


def _dangerous(core: Key, grammar: Grammar) -> bool:
    for at, word in enumerate(core):
        if word in ("about", "around", "over", "like", "as"):
            following = core[at + 1] if at + 1 < len(core) else ""
            if following.startswith("#:"):
                return True
            continue
        if word in _unsafe(grammar):
            return True
    return False


@lru_cache(maxsize=64)
def _unsafe(grammar: Grammar) -> frozenset[str]:
    """Words that can take back, doubt or bound what stands beside them."""
    unsafe = grammar.negation | grammar.hedges | grammar.conditionals | grammar.reporting | _BOUNDS
    unsafe |= grammar.restrictors | grammar.modals | {"?", '"', ":"}
    return unsafe - {"called", "calls", "call", "also", "too", "can", "will"}


def _bounded(claim: Key, grammar: Grammar) -> bool:
    words = set(claim)
    return bool(words & _UNIVERSAL or words & grammar.negation)


def _past(claim: Key, grammar: Grammar) -> bool:
    at = verb_at(claim, grammar)
    return at is not None and (
        claim[at] in ("was", "were", "had", "did", "have")
        or (is_form(claim[at], "past") and not is_form(claim[at], "base"))
    )


def _timely(core: Key) -> bool:
    return (
        core[0] in TIMELY
        or any(word in TIME_NOUNS for word in core[1:4])
        or any(_dated(word) for word in core[1:3])
    )


def _dated(word: str) -> bool:
    return len(word) >= 4 and word[:1].isdigit() and word[1:4].replace("-", "").isdigit()


_OPENERS = frozenset(
    ("lately", "recently", "yesterday", "today", "finally", "currently", "now", "anyway", "luckily", "fortunately",
     "unfortunately", "sadly", "then", "later", "eventually", "afterwards", "tomorrow", "tonight", "also", "plus")
)  # fmt: skip
"""Adverbs that may open a sentence and be left out of it."""


def _front(more: Addition, core: Key, grammar: Grammar) -> bool:
    if len(core) == 1 and core[0] in _OPENERS:
        return True
    if core[0] not in grammar.adjuncts or not grammar.fronts(core, more.given[more.end :]):
        return False
    return not _bounded(more.claim, grammar) and (not _timely(core) or _past(more.claim, grammar))


@lru_cache(maxsize=64)
def _closed(grammar: Grammar) -> frozenset[str]:
    return (
        grammar.quantifiers | grammar.pronouns | grammar.determiners | grammar.stopwords | grammar.connectives
        | grammar.restrictors | grammar.directions | grammar.tense | grammar.adjuncts | grammar.kin
    )  # fmt: skip


def _names_kin(more: Addition, core: Key, grammar: Grammar) -> bool:
    """The name of a relative between it and its verb: *my sister Mara lives …*."""
    if len(core) > 2 or more.start == 0 or more.given[more.start - 1] not in grammar.kin or more.ends:
        return False
    if any(word in _closed(grammar) or is_form(word, "third") or word.endswith("'s") for word in core):
        return False
    return more.following in grammar.auxiliaries or is_form(more.following, "third", "past")


def _tail(more: Addition, core: Key, grammar: Grammar) -> bool:
    head, claim = core[0], more.claim
    if len(core) < 2 and head not in FLOATING:
        return False
    if len(core) > 1 and core[1] in grammar.joints:
        return False
    if grammar.joints.get(head) == "and":
        return len(core) > 1 and (starts_clause(core, 1, grammar) or not _bounded(claim, grammar))
    if head in ("because", "since", "due") and len(core) > 2:
        return True
    if more.apart and head in ("which", "who", "whose", "where"):
        return True
    if _bounded(claim, grammar):
        return _describes_object(core, claim, grammar)
    return _describes(more, core, grammar) or _placed(more, core, grammar)


def _describes_object(core: Key, claim: Key, grammar: Grammar) -> bool:
    """What all or every one has may be described further: *every tenant gets a sandbox with its own database*."""
    verb = verb_at(claim, grammar) or next(
        (at for at in range(2, len(claim)) if is_form(claim[at], "base", "third")), None
    )
    subject = set(claim[:verb]) if verb else set()
    rest = set(claim) - subject
    if not subject & {"all", "every", "each"} or rest & (_UNIVERSAL | grammar.negation):
        return False
    head = core[0]
    return head in _NAMING or head in ("who", "which", "that", "with") or is_form(head, "participle")


def _describes(more: Addition, core: Key, grammar: Grammar) -> bool:
    head = core[0]
    if head in _NAMING or head in grammar.relatives - TIMELY or head in ("with", "of"):
        return True
    if head in _OWN_CLAUSE and len(core) > 1 and not more.apart:
        return True
    return is_form(head, "participle") and len(core) > 1 and core[1] in grammar.adjuncts


def _placed(more: Addition, core: Key, grammar: Grammar) -> bool:
    """A place or a time: a time only of what happened, since a habit is another habit on other days."""
    head, claim = core[0], more.claim
    if _timely(core):
        return _past(claim, grammar)
    if is_form(head, "gerund") and len(core) > 1:
        return more.apart
    if head in _PLACES:
        owned = claim[0] in SUBJECT_PRONOUNS or claim[0].endswith("'s")
        return more.loose or owned or _past(claim, grammar)
    return head in FLOATING and _past(claim, grammar)
