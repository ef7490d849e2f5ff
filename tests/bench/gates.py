"""Goal 6: what the gates accept of nominated pairs whose truth is known, beside lexical rules alone."""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any

from nocturne.app.lexicons import default_lexicon
from nocturne.core.candidates import nominate_pairs
from nocturne.core.facts import Fact
from nocturne.core.meaning import Holds, Said, judge_drop
from nocturne.core.text.measures import content
from tests import seedrules
from tests.bench.child import Meter
from tests.bench.told import told

FLOOR = Fraction(9, 10)


def judged(meter: Meter, count: int) -> dict[str, Any]:
    """Nominate and judge made sentences.

    A pair is a true duplicate where both say the same and the dropped content is contained in the kept one;
    it is a swap where both share a template and differ in a slot.
    """
    texts = told(count)
    lexicon = default_lexicon()
    facts = {id_: Fact(id_, made.text, "scratch", "fact", id_) for id_, made in enumerate(texts, 1)}
    sets = {id_: content(fact.text, lexicon) for id_, fact in facts.items()}
    found = dict.fromkeys(("swaps", "swaps_taken", "swaps_taken_by_rules", "duplicates", "lost"), 0)
    with meter.running():
        for drop, keep, _, _ in nominate_pairs(facts.values(), sets, FLOOR):
            gone, kept = facts[drop].text, facts[keep].text
            verdict = judge_drop(Said(gone), Said(kept), floor=FLOOR, lexicon=lexicon)
            if texts[drop - 1].meaning != texts[keep - 1].meaning:
                found["swaps"] += 1
                found["swaps_taken"] += isinstance(verdict, Holds)
                found["swaps_taken_by_rules"] += seedrules.accepts_drop(gone, kept)
            elif sets[drop] <= sets[keep]:
                found["duplicates"] += 1
                found["lost"] += not isinstance(verdict, Holds)
    return {**found, "unnominated": _unnominated(facts, sets, [made.meaning for made in texts])}


def _unnominated(
    facts: dict[int, Fact], sets: dict[int, frozenset[str]], meanings: list[tuple[str, ...]]
) -> int:
    """True duplicates of an earlier sentence that meet no other in any nominated pair."""
    seen = {id_ for pair in nominate_pairs(facts.values(), sets, FLOOR) for id_ in pair[:2]}
    first: dict[tuple[str, ...], int] = {}
    return sum(first.setdefault(said, id_) != id_ and id_ not in seen for id_, said in enumerate(meanings, 1))


def tokenised(meter: Meter, count: int) -> dict[str, Any]:
    """Content sets of made sentences, each read for the first time."""
    texts = [made.text for made in told(count, seed=2, duplicates=0.0, swaps=0.0)]
    lexicon = default_lexicon()
    content("Nobody moved the kiln.", lexicon)
    start = time.perf_counter()
    with meter.running():
        for text in texts:
            content(text, lexicon)
    return {"each": (time.perf_counter() - start) / count}
