"""What people said in a transcript, as proposals of atomic facts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import datetime
from typing import Any

from nocturne.core.facts import Turn
from nocturne.llm.rules import kinds, refuse, tongues
from nocturne.llm.rules.clauses import clauses
from nocturne.llm.rules.dates import When, moment, resolve, stamp
from nocturne.llm.rules.english import Draft, English, Scene
from nocturne.llm.rules.grammar import ROLE_NAMES
from nocturne.llm.rules.leaning import LONGEST, names_it
from nocturne.llm.rules.person import Speaker
from nocturne.llm.rules.prose import Sentence, sentences
from nocturne.llm.rules.shapes import low_text
from nocturne.passes.briefs import EncodeBrief

MAX_TURN_CHARS = 200_000
HEAD = 4_000
"""How far into a turn the marks are looked for that rule a whole turn out."""
MAX_FACTS = 200
PLAY_TURNS = 30
"""How many turns a role-play lasts that nobody ends."""
SELF_CHARS = 1_000
LABEL = re.compile(r"\A\s*\((?:speaker|from|said by): ?([^()\n]{1,40})\)\s*", re.IGNORECASE)
INSIDE = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b")
WORD = re.compile(r"[\w']+")
OPEN_WORDS = frozenset({"roleplay", "role", "play", "pretend", "now", "act", "adventure", "dungeon"})
REASONS = {
    "identity": "says who the speaker is or belongs to",
    "preferences": "states a preference or a standing instruction",
    "commitments": "states something due or promised",
    "decisions": "states what was decided",
    "event": "tells of something that happened",
    "opinion": "states the speaker's view",
    "fact": "states how something is",
    "context": "says what the speaker is at or after",
}


class Encoder:
    """Goes through a brief's turns in order."""

    def __init__(self, brief: EncodeBrief) -> None:
        self.brief = brief
        self.names = _called(brief)
        self.known = _capitalised(brief)
        self.playing: dict[str | None, int] = {}
        for turn in brief.context:
            if turn.provenance == "human":
                self._plays(turn, _words(turn.text))

    def proposals(self) -> Iterator[dict[str, Any]]:
        """The facts of every turn in the wire's shape, each stated once a turn."""
        for turn in self.brief.turns:
            if turn.provenance == "human":
                words = _words(turn.text)
                if not self._plays(turn, words) and not _ruled_out(turn.text, words):
                    yield from self._person(turn)
            elif turn.provenance == "assistant":
                yield from _assistant(turn)

    def _plays(self, turn: Turn, words: AbstractSet[str]) -> bool:
        """Whether the turn is part of a role-play, which goes on through its session until it is ended."""
        left = self.playing.get(turn.session, 0)
        if not left and OPEN_WORDS.isdisjoint(words):
            return False
        head = turn.text[:HEAD]
        if left and refuse.END_PLAY.within(head):
            self.playing[turn.session] = 0
            return True
        if refuse.OPEN_PLAY.within(head):
            self.playing[turn.session] = PLAY_TURNS
            return True
        self.playing[turn.session] = max(0, left - 1)
        return left > 0

    def _person(self, turn: Turn) -> Iterator[dict[str, Any]]:
        anchor, skip = stamp(turn.text)
        if anchor is None and turn.said_at is not None:
            anchor = moment(turn.said_at)
        speaker = Speaker(_name(turn.speaker))
        if (label := LABEL.match(turn.text, skip)) is not None:
            speaker, skip = Speaker(label[1].strip()), label.end()
        seen: set[str] = set()
        for draft in self._drafts(turn.text, skip, speaker):
            if draft.text not in seen and len(seen) < MAX_FACTS:
                seen.add(draft.text)
                yield _wire(turn, draft, speaker, anchor)

    def _drafts(self, text: str, skip: int, speaker: Speaker) -> list[Draft]:
        english = English(Scene(speaker, self.names, self.known))
        found: list[Draft] = []
        ready, held = -2, None
        for number, each in enumerate(sentences(text, MAX_TURN_CHARS)):
            sentence = _behind(each, skip)
            if sentence is None:
                continue
            whole = text[sentence.start : sentence.end]
            if found and refuse.RETRACT.within(whole):
                found.pop()
                ready = -2
            code = tongues.language(sentence, whole)
            for draft in english.sentence(sentence) if code == "en" else tongues.facts(sentence, text, code):
                if draft.anchor:
                    held = (number, draft)
                    continue
                if not draft.leans:
                    found.append(draft)
                elif held is not None and held[0] == number - 1:
                    if (joined := _leant(held[1], draft, speaker)) is None:
                        continue
                    found.append(replace(joined, anchor=False))
                    held = None
                elif (
                    found
                    and ready >= number - 1
                    and (joined := _leant(found[-1], draft, speaker)) is not None
                ):
                    found[-1] = joined
                else:
                    continue
                ready = number
        return found


