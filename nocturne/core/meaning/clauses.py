"""From a sentence to its statements: joined clauses with their subject restored, relative clauses unfolded.

Only English is unfolded by its verbs; elsewhere a clause ends at a mark, or where a joint is followed by a pronoun.
"""

from __future__ import annotations

from functools import lru_cache

from nocturne.core.meaning.grammar import SUBJECT_PRONOUNS, VERB_ADVERBS, Grammar, starts_clause
from nocturne.core.meaning.verbs import is_form

Key = tuple[str, ...]
_LINKS = frozenset(("and", "but", ";"))


def verb_at(clause: Key, grammar: Grammar) -> int | None:
    """Where the first finite verb stands after a subject; None where none is certain."""
    inside = False
    for at, word in enumerate(clause):
        if word == ",":
            continue
        if word in grammar.relatives and at:
            inside = True
        if at == 0 and word not in SUBJECT_PRONOUNS:
            continue
        if word in grammar.auxiliaries or word in grammar.modals or is_form(word, "past", "third"):
            if clause[at - 1] in grammar.determiners or clause[at - 1].endswith("'s"):
                continue
            if not inside:
                return at
            inside = False
        elif at and _before_verb(clause[at - 1], grammar) and is_form(word, "base"):
            return at
    return None


def _before_verb(word: str, grammar: Grammar) -> bool:
    return word in SUBJECT_PRONOUNS or word in VERB_ADVERBS or word in grammar.negation or word == "longer"


def subject_of(clause: Key, grammar: Grammar) -> Key | None:
    """The words before the first verb and its adverbs; None where they cannot be told."""
    if not clause or clause[0] in grammar.adjuncts or clause[0] in grammar.conditionals:
        return None
    if clause[0] in ("§subj", "§user"):
        return clause[:1]
    at = verb_at(clause, grammar)
    if at is None or at == 0:
        return None
    while at > 1 and (clause[at - 1] in VERB_ADVERBS or clause[at - 1] in (",", "no", "longer")):
        at -= 1
    return clause[:at]


@lru_cache(maxsize=8_192)
def statements(sentence: Key, grammar: Grammar, *, loose: bool = False) -> tuple[Key, ...]:
    """The sentence's statements in order, each with its own subject.

    ``loose``: a subject that follows a fronted adjunct is taken over as well, without the adjunct.
    """
    found: list[Key] = []
    for part in _parts(sentence, grammar, loose=loose):
        clause = part
        if found and grammar.english:
            clause = _with_subject(part, found[-1], grammar, loose=loose)
        found.extend(_unfolded(clause, grammar))
    return tuple(found)


def _spliced(sentence: Key, start: int, at: int, grammar: Grammar) -> bool:
    """Whether a comma alone joins two statements: *I got her last year, she is a great pet*."""
    before, after = sentence[start:at], sentence[at + 1 :]
    if (
        not before
        or not grammar.english
        or before[0] in grammar.adjuncts
        or before[0] in grammar.conditionals
    ):
        return False
    if after[:1] and (after[0] in SUBJECT_PRONOUNS or after[0].endswith("'s")):
        verb = verb_at(after, grammar)
        return verb is not None and verb <= 3 and verb_at(before, grammar) is not None
    return False


@lru_cache(maxsize=64)
def _splitting(grammar: Grammar) -> frozenset[str]:
    """The words and marks without which no sentence holds two statements, but for a comma."""
    return frozenset((*(joint for joint, name in grammar.joints.items() if name == "and"), "and", "but", ";", "—"))


def _parts(sentence: Key, grammar: Grammar, *, loose: bool = False) -> list[Key]:
    if not loose and _splitting(grammar).isdisjoint(sentence):
        return [sentence] if sentence else []
    parts: list[Key] = []
    start = 0
    at = 0
    size = len(sentence)
    while at < size:
        word = sentence[at]
        if word in (";", "—") or (loose and word == "," and _spliced(sentence, start, at, grammar)):
            parts.append(sentence[start:at])
            start = at + 1
        elif word in ("and", "but") or grammar.joints.get(word) == "and":
            opens = starts_clause(sentence, at + 1, grammar) or (
                grammar.english and _new_subject(sentence, at + 1, grammar)
            )
            apart = sentence[at - 1] == "," and not starts_clause(sentence, at + 1, grammar)
            if opens and at > start and (apart or _whole(sentence[start:at], grammar)):
                end = at - 1 if sentence[at - 1] == "," else at
                parts.append(sentence[start:end])
                start = at + 1 if word != "but" else at
        at += 1
    parts.append(sentence[start:])
    return [part for part in parts if part]


