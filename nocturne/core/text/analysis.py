"""Read a text once: its tokens in canonical form, its sentences, its content, names and values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import compress, pairwise
from typing import Literal, NamedTuple, cast

from nocturne.core.text.folding import LIMIT, Places, clean, hides
from nocturne.core.text.language import UNKNOWN, is_mixed, language_of
from nocturne.core.text.lexicon import Lexicon, Tongue
from nocturne.core.text.lexing import Cut, cut
from nocturne.core.text.naming import acts, ends
from nocturne.core.text.parts import CAPITAL, SENTENCE, Columns, Line, Part, columns_of, where
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
_ALONE = 2
"""How many bounds a text of one sentence has."""
_STOPS = frozenset({"mark", "open", "break"})
"""Parts that are no words."""


Ranges = tuple[tuple[int, ...], tuple[int, ...]]
"""Where tokens start, and where they end."""


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
    ``tokens`` are the same, put together for those who want one at a time. Where a token stands is only found out
    once it is asked for: most texts are judged without.
    """

    text: str
    lexicon: Lexicon = field(repr=False)
    speaker: str | None
    lang: str
    scripts: frozenset[str]
    judged: bool
    """False where the language is not known or the text is too long: only literals can be compared."""
    forms: tuple[str, ...]
    stems: tuple[str, ...]
    kinds: tuple[Kind, ...]
    sentences: tuple[tuple[int, int], ...]
    content: frozenset[str]
    names: frozenset[str]
    initials: frozenset[str]
    """Capitalised words that only a sentence's start may have made so: names where another text says so."""
    values: frozenset[str]
    value_list: list[str]
    """Every value in order, as often as it stands in the text."""
    mixed: tuple[str, ...]
    """Words that mix letters of scripts that look alike."""
    hidden: bool
    """Whether invisible characters stand where they have no use; they were left out of every measure."""
    bending: list[int]
    """The tokens that the gates may leave out or take in another form."""
    parts: Sequence[Part] = field(repr=False)
    """What was read; none where something had to be cleaned, so that ranges must tell how a token is written."""

    _ranges: Ranges | None = field(default=None, repr=False, compare=False)
    _tokens: tuple[Token, ...] = field(default=(), repr=False, compare=False)

    @property
    def tokens(self) -> tuple[Token, ...]:
        """Every token in order."""
        if not self._tokens:
            self._tokens = tuple(map(self._token, range(len(self.forms))))
        return self._tokens

    def _token(self, at: int) -> Token:
        start, end = self.starts[at], self.ends[at]
        return Token(self.text[start:end], self.forms[at], self.stems[at], start, end, self.kinds[at])

    @property
    def starts(self) -> tuple[int, ...]:
        """Where in the text each token starts."""
        return self._ranged()[0]

    @property
    def ends(self) -> tuple[int, ...]:
        """Where each one ends."""
        return self._ranged()[1]

    def _ranged(self) -> Ranges:
        if self._ranges is None:
            self._ranges = _ranges_of(self)
        return self._ranges

    def surface(self, at: int) -> str:
        """A token as it is written."""
        if self.parts and (written := self.parts[at].written):
            return written
        starts, ends = self._ranged()
        return self.text[starts[at] : ends[at]]

    @property
    def words(self) -> tuple[str, ...]:
        """The forms in order, without punctuation."""
        return tuple([form for form, kind in zip(self.forms, self.kinds, strict=True) if kind != "punct"])

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

    def line(self, pieces: Cut, spoken: tuple[str, ...]) -> Line:
        """Every part of a text, with its range."""
        worded = self.wording.read(pieces, spoken)
        kinds, _, _, _, notes, _ = columns_of(worded.parts)
        hot = self.quantities.hot(worded.parts, kinds, notes, where(notes))
        return with_runs_cut(self.quantities.join(worded, hot), self.tongue)

    def parts(self, pieces: Cut, spoken: tuple[str, ...]) -> tuple[list[Part], Columns, list[int]]:
        """The same parts without their ranges, where no script is written without spaces; columns and noted places."""
        parts = self.wording.parts(pieces, spoken)
        columns = columns_of(parts)
        kinds, _, _, _, notes, _ = columns
        noted = where(notes)
        hot = self.quantities.hot(parts, kinds, notes, noted)
        if hot:
            # What is joined reaches from its first part to its last: any ranges do where none is asked for.
            anywhere = [0] * len(parts)
            joined = self.quantities.join(Line(parts, anywhere, anywhere), hot).parts
            if joined is not parts:
                parts, columns = joined, columns_of(joined)
                noted = where(columns[4])
        return parts, columns, noted


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
    spoken = speaker_words(speaker)
    ranges = None
    if cleaned.isascii():
        parts, columns, noted = reader.parts(pieces, spoken)
    else:
        line = reader.line(pieces, spoken)
        ranges = _in_text(line, places)
        parts, columns = line.parts, columns_of(line.parts)
        noted = where(columns[4])
    raw, forms, stems, counts, notes, bends = columns
    # A part without a note is a word or a subject, which are called so in the end as well.
    kinds = cast("list[Kind]", list(raw))
    for at in noted:
        kinds[at] = _KINDS[kinds[at]]
    bounds, named, doubted, breaks = _survey(parts, raw, notes, noted, reader)
    names = _set([bare(parts[at].surface) for at in named])
    initials = _set([bare(parts[at].surface) for at in doubted])
    for at in named:
        if kinds[at] == "word":
            kinds[at] = "name"
    values = [forms[at] for at in noted if kinds[at] == "value"]
    if breaks:
        kept = [kind != "break" for kind in raw]
        parts, kinds = list(compress(parts, kept)), list(compress(kinds, kept))
        raw, forms, stems, counts, notes, bends = columns_of(parts)
    if "" in stems:
        stems = tuple([stem or form for stem, form in zip(stems, forms, strict=True)])
    if reader.passives and "by" in forms:
        changed = dict(verb_stems(parts, reader.tongue))
        stems = tuple([changed.get(at, stem) for at, stem in enumerate(stems)])
    # By place, since it takes a third of the time, and every text is read.
    return Analysis(
        text,
        lexicon,
        speaker,
        language,
        scripts,
        language != UNKNOWN and len(text) <= LIMIT,
        forms,
        stems,
        tuple(kinds),
        ((0, bounds[1]),)
        if len(bounds) == _ALONE and bounds[1]
        else tuple([(first, last) for first, last in pairwise(bounds) if last > first]),
        frozenset(compress(stems, counts)),
        names,
        initials,
        _set(values),
        values,
        () if text.isascii() else tuple(p.surface for p in pieces.pieces if is_mixed(p)),
        cleaned is not text and hides(text[:LIMIT]),
        where(bends),
        parts if ranges is None and cleaned == text else (),
        ranges,
    )


