"""A clause that stands as it is inside a longer English sentence: where one may be cut out, and where not.

The words of the claim follow one another in the sentence; before them a clause has ended, behind them another
begins or a remark follows, and neither reaches into it: no condition, no report, no doubt, no restriction.
"""

from __future__ import annotations

from collections.abc import Iterator

from nocturne.core.meaning.clauses import verb_at
from nocturne.core.meaning.grammar import BE, FLOATING, SUBJECT_PRONOUNS, TIMELY, Grammar, starts_clause
from nocturne.core.meaning.moves import Key
from nocturne.core.meaning.support import embedded
from nocturne.core.meaning.verbs import is_form

_JOINTS = frozenset(("and", "but", "so", "because", "plus"))
_MARKS = frozenset((",", "—", ";"))
_INVITES = frozenset(("look", "come", "check", "take", "see", "let", "thank", "thanks"))
_ASIDES = frozenset(("which", "who", "where", "as", "just", "like"))
_BOUNDS = frozenset(
    ("until", "till", "unless", "if", "without", "except", "than", "provided", "whether", "or", "nor", "only", "when",
     "whenever", "while", "though", "although", "before", "after", "once", "rather", "instead", "supposedly", "at")
)  # fmt: skip
_UNIVERSAL = frozenset(
    ("all", "every", "each", "always", "never", "no", "none", "only", "most", "any", "everyone")
)
_CAUSING = frozenset(("let", "make", "made", "help", "see", "saw", "watch", "hear", "heard", "have", "had"))
_YOU = frozenset(("you", "your"))


def cut_out(claim: Key, sentence: Key, grammar: Grammar) -> bool:
    """Whether the sentence says the claim in a clause of its own, word for word."""
    if not grammar.english or len(claim) < 2 or len(claim) > len(sentence) + 2:
        return False
    for at in _places(claim, sentence):
        if _opens(sentence, at, claim, grammar) and _closes(sentence, at + len(claim), claim, grammar):
            return True
    return _second_verb(claim, sentence, grammar) or _second_infinitive(claim, sentence, grammar)


def before_question(sentence: Key, grammar: Grammar) -> Key:
    """What a sentence states before it asks: *I keep bees, can you …?*; empty where it only asks."""
    if not grammar.english or sentence[:1] == () or sentence[0] in _ASKING:
        return ()
    for at in range(2, len(sentence) - 3):
        word, after = sentence[at], sentence[at + 1]
        if word not in _ASKING or sentence[at - 1] not in _MARKS | _JOINTS:
            continue
        asks = after in SUBJECT_PRONOUNS or (
            word in _WH and after in grammar.auxiliaries | grammar.modals | _WH_NEXT
        )
        if not asks:
            continue
        end = at
        while end > 0 and (sentence[end - 1] in _JOINTS or sentence[end - 1] in _MARKS):
            end -= 1
        stated = sentence[:end]
        return () if verb_at(stated, grammar) is None else stated
    return ()


_WH = frozenset(("what", "how", "why", "where", "when", "which"))
_WH_NEXT = frozenset(("do", "did", "would", "should", "can", "could", "about", "to", "much", "many", "else"))
_ASKING = _WH | frozenset(
    (
        "can",
        "could",
        "would",
        "will",
        "do",
        "did",
        "is",
        "was",
        "should",
        "may",
        "have",
        "shall",
        "any",
        "who",
    )
)


def _places(words: Key, sentence: Key) -> Iterator[int]:
    size = len(words)
    for at in range(len(sentence) - size + 1):
        if sentence[at] == words[0] and sentence[at : at + size] == words:
            yield at


def _embedding(before: Key, claim: Key, grammar: Grammar) -> bool:
    """Whether what goes before may hold for the claim: not what only asks itself whether, nor a closed quotation.

    What the speaker checked or knows ends where they begin anew with *but I*; *trying to …* ends at a new subject.
    """
    conditions = grammar.conditionals - grammar.modals
    plain = tuple(
        word
        for at, word in enumerate(before)
        if not (word in conditions and at and before[at - 1] in WONDERING)
        and not (word == '"' and before.count('"') % 2 == 0)
        and not (
            before[at + 1 : at + 2] == ("to",)
            and before[-1] in ("and", "but")
            and claim[0] in SUBJECT_PRONOUNS
        )
    )
    if before[-1] == "but" and claim[0] == "§subj":
        plain = tuple(word for word in plain if word not in grammar.reporting)
    return embedded(plain, grammar)


