"""Other forms in which English says the same: passive, cleft, apposition, of and 's, a title before its sentence."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from nocturne.core.meaning.grammar import BE, Grammar
from nocturne.core.meaning.verbs import all_forms, is_form, readings

Key = tuple[str, ...]
Form = tuple[Key, str]
_MOST = 24
_OWNED = "§subj's"


@lru_cache(maxsize=8_192)
def forms(clause: Key, grammar: Grammar) -> dict[Key, tuple[str, ...]]:
    """Every form of the clause within two rewrites, with the names of the rewrites; the clause itself first."""
    found: dict[Key, tuple[str, ...]] = {clause: ()}
    if not grammar.english or not _may_change(clause, grammar):
        return found
    frontier = [clause]
    for _ in range(2):
        following = []
        for form in frontier:
            for other, name in _rewritten(form, grammar):
                if other not in found and len(found) < _MOST:
                    found[other] = (*found[form], name)
                    following.append(other)
        frontier = following
    return found


@lru_cache(maxsize=64)
def _standing(grammar: Grammar) -> frozenset[str]:
    """Prepositions and the like that no rewrite adds, takes or makes of another word.

    Rewrites take and add the words that are named here, verbs, what agrees with them and what denies them; they make
    new words by an ending in *s* only.
    """
    if not grammar.english:
        return frozenset()
    moving = grammar.negation | grammar.modals | grammar.auxiliaries | grammar.relatives | BE
    moving |= grammar.joints.keys() | {"by", "of", "with", "it", "that", "do", "did"}
    return frozenset(
        word for word in grammar.adjuncts - moving if not word.endswith("s") and not readings(word)
    )


def lacks(source: Key, claim: Key, grammar: Grammar) -> bool:
    """Whether the claim has a preposition more often than any form of the source: then no form says it.

    Nothing is said of a claim with a colon: a title that only repeats may be left out.
    """
    if ":" in claim:
        return False
    for word in _standing(grammar).intersection(claim):
        if claim.count(word) > source.count(word):
            like = (f"{word}s", f"{word}'")
            if not any(other.startswith(like) for other in source):
                return True
    return False


_TRIGGERS = frozenset((":", ",", "by", "of", "whom", "which", "who"))


def _may_change(clause: Key, grammar: Grammar) -> bool:
    """Whether any of the rewrites could apply: a quick look before the careful one."""
    if not clause:
        return False
    first = clause[0]
    return (
        not _TRIGGERS.isdisjoint(clause)
        or first in grammar.adjuncts
        or first in grammar.determiners
        or first in grammar.conditionals
        or first == "it"
        or first.endswith("'s")
        or (clause[-1][:2] != "#:" and any(word[:2] == "#:" for word in clause) and "with" in clause)
    )


def _rewritten(clause: Key, grammar: Grammar) -> Iterator[Form]:
    if ":" in clause:
        yield from _title(clause)
    if clause[:1] == ("it",):
        yield from _cleft(clause, grammar)
    yield from _fronted(clause, grammar)
    if "by" in clause:
        yield from _active(clause, grammar)
    if "of" in clause:
        yield from _possessive(clause)
    if "," in clause or (clause[:1] and (clause[0].endswith("'s") or clause[0] in grammar.determiners)):
        yield from _apposition(clause, grammar)
    if "whom" in clause or "which" in clause:
        yield from _stranded(clause)
    if "with" in clause:
        yield from _compound(clause)


def _title(clause: Key) -> Iterator[Form]:
    if ":" not in clause[:7]:
        return
    at = clause.index(":")
    head, rest = clause[:at], clause[at + 1 :]
    if rest[:at] == head:
        yield rest, "repeated title left out"
    elif rest and not any(word in BE for word in head):
        yield (*head, "is", *rest), "colon for is"


def _cleft(clause: Key, grammar: Grammar) -> Iterator[Form]:
    if clause[:1] != ("it",) or clause[1:2] not in (("is",), ("was",)):
        return
    for at in range(3, min(8, len(clause))):
        if clause[at] in ("who", "that", "which") and clause[at - 1] not in grammar.adjuncts:
            yield clause[2:at] + clause[at + 1 :], "cleft sentence"
            return


def _fronted(clause: Key, grammar: Grammar) -> Iterator[Form]:
    """A front adjunct that a comma ends, or that goes before a plain subject, at the end of the clause."""
    head = clause[0] if clause else ""
    if head not in grammar.adjuncts and head not in grammar.determiners and head not in grammar.conditionals:
        return
    for at in range(1, min(16, len(clause))):
        if clause[at] == ",":
            if at + 1 < len(clause) and grammar.fronts(clause[:at], clause[at + 1 :]):
                yield clause[at + 1 :] + clause[:at], "fronted adjunct"
            return
        if clause[at] in ("§subj", "we", "he", "she", "it", "they", "you") and at > 1:
            if grammar.fronts(clause[:at], clause[at:]):
                yield clause[at:] + clause[:at], "fronted adjunct"
            return


def _active(clause: Key, grammar: Grammar) -> Iterator[Form]:
    """NP be PARTICIPLE … by AGENT … → AGENT VERB NP …, one form for each possible end of the agent."""
    by = len(clause) - 1 - clause[::-1].index("by")
    verb = next(
        (at for at in range(by - 1, 1, -1) if is_form(clause[at], "participle") and _be_before(clause, at)),
        None,
    )
    if verb is None or by + 1 >= len(clause):
        return
    start = verb - 1
    chain: list[str] = []
    while start > 0 and (
        clause[start] in BE
        or clause[start] in grammar.modals
        or clause[start] in grammar.auxiliaries
        or clause[start] in grammar.negation
    ):
        chain.insert(0, clause[start])
        start -= 1
    patient = clause[: start + 1]
    if patient and patient[0] in grammar.adjuncts and len(patient) > 2:
        for at in range(2, len(patient)):
            yield from _active((*patient[at:], *clause[start + 1 :], *patient[:at]), grammar)
        return
    between, agent_and_rest = clause[verb + 1 : by], clause[by + 1 :]
    if not patient or not chain:
        return
    helper = _helper(tuple(chain))
    if helper is None:
        return
    words, form = helper
    actives = sorted(_same_verb(clause[verb], form))
    for end in range(1, len(agent_and_rest) + 1):
        agent, rest = agent_and_rest[:end], agent_and_rest[end:]
        told = clause[verb] in grammar.reporting
        if rest and rest[0] not in grammar.adjuncts and rest[0] != "," and not told:
            continue
        for active in actives:
            yield (*agent, *words, active, *patient, *between, *rest), "passive to active"
            if between and rest:
                yield (*agent, *words, active, *patient, *rest, *between), "passive to active"


def _be_before(clause: Key, at: int) -> bool:
    return clause[at - 1] in BE or (at > 1 and clause[at - 1] in ("not", "never") and clause[at - 2] in BE)


def _helper(chain: Key) -> tuple[Key, str] | None:
    """The active's auxiliaries and the form of its verb, for a passive's chain of auxiliaries."""
    negated = tuple(word for word in chain if word in ("not", "never"))
    plain = tuple(word for word in chain if word not in negated)
    table: dict[Key, tuple[Key, str]] = {
        ("is",): ((), "present"),
        ("was",): ((), "past"),
        ("have", "been"): (("have",), "participle"),
        ("had", "been"): (("had",), "participle"),
        ("is", "being"): (("is",), "gerund"),
        ("was", "being"): (("was",), "gerund"),
    }
    words: Key
    if plain[-1:] == ("be",) and len(plain) == 2:
        words, form = plain[:1], "base"
    elif plain in table:
        words, form = table[plain]
    else:
        return None
    if not negated:
        return words, form
    if len(negated) > 1:
        return None
    if negated == ("never",):
        return (*words, "never"), form
    if form in ("present", "past"):
        return ("do" if form == "present" else "did", "not"), "base"
    return (*words, "not"), form


def _same_verb(participle: str, form: str) -> set[str]:
    wanted = {"present": ("base", "third")}.get(form, (form,))
    lemmas = {verb.lemma for verb in readings(participle) if verb.form == "participle"}
    found = {participle} if form in ("past", "participle") else set()
    for lemma in lemmas:
        for word in all_forms(lemma):
            if any(verb.lemma == lemma and verb.form in wanted for verb in readings(word)):
                found.add(word)
    return found


_NO_OWNER = frozenset((",", "of", "and", "or", "in", "on", "at", "for", "with", "from", "to", "by", "but"))


def _possessive(clause: Key) -> Iterator[Form]:
    """X of Y → Y's X, where Y is the last word before a verb, a mark or the end."""
    at = clause.index("of")
    if at == 0 or at + 1 >= len(clause):
        return
    stop = at + 1
    while stop < len(clause) and clause[stop] not in BE and clause[stop] not in _NO_OWNER:
        stop += 1
    for end in range(at + 2, min(stop, at + 6) + 1):
        owner = clause[at + 1 : end]
        owned = "§subj's" if owner[-1] == "§subj" else "§user's" if owner[-1] == "§user" else owner[-1] + "'s"
        for begin in range(max(0, at - 3), at):
            if any(word[:1].isdigit() or word.startswith("#:") for word in clause[begin:at]):
                continue
            if begin and not (clause[begin - 1] in BE or clause[begin - 1] in (",", "and") or begin == 0):
                continue
            yield clause[:begin] + owner[:-1] + (owned,) + clause[begin:at] + clause[end:], "of for 's"


