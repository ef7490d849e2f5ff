"""Bring words to one form: contractions, phrases, subjects, number words and agreement.

The order of the steps is part of the measures: MEASURES.md, section "Words".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import compress
from operator import not_
from typing import Any

from nocturne.core.text.contracting import Contracting
from nocturne.core.text.folding import SHADDA, fold
from nocturne.core.text.lexicon import OWNED, SUBJECT, USER, USERS, Lexicon, Tongue
from nocturne.core.text.lexing import LITERALS, WORDS, Cut, Piece, cut, pieces_of
from nocturne.core.text.memo import LONGEST_KEPT, Memo
from nocturne.core.text.numerals import numeral_segments, numeric_part, word_number
from nocturne.core.text.parts import (
    CAPITAL,
    LOUD,
    MAY_BE_LEFT_OUT,
    QUANTITY,
    QUIET,
    SENTENCE,
    Line,
    Part,
    Span,
    number_part,
    written_as,
)
from nocturne.core.text.stemming import bare, stem_of

_SUBJECT_FORMS = {SUBJECT: SUBJECT, OWNED: OWNED, USER: SUBJECT, USERS: OWNED}
_CAMEL = re.compile(r"[a-z]+[A-Z][a-z0-9]")
_LONGEST_NAME = 4
_BARE_USER = ("user", "user's")
_VERB_ENDINGS = ("s", "ed")
_MEMO = 50_000
_PAIR = 2
_TOLD_BY_NEIGHBOURS = WORDS | {"unspaced"}
_Placed = tuple[Part, int, int]
"""A part and where in its stretch it starts and ends."""


Ready = tuple[tuple[Part, ...], tuple[_Placed, ...], Callable[[str], bool] | None, str | None]
"""What a stretch, or a phrase of two, becomes whatever stands before it; plain, since it is looked into at every word.

