"""Whether a merged text says what its sources say, and the text that code itself makes of them."""

from __future__ import annotations

from collections.abc import Sequence

from nocturne.core.meaning.finding import Fails, Finding, Holds, Said, guarded
from nocturne.core.meaning.guards import same_source, shown
from nocturne.core.text.analysis import analyse
from nocturne.core.text.lexicon import Lexicon


@guarded
def judge_merge(
    sources: Sequence[Said], text: str, *, lexicon: Lexicon, single_valued: Sequence[str] = ()  # noqa: ARG001
) -> Finding:
    """Holds where every clause of the text is one source's, and every clause of every source is in the text."""
    if refused := same_source(sources):
        return refused
    whole = analyse(text, lexicon, sources[0].speaker)
    parts = [analyse(said.text, lexicon, said.speaker) for said in sources]
    for part in parts:
        if lost := part.content - whole.content:
            return Fails("N221", {"lost": shown(part, lost)})
    if missing := whole.content - frozenset().union(*(part.content for part in parts)):
        return Fails("N101", {"missing": shown(whole, missing)})
    left = list(whole.words)
    for part in parts:
        size = len(part.words)
        if not any(tuple(left[at : at + size]) == part.words for at in range(len(left))):
            return Fails("N218", {"clause": part.text})
    return Holds("merge")


def compose_merge(sources: Sequence[Said], *, lexicon: Lexicon) -> str | None:  # noqa: ARG001
    """The sources one after the other; None where one of them asks."""
    texts = [said.text.strip() for said in sources]
    if any(text.endswith("?") for text in texts):
        return None
    return " ".join(text if text.endswith((".", "!", "。")) else f"{text}." for text in dict.fromkeys(texts))
