"""The text that code itself makes of several sources, always one that the gate accepts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nocturne.core.meaning.finding import Holds, Said
from nocturne.core.meaning.merge import judge_merge
from nocturne.core.text.lexicon import Lexicon

_ENDS = ".!。！।"


def compose_merge(sources: Sequence[Said], *, lexicon: Lexicon) -> str | None:
    """The shortest composed text that says all of the sources; None where none does."""
    for text in _composed(sources):
        if isinstance(judge_merge(sources, text, lexicon=lexicon), Holds):
            return text
    return None


def _composed(sources: Sequence[Said]) -> Iterator[str]:
    texts = list(dict.fromkeys(said.text.strip() for said in sources))
    yield from sorted(texts, key=len, reverse=True)[:1]
    yield " ".join(text if text[-1:] in _ENDS else f"{text}." for text in texts)
