"""Which attribute of whom a text states, and the value that it gives; closed tables, no guessing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from nocturne.core.meaning.clauses import statements
from nocturne.core.meaning.grammar import BE, TIMELY, Grammar
from nocturne.core.meaning.moves import Key
from nocturne.core.meaning.reading import Reading, read
from nocturne.core.meaning.verbs import readings
from nocturne.core.text.lexicon import Lexicon

_PATTERNS: dict[str, tuple[str, ...]] = {
    "home": ("live in *", "live at *", "reside in *", "move to *", "move back to *", "relocate to *",
             "be base in *", "settle in *", "live near *"),
    "employer": ("work at *", "work for *", "be employ by *", "be employ at *", "join *", "start at *",
                 "start work at *", "start work for *", "employer be *", "company be *"),
    "job": ("work as *", "job be *", "profession be *", "occupation be *", "job title be *", "role be *",
            "become *", "be promote to *", "get promote to *"),
    "name": ("name be *", "be call *", "go by *", "be name *"),
    "age": ("be * old", "age be *", "turn *", "be *"),
    "birthday": ("birthday be *", "be bear on *", "date of birth be *"),
    "partner": ("be marry to *", "marry *", "partner be *", "wife be *", "husband be *", "girlfriend be *",
                "boyfriend be *", "be engage to *", "fiance be *", "spouse be *"),
    "email": ("email be *", "e-mail be *", "email address be *"),
    "phone": ("phone be *", "phone number be *", "mobile number be *"),
    "address": ("address be *", "home address be *"),
    "timezone": ("time zone be *", "timezone be *"),
    "favourite": ("favourite * be *", "favorite * be *"),
    "port": ("run on port *", "port be *", "listen on port *", "use port *", "be on port *"),
    "version": ("version be *", "run version *", "be on version *", "use version *"),
    "package-manager": ("package manager be *",),
    "deadline": ("deadline be *", "due date be *", "be due on *", "be due by *", "be due *", "deadline move to *"),
    "project": ("work on *", "be move to *", "be assign to *", "switch to *"),
}  # fmt: skip
_BY_HEAD: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
for _attribute, _patterns in _PATTERNS.items():
    for _pattern in _patterns:
        _words = tuple(_pattern.split(" "))
        _BY_HEAD.setdefault(_words[0], []).append((_attribute, _words))

_PAST_TOO = frozenset(("move", "relocate", "join", "marry", "become", "turn", "settle", "start", "switch",
                       "get"))  # fmt: skip
"""Verbs whose past still says what is so now: who moved to a place lives there."""

_MANAGERS = frozenset(("pnpm", "npm", "yarn", "bun", "uv", "pip", "poetry", "pipenv", "conda", "cargo", "bundler",
                       "composer", "gradle", "maven", "rye", "pdm"))  # fmt: skip
_USES = frozenset(("use", "prefer", "switch", "adopt", "run", "target", "require", "upgrade", "migrate"))
_JOBS = frozenset(
    ("engineer", "developer", "nurse", "doctor", "teacher", "student", "manager", "designer", "scientist", "writer",
     "artist", "analyst", "consultant", "lawyer", "accountant", "programmer", "founder", "director", "officer",
     "professor", "architect", "chef", "cook", "musician", "photographer", "administrator", "technician", "plumber",
     "electrician", "pilot", "journalist", "editor", "producer", "coach", "therapist", "pharmacist", "carpenter",
     "baker", "barista", "dentist", "mechanic", "librarian", "judge", "actor", "gardener", "farmer", "surgeon",
     "welder", "driver", "translator", "researcher", "receptionist", "paramedic", "firefighter", "soldier")
)  # fmt: skip
_FILLERS = frozenset(
    ("now", "currently", "still", "just", "recently", "also", "already", "have", "been", "really", "actually", "then",
     "officially", "finally", "has", "only", "permanently", "usually", "both", "today", "once", "since", "will")
)  # fmt: skip
_STOPS = frozenset((",", ";", ":", "and", "or", "but", "near", "with", "since", "because", "for", "as", "after",
                    "before",
                    "until", "while", "where", "which", "who", "when", "above", "so", "instead", "now", "these",
                    "anymore", "again", "last", "this", "next", "from", "by", "on", "in", "at", "to",
                    "rather", "during", "currently", "today", "nowadays", "permanently"))  # fmt: skip
_LEMMAS = dict.fromkeys(BE, "be") | {
    "has": "have", "had": "have", "does": "do", "did": "do", "born": "bear", "based": "base", "married": "marry",
    "engaged": "engage", "employed": "employ", "called": "call", "named": "name", "living": "live", "working": "work",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stated:
    """One attribute of one holder: ``home`` of ``user`` is ``ghent``; ``denied`` where the text says that it is not."""

    holder: str
    attribute: str
    value: str
    denied: bool = False


@lru_cache(maxsize=16_384)
def lemma(word: str) -> str:
    """The verb of a form, else the word."""
    known = _LEMMAS.get(word)
    if known is not None:
        return known
    found = readings(word)
    return found[0].lemma if found else word


def attribute_of(text: str, lexicon: Lexicon, speaker: str | None = None) -> tuple[str, str, str] | None:
    """Subject, attribute and value, where the text plainly states one of the known attributes."""
    for stated in stated_in(text, lexicon, speaker):
        if not stated.denied:
            return stated.holder, stated.attribute, stated.value
    return None


@lru_cache(maxsize=16_384)
def stated_in(text: str, lexicon: Lexicon, speaker: str | None = None) -> tuple[Stated, ...]:
    """Every attribute that the text states or denies, in order."""
    reading = read(text, lexicon, speaker)
    if not reading.grammar.known or len(reading.analysis.forms) > 200:
        return ()
    found: dict[Stated, None] = {}
    for clause in plain_statements(reading):
        for stated in _in_clause(clause, reading.grammar, lexicon, reading.analysis.values):
            found[stated] = None
    return tuple(found)


@lru_cache(maxsize=8_192)
def plain_statements(reading: Reading) -> tuple[Key, ...]:
    """The statements of a text that are neither asked nor supposed, doubted or reported."""
    kept: list[Key] = []
    for sentence in reading.sentences:
        if not sentence.asks and _doubtful(reading.grammar).isdisjoint(sentence.words):
            kept.extend(statements(sentence.words, reading.grammar))
    return tuple(kept)


@lru_cache(maxsize=64)
def _doubtful(grammar: Grammar) -> frozenset[str]:
    reported = grammar.reporting - {"call", "called", "calls"}
    return grammar.conditionals | reported | (grammar.hedges - _VAGUE) | {'"'}


_VAGUE = frozenset(("about", "around", "roughly", "likely"))


def _in_clause(clause: Key, grammar: Grammar, lexicon: Lexicon, values: frozenset[str]) -> Iterator[Stated]:
    denied = bool(set(clause) & grammar.negation) or clause[1:3] == ("used", "to")
    words = tuple(
        word for word in clause if word not in grammar.negation and word not in ("longer", "anymore")
    )
    lemmas = tuple(lemma(word) for word in words) if grammar.english else words
    if not grammar.english:
        yield from _foreign(words, grammar, lexicon, denied=denied)
        return
    if ":" in words[:3] and words.index(":") > 0:
        at = words.index(":")
        words = (*words[:at], "is", *words[at + 1 :])
        lemmas = (*lemmas[:at], "be", *lemmas[at + 1 :])
    seen: set[str] = set()
    for head in dict.fromkeys(lemmas):
        for attribute, pattern in _BY_HEAD.get(head, ()):
            if attribute in seen:
                continue
            stated = _matched(attribute, pattern, words, lemmas, values)
            if stated is not None:
                seen.add(attribute)
                yield Stated(*stated, denied)
    yield from _special(words, lemmas, values, denied=denied)


def _matched(
    attribute: str, pattern: Sequence[str], words: Key, lemmas: Key, values: frozenset[str]
) -> tuple[str, str, str] | None:
    head = pattern[0]
    at = lemmas.index(head)
    fixed = pattern.index("*")
    noun = head not in _VERBS
    if attribute == "favourite":
        return _favourite(words, lemmas, at)
    place = at
    for step, wanted in enumerate(pattern[:fixed]):
        while step and place < len(lemmas) and lemmas[place] != wanted and words[place] in _FILLERS:
            place += 1
        if place >= len(lemmas) or lemmas[place] != wanted:
            return None
        place += 1
    tail = pattern[fixed + 1 :]
    value = _value(words[place:], attribute)
    if not value or (
        tail and tuple(lemmas[place + len(value) : place + len(value) + len(tail)]) != tuple(tail)
    ):
        if not (tail and value[-len(tail) :] == tuple(tail)):
            return None
        value = value[: -len(tail)]
    if not value or not _fits(attribute, value, head, values):
        return None
    holder = _holder(words[:at], noun=noun)
    if holder is None or (not noun and not _lasting(words, at, head)):
        return None
    return holder, attribute, " ".join(value)


_VERBS = frozenset(("live", "reside", "move", "relocate", "be", "settle", "work", "join", "start", "become", "go",
                    "turn", "marry", "run", "listen", "use", "switch", "get"))  # fmt: skip


def _lasting(words: Key, at: int, head: str) -> bool:
    """Whether the verb's form says something of today: present, or a past that brought the present about."""
    word = words[at]
    if head == "be":
        moved = at + 1 < len(words) and lemma(words[at + 1]) in _PAST_TOO | frozenset(
            ("assign", "promote", "transfer")
        )
        return word == "is" or (word in ("was", "been") and moved)
    forms = {verb.form for verb in readings(word)}
    if forms & {"base", "third"}:
        return True
    if "gerund" in forms:
        return at > 0 and words[at - 1] in ("is", "been", "now", "currently", "still", "just")
    return head in _PAST_TOO


