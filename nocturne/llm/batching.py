"""Cutting a brief into portions that fit a model, and a portion in two where a reply was cut."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from nocturne.app.asking import Unit
from nocturne.core.facts import Fact, Turn
from nocturne.passes.briefs import (
    AskBrief,
    Brief,
    Cluster,
    ContradictBrief,
    DedupeBrief,
    EncodeBrief,
    ForgetBrief,
    MergeBrief,
    PromoteBrief,
    QuizBrief,
    SchematiseBrief,
)

CONTEXT_TURNS = 6
"""Turns before a portion's first that are shown for reading, so that "there" and "she" can be understood."""
CONTEXT_CHARS = 4000
"""Characters that these may have together; they are only read, so the farthest are left out first."""
MOST_MEMBERS = 40
"""Members of one cluster that are shown: a pattern that so many typical ones do not show is none."""
LINE = 24
"""Tokens that an item's keys and ids take, beside its text."""


def least_tokens(text: str) -> int:
    """Fewer tokens than this no tokenizer makes of ordinary text: a quarter of its UTF-8 bytes."""
    return len(text.encode("utf-8", "surrogatepass")) // 4


def likely_tokens(text: str) -> int:
    """A cautious guess at the tokens of a text: a third of its UTF-8 bytes, rounded up."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 3)


@dataclass(frozen=True, slots=True)
class Portion:
    """A part of a brief that goes into one call. ``tokens`` is the likely size of its data."""

    brief: Brief
    units: tuple[Unit, ...]
    tokens: int
    depth: int = 0


def units(brief: Brief) -> tuple[Unit, ...]:
    """What is to be adjudicated, one tuple of ids each, in the brief's order."""
    match brief:
        case EncodeBrief():
            return tuple((turn.id,) for turn in brief.turns)
        case DedupeBrief():
            return tuple((pair.drop, pair.keep) for pair in brief.pairs)
        case ContradictBrief():
            return tuple((clash.old, clash.new) for clash in brief.clashes)
        case MergeBrief():
            return tuple(
                (union.into, *(i for i in union.sources if i != union.into)) for union in brief.unions
            )
        case PromoteBrief() | QuizBrief():
            return tuple((fact,) for fact in brief.facts)
        case AskBrief():
            # One question is one unit, whatever was found for it.
            return (tuple(brief.facts),) if brief.facts else ()
        case SchematiseBrief():
            return tuple(cluster.members for cluster in brief.clusters)
        case ForgetBrief():
            return tuple((candidate.fact,) for candidate in brief.candidates)
        case _:
            assert_never(brief)


def shown(brief: Brief) -> Brief:
    """The brief as a model sees it: of a large cluster those members that have most of its terms."""
    if not isinstance(brief, SchematiseBrief) or all(
        len(cluster.members) <= MOST_MEMBERS for cluster in brief.clusters
    ):
        return brief
    clusters = tuple(_typical(cluster, brief.facts) for cluster in brief.clusters)
    named = {member for cluster in clusters for member in cluster.members}
    return replace(brief, clusters=clusters, facts=_of(brief.facts, named))


def _typical(cluster: Cluster, facts: Mapping[int, Fact]) -> Cluster:
    def lacks(member: int) -> int:
        text = facts[member].text.casefold()
        return sum(term not in text for term in cluster.terms)

    best = sorted(cluster.members, key=lambda member: (lacks(member), member))[:MOST_MEMBERS]
    return replace(cluster, members=tuple(sorted(best)))


def narrow(brief: Brief, chosen: Sequence[int]) -> Brief:
    """The brief with only the units at these places, and only the facts that they name."""
    listed = units(brief)
    named = {identity for place in chosen for identity in listed[place]}
    match brief:
        case EncodeBrief():
            return _narrow_turns(brief, chosen)
        case DedupeBrief():
            return replace(brief, pairs=tuple(brief.pairs[i] for i in chosen), facts=_of(brief.facts, named))
        case ContradictBrief():
            return replace(
                brief, clashes=tuple(brief.clashes[i] for i in chosen), facts=_of(brief.facts, named)
            )
        case MergeBrief():
            return replace(
                brief, unions=tuple(brief.unions[i] for i in chosen), facts=_of(brief.facts, named)
            )
        case PromoteBrief() | QuizBrief() | AskBrief():
            return replace(brief, facts=_of(brief.facts, named))
        case SchematiseBrief():
            return replace(
                brief, clusters=tuple(brief.clusters[i] for i in chosen), facts=_of(brief.facts, named)
            )
        case ForgetBrief():
            return replace(
                brief, candidates=tuple(brief.candidates[i] for i in chosen), facts=_of(brief.facts, named)
            )
        case _:
            assert_never(brief)


def _of(facts: Mapping[int, Fact], named: set[int]) -> dict[int, Fact]:
    return {identity: facts[identity] for identity in facts if identity in named}


def _narrow_turns(brief: EncodeBrief, chosen: Sequence[int]) -> EncodeBrief:
    if not chosen:
        return replace(brief, turns=())
    before = [*brief.context, *brief.turns[: chosen[0]]]
    shown: list[Turn] = []
    room = CONTEXT_CHARS
    for turn in reversed(before[-CONTEXT_TURNS:]):
        room -= len(turn.text)
        if room < 0:
            break
        shown.insert(0, turn)
    return replace(brief, turns=tuple(brief.turns[place] for place in chosen), context=tuple(shown))


def _texts(brief: Brief) -> dict[int, int]:
    """The likely tokens of each fact's or turn's text, by id."""
    entries: Iterable[Fact | Turn] = brief.turns if isinstance(brief, EncodeBrief) else brief.facts.values()
    return {entry.id: likely_tokens(entry.text) + LINE for entry in entries}


def portions(brief: Brief, *, budget: int, most: int) -> list[Portion]:
    """The brief in portions of at most ``most`` units and likely ``budget`` tokens of data.

    A unit that is larger than the budget alone gets a portion of its own; whoever sends it decides.
    """
    listed, sizes = units(brief), _texts(brief)
    made: list[Portion] = []
    chosen: list[int] = []
    named: set[int] = set()
    total = 0
    for place, unit in enumerate(listed):
        fresh = set(unit) - named
        cost = LINE + sum(sizes.get(identity, 0) for identity in fresh)
        if chosen and (len(chosen) >= most or total + cost > budget):
            made.append(_portion(brief, chosen, total))
            chosen, named, total = [], set(), 0
            cost = LINE + sum(sizes.get(identity, 0) for identity in set(unit))
        chosen.append(place)
        named |= set(unit)
        total += cost
    if chosen:
        made.append(_portion(brief, chosen, total))
    return made


def _portion(brief: Brief, chosen: Sequence[int], tokens: int, depth: int = 0) -> Portion:
    part = narrow(brief, chosen)
    return Portion(part, units(part), tokens, depth)


def halves(portion: Portion) -> tuple[Portion, Portion] | None:
    """The portion in two, or None where it holds a single unit."""
    count = len(portion.units)
    if count < 2:
        return None
    middle = count // 2
    first, second = range(middle), range(middle, count)
    return (
        _portion(portion.brief, first, portion.tokens // 2, portion.depth + 1),
        _portion(portion.brief, second, portion.tokens - portion.tokens // 2, portion.depth + 1),
    )
