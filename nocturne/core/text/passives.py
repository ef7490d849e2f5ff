"""Give the participle of a present passive with *by* the stem of its verb: *is called by* beside *calls*.

Only the stem changes, so that content agrees; the form still says that it is a passive. MEASURES.md, "Passives".
"""

from __future__ import annotations

from nocturne.core.text.lexicon import Tongue
from nocturne.core.text.naming import ENDS
from nocturne.core.text.parts import Line

_BE = frozenset({"is", "be"})
_BETWEEN = 2
"""Words that may stand between *is* and the participle, such as *not* or *usually*."""


def with_verb_stems(line: Line, tongue: Tongue) -> None:
    """Change the stems of the participles of present passives in place."""
    bases = tongue.table("participle_bases")
    parts = line.parts
    agent = False
    for i in range(len(parts) - 1, -1, -1):
        part = parts[i]
        if part.form == "by":
            agent = True
        elif part.form in ENDS:
            agent = False
        elif agent and part.kind == "word" and part.form in bases and _is_after_be(line, i, tongue):
            parts[i] = part._replace(stem=str(bases[part.form]))


def _is_after_be(line: Line, i: int, tongue: Tongue) -> bool:
    """Whether *is* or *be* stands before, with at most two adverbs or negations between."""
    for at in range(i - 1, max(-1, i - 2 - _BETWEEN), -1):
        form = line.parts[at].form
        if form in _BE:
            return True
        if line.parts[at].kind != "word" or not (form in tongue.function or form.endswith("ly")):
            return False
    return False
