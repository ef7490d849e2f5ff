"""How a store measures the texts that it indexes: by the very content words that the gates see."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from nocturne.core.digest import canonical, plain
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.text.measures import MEASURES_VERSION, content
from nocturne.store.search import Measures


def measures_of(lexicon: Lexicon) -> Measures:
    """The measures of this version under a lexicon, which the store keeps by its digest."""

    def denied(text: str, speaker: str | None) -> Sequence[Sequence[str]]:
        # Only who writes needs the meaning gates: a recall does not wait for them to load.
        from nocturne.core.meaning import Said, clash_key

        return clash_key(Said(text, speaker=speaker), lexicon=lexicon)

    return Measures(
        version=str(MEASURES_VERSION),
        lexicon=lambda: _document(lexicon),
        tokenise=lambda text: sorted(content(text, lexicon)),
        denied=denied,
    )


@lru_cache(maxsize=4)
def _document(lexicon: Lexicon) -> str:
    return canonical(plain(lexicon.to_json()))
