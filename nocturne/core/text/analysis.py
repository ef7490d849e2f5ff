"""Read a text once: its tokens in canonical form, its sentences, its content, names and values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple

from nocturne.core.text.folding import LIMIT, Places, clean, hides
from nocturne.core.text.language import UNKNOWN, is_mixed, language_of
from nocturne.core.text.lexicon import Lexicon, Tongue
from nocturne.core.text.lexing import cut
from nocturne.core.text.naming import acts, ends
from nocturne.core.text.parts import CAPITAL, Line, Part
from nocturne.core.text.passives import with_verb_stems
from nocturne.core.text.quantities import Quantities
from nocturne.core.text.stemming import bare
from nocturne.core.text.unspaced import cut_run
from nocturne.core.text.wording import Wording, speaker_words

Kind = Literal["word", "name", "value", "subject", "punct"]
_KINDS: dict[str, Kind] = {"word": "word", "symbol": "word", "unspaced": "word", "subject": "subject"}
_MARKS = frozenset({"mark", "open"})


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
    """A text as the measures and the gates see it.

    ``forms``, ``stems``, ``kinds``, ``starts`` and ``ends`` have an entry for every token, marks among them;
    ``tokens`` are the same, put together for those who want one at a time.
    """

    text: str
    lang: str
    scripts: frozenset[str]
    judged: bool
    """False where the language is not known or the text is too long: only literals can be compared."""
    forms: tuple[str, ...]
    stems: tuple[str, ...]
    kinds: tuple[Kind, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    sentences: tuple[tuple[int, int], ...]
    content: frozenset[str]
    names: frozenset[str]
    initials: frozenset[str]
    """Capitalised words that only a sentence's start may have made so: names where another text says so."""
    values: frozenset[str]
    mixed: tuple[str, ...]
    """Words that mix letters of scripts that look alike."""
    hidden: bool
    """Whether invisible characters stand where they have no use; they were left out of every measure."""

    _tokens: list[tuple[Token, ...]] = field(default_factory=list, repr=False, compare=False)
    """The tokens, once they were asked for: most texts are judged without them."""

    @property
    def tokens(self) -> tuple[Token, ...]:
        """Every token in order."""
        if not self._tokens:
            self._tokens.append(tuple(map(self._token, range(len(self.forms)))))
        return self._tokens[0]

    def _token(self, at: int) -> Token:
        start, end = self.starts[at], self.ends[at]
        return Token(self.text[start:end], self.forms[at], self.stems[at], start, end, self.kinds[at])

    def surface(self, at: int) -> str:
        """A token as it is written."""
        return self.text[self.starts[at] : self.ends[at]]

    @property
    def words(self) -> tuple[str, ...]:
        """The forms in order, without punctuation."""
        return tuple([form for form, kind in zip(self.forms, self.kinds, strict=True) if kind != "punct"])

    @property
    def value_list(self) -> list[str]:
        """Every value in order, as often as it stands in the text."""
        return [form for form, kind in zip(self.forms, self.kinds, strict=True) if kind == "value"]

    @property
    def vocabulary(self) -> frozenset[str]:
        """Stems of all tokens, stopwords included."""
        return frozenset([stem for stem, kind in zip(self.stems, self.kinds, strict=True) if kind != "punct"])


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
    line = reader.quantities.join(reader.wording.read(pieces, speaker_words(speaker)))
    if reader.passives and "by" in [part[1] for part in line.parts]:
        with_verb_stems(line, reader.tongue)
    draft = _Draft(places, reader)
    draft.take(line)
    return Analysis(
        text=text,
        lang=language,
        scripts=scripts,
        judged=language != UNKNOWN and len(text) <= LIMIT,
        forms=tuple(draft.forms),
        stems=tuple(draft.stems),
        kinds=tuple(draft.kinds),
        starts=tuple(draft.starts),
        ends=tuple(draft.ends),
        sentences=tuple(draft.sentences),
        content=frozenset(draft.content),
        names=frozenset(draft.names),
        initials=frozenset(draft.initials),
        values=frozenset(draft.values),
        mixed=() if text.isascii() else tuple(p.surface for p in pieces.pieces if is_mixed(p)),
        hidden=hides(text[:LIMIT]),
    )


class _Draft:
    """What is found as the parts of a line are gone through."""

    def __init__(self, places: Places, reader: _Reader) -> None:
        self.places = places
        self.reader = reader
        self.forms: list[str] = []
        self.stems: list[str] = []
        self.kinds: list[Kind] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.sentences: list[tuple[int, int]] = []
        self.content: list[str] = []
        self.names: list[str] = []
        self.initials: list[str] = []
        self.values: list[str] = []

    def take(self, line: Line) -> None:
        """Go through the parts once."""
        parts = line.parts
        forms, stems, kinds, content = self.forms, self.stems, self.kinds, self.content
        starts, stops, places = self.starts, self.ends, self.places
        initial, ended, begun = True, False, 0
        for i, (part, span) in enumerate(zip(parts, line.spans, strict=True)):
            what, form = part[0], part[1]
            if what == "break":
                begun, initial, ended = self._end(begun), True, False
                continue
            if what in _MARKS:
                kind: Kind = "punct"
                if ends(part, parts[i - 1] if i else None, self.reader.abbreviations):
                    ended = initial = True
                elif what == "open" or form == ":" or (form == ")" and self._is_item(begun)):
                    initial = True
            else:
                if ended:
                    begun, ended = self._end(begun), False
                kind = _KINDS.get(what, "value")
                if part[6]:
                    kind = self._named(parts, i, kind, initial=initial)
                initial = False
                if what == "unspaced":
                    self._run(form, span[0])
                    continue
                if what == "number":
                    form = "#:" + form
                if kind == "value":
                    self.values.append(form)
                if part[7]:
                    content.append(part[5] or form)
            forms.append(form)
            stems.append(part[5] or form)
            kinds.append(kind)
            start, end = span if places is None else _range(*span, places)
            starts.append(start)
            stops.append(end)
        self._end(begun)

    def _end(self, begun: int) -> int:
        """Close the sentence that began at a token; where the next one begins."""
        end = len(self.forms)
        if end > begun:
            self.sentences.append((begun, end))
        return end

    def _is_item(self, begun: int) -> bool:
        """Whether only a number stands in the sentence so far: *1)*."""
        return len(self.forms) - begun == 1 and self.forms[-1].startswith("#:")

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
            self.forms.append(form)
            self.stems.append(form)
            self.kinds.append(kind)
            start, end = _range(base + first, base + last, self.places)
            self.starts.append(start)
            self.ends.append(end)
            if kind == "word" and form not in self.reader.tongue.stopwords:
                self.content.append(form)


def _range(first: int, last: int, places: Places) -> tuple[int, int]:
    """The range in the original of a range in the cleaned text."""
    if places is None:
        return first, last
    return places[first], max(places[last], places[last - 1] + 1)
