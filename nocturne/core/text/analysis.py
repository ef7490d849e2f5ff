"""Read a text once: its tokens in canonical form, its sentences, its content, names and values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import compress
from typing import Literal, NamedTuple

from nocturne.core.text.folding import LIMIT, clean, hides
from nocturne.core.text.language import UNKNOWN, is_mixed, language_of
from nocturne.core.text.lexicon import Lexicon, Tongue
from nocturne.core.text.lexing import cut
from nocturne.core.text.naming import acts, ends
from nocturne.core.text.parts import CAPITAL, SENTENCE, Line, Part
from nocturne.core.text.passives import verb_stems
from nocturne.core.text.quantities import Quantities
from nocturne.core.text.stemming import bare
from nocturne.core.text.unspaced import with_runs_cut
from nocturne.core.text.wording import Wording, speaker_words

Kind = Literal["word", "name", "value", "subject", "punct"]
_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("word", "symbol", "gram"), "word"),
    **dict.fromkeys(("subject", "gram subject"), "subject"),
    **dict.fromkeys(("mark", "open", "break"), "punct"),
    **dict.fromkeys(("number", "ordinal", "scaled", "range", "clock", "literal"), "value"),
    **dict.fromkeys(("money", "stamp", "date", "operator"), "value"),
}
_MARKS = frozenset({"mark", "open"})


class Token(NamedTuple):
    """One canonical word, value or mark, and the range of the original text that it stands for."""

    surface: str
    form: str
    stem: str
    start: int
    end: int
    kind: Kind


@dataclass(slots=True)
class Analysis:
    """A text as the measures and the gates see it; never changed, but not frozen, which would take twice as long.

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
    language, scripts = language_of(cleaned, pieces, lexicon)
    reader = _reader(language, lexicon)
    line = reader.quantities.join(reader.wording.read(pieces, speaker_words(speaker)))
    if not cleaned.isascii():
        line = with_runs_cut(line, reader.tongue)
    draft = _Draft(line.parts, reader)
    if draft.breaks:
        line, draft.kinds = _without_breaks(line, draft.kinds)
    parts, starts, stops = line
    if places is not None:
        starts = [places[start] for start in starts]
        stops = [max(places[stop], places[stop - 1] + 1) for stop in stops]
    forms = tuple([part[1] for part in parts])
    stems = [part[5] or part[1] for part in parts]
    if reader.passives and "by" in forms:
        for at, stem in verb_stems(parts, reader.tongue):
            stems[at] = stem
    return Analysis(
        text=text,
        lang=language,
        scripts=scripts,
        judged=language != UNKNOWN and len(text) <= LIMIT,
        forms=forms,
        stems=tuple(stems),
        kinds=tuple(draft.kinds),
        starts=tuple(starts),
        ends=tuple(stops),
        sentences=tuple(draft.sentences),
        content=frozenset(compress(stems, [part[7] for part in parts])),
        names=_set(draft.names),
        initials=_set(draft.initials),
        values=_values(forms, draft.kinds),
        mixed=() if text.isascii() else tuple(p.surface for p in pieces.pieces if is_mixed(p)),
        hidden=hides(text[:LIMIT]),
    )


_NONE: frozenset[str] = frozenset()


def _set(found: list[str]) -> frozenset[str]:
    return frozenset(found) if found else _NONE


def _values(forms: Sequence[str], kinds: Sequence[Kind]) -> frozenset[str]:
    if "value" not in kinds:
        return _NONE
    return frozenset([form for form, kind in zip(forms, kinds, strict=True) if kind == "value"])


def _without_breaks(line: Line, kinds: list[Kind]) -> tuple[Line, list[Kind]]:
    """The line and its kinds without the breaks, which are no tokens."""
    kept = [part.kind != "break" for part in line.parts]
    parts, starts, stops = line
    rest = Line(list(compress(parts, kept)), list(compress(starts, kept)), list(compress(stops, kept)))
    return rest, list(compress(kinds, kept))


class _Draft:
    """What is found as those parts are gone through that end or begin something, or may be names."""

    def __init__(self, parts: Sequence[Part], reader: _Reader) -> None:
        self.reader = reader
        self.parts = parts
        self.kinds = [_KINDS[part[0]] for part in parts]
        self.sentences: list[tuple[int, int]] = []
        self.names: list[str] = []
        self.initials: list[str] = []
        self._begun = self.breaks = 0
        self._initial, self._ended = True, False
        self._take()

    def _take(self) -> None:
        parts, following = self.parts, 0
        for i in [at for at, part in enumerate(parts) if part[8] & SENTENCE]:
            if i > following:
                self._word(following)
                self._initial = False
            following = i + 1
            part = parts[i]
            if part[0] == "break":
                self._end(i)
                self._initial, self._ended = True, False
                self.breaks += 1
            elif part[0] in _MARKS:
                self._mark(i)
            else:
                self._word(i)
                if part[6]:
                    self._name(i)
                self._initial = False
        if following < len(parts):
            self._word(following)
        self._end(len(parts))

    def _word(self, at: int) -> None:
        """Where a sentence has ended, begin the next one with the word at a place."""
        if self._ended:
            self._end(at)
            self._ended = False

    def _end(self, at: int) -> None:
        """Close the sentence before the part at a place."""
        end = at - self.breaks
        if end > self._begun:
            self.sentences.append((self._begun, end))
        self._begun = end

    def _mark(self, i: int) -> None:
        part = self.parts[i]
        if ends(part, self.parts[i - 1] if i else None, self.reader.abbreviations):
            self._ended = self._initial = True
        elif part.kind == "open" or part.form == ":" or (part.form == ")" and self._is_item(i)):
            self._initial = True

    def _is_item(self, i: int) -> bool:
        """Whether only a number stands in the sentence before the part at ``i``: *1)*."""
        return i - self.breaks - self._begun == 1 and self.parts[i - 1].kind == "number"

    def _name(self, i: int) -> None:
        """Note a capitalised word as a name, or as one that only its place may have made so."""
        part = self.parts[i]
        shown = bare(part.surface)
        if part.capital == CAPITAL and self._initial and not acts(self.parts, i, self.reader.tongue):
            self.initials.append(shown)
            return
        self.names.append(shown)
        if self.kinds[i] == "word":
            self.kinds[i] = "name"