WONDERING = frozenset(
    ("know", "knows", "see", "wonder", "wondering", "sure", "ask", "asked", "check", "certain")
)


def _segment(before: Key) -> Key:
    """The clause at the end of what stands before."""
    start = 0
    for at, word in enumerate(before[:-1]):
        if word in ("—", ";") or (word in ("and", "but", "so") and before[at + 1] in SUBJECT_PRONOUNS):
            start = at + 1
    return before[start:]


def _opens(sentence: Key, at: int, claim: Key, grammar: Grammar) -> bool:
    """Whether a clause may begin here that nothing before it reaches into."""
    if at == 0:
        return True
    before, last = sentence[:at], sentence[at - 1]
    if _embedding(before, claim, grammar) or last not in _MARKS | _JOINTS:
        return False
    if last == "," and claim[0] not in grammar.auxiliaries and _called(before[:-1], grammar):
        return True
    own = claim[0] in SUBJECT_PRONOUNS or claim[0].endswith("'s") or claim[0] in grammar.determiners
    timed = claim[0] in FLOATING and claim[1] in SUBJECT_PRONOUNS
    if not (own or timed) and (last == "and" or verb_at(claim, grammar) is None):
        return False
    segment = _segment(before[:-1] if len(before) > 1 else before)
    if not segment:
        return False
    if last == "," and (segment[0] in TIMELY or segment[0] in grammar.conditionals or segment[0] in _BOUNDS):
        return False
    if last == "," and segment[0] in grammar.adjuncts:
        return False
    if last in (",", "and"):
        return verb_at(segment, grammar) is not None or is_form(segment[0], "base") or segment[0] == "be"
    return True


def _called(words: Key, grammar: Grammar) -> bool:
    """Whether a few words before a comma only call out to someone: *woah Mira, …*."""
    closed = (
        grammar.hedges | grammar.conditionals | grammar.negation | grammar.restrictors | grammar.quantifiers
    )
    closed |= grammar.adjuncts | grammar.reporting | TIMELY | FLOATING | _BOUNDS
    if not 0 < len(words) < 3 or set(words) & closed or words[-1] in grammar.pronouns:
        return False
    return not any(is_form(word, "past", "third", "gerund") or word.endswith("ly") for word in words)


def _of_its_own(core: Key, grammar: Grammar) -> bool:
    """Whether a noun subject and its verb begin the words: *…, Luna is on the left*."""
    verb = verb_at(core, grammar)
    return verb is not None and 0 < verb <= 3 and core[verb] in grammar.auxiliaries


def _closes(sentence: Key, end: int, claim: Key, grammar: Grammar) -> bool:
    """Whether the clause may end here, and nothing behind it takes it back or bounds it."""
    rest = sentence[end:]
    if not rest:
        return True
    mark = rest[0] if rest[0] in _MARKS else ""
    rest = rest[1:] if mark else rest
    joint = rest[0] if rest and rest[0] in _JOINTS else ""
    core = rest[1:] if joint else rest
    if not core or not (mark or joint):
        return False
    doubt = grammar.hedges | grammar.reporting
    if (core[0] in _INVITES and mark) or core[:2] == ("who", "knows"):
        return True
    if core[0] == "maybe" and core[1:2] == ("you",):
        core = core[1:]
    if core[0] in grammar.negation | grammar.restrictors | grammar.hedges or (
        len(core) < 5 and set(core) & doubt
    ):
        return False
    conditions = grammar.conditionals - grammar.modals
    if core[0] in _BOUNDS and not (core[0] == "if" and joint in ("and", "but")):
        return False
    own = core[0] in SUBJECT_PRONOUNS or core[0].endswith("'s") or _of_its_own(core, grammar)
    if joint in ("because", "so", "but"):
        return (
            core[:2] == ("who", "knows")
            or own
            or not set(core[:4]) & (grammar.negation | conditions | grammar.restrictors)
        )
    bound = any(word in conditions and core[at - 1] not in WONDERING for at, word in enumerate(core) if at)
    if bound and core[0] != "if" and mark != "—":
        return False
    if own or core[0] == "if":
        return True
    held = set(claim) & (
        _UNIVERSAL | grammar.negation | grammar.modals | grammar.hedges | {"did", "do", "used"}
    )
    if joint:
        return not held and starts_clause(core, 0, grammar)
    if core[0] in _ASIDES:
        return core[0] in ("which", "who", "where") or bool(set(core[:3]) & _YOU)
    return mark == "—" and not set(core) & (grammar.negation | conditions | doubt | grammar.restrictors)


