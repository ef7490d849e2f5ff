"""Whether a later statement puts an end to an earlier one, and what a fact could be denied by."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from nocturne.core.meaning.attitudes import attitudes
from nocturne.core.meaning.attributes import Stated, lemma, plain_statements, stated_in
from nocturne.core.meaning.clauses import subject_of
from nocturne.core.meaning.finding import Fails, Finding, Holds, Said, guarded
from nocturne.core.meaning.grammar import VERB_ADVERBS, Grammar
from nocturne.core.meaning.guards import brief, unfit
from nocturne.core.meaning.reading import Reading, read
from nocturne.core.text.lexicon import Lexicon

_LIKING = {"like": 1, "love": 1, "enjoy": 1, "adore": 1, "prefer": 1, "favour": 1, "hate": -1, "dislike": -1,
           "detest": -1, "loathe": -1, "despise": -1}  # fmt: skip
_MANY = frozenset(
    ("like", "have", "own", "know", "speak", "play", "eat", "drink", "read", "watch", "visit", "enjoy")
)
"""Verbs of which one person has many objects at once."""

_ENDING = frozenset(("stop", "quit", "cease", "abandon"))
_SKIPPED = VERB_ADVERBS | frozenset(
    ("do", "did", "have", "been", "will", "can", "longer", "anymore", "any", "more", "no", "cannot", "now", "used",
     "to", "would", "is", "going")
)  # fmt: skip
_CLAUSE_ENDS = frozenset(
    (",", ";", "because", "since", "so", "when", "if", "but", "and", "or", "anymore", "now", "until", "although",
     "while", "unless", "after", "before", "as")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Held:
    """What a statement holds of somebody: a predicate with its object, and whether it is affirmed."""

    holder: str
    predicate: str
    affirmed: bool


def clash_key(said: Said, *, lexicon: Lexicon) -> tuple[tuple[str, ...], ...]:
    """What the text states that another text could deny: attributes, predicates without polarity, counts."""
    keys: dict[tuple[str, ...], None] = {}
    for stated in stated_in(said.text, lexicon, said.speaker):
        keys[stated.attribute, stated.holder] = None
    reading = read(said.text, lexicon, said.speaker)
    if reading.grammar.known and len(reading.analysis.forms) <= 60:
        for held in _held(reading):
            keys["says", held.predicate, held.holder] = None
        for attitude in attitudes(reading):
            keys["likes", attitude.thing, attitude.holder] = None
        for frame, _ in _frames(reading):
            keys["value", frame] = None
        for before, _, whole in _changes(reading):
            keys["change", whole or before] = None
        for listed in _things(reading):
            keys["change", listed] = None
    return tuple(keys)


@guarded
def judge_contradict(
    old: Said, new: Said, *, lexicon: Lexicon, single_valued: Collection[str], same_source: bool = False
) -> Finding:
    """Holds where the new text is later, of the same subject and thing, and cannot be true beside the old one."""
    whose, whom = old.subject or old.speaker, new.subject or new.speaker
    if whose != whom:
        return Fails("N234", {"before": whose or "the user", "after": whom or "the user"})
    first, second = read(old.text, lexicon, old.speaker), read(new.text, lexicon, new.speaker)
    if refused := unfit(first.analysis) or unfit(second.analysis):
        return refused
    if not (first.grammar.known and second.grammar.known):
        return Fails("N219", {"found": "a language that the gates do not know"})
    if first.asks or second.asks:
        return Fails("N212", {"found": brief(new.text if second.asks else old.text)})
    before = stated_in(old.text, lexicon, old.speaker)
    after = stated_in(new.text, lexicon, new.speaker)
    found = _clash(_Both(old, new, first, second, before, after), single_valued)
    if isinstance(found, Fails):
        return found
    return _later(old, new, same_source=same_source) or found


def _later(old: Said, new: Said, *, same_source: bool) -> Fails | None:
    then = old.occurred_at if old.occurred_at is not None else old.said_at
    now = new.occurred_at if new.occurred_at is not None else new.said_at
    if then is None or now is None:
        return None if same_source else Fails("N235", {})
    if now > then or (now == then and same_source):
        return None
    return Fails("N232", {"old": str(then), "new": str(now)})


def _clash(both: _Both, single_valued: Collection[str]) -> Holds | Fails:
    """The first way in which the two exclude each other, or why they do not."""
    cues = _cues(both.second)
    found = (
        _attributes(both, cues, single_valued)
        or _polarity(both.first, both.second)
        or _turned(both.first, both.second)
        or _numbered(both.first, both.second, cues)
        or _changed(both.first, both.second)
    )
    if found is not None:
        return found
    if plural := _plural(both):
        return Fails("N231", {"attribute": plural})
    shared = _same_predicate(both.first, both.second)
    if shared is None:
        return Fails("N234", {"before": brief(both.old.text), "after": brief(both.new.text)})
    if cues or shared in _MANY or any(one.denied for one in both.before):
        return Fails("N231", {})
    return Fails("N233", {"found": f"{shared} may have several objects"})


@dataclass(frozen=True, slots=True)
class _Both:
    """The two texts, read, with the attributes that they state."""

    old: Said
    new: Said
    first: Reading
    second: Reading
    before: tuple[Stated, ...]
    after: tuple[Stated, ...]

    def pairs(self) -> Iterator[tuple[Stated, Stated]]:
        """Statements of one attribute of one holder, the old one affirmed."""
        for one in self.before:
            for two in self.after:
                if (one.holder, one.attribute) == (two.holder, two.attribute) and not one.denied:
                    yield one, two


def _attributes(both: _Both, cues: list[str], single_valued: Collection[str]) -> Holds | None:
    for one, two in both.pairs():
        if two.denied and one.value == two.value:
            return _holds(one, two, "denied")
        if two.denied or one.value == two.value:
            continue
        if one.attribute in single_valued:
            return _holds(one, two, "single-valued")
        if cues:
            return _holds(one, two, cues[0])
    return None


def _plural(both: _Both) -> str | None:
    """An attribute of which the two give different values that may stand side by side."""
    return next(
        (one.attribute for one, two in both.pairs() if one.value != two.value and not two.denied), None
    )


def denies(first: Reading, second: Reading) -> bool:
    """Whether one of two texts affirms what the other denies, or they take opposite sides of one thing."""
    return _polarity(first, second) is not None or _turned(first, second) is not None


def _polarity(first: Reading, second: Reading) -> Holds | None:
    had = {(held.holder, held.predicate): held.affirmed for held in _held(first)}
    for held in _held(second):
        if had.get((held.holder, held.predicate), held.affirmed) != held.affirmed:
            return Holds("superseded", {"predicate": held.predicate, "by": "opposite polarity"})
    return None


def _turned(first: Reading, second: Reading) -> Holds | None:
    for had, has in product(attitudes(first), attitudes(second)):
        if had.turns(has):
            return Holds("superseded", {"predicate": f"like {had.thing}", "by": "opposite attitude"})
    return None


def _holds(one: Stated, two: Stated, by: str) -> Holds:
    return Holds(
        "superseded", {"attribute": one.attribute, "before": one.value, "after": two.value, "by": by}
    )


@lru_cache(maxsize=8_192)
def _cues(reading: Reading) -> list[str]:
    words = [word for sentence in reading.sentences for word in sentence.words]
    text = f" {' '.join(words)} "
    return [cue for cue in sorted(reading.grammar.change_cues) if cue in words] + [
        cue
        for cue in ("no longer", "instead of", "used to", "switch to", "not anymore")
        if f" {cue} " in text
    ]


@lru_cache(maxsize=8_192)
def _held(reading: Reading) -> tuple[Held, ...]:
    return tuple(_predicates(reading))


def _predicates(reading: Reading) -> Iterator[Held]:
    """Predicate and object of each plain statement, negation taken out and counted."""
    grammar = reading.grammar
    for clause in plain_statements(reading):
        subject = (
            subject_of(clause, grammar)
            if grammar.english
            else (clause[:1] if clause[0].startswith("§") else ())
        )
        if subject is None:
            continue
        rest = clause[len(subject) :]
        affirmed = True
        predicate: list[str] = []
        for word in rest:
            if word in grammar.negation or word == "cannot":
                affirmed = not affirmed
                continue
            if word in _CLAUSE_ENDS and predicate:
                break
            if not predicate and word in _SKIPPED and grammar.english:
                if word == "used":
                    affirmed = False
                continue
            predicate.append(word)
        if not predicate or len(predicate) > 8:
            continue
        yield _standard(" ".join(subject), predicate, grammar, affirmed=affirmed)


def _standard(holder: str, predicate: list[str], grammar: Grammar, *, affirmed: bool) -> Held:
    if not grammar.english:
        return Held(holder, " ".join(predicate), affirmed)
    head = lemma(predicate[0])
    rest = predicate[1:]
    if head == "stand" and not affirmed:
        head, affirmed = "like", False
    if head in _ENDING and rest:
        head, rest, affirmed = lemma(rest[0]), rest[1:], not affirmed
    elif head == "give" and rest[:1] == ["up"] and len(rest) > 1:
        head, rest, affirmed = lemma(rest[1]), rest[2:], not affirmed
    sign = _LIKING.get(head)
    if sign is not None:
        head, affirmed = "like", affirmed if sign > 0 else not affirmed
    return Held(
        holder, " ".join([head, *(word for word in rest if word != "to" or rest.index(word))]), affirmed
    )


def _frames(reading: Reading) -> Iterator[tuple[str, str]]:
    """A statement with its one value taken out, and the value: there are # snapshots, 37."""
    grammar = reading.grammar
    values = reading.analysis.values
    for clause in plain_statements(reading):
        found = [at for at, word in enumerate(clause) if word in values]
        if len(found) != 1 or len(clause) > 14 or not ({"is", "have"} & set(clause[: found[0]])):
            continue
        at = found[0]
        words = [word for word in clause if word not in VERB_ADVERBS]
        if clause[at] in words and not set(clause) & grammar.negation:
            yield " ".join("#" if word == clause[at] else word for word in words), clause[at]


