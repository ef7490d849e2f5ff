"""First person to third: who the speaker is takes the place of "I", "me" and "my", and the verb agrees."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from nocturne.llm.rules.clauses import CONTRACTED, FIRST
from nocturne.llm.rules.prose import WORDS, Token
from nocturne.llm.rules.verbs import forms, is_past, third_person

AGREEING = {
    "am": "is", "'m": "is", "have": "has", "haven't": "has not", "do": "does", "don't": "does not", "are": "is",
    "ain't": "is not", "aren't": "is not", "dont": "does not", "havent": "has not", "were": "was", "weren't": "was not",
}  # fmt: skip
EXPANDED = {
    "can't": "cannot", "won't": "will not", "didn't": "did not", "wasn't": "was not", "couldn't": "could not",
    "wouldn't": "would not", "shouldn't": "should not", "hadn't": "had not", "isn't": "is not", "doesn't": "does not",
    "hasn't": "has not", "mustn't": "must not", "needn't": "need not", "didnt": "did not", "cant": "cannot",
    "doesnt": "does not", "wont": "will not",
}  # fmt: skip
LOOSE = {"gonna": "going to", "wanna": "want to", "gotta": "got to"}
MARKS_BEFORE = frozenset("([{“«\"'")
EMOJI = re.compile("[\U0001f000-\U0001faff☀-➿️‍⭐⬀-⯿]+")
SPACES = re.compile(r"\s+")
EMPHASIS = frozenset({"*", "_", "__"})


@dataclass(frozen=True, slots=True)
class Speaker:
    """How the speaker is written: ``The user`` or a name."""

    name: str | None

    @property
    def subject(self) -> str:
        """At the start of a sentence."""
        return self.name or "The user"

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


def _agree(word: str, surface: str, plural: bool) -> str:
    if plural:
        return EXPANDED.get(word, surface)
    if word in AGREEING:
        return AGREEING[word]
    if word in EXPANDED:
        return EXPANDED[word]
    if word == "gotta":
        return "has to"
    if word == "wanna":
        return "wants to"
    if word == "gonna":
        return "is going to"
    if word in WORDS.modals or word in WORDS.be or word in {"has", "had", "did", "does", "used"} or is_past(word):
        return EXPANDED.get(word, surface)
    if word in {"like", "love", "need"}:
        return third_person(surface)
    if not word.isalpha() or word in WORDS.prepositions or word in WORDS.determiners or word in forms().gerund:
        return surface
    if word in forms().base or (word.islower() and len(word) > 2):
        return third_person(surface)
    return surface


def _contracted(tokens: Sequence[Token], at: int, speaker: Speaker, plural: bool) -> str:
    """"I've" and its like written out with the speaker in place."""
    low = tokens[at].low
    tail = low.partition("'")[2] or {"im": "m", "ive": "ve"}.get(low, "ll")
    verb = {"m": "is", "ma": "is going to", "ve": "has", "ll": "will", "d": "would"}[tail]
    if tail == "d":
        after = at + 1
        while after < len(tokens) and tokens[after].low in WORDS.adverbs and tokens[after].low != "better":
            after += 1
        word = tokens[after].low if after < len(tokens) else ""
        if word in {"better", "been"} or (word in forms().participle and word not in forms().base):
            verb = "had"
    if plural:
        verb = {"is": "are", "has": "have"}.get(verb, verb)
    return f"{speaker.inner} {verb}"


def _joins(tokens: Sequence[Token], at: int) -> bool:
    """Whether "I" is the second of a pair ("my wife and I"), so that the verb stays plural."""
    return at > 1 and tokens[at - 1].low in {"and", "&"} and not any(
        token.low in forms().past or token.low in forms().third for token in tokens[:at]
    )


def render(tokens: Sequence[Token], speaker: Speaker) -> str:
    """The clause in the third person: only persons, their verbs, contractions and white space change."""
    words = [token.text for token in tokens]
    quoted = False
    for index, token in enumerate(tokens):
        low = token.low
        if low in {'"', "“", "”", "«", "»"}:
            quoted = not quoted if low == '"' else low in "“«"
            continue
        if quoted:
            continue
        if low in EMPHASIS:
            words[index] = ""
        elif low in FIRST and (low in CONTRACTED or low == "i"):
            plural = _joins(tokens, index)
            if low in CONTRACTED:
                words[index] = _contracted(tokens, index, speaker, plural)
                continue
            words[index] = speaker.inner
            verb = index + 1
            while verb < len(tokens) and tokens[verb].low in WORDS.adverbs:
                verb += 1
            if verb < len(tokens):
                words[verb] = _agree(tokens[verb].low, tokens[verb].text, plural)
        elif low == "me":
            words[index] = speaker.inner
        elif low in {"my", "mine"}:
            words[index] = speaker.owner
        elif low == "myself":
            words[index] = speaker.inner if speaker.name else "themselves"
        elif low in LOOSE and words[index] == token.text:
            words[index] = LOOSE[low]
    return _written(tokens, words)


def _written(tokens: Sequence[Token], words: Sequence[str]) -> str:
    """Words set with the spaces that stood between them in the turn."""
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
    for mark in "\"”":
        if text.count(mark) % 2 == 1 and mark == '"':
            text = text.replace(mark, "")
    if not text:
        return ""
    text = text[0].upper() + text[1:] if text[0].islower() and not _identifier(tokens[0], text) else text
    return text if text[-1] in ".!?。！？" else text + "."


def _identifier(token: Token, text: str) -> bool:
    """Whether the text starts with a name of code, which keeps its case."""
    return text.startswith(token.text) and any(character in "_./-0123456789" for character in token.text)
