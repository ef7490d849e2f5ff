"""Read a text once: its tokens in canonical form, its sentences, its content, names and values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import compress, pairwise
from typing import Literal, NamedTuple

from nocturne.core.text.folding import LIMIT, clean, hides
from nocturne.core.text.language import UNKNOWN, is_mixed, language_of
from nocturne.core.text.lexicon import Lexicon, Tongue
from nocturne.core.text.lexing import cut
from nocturne.core.text.naming import acts, ends
from nocturne.core.text.parts import CAPITAL, SENTENCE, Columns, Line, Part, columns_of
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
_STOPS = frozenset({"mark", "open", "break"})
"""Parts that are no words."""


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
        return [self.forms[at] for at in self.places("value")]

    def places(self, kind: Kind) -> list[int]:
        """Where the tokens of a kind stand."""
        kinds, at = self.kinds, -1
        found: list[int] = []
        for _ in range(kinds.count(kind)):
            at = kinds.index(kind, at + 1)
            found.append(at)
        return found

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
    worded = reader.wording.read(pieces, speaker_words(speaker))
    columns = columns_of(worded.parts)
    noted = columns.noted()
    line = reader.quantities.join(worded, noted, columns.notes)
    if not cleaned.isascii():
        line = with_runs_cut(line, reader.tongue)
    if line is not worded:
        columns = columns_of(line.parts)
        noted = columns.noted()
    kinds = list(map(_KINDS.__getitem__, columns.kinds))
    survey = _survey(line.parts, columns, noted, reader)
    names = _set([bare(columns.surfaces[at]) for at in survey.named])
    initials = _set([bare(columns.surfaces[at]) for at in survey.initials])
    for at in survey.named:
        if kinds[at] == "word":
            kinds[at] = "name"
    values = _set([columns.forms[at] for at in noted if kinds[at] == "value"])
    if survey.breaks:
        line, kinds = _without_breaks(line, kinds)
        columns = columns_of(line.parts)
    parts, starts, stops = line
    if places is not None:
        starts = [places[start] for start in starts]
        stops = [max(places[stop], places[stop - 1] + 1) for stop in stops]
    forms, stems = columns.forms, columns.stems
    if "" in stems:
        stems = tuple([stem or form for stem, form in zip(stems, forms, strict=True)])
    if reader.passives and "by" in forms:
        changed = dict(verb_stems(parts, reader.tongue))
        stems = tuple([changed.get(at, stem) for at, stem in enumerate(stems)])
    return Analysis(
        text=text,
        lang=language,
        scripts=scripts,
        judged=language != UNKNOWN and len(text) <= LIMIT,
        forms=forms,
        stems=stems,
        kinds=tuple(kinds),
        starts=tuple(starts),
        ends=tuple(stops),
        sentences=tuple([(first, last) for first, last in pairwise(survey.bounds) if last > first]),
        content=frozenset(compress(stems, columns.counts)),
        names=names,
        initials=initials,
        values=values,
        mixed=() if text.isascii() else tuple(p.surface for p in pieces.pieces if is_mixed(p)),
        hidden=cleaned is not text and hides(text[:LIMIT]),
    )


_NONE: frozenset[str] = frozenset()


def _set(found: list[str]) -> frozenset[str]:
    return frozenset(found) if found else _NONE


def _without_breaks(line: Line, kinds: list[Kind]) -> tuple[Line, list[Kind]]:
    """The line and its kinds without the breaks, which are no tokens."""
    kept = [part.kind != "break" for part in line.parts]
    parts, starts, stops = line
    rest = Line(list(compress(parts, kept)), list(compress(starts, kept)), list(compress(stops, kept)))
    return rest, list(compress(kinds, kept))


class _Survey(NamedTuple):
    """What is found where parts end or begin something, or may be names."""

    bounds: list[int]
    """Where sentences begin and end, breaks left out."""
    named: list[int]
    """Where the names stand."""
    initials: list[int]
    """Where capitals stand that only a sentence's start may have made."""
    breaks: int


def _survey(parts: Sequence[Part], columns: Columns, noted: Sequence[int], reader: _Reader) -> _Survey:
    """Go through the parts that have a note; what stands between them only ends the wait for a sentence's start."""
    named: list[int] = []
    initials: list[int] = []
    bounds = [0]
    breaks = following = 0
    initial, ended = True, False
    raw, forms, capitals, notes = columns.kinds, columns.forms, columns.capitals, columns.notes
    for i in noted:
        if not notes[i] & SENTENCE:
            continue
        kind = raw[i]
        unmarked = i > following
        if unmarked or kind not in _STOPS:
            if ended:
                bounds.append((following if unmarked else i) - breaks)
                ended = False
            if unmarked:
                initial = False
        following = i + 1
        if kind == "break":
            bounds.append(i - breaks)
            initial, ended = True, False
            breaks += 1
        elif kind not in _STOPS:
            if capitals[i]:
                doubted = initial and capitals[i] == CAPITAL and not acts(parts, i, reader.tongue)
                (initials if doubted else named).append(i)
            initial = False
        elif ends(parts[i], parts[i - 1] if i else None, reader.abbreviations):
            ended = initial = True
        elif kind == "open" or forms[i] == ":" or (forms[i] == ")" and _is_item(raw, i, bounds[-1] + breaks)):
            initial = True
    if ended and following < len(parts):
        bounds.append(following - breaks)
    bounds.append(len(parts) - breaks)
    return _Survey(bounds, named, initials, breaks)


def _is_item(kinds: Sequence[str], i: int, begun: int) -> bool:
    """Whether only a number stands in the sentence before the part at ``i``: *1)*."""
    return i - begun == 1 and kinds[i - 1] == "number"
