"""Small rewrites of one language that never change a meaning, made while a sentence is read.

Courtesies at its ends go; in German and the Romance languages *the sister of the user* becomes *my sister*; a subject
pronoun that the verb's ending repeats goes; *ni … ni* and *no … ni* become one; a Japanese topic mark after a case
mark goes; a Chinese 在 before a date goes.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from nocturne.core.meaning.grammar import Grammar

_COURTESIES = {
    "en": "please thanks thank-you thank you hi hello hey cheers",
    "es": "hola gracias favor por",
    "pt": "olá oi obrigado obrigada favor por",
    "fr": "bonjour salut merci",
    "de": "bitte danke hallo",
    "ru": "пожалуйста спасибо привет",
    "ar": "شكرا مرحبا رجاء",
    "hi": "कृपया धन्यवाद नमस्ते",
    "zh": "请 谢谢 你好",
    "ja": "どうぞ",
}
_POLITE = {language: frozenset(words.split()) for language, words in _COURTESIES.items()}
_LEADING = {language: words - {"you", "por", "favor"} for language, words in _POLITE.items()}
_ARTICLES = {
    "de": frozenset(("der", "die", "das", "den", "dem")),
    "es": frozenset(("el", "la", "los", "las")),
    "pt": frozenset(("o", "a", "os", "as")),
    "fr": frozenset(("le", "la", "les", "l")),
}
_DROPPED_PRONOUNS = {"es": frozenset(("yo",)), "pt": frozenset(("eu",)), "ar": frozenset(("أنا",))}
_PAIRED = {"es": ("ni", "no"), "pt": ("nem", "não"), "fr": ("ni", "ne")}
_TOPICS = {"には": "に", "では": "で", "からは": "から", "へは": "へ", "までは": "まで", "とは": "と"}
Surface = Callable[[int], str]
_DATED = frozenset(("年", "月", "日"))


def tidied(words: list[str], places: list[int], surface: Surface, grammar: Grammar) -> None:
    """Rewrites the words of one sentence in place, with the places of their tokens.

    ``surface`` gives the token of a place as it is written.
    """
    language = grammar.language
    _uncourteous(words, places, language)
    if not words or grammar.english:
        return
    dropped = _DROPPED_PRONOUNS.get(language)
    if dropped and words[0] == "§subj" and words[1:2] and not words[1].startswith("§"):
        lead = unicodedata.normalize("NFC", surface(places[0])).casefold()
        if lead in dropped:
            _cut(words, places, 0)
    if language in _ARTICLES and "§subj's" in words:
        _owner_first(words, places, _ARTICLES[language])
    if language == "ru" and "§subj's" in words:
        _genitive_first(words, places, surface)
    if language in _PAIRED:
        _pair(words, places, *_PAIRED[language])
    if language == "ja":
        words[:] = [_TOPICS.get(word, word) for word in words]
    if language == "zh":
        _undated(words, places)


def _cut(words: list[str], places: list[int], at: int) -> None:
    del words[at], places[at]


def _uncourteous(words: list[str], places: list[int], language: str) -> None:
    if language not in _POLITE:
        return
    polite, leading = _POLITE[language], _LEADING[language]
    end = len(words)
    while end and (words[end - 1] in polite or words[end - 1] == ","):
        end -= 1
    tail = [word for word in words[end:] if word != ","] if end < len(words) else []
    if tail and (end == 0 or set(tail) & leading or language != "en"):
        for _ in range(len(words) - end):
            _cut(words, places, end)
    if words and words[0] in leading:
        while words and (words[0] in leading or words[0] == ","):
            _cut(words, places, 0)


def _owner_first(words: list[str], places: list[int], articles: frozenset[str]) -> None:
    """Rewrites die Tochter §subj's as §subj's Tochter."""
    at = words.index("§subj's")
    for size in (1, 2):
        start = at - size
        if start >= 1 and words[start - 1] in articles:
            words[start - 1 : at + 1] = ["§subj's", *words[start:at]]
            places[start - 1 : at + 1] = [places[at], *places[start:at]]
            return


def _genitive_first(words: list[str], places: list[int], surface: Surface) -> None:
    """Rewrites сестра пользователя as моя сестра: a Russian genitive stands behind its noun."""
    at = words.index("§subj's")
    if at and surface(places[at]).casefold() in _GENITIVES:
        words[at - 1], words[at] = words[at], words[at - 1]
        places[at - 1], places[at] = places[at], places[at - 1]


_GENITIVES = frozenset(("пользователя", "пользовательницы"))


def _pair(words: list[str], places: list[int], nor: str, negation: str) -> None:
    if words.count(nor) < 2 or negation not in words[: words.index(nor)]:
        return
    _cut(words, places, words.index(nor))


def _undated(words: list[str], places: list[int]) -> None:
    for at in range(len(words) - 2, -1, -1):
        if words[at] == "在" and (words[at + 1].startswith("#:") or words[at + 1][:1].isdigit()):
            _cut(words, places, at)
