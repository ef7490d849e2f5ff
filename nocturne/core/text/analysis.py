"""Read a text once: its tokens in canonical form, its sentences, its content, names and values."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from nocturne.core.text.folding import LIMIT, Places, clean, fold
from nocturne.core.text.language import UNKNOWN, is_mixed, language_of
from nocturne.core.text.lexicon import Lexicon, Tongue
from nocturne.core.text.lexing import pieces
from nocturne.core.text.naming import sentences_and_names
from nocturne.core.text.parts import Part
from nocturne.core.text.quantities import TRIGGERS, Quantities
from nocturne.core.text.stemming import stem_of
from nocturne.core.text.unspaced import cut_run
from nocturne.core.text.wording import Wording, speaker_words

Kind = Literal["word", "name", "value", "subject", "punct"]


class Token(NamedTuple):
    """One canonical word, value or mark, and the range of the original text that it stands for."""

    surface: str
    form: str
    stem: str
    start: int
    end: int
    kind: Kind


@dataclass(frozen=True, slots=True)
class Analysis:
    """A text as the measures and the gates see it."""

    text: str
    lang: str
    scripts: frozenset[str]
    judged: bool
    """False where the language is not known or the text is too long: only literals can be compared."""
    tokens: tuple[Token, ...]
    sentences: tuple[tuple[int, int], ...]
    words: tuple[str, ...]
    content: frozenset[str]
    names: frozenset[str]
    initials: frozenset[str]
    """Capitalised words that only a sentence's start may have made so: names where another text says so."""
    values: frozenset[str]
    mixed: tuple[str, ...]
    """Words that mix letters of scripts that look alike."""

    @property
    def value_counts(self) -> Counter[str]:
        """How often each value stands in the text."""
        return Counter(token.form for token in self.tokens if token.kind == "value")

    @property
    def vocabulary(self) -> frozenset[str]:
        """Stems of all tokens, stopwords included."""
        return frozenset(token.stem for token in self.tokens if token.kind != "punct")


class _Reader:
    """The steps for one language, with their memories."""

    def __init__(self, tongue: Tongue, lexicon: Lexicon) -> None:
        self.tongue = tongue
        self.wording = Wording(tongue, lexicon)
        self.quantities = Quantities(tongue, lexicon)
        self.stem = lru_cache(maxsize=65_536)(lambda form: stem_of(form, tongue))


@lru_cache(maxsize=64)
def _reader(language: str, lexicon: Lexicon) -> _Reader:
    return _Reader(lexicon.of(language), lexicon)


@lru_cache(maxsize=32_768)
def analyse(text: str, lexicon: Lexicon, speaker: str | None = None) -> Analysis:
    """Analyse a text said by ``speaker``, whose name then is the subject; never raises, linear in its length."""
    cleaned, places = clean(text)
    cut = pieces(cleaned)
    language, scripts = language_of(cleaned, cut, lexicon)
    reader = _reader(language, lexicon)
    parts = reader.wording.read(cut, speaker_words(speaker))
    if any(part.kind in TRIGGERS or part.number for part in parts):
        parts = reader.quantities.join(parts)
    spans, names, initials, kinds = sentences_and_names(parts, cleaned, reader.tongue)
    tokens: list[Token] = []
    sentences: list[tuple[int, int]] = []
    position: list[int] = []
    for part, kind in zip(parts, kinds, strict=True):
        position.append(len(tokens))
        _add(part, kind, tokens, reader, text, places)
    position.append(len(tokens))
    for first, last in spans:
        if position[last] > position[first]:
            sentences.append((position[first], position[last]))
    stop = reader.tongue.stopwords
    said = [token for token in tokens if token.kind != "punct"]
    return Analysis(
        text=text,
        lang=language,
        scripts=scripts,
        judged=language != UNKNOWN and len(text) <= LIMIT,
        tokens=tuple(tokens),
        sentences=tuple(sentences),
        words=tuple([token.form for token in said]),
        content=frozenset([t.stem for t in said if t.kind != "subject" and t.form not in stop]),
        names=names,
        initials=initials,
        values=frozenset([token.form for token in said if token.kind == "value"]),
        mixed=()
        if text.isascii()
        else tuple(p.surface for p in cut if p.kind == "word" and is_mixed(p.surface)),
    )


def _add(
    part: Part, kind: Kind | None, tokens: list[Token], reader: _Reader, text: str, places: Places
) -> None:
    """Append the token or tokens of a part."""
    if kind is None:
        return
    if part.kind == "unspaced":
        for what, form, first, last in cut_run(part.form, reader.tongue):
            start, end = _range(part.start + first, part.start + last, places)
            tokens.append(
                Token(text[start:end], form, form, start, end, "subject" if what == "subject" else "word")
            )
        return
    start, end = (part.start, part.end) if places is None else _range(part.start, part.end, places)
    form = part.form
    if kind in ("word", "name"):
        tokens.append(Token(text[start:end], form, reader.stem(form), start, end, kind))
        return
    if part.kind == "number":
        form = "#:" + form
    tokens.append(Token(text[start:end], form, form, start, end, kind))


def _range(first: int, last: int, places: Places) -> tuple[int, int]:
    """The range in the original of a range in the cleaned text."""
    if places is None:
        return first, last
    return places[first], max(places[last], places[last - 1] + 1)


def content_words(text: str, lexicon: Lexicon) -> frozenset[str]:
    """The casefolded words of a text that are no stopwords, unstemmed: what names are looked up in."""
    return frozenset(fold(token.surface) for token in analyse(text, lexicon).tokens if token.kind != "punct")
