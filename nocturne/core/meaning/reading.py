"""A text as the gates compare it: sentences of canonical words, with what never changes a meaning left out."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from nocturne.core.meaning.grammar import (
    ARTICLE_MATTERS,
    ARTICLES,
    ENDS,
    ORDINALS,
    SUBJECT_PRONOUNS,
    VERB_ADVERBS,
    Grammar,
    grammar_of,
)
from nocturne.core.meaning.tidy import tidied
from nocturne.core.meaning.verbs import third_of
from nocturne.core.text.analysis import Analysis, analyse
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.text.parts import MAY_BE_LEFT_OUT

Key = tuple[str, ...]
SUBJECTS = frozenset(("§subj", "§user"))
_MARKS = {"!": ".", "。": ".", "！": ".", "？": "?", "؟": "?", "，": ",", "、": ",", "،": ",", "；": ";", "؛": ";",
          "：": ":", "।": ".", "॥": ".", "(": ",", ")": ",", "（": ",", "）": ",", "—": "—", "–": "—", "…": ".",
          "「": '"', "」": '"', "『": '"', "』": '"', "“": '"', "”": '"', "«": '"', "»": '"', "„": '"',
          "¿": "", "¡": "", "[": ",", "]": ",", "-": "—", "--": "—", "...": ".", "•": ";"}  # fmt: skip
_NEEDED = frozenset(("to", "§subj's", "more", "some", "help", "new", "better"))
_KEPT = frozenset((".", "?", ",", ";", ":", '"', "—"))
_PERSONS = frozenset(("he", "she", "it", "they", "we", "you", "there", "i", "this", "those", "these"))
_THAT_AFTER = frozenset(
    ("sure", "glad", "afraid", "happy", "sorry", "note", "so", "know", "knows", "knew", "feel", "feels", "felt",
     "remember", "decided", "agreed", "found", "realised", "realized", "learned", "means", "confirmed", "hopes",
     "promised", "announced", "explained", "worried", "certain", "aware", "convinced", "true", "fact")
)  # fmt: skip


@dataclass(slots=True, eq=False)
class Sentence:
    """Canonical words of one sentence, commas among them; ``places`` are their indexes in the text's tokens.

    Never changed, like a reading; neither is frozen, which would take thrice as long to make.
    """

    words: Key
    places: tuple[int, ...]
    asks: bool
    inflected: frozenset[int]
    """Which words stand in a third-person form as written, so that they must be verbs of their own."""


@dataclass(slots=True, eq=False)
class Reading:
    """All sentences of a text, and what was found in them."""

    analysis: Analysis
    grammar: Grammar
    sentences: tuple[Sentence, ...]
    words: Key
    """All words in order, with a full stop between sentences."""
    asks: bool
    """Whether one of the sentences is a question."""

    @classmethod
    def of(cls, analysis: Analysis, grammar: Grammar, sentences: Sequence[Sentence]) -> Reading:
        """The reading that these sentences make."""
        if len(sentences) == 1:
            only = sentences[0]
            return cls(analysis, grammar, (only,), only.words, only.asks)
        asks = any(one.asks for one in sentences)
        return cls(analysis, grammar, tuple(sentences), _with_stops(sentences), asks)


def _with_stops(sentences: Sequence[Sentence]) -> Key:
    found: list[str] = []
    for sentence in sentences:
        if found:
            found.append(".")
        found.extend(sentence.words)
    return tuple(found)


@lru_cache(maxsize=16_384)
def read(text: str, lexicon: Lexicon, speaker: str | None = None) -> Reading:
    """The text's reading; the same for the same arguments."""
    # The measures ask without a speaker: the same call shares their memory.
    analysis = analyse(text, lexicon) if speaker is None else analyse(text, lexicon, speaker)
    grammar = grammar_of(lexicon, analysis.lang, judged=analysis.judged)
    sentences = []
    start = 0
    kinds = analysis.kinds
    special = analysis.bending
    marks = {}
    for at in special:
        if kinds[at] == "punct":
            surface = analysis.surface(at)
            marks[at] = _MARKS.get(surface, surface)
    for at in (*[at for at, mark in marks.items() if mark in ENDS], len(kinds)):
        quoted = at > start and marks.get(at + 1) == '"' and _closes_quotation(analysis, marks, start, at)
        if at > start:
            draft = _Draft(analysis, marks, at + quoted * 2, grammar)
            draft.take(start, special)
            if grammar.english and "needs" in draft.words:
                draft.in_need("§subj" if speaker is None else "§user")
            sentence = draft.finished(asks=marks.get(at) == "?")
            if sentence.words:
                sentences.append(sentence)
        start = at + 1 + quoted
    return Reading.of(analysis, grammar, sentences)


def _closes_quotation(analysis: Analysis, marks: Mapping[int, str], start: int, end: int) -> bool:
    """Whether the quotation mark behind the full stop closes one that this sentence opened."""
    if analysis.starts[end + 1] != analysis.ends[end]:
        return False
    return sum(marks.get(at) == '"' for at in range(start, end)) % 2 == 1


