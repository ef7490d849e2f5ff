"""Give the participle of a present passive with *by* the stem of its verb: *is called by* beside *calls*.

Only the stem changes, so that content agrees; the form still says that it is a passive. MEASURES.md, "Passives".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nocturne.core.text.lexicon import Tongue
from nocturne.core.text.naming import ENDS
from nocturne.core.text.parts import Part

_BE = frozenset({"is", "be"})
_BETWEEN = 2
"""Words that may stand between *is* and the participle, such as *not* or *usually*."""


def verb_stems(parts: Sequence[Part], tongue: Tongue) -> Iterator[tuple[int, str]]:
    """Where the participles of present passives stand, and the stems of their verbs."""
    bases = tongue.table("participle_bases")
    agent = False
    for i in range(len(parts) - 1, -1, -1):
        part = parts[i]
        if part.form == "by":
            agent = True
        elif part.form in ENDS:
            agent = False
        elif agent and part.kind == "word" and part.form in bases and _is_after_be(parts, i, tongue):
            yield i, str(bases[part.form])


def _is_after_be(parts: Sequence[Part], i: int, tongue: Tongue) -> bool:
    """Whether *is* or *be* stands before, with at most two adverbs or negations between."""
    for at in range(i - 1, max(-1, i - 2 - _BETWEEN), -1):
        form = parts[at].form
        if form in _BE:
            return True
        if parts[at].kind != "word" or not (form in tongue.function or form.endswith("ly")):
            return False
    return False