def _fits(attribute: str, value: Key, head: str, values: frozenset[str]) -> bool:
    if attribute == "age":
        digits = value[0].removeprefix("#:")
        aged = (
            digits.isdigit()
            and len(digits) <= 3
            and (len(value) == 1 or "year" in value[1:2] or "years" in value)
        )
        return aged or (value[0] in values and value[0].endswith((" year", "year")))
    if attribute == "name":
        return len(value) <= 4 and head != "be"
    if attribute in ("port", "version"):
        return value[0] in values
    if attribute == "job" and head == "become":
        return value[-1] in _JOBS
    if attribute in ("home", "employer"):
        return not value[0].startswith("#:") and value[0] not in ("it", "them", "this", "that")
    if attribute == "project":
        return "project" in value
    return True


def _value(rest: Key, attribute: str) -> Key:
    if attribute in ("birthday", "deadline"):
        return tuple(
            word
            for word in rest[:5]
            if word not in ("on", "by", "in") and word not in _STOPS - {"next", "this"}
        )
    end = 0
    while end < len(rest) and end < 8 and rest[end] not in _STOPS:
        end += 1
    return rest[:end]


def _holder(before: Key, *, noun: bool) -> str | None:
    words = [word for word in before if word not in _FILLERS and word != ","]
    while words and words[0] in ("current", "so", "and", "but"):
        words.pop(0)
    if words and words[0] in TIMELY | frozenset(("in", "on", "at", "if")):
        return None
    if noun:
        words = [word for word in words if word not in ("current", "new", "latest", "main", "full", "first")]
        if not words:
            return "user"
        if not (words[-1].endswith("'s") or words[-1] in ("my", "our")) and len(words) > 3:
            return None
    if not words or len(words) > 5:
        return None
    return " ".join(_plain(word) for word in words)