The parts, none where only a whole text can tell; the same with their places; whether a casefolded word behind may
make it something else, or None where no word can; and the casefolded first piece, or None where there is none.
"""


def _sways(swayed: Callable[[str], bool], lead: str | None) -> bool:
    """Whether what begins so may make something else of the words before it; what has no piece leaves that open."""
    return lead is None or swayed(lead)


def _open(lead: str | None) -> Ready:
    """That of a stretch of which only a whole text can tell."""
    return (), (), None, lead


class Wording:
    """Reads the words of one language; remembers the stretches that do not depend on their neighbours."""

    def __init__(self, tongue: Tongue, lexicon: Lexicon) -> None:
        self.tongue = tongue
        self.lexicon = lexicon
        self._heads = tongue.phrase_heads
        self._seconds = frozenset().union(*self._heads.values())
        self._apart = Contracting(tongue)
        self._subject = tongue.subject
        self._agreement = tongue.table("agreement")
        self._aliases = tongue.table("aliases")
        self._months = tongue.table("months")
        self._marked = tuple(tongue.words("marked"))
        self._counting = tongue.counting
        self._money = lexicon.data["currencies"]
        self._has_user = tongue.language == "en"
        self._after_user = tongue.words("auxiliaries") | tongue.words("modals") | tongue.negation
        self._after_user |= tongue.words("participles")
        self._words = Memo(self._word)
        self._marks = Memo(self._mark, 4_096)
        either = (False, True)
        self._singles = [Memo(partial(self._made_alone, named=named)) for named in either]
        self._pairs = [Memo(partial(self._made_pair, named=named)) for named in either]
        self._certain = [Memo(partial(self._made_certain, named=named)) for named in either]
        self._emitted: dict[tuple[object, ...], tuple[Part, ...]] = {}

    def read(self, text: Cut, speaker: tuple[str, ...]) -> Line:
        """The parts of a text in order, each with its range."""
        line = Line([], [], [])
        n = 0
        while n < len(text.stretches):
            _, placed, taken = self._beside(text, n, speaker)
            base = text.bases[n]
            for part, first, last in placed:
                line.add(part, (base + first, base + last))
            n += taken
        return line

    def parts(self, text: Cut, speaker: tuple[str, ...]) -> list[Part]:
        """The same parts without their ranges, which takes half the time."""
        stretches, singles = text.stretches, self._singles[bool(speaker)]
        found: list[Any] = list(map(self._certain[bool(speaker)].__getitem__, stretches))
        if speaker:
            found = [
                None if speaker[0] in fold(stretch) else part
                for part, stretch in zip(found, stretches, strict=True)
            ]
        parts: list[Part] = []
        done = 0
        for n in compress(range(len(found)), map(not_, found)):
            if n < done:
                continue
            ready, _, swayed, lead = singles[stretches[n]]
            at = n
            if n > done:
                # The last one that was certain by itself may be the head of a phrase that goes on here.
                head = singles[stretches[n - 1]][2]
                if head is not None and _sways(head, lead):
                    at -= 1
                parts += found[done:at]
            if at == n and ready and swayed is None and not speaker:
                parts += ready
                done = n + 1
                continue
            done = at
            while done <= n:
                more, _, taken = self._beside(text, done, speaker)
                parts += more
                done += taken
        parts += found[done:]
        return parts

    def _beside(
        self, text: Cut, n: int, speaker: tuple[str, ...]
    ) -> tuple[Sequence[Part], tuple[_Placed, ...], int]:
        """What a stretch becomes where it stands: parts, the same with places in it, and how many were taken.

        A stretch that the next one sways is read together with it; where a third one sways both, in the text.
        """
        stretches = text.stretches
        singles, last, after = self._singles[bool(speaker)], len(stretches) - 1, n + 1
        parts, placed, swayed, _ = singles[stretches[n]]
        while swayed is not None and after <= last:
            if not _sways(swayed, singles[stretches[after]][3]):
                break
            after += 1
            if after > n + _PAIR:
                parts = ()
                break
            parts, placed, swayed, _ = self._pairs[bool(speaker)][f"{stretches[n]} {stretches[n + 1]}"]
        if not parts or (speaker and speaker[0] in fold(" ".join(stretches[n:after]))):
            line = Line([], [], [])
            taken = self.in_context(text, n, line, speaker)
            base = text.bases[n]
            placed = tuple([
                (written_as(part, text.text[start:end]), start - base, end - base)
                for part, start, end in zip(*line, strict=True)
            ])
            return [part for part, _, _ in placed], placed, taken
        return parts, placed, after - n

    def _made_alone(self, stretch: str, *, named: bool) -> Ready:
        """What a stretch becomes by itself: at once where it is one number, address or the like."""
        pieces = pieces_of[stretch]
        if len(pieces) == 1 and pieces[0].kind not in _TOLD_BY_NEIGHBOURS and not pieces[0].start:
            part = written_as(self._other(pieces[0]), stretch[: pieces[0].end])
            return (part,), ((part, 0, pieces[0].end),), None, fold(pieces[0].surface)
        return self._made_ready(Cut(stretch, [stretch]), named=named)

    def _made_pair(self, pair: str, *, named: bool) -> Ready:
        """What two stretches with a space between them become by themselves."""
        return self._made_ready(cut(pair), named=named)

    def _made_certain(self, stretch: str, *, named: bool) -> Part | None:
        """The one part that a stretch becomes whatever stands beside it; None where that may be another or several.

        The head of a phrase counts as certain: it is what goes on in it that makes one look back.
        """
        if stretch.isascii() and stretch.isdigit() and stretch not in self._seconds:
            # Numbers seldom come twice: what only a neighbour would ask for is not made.
            return number_part(stretch, stretch, written=stretch)
        if len(stretch) > LONGEST_KEPT:
            # What is not kept would be made once more where it turns out to be several parts.
            return None
        parts, _, swayed, lead = self._singles[named][stretch]
        if len(parts) != 1 or len(pieces_of[stretch]) != 1 or lead is None or lead in self._seconds:
            return None
        return parts[0] if swayed is None or lead in self._heads else None

    def _made_ready(self, text: Cut, *, named: bool) -> Ready:
        """What a stretch, or two, become by themselves."""
        pieces = text.pieces
        lead = fold(pieces[0].surface) if pieces else None
        found: list[_Placed] = []
        swayed: Callable[[str], bool] | None = None
        at = 0
        while at < len(pieces):
            swayed = self._swayed(pieces[at])
            taken = 1
            if self._is_open(pieces[at]):
                return _open(lead)
            if at + 1 < len(pieces) and swayed is not None and swayed(fold(pieces[at + 1].surface)):
                line = Line([], [], [])
                taken = self._phrase(text, at, line, named=named, longest=_PAIR)
                if taken != _PAIR:
                    return _open(lead)
                found.extend(zip(*line, strict=True))
                swayed = self.tongue.words("subject_compounds").__contains__
            else:
                start, end = text.span(at, at)
                found.extend([(part, start, end) for part in self._alone(pieces[at], named=named)])
            at += taken
        if not found or found[0][1]:
            return _open(lead)
        found = [(written_as(part, text.text[start:end]), start, end) for part, start, end in found]
        return tuple([part for part, _, _ in found]), tuple(found), swayed, lead

    def _is_open(self, piece: Piece) -> bool:
        """Whether only a whole text can tell what becomes of a piece."""
        if piece.kind not in WORDS:
            return piece.kind == "unspaced"
        folded = fold(piece.surface)
        return folded in self._counting or (self._has_user and folded in _BARE_USER)

    def _swayed(self, piece: Piece) -> Callable[[str], bool] | None:
        """Which casefolded words behind a piece may make it something else; None where no word can."""
        if piece.kind not in WORDS:
            return None
        folded = fold(piece.surface)
        if folded in self._heads:
            return self._heads[folded].__contains__
        return partial(self._apart.is_swayed, folded) if self._apart.looks_on(folded) else None

    def in_context(self, text: Cut, n: int, line: Line, speaker: tuple[str, ...]) -> int:
        """Read a stretch with its neighbours, and those that a phrase takes with it; how many they were."""
        firsts = text.firsts
        at, after = firsts[n], n + 1
        while at < firsts[after]:
            at += self._one(text, at, line, speaker)
            while firsts[after] < at:
                after += 1
        return after - n

    def _one(self, text: Cut, i: int, line: Line, speaker: tuple[str, ...]) -> int:
        """Read the piece at ``i`` with its neighbours; how many pieces were taken."""
        piece, named = text.pieces[i], bool(speaker)
        if piece.kind == "unspaced":
            numeral_segments(piece.surface, text.span(i, i)[0], self.tongue, line)
            return 1
        if piece.kind in WORDS:
            folded = fold(piece.surface)
            taken = (
                (self._speaker(text, i, line, speaker) if speaker else 0)
                or (self._phrase(text, i, line, named=named) if folded in self._heads else 0)
                or (word_number(text, i, self.tongue, line) if folded in self._counting else 0)
            )
            if taken:
                return taken
            apart = self._parted(text.pieces, i, folded)
            if apart is not None:
                self._emit(apart, piece, [text.span(i, i)] * len(apart), line, named=named)
                return 1
        for part in self._alone(piece, named=named):
            line.add(part, text.span(i, i))
        return 1

    def _parted(self, pieces: Sequence[Piece], i: int, folded: str) -> Sequence[str] | None:
        """The words that a piece stands for where its neighbours decide that."""
        apart = self._apart.read(folded, pieces, i) if self._apart.looks_on(folded) else None
        if apart is not None:
            return apart
        if self._has_user and folded in _BARE_USER and self._is_bare_user(pieces, i):
            return (USER,) if folded == "user" else (USERS,)
        return None

    def _alone(self, piece: Piece, *, named: bool) -> Sequence[Part]:
        """What a piece becomes by itself."""
        if piece.kind not in WORDS:
            return (self._other(piece),)
        apart = self._apart.read(fold(piece.surface), (piece,), 0)
        if apart is not None:
            return self._kept(apart, piece, named=named)
        part = self.word(piece.surface)
        return (part._replace(tied=True) if piece.tied else part,)

    def _other(self, piece: Piece) -> Part:
        """What a piece that is no word becomes by itself."""
        kind, surface, tied = piece.kind, piece.surface, piece.tied
        if kind == "number":
            return numeric_part(piece, self.tongue, self.lexicon)
        if kind == "mark":
            return self._marks[surface]
        if kind == "code":
            return Part("literal", " ".join(surface.strip("`").split()) or surface, surface=surface)
        if kind in LITERALS:
            return Part("literal", surface, surface=surface, tied=tied)
        if kind in ("email", "sharp"):
            return Part("literal", fold(surface), surface=surface, tied=tied)
        if kind in ("initials", "joint"):
            return self._word(surface, whole=True)._replace(tied=tied)
        return Part(kind, surface, counts=kind not in ("open", "break"), surface=surface, tied=tied)

    def _mark(self, surface: str) -> Part:
        if surface == "&":
            return self.word("and")._replace(surface=surface)
        if is_symbol(surface):
            return Part("symbol", surface, surface, surface=surface)
        return Part("mark", surface, surface, counts=False, notes=SENTENCE, surface=surface)

    def word(self, surface: str) -> Part:
        """A word by itself."""
        return self._words[surface]

    def _word(self, surface: str, *, whole: bool = False) -> Part:
        """A word by itself, read anew; ``whole`` where it is neither inflected nor a subject."""
        folded = fold(surface)
        if SHADDA in folded and not folded.endswith(self._marked):
            folded = folded.replace(SHADDA, "")
        if not whole:
            subject = self._subject.get(folded)
            if subject is not None:
                return Part("subject", subject, subject, counts=False, notes=0, surface=surface)
            if surface.isascii() and _CAMEL.match(surface):
                return Part("literal", bare(surface), surface=surface, capital=LOUD)
        month = ""
        if folded in self._months and (surface[0].isupper() or not self.tongue.data.get("months_capital")):
            month = str(self._months[folded])
        alias = self._aliases.get(surface) or self._aliases.get(folded)
        form = alias or self._agreement.get(folded, folded)
        stem = form if whole else stem_of(form, self.tongue)
        counts = bare(form) not in self.tongue.stopwords
        capital = self._capital(surface, folded, form)
        notes = SENTENCE if capital else 0
        if month or surface in self._money:
            notes |= QUANTITY
        return Part(
            "word",
            form,
            stem,
            counts,
            notes,
            bends=form in MAY_BE_LEFT_OUT or form.endswith("s"),
            surface=surface,
            number=month,
            capital=capital,
            written=surface,
        )

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

    def _emit(
        self, outputs: Sequence[str], first: Piece, spans: Sequence[Span], line: Line, *, named: bool
    ) -> None:
        """Put the words that a contraction or phrase stands for, each with its range."""
        for part, span in zip(self._kept(outputs, first, named=named), spans, strict=True):
            line.add(part, span)

    def _kept(self, outputs: Sequence[str], first: Piece, *, named: bool) -> tuple[Part, ...]:
        """The words that a contraction or phrase stands for, made once."""
        key = (outputs if isinstance(outputs, tuple) else tuple(outputs), first.surface, first.tied, named)
        made = self._emitted.get(key)
        if made is None:
            made = tuple(self._made(outputs, first, named=named))
            if len(first.surface) <= LONGEST_KEPT:
                if len(self._emitted) >= _MEMO:
                    self._emitted.clear()
                self._emitted[key] = made
        return made

    def _made(self, outputs: Sequence[str], first: Piece, *, named: bool) -> Iterator[Part]:
        for n, output in enumerate(outputs):
            if output in _SUBJECT_FORMS:
                form = output if named else _SUBJECT_FORMS[output]
                part = Part("subject", form, form, counts=False, notes=0, surface=output)
            elif n == 0 and fold(first.surface).startswith(output):
                part = self.word(first.surface[: len(output)])
            else:
                part = self.word(output)
            yield part._replace(tied=first.tied and n == 0)

    def _phrase(self, text: Cut, i: int, line: Line, *, named: bool, longest: int | None = None) -> int:
        """Take the longest listed phrase that begins here; nothing where one might be longer than ``longest``."""
        if i + 1 >= len(text.pieces):
            return 0
        following = text.pieces[i + 1]
        if following.kind not in WORDS:
            return 0
        phrases = self._heads.get(fold(text.pieces[i].surface), {}).get(fold(following.surface), ())
        if longest is not None and any(len(words) > longest for words, _ in phrases):
            return 0
        for words, outputs in phrases:
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
                part = Part("subject", form, form, counts=False, notes=0, surface=surface, tied=pieces[i].tied)
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
