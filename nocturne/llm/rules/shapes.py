"""What a clause looks like: whose subject it has, whether a value stands in it, and the tense of its verb."""

from __future__ import annotations

from collections.abc import Sequence

from nocturne.llm.rules.clauses import finite_at, is_verb
from nocturne.llm.rules.coordination import after_adverbs, main_verb
from nocturne.llm.rules.grammar import (
    ADVERBS,
    BE,
    DETERMINERS,
    FAMILY,
    FILLERS,
    FIRST,
    FRONT_CLAUSE,
    FRONTING,
    IMPERATIVES,
    NOUN_VERBS,
    OTHERS,
    PONDERING,
    PREPOSITIONS,
    PROJECT,
    PRONOUNS,
    QUOTES,
    REQUEST_HEADS,
    SUBORDINATORS,
    TEAM,
    TIMES,
)
from nocturne.llm.rules.prose import Token
from nocturne.llm.rules.refuse import REPORTED
from nocturne.llm.rules.verbs import forms, is_past

COMMON = (
    IMPERATIVES | ADVERBS | PREPOSITIONS | DETERMINERS | PROJECT | FAMILY | FILLERS | REQUEST_HEADS | PRONOUNS
)
THEIRS = OTHERS | TEAM
OURS = FIRST | TEAM
FRONTED = SUBORDINATORS | PREPOSITIONS | ADVERBS | FRONTING
ABSTRACT = ("ing", "ness", "tion", "ity", "ment", "s")
SAME_IN_PAST = frozenset({"read", "put", "set", "let"})
WRITTEN_TO = frozenset({"me", "us", "a", "an", "my", "the"})
SPEAKING = FIRST | {"my", "me", "we", "you", "your"}


def low_text(tokens: Sequence[Token]) -> str:
    """The lower-cased words of a clause, set with single spaces and commas after their word."""
    return " ".join([token.low for token in tokens]).replace(" ,", ",")


