"""Take contractions and elisions apart: *don't*, *she'd gone*, *my aunt's moving*, *l'école*.

What stays open stays a possessive: MEASURES.md, section "Words".
"""

from __future__ import annotations

from collections.abc import Sequence

from nocturne.core.text.folding import fold
from nocturne.core.text.lexicon import Tongue
from nocturne.core.text.lexing import WORDS, Piece

_SHORTEST = 1
"""Letters that must follow a split beginning."""


class Contracting:
    """The contractions of one language."""

    def __init__(self, tongue: Tongue) -> None:
        self.whole = tongue.table("contractions")
        self._elisions = tongue.table("elisions")
        self._splits = tongue.splits
        self._endings = tongue.table("contracted_endings")
        self._participles = tongue.words("participles")
        self._after_has = tongue.words("after_has")
        self._takes_is = tongue.words("takes_is")
        self._after_is = tongue.words("after_is")
        self._after_gerund = tongue.words("after_gerund")

    def looks_on(self, folded: str) -> bool:
        """Whether what follows decides what a casefolded word stands for."""
        if folded in self.whole or self._elisions or not self._endings:
            return False
        return folded.endswith(("'s", "'d"))

    def is_swayed(self, folded: str, following: str) -> bool:
        """Whether a word behind one that looks on may make it stand for something else than it does at an end."""
        if folded.endswith("'d"):
            return following == "better" or following in self._participles or following.endswith("ed")
        if folded[:-2] in self._takes_is:
            return following in self._after_has
        return following == "been" or following in self._after_is or following.endswith("ing")

    def read(self, folded: str, pieces: Sequence[Piece], i: int) -> Sequence[str] | None:
        """The words that the casefolded piece at ``i`` stands for, or None where it is one word."""
        found: Sequence[str] | None = self.whole.get(folded)
        if found is not None:
            return found
        for whole, first, second in self._splits:
            if folded.startswith(whole) and len(folded) > len(whole) + _SHORTEST:
                return (first, second + folded[len(whole) :])
        if self._elisions:
            head, _, rest = folded.partition("'")
            return (*self._elisions[head], rest) if head in self._elisions and rest else None
        base, _, ending = folded.rpartition("'")
        if not self._endings or not base:
            return None
        plain = self._endings.get(ending)
        if plain is not None:
            return (base, str(plain))
        if ending == "t" and base.endswith("n"):
            return (base[:-1], "not")
        following = _word_after(pieces, i)
        done = following in self._participles or following.endswith("ed")
        if ending == "d":
            return (base, "had" if done or following == "better" else "would")
        return self._with_s(base, following, pieces, i) if ending == "s" else None

    def _with_s(self, base: str, following: str, pieces: Sequence[Piece], i: int) -> Sequence[str] | None:
        """*is* or *has* after a pronoun, or where what follows leaves nothing else; else a possessive."""
        if base in self._takes_is:
            return (base, "have" if following in self._after_has else "is")
        if following == "been":
            return (base, "have")
        if following in self._after_is:
            return (base, "is")
        gerund = following.endswith("ing") and _word_after(pieces, i + 1) in self._after_gerund
        return (base, "is") if gerund else None


def _word_after(pieces: Sequence[Piece], i: int) -> str:
    """The casefolded word after ``i``, or nothing where a mark, a literal or a compound stands there."""
    if i + 1 >= len(pieces) or pieces[i + 1].kind not in WORDS:
        return ""
    if i + 2 < len(pieces) and pieces[i + 2].tied:
        return ""
    return fold(pieces[i + 1].surface)
