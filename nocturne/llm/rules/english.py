"""English statements: which clauses say something lasting, whose they are, and how they read alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from nocturne.core.facts import Category
from nocturne.llm.rules import kinds, refuse
from nocturne.llm.rules.clauses import (
    CONTRACTED,
    FIRST,
    OTHERS,
    OWN,
    TEAM,
    Clause,
    clauses,
    coordinated,
    finite_at,
    is_verb,
    main_verb,
    starts_clause,
    starts_question,
)
from nocturne.llm.rules.person import Speaker, render
from nocturne.llm.rules.prose import WORDS, Sentence, Token
from nocturne.llm.rules.verbs import forms, is_past

MAX_CLAUSE_TOKENS = 90
NEVER = (refuse.SARCASM, refuse.ROLE_PLAY, refuse.INJECTION)


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


@dataclass(frozen=True, slots=True)
class Scene:
    """Who speaks to whom: ``names`` are the words that address a speaker."""

    speaker: Speaker
    names: frozenset[str]

    @property
    def named(self) -> bool:
        """Whether people talk to each other, rather than one person to an assistant."""
        return self.speaker.name is not None


def low_text(tokens: Sequence[Token]) -> str:
    """The lower-cased words of a clause, contractions kept, set with single spaces."""
    return " ".join(token.low for token in tokens)


def _phrase(tokens: Sequence[Token]) -> int:
    """How many tokens at the start are a set phrase that says nothing."""
    first = tokens[0].low
    for phrase in WORDS.filler_phrases:
        if phrase[0] == first and tuple(token.low for token in tokens[: len(phrase)]) == phrase:
            return len(phrase)
    return 0


def _starts_statement(tokens: Sequence[Token], at: int) -> bool:
    if at >= len(tokens):
        return False
    token = tokens[at]
    return (
        token.low in FIRST | TEAM | OTHERS | OWN | {"the", "a", "an", "please"}
        or token.low in WORDS.fillers
        or token.text[:1].isupper()
    )


def strip_front(tokens: tuple[Token, ...], names: frozenset[str]) -> tuple[Token, ...]:
    """The clause without greetings, interjections, names called and politeness before it."""
    while tokens:
        low = tokens[0].low
        if not tokens[0].text[0].isalnum() and tokens[0].text[0] not in "\"“'/@#$":
            tokens = tokens[1:]
            continue
        if count := _phrase(tokens):
            tokens = tokens[count:]
            continue
        after = tokens[1] if len(tokens) > 1 else None
        marked = after is not None and not after.text[0].isalnum() and after.text[0] not in "'\"“"
        if low in names and (after is None or marked or (after.low in FIRST | TEAM | OTHERS | OWN)):
            tokens = tokens[1:]
            continue
        if low in {"remember", "note"} and starts_clause(tokens, 1):
            tokens = tokens[1:]
            continue
        verb_next = after is not None and (after.low in forms().gerund or is_past(after.low))
        if low in WORDS.fillers and (
            after is None or marked or (low in OPENERS and _starts_statement(tokens, 1) and not verb_next) or low in ALWAYS_DROPPED
        ):
            tokens = tokens[1:]
            continue
        break
    return tokens


def strip_back(tokens: tuple[Token, ...], names: frozenset[str]) -> tuple[Token, ...]:
    """The clause without thanks and names called after it."""
    while tokens and not tokens[-1].text[-1].isalnum() and tokens[-1].text[-1] not in ")\"”'%]}>`":
        tokens = tokens[:-1]
    for index in range(len(tokens) - 1, max(0, len(tokens) - 5), -1):
        if tokens[index].low == ",":
            tail = tokens[index + 1 :]
            if all(token.low in names or token.low in WORDS.fillers or token.low in {"you", "much", "!"} for token in tail):
                return strip_back(tokens[:index], names)
            break
    return tokens


def content(tokens: Sequence[Token], names: frozenset[str] = frozenset()) -> int:
    """How many words say something by themselves."""
    found = 0
    for token in tokens:
        low = token.low
        if (
            not low[0].isalnum()
            or low in WORDS.determiners
            or low in WORDS.prepositions
            or low in WORDS.pronouns
            or low in WORDS.adverbs
            or low in WORDS.be
            or low in WORDS.have
            or low in WORDS.do
            or low in WORDS.modals
            or low in WORDS.subordinators
            or low in refuse.WEAK
            or low in refuse.DEICTIC
            or low in CONTRACTED
            or low in {"and", "or", "but", "so", "not", "me", "us", "you", "myself"}
            or low in names
        ):
            found += bool(low[0].isdigit())
            continue
        found += 1
    return found


class English:
    """Reads one turn's English sentences for one speaker."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.previous: str | None = None

    def sentence(self, sentence: Sentence) -> Iterator[Draft]:
        """The facts of a sentence; a question gives only the statements that stand before it."""
        asked = "?" in sentence.mark or "？" in sentence.mark
        text = low_text(sentence.tokens)
        words = {token.low for token in sentence.tokens}
        if any(family.found(text, words) for family in NEVER):
            return
        label = self._label(sentence)
        if label is not None:
            yield label
            return
        if asked and starts_question(sentence.tokens, 0):
            return
        found = clauses(sentence.tokens, asked=asked)
        for number, piece in enumerate(found):
            last = number + 1 == len(found)
            if asked and (last or self._asks(piece)):
                continue
            yield from self.clause(piece)

    def _asks(self, piece: tuple[Token, ...]) -> bool:
        piece = strip_front(piece, self.scene.names)
        return bool(piece) and starts_question(piece, 0)

    def _label(self, sentence: Sentence) -> Draft | None:
        """``Stack: FastAPI, PostgreSQL`` and ``Meeting tomorrow at 15:00``: statements without a verb."""
        tokens = sentence.tokens
        if "?" in sentence.mark:
            return None
        if len(tokens) > 2 and tokens[0].low in WORDS.labels and tokens[1].low == ":" and len(tokens) < 40:
            if tokens[2].low == "[":
                return None
            return self._draft(tokens, tokens, category=None)
        return None

    def clause(self, piece: tuple[Token, ...]) -> Iterator[Draft]:
        """The facts of one clause, cut at its coordinated verbs."""
        scene = self.scene
        tokens = strip_back(strip_front(piece, scene.names), scene.names)
        if len(tokens) < 2 or len(tokens) > MAX_CLAUSE_TOKENS:
            return
        if starts_question(tokens, 0) and tokens[0].low != "please":
            return
        text = low_text(tokens)
        bag = {token.low for token in tokens}
        if self._hypothetical(text, bag) or _quoted_person(tokens):
            return
        head = tokens[0].low
        subject = self._first_person(tokens)
        if subject is not None:
            for part in coordinated(tokens, subject):
                yield from self._first(part, tokens)
            return
        if head in TEAM:
            for part in coordinated(tokens, 0):
                yield from self._team(part)
            return
        if head in OWN:
            yield from self._noun_subject(tokens, text)
            return
        if head in OTHERS and not (head in {"this", "that"} and _noun_like(tokens[1].low)):
            yield from self._pronoun(tokens, text)
            return
        told = self._told(tokens, text)
        if told is not None:
            yield told
            return
        elided = self._elided(tokens)
        if elided is not None:
            for part in coordinated(elided, 0):
                yield from self._first(part, tokens)
            return
        event = self._verbless_event(tokens)
        if event is not None:
            yield event
            return
        yield from self._noun_subject(tokens, text)

    def _hypothetical(self, text: str, bag: Set[str]) -> bool:
        if refuse.CONDITIONAL.found(text, bag) and refuse.EVEN_IF.search(text) is None:
            return True
        return refuse.WOULD.found(text, bag) and not refuse.WOULD_LIKE.within(text)

    def _first_person(self, tokens: tuple[Token, ...]) -> int | None:
        """Where the first-person subject stands: at the start, or after a fronted adjunct or a partner's name."""
        if tokens[0].low in FIRST:
            return 0
        if tokens[0].low in OTHERS | TEAM and not (tokens[0].low in {"this", "that"} and len(tokens) > 1 and tokens[1].low in TIMES):
            return None
        for index, token in enumerate(tokens[:24]):
            if token.low in FIRST and index + 1 <= len(tokens):
                before = tokens[index - 1].low
                fronted = tokens[0].low in WORDS.subordinators | WORDS.prepositions | WORDS.adverbs or tokens[0].low in {
                    "last", "this", "one", "a", "these", "next", "the", "every", "two", "three", "growing", "having", "after"
                }  # fmt: skip
                if before == "," and fronted:
                    return index
                after_doing = tokens[0].low in {"after", "before", "since", "while", "when"} and tokens[1].low in forms().gerund
                leading = {before_.low for before_ in tokens[:index]} - {"after", "before", "since", "until", "while", "when"}
                short = index < 5 and fronted and leading.isdisjoint(WORDS.subordinators) and tokens[0].low not in WORDS.subordinators
                if (short or after_doing) and finite_at(tokens, 0, limit=index) is None:
                    return index
                if before == "and" and index <= 6 and finite_at(tokens, 0, limit=index) is None:
                    return index
                return None
        return None

    def _first(self, part: Clause, whole: tuple[Token, ...]) -> Iterator[Draft]:
        words = part.words
        at = self._first_person(words)
        if at is None:
            return
        text = low_text(words[at:]).replace(" 's", "'s")
        if refuse.PHATIC.within(text) or refuse.POINTING.within(text) or (refuse.QUESTIONING.within(text) and not refuse.STANDING.found(text, set(text.split()))):
            return
        if refuse.ABOUT_YOU.found(text, set(text.split())) and not self._addressed(text):
            return
        if not self._says_enough(words, at):
            return
        yield from self._made(words, part)

    def _addressed(self, text: str) -> bool:
        """Whether a clause with "you" still states something lasting about the speaker."""
        if self.scene.named:
            return False
        return refuse.STANDING.found(text, set(text.split()))

    def _says_enough(self, words: Sequence[Token], at: int) -> bool:
        rest = words[at + 1 :]
        low = words[at].low
        kind = "be" if low in {"i'm", "im"} else ""
        index = 0
        while index < len(rest) and rest[index].low in WORDS.adverbs | {"not"}:
            index += 1
        if index < len(rest) and rest[index].low in {"am", "was"}:
            kind, index = "be", index + 1
        if index >= len(rest):
            return False
        amount = content(rest[index + 1 :], self.scene.names) + content(rest[:index], self.scene.names)
        verb = rest[index].low
        amount += kind != "be" and verb not in BARE and verb not in refuse.WEAK and verb not in AUXILIARY
        if kind == "be":
            amount = content(rest, self.scene.names)
            strong = [token for token in rest if token.low not in refuse.MOOD]
            if rest[-1].low in refuse.DEICTIC and amount < 2:
                return False
            return content(strong, self.scene.names) >= 1 and (len(strong) > 0)
        if rest[-1].low in refuse.DEICTIC and amount < 3:
            return False
        return amount >= 2 or (amount == 1 and verb in BARE)

    def _made(self, words: tuple[Token, ...], part: Clause, *, project: bool = False) -> Iterator[Draft]:
        draft = self._draft(words, part.tokens, project=project)
        if draft is not None:
            yield draft

    def _draft(
        self,
        words: Sequence[Token],
        span: Sequence[Token],
        *,
        category: Category | None = None,
        attribute: str | None = None,
        project: bool = False,
    ) -> Draft | None:
        text = render(words, self.scene.speaker)
        if len(text) < 6 or len(text) > 600:
            return None
        return Draft(
            text, span[0].start, span[-1].end, low_text(words), category, attribute, project, tense(words)
        )

    def _team(self, part: Clause) -> Iterator[Draft]:
        words = part.words
        text = low_text(words)
        vague = refuse.ABOUT_YOU.found(text, set(text.split())) or refuse.POINTING.within(text)
        if vague or content(words[1:], self.scene.names) < 2:
            return
        if re.match(r"we (?:can|could|should|need to talk|must|may|might|'ll see|all |got this|have to (?:talk|catch))|we(?:'ll| will) (?:call (?:it|this|that)|see|figure|be fine|talk|catch|get there)", text):
            return
        yield from self._made(words, part)

    def _pronoun(self, tokens: tuple[Token, ...], text: str) -> Iterator[Draft]:
        """"It's port 5433, not 5432": a pronoun's statement counts only where its value stands by itself."""
        if refuse.ABOUT_YOU.found(text, set(text.split())):
            return
        if re.match(r"(?:it's|it is|that's|this is) (?:\S+ ){1,6}?(?:, )?not \S", text) and any(
            token.low[0].isdigit() for token in tokens
        ):
            yield from self._made(tokens, Clause(tokens))
            return
        shown = re.match(r"(?:here's|here is|this is|that's|this was) (?:an?|the|one|my|our|some) ", text)
        if self.scene.named and shown and PICTURE.search(text) and content(tokens[1:], self.scene.names) >= 3:
            yield from self._made(tokens, Clause(tokens))
            return
        if re.match(r"there(?:'s| is| are| was| were) ", text) and _concrete(tokens):
            yield from self._made(tokens, Clause(tokens), project=True)

    def _told(self, tokens: tuple[Token, ...], text: str) -> Draft | None:
        """Standing instructions, corrections and decisions in the imperative: kept in its words."""
        head = tokens[0].low
        if head in {"never", "always"} and len(tokens) > 2:
            index = 1
            while index < len(tokens) and tokens[index].low in WORDS.adverbs:
                index += 1
            if tokens[index].low in forms().base and tokens[1].low not in {"mind", "say"} and content(tokens[1:]) >= 1:
                return self._draft(tokens, tokens, category="preferences")
            return None
        if head == "let's" or (head == "let" and tokens[1].low == "us"):
            if re.match(r"(?:let's|let us) (?:just |definitely |all )?(?:go with|use|stick (?:with|to)|keep|switch to|adopt|drop|standardi[sz]e on|call it|name it|settle on)\b", text) and content(tokens[2:]) >= 1 and not _deictic_object(tokens, 2) and not re.search(r" to (?:see|check|find|test|try)\b", text):
                return self._draft(tokens, tokens, category="decisions")
            return None
        if text.startswith("call me ") and 3 <= len(tokens) <= 5 and tokens[2].text[0].isupper():
            return self._draft(tokens, tokens, category="identity", attribute="name")
        if head in WORDS.imperatives or head in {"don't", "do", "dont", "make", "from", "in", "whenever", "when", "going", "for", "every", "before", "after"} or head in {"prefer", "stick"}:
            if head in forms().gerund and head != "going":
                return None
            imperative = head in WORDS.imperatives or head in {"don't", "dont", "prefer", "stick"}
            inner = self._inner_imperative(tokens)
            standing = refuse.STANDING.found(text, set(text.split())) and not re.search(r"\bnever mind\b", text)
            if standing and (imperative or inner) and content(tokens) >= 2 and not starts_question(tokens, 0):
                return self._draft(tokens, tokens, category="preferences")
            if head in {"use", "prefer", "stick", "keep", "call", "run", "target", "choose", "pick", "name"} and refuse.CONTRAST.within(text) and content(tokens) >= 2:
                return self._draft(tokens, tokens, category="preferences")
        return None

    def _inner_imperative(self, tokens: tuple[Token, ...]) -> bool:
        """"From now on, answer in French": an imperative after a fronted standing phrase."""
        for index, token in enumerate(tokens[:12]):
            if token.low == "," and index + 1 < len(tokens):
                after = tokens[index + 1].low
                if after in {"please", "always", "never"} and index + 2 < len(tokens):
                    after = tokens[index + 2].low
                return after in WORDS.imperatives or after in {"don't", "do", "prefer"}
        low = [token.low for token in tokens[:6]]
        if low[:3] == ["from", "now", "on"] and len(low) > 3:
            return low[3] in WORDS.imperatives or low[3] in {"always", "never", "don't"}
        return False

    def _elided(self, tokens: tuple[Token, ...]) -> tuple[Token, ...] | None:
        """The clause with the subject that was left out put back, or None where none was."""
        index = 0
        while index < len(tokens) and tokens[index].low in WORDS.adverbs:
            index += 1
        if index >= len(tokens) - 1:
            return None
        word = tokens[index].low
        place = tokens[0]
        subject = Token("I", "i", place.start, place.start)
        after = tokens[index + 1]
        known = forms()
        if word == "gonna" and after.low in known.base:
            return (subject, *tokens)
        rest = lowered(tokens)
        if word in known.gerund and self._progressive(tokens, index):
            return (subject, Token("am", "am", place.start, place.start), *rest)
        if word in known.past and word not in known.base and word not in refuse.MOOD and self._acted(tokens, index):
            return (subject, *rest)
        if word == "been" and after.low in known.gerund:
            return (subject, Token("have", "have", place.start, place.start), *rest)
        if word in {"prefer", "live", "love", "hate", "like", "enjoy"} and index == 0:
            if after.low in {"that", "this", "your", "you", "it", "how", "these", "those", "to", "the", ","} and word != "prefer":
                return None
            noun = any(token.low in known.third | WORDS.be | WORDS.modals for token in tokens[1:6]) or after.low in {"and", "of", "for"}
            return (subject, *rest) if content(tokens[1:]) >= 1 and not noun else None
        return None

    def _progressive(self, tokens: tuple[Token, ...], index: int) -> bool:
        """Whether a leading gerund is what the speaker is doing, and not the subject of the clause."""
        if finite_at(tokens, index + 1) is not None or any(token.low in {"is", "was", "are"} for token in tokens):
            return False
        word = tokens[index].low
        wanted = {"working", "living", "learning", "building", "planning", "moving", "studying", "training", "researching", "writing", "preparing", "volunteering", "teaching"}
        return word in wanted and tokens[index + 1].low != "and" and content(tokens[index + 1 :]) >= 1

    def _acted(self, tokens: tuple[Token, ...], index: int) -> bool:
        """Whether a leading past verb is the speaker's act: it has a complement and no subject of its own follows."""
        from_list = tokens[index].low
        if from_list in {"said", "told", "based", "given", "heard", "thought", "sounded", "looked", "felt", "got", "did", "had"} and not (
            self.scene.named and from_list in {"got", "had"}
        ):
            return False
        if from_list.endswith("ed") and index == 0 and not self.scene.named:
            return len(tokens) >= 3 and tokens[index + 1].low in WORDS.determiners | WORDS.prepositions
        after = tokens[index + 1]
        return after.low not in {"by", ",", "it", "that"} and content(tokens[index + 1 :]) >= 1

    def _verbless_event(self, tokens: tuple[Token, ...]) -> Draft | None:
        """"Meeting tomorrow at 15:00": an appointment's noun with a time."""
        if len(tokens) > 14 or finite_at(tokens, 0) is not None:
            return None
        first = [token.low for token in tokens[:4]]
        if any(word in WORDS.event_nouns for word in first) and re.search(
            r"\b(?:tomorrow|today|tonight|(?:next|this|on) (?:week|month|mon|tue|wed|thu|fri|sat|sun)\w*|at \d|on \d|on (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*)",
            low_text(tokens),
        ) and not is_verb_first(tokens):
            return self._draft(tokens, tokens, category="commitments")
        return None

    def _noun_subject(self, tokens: tuple[Token, ...], text: str) -> Iterator[Draft]:
        """A statement whose subject is a noun: the speaker's own things and people, or the project's."""
        if tokens[0].low in WORDS.imperatives and not tokens[0].text[0].isupper():
            return
        if tokens[0].low in WORDS.subordinators or tokens[0].low in WORDS.request_heads:
            return
        if tokens[0].low in forms().past or refuse.POINTING.within(text) or _listing(tokens):
            return
        verb = finite_at(tokens, 1)
        if verb is None or verb + 1 >= len(tokens):
            return
        if refuse.ABOUT_YOU.found(text, set(text.split())):
            return
        subject = tokens[:verb]
        if _reported(tokens, verb):
            return
        mine = any(token.low in {"my", "our", "me", "us", "mine", "myself"} for token in tokens)
        shown = tokens[0].low in {"this", "that", "these", "those"} and mine
        pointing = any(token.low in DEMONSTRATIVE for token in subject[1 if shown else 0 :])
        if tokens[0].low not in OWN and (pointing or content(subject, self.scene.names) < 1):
            return
        project = _about_project(subject)
        own_people = tokens[0].low == "the" and any(token.low in WORDS.family for token in subject)
        name = tokens[0].text[0].isupper() and tokens[0].low not in WORDS.determiners and _proper(tokens, self.scene.names)
        if not (mine or project or name or own_people or (_concrete(tokens) and not self.scene.named)):
            return
        if tokens[0].low in WORDS.imperatives | {"hope", "wish", "thanks"} and not name:
            return
        if content(tokens[verb:], self.scene.names) < 1:
            return
        yield from self._made(tokens, Clause(tokens), project=project and not mine)