def _leant(first: Draft, second: Draft, speaker: Speaker) -> Draft | None:
    """Two statements as one, where the first names what the second speaks of."""
    fits = len(first.text) + len(second.text) <= LONGEST and first.category is None
    if not fits or not names_it(first.text, second.leans, speaker.name):
        return None
    source = f"{first.source} {second.source}"
    text = f"{first.text} {second.text}"
    return replace(first, text=text, end=second.end, source=source, stated=first.stated or first.text)


def _words(text: str) -> frozenset[str]:
    return frozenset(WORD.findall(text[:HEAD].lower().replace("’", "'")))


def _ruled_out(text: str, words: AbstractSet[str]) -> bool:
    """Whether nothing of the turn may be kept: a forget request, an injection, recalled or generated text."""
    head = text[:HEAD]
    return (
        refuse.FORGET.found(head, words)
        or refuse.INJECTION.found(head, words)
        or refuse.OWN_ARTEFACT.found(head, words)
        or refuse.GENERATED.within(head)
        or refuse.TOOL_TEXT.within(head)
        or _prompt(text)
    )


def _prompt(text: str) -> bool:
    """Whether the turn is a brief for a text or a task of many lines rather than talk."""
    heads = len(refuse.HEADED.pattern.findall(text[: 2 * HEAD])) if ":" in text else 0
    if heads > 2 or (heads > 1 and len(text) > 600):
        return True
    return (len(text) > 700 or text.count("\n", 0, HEAD) > 8) and refuse.PROMPT.within(text[:200])


def _behind(sentence: Sentence, skip: int) -> Sentence | None:
    """The part of a sentence that lies behind a stamp or label."""
    if sentence.start >= skip:
        return sentence
    kept = tuple(token for token in sentence.tokens if token.start >= skip)
    return replace(sentence, tokens=kept, start=kept[0].start) if kept else None


def _assistant(turn: Turn) -> Iterator[dict[str, Any]]:
    """What the assistant says it is; never what it says about anyone else, and no rule for itself."""
    for sentence in sentences(turn.text, SELF_CHARS):
        if "?" in sentence.mark:
            continue
        for piece in clauses(sentence.tokens):
            words = low_text(piece)
            if len(words) <= 200 and refuse.SELF.within(words) and refuse.SELF_KIND.within(words):
                start, end = piece[0].start, piece[-1].end
                yield {
                    "text": turn.text[start:end] + ".",
                    "turnIds": [f"t{turn.id}"],
                    "block": "persona",
                    "category": "identity",
                    "subject": "assistant",
                    "span": [start, end],
                    "reason": "the assistant says what it is",
                }


def _name(speaker: str | None) -> str | None:
    """The speaker's name, or None for a role."""
    name = (speaker or "").strip()
    return None if not name or name.lower() in ROLE_NAMES else name


def _called(brief: EncodeBrief) -> frozenset[str]:
    """The words by which speakers are addressed: their names and the short forms of them."""
    names: set[str] = set()
    for speaker in {*brief.speakers, *(turn.speaker for turn in brief.turns)}:
        for part in (_name(speaker) or "").lower().split():
            names.update(part[:length] for length in range(3, len(part) + 1))
            names.add(part)
    return frozenset(names)


def _capitalised(brief: EncodeBrief) -> frozenset[str]:
    """Words that stand with a capital inside a sentence: at the start of another they are names as well."""
    found: set[str] = set()
    for turn in brief.turns:
        if turn.provenance == "human":
            found.update(word.lower() for word in INSIDE.findall(turn.text[: 2 * HEAD]))
    return frozenset(found)


def _wire(turn: Turn, draft: Draft, speaker: Speaker, anchor: datetime | None) -> dict[str, Any]:
    """The draft with its time, category and attribute in the wire's keys."""
    when: When | None = resolve(draft.source, anchor)
    stated = draft.stated or draft.text
    name = draft.attribute or kinds.attribute(stated)
    category = draft.category or kinds.category(
        stated,
        tense=draft.tense,
        dated=when is not None,
        project=draft.project,
        personal=name in kinds.PERSONAL,
    )
    entry: dict[str, Any] = {
        "text": draft.text.strip(),
        "turnIds": [f"t{turn.id}"],
        "block": "scratch",
        "category": category,
        "subject": speaker.field,
        "span": [draft.start, draft.end],
        "reason": REASONS[category],
    }
    if name is not None:
        entry["attribute"] = name
    if when is not None:
        entry["occurredAt"], entry["occurredGrain"] = when.at, when.grain
    return entry
