"""First person to third: who the speaker is takes the place of "I", "me" and "my", and the verb agrees."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from nocturne.llm.rules.cues import load
from nocturne.llm.rules.grammar import (
    ADVERBS,
    BE,
    CONTRACTED,
    DETERMINERS,
    FIRST,
    MODALS,
    PREPOSITIONS,
    QUOTES,
)
from nocturne.llm.rules.prose import Token
from nocturne.llm.rules.verbs import forms, is_past, third_person

FORMS = load("person.json")
AGREEING: dict[str, str] = FORMS["agreeing"]
"""Finite forms after "I" and the same in the third person."""
EXPANDED: dict[str, str] = FORMS["expanded"]
LOOSE: dict[str, str] = FORMS["loose"]
TAILS: dict[str, str] = FORMS["tails"]
SETTLED = frozenset({"has", "had", "did", "does", "used"})
"""Verbs that read the same in every person."""
VERBS_LIKE_PREPOSITIONS = frozenset({"like", "love", "need"})
NO_LONGER = frozenset({"no", "longer"})
HABITS = frozenset({"always", "usually", "often", "sometimes", "never", "every", "daily", "weekly", "still"})
"""Words beside which "I read" and "I put" are in the present."""
EMOJI = re.compile("[\U0001f000-\U0001faff☀-➿️‍⭐⬀-⯿]+")
SPACES = re.compile(r"\s+")
EMPHASIS = frozenset({"*", "_", "__"})


@dataclass(frozen=True, slots=True)
class Speaker:
    """How the speaker is written: ``The user`` or a name."""

    name: str | None

    @property
    def inner(self) -> str:
        """Inside a sentence."""
        return self.name or "the user"

    @property
    def owner(self) -> str:
        """Before what is the speaker's."""
        return f"{self.inner}'s"

    @property
    def field(self) -> str:
        """The proposal's subject."""
        return self.name or "user"


def _third(word: str, surface: str) -> str:
    """The verb after "I" as it reads after a name."""
    if word in AGREEING:
        return AGREEING[word]
    if word in EXPANDED:
        return EXPANDED[word]
    if word in MODALS or word in BE or word in SETTLED or is_past(word):
        return surface
    if word in VERBS_LIKE_PREPOSITIONS:
        return third_person(surface)
    if not word.isalpha() or word in PREPOSITIONS or word in DETERMINERS or word in forms().gerund:
        return surface
    known = word in forms().base or (surface.islower() and len(word) > 2)
    return third_person(surface) if known else surface


def _after_adverbs(tokens: Sequence[Token], at: int) -> int:
    while at < len(tokens) and tokens[at].low in ADVERBS | NO_LONGER and tokens[at].low != "better":
        if tokens[at].low == "no" and tokens[at + 1 : at + 2] and tokens[at + 1].low != "longer":
            break
        at += 1
    return at


def _contracted(tokens: Sequence[Token], at: int, *, plural: bool) -> str:
    """The verb that "I'm", "I've", "I'll" or "I'd" holds, written out."""
    low = tokens[at].low
    tail = low.partition("'")[2] or low[1:]
    verb = TAILS[tail]
    if tail == "d":
        after = _after_adverbs(tokens, at + 1)
        word = tokens[after].low if after < len(tokens) else ""
        if word in {"better", "been"} or (word in forms().participle and word not in forms().base):
            verb = "had"
    return {"is": "are", "has": "have"}.get(verb, verb) if plural else verb


def _paired(tokens: Sequence[Token], at: int) -> bool:
    """Whether "I" is the second of a pair ("my wife and I"), so that the verb stays plural."""
    if at < 2 or tokens[at - 1].low not in {"and", "&"}:
        return False
    known = forms()
    return not any(token.low in known.past or token.low in known.third for token in tokens[:at])


def _subject(tokens: Sequence[Token], at: int, words: list[str], speaker: Speaker) -> None:
    """Put the speaker where "I" stands, and make the verb agree."""
    plural = _paired(tokens, at)
    if tokens[at].low in CONTRACTED:
        words[at] = f"{speaker.inner} {_contracted(tokens, at, plural=plural)}"
        return
    words[at] = speaker.inner
    verb = _after_adverbs(tokens, at + 1)
    if verb < len(tokens):
        low, surface = tokens[verb].low, tokens[verb].text
        if plural:
            words[verb] = EXPANDED.get(low, surface)
        elif low in forms().base and is_past(low) and any(token.low in HABITS for token in tokens):
            words[verb] = third_person(surface)
        else:
            words[verb] = _third(low, surface)


def render(tokens: Sequence[Token], speaker: Speaker) -> str:
    """The clause in the third person: only persons, their verbs, contractions and white space change."""
    words = [token.text for token in tokens]
    others = {
        "me": speaker.inner,
        "my": speaker.owner,
        "mine": speaker.owner,
        "myself": speaker.name or "themselves",
        **LOOSE,
        **dict.fromkeys(EMPHASIS, ""),
    }
    quoted = False
    for index, token in enumerate(tokens):
        low = token.low
        if low in QUOTES:
            quoted = not quoted if low == '"' else low in "“«"
        elif quoted:
            continue
        elif low in FIRST and (low in CONTRACTED or low == "i"):
            _subject(tokens, index, words, speaker)
        elif low in others and words[index] == token.text:
            words[index] = others[low]
    return _written(tokens, words)


def _written(tokens: Sequence[Token], words: Sequence[str]) -> str:
    """Words set with the spaces that stood between them in the turn, a capital first and a mark last."""
    parts: list[str] = []
    last: Token | None = None
    for token, word in zip(tokens, words, strict=True):
        if not word:
            continue
        if last is not None:
            made_up = token.start == token.end or last.start == last.end or token.start < last.end
            if made_up or token.start != last.end:
                parts.append(" ")
        parts.append(word)
        last = token
    text = SPACES.sub(" ", EMOJI.sub("", "".join(parts))).strip(" ,;:-–—&")
    if text.count('"') % 2 == 1:
        text = f'{text}"' if text.rindex('"') > 0 and text[-1].isalnum() else text.replace('"', "")
    if not text:
        return ""
    if text[0].islower() and not _identifier(tokens[0], text):
        text = text[0].upper() + text[1:]
    return text if text[-1] in ".!?。！？" else text + "."


def _identifier(token: Token, text: str) -> bool:
    """Whether the text starts with a name of code, which keeps its case."""
    coded = any(character in "_./0123456789" for character in token.text)
    return coded and text.startswith(token.text)