def _apposition(clause: Key, grammar: Grammar) -> Iterator[Form]:
    """NP, NP, … and OWNER KIN NAME … at the start, as one sorted bundle of descriptions."""
    if "," in clause[1:8]:
        first = clause.index(",", 1)
        second = next(
            (at for at in range(first + 1, min(len(clause) - 1, first + 9)) if clause[at] == ","), None
        )
        if second is not None:
            head, inner, rest = clause[:first], clause[first + 1 : second], clause[second + 1 :]
            if inner and inner[0] not in grammar.relatives and inner[0] not in grammar.adjuncts and rest:
                verbal = any(word in grammar.auxiliaries for word in inner)
                if not verbal and inner[0] not in grammar.joints and rest[0] not in grammar.joints:
                    yield _bundle([*_descriptions(head, grammar), *_split(inner)], rest), "apposition"
    parts = _descriptions(clause[:1], grammar)
    for end in range(3, min(6, len(clause))):
        parts = _descriptions(clause[:end], grammar)
        if len(parts) > 1:
            yield _bundle(parts, clause[end:]), "apposition"


def _descriptions(words: Key, grammar: Grammar) -> list[Key]:
    """OWNER … KIN NAME split into the two descriptions that it is."""
    for at in range(1, len(words)):
        owner = words[0].endswith("'s") or words[0] in ("his", "her", "their", "our", "your")
        if owner and words[at - 1] in grammar.kin and words[at] not in grammar.kin and at >= 2:
            return [words[:at], words[at:]]
    return [words]


