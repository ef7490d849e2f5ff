"""From a sentence to its clauses: where one statement ends and the next begins.

A boundary is taken only where a coordinator or a mark is followed by a subject with its verb: lists of nouns,
subordinate clauses and fronted adjuncts stay with the clause that they belong to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nocturne.llm.rules.grammar import (
    ADVERBS,
    AUXILIARY,
    BE,
    CONTRACTED,
    COORDINATORS,
    DASHES,
    DETERMINERS,
    DO,
    DONE,
    FILLERS,
    LEADING,
    MODALS,
    NOUN_VERBS,
    OWN,
    PLURAL,
    PREPOSITIONS,
    QUESTIONS,
    QUOTES,
    SHORT_IS,
    SUBJECTS,
    SUBORDINATORS,
    TIMES,
    WH,
)
from nocturne.llm.rules.prose import Token
from nocturne.llm.rules.verbs import forms

COMPLEMENT_WORDS = frozenset({"to", "me", "us", "him", "her", "it", "them", "you"})
LOOKING = frozenset({"take", "check", "see", "look"})
RELATIVE = frozenset({"which", "who", "where"})
POINTING_BACK = frozenset(
    {
        "it", "it's", "its", "it'll", "they", "they're", "they've", "their", "he", "he's", "his", "she", "she's",
        "this", "that", "that's", "these", "those", "which",
    }
)  # fmt: skip
OPENING_SUBJECTS = SUBJECTS | OWN | CONTRACTED
HEDGING = frozenset({"maybe", "perhaps", "sometimes", "usually", "often", "lately", "recently", "probably"})
RECURRING = frozenset({"every", "each"})
THINKING = frozenset({"think", "guess", "feel", "believe", "know", "hope", "thought", "wish", "bet"})
YOU = frozenset({"you", "your", "you're", "you've", "you'll", "you'd", "yours", "ya", "u"})
RECALLING = frozenset({"it", "it's", "they", "they're", "it'll", "they've"})
INVERTED = frozenset(
    {"i", "you", "we", "it", "there", "they", "this", "that", "anyone", "someone", "he", "she"}
)
NOT_A_SUBJECT = frozenset({"of", "for", "with", "to"})
PURPOSE = frozenset({"can", "could", "don't", "won't", "will", "would"})
BEFORE_ADJUNCT = COORDINATORS | FILLERS | {","}
ASKING = BE | DO | MODALS | {"about", "if", "have", "has"}
NOUN_NEXT = DETERMINERS - {"that", "this"}
BEFORE_CLAUSE = COORDINATORS | DASHES | {",", ":", ";"}
ADJUNCT_HEADS = frozenset(
    {"apart", "according", "aside", "due", "thanks", "a", "one", "last", "this", "these", "next"}
)


def is_verb(word: str) -> bool:
    """Whether the word can be a finite verb."""
    known = forms()
    return word in AUXILIARY or word in known.third or word in known.past or word in known.base


def shows_verb(tokens: Sequence[Token], at: int) -> bool:
    """Whether what stands at ``at`` shows the word before it to be a verb there, and not a noun."""
    if at >= len(tokens) or tokens[at].low == "of":
        return False
    token = tokens[at]
    return (
        token.low in DETERMINERS
        or token.low in PREPOSITIONS
        or token.low in ADVERBS
        or token.low in COMPLEMENT_WORDS
        or token.low in forms().gerund
        or token.text[0].isupper()
        or token.text[0].isdigit()
    )


def _short_is(after: str) -> bool:
    """Whether a word after ``'s`` shows it to be "is" or "has" and not a possessive."""
    determiner = after in DETERMINERS and after not in OWN
    return after in SHORT_IS or after in PREPOSITIONS or determiner or after in forms().gerund


def _finite(tokens: Sequence[Token], index: int, start: int) -> bool:
    """Whether the token at ``index`` is the finite verb of a noun subject that begins before ``start``."""
    low = tokens[index].low
    if low in AUXILIARY:
        return True
    if low.endswith("'s") and index + 1 < len(tokens) and _short_is(tokens[index + 1].low):
        return True
    back = index - 1
    while back > start and tokens[back].low in ADVERBS:
        back -= 1
    previous = tokens[back].low if index else ""
    if index <= start or previous in NOUN_NEXT or (index > 1 and tokens[index - 2].low == "to"):
        return False
    known = forms()
    if (low in known.third or low in known.past) and previous not in NOT_A_SUBJECT:
        return True
    plural = previous in PLURAL or (
        previous.endswith("s") and not previous.endswith(("ss", "us", "is", "'s"))
    )
    return low in known.base and plural and shows_verb(tokens, index + 1)


def finite_at(tokens: Sequence[Token], at: int, *, limit: int = 14) -> int | None:
    """Where the verb of a noun subject stands from ``at`` on, outside any subordinate clause."""
    for index in range(at, min(len(tokens), at + limit)):
        low = tokens[index].low
        if low in {",", "(", ")"}:
            continue
        if low in {";", ":"} or (low in SUBORDINATORS and not (index == at and low == "that")):
            return None
        if _finite(tokens, index, at):
            return index
    return None


