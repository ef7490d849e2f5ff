"""What people said in a transcript, as proposals of atomic facts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from nocturne.core.facts import Turn
from nocturne.llm.rules import kinds, refuse, tongues
from nocturne.llm.rules.dates import When, moment, resolve, stamp
from nocturne.llm.rules.english import Draft, English, Scene
from nocturne.llm.rules.person import Speaker
from nocturne.llm.rules.prose import WORDS, sentences
from nocturne.passes.briefs import EncodeBrief

MAX_TURN_CHARS = 200_000
MAX_FACTS = 200
PLAY_TURNS = 30
LABEL = re.compile(r"\A\s*\((?:speaker|from|said by): ?([^()\n]{1,40})\)\s*", re.IGNORECASE)
WORD = re.compile(r"[\w']+")
OPEN_WORDS = frozenset("roleplay role play pretend now act adventure dungeon".split())


@dataclass
class Play:
    """Whether a session is in the middle of a role-play, and for how many turns yet."""

    left: int = 0


class Encoder:
    """Goes through a brief's turns in order."""

    def __init__(self, brief: EncodeBrief) -> None:
        self.brief = brief
        self.names = _called(brief)
        self.plays: dict[str | None, Play] = {}
        for turn in brief.context:
            self._note_play(turn)

    def proposals(self) -> Iterator[dict[str, Any]]:
        """The facts of every turn in the wire's shape, each stated once a turn."""
        for turn in self.brief.turns:
            if turn.provenance == "human":
                playing = self._note_play(turn)
                if not playing:
                    yield from self._person(turn)
            elif turn.provenance == "assistant":
                yield from self._assistant(turn)

    def _note_play(self, turn: Turn) -> bool:
        """Follow role-play through a session; true while it lasts."""
        if turn.provenance != "human":
            return False
        play = self.plays.setdefault(turn.session, Play())
        head = turn.text[:2000]
        if "play" not in head and not play.left and OPEN_WORDS.isdisjoint(WORD.findall(head.lower())):
            return False
        if play.left and refuse.END_PLAY.within(head):
            play.left = 0
            return True
        if refuse.OPEN_PLAY.within(head):
            play.left = PLAY_TURNS
            return True
        play.left = max(0, play.left - 1)
        return play.left > 0

    def _person(self, turn: Turn) -> Iterator[dict[str, Any]]:
        text = turn.text
        head = text[:4000]
        words = set(WORD.findall(head.lower().replace("’", "'")))
        if (
            refuse.FORGET.found(head, words)
            or refuse.INJECTION.found(head, words)
            or refuse.OWN_ARTEFACT.within(head)
            or refuse.GENERATED.within(head)
            or refuse.TOOL_TEXT.within(head)
            or _prompt(text)
        ):
            return
        anchor, skip = stamp(text)
        if anchor is None and turn.said_at is not None:
            anchor = moment(turn.said_at)
        speaker = Speaker(_name(turn.speaker))
        if (label := LABEL.match(text, skip)) is not None:
            speaker, skip = Speaker(label[1].strip()), label.end()
        seen: set[str] = set()
        for draft, whole in self._drafts(text, skip, speaker):
            if draft.text in seen or len(seen) >= MAX_FACTS:
                continue
            seen.add(draft.text)
            when = resolve(draft.source, anchor) or resolve(whole, anchor)
            yield _wire(turn, draft, speaker, when)

    def _drafts(self, text: str, skip: int, speaker: Speaker) -> list[tuple[Draft, str]]:
        english = English(Scene(speaker, self.names))
        found: list[tuple[Draft, str]] = []
        for sentence in sentences(text, MAX_TURN_CHARS):
            if sentence.start < skip:
                sentence = _after(sentence, skip)
                if sentence is None:
                    continue
            whole = text[sentence.start : sentence.end]
            if refuse.RETRACT.within(whole):
                found = found[:-1]
            code = tongues.language(sentence, whole)
            if code == "en":
                found.extend((draft, "") for draft in english.sentence(sentence))
            else:
                found.extend((draft, "") for draft in tongues.facts(sentence, text, code))
        return found

    def _assistant(self, turn: Turn) -> Iterator[dict[str, Any]]:
        """What the assistant says it is; never what it says about anyone else, and no rule for itself."""
        for sentence in sentences(turn.text[:1000], 1000):
            words = " ".join(token.low for token in sentence.tokens)
            if "?" in sentence.mark or len(words) > 200:
                continue
            if refuse.SELF.within(words) and refuse.SELF_KIND.within(words):
                text = turn.text[sentence.start : sentence.tokens[-1].end]
                yield {
                    "text": text + ".",
                    "turnIds": [f"t{turn.id}"],
                    "block": "persona",
                    "category": "identity",
                    "subject": "assistant",
                    "span": [sentence.start, sentence.tokens[-1].end],
                    "reason": "the assistant says what it is",
                }


def _after(sentence: Any, skip: int) -> Any:
    """The part of a sentence that lies behind a stamp or label."""
    kept = tuple(token for token in sentence.tokens if token.start >= skip)
    if not kept:
        return None
    return type(sentence)(kept, sentence.mark, kept[0].start, sentence.end, sentence.bullet)


def _prompt(text: str) -> bool:
    """Whether the turn is a brief for a text or a task of many lines rather than talk."""
    if len(text) > 600 and len(refuse.HEADED.pattern.findall(text[:8000])) > 1:
        return True
    return refuse.PROMPT.within(text[:200]) and (len(text) > 700 or text.count("\n") > 8)


def _name(speaker: str | None) -> str | None:
    """The speaker's name, or None for a role."""
    if speaker is None or not speaker.strip() or speaker.strip().lower() in WORDS.role_names:
        return None
    return speaker.strip()


def _called(brief: EncodeBrief) -> frozenset[str]:
    """The words by which speakers are addressed: their names and the short forms of them."""
    names: set[str] = set()
    for speaker in {*brief.speakers, *(turn.speaker or "" for turn in brief.turns)}:
        if _name(speaker) is None:
            continue
        for part in speaker.lower().split():
            names.add(part)
            names.update(part[:length] for length in range(3, len(part)))
    return frozenset(names)


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


def _wire(turn: Turn, draft: Draft, speaker: Speaker, when: When | None) -> dict[str, Any]:
    name = draft.attribute or kinds.attribute(draft.text)
    category = draft.category or kinds.category(
        draft.text, tense=draft.tense, dated=when is not None, project=draft.project, personal=name in kinds.PERSONAL
    )
    entry: dict[str, Any] = {
        "text": draft.text,
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
        entry["occurredAt"] = when.at
        entry["occurredGrain"] = when.grain
    return entry


def encode(brief: EncodeBrief) -> Sequence[dict[str, Any]]:
    """All proposals of a brief."""
    return list(Encoder(brief).proposals())
