"""Find the language of a text from its letters and its function words; say so where it is not known."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from functools import lru_cache

from nocturne.core.text.folding import fold
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.text.lexing import WORDS, Cut, Piece, pieces_of
from nocturne.core.text.memo import Memo

UNKNOWN = "und"
_RANGES: tuple[tuple[int, int, str], ...] = (
    (0x41, 0x5A, "Latin"), (0x61, 0x7A, "Latin"), (0xC0, 0x24F, "Latin"), (0x370, 0x3FF, "Greek"),
    (0x400, 0x52F, "Cyrillic"), (0x531, 0x58F, "Armenian"), (0x5D0, 0x5F4, "Hebrew"), (0x620, 0x6FF, "Arabic"),
    (0x750, 0x77F, "Arabic"), (0x900, 0x97F, "Devanagari"), (0x980, 0xDFF, "Indic"), (0xE00, 0xE7F, "Thai"),
    (0xE80, 0xEFF, "Lao"), (0x1000, 0x109F, "Burmese"), (0x10A0, 0x10FF, "Georgian"), (0x1100, 0x11FF, "Hangul"),
    (0x1780, 0x17FF, "Khmer"), (0x1E00, 0x1EFF, "Latin"), (0x1F00, 0x1FFF, "Greek"), (0x3005, 0x3007, "Han"),
    (0x3041, 0x309F, "Hiragana"), (0x30A1, 0x30FF, "Katakana"), (0x3131, 0x318E, "Hangul"),
    (0x31F0, 0x31FF, "Katakana"), (0x3400, 0x4DBF, "Han"), (0x4E00, 0x9FFF, "Han"), (0xAC00, 0xD7AF, "Hangul"),
    (0xF900, 0xFAFF, "Han"), (0x20000, 0x3FFFF, "Han"),
)  # fmt: skip
_STARTS = [first for first, _, _ in _RANGES]
_MIXABLE = frozenset({"Latin", "Cyrillic", "Greek"})
_DENSE = 3
"""A character of a script without spaces weighs as much as three letters."""


def script_of(char: str) -> str | None:
    """The script of a letter, by block; None for a character of no listed block."""
    code = ord(char)
    at = bisect_right(_STARTS, code) - 1
    if at >= 0 and code <= _RANGES[at][1] and char not in "×÷":
        return _RANGES[at][2]
    return None


def scripts_of(text: str) -> dict[str, int]:
    """How many letters of each script a text holds."""
    found: dict[str, int] = {}
    for char in text:
        script = script_of(char)
        if script is not None:
            found[script] = found.get(script, 0) + 1
    return found


def is_mixed(piece: Piece) -> bool:
    """Whether one word holds letters of scripts whose letters look alike."""
    word = piece.surface
    return piece.kind == "word" and not word.isascii() and len(_MIXABLE & scripts_of(word).keys()) > 1


def language_of(text: str, cut: Cut, lexicon: Lexicon) -> tuple[str, frozenset[str]]:
    """The language code, or ``und``, and the scripts of the text."""
    if text.isascii():
        return _latin(text, cut, lexicon), _LATIN_ONLY
    scripts = scripts_of(text)
    seen = frozenset(scripts)
    weights = {
        "cjk": _DENSE * (scripts.get("Han", 0) + scripts.get("Hiragana", 0) + scripts.get("Katakana", 0)),
        **{name: count for name, count in scripts.items() if name not in ("Han", "Hiragana", "Katakana")},
    }
    first = max(weights, key=lambda name: weights[name])
    if first == "cjk" and weights["cjk"]:
        kana = scripts.get("Hiragana", 0) + scripts.get("Katakana", 0)
        return _known("ja" if kana else "zh", text, cut, lexicon), seen
    if first == "Latin":
        return _latin(text, cut, lexicon), seen
    by_script = {"Cyrillic": "ru", "Arabic": "ar", "Devanagari": "hi"}
    if first in by_script:
        return _known(by_script[first], text, cut, lexicon), seen
    if len(scripts) == 0:
        return _latin(text, cut, lexicon), seen
    return UNKNOWN, seen


_LATIN_ONLY = frozenset({"Latin"})


def _known(language: str, text: str, cut: Cut, lexicon: Lexicon) -> str:
    """The language of a script, unless letters or words of another language of that script are there."""
    tongue = lexicon.tongues.get(language)
    if tongue is None:
        return UNKNOWN
    if any(letter in text for letter in tongue.data.get("foreign_letters", "")):
        return UNKNOWN
    foreign = tongue.words("foreign_words")
    if foreign and any(piece.surface in foreign for piece in cut.pieces):
        return UNKNOWN
    return language


def _latin(text: str, cut: Cut, lexicon: Lexicon) -> str:
    """The Latin-script language whose function words are most; a short text with none is read as the first."""
    votes = _votes(lexicon)
    total = votes.total(cut.stretches)
    if total and text.isascii():
        return votes.winner(total)
    counts = dict(votes.counts(total))
    if not text.isascii():
        for letter in {*text, *text.lower()}:
            for name in lexicon.letters.get(letter, ()):
                counts[name] = counts.get(name, 0) + 2
    if not counts:
        limit: int = lexicon.data.get("latin_limit", 0)
        words = sum(piece.kind in WORDS for piece in cut.pieces)
        return next(iter(lexicon.tongues)) if words <= limit else UNKNOWN
    return _most_spoken_for(counts, lexicon)


def _most_spoken_for(counts: Mapping[str, int], lexicon: Lexicon) -> str:
    """The first language of those that most speaks for."""
    most = max(counts.values())
    return next((name for name in lexicon.tongues if counts.get(name) == most), UNKNOWN)


class _Votes:
    """The languages that words speak for, one field of bits a language, so that a sum is a tally."""

    _WIDTH = 16
    """No text that is read has as many words as make a field run over."""
    _ROOM = 50_000

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._speaks_for = lexicon.speaks_for
        self._judged = frozenset(lexicon.tongues)
        names = sorted({name for names in self._speaks_for.values() for name in names})
        self._shifts = {name: self._WIDTH * n for n, name in enumerate(names)}
        self._behind = {
            ending: name
            for name, tongue in lexicon.tongues.items()
            if tongue.table("contracted_endings")
            for ending in (*tongue.table("contracted_endings"), "s", "t", "d")
        }
        self._before = {
            head: name for name, tongue in lexicon.tongues.items() for head in tongue.table("elisions")
        }
        self._known = Memo(self._of_stretch, self._ROOM)
        self._winners: dict[int, str] = {}

    def total(self, stretches: Iterable[str]) -> int:
        """How many of the words in the stretches speak for each language, in one number."""
        return sum(filter(None, map(self._known.__getitem__, stretches)))

    def counts(self, total: int) -> Mapping[str, int]:
        """The number as a count a language; those without any are left out."""
        counts = ((name, total >> shift & 0xFFFF) for name, shift in self._shifts.items())
        return {name: count for name, count in counts if count}

    def winner(self, total: int) -> str:
        """The language that most words speak for."""
        found = self._winners.get(total)
        if found is None:
            found = _most_spoken_for(self.counts(total), self._lexicon)
            if len(self._winners) < self._ROOM:
                self._winners[total] = found
        return found

    def _of_stretch(self, stretch: str) -> int:
        if stretch.isascii():
            if stretch.isalpha():
                return self._of_word(stretch)
            if stretch.isdigit():
                return 0
        return sum(self._of_word(piece.surface) for piece in pieces_of[stretch] if piece.kind in WORDS)

    def _of_word(self, surface: str) -> int:
        folded = fold(surface)
        names = self._speaks_for.get(folded, ())
        if surface != folded:
            names = tuple(name for name in names if name in self._judged)
        if "'" in folded:
            head, _, rest = folded.rpartition("'")
            names += tuple(name for name in (self._before.get(head), self._behind.get(rest)) if name)
        return sum(1 << self._shifts[name] for name in names)


@lru_cache(maxsize=8)
def _votes(lexicon: Lexicon) -> _Votes:
    """The counter of this lexicon's function words."""
    return _Votes(lexicon)