def _second_verb(claim: Key, sentence: Key, grammar: Grammar) -> bool:
    """*We met in Oslo and quickly became friends*: the subject is that of the one clause before."""
    verb = 1
    while verb < len(claim) - 1 and (claim[verb] in FLOATING or claim[verb].endswith("ly")):
        verb += 1
    if claim[0] not in SUBJECT_PRONOUNS or not is_form(claim[verb], "past") or is_form(claim[verb], "base"):
        return False
    for at in _places(claim[1:], sentence):
        before = sentence[:at]
        if at < 3 or sentence[at - 1] not in ("and", "but", "then") or claim[0] not in before:
            continue
        subject = before.index(claim[0])
        if _reaching(before[subject + 1 :], grammar, alone=claim[0]) or embedded(before, grammar):
            continue
        if not is_form(_verb(before, subject), "past") or not _opens(sentence, subject, claim, grammar):
            continue
        return _closes(sentence, at + len(claim) - 1, claim, grammar)
    return False


def _verb(before: Key, subject: int) -> str:
    """The first word behind the subject that is no adverb."""
    rest = [word for word in before[subject + 1 :] if word not in FLOATING and not word.endswith("ly")]
    return next((word for word in rest if word not in ("just", "really", "even")), "")


def _reaching(words: Key, grammar: Grammar, *, alone: str) -> bool:
    """Whether something stands there that holds for what follows too, or that has another subject."""
    held = set(words)
    if held & (grammar.negation | grammar.modals | grammar.hedges | grammar.conditionals | grammar.reporting):
        return True
    if held & (grammar.relatives | {"used", "did", "do", "what", "how", "why"}):
        return True
    return bool(held & (SUBJECT_PRONOUNS - {alone}) - {"that", "this"})


def _open_form(word: str, form: str, grammar: Grammar) -> bool:
    """Whether the word is of that form, or an open word that can be: not every verb is listed."""
    if form == "gerund":
        return is_form(word, "gerund") or (word.endswith("ing") and len(word) > 5)
    closed = (
        grammar.stopwords | grammar.pronouns | grammar.determiners | grammar.adjuncts | grammar.quantifiers
    )
    return word == "be" or is_form(word, "base") or (word.isalpha() and word not in closed)


def _second_infinitive(claim: Key, sentence: Key, grammar: Grammar) -> bool:
    """*I hope to build a house and plant a garden*, *I'm baking bread and selling it*: the lead holds for both."""
    for at in range(1, min(len(claim) - 1, 10)):
        lead, own = claim[: at + 1], claim[at + 1 :]
        form = "base" if claim[at] == "to" else "gerund" if claim[at] in BE else ""
        if not form or not _open_form(own[0], form, grammar) or set(lead) & (grammar.negation | _UNIVERSAL):
            continue
        for start in _places(lead, sentence):
            for place in _places(own, sentence):
                between = sentence[start + len(lead) : place]
                if len(between) < 2 or between[-1] != "and" or not _open_form(between[0], form, grammar):
                    continue
                barred = _reaching(between, grammar, alone="§subj") or set(between) & (_CAUSING | {"to"})
                if barred or set(between[1:]) & SUBJECT_PRONOUNS:
                    continue
                if _opens(sentence, start, claim, grammar) and _closes(
                    sentence, place + len(own), claim, grammar
                ):
                    return True
    return False
