"""Where sentences begin and end, and which capitals make a name.

The rules are part of the measures: MEASURES.md, section "Sentences and names".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from nocturne.core.text.folding import fold
from nocturne.core.text.lexicon import Tongue
from nocturne.core.text.parts import Part
from nocturne.core.text.stemming import bare

Kind = Literal["word", "name", "value", "subject", "punct"]
_ENDS = frozenset(".!?。！？؟।॥．")
_OPENERS = frozenset("“«„「『‹¿¡•")
_TURNING = frozenset("\"'")
_BULLETS = frozenset("-*+—•·")
_BEFORE_OPENING = frozenset(" \n([{—/")
_CAMEL = re.compile(r"[a-z]+[A-Z]")
_VALUES = frozenset({"number", "literal", "clock", "scaled", "range", "money", "stamp", "date", "operator"})


def kind_of(part: Part) -> Kind | None:
    """The token kind of a part before names are told from words; None for what leaves no token."""
    if part.kind in ("word", "unspaced", "symbol"):
        return "word"
    if part.kind in ("subject",):
        return "subject"
    if part.kind in _VALUES:
        return "value"
    if part.kind == "ordinal":
        return "value" if part.form[:1].isdigit() else "word"
    return None if part.kind == "break" else "punct"


def sentences_and_names(
    parts: Sequence[Part], cleaned: str, tongue: Tongue
) -> tuple[list[tuple[int, int]], frozenset[str], frozenset[str], list[Kind | None]]:
    """Part ranges of sentences, names, sentence-initial capitals, and the kind of each part's token."""
    no_names = tongue.no_names
    abbreviations = tongue.words("abbreviations")
    spans: list[tuple[int, int]] = []
    kinds: list[Kind | None] = []
    names: set[str] = set()
    initials: set[str] = set()
    begun, initial, ended = 0, True, False
    for i, part in enumerate(parts):
        kind = kind_of(part)
        if kind == "punct":
            form = part.form
            if form in _ENDS:
                if not (form == "." and i and _is_abbreviation(parts[i - 1], abbreviations)):
                    ended = initial = True
            elif form == ":" or form in _OPENERS or (form in _TURNING and _opens(part, cleaned)):
                initial = True
            elif form == ")" and i - begun == 1 and parts[begun].kind == "number":
                initial = True
        elif kind is None:
            if i > begun:
                spans.append((begun, i))
            begun, initial, ended = i, True, False
        else:
            if ended:
                spans.append((begun, i))
                begun, ended = i, False
            surface = part.surface
            if kind == "word" and surface and part.kind == "word":
                if surface != surface.lower() and _is_name(surface, part, no_names):
                    shown = bare(surface)
                    if not initial or _is_loud(shown) or _acts(parts, i, tongue):
                        names.add(shown)
                        kind = "name"
                    else:
                        initials.add(shown)
            elif kind == "value" and surface and _CAMEL.match(surface):
                names.add(surface)
            initial = False
        kinds.append(kind)
    if len(parts) > begun:
        spans.append((begun, len(parts)))
    return spans, frozenset(names), frozenset(initials), kinds


def _is_name(surface: str, part: Part, no_names: frozenset[str]) -> bool:
    """Whether a word with a capital can be a name at all."""
    folded = fold(bare(surface))
    if folded in no_names or part.form in no_names or not bare(surface):
        return False
    return any(char.isupper() for char in surface) and (surface[0].isupper() or _is_loud(surface))


def _is_loud(surface: str) -> bool:
    """Whether a word is all capitals (two or more) or has one inside."""
    return any(char.isupper() for char in surface[1:])


def _acts(parts: Sequence[Part], i: int, tongue: Tongue) -> bool:
    """Whether a sentence-initial word does what a name does: *Marco moved to*, where a noun needs its article."""
    endings = tongue.entries("name_verb_endings")
    if not endings or i + 1 >= len(parts) or parts[i].surface.lower().endswith("s"):
        return False
    verb = parts[i + 1]
    if verb.kind != "word" or verb.tied or not verb.form.endswith(endings) or verb.form in tongue.function:
        return False
    if i + 2 >= len(parts):
        return True
    after = parts[i + 2]
    return after.kind in ("mark", "subject") or after.form in tongue.words("directions") | tongue.words(
        "determiners"
    )


def _is_abbreviation(part: Part, abbreviations: frozenset[str]) -> bool:
    """Whether a dot after this word ends no sentence: *Dr*, *no*, or an initial such as *J*."""
    if part.kind != "word":
        return False
    return part.surface.lower() in abbreviations or (
        len(part.surface) == 1 and part.surface.isupper() and part.surface != "I"
    )


def _opens(part: Part, cleaned: str) -> bool:
    """Whether a straight quote opens: nothing, a space or a bracket stands before it."""
    return part.start == 0 or cleaned[part.start - 1] in _BEFORE_OPENING
