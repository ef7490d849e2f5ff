"""Whether one fact may be dropped because another says it."""

from __future__ import annotations

from fractions import Fraction

from nocturne.core.meaning.alike import Rewrites, same
from nocturne.core.meaning.finding import Fails, Finding, Holds, Said, guarded
from nocturne.core.meaning.guards import (
    cased,
    difference,
    folded_names,
    same_source,
    shown,
    tied,
    unfit,
    verbatim,
)
from nocturne.core.meaning.reading import Reading, read
from nocturne.core.meaning.support import contained
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
    one, two = analyse(drop.text, lexicon), analyse(keep.text, lexicon)
    small = min(len(one.content), len(two.content))
    if not small:
        return Fails("N110", {"found": "no content word"})
    shared = len(one.content & two.content)
    share = f"{shared}/{small}"
    if refused := unfit(one) or unfit(two):
        return refused
    if shared * floor.denominator < floor.numerator * small:
        return Fails("N201", {"similarity": share, "floor": f"{floor.numerator}/{floor.denominator}"})
    first, second = read(drop.text, lexicon, drop.speaker), read(keep.text, lexicon, keep.speaker)
    if not (one.content <= two.content and one.values <= two.values):
        return _difference(first, second)
    if lost := folded_names(one, two) - folded_names(two, one):
        return Fails("N213", {"before": sorted(lost), "after": "nothing"})
    if refused := cased(one, two) or tied(one, two):
        return refused
    rewrites = _says(first, second)
    if rewrites is None:
        return _difference(first, second)
    if one.content < two.content and len(one.content) < smallest_subset and not adjudicated:
        return Fails("N220", {"found": len(one.content), "limit": smallest_subset})
    evidence: dict[str, object] = {"similarity": share, "rewrites": list(rewrites)}
    if not first.grammar.known:
        evidence["judged"] = "verbatim only"
    return Holds("duplicate", evidence)


def _says(first: Reading, second: Reading) -> Rewrites | None:
    """The rewrites by which the second text says the first one."""
    if _opposed(first, second):
        return None
    if not (first.grammar.known and second.grammar.known):
        return _NO_REWRITES if verbatim(first.analysis, second.analysis) else None
    found = same(first, second)
    if found is not None:
        return found
    return contained(first, second)


def _opposed(first: Reading, second: Reading) -> bool:
    """Whether two single sentences differ in a negation or a condition: no rewrite adds or takes one."""
    if len(first.sentences) != 1 or len(second.sentences) != 1:
        return False
    marks = first.grammar.opposing
    if marks.isdisjoint(first.words) and marks.isdisjoint(second.words):
        return False
    one = [word for word in first.words if word in marks]
    two = [word for word in second.words if word in marks]
    return one != two and sorted(one) != sorted(two)


_NO_REWRITES: Rewrites = ()


def _difference(first: Reading, second: Reading) -> Fails:
    found = difference(first, second, superset=True)
    if found.code == "N101":
        return Fails(
            "N202", {"lost": shown(first.analysis, first.analysis.content - second.analysis.content)}
        )
    return found
