"""How much an episode matters, from the turns that were read with it; what survives a repetition matters more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from nocturne.core.facts import Fact, Turn
from nocturne.core.importance import MOST, asks, corrects, importance, observed
from nocturne.passes.scene import Scene, Session

AHEAD = 400
"""Turns after the cited one that are looked at: what mattered is taken up again before long."""
LONGEST = 2_000
"""Characters beyond which a turn is no mention of one fact, and is not read for it."""
_HEAD = 4


def sessions(turns: Mapping[int, Turn]) -> Mapping[Session, tuple[Turn, ...]]:
    """The turns of each session, in their order."""
    found: dict[Session, list[Turn]] = defaultdict(list)
    for turn in turns.values():
        found[turn.source, turn.session].append(turn)
    return {
        session: tuple(sorted(held, key=lambda turn: (turn.position, turn.id)))
        for session, held in found.items()
    }


def weighed(scene: Scene, fact: Fact) -> int | None:
    """The importance of an episode, 1 to 10; None for other facts, which live on whatever they weigh."""
    if fact.category != "event":
        return None
    cited = [scene.turns[span.turn] for span in fact.sources if span.turn in scene.turns]
    if not cited:
        return None
    content = scene.content(fact.text)
    first = cited[0]
    held = scene.sessions.get((first.source, first.session), ())
    place = next((at for at, turn in enumerate(held) if turn.id == first.id), 0)
    near = held[place : place + AHEAD]
    heads = [word[:_HEAD] for word in content]
    words: dict[int, frozenset[str]] = {}
    for turn in near:
        telling = turn.id != first.id and len(turn.text) <= LONGEST and turn.provenance == "human"
        folded = turn.text.casefold() if telling else ""
        telling = telling and (
            all(head in folded for head in heads) or asks(turn.text) or corrects(turn.text)
        )
        words[turn.id] = scene.content(turn.text) if telling else frozenset()
    return importance(observed(fact, content, near, words))


def repeated(facts: Sequence[Fact]) -> int | None:
    """The importance of what was said more than once: the most of theirs, and one for the repetition."""
    known = [fact.importance for fact in facts if fact.importance is not None]
    return min(MOST, max(known) + 1) if known else None


def joined(facts: Sequence[Fact]) -> int | None:
    """The importance of what several facts were merged into: the most of theirs."""
    return max((fact.importance for fact in facts if fact.importance is not None), default=None)