def _split(words: Key) -> list[Key]:
    if "and" in words:
        at = words.index("and")
        if 0 < at < len(words) - 1:
            return [words[:at], words[at + 1 :]]
    return [words]


def _bundle(parts: list[Key], rest: Key) -> Key:
    return (*(word for part in sorted(parts) for word in (*part, "§=")), *rest)


def _stranded(clause: Key) -> Iterator[Form]:
    """With whom I am staying → I am staying with."""
    for at in range(1, len(clause) - 2):
        if clause[at] not in ("whom", "which"):
            continue
        verb = at + 1
        while verb < len(clause) and not is_form(
            clause[verb], "gerund", "past", "participle", "base", "third"
        ):
            verb += 1
        while verb + 1 < len(clause) and is_form(clause[verb + 1], "gerund", "participle"):
            verb += 1
        if verb < len(clause):
            prep = clause[at - 1]
            yield (
                clause[: at - 1] + clause[at + 1 : verb + 1] + (prep,) + clause[verb + 1 :],
                "stranded preposition",
            )


def _compound(clause: Key) -> Iterator[Form]:
    """A four-bedroom house with X → a house with four bedrooms, X."""
    for at in range(len(clause) - 2):
        if clause[at].startswith("#:") and clause[at + 2 : at + 3] and clause[at + 3 : at + 4] == ("with",):
            rest = clause[at + 4 :]
            joint = "," if "and" in rest else "and"
            words = (*clause[:at], clause[at + 2], "with", clause[at], clause[at + 1] + "s", joint, *rest)
            yield words, "number before its noun"
