"""Bring words to one form: contractions, phrases, subjects, number words and agreement.

The order of the steps is part of the measures: MEASURES.md, section "Words".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from nocturne.core.text.folding import fold
from nocturne.core.text.lexicon import OWNED, SUBJECT, USER, USERS, Lexicon, Tongue
from nocturne.core.text.lexing import LITERALS, WORDS, Piece
from nocturne.core.text.numerals import numeral_segments, numeric_part, word_number
from nocturne.core.text.parts import Part

_SUBJECT_FORMS = {SUBJECT: SUBJECT, OWNED: OWNED, USER: SUBJECT, USERS: OWNED}
_CAMEL = re.compile(r"[a-z]+[A-Z][a-z0-9]")
_LONGEST_NAME = 4
_VERB_ENDINGS = ("s", "ed")
_MEMO = 50_000


class Wording:
    """Reads the words of one language; remembers the words whose form does not depend on their neighbours."""

    def __init__(self, tongue: Tongue, lexicon: Lexicon) -> None:
        self.tongue = tongue
        self.lexicon = lexicon
        self.english = tongue.language == "en"
        self._plain: dict[str, tuple[str, str, str]] = {}
        self._heads = tongue.phrase_heads
        self._subject = tongue.subject
        self._agreement = tongue.table("agreement")
        self._aliases = tongue.table("aliases")
        self._months = tongue.table("months")
        self._contractions = tongue.table("contractions")
        self._elisions = tongue.table("elisions")
        self._numbers = tongue.table("numbers")
        self._ordinals = tongue.table("ordinals")
        self._endings = tongue.table("contracted_endings")
        self._participles = tongue.words("participles")
        self._auxiliary = tongue.words("auxiliaries") | tongue.words("modals")

    def read(self, cut: Sequence[Piece], speaker: tuple[str, ...]) -> list[Part]:
        """The parts of a text in order."""
        parts: list[Part] = []
        plain = self._plain
        i = 0
        while i < len(cut):
            piece = cut[i]
            if piece.kind in WORDS:
                known = None if speaker else plain.get(piece.surface)
                if known is not None:
                    kind, form, number = known
                    parts.append(Part(kind, form, piece.start, piece.end, piece.tied, number, piece.surface))
                    i += 1
                else:
                    i += self._word(cut, i, parts, speaker)
            else:
                self._other(piece, parts)
                i += 1
        return parts

    def _other(self, piece: Piece, parts: list[Part]) -> None:
        kind, surface, start, end, tied = piece
        if kind == "number":
            parts.append(numeric_part(piece, self.tongue, self.lexicon))
        elif kind == "mark":
            if surface == "&":
                parts.append(Part("word", "and", start, end, tied, "", surface))
            else:
                parts.append(Part("symbol" if is_symbol(surface) else "mark", surface, start, end))
        elif kind == "unspaced":
            parts.extend(numeral_segments(piece, self.tongue))
        elif kind == "code":
            parts.append(Part("literal", " ".join(surface.strip("`").split()), start, end, tied, "", surface))
        elif kind in LITERALS:
            parts.append(Part("literal", surface, start, end, tied, "", surface))
        elif kind in ("email", "sharp"):
            parts.append(Part("literal", fold(surface), start, end, tied, "", surface))
        elif kind in ("initials", "joint"):
            parts.append(Part("word", fold(surface), start, end, tied, "", surface))
        else:
            parts.append(Part(kind, surface, start, end, tied, "", surface))

    def _word(self, cut: Sequence[Piece], i: int, parts: list[Part], speaker: tuple[str, ...]) -> int:
        """Read the word at ``i``; how many pieces were taken."""
        piece = cut[i]
        folded = fold(piece.surface)
        if speaker:
            taken = self._speaker(cut, i, parts, speaker)
            if taken:
                return taken
        for words, outputs in self._heads.get(folded, ()):
            length = len(words)
            if self._is_phrase(cut, i, words) and not self._is_compound(cut, i + length, outputs):
                self._emit(outputs, cut[i], cut[i + length - 1], parts, named=bool(speaker))
                return length
        if folded in self._numbers or folded in self.tongue.table("scales") or folded in self._ordinals:
            taken = word_number(cut, i, self.tongue, parts)
            if taken:
                return taken
        apart = self._apart(folded, cut, i)
        if apart is not None:
            self._emit(apart, piece, piece, parts, named=bool(speaker))
            return 1
        if self.english and folded in ("user", "user's") and self._is_bare_user(cut, i):
            self._emit((USER if folded == "user" else USERS,), piece, piece, parts, named=bool(speaker))
            return 1
        known = self._alone(piece.surface, folded)
        if folded not in self._heads and not self._depends(folded):
            if len(self._plain) >= _MEMO:
                self._plain.clear()
            self._plain[piece.surface] = known
        kind, form, number = known
        parts.append(Part(kind, form, piece.start, piece.end, piece.tied, number, piece.surface))
        return 1

    def _depends(self, folded: str) -> bool:
        """Whether the word's form can hang on its neighbours."""
        if folded in ("user", "user's") or "'" in folded:
            return True
        return folded in self._numbers or folded in self._ordinals or folded in self.tongue.table("scales")

    def _alone(self, surface: str, folded: str) -> tuple[str, str, str]:
        """Kind, form and month number of a word by itself."""
        subject = self._subject.get(folded)
        if subject is not None:
            return ("subject", subject, "")
        if _CAMEL.match(surface) and surface.isascii():
            return ("literal", surface, "")
        month = ""
        if folded in self._months and (not self.english or surface[0].isupper()):
            month = str(self._months[folded])
        alias = self._aliases.get(surface) or self._aliases.get(folded)
        return ("word", alias or self._agreement.get(folded, folded), month)

    def _emit(
        self, outputs: Sequence[str], first: Piece, last: Piece, parts: list[Part], *, named: bool
    ) -> None:
        """Put the words that a contraction or phrase stands for; each covers the whole of it."""
        for n, output in enumerate(outputs):
            surface = first.surface if n == 0 else output
            if output in _SUBJECT_FORMS:
                form = output if named else _SUBJECT_FORMS[output]
                parts.append(Part("subject", form, first.start, last.end, first.tied, "", surface))
            else:
                kind, form, number = self._alone(output, output)
                parts.append(Part(kind, form, first.start, last.end, first.tied, number, surface))

    def _is_phrase(self, cut: Sequence[Piece], i: int, words: Sequence[str]) -> bool:
        if i + len(words) > len(cut):
            return False
        return all(
            cut[i + n].kind in WORDS and fold(cut[i + n].surface) == word for n, word in enumerate(words) if n
        )

    def _is_compound(self, cut: Sequence[Piece], after: int, outputs: Sequence[str]) -> bool:
        """Whether *the user* only begins a noun such as *the user interface*."""
        if outputs[-1] != USER or after >= len(cut):
            return False
        following = cut[after]
        return following.tied or fold(following.surface) in self.tongue.words("subject_compounds")

    def _is_bare_user(self, cut: Sequence[Piece], i: int) -> bool:
        """Whether *user* without an article opens a sentence and a verb or a possession follows."""
        if i and cut[i - 1].kind not in ("mark", "break"):
            return False
        if i + 1 >= len(cut) or cut[i + 1].kind not in WORDS or cut[i + 1].tied:
            return False
        if fold(cut[i].surface) == "user's":
            return True
        following = fold(cut[i + 1].surface)
        if following in self.tongue.words("subject_compounds"):
            return False
        return (
            following in self._auxiliary
            or following in self.tongue.words("participles")
            or following.endswith(_VERB_ENDINGS)
            or following in self.tongue.negation
        )

    def _speaker(self, cut: Sequence[Piece], i: int, parts: list[Part], speaker: tuple[str, ...]) -> int:
        """Take the speaker's name, whole or its first word, as the subject."""
        if not cut[i].surface[:1].isupper() and cut[i].surface.lower() != cut[i].surface.upper():
            return 0
        for length in {len(speaker): 0, 1: 0}:
            if i + length > len(cut) or any(cut[i + n].kind not in WORDS for n in range(length)):
                continue
            words = [fold(cut[i + n].surface) for n in range(length)]
            owned = words[-1].endswith("'s")
            words[-1] = words[-1].removesuffix("'s")
            if tuple(words) == speaker[:length]:
                form = OWNED if owned else SUBJECT
                last = cut[i + length - 1]
                parts.append(Part("subject", form, cut[i].start, last.end, cut[i].tied, "", cut[i].surface))
                return length
        return 0

    def _apart(self, folded: str, cut: Sequence[Piece], i: int) -> Sequence[str] | None:
        """The words that a contraction or an elision stands for, or None."""
        found = self._contractions.get(folded)
        if found is not None:
            outputs: Sequence[str] = found
            return outputs
        if "'" not in folded:
            return None
        if self._elisions:
            head, _, rest = folded.partition("'")
            if head in self._elisions and rest:
                return (*self._elisions[head], rest)
            return None
        return self._english_apart(folded, cut, i) if self.english else None

    def _english_apart(self, folded: str, cut: Sequence[Piece], i: int) -> Sequence[str] | None:
        base, _, ending = folded.rpartition("'")
        if not base:
            return None
        plain = self._endings.get(ending)
        if plain is not None:
            return (base, str(plain))
        if ending == "t" and base.endswith("n"):
            return (base[:-1], "not")
        following = self._following(cut, i)
        done = following in self._participles or following.endswith("ed")
        if ending == "d":
            return (base, "had" if done or following == "better" else "would")
        if ending != "s":
            return None
        if base in self.tongue.words("takes_is"):
            return (base, "have" if done else "is")
        if following == "been":
            return (base, "have")
        if following in self.tongue.words("after_is"):
            return (base, "is")
        gerund = following.endswith("ing") and self._following(cut, i + 1) in self.tongue.words(
            "after_gerund"
        )
        return (base, "is") if gerund else None

    @staticmethod
    def _following(cut: Sequence[Piece], i: int) -> str:
        """The casefolded word after ``i``, or nothing where a mark, a literal or a compound stands there."""
        if i + 1 >= len(cut) or cut[i + 1].kind not in WORDS:
            return ""
        if i + 2 < len(cut) and cut[i + 2].tied:
            return ""
        return fold(cut[i + 1].surface)


def is_symbol(char: str) -> bool:
    """Whether a character is a picture, such as an emoji, which says something by itself."""
    return char > "~" and unicodedata.category(char) == "So"


def speaker_words(speaker: str | None) -> tuple[str, ...]:
    """The casefolded words of a speaker's name; empty for the user or for nobody."""
    if speaker is None:
        return ()
    words = tuple(fold(word) for word in speaker.split()[:_LONGEST_NAME])
    return () if words in (("user",), ("the", "user"), ("human",), ("me",), ("i",)) else words