def _plain(word: str) -> str:
    if word in ("§subj", "§subj's", "§user", "§user's", "my"):
        return "user"
    return word.removesuffix("'s")


def _favourite(words: Key, lemmas: Key, at: int) -> tuple[str, str, str] | None:
    for place in range(at + 2, min(at + 5, len(words) - 1)):
        if lemmas[place] == "be":
            if words[place] != "is":
                return None
            holder = _holder(words[:at], noun=True)
            value = _value(words[place + 1 :], "favourite")
            thing = " ".join(words[at + 1 : place])
            return (f"{holder} {thing}", "favourite", " ".join(value)) if holder and value else None
    return None


def _special(words: Key, lemmas: Key, values: frozenset[str], *, denied: bool) -> Iterator[Stated]:
    """Attributes that are told by their value: a package manager, a version of something, a profession."""
    for at, head in enumerate(lemmas[:-1]):
        if head in _USES and at and at + 1 < len(words):
            rest = words[at + 1 :]
            rest = rest[1:] if rest[0] in ("to", "on") else rest
            holder = _holder(words[:at], noun=False)
            if not rest or holder is None:
                continue
            if rest[0] in _MANAGERS and _lasting(words, at, "switch"):
                yield Stated(holder, "package-manager", rest[0], denied)
            for place, word in enumerate(rest[:4]):
                if (
                    place
                    and word in values
                    and _versioned(word)
                    and not {"port", "version", "on"} & set(rest[:place])
                ):
                    yield Stated(" ".join(rest[:place]), "version", word, denied)
                    break
    if len(words) >= 3 and words[1] == "is" and words[-1] in _JOBS and len(words) <= 6 and not denied:
        holder = _holder(words[:1], noun=False)
        if holder is not None:
            yield Stated(holder, "job", " ".join(words[2:]), denied)


def _versioned(word: str) -> bool:
    plain = word.removeprefix("#:").removeprefix("v")
    return plain[:1].isdigit() and all(part.isalnum() for part in plain.split(".")) and len(plain) <= 16


def _foreign(words: Key, grammar: Grammar, lexicon: Lexicon, *, denied: bool) -> Iterator[Stated]:
    """The lexicon's own patterns, word for word, behind a subject form or at the start."""
    table = lexicon.of(grammar.language).table("attributes")
    for attribute, patterns in table.items():
        for pattern in patterns:
            fixed = pattern.split(" ")
            if fixed[-1] != "*" or len(fixed) < 2:
                continue
            size = len(fixed) - 1
            for at in range(min(3, max(0, len(words) - size))):
                if list(words[at : at + size]) == fixed[:-1] and (at == 0 or words[0].startswith("§")):
                    value = _value(words[at + size :], attribute)
                    if value:
                        yield Stated("user", attribute, " ".join(value), denied)
                    break