class _Draft:
    """One sentence while it is read."""

    __slots__ = ("analysis", "end", "english", "grammar", "inflected", "marks", "places", "words")

    def __init__(self, analysis: Analysis, marks: Mapping[int, str], end: int, grammar: Grammar) -> None:
        self.analysis, self.marks, self.end, self.grammar = analysis, marks, end, grammar
        self.english = grammar.english
        self.words: list[str] = []
        self.places: list[int] = []
        self.inflected: set[int] = set()

    def take(self, start: int, special: Sequence[int]) -> None:
        """Take every word in the form in which it is compared, but those that may be left out, and the marks.

        ``special`` are the places of the text where anything else than the form as it is may be taken.
        """
        words, places, english, owned = self.words, self.places, self.english, False
        forms, kinds = self.analysis.forms, self.analysis.kinds
        done, end = start, self.end
        for at in special[bisect_left(special, start) : bisect_left(special, end)]:
            if done < at:
                words += forms[done:at]
                places += range(done, at)
            done = at + 1
            kind, form = kinds[at], forms[at]
            if kind == "word":
                if english:
                    if form in MAY_BE_LEFT_OUT:
                        if self._omitted(at, form):
                            continue
                    elif owned and form[-1] == "s" and _verb_place(words):
                        form = self._agreed(at)
            elif kind == "punct":
                self._mark(at)
                continue
            elif kind == "subject" and form in SUBJECTS:
                owned = True
            words.append(form)
            places.append(at)
        words += forms[done:end]
        places += range(done, end)

    def _mark(self, at: int) -> None:
        """Take a mark that can matter; of several commas in a row the first."""
        mark, words = self.marks[at], self.words
        if mark in ENDS or (mark == ":" and self._within_word(at)):
            return
        if mark in _KEPT and not (mark in ",—" and (not words or words[-1] in ",—")):
            words.append(mark)
            self.places.append(at)

    def _within_word(self, at: int) -> bool:
        """Whether no space stands on either side, as in *CS:GO*."""
        starts, ends = self.analysis.starts, self.analysis.ends
        return 0 < at < len(starts) - 1 and ends[at - 1] == starts[at] and ends[at] == starts[at + 1]

    def _omitted(self, at: int, form: str) -> bool:
        forms = self.analysis.forms
        if form in ARTICLES:
            following = forms[at + 1] if at + 1 < self.end else ""
            return following not in ARTICLE_MATTERS and not (form != "the" and following in ORDINALS)
        return form == "that" and _omissible(forms, at, self.end, self.grammar, self.words)

    def _agreed(self, at: int) -> str:
        """The verb of the subject without its third-person ending."""
        form, stem = self.analysis.forms[at], self.analysis.stems[at]
        base = third_of(form)
        if base is None and form != stem and _after_subject(self.words):
            base = stem
        if base is None or base == form:
            return form
        self.inflected.add(len(self.words))
        return base

    def in_need(self, subject: str) -> None:
        """*The user needs to …* is no compound like *the user needs analysis*."""
        words = self.words
        for at in range(len(words) - 2):
            if words[at : at + 2] == ["user", "needs"] and words[at + 2] in _NEEDED:
                words[at : at + 2] = [subject, "need"]

    def finished(self, *, asks: bool) -> Sentence:
        """The sentence without what trails behind it, tidied."""
        words, places = self.words, self.places
        while words and words[-1] in (",", ":", "—"):
            words.pop()
            places.pop()
        if words and words[-1] == '"' and words.count('"') == 1:
            words.pop()
            places.pop()
        inflected = [places[at] for at in self.inflected if at < len(places)]
        size = len(words)
        if words:
            tidied(words, places, self.analysis.surface, self.grammar)
        if self.inflected and len(words) != size:
            self.inflected = {at for at, place in enumerate(places) if place in inflected}
        return Sentence(tuple(words), tuple(places), asks, frozenset(self.inflected))


_BEFORE_VERBS = VERB_ADVERBS | frozenset(("no", "longer"))


def _verb_place(words: list[str]) -> bool:
    """Whether the next word can be the verb of a subject just named, or of one that is taken over."""
    at = len(words) - 1
    while at >= 0 and (words[at] in _BEFORE_VERBS or (words[at].endswith("ly") and len(words[at]) > 4)):
        at -= 1
    return at >= 0 and (
        words[at] in SUBJECTS or words[at] in ("and", "or", "but", ",", "then", "who", "which")
    )


def _after_subject(words: list[str]) -> bool:
    """Whether the subject stands right before, or before adverbs only."""
    at = len(words) - (3 if words[-2:] == ["no", "longer"] else 1)
    while at > 0 and words[at] in VERB_ADVERBS:
        at -= 1
    return words[at] in SUBJECTS


def _omissible(forms: Key, at: int, end: int, grammar: Grammar, words: list[str]) -> bool:
    """Whether *that* only introduces a clause here, so that it may as well be left out."""
    if not words or at + 1 >= end:
        return False
    before = words[-1]
    if before in grammar.reporting or before in grammar.hedges or before in _THAT_AFTER:
        return True
    following = forms[at + 1]
    if following in SUBJECTS or following in _PERSONS or following in SUBJECT_PRONOUNS:
        return True
    return any(word in grammar.reporting for word in words[-3:]) and before not in grammar.determiners
