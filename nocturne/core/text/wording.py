"""Bring words to one form: contractions, phrases, subjects, number words and agreement.

The order of the steps is part of the measures: MEASURES.md, section "Words".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from nocturne.core.text.contracting import Contracting
from nocturne.core.text.folding import SHADDA, fold
from nocturne.core.text.lexicon import OWNED, SUBJECT, USER, USERS, Lexicon, Tongue
from nocturne.core.text.lexing import LITERALS, WORDS, Cut, Piece
from nocturne.core.text.numerals import numeral_segments, numeric_part, word_number
from nocturne.core.text.parts import CAPITAL, LOUD, QUIET, Line, Part, Span
from nocturne.core.text.stemming import bare, stem_of

_SUBJECT_FORMS = {SUBJECT: SUBJECT, OWNED: OWNED, USER: SUBJECT, USERS: OWNED}
_CAMEL = re.compile(r"[a-z]+[A-Z][a-z0-9]")
_LONGEST_NAME = 4
_STEADY = WORDS | {"mark"}
_VERB_ENDINGS = ("s", "ed")
_MEMO = 50_000
_LONGEST_KEPT = 64


class Wording:
    """Reads the words of one language; remembers the forms that do not depend on their neighbours."""

    def __init__(self, tongue: Tongue, lexicon: Lexicon) -> None:
        self.tongue = tongue
        self.lexicon = lexicon
        self._steady: dict[str, Part] = {}
        self._others: dict[tuple[str, str, bool], Part] = {}
        self._heads = tongue.phrase_heads
        self._apart = Contracting(tongue)
        self._subject = tongue.subject
        self._agreement = tongue.table("agreement")
        self._aliases = tongue.table("aliases")
        self._months = tongue.table("months")
        self._marked = tuple(tongue.words("marked"))
        self._counting = tongue.counting
        self._emitted: dict[tuple[object, ...], tuple[Part, ...]] = {}
        self._has_user = tongue.language == "en"
        self._after_user = tongue.words("auxiliaries") | tongue.words("modals") | tongue.negation
        self._after_user |= tongue.words("participles")

    def read(self, text: Cut, speaker: tuple[str, ...]) -> Line:
        """The parts of a text in order."""
        line = Line([], [])
        parts, spans = line
        pieces, bases = text
        steady, heads = self._steady, self._heads
        i, end = 0, len(pieces)
        while i < end:
            piece = pieces[i]
            known = steady.get(piece[1]) if piece[0] in _STEADY else None
            if (
                known is None
                or piece[4]
                or (speaker and fold(piece[1]).startswith(speaker[0]))
                or (known.form in heads and i + 1 < end and self._may_begin(known.form, pieces[i + 1]))
            ):
                i += self._slow(text, i, line, speaker)
            else:
                parts.append(known)
                base = bases[i]
                spans.append((base + piece[2], base + piece[3]))
                i += 1
        return line

    def _may_begin(self, form: str, following: Piece) -> bool:
        return fold(following.surface) in self._heads[form]

    def _slow(self, text: Cut, i: int, line: Line, speaker: tuple[str, ...]) -> int:
        """Read the piece at ``i`` with its neighbours; how many pieces were taken."""
        piece = text.pieces[i]
        if piece.kind not in WORDS:
            if piece.kind == "unspaced":
                numeral_segments(piece.surface, text.span(i, i)[0], self.tongue, line)
                return 1
            key = (piece.kind, piece.surface, piece.tied)
            part = self._others.get(key)
            if part is None:
                part = self._other(piece)
                if len(self._others) < _MEMO and len(piece.surface) <= _LONGEST_KEPT:
                    self._others[key] = part
                if piece.kind == "mark" and not piece.tied:
                    self._steady[piece.surface] = part
            line.add(part, text.span(i, i))
            return 1
        folded = fold(piece.surface)
        return (
            (self._speaker(text, i, line, speaker) if speaker else 0)
            or (self._phrase(text, i, folded, line, named=bool(speaker)) if folded in self._heads else 0)
            or (word_number(text, i, self.tongue, line) if folded in self._counting else 0)
            or self._single(text, i, folded, line, named=bool(speaker))
        )

    def _other(self, piece: Piece) -> Part:
        """What a piece that is no word becomes by itself."""
        kind, surface, tied = piece.kind, piece.surface, piece.tied
        if kind == "number":
            return numeric_part(piece, self.tongue, self.lexicon)
        if kind == "mark":
            if surface == "&":
                return self.word("and")._replace(surface=surface)
            if is_symbol(surface):
                return Part("symbol", surface, surface, stem=surface)
            return Part(kind, surface, surface, counts=False)
        if kind == "code":
            return Part("literal", " ".join(surface.strip("`").split()) or surface, surface)
        if kind in LITERALS:
            return Part("literal", surface, surface, tied)
        if kind in ("email", "sharp"):
            return Part("literal", fold(surface), surface, tied)
        if kind in ("initials", "joint"):
            return self.word(surface, whole=True)._replace(tied=tied)
        return Part(kind, surface, surface, tied)

    def word(self, surface: str, *, whole: bool = False) -> Part:
        """A word by itself; ``whole`` where it is neither inflected nor a subject."""
        folded = fold(surface)
        if SHADDA in folded and not folded.endswith(self._marked):
            folded = folded.replace(SHADDA, "")
        if not whole:
            subject = self._subject.get(folded)
            if subject is not None:
                return Part("subject", subject, surface, stem=subject, counts=False)
            if surface.isascii() and _CAMEL.match(surface):
                return Part("literal", bare(surface), surface, capital=LOUD)
        month = ""
        if folded in self._months and (surface[0].isupper() or not self.tongue.data.get("months_capital")):
            month = str(self._months[folded])
        alias = self._aliases.get(surface) or self._aliases.get(folded)
        form = alias or self._agreement.get(folded, folded)
        stem = form if whole else stem_of(form, self.tongue)
        counts = bare(form) not in self.tongue.stopwords
        capital = self._capital(surface, folded, form)
        return Part("word", form, surface, number=month, stem=stem, capital=capital, counts=counts)

    def _capital(self, surface: str, folded: str, form: str) -> int:
        """How much a word's capitals say."""
        if surface == surface.lower():
            return QUIET
        shown, no_names = bare(surface), self.tongue.no_names
        if not shown or bare(folded) in no_names or form in no_names:
            return QUIET
        if any(char.isupper() for char in shown[1:]):
            return LOUD
        return CAPITAL if shown[0].isupper() or shown[0].istitle() else QUIET

    def _single(self, text: Cut, i: int, folded: str, line: Line, *, named: bool) -> int:
        """A contraction, the bare *user*, or a plain word; one piece in every case."""
        piece, span = text.pieces[i], text.span(i, i)
        parted = self._apart.may_part(folded)
        apart = self._apart.read(folded, text.pieces, i) if parted else None
        if apart is not None:
            self._emit(apart, piece, [span] * len(apart), line, named=named)
            return 1
        if self._has_user and folded in ("user", "user's") and self._is_bare_user(text.pieces, i):
            self._emit((USER if folded == "user" else USERS,), piece, [span], line, named=named)
            return 1
        part = self.word(piece.surface)
        steady = folded == part.form or folded not in self._heads
        if steady and not parted and folded not in self._counting and folded not in ("user", "user's"):
            if len(self._steady) >= _MEMO:
                self._steady.clear()
            self._steady[piece.surface] = part
        line.add(part._replace(tied=True) if piece.tied else part, span)
        return 1

    def _emit(
        self, outputs: Sequence[str], first: Piece, spans: Sequence[Span], line: Line, *, named: bool
    ) -> None:
        """Put the words that a contraction or phrase stands for, each with its range."""
        key = (outputs if isinstance(outputs, tuple) else tuple(outputs), first.surface, first.tied, named)
        made = self._emitted.get(key)
        if made is None:
            made = tuple(self._made(outputs, first, named=named))
            if len(self._emitted) < _MEMO:
                self._emitted[key] = made
        line.parts.extend(made)
        line.spans.extend(spans)

    def _made(self, outputs: Sequence[str], first: Piece, *, named: bool) -> Iterator[Part]:
        for n, output in enumerate(outputs):
            if output in _SUBJECT_FORMS:
                form = output if named else _SUBJECT_FORMS[output]
                part = Part("subject", form, output, stem=form, counts=False)
            elif n == 0 and fold(first.surface).startswith(output):
                part = self.word(first.surface[: len(output)])
            else:
                part = self.word(output)
            yield part._replace(tied=first.tied and n == 0)

    def _phrase(self, text: Cut, i: int, folded: str, line: Line, *, named: bool) -> int:
        """The longest listed phrase that begins here."""
        if i + 1 >= len(text.pieces):
            return 0
        following = text.pieces[i + 1]
        if following.kind not in WORDS:
            return 0
        for words, outputs in self._heads[folded].get(fold(following.surface), ()):
            length = len(words)
            if (length == 2 or self._stand(text.pieces, i, words)) and not self._is_compound(
                text.pieces, i + length, outputs
            ):
                ends = [
                    (i + n, i + n) if len(outputs) == length else (i, i + length - 1)
                    for n in range(len(outputs))
                ]
                spans = [text.span(first, last) for first, last in ends]
                self._emit(outputs, text.pieces[i], spans, line, named=named)
                return length
        return 0

    @staticmethod
    def _stand(pieces: Sequence[Piece], i: int, words: Sequence[str]) -> bool:
        """Whether exactly these words stand from ``i`` on."""
        if i + len(words) > len(pieces):
            return False
        return all(
            pieces[i + n].kind in WORDS and fold(pieces[i + n].surface) == w for n, w in enumerate(words)
        )

    def _is_compound(self, pieces: Sequence[Piece], after: int, outputs: Sequence[str]) -> bool:
        """Whether *the user* only begins a noun such as *the user interface*."""
        if outputs[-1] != USER or after >= len(pieces):
            return False
        following = pieces[after]
        return following.tied or fold(following.surface) in self.tongue.words("subject_compounds")

    def _is_bare_user(self, pieces: Sequence[Piece], i: int) -> bool:
        """Whether *user* without an article opens a clause and a verb or a possession follows."""
        if i and pieces[i - 1].kind not in ("mark", "open", "break"):
            return False
        if i + 1 >= len(pieces) or pieces[i + 1].kind not in WORDS or pieces[i + 1].tied:
            return False
        if fold(pieces[i].surface) == "user's":
            return True
        following = fold(pieces[i + 1].surface)
        if following in self.tongue.words("subject_compounds"):
            return False
        return following in self._after_user or following.endswith(_VERB_ENDINGS)

    @staticmethod
    def _speaker(text: Cut, i: int, line: Line, speaker: tuple[str, ...]) -> int:
        """Take the speaker's name, whole or its first word, as the subject."""
        pieces = text.pieces
        surface = pieces[i].surface
        if surface == surface.lower() != surface.upper():
            return 0
        for length in sorted({len(speaker), 1}, reverse=True):
            if i + length > len(pieces) or any(pieces[i + n].kind not in WORDS for n in range(length)):
                continue
            words = [fold(pieces[i + n].surface) for n in range(length)]
            owned = words[-1].endswith("'s")
            words[-1] = words[-1].removesuffix("'s")
            if tuple(words) == speaker[:length]:
                form = OWNED if owned else SUBJECT
                part = Part("subject", form, surface, pieces[i].tied, stem=form, counts=False)
                line.add(part, text.span(i, i + length - 1))
                return length
        return 0


def is_symbol(char: str) -> bool:
    """Whether a character is a picture, such as an emoji, which says something by itself."""
    return char > "~" and unicodedata.category(char) == "So"


def speaker_words(speaker: str | None) -> tuple[str, ...]:
    """The casefolded words of a speaker's name; empty for the user or for nobody."""
    if speaker is None:
        return ()
    words = tuple(fold(word) for word in speaker.split()[:_LONGEST_NAME])
    return () if words in (("user",), ("the", "user"), ("human",), ("me",), ("i",)) else words