def _numbered(first: Reading, second: Reading, cues: list[str]) -> Holds | None:
    known = dict(_frames(first))
    for frame, value in _frames(second):
        before = known.get(frame)
        if before is not None and before != value and (_counts(frame) or cues):
            return Holds(
                "superseded", {"frame": frame, "before": before, "after": value, "by": "one value at a time"}
            )
    return None


def _counts(frame: str) -> bool:
    """Whether the frame says how many or how much something is, rather than when something happens."""
    words = frame.split()
    at = words.index("#") if "#" in words else 0
    return at > 0 and words[at - 1] in ("is", "have", "to", "at")


def _changes(reading: Reading) -> Iterator[tuple[str, str, str]]:
    """From what to what, and of what: stack migrated from postgresql to mysql."""
    for clause in plain_statements(reading):
        if "from" not in clause or "to" not in clause[clause.index("from") :]:
            continue
        at = clause.index("from")
        to = clause.index("to", at)
        if 0 < to - at <= 5 and to + 1 < len(clause):
            head = lemma(clause[at - 1]) if at else ""
            if head in ("migrate", "switch", "move", "change", "convert", "upgrade", "rename", "shift", "go"):
                yield " ".join(clause[at + 1 : to]), clause[to + 1], clause[at - 2] if at >= 2 else ""