def main_verb_at(tokens: Sequence[Token]) -> int | None:
    """Where the verb of the noun subject that opens the clause stands, relative clauses in it passed over."""
    inside = False
    for index, token in enumerate(tokens[:24]):
        low, after = token.low, tokens[index + 1].low if index + 1 < len(tokens) else ""
        before = tokens[index - 1].low if index else ""
        if low in {";", ":"} or (low in SUBORDINATORS and low not in RELATIVE and low != "that"):
            return None
        pointing = low == "that" and not (after in SUBJECTS or is_verb(after) or after in OWN)
        if (index and ((low in RELATIVE or low == "that") and not pointing)) or (
            index and low in {"i", "we", "he", "she", "they"} and before not in BEFORE_CLAUSE
        ):
            inside = True
        elif inside and (
            low in forms().base or low in forms().past or low in forms().third or low in AUXILIARY
        ):
            inside = low in AUXILIARY and (
                after in forms().participle or after in forms().gerund or after in forms().base
            )
        elif not inside and _finite(tokens, index, 0):
            return index
    return None


def starts_clause(tokens: Sequence[Token], at: int) -> bool:
    """Whether a subject and its verb begin at ``at``."""
    if at < len(tokens) and tokens[at].low in LEADING:
        at += 1
    if at >= len(tokens):
        return False
    low = tokens[at].low
    if low in CONTRACTED:
        return True
    if low in SUBJECTS:
        index = at + 1
        while index < len(tokens) and tokens[index].low in ADVERBS:
            index += 1
        return index < len(tokens) and is_verb(tokens[index].low)
    if low in OWN:
        return finite_at(tokens, at + 1, limit=6) is not None
    if low == "the" or tokens[at].text[0].isupper():
        verb = finite_at(tokens, at, limit=5)
        if verb is None or tokens[verb].low in BE:
            return verb is not None
        joined = at > 0 and tokens[at - 1].low in COORDINATORS
        listed = tokens[at].text.isupper() and tokens[verb].low.removesuffix("s") in NOUN_VERBS
        return joined and tokens[verb].low in forms().third and not listed
    return False


def starts_question(tokens: Sequence[Token], at: int, *, asked: bool = True) -> bool:
    """Whether an inverted or, in a sentence that asks, a wh- question begins at ``at``."""
    low = tokens[at].low
    if low == "please":
        return True
    if low not in QUESTIONS or at + 1 >= len(tokens):
        return False
    if low in WH and _inverted(tokens, at):
        return True
    if low in WH:
        if at > 0 and low in RELATIVE and tokens[at - 1].low in {",", "and"}:
            return False
        near = {token.low for token in tokens[at + 1 : at + 4]}
        return asked and not near.isdisjoint(ASKING)
    if low == "any":
        return asked and at == 0
    return (asked or low != "when") and tokens[at + 1].low in INVERTED


def _inverted(tokens: Sequence[Token], at: int) -> bool:
    """Whether a verb stands before its subject: "how can I", "what does it"."""
    for index in range(at + 1, min(at + 4, len(tokens) - 1)):
        if tokens[index].low in BE or tokens[index].low in DO or tokens[index].low in MODALS:
            return tokens[index + 1].low in {"i", "you", "we", "it", "they", "he", "she"}
    return False


def _hangs(tokens: Sequence[Token], start: int, at: int, *, fine: bool) -> bool:
    """Whether the clause that begins at ``at`` says too little, or the one before too little, to stand alone."""
    if tokens[at].low in RECALLING and at > start + 3 and _valued(tokens, at):
        return True
    thought = tokens[start].low in SUBJECTS and at - start < 8 and tokens[start + 1].low in THINKING
    verbless = not any(is_verb(token.low) for token in tokens[start + 2 : at - 1])
    if thought and verbless and tokens[at - 1].low in COORDINATORS:
        return True
    return not fine and _continues(tokens, start, at)


def _continues(tokens: Sequence[Token], start: int, at: int) -> bool:
    """Whether what begins at ``at`` hangs on the clause before: by a pronoun, or as what came of it."""
    if at < start + 3 or any(token.low in YOU for token in tokens[at : at + 14]):
        return False
    before = {token.low for token in tokens[max(start, at - 2) : at]}
    return tokens[at].low in POINTING_BACK or "so" in before


