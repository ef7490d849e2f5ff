"""From a sentence to its clauses: where one statement ends and the next begins.

A boundary is taken only where a coordinator or a mark is followed by a subject with its verb, so that lists of
nouns, subordinate clauses and fronted adjuncts stay with the clause that they belong to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nocturne.llm.rules.prose import WORDS, Token
from nocturne.llm.rules.verbs import forms, is_past

FIRST = frozenset("i i'm i've i'd i'll im ive i'ma".split())
TEAM = frozenset("we we're we've we'd we'll".split())
OTHERS = frozenset(
    "he she they it you this that there he's she's they're it's you're that's there's they've you've they'll it'll "
    "you'll he'll she'll they'd he'd she'd it'd you'd who's what's here's here".split()
)
CONTRACTED = frozenset(word for word in FIRST | TEAM | OTHERS if "'" in word or word in {"im", "ive"})
OWN = frozenset("my our".split())
COORDINATORS = frozenset("and but so yet plus then & nor".split())
PLURAL = frozenset("kids children people men women folks parents friends we they both".split())
SHORT_IS = frozenset("super been not so very really super always also just still now never actually".split())
DONE = frozenset("had went got made took saw met started finished bought".split())
LEADING = frozenset("maybe perhaps now then also still sometimes usually currently yesterday today".split())
DASHES = frozenset({"-", "–", "—", "--", "---"})
QUESTIONS = frozenset("can could would will do does did what how why where when which who is are should any".split())
STOPS = frozenset({",", ";", ":", "(", ")", *DASHES})


@dataclass(frozen=True, slots=True)
class Clause:
    """Tokens of one statement. ``carried`` are the subject words that a coordinated verb takes over."""

    tokens: tuple[Token, ...]
    carried: tuple[Token, ...] = ()

    @property
    def words(self) -> tuple[Token, ...]:
        """The clause as it reads with its subject in place."""
        return self.carried + self.tokens


def is_verb(word: str) -> bool:
    """Whether the word can be a finite verb."""
    known = forms()
    return (
        word in WORDS.be
        or word in WORDS.have
        or word in WORDS.do
        or word in WORDS.modals
        or word in known.third
        or word in known.past
        or word in known.base
    )


def finite_at(tokens: Sequence[Token], at: int, *, limit: int = 14) -> int | None:
    """Where the verb of a noun subject stands from ``at`` on: third person, past or auxiliary, outside a relative."""
    known = forms()
    inside = 0
    for index in range(at, min(len(tokens), at + limit)):
        low = tokens[index].low
        if low in {",", "("}:
            inside += 1
            continue
        if low in {")"}:
            continue
        if low in {";", ":"} or low in WORDS.subordinators:
            return None
        previous = tokens[index - 1].low if index else ""
        if low in WORDS.be or low in WORDS.have or low in WORDS.do or low in WORDS.modals:
            return index
        if low.endswith("'s") and index + 1 < len(tokens) and _short_is(tokens[index + 1].low):
            return index
        if previous in WORDS.determiners and previous not in {"that", "this"}:
            continue
        if index > at and (low in known.third or low in known.past) and previous not in {"of", "for", "with", "to"}:
            return index
        plural = previous in PLURAL or (previous.endswith("s") and not previous.endswith(("ss", "us", "'s")))
        if index > at and low in known.base and plural and _complement(tokens, index + 1):
            return index
    return None


def _short_is(after: str) -> bool:
    """Whether a word after ``'s`` shows it to be "is" or "has" and not a possessive."""
    return (
        after in SHORT_IS
        or after in WORDS.prepositions
        or (after in WORDS.determiners and after not in OWN)
        or after in forms().gerund
    )


def starts_clause(tokens: Sequence[Token], at: int) -> bool:
    """Whether a subject and its verb begin at ``at``."""
    if at >= len(tokens):
        return False
    low = tokens[at].low
    if low in LEADING and at + 1 < len(tokens):
        at += 1
        low = tokens[at].low
    if low in CONTRACTED:
        return True
    if low in FIRST | TEAM | OTHERS:
        index = at + 1
        while index < len(tokens) and tokens[index].low in WORDS.adverbs:
            index += 1
        return index < len(tokens) and is_verb(tokens[index].low)
    if low in OWN:
        return finite_at(tokens, at + 1, limit=6) is not None
    if low == "the" or tokens[at].text[0].isupper():
        verb = finite_at(tokens, at + 1, limit=4)
        return verb is not None and tokens[verb].low in forms().third | WORDS.be | {"has", "runs"}
    return False


