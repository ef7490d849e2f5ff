"""English statements: which clauses say something lasting, whose they are, and how they read alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from nocturne.core.facts import Category
from nocturne.llm.rules import refuse
from nocturne.llm.rules.clauses import clauses, finite_at, fronted, main_verb_at, starts_question
from nocturne.llm.rules.coordination import Clause, after_adverbs, coordinated, main_verb
from nocturne.llm.rules.grammar import (
    ADJECTIVES,
    AUXILIARY,
    BARE,
    BE,
    COMPLEMENT,
    DEMONSTRATIVE,
    DETERMINERS,
    DOING,
    FAMILY,
    HOPING,
    IMPERATIVES,
    LIKING,
    MODALS,
    NOT_LIKED,
    OTHERS,
    OWN,
    PREPOSITIONS,
    PROJECT,
    REQUEST_HEADS,
    SEEMING,
    SUBORDINATORS,
    TEAM,
    UNSAID_PAST,
)
from nocturne.llm.rules.leaning import anchors, head_of, tells
from nocturne.llm.rules.person import Speaker, render
from nocturne.llm.rules.pointing import object_of, owner_of
from nocturne.llm.rules.prose import Sentence, Token
from nocturne.llm.rules.shapes import (
    about_project,
    concrete,
    first_person,
    listing,
    low_text,
    lowered,
    noun_like,
    proper,
    quotes_someone,
    reported,
    tense,
)
from nocturne.llm.rules.told import appointment, label, told
from nocturne.llm.rules.trim import content, strip_front, without_tail
from nocturne.llm.rules.verbs import forms

MAX_CLAUSE_TOKENS = 90
MAX_CHARS = 600
REDACTED = "[secret:"
"""What replaces a secret: a statement of one is worth nothing without it."""
NEVER = (refuse.SARCASM, refuse.ROLE_PLAY, refuse.INJECTION)
MINE = frozenset({"my", "me", "mine", "myself"})
NO_NOUN = (SUBORDINATORS | REQUEST_HEADS | HOPING) - {"that"}
NOT_DONE = ADJECTIVES | refuse.MOOD
FINITE = BE | MODALS
PRAISE = re.compile(
    r"i (?:\w+ly |just |also )?(?:love|loved|like|liked) (?:the|that|those|these|how|all the)\b"
)
"""What is said of a picture that the other sent."""
OPEN_MODALS = frozenset(
    {"would", "could", "should", "wouldn't", "couldn't", "shouldn't", "could've", "would've", "should've"}
)
OWNERS = frozenset({"its", "their", "his", "her"})
NO_OBJECT = frozenset({"by", ",", "it", "that"})


@dataclass(frozen=True, slots=True)
class Draft:
    """A fact in the making: its text, where it stands, and what is known of its kind."""

    text: str
    start: int
    end: int
    source: str
    category: Category | None = None
    attribute: str | None = None
    project: bool = False
    tense: str = "present"
    stated: str = ""
    """The first of several sentences, which says of what kind the fact is; empty where there is one."""
    anchor: bool = False
    """Whether it is worth keeping only with a statement that leans on it."""
    leans: str = ""
    """The kind of thing ("thing", "several", "person") that it speaks of without naming it."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Who speaks to whom: ``names`` address a speaker, ``known`` stand capitalised inside some sentence."""

    speaker: Speaker
    names: frozenset[str]
    known: frozenset[str] = frozenset()

    @property
    def named(self) -> bool:
        """Whether people talk to each other, rather than one person to an assistant."""
        return self.speaker.name is not None


@dataclass(frozen=True, slots=True)
class Piece:
    """A clause with its words as text and as a set, which every test of wording looks at."""

    tokens: tuple[Token, ...]
    text: str
    bag: frozenset[str]


def piece_of(tokens: tuple[Token, ...]) -> Piece:
    """The clause and its words."""
    return Piece(tokens, low_text(tokens), frozenset(token.low for token in tokens))


