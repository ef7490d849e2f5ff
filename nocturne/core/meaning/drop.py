"""Whether one fact may be dropped because another says it."""

from __future__ import annotations

from fractions import Fraction

from nocturne.core.meaning.finding import Fails, Finding, Holds, Said, guarded
from nocturne.core.meaning.same import same_source, shown, unlike
from nocturne.core.text.analysis import analyse
from nocturne.core.text.lexicon import Lexicon


@guarded
def judge_drop(
    drop: Said,
    keep: Said,
    *,
    floor: Fraction,
    lexicon: Lexicon,
    smallest_subset: int = 4,
    adjudicated: bool = True,
) -> Finding:
    """Holds where ``keep`` says everything that ``drop`` says, of the same subject, and nothing against it."""
    if refused := same_source((drop, keep)):
        return refused
    first = analyse(drop.text, lexicon, drop.speaker)
    second = analyse(keep.text, lexicon, keep.speaker)
    small = min(len(first.content), len(second.content))
    if not small:
        return Fails("N110", {"found": "no content word"})
    shared = len(first.content & second.content)
    similarity = Fraction(shared, small)
    share = f"{shared}/{small}"
    if similarity < floor:
        return Fails("N201", {"similarity": share, "floor": f"{floor.numerator}/{floor.denominator}"})
    if refused := unlike(first, second, lexicon, superset=True):
        return refused
    if lost := first.content - second.content:
        return Fails("N202", {"lost": shown(first, lost)})
    if first.content < second.content and len(first.content) < smallest_subset and not adjudicated:
        return Fails("N220", {"found": len(first.content), "limit": smallest_subset})
    return Holds("duplicate", {"similarity": share})