def starts_question(tokens: Sequence[Token], at: int, *, asked: bool = True) -> bool:
    """Whether an inverted or, in a sentence that asks, a wh- question begins at ``at``."""
    low = tokens[at].low
    if not asked and low in {"what", "how", "why", "where", "which", "who", "any", "when"}:
        return False
    if low in {"please"}:
        return True
    if low not in QUESTIONS or at + 1 >= len(tokens):
        return False
    after = tokens[at + 1].low
    if low in {"what", "how", "why", "where", "which", "who"}:
        near = {token.low for token in tokens[at + 1 : at + 4]}
        return not near.isdisjoint(WORDS.be | WORDS.do | WORDS.modals | {"about", "if", "have", "has"})
    if low == "any":
        return at == 0
    return after in {"i", "you", "we", "it", "there", "they", "this", "that", "anyone", "someone", "he", "she"}


def _boundary(tokens: Sequence[Token], start: int, at: int, *, asked: bool) -> int | None:
    """Where the clause before ``at`` ends, if a new one begins at ``at``."""
    previous = tokens[at - 1].low
    if previous == ";":
        return at - 1
    if previous in DASHES and tokens[at].low in DONE and start < at - 1:
        return at - 1
    if previous in DASHES or previous in {",", ":"}:
        fresh = starts_clause(tokens, at) or starts_question(tokens, at, asked=asked)
        return at - 1 if fresh else None
    if previous in COORDINATORS:
        if not (starts_clause(tokens, at) or starts_question(tokens, at, asked=asked)):
            return None
        if previous == "so" and (tokens[at].low == "that" or _purpose(tokens, at)):
            return None
        if previous in {"and", "&"} and not _has_verb(tokens, start, at - 1):
            return None
        end = at - 1
        while end > 0 and tokens[end - 1].low in COORDINATORS | {",", *DASHES}:
            end -= 1
        return end
    return None