_NO_THING = frozenset(("on", "in", "at", "with", "for", "to", "from", "by", "the", "a", "an", "version", "port"))
"""Words after a use that name nothing used: facts that share only these are not about one thing."""


def _things(reading: Reading) -> Iterator[str]:
    """Heads that a from-to change may speak of: the title before a colon or a list, and the objects of use."""
    for sentence in reading.sentences:
        if ":" in sentence.words[:4]:
            yield sentence.words[sentence.words.index(":") - 1]
        for at, word in enumerate(sentence.words[:-1]):
            if lemma(word) in ("use", "run") and at and sentence.words[at + 1] not in _NO_THING:
                yield sentence.words[at + 1]


def _changed(first: Reading, second: Reading) -> Holds | Fails | None:
    words = [word for sentence in first.sentences for word in sentence.words]
    for old, new, thing in _changes(second):
        if old not in words or new in words:
            continue
        others = [
            name for name in sorted(first.analysis.names | first.analysis.values) if name.casefold() != old
        ]
        listed = [word for word in others if word.casefold() != thing]
        if ":" in words[:4] and len(listed) > 1:
            return Fails("N231", {"attribute": thing or old, "ends": [old], "remains": listed})
        if any(mark in words for mark in (",", "and")) and listed:
            return Fails("N231", {"attribute": thing or old, "ends": [old], "remains": listed})
        return Holds(
            "superseded", {"attribute": thing or "used", "before": old, "after": new, "by": "from … to"}
        )
    return None


def _same_predicate(first: Reading, second: Reading) -> str | None:
    """The verb that both texts say of the same holder."""
    one = {(held.holder, held.predicate.split(" ", 1)[0]) for held in _held(first)}
    for held in _held(second):
        verb = held.predicate.split(" ", 1)[0]
        if (held.holder, verb) in one:
            return verb
    return None