def _boundary(tokens: Sequence[Token], start: int, at: int, *, asked: bool, fine: bool) -> int | None:
    """Where the clause that began at ``start`` ends, if a new one begins at ``at``."""
    previous = tokens[at - 1].low
    if previous == ":" and tokens[at].low not in OPENING_SUBJECTS:
        return None
    if previous == "yet" and tokens[at - 2].low not in BEFORE_CLAUSE:
        return None
    if previous == ";":
        return at - 1
    aside = tokens[at].low in DONE if previous in DASHES else previous == "," and _invites(tokens, at)
    if (aside or (previous in DASHES and _invites(tokens, at))) and start < at - 1:
        return at - 1
    question = starts_question(tokens, at, asked=asked)
    if not (question or starts_clause(tokens, at)) or _hangs(tokens, start, at, fine=fine or question):
        return None
    if previous not in COORDINATORS:
        return at - 1
    if previous == "so" and (tokens[at].low == "that" or _purpose(tokens, at)):
        return None
    pair = previous in {"and", "&"} and tokens[at - 2].low != ","
    if pair and not _has_verb(tokens, start, at - 1):
        return None
    end = at - 1
    while end > 0 and tokens[end - 1].low in COORDINATORS - {"yet"} | DASHES | {","}:
        end -= 1
    return end


def _invites(tokens: Sequence[Token], at: int) -> bool:
    """Whether an invitation begins at ``at``: "let's …", "take a look", "check it out"."""
    after = tokens[at + 1].low if at + 1 < len(tokens) else ""
    low = tokens[at].low
    shown = low in LOOKING and after in {"a", "it", "out", "this", "at", "here"}
    return shown or low == "let's" or (low == "come" and after == "see")


def _valued(tokens: Sequence[Token], at: int) -> bool:
    """Whether a number follows soon: "and it's around 150ms" is worth little without what it measures."""
    return any(token.low[0].isdigit() for token in tokens[at : at + 8])


def _has_verb(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether anything before a coordinator can be a verb, so that it joins clauses and not nouns."""
    if any(token.low in CONTRACTED for token in tokens[start:end]):
        return True
    subject = next((at for at in range(start, end) if tokens[at].low in SUBJECTS), None)
    if subject is not None and any(is_verb(token.low) for token in tokens[subject + 1 : end]):
        return True
    return is_verb(tokens[start].low) or main_verb_at(tokens[start:end]) is not None


def _purpose(tokens: Sequence[Token], at: int) -> bool:
    """Whether ``so`` gives a purpose, as in "so I can sleep", and so stays with its clause."""
    return at + 1 < len(tokens) and tokens[at + 1].low in PURPOSE


def fronted(tokens: Sequence[Token]) -> bool:
    """Whether a stretch before a comma is no statement of its own but an adjunct of what follows."""
    index = 0
    while index < len(tokens) and tokens[index].low in BEFORE_ADJUNCT:
        index += 1
    if index + 1 < len(tokens) and tokens[index].low in ADVERBS and tokens[index + 1].low in PREPOSITIONS:
        index += 1
    rest = tokens[index:]
    if not rest:
        return False
    low = rest[0].low
    if low in SUBORDINATORS and low not in {"that", "what", "who"}:
        return True
    if low in RECURRING and len(rest) > 1 and rest[1].low in TIMES:
        return True
    if low in HEDGING and finite_at(rest, 1) is None:
        return True
    if low in SUBJECTS or low in OWN:
        return False
    if low in PREPOSITIONS or low in ADJUNCT_HEADS or low in forms().gerund:
        return finite_at(rest, 1, limit=10) is None
    return False


class _Inside:
    """Follows brackets and quotation marks, within which no clause is cut."""

    def __init__(self) -> None:
        self.depth = 0
        self.quoted = False

    def pass_over(self, mark: str) -> bool:
        """Take one token in; true while inside."""
        if mark in {"(", "["}:
            self.depth += 1
        elif mark in {")", "]"}:
            self.depth = max(0, self.depth - 1)
        elif mark in QUOTES:
            self.quoted = not self.quoted if mark == '"' else mark in {"“", "«"}
        return self.depth > 0 or self.quoted


def clauses(tokens: Sequence[Token], *, asked: bool = False, fine: bool = False) -> list[tuple[Token, ...]]:
    """The sentence cut at its clause boundaries; the coordinators between them are dropped.

    Unless ``fine``, a clause that hangs on the one before ("…, and it was worth it") stays with it.
    """
    pieces: list[tuple[int, int, str]] = []
    start = 0
    inside = _Inside()
    for at in range(1, len(tokens)):
        mark = tokens[at - 1].low
        if inside.pass_over(mark) or at <= start or mark not in BEFORE_CLAUSE:
            continue
        end = _boundary(tokens, start, at, asked=asked, fine=fine)
        if end is None:
            continue
        if end > start:
            pieces.append((start, end, mark))
        start = at
    pieces.append((start, len(tokens), ""))
    return list(_joined(tokens, pieces, asked=asked))


def _joined(
    tokens: Sequence[Token], pieces: Sequence[tuple[int, int, str]], *, asked: bool
) -> Iterator[tuple[Token, ...]]:
    """Fronted adjuncts put back before the clause that they belong to."""
    held: int | None = None
    for start, end, mark in pieces:
        if mark == "," and fronted(tokens[start:end]):
            held = start if held is None else held
            continue
        joined = held is not None and not starts_question(tokens, start, asked=asked)
        yield tuple(tokens[held if joined and held is not None else start : end])
        held = None
