"""What two texts must share before their wording is even compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from nocturne.core.meaning.finding import Fails, Said
from nocturne.core.text.analysis import Analysis
from nocturne.core.text.lexicon import Lexicon

_ARTICLES = frozenset({"a", "an", "the"})


def same_source(texts: Sequence[Said]) -> Fails | None:
    """The refusal where the texts are of different speakers, subjects or events."""
    speakers = sorted({said.speaker or "" for said in texts})
    if len(speakers) > 1:
        return Fails("N210", {"speakers": [name or "the user" for name in speakers]})
    subjects = sorted({said.subject for said in texts if said.subject is not None})
    if len(subjects) > 1:
        return Fails("N209", {"subjects": subjects})
    moments = {said.occurred_at for said in texts if said.occurred_at is not None}
    if len(moments) > 1:
        return Fails("N230", {})
    return None


def shown(analysis: Analysis, stems: Iterable[str]) -> list[str]:
    """The words as written for each stem."""
    wanted = set(stems)
    written = {token.stem: token.surface for token in reversed(analysis.tokens) if token.stem in wanted}
    return [written.get(stem, stem) for stem in sorted(wanted)]


def unlike(first: Analysis, second: Analysis, lexicon: Lexicon, *, superset: bool) -> Fails | None:  # noqa: ARG001
    """The first guard that tells the two texts apart."""
    one, two = Counter(first.words), Counter(second.words)
    for word in _ARTICLES:
        one.pop(word, None)
        two.pop(word, None)
    gone, more = one - two, two - one
    if gone:
        return Fails("N202", {"lost": sorted(gone)})
    if more and not superset:
        return Fails("N101", {"missing": sorted(more)})
    it = iter(word for word in second.words if word not in _ARTICLES)
    if not all(word in it for word in first.words if word not in _ARTICLES):
        return Fails("N204", {"before": first.text, "after": second.text})
    return None
