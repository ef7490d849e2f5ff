"""Where sentences end, and which capitals make a name.

The rules are part of the measures: MEASURES.md, section "Sentences and names".
"""

from __future__ import annotations

from collections.abc import Sequence

from nocturne.core.text.lexicon import Tongue
from nocturne.core.text.parts import Part

ENDS = frozenset(".!?。！？؟।॥")


def ends(part: Part, before: Part | None, abbreviations: frozenset[str]) -> bool:
    """Whether a mark ends a sentence; a dot after *Dr* or after an initial such as *J* does not."""
    if part.form not in ENDS:
        return False
    if part.form != "." or before is None or before.kind != "word":
        return True
    surface = before.surface
    return surface.lower() not in abbreviations and not (len(surface) == 1 and surface.isupper())


def acts(parts: Sequence[Part], i: int, tongue: Tongue) -> bool:
    """Whether a sentence-initial word does what a name does: *Marco moved to*, where a noun needs its article."""
    endings = tongue.name_verb_endings
    if not endings or i + 1 >= len(parts) or parts[i].surface[-1:] in "sS":
        return False
    verb = parts[i + 1]
    if verb.kind != "word" or verb.tied or not verb.form.endswith(endings) or verb.form in tongue.function:
        return False
    if i + 2 >= len(parts):
        return True
    after = parts[i + 2]
    if after.kind in ("mark", "subject"):
        return True
    return after.form in tongue.words("directions") or after.form in tongue.words("determiners")