OPENERS = frozenset("hey hi hello yo yeah yep yup yes ya ok okay oh ooh wow well so aww aw ah hmm um uh haha lol omg anyway anyways btw actually honestly basically frankly additionally furthermore moreover however meanwhile likewise similarly currently thanks".split())
ALWAYS_DROPPED = frozenset("and but plus also please".split())
PICTURE = re.compile(r"\bi (?:\w+ly |just |also )?(?:\w+ed|took|made|drew|wrote|got|saw|bought|found|built|did|had|won|met|went|read)\b")
TIMES = frozenset("morning afternoon evening week weekend month year summer winter spring fall autumn time day night past monday tuesday wednesday thursday friday saturday sunday".split())
DEMONSTRATIVE = frozenset("this that these those it they he she what which who".split())


def tense(words: Sequence[Token]) -> str:
    """The main verb's tense: past, present, future or progressive."""
    known = forms()
    subject = next((index for index, token in enumerate(words) if token.low in FIRST | TEAM), None)
    if subject is not None:
        verb = main_verb(words, subject)
        at = verb.at if verb is not None else subject
        tail = words[at].low.partition("'")[2]
    else:
        at = finite_at(words, 0) or 0
        tail = words[at].low.partition("'")[2]
    word = words[at].low
    after = next((token.low for token in words[at + 1 :] if token.low not in WORDS.adverbs | {"not"}), "")
    if word in {"will", "won't", "might", "may", "shall"} or tail == "ll":
        return "future"
    if word in WORDS.be or tail in {"m", "re"} or word == "im":
        if word in {"was", "were", "wasn't", "weren't"}:
            return "progressive" if after in PONDERING else "past"
        if after == "going" or after == "gonna":
            return "future"
        return "progressive" if after in known.gerund else "present"
    if word in {"have", "has", "haven't", "hasn't"} or tail == "ve":
        if after == "been":
            return "present"
        return "past" if after in known.participle else "present"
    if word == "used" and after == "to":
        return "present"
    if word in {"did", "didn't", "had", "hadn't"} or is_past(word) and word not in known.base:
        return "past"
    return "past" if word in known.past and word not in known.third and word not in {"read", "put", "set", "let"} else "present"


