"""Read a text once: its tokens in canonical form, its sentences, its content, names and values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from nocturne.core.text.folding import LIMIT, Places, clean, hides
from nocturne.core.text.language import UNKNOWN, is_mixed, language_of
from nocturne.core.text.lexicon import Lexicon, Tongue
from nocturne.core.text.lexing import cut
from nocturne.core.text.naming import acts, ends
from nocturne.core.text.parts import CAPITAL, Line, Part
from nocturne.core.text.passives import with_verb_stems
from nocturne.core.text.quantities import TRIGGERS, Quantities
from nocturne.core.text.stemming import bare
from nocturne.core.text.unspaced import cut_run
from nocturne.core.text.wording import Wording, speaker_words

Kind = Literal["word", "name", "value", "subject", "punct"]
_KINDS: dict[str, Kind] = {"word": "word", "symbol": "word", "unspaced": "word", "subject": "subject"}
_MARKS = frozenset({"mark", "open"})
_new = tuple.__new__
"""A Token made this way skips one call; a text holds dozens of them."""


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
    hidden: bool
    """Whether invisible characters stand where they have no use; they were left out of every measure."""

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
        self.passives = bool(tongue.table("participle_bases"))
        self.abbreviations = tongue.words("abbreviations")


@lru_cache(maxsize=64)
def _reader(language: str, lexicon: Lexicon) -> _Reader:
    return _Reader(lexicon.of(language), lexicon)


@lru_cache(maxsize=32_768)
def analyse(text: str, lexicon: Lexicon, speaker: str | None = None) -> Analysis:
    """Analyse a text said by ``speaker``, whose name then is the subject; never raises, linear in its length."""
    cleaned, places = clean(text)
    pieces = cut(cleaned)
    language, scripts = language_of(cleaned, pieces.pieces, lexicon)
    reader = _reader(language, lexicon)
    line = reader.wording.read(pieces, speaker_words(speaker))
    if not TRIGGERS.isdisjoint([part[0] for part in line.parts]) or any(part[4] for part in line.parts):
        line = reader.quantities.join(line)
    if reader.passives and "by" in [part[1] for part in line.parts]:
        with_verb_stems(line, reader.tongue)
    draft = _Draft(text, places, reader)
    draft.take(line)
    return Analysis(
        text=text,
        lang=language,
        scripts=scripts,
        judged=language != UNKNOWN and len(text) <= LIMIT,
        tokens=tuple(draft.tokens),
        sentences=tuple(draft.sentences),
        words=tuple([token[1] for token in draft.tokens if token[5] != "punct"]),
        content=frozenset(draft.content),
        names=frozenset(draft.names),
        initials=frozenset(draft.initials),
        values=frozenset([token[1] for token in draft.tokens if token[5] == "value"]),
        mixed=() if text.isascii() else tuple(p.surface for p in pieces.pieces if is_mixed(p)),
        hidden=hides(text[:LIMIT]),
    )


class _Draft:
    """Tokens, sentences, content and names, as the parts of a line are gone through."""

    def __init__(self, text: str, places: Places, reader: _Reader) -> None:
        self.text = text
        self.places = places
        self.reader = reader
        self.tokens: list[Token] = []
        self.sentences: list[tuple[int, int]] = []
        self.content: list[str] = []
        self.names: list[str] = []
        self.initials: list[str] = []

    def take(self, line: Line) -> None:
        """Go through the parts once."""
        parts = line.parts
        tokens, content, text, places = self.tokens, self.content, self.text, self.places
        initial, ended, begun = True, False, 0
        for i, (part, span) in enumerate(zip(parts, line.spans, strict=True)):
            what = part[0]
            if what == "break":
                begun, initial, ended = self._end(begun), True, False
                continue
            if what in _MARKS:
                kind: Kind = "punct"
                if ends(part, parts[i - 1] if i else None, self.reader.abbreviations):
                    ended = initial = True
                elif what == "open" or part[1] == ":" or (part[1] == ")" and self._is_item(begun)):
                    initial = True
            else:
                if ended:
                    begun, ended = self._end(begun), False
                kind = _KINDS.get(what, "value")
                if part[6]:
                    kind = self._named(parts, i, kind, initial=initial)
                initial = False
                if what == "unspaced":
                    self._run(part.form, span[0])
                    continue
                if part[7]:
                    content.append(part[5] or _form(part))
            start, end = span if places is None else _range(*span, places)
            form = part[1] if what != "number" else "#:" + part[1]
            tokens.append(_new(Token, (text[start:end], form, part[5] or form, start, end, kind)))
        self._end(begun)

    def _end(self, begun: int) -> int:
        """Close the sentence that began at a token; where the next one begins."""
        if len(self.tokens) > begun:
            self.sentences.append((begun, len(self.tokens)))
        return len(self.tokens)

    def _is_item(self, begun: int) -> bool:
        """Whether only a number stands in the sentence so far: *1)*."""
        return len(self.tokens) - begun == 1 and self.tokens[-1].form.startswith("#:")

    def _named(self, parts: Sequence[Part], i: int, kind: Kind, *, initial: bool) -> Kind:
        """Note a capitalised word as a name, or as one that only its place may have made so."""
        part = parts[i]
        shown = bare(part.surface)
        if part.capital == CAPITAL and initial and not acts(parts, i, self.reader.tongue):
            self.initials.append(shown)
            return kind
        self.names.append(shown)
        return "name" if kind == "word" else kind

    def _run(self, run: str, base: int) -> None:
        """Add the tokens of a run without spaces."""
        for kind, form, first, last in cut_run(run, self.reader.tongue):
            start, end = _range(base + first, base + last, self.places)
            self.tokens.append(Token(self.text[start:end], form, form, start, end, kind))
            if kind == "word" and form not in self.reader.tongue.stopwords:
                self.content.append(form)


def _form(part: Part) -> str:
    return part.form if part.kind != "number" else "#:" + part.form


def _range(first: int, last: int, places: Places) -> tuple[int, int]:
    """The range in the original of a range in the cleaned text."""
    if places is None:
        return first, last
    return places[first], max(places[last], places[last - 1] + 1)