def lowered(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The clause with its first word in lower case, where the capital only opened the sentence."""
    first = tokens[0]
    if first.text[1:].islower() or len(first.text) == 1:
        return (Token(first.low, first.low, first.start, first.end), *tokens[1:])
    return tokens


def first_person(tokens: Sequence[Token]) -> int | None:
    """Where "I" is the subject: first, after a fronted adjunct, or second in a pair ("my wife and I")."""
    head = tokens[0].low
    if head in FIRST:
        return 0
    timed = head in {"this", "that"} and len(tokens) > 1 and tokens[1].low in TIMES
    if head in THEIRS and not timed:
        return None
    clausal = head in SUBORDINATORS
    index = next(
        (
            place
            for place, token in enumerate(tokens[:24])
            if token.low in FIRST and not (clausal and tokens[place - 1].low != ",")
        ),
        None,
    )
    if index is None:
        return _after_doing(tokens) if clausal else None
    before = tokens[index - 1].low
    fronted = head in FRONTED
    if before == "," and fronted:
        return index
    if finite_at(tokens, 0, limit=index) is not None:
        return None
    leading = {token.low for token in tokens[:index]}
    if "as" in leading and tokens[1].low == "as" and tokens[2].low in {"a", "an", "my", "the"}:
        leading.discard("as")
    short = index < 5 and fronted and leading.isdisjoint(SUBORDINATORS)
    paired = before == "and" and index <= 6
    return index if short or paired else None


def _after_doing(tokens: Sequence[Token]) -> int | None:
    """The "I" behind "after finishing my thesis", where no comma stands between."""
    if tokens[0].low not in FRONT_CLAUSE or len(tokens) < 2 or tokens[1].low not in forms().gerund:
        return None
    index = next((place for place, token in enumerate(tokens[:24]) if token.low in FIRST), None)
    return index if index is not None and finite_at(tokens, 0, limit=index) is None else None


def quotes_someone(tokens: Sequence[Token]) -> bool:
    """Whether words stand in quotation marks that have a first or second person in them."""
    inside = False
    for token in tokens:
        if token.low in QUOTES:
            inside = not inside if token.low == '"' else token.low in "“«"
        elif inside and token.low in SPEAKING:
            return True
    return False


def reported(tokens: Sequence[Token], verb: int) -> bool:
    """Whether the clause tells what someone else says, thinks or asks."""
    if (
        tokens[verb].low in {"wrote", "writes"}
        and verb + 1 < len(tokens)
        and tokens[verb + 1].low in WRITTEN_TO
    ):
        return False
    return any(REPORTED.within(token.low) for token in tokens[max(0, verb - 1) : verb + 3])


def _mixed(text: str) -> bool:
    """Letters and digits in one word: a version, a ticket, a port with its unit."""
    return any(mark.isdigit() for mark in text) and any(mark.isalpha() for mark in text)


def about_project(subject: Sequence[Token]) -> bool:
    """Whether the subject is a part of a project, by its noun or by an identifier."""
    return any(
        token.low in PROJECT
        or (token.low.endswith("s") and token.low[:-1] in PROJECT)
        or any(mark in token.text for mark in "_/.")
        or _mixed(token.text)
        for token in subject
    )


def concrete(tokens: Sequence[Token]) -> bool:
    """Whether a value, version, path or identifier stands in the clause."""
    return any(any(mark in token.text[:-1] for mark in "_/.:@") or _mixed(token.text) for token in tokens)


def listing(tokens: Sequence[Token]) -> bool:
    """Whether most of the clause is paths and identifiers, as in a directory listing."""
    return 3 * sum(any(mark in token.text for mark in "_/.") for token in tokens) > len(tokens)


def proper(tokens: Sequence[Token], names: frozenset[str], known_names: frozenset[str] = frozenset()) -> bool:
    """Whether the capital that opens the clause looks like a name rather than a sentence's first word."""
    first = tokens[0]
    if not first.text[0].isupper():
        return False
    if first.low in names or (first.text.isupper() and len(first.text) > 1):
        return True
    seen = first.low in known_names or first.low.removesuffix("'s") in known_names
    if not seen and not any(token.text[0].isupper() or token.text[0].isdigit() for token in tokens[1:]):
        return False
    if any(letter.isupper() for letter in first.text[1:]):
        return True
    known = forms()
    ordinary = first.low in COMMON or first.low in known.base or first.low in known.gerund
    if ordinary or first.low.endswith(ABSTRACT) or not first.low.isalpha() or len(tokens) < 2:
        return False
    return tokens[1].text[0].isupper() or is_verb(tokens[1].low)


def noun_like(word: str) -> bool:
    """Whether the word after "this" can be what it points at, and not the verb."""
    return (
        word.isalpha()
        and word not in ADVERBS
        and (word in PROJECT or word in NOUN_VERBS or not is_verb(word))
    )


def tense(words: Sequence[Token]) -> str:
    """The main verb's tense: past, present, future or progressive."""
    subject = next((index for index, token in enumerate(words) if token.low in OURS), None)
    if subject is not None:
        verb = main_verb(words, subject)
        at = verb.at if verb is not None else subject
    else:
        at = finite_at(words, 0) or 0
    word, tail = words[at].low, words[at].low.partition("'")[2]
    next_at = after_adverbs(words, at + 1)
    after = words[next_at].low if next_at < len(words) else ""
    if word in {"will", "won't", "might", "may", "shall"} or tail == "ll":
        return "future"
    if word in BE or tail in {"m", "re"} or word == "im":
        return _being(word, after)
    if word in {"have", "has", "haven't", "hasn't"} or tail == "ve":
        return "past" if after in forms().participle and after != "been" else "present"
    return "past" if _past(word, after) else "present"


def _being(word: str, after: str) -> str:
    if word in {"was", "were", "wasn't", "weren't"}:
        return "progressive" if after in PONDERING else "past"
    if after in {"going", "gonna"}:
        return "future"
    return "progressive" if after in forms().gerund else "present"


def _past(word: str, after: str) -> bool:
    if word == "used" and after == "to":
        return False
    return word in {"did", "didn't", "had", "hadn't"} or (is_past(word) and word not in SAME_IN_PAST)