def _ranges_of(analysis: Analysis) -> Ranges:
    """Where in a text that was read each of its tokens starts and ends."""
    cleaned, places = clean(analysis.text)
    reader = _reader(analysis.lang, analysis.lexicon)
    return _in_text(reader.line(cut(cleaned), speaker_words(analysis.speaker)), places)


def _in_text(line: Line, places: Places) -> Ranges:
    """Where the parts of a line stand in the text before it was cleaned, breaks left out, which are no tokens."""
    kept = [part.kind != "break" for part in line.parts]
    starts, ends = tuple(compress(line.starts, kept)), tuple(compress(line.ends, kept))
    if places is None:
        return starts, ends
    return (
        tuple([places[start] for start in starts]),
        tuple([max(places[end], places[end - 1] + 1) for end in ends]),
    )


_NONE: frozenset[str] = frozenset()


def _set(found: list[str]) -> frozenset[str]:
    return frozenset(found) if found else _NONE


def _survey(
    parts: Sequence[Part], raw: Sequence[str], notes: Sequence[int], noted: Sequence[int], reader: _Reader
) -> tuple[list[int], list[int], list[int], int]:
    """Where sentences begin and end, names stand, and capitals that a sentence's start may have made; how many breaks.

    Goes through the parts that have a note; what stands between them only ends the wait for a sentence's start. The
    bounds of sentences leave breaks out.
    """
    named: list[int] = []
    initials: list[int] = []
    bounds = [0]
    breaks = following = 0
    initial, ended = True, False
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
            if capital := parts[i].capital:
                doubted = initial and capital == CAPITAL and not acts(parts, i, reader.tongue)
                (initials if doubted else named).append(i)
            initial = False
        elif ends(parts[i], parts[i - 1] if i else None, reader.abbreviations):
            ended = initial = True
        elif kind == "open" or _opens(parts, i, bounds[-1] + breaks):
            initial = True
    if ended and following < len(parts):
        bounds.append(following - breaks)
    bounds.append(len(parts) - breaks)
    return bounds, named, initials, breaks


def _opens(parts: Sequence[Part], i: int, begun: int) -> bool:
    """Whether a mark is a colon, or closes an item's number that alone stands in the sentence before it: *1)*."""
    form = parts[i].form
    return form == ":" or (form == ")" and i - begun == 1 and parts[i - 1].kind == "number")
