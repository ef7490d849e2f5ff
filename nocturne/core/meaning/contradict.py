"""Whether a later statement puts an end to an earlier one."""

from __future__ import annotations

from collections.abc import Collection

from nocturne.core.meaning.finding import Fails, Finding, Holds, Said, guarded
from nocturne.core.text.lexicon import Lexicon


def attribute_of(text: str, lexicon: Lexicon, speaker: str | None = None) -> tuple[str, str, str] | None:  # noqa: ARG001
    """Subject, attribute and value, where the text states one of the known attributes."""
    return None


def clash_key(said: Said, *, lexicon: Lexicon) -> tuple[tuple[str, ...], ...]:
    """What the text states that another text could deny: one key per attribute and per predicate."""
    found = attribute_of(said.text, lexicon, said.speaker)
    return ((found[1],),) if found else ()


@guarded
def judge_contradict(
    old: Said, new: Said, *, lexicon: Lexicon, single_valued: Collection[str], same_source: bool = False
) -> Finding:
    """Holds where the new text is later and cannot be true beside the old one."""
    first, second = attribute_of(old.text, lexicon, old.speaker), attribute_of(new.text, lexicon, new.speaker)
    if first is None or second is None or first[:2] != second[:2]:
        return Fails("N234", {"before": old.text, "after": new.text})
    times = (old.occurred_at or old.said_at, new.occurred_at or new.said_at)
    if times[0] is None or times[1] is None:
        if not same_source:
            return Fails("N235", {})
    elif times[1] <= times[0]:
        return Fails("N232", {"old": str(times[0]), "new": str(times[1])})
    if first[1] not in single_valued or first[2] == second[2]:
        return Fails("N231", {"attribute": first[1]})
    return Holds("superseded", {"attribute": first[1]})
