"""Whether the cited turns say a fact."""

from __future__ import annotations

from collections.abc import Sequence

from nocturne.core.meaning.finding import Fails, Finding, Holds, Said, guarded
from nocturne.core.text.analysis import analyse
from nocturne.core.text.lexicon import Lexicon


@guarded
def judge_encode(
    turns: Sequence[Said], text: str, *, lexicon: Lexicon, subject: str | None = None, block: str = "scratch"  # noqa: ARG001
) -> Finding:
    """Holds where the text is a clause of the cited turns, with its subject spelled out."""
    for said in turns:
        if said.provenance not in ("human", "profile", "assistant"):
            return Fails("N104", {"provenance": said.provenance})
        if said.provenance == "assistant" and block != "persona":
            return Fails("N104", {"provenance": said.provenance})
    fact = analyse(text, lexicon, turns[0].speaker)
    said_words: set[str] = set()
    for said in turns:
        said_words |= {token.stem for token in analyse(said.text, lexicon, said.speaker).tokens}
    if missing := fact.content - said_words:
        return Fails("N101", {"missing": sorted(missing)})
    if text.rstrip().endswith("?"):
        return Fails("N212", {"found": text})
    return Holds("traceable")