def _whole(part: Key, grammar: Grammar) -> bool:
    """Whether the words before a joint can be a statement: they hold a verb, or it is not known which words are."""
    return not grammar.english or verb_at(part, grammar) is not None or is_form(part[0], "base")


def _new_subject(sentence: Key, at: int, grammar: Grammar) -> bool:
    """Whether a noun subject with its verb near follows: *and Oluchi approves …*, *and my son is …*."""
    rest = sentence[at:]
    verb = verb_at(rest, grammar)
    if verb is None or verb < 1:
        return False
    if at >= 2 and sentence[at - 2] == ",":
        return verb <= 7
    if set(rest[:verb]) & (grammar.adjuncts | grammar.relatives):
        return False
    certain = rest[verb] in grammar.auxiliaries or rest[verb] in grammar.modals
    return verb <= (4 if certain or rest[0].endswith("'s") else 1)


def _with_subject(part: Key, before: Key, grammar: Grammar, *, loose: bool) -> Key:
    lead = part[:1] if part[0] == "but" else ()
    rest = part[len(lead) :]
    subject = subject_of(before, grammar)
    if subject is None and loose:
        at = next((at for at, word in enumerate(before[:10]) if at and word in SUBJECT_PRONOUNS), None)
        if at is not None and not set(before) & (grammar.conditionals - grammar.modals):
            subject, before = before[at : at + 1], before[at:]
    if subject is None:
        return part
    own = subject_of(rest, grammar)
    if own is None or rest[0] in VERB_ADVERBS or _begins_with_verb(rest, grammar):
        if (
            _reaches(before[len(subject) :], grammar)
            and rest[0] not in grammar.auxiliaries | grammar.negation
        ):
            return part
        verbal = starts_clause(rest, 0, grammar) or _begins_with_verb(rest, grammar)
        if verbal and rest[0] not in SUBJECT_PRONOUNS:
            return (*lead, *subject, *rest)
        return part
    if 1 < len(own) < len(subject) and own[-1] == subject[-1] and own[0] == subject[0]:
        return (*lead, *subject, *rest[len(own) :])
    return part


def _reaches(predicate: Key, grammar: Grammar) -> bool:
    """Whether a word after the subject may hold for the next clause as well: *used to*, *never*, *might*."""
    if not predicate:
        return False
    first = predicate[0]
    return (
        first in grammar.negation
        or first in grammar.modals
        or first in grammar.hedges
        or first in grammar.quantifiers
        or first in grammar.restrictors
        or first in ("do", "did")
        or predicate[:2] == ("used", "to")
    )


def _begins_with_verb(rest: Key, grammar: Grammar) -> bool:
    word = rest[0]
    return word in grammar.auxiliaries or word in grammar.modals or is_form(word, "third", "past", "base")


def _unfolded(clause: Key, grammar: Grammar) -> list[Key]:
    """NP, who VP, VP → NP VP · NP VP; with whose: NP's N VP · NP VP."""
    if not grammar.english or "," not in clause:
        return [clause]
    first = clause.index(",")
    if first + 2 >= len(clause) or clause[first + 1] not in ("who", "which", "whose"):
        return [clause]
    second = next((at for at in range(first + 2, len(clause)) if clause[at] == ","), None)
    if second is None or second + 1 >= len(clause) or verb_at(clause[:first], grammar) is not None:
        return [clause]
    head, inner, rest = clause[:first], clause[first + 2 : second], clause[second + 1 :]
    if clause[first + 1] == "whose":
        owned = (*head[:-1], head[-1] + "'s")
        return [(*owned, *inner), (*head, *rest)]
    return [(*head, *inner), (*head, *rest)]