def _has_verb(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether anything before a coordinator can be a verb, so that it joins clauses and not nouns."""
    return any(
        tokens[index].low in CONTRACTED or (is_verb(tokens[index].low) and (index == start or tokens[index - 1].low not in WORDS.determiners))
        for index in range(start, end)
    )


def _purpose(tokens: Sequence[Token], at: int) -> bool:
    """"so I can …" gives a purpose and stays with its clause."""
    return at + 1 < len(tokens) and tokens[at + 1].low in {"can", "could", "don't", "won't", "will", "would"}


def _fronted(tokens: Sequence[Token]) -> bool:
    """Whether a stretch before a comma is no statement of its own but an adjunct of what follows."""
    index = 0
    while index < len(tokens) and (tokens[index].low in COORDINATORS | WORDS.fillers or tokens[index].low == ","):
        index += 1
    rest = tokens[index:]
    if not rest:
        return False
    low = rest[0].low
    if low in WORDS.subordinators and low not in {"that", "what", "who"}:
        return True
    if low in FIRST | TEAM | OTHERS | OWN:
        return False
    if low in WORDS.prepositions or low in forms().gerund or low in {"a", "one", "last", "this", "these", "next"}:
        return finite_at(rest, 1, limit=10) is None
    return False


def clauses(tokens: Sequence[Token], *, asked: bool = False) -> list[tuple[Token, ...]]:
    """The sentence cut at its clause boundaries; the coordinators between them are dropped."""
    pieces: list[tuple[tuple[Token, ...], str]] = []
    start, depth, quoted = 0, 0, False
    for at in range(1, len(tokens)):
        mark = tokens[at - 1].low
        if mark in "([":
            depth += 1
        elif mark in ")]":
            depth = max(0, depth - 1)
        elif mark in {'"', "“", "”", "«", "»"}:
            quoted = not quoted if mark == '"' else mark in "“«"
        if depth or quoted or at <= start:
            continue
        end = _boundary(tokens, start, at, asked=asked)
        if end is None or end <= start:
            if end is not None and end <= start:
                start = at
            continue
        pieces.append((tuple(tokens[start:end]), mark))
        start = at
    pieces.append((tuple(tokens[start:]), ""))
    return list(_joined(tokens, pieces, asked=asked))


def _joined(
    tokens: Sequence[Token], pieces: Sequence[tuple[tuple[Token, ...], str]], *, asked: bool
) -> Iterator[tuple[Token, ...]]:
    """Fronted adjuncts put back before the clause that they belong to."""
    place = {token.start: index for index, token in enumerate(tokens)}
    held: int | None = None
    for piece, mark in pieces:
        first = place[piece[0].start]
        if mark == "," and _fronted(piece):
            held = first if held is None else held
            continue
        if held is not None and not starts_question(piece, 0, asked=asked):
            yield tuple(tokens[held : place[piece[-1].start] + 1])
        else:
            yield piece
        held = None


ADJECTIVES = frozenset(
    "excited tired interested bored inspired motivated amazed related used married born based worried concerned scared "
    "relaxed stressed overwhelmed surprised pleased satisfied frustrated confused disappointed dedicated determined "
    "committed focused left felt set found united injured impressed touched moved thrilled blessed retired engaged "
    "divorced supposed located called named broken lost known loved limited mixed advanced required needed".split()
)
INNER = frozenset("is are was were has will can isn't aren't doesn't".split())
LINKING = frozenset("felt feel got get became become looked look seemed seem stayed stay".split())
COMPLEMENT = frozenset("to me us him her it them you".split())


def _complement(tokens: Sequence[Token], at: int) -> bool:
    """Whether what follows a word shows that the word is a verb there, and not a noun."""
    if at >= len(tokens):
        return False
    token = tokens[at]
    low = token.low
    if low == "of":
        return False
    return (
        low in WORDS.determiners
        or low in WORDS.prepositions
        or low in WORDS.adverbs
        or low in COMPLEMENT
        or low in forms().gerund
        or token.text[:1].isupper()
        or token.text[:1].isdigit()
    )


@dataclass(frozen=True, slots=True)
class Verb:
    """The main verb of a first-person clause: its place and kind (present, past, be, have, modal, do)."""

    at: int
    kind: str


def main_verb(tokens: Sequence[Token], subject: int) -> Verb | None:
    """The verb after a first-person subject at ``subject``."""
    low = tokens[subject].low
    if low in CONTRACTED:
        kind = {"m": "be", "re": "be", "ve": "have", "ll": "modal", "d": "modal"}.get(low.partition("'")[2], "be")
        if low == "ive":
            kind = "have"
        return Verb(subject, kind)
    index = subject + 1
    while index < len(tokens) and tokens[index].low in WORDS.adverbs:
        index += 1
    if index >= len(tokens):
        return None
    word = tokens[index].low
    if word in WORDS.be:
        return Verb(index, "be")
    if word in {"have", "haven't"}:
        after = index + 1
        while after < len(tokens) and tokens[after].low in WORDS.adverbs | {"not"}:
            after += 1
        helps = after < len(tokens) and (tokens[after].low in forms().participle or tokens[after].low == "been")
        return Verb(index, "have" if helps else "present")
    if word in WORDS.do and word != "do":
        return Verb(index, "do")
    if word in WORDS.modals:
        return Verb(index, "modal")
    if is_past(word):
        return Verb(index, "past")
    return Verb(index, "present") if word in forms().base else None


SURE_PRESENT = frozenset("need want hope enjoy prefer think have am don't can can't will won't do".split())
SURE_PAST = frozenset("was had went got grew worked lived studied started began decided bought became met".split())


def coordinated(tokens: tuple[Token, ...], subject: int) -> list[Clause]:
    """A clause cut where one subject has several verbs: each becomes a clause with the subject carried over."""
    verb = main_verb(tokens, subject)
    if verb is None or subject > 0 and tokens[subject - 1].low in {"and", "or"}:
        return [Clause(tokens)]
    head = tokens[subject : subject + 1]
    bare = (Token("I", "i", head[0].start, head[0].end),) if head[0].low in FIRST else ()
    if not bare:
        bare = (Token("we", "we", head[0].start, head[0].end),)
    cuts: list[tuple[int, int, tuple[Token, ...]]] = []
    depth = 0
    negated = any(token.low in {"not", "never", "don't", "didn't", "can't", "won't"} for token in tokens[subject : verb.at + 3])
    for at in range(verb.at + 2, len(tokens)):
        mark = tokens[at - 1].low
        depth += mark in "([\"“"
        depth -= mark in ")]”"
        if depth > 0 or mark not in {"and", "but", "then"}:
            continue
        index = at
        while index < len(tokens) and tokens[index].low in WORDS.adverbs:
            index += 1
        if index >= len(tokens):
            continue
        since = cuts[-1][1] if cuts else verb.at
        between = tokens[since + 1 : at - 1]
        if any(token.low in WORDS.subordinators or token.low in INNER for token in between):
            continue
        carried = _carried(tokens, verb, bare, since, at - 1, index, negated and not cuts)
        if carried is not None:
            end = at - 1
            while end > 0 and tokens[end - 1].low in {",", "and", "but", "then"}:
                end -= 1
            cuts.append((end, at, carried))
    if not cuts:
        return [Clause(tokens)]
    parts = [Clause(tokens[: cuts[0][0]])]
    for number, (_, start, carried) in enumerate(cuts):
        stop = cuts[number + 1][0] if number + 1 < len(cuts) else len(tokens)
        parts.append(Clause(tokens[start:stop], carried))
    return parts


def _carried(
    tokens: tuple[Token, ...], verb: Verb, bare: tuple[Token, ...], since: int, until: int, at: int, negated: bool
) -> tuple[Token, ...] | None:
    """The words to put before the verb at ``at``, or None where it is not a second verb of the same subject."""
    word = tokens[at].low
    known = forms()
    if negated and word != tokens[verb.at].low:
        return None
    if word == tokens[verb.at].low and verb.kind in {"present", "past"} and at + 1 < len(tokens):
        return bare
    team = bare[0].low == "we"
    if verb.kind != "past" and (word in SURE_PRESENT or (word in {"love", "like"} and _complement(tokens, at + 1))):
        return bare
    if verb.kind in {"past", "be", "have"} and word in SURE_PAST and at + 1 < len(tokens):
        return bare
    if word in {"will", "won't", "am", "was"}:
        return bare
    shown = _complement(tokens, at + 1)
    if verb.kind == "past":
        linking = tokens[verb.at].low in LINKING and word.endswith("ed")
        if word in known.past and word not in ADJECTIVES and shown and not linking:
            return bare
        return _infinitive(tokens, verb, bare, since, until) if word in known.base and shown else None
    if verb.kind == "present":
        if word not in known.base or not shown:
            return None
        return _infinitive(tokens, verb, bare, since, until) or bare
    if verb.kind == "be":
        progressive = _next_verb(tokens, verb.at)
        if word in known.gerund and progressive in known.gerund and shown and not _other_gerund(tokens, verb.at, until):
            return (*bare, *((Token("are", "are", bare[0].start, bare[0].end),) if team else (Token("am", "am", bare[0].start, bare[0].end),)))
        return _infinitive(tokens, verb, bare, since, until) if word in known.base and shown else None
    if verb.kind == "have" and word in known.participle and word not in ADJECTIVES and shown:
        return (*bare, Token("have", "have", bare[0].start, bare[0].end))
    if verb.kind == "modal" and word in known.base and shown:
        to = _infinitive(tokens, verb, bare, since, until)
        if to is not None:
            return to
        return (*bare, *_auxiliary(tokens, verb, bare))
    return None


def _auxiliary(tokens: tuple[Token, ...], verb: Verb, bare: tuple[Token, ...]) -> tuple[Token, ...]:
    token = tokens[verb.at]
    full = {"ll": "will", "d": "would"}.get(token.low.partition("'")[2])
    low = full or token.low
    return (Token(low, low, bare[0].start, bare[0].end),)


def _next_verb(tokens: tuple[Token, ...], at: int) -> str:
    index = at + 1
    while index < len(tokens) and tokens[index].low in WORDS.adverbs | {"not"}:
        index += 1
    return tokens[index].low if index < len(tokens) else ""


def _other_gerund(tokens: tuple[Token, ...], at: int, until: int) -> bool:
    """Whether a second gerund stands between the progressive and the coordinator, which may own what follows."""
    seen = [token.low for token in tokens[at:until] if token.low in forms().gerund]
    return len(seen) > 1


def _infinitive(
    tokens: tuple[Token, ...], verb: Verb, bare: tuple[Token, ...], since: int, until: int
) -> tuple[Token, ...] | None:
    """The words up to the last "to" whose infinitive the coordinator continues; None where there is none."""
    for index in range(until - 1, since, -1):
        if tokens[index].low == "to" and tokens[index + 1].low in forms().base and index - verb.at <= 8:
            head = tokens[verb.at : index + 1]
            if tokens[verb.at].low in CONTRACTED:
                return tokens[verb.at : index + 1]
            return (*bare, *head)
    return None