def hypothetical(piece: Piece, subject: int | None) -> bool:
    """Whether the clause depends on a condition or tells what would be."""
    text, bag = piece.text, piece.bag
    if refuse.CONDITIONAL.found(text, bag) and refuse.EVEN_IF.search(text) is None:
        return True
    if not refuse.WOULD.found(text, bag) or refuse.WOULD_LIKE.within(text):
        return False
    return not (subject is not None and _would_inside(piece.tokens, subject))


def _would_inside(tokens: Sequence[Token], subject: int) -> bool:
    """Whether "would" and its like stand only in a clause that hangs on a plain first-person verb."""
    verb = main_verb(tokens, subject)
    if verb is None or verb.kind == "modal":
        return False
    first = next(
        (at for at, token in enumerate(tokens) if token.low in OPEN_MODALS or token.low.endswith("'d")), None
    )
    return first is not None and first > verb.at + 1 and any(
        token.low in SUBORDINATORS or token.low in {"like", "so"} for token in tokens[verb.at + 1 : first]
    )  # fmt: skip


def _verb_first(tokens: Sequence[Token]) -> bool:
    """Whether the clause opens with a verb whose subject is left out: "reminds me to be grateful"."""
    head, after = tokens[0].low, tokens[1].low
    return head == "to" or (head in forms().third and (after in COMPLEMENT or after in DETERMINERS))