def _listing(tokens: Sequence[Token]) -> bool:
    """Whether most of the clause is paths and identifiers, as in a directory listing."""
    coded = sum(any(mark in token.text for mark in "_/.") for token in tokens)
    return coded * 3 > len(tokens)


def _noun_like(word: str) -> bool:
    """Whether the word after "this" can be what it points at, and not the verb."""
    return not (is_verb(word) and word not in WORDS.project) and word.isalpha() and word not in WORDS.adverbs


def is_verb_first(tokens: Sequence[Token]) -> bool:
    """Whether the clause opens with an imperative rather than a noun."""
    low = tokens[0].low
    return low in WORDS.imperatives and low not in WORDS.event_nouns


AUXILIARY = WORDS.be | WORDS.have | WORDS.do | WORDS.modals
PONDERING = frozenset("thinking planning considering hoping looking trying wondering going".split())
BARE = frozenset("have had got need want own".split())


def lowered(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The clause with its first word in lower case, where the capital only opened the sentence."""
    first = tokens[0]
    if first.text[1:].islower() or len(first.text) == 1:
        return (Token(first.low, first.low, first.start, first.end), *tokens[1:])
    return tokens


def _deictic_object(tokens: Sequence[Token], at: int) -> bool:
    return any(token.low in {"it", "this", "that", "these", "those", "them"} for token in tokens[at : at + 3])


def _quoted_person(tokens: Sequence[Token]) -> bool:
    """Whether someone's words stand in quotation marks with a first or second person in them."""
    inside = False
    for token in tokens:
        if token.low in {'"', "“", "”", "«", "»"}:
            inside = not inside if token.low == '"' else token.low in "“«"
        elif inside and token.low in FIRST | {"my", "me", "we", "you", "your"}:
            return True
    return False


def _reported(tokens: Sequence[Token], verb: int) -> bool:
    """Whether the clause tells what someone else says, thinks or asks."""
    return any(refuse.REPORTED.within(token.low) for token in tokens[max(0, verb - 1) : verb + 3])


def _about_project(subject: Sequence[Token]) -> bool:
    return any(
        token.low in WORDS.project
        or (token.low.endswith("s") and token.low[:-1] in WORDS.project)
        or any(mark in token.text for mark in "_/.")
        or (any(letter.isdigit() for letter in token.text) and any(letter.isalpha() for letter in token.text))
        for token in subject
    )


def _concrete(tokens: Sequence[Token]) -> bool:
    """Whether a value, version, path or identifier stands in the clause."""
    return any(
        any(mark in token.text[:-1] for mark in "_/.:@")
        or (any(letter.isdigit() for letter in token.text) and any(letter.isalpha() for letter in token.text))
        for token in tokens
    )


def _proper(tokens: Sequence[Token], names: frozenset[str]) -> bool:
    """Whether the capital that opens the clause looks like a name rather than a sentence's first word."""
    first = tokens[0]
    if first.low in names:
        return True
    if not any(token.text[0].isupper() or token.text[0].isdigit() for token in tokens[1:]):
        return first.text.isupper() and len(first.text) > 1
    if first.text.isupper() and len(first.text) > 1:
        return True
    if any(letter.isupper() for letter in first.text[1:]):
        return True
    low = first.low
    known = (
        low in WORDS.imperatives or low in forms().base or low in forms().gerund or low in WORDS.adverbs
        or low in WORDS.prepositions or low in WORDS.determiners or low in WORDS.project or low in WORDS.family
        or low in WORDS.fillers or low in WORDS.request_heads or low in WORDS.pronouns or low.endswith(("ing", "ness", "tion", "ity", "ment", "s"))
    )  # fmt: skip
    return not known and len(tokens) > 1 and (tokens[1].text[0].isupper() or is_verb(tokens[1].low)) and low.isalpha()
