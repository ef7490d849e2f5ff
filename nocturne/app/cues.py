"""Which of the lexicon's lists a code looks at, language by language: ``nocturne explain CODE --words``."""

from __future__ import annotations

from collections.abc import Mapping

from nocturne.app.lexicons import ORDER, default_lexicon

LISTS: Mapping[str, tuple[str, ...]] = {
    "N203": ("negation",),
    "N205": ("conditionals",),
    "N206": ("modals", "hedges"),
    "N207": ("quantifiers",),
    "N208": ("tense",),
    "N209": ("kin", "pronouns"),
    "N212": ("questions",),
    "N214": ("reporting",),
    "N215": ("connectives", "directions", "order"),
    "N216": ("comparison",),
    "N233": ("change_cues",),
}


def cues(code: str) -> list[tuple[str, tuple[str, ...]]]:
    """The lists of a code as ``("en negation", (words…))``; empty where it looks at no list of words."""
    lexicon = default_lexicon()
    found = []
    for language in ORDER:
        tongue = lexicon.of(language)
        for kind in LISTS.get(code, ()):
            phrases = (" ".join(phrase) for phrase in tongue.phrases_of(kind))
            words = tuple(sorted({*tongue.words(kind), *phrases}))
            if words:
                found.append((f"{language} {kind.replace('_', ' ')}", words))
    return found