class English:
    """Reads one turn's English sentences for one speaker."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    def sentence(self, sentence: Sentence) -> Iterator[Draft]:
        """The facts of a sentence; a question gives only the statements that stand before it."""
        tokens = sentence.tokens
        asked = "?" in sentence.mark or "？" in sentence.mark
        whole = piece_of(tokens)
        if any(family.found(whole.text, whole.bag) for family in NEVER):
            return
        if not asked and label(tokens):
            yield from self._draft(tokens, tokens)
            return
        if asked and starts_question(tokens, 0):
            return
        found = clauses(tokens, asked=asked)
        for number, piece in enumerate(found, start=1):
            if asked and (number == len(found) or self._asks(piece)):
                continue
            drafts = list(self.clause(piece))
            if not drafts and len(parts := clauses(piece, fine=True)) > 1:
                drafts = [draft for part in parts for draft in self.clause(part)]
            if not drafts and not asked and self.scene.named and len(found) == 1:
                drafts = [replace(draft, anchor=True) for draft in self._anchor(piece)]
            yield from drafts

    def _anchor(self, tokens: tuple[Token, ...]) -> Iterator[Draft]:
        """What only names the thing that the next sentence tells of."""
        rest = strip_front(tokens, self.scene.names)
        if rest and anchors(rest, self.scene.names) and not hypothetical(piece_of(rest), 0):
            yield from self._draft(rest, rest)

    def _asks(self, tokens: tuple[Token, ...]) -> bool:
        rest = strip_front(tokens, self.scene.names)
        return bool(rest) and starts_question(rest, 0)

    def clause(self, tokens: tuple[Token, ...]) -> Iterator[Draft]:
        """The facts of one clause, cut at its coordinated verbs."""
        tokens = without_tail(strip_front(tokens, self.scene.names), self.scene.names)
        if not 2 <= len(tokens) <= MAX_CLAUSE_TOKENS:
            return
        if tokens[0].low not in {"please", "when"} and starts_question(tokens, 0):
            return
        piece = piece_of(tokens)
        if not self.scene.named and refuse.TOLD_YOU.within(piece.text):
            yield from self._draft(tokens, tokens, category="preferences")
            return
        subject = first_person(tokens)
        if hypothetical(piece, subject) or quotes_someone(tokens):
            return
        head = tokens[0].low
        if subject is not None:
            yield from self._persons(tokens, subject)
        elif head in TEAM:
            for part in coordinated(tokens, 0):
                yield from self._team(part)
        elif head in OWN:
            yield from self._noun_subject(piece)
        elif head in OTHERS and not (head in {"this", "that"} and noun_like(tokens[1].low)):
            yield from self._pronoun(piece)
        else:
            yield from self._without_pronoun(piece)

    def _without_pronoun(self, piece: Piece) -> Iterator[Draft]:
        """An instruction, a statement whose "I" is left out, an appointment, or a noun's statement."""
        tokens = piece.tokens
        instruction = told(tokens, piece.text, piece.bag)
        if instruction is not None:
            yield from self._draft(
                tokens, tokens, category=instruction.category, attribute=instruction.attribute
            )
            return
        restored = self._elided(tokens)
        if restored is not None:
            yield from self._persons(restored, 0)
        elif appointment(tokens, piece.text):
            yield from self._draft(tokens, tokens, category="commitments")
        else:
            comma = next((at for at, token in enumerate(tokens[:18]) if token.low == ","), 0)
            if 0 < comma < len(tokens) - 2 and fronted(tokens[:comma]):
                yield from self._behind(tokens[: comma + 1], tokens[comma + 1 :])
            else:
                yield from self._noun_subject(piece)

    def _behind(self, front: tuple[Token, ...], rest: tuple[Token, ...]) -> Iterator[Draft]:
        """A statement behind a fronted adjunct, which stays with it."""
        if rest[0].low in TEAM:
            for number, part in enumerate(coordinated(rest, 0)):
                for draft in self._team(part):
                    lead = () if number else front
                    yield from self._draft((*lead, *part.words), (*lead, *part.tokens), leans=draft.leans)
        elif rest[0].low not in OTHERS:
            for draft in self._noun_subject(piece_of(rest)):
                words = (*front, *rest)
                yield from self._draft(words, words, project=draft.project, leans=draft.leans)

    def _persons(self, tokens: tuple[Token, ...], subject: int) -> Iterator[Draft]:
        """First-person statements, one for each verb."""
        if [token.low for token in tokens[:2]] == ["that", "way"]:
            return
        if [token.low for token in tokens[:subject] if token.low != ","] == ["for", "me"]:
            tokens, subject = tokens[subject:], 0
        front = low_text(tokens[:subject])
        for part in coordinated(tokens, subject):
            words = part.words
            at = first_person(words)
            if at is not None and self._stated(piece_of(words[at:])) and self._says_enough(words, at):
                verb = main_verb(words, at)
                leans = (object_of(words, verb.at) if verb is not None else "") or owner_of(words)
                yield from self._draft(words, part.tokens, front=front if part.carried else "", leans=leans)

    def _stated(self, piece: Piece) -> bool:
        """Whether a first-person clause is more than courtesy, a request, or a word on the talk itself."""
        text = piece.text
        if refuse.PHATIC.within(text) or refuse.POINTING.within(text):
            return False
        if self.scene.named and PRAISE.match(text) and len(piece.tokens) < 9:
            return False
        lasting = refuse.LASTING.found(text, piece.bag)
        if refuse.QUESTIONING.within(text) and not lasting:
            return False
        return not self._about_you(piece) or (lasting and not self.scene.named)

    def _about_you(self, piece: Piece) -> bool:
        """Whether the clause turns on the person spoken to, and does not only mention them late."""
        if not refuse.ABOUT_YOU.found(piece.text, piece.bag):
            return False
        at = next(at for at, token in enumerate(piece.tokens) if refuse.ABOUT_YOU.within(token.low))
        before = piece.tokens[at - 1].low
        aimed = (
            before in PREPOSITIONS
            or before in forms().base
            or before in forms().third
            or before in forms().past
        )
        return not self.scene.named or at < 5 or aimed or content(piece.tokens[1:at], self.scene.names) < 2

    def _says_enough(self, words: Sequence[Token], at: int) -> bool:
        """Whether enough is left to be read alone: "I love it" is not, "I love hiking" is."""
        rest = words[at + 1 :]
        index = after_adverbs(rest, 0)
        being = words[at].low in {"i'm", "im"}
        if not being and index < len(rest) and rest[index].low in {"am", "was"}:
            being, index = True, index + 1
        if index >= len(rest):
            return False
        names, pointing = self.scene.names, rest[-1].low in refuse.DEICTIC
        if being:
            amount = content([token for token in rest if token.low not in refuse.MOOD], names)
            return amount >= 1 and not (pointing and content(rest, names) < 2)
        verb = rest[index].low
        amount = content(rest[index + 1 :], names) + content(rest[:index], names)
        amount += verb not in BARE and verb not in refuse.WEAK and verb not in AUXILIARY
        bound = index + 1 < len(rest) and rest[index + 1].low == "to"
        if (pointing and amount < 3) or (bound and amount < 2):
            return False
        return amount >= 2 or (amount == 1 and verb in BARE)

    def _draft(
        self,
        words: tuple[Token, ...],
        span: Sequence[Token],
        *,
        category: Category | None = None,
        attribute: str | None = None,
        project: bool = False,
        front: str = "",
        leans: str = "",
    ) -> Iterator[Draft]:
        """The clause written out; ``front`` is the adjunct that it shares with the one before it."""
        text = render(words, self.scene.speaker)
        if 6 <= len(text) <= MAX_CHARS and REDACTED not in text:
            source = f"{front} {low_text(words)}".lstrip()
            yield Draft(
                text,
                span[0].start,
                span[-1].end,
                source,
                category,
                attribute,
                project,
                tense(words),
                leans=leans,
            )

    def _team(self, part: Clause) -> Iterator[Draft]:
        """What "we" do, have or settled, in its own words."""
        piece = piece_of(part.words)
        vague = self._about_you(piece) or refuse.POINTING.within(piece.text)
        if vague or refuse.TEAM_TALK.within(piece.text) or content(piece.tokens[1:], self.scene.names) < 2:
            return
        verb = main_verb(piece.tokens, 0)
        leans = (object_of(piece.tokens, verb.at) if verb is not None else "") or owner_of(piece.tokens)
        yield from self._draft(piece.tokens, part.tokens, leans=leans)

    def _pronoun(self, piece: Piece) -> Iterator[Draft]:
        """A pronoun's statement counts only where a value or the speaker's own act stands in it."""
        tokens, text = piece.tokens, piece.text
        if self._about_you(piece):
            return
        corrected = refuse.CORRECTED.within(text) and any(token.low[0].isdigit() for token in tokens)
        shown = self.scene.named and refuse.SHOWN.within(text) and content(tokens[1:], self.scene.names) >= 3
        there = refuse.THERE.within(text) and concrete(tokens)
        if corrected or shown or there:
            yield from self._draft(tokens, tokens, project=there)
            return
        kind = "thing" if refuse.THERE.within(text) else head_of(tokens)
        pointless = refuse.POINTING.within(text) or any(
            refuse.REPORTED.within(token.low) for token in tokens[:4]
        )
        if kind and not pointless and tells(tokens, self.scene.names):
            yield from self._draft(tokens, tokens, leans=kind)

    def _elided(self, tokens: tuple[Token, ...]) -> tuple[Token, ...] | None:
        """The clause with the subject that was left out put back, or None where none was."""
        index = after_adverbs(tokens, 0)
        if index >= len(tokens) - 1:
            return None
        word, after, place = tokens[index].low, tokens[index + 1].low, tokens[0].start
        if index and word in BE:
            return None
        subject = Token("I", "i", place, place)
        known, rest = forms(), lowered(tokens)
        if word == "gonna" and after in known.base and after != "be":
            return (subject, *rest)
        if word in known.gerund and self._progressive(tokens, index):
            return (subject, Token("am", "am", place, place), *rest)
        if word == "been" and after in known.gerund:
            return (subject, Token("have", "have", place, place), *rest)
        done = word in known.only_past and (word not in NOT_DONE or after in DETERMINERS)
        if done and self._acted(tokens, index):
            return (subject, *rest)
        if index == 0 and word in LIKING and self._liked(tokens):
            return (subject, *rest)
        return None

    def _liked(self, tokens: tuple[Token, ...]) -> bool:
        """Whether a leading "love" or "prefer" is a verb, and its object stands by itself."""
        word, after = tokens[0].low, tokens[1].low
        if after in {"and", "of", "for"} or (after in NOT_LIKED and word != "prefer"):
            return False
        finite = any(token.low in forms().third or token.low in FINITE for token in tokens[1:6])
        return not finite and content(tokens[1:]) >= 1

    def _progressive(self, tokens: tuple[Token, ...], index: int) -> bool:
        """Whether a leading gerund is what the speaker is doing, and not the subject of the clause."""
        if tokens[index].low not in DOING or tokens[index + 1].low == "and":
            return False
        linked = any(token.low in {"is", "was", "are"} for token in tokens)
        if linked or finite_at(tokens, index) is not None or main_verb_at(tokens[index:]) is not None:
            return False
        return content(tokens[index + 1 :]) >= 1

    def _acted(self, tokens: tuple[Token, ...], index: int) -> bool:
        """Whether a leading past verb is the speaker's act: it has an object or a place of its own."""
        word, after = tokens[index].low, tokens[index + 1].low
        if after == "me":
            return False
        if word in UNSAID_PAST and not (self.scene.named and word in {"got", "had"}):
            return False
        if index == 0 and not self.scene.named:
            placed = after in DETERMINERS or after in PREPOSITIONS
            return word.endswith("ed") and len(tokens) >= 3 and placed
        return after not in NO_OBJECT and content(tokens[index + 1 :]) >= 1

    def _noun_subject(self, piece: Piece) -> Iterator[Draft]:
        """A statement whose subject is a noun: the speaker's own things and people, or the project's."""
        tokens, head = piece.tokens, piece.tokens[0].low
        if head in NO_NOUN or head in forms().past or listing(tokens) or _verb_first(tokens):
            return
        if self._about_you(piece) or refuse.POINTING.within(piece.text):
            return
        at = main_verb_at(tokens)
        verb = max(at or 0, 1)
        if at is None or reported(tokens, at) or content(tokens[at + 1 :], self.scene.names) < 1:
            return
        mine = not MINE.isdisjoint(piece.bag) or "i" in piece.bag or head == "our"
        seen = tokens[verb].low in SEEMING and not mine
        if seen or not self._stands_alone(tokens[:verb], mine=mine):
            return
        project, name = about_project(tokens[:verb]), proper(tokens, self.scene.names, self.scene.known)
        ordered = head in IMPERATIVES or (head in forms().base and tokens[1].low in DETERMINERS)
        if ordered and not name:
            return
        people = head == "the" and any(token.low in FAMILY for token in tokens[:verb])
        valued = not self.scene.named and concrete(tokens)
        if mine or project or name or people or valued:
            leans = head_of(tokens[:1] if head in OWNERS else ()) or object_of(tokens, at) or owner_of(tokens)
            yield from self._draft(tokens, tokens, project=project and not mine, leans=leans)

    def _stands_alone(self, subject: Sequence[Token], *, mine: bool) -> bool:
        """Whether the subject can be understood without what was said before."""
        head = subject[0].low
        if head in OWN:
            return True
        named = len(subject) > 1 and subject[1].low in PROJECT
        shown = (mine or named) and head in {"this", "that", "these", "those"}
        pointing = any(token.low in DEMONSTRATIVE for token in subject[1 if shown else 0 :])
        return not pointing and content(subject, self.scene.names) >= 1
