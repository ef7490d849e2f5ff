"""Merge: facts that belong together become one text, composed by code; nothing is lost and nothing invented."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from fractions import Fraction

from nocturne.core.candidates import Neighbours, keeper, nominate_unions
from nocturne.core.facts import DAY, Change, Fact, Link
from nocturne.core.lability import within
from nocturne.core.meaning import Fails, compose_merge, judge_merge
from nocturne.core.policy import exact
from nocturne.core.proposals import Merge as Proposed
from nocturne.core.proposals import Proposal
from nocturne.core.table import Some, shared
from nocturne.core.text.measures import similarity
from nocturne.core.verdicts import Accepted, Refused, Verdict
from nocturne.passes.activations import inherited
from nocturne.passes.briefs import MergeBrief, Union
from nocturne.passes.heir import home, most_protected
from nocturne.passes.said import said
from nocturne.passes.scene import Effect, Scene
from nocturne.passes.signals import joined
from nocturne.passes.standing import reasoned, same_space, standing

_WORTH_WORDS = Fraction(2, 3)
"""Of facts that code cannot say in one clause a model is asked only where they share so much of the smaller one."""
_LISTED = 6
"""Words of content in which facts of one list may differ at most: four that are compared, and a courtesy."""


class Merge:
    """One fact with its first id, and the others retired into it, in one mutation."""

    name = "merge"

    def ready(self, scene: Scene) -> Scene:
        """The scene as it is."""
        return scene

    def brief(self, scene: Scene) -> MergeBrief | None:
        """Pairs of one block near enough to be said together, that nobody has answered yet."""
        if scene.at_rest:
            return None
        facts = scene.before.facts
        sets = scene.contents()
        rules = scene.policy.merge
        near = nominate_unions(
            _companies(facts),
            sets,
            exact(rules.floor),
            per_fact=rules.candidates_per_fact,
            fresh=scene.fresh,
        )
        unions = [
            union
            for union in self._grown(scene, facts, sets, near)
            if self._key(scene, (union.into, *union.sources), None) not in scene.memo.known
        ]
        if scene.windows:
            paired = {_ids(union) for union in unions}
            unions += [union for union in self._refined(scene, facts, sets) if _ids(union) not in paired]
        if not unions:
            return None
        named = Some(facts, (id_ for union in unions for id_ in (union.into, *union.sources)))
        return MergeBrief(tuple(unions), named)

    def _refined(
        self, scene: Scene, facts: Mapping[int, Fact], sets: Mapping[int, frozenset[str]]
    ) -> Iterator[Union]:
        """Facts that were recalled, each with what was said of it while it was open to refinement."""
        said_then = sorted(
            (fact.said_at, fact.id)
            for fact in facts.values()
            if fact.block != "schemas"
            and fact.said_at is not None
            and (scene.fresh is None or fact.id in scene.fresh)
        )
        for id_ in sorted(scene.windows.keys() & facts.keys()):
            old = facts[id_]
            if old.block == "schemas":
                continue
            near: set[int] = set()
            for since, until in scene.windows[id_]:
                first = bisect_left(said_then, (since, 0))
                near.update(new for _, new in said_then[first : bisect_left(said_then, (until + 1, 0))])
            for other in sorted(near):
                union = self._refining(scene, old, facts[other], sets)
                if union is not None:
                    yield union

    def _refining(
        self, scene: Scene, old: Fact, new: Fact, sets: Mapping[int, frozenset[str]]
    ) -> Union | None:
        if not labile(scene, old, new) or _kin(old) != _kin(new) or not sets[old.id]:
            return None
        share = Fraction(len(sets[old.id] & sets[new.id]), len(sets[old.id]))
        if share < exact(scene.policy.merge.floor):
            return None
        if self._key(scene, (old.id, new.id), None) in scene.memo.known:
            return None
        composed = self._composed([old, new], scene)
        return None if composed is None else Union(old.id, (new.id,), composed, share)

    def _grown(
        self,
        scene: Scene,
        facts: Mapping[int, Fact],
        sets: Mapping[int, frozenset[str]],
        near: Iterable[Neighbours],
    ) -> list[Union]:
        """The pairs, best first; those that make one fact are grown into lists of several."""
        grown: dict[int, list[int]] = {}
        texts: dict[int, str] = {}
        apart: list[Union] = []
        for first, second, measure in near:
            into, other = keeper(facts[first], facts[second], sets)
            if into in grown and other in grown:
                continue
            known = grown.get(into) or grown.get(other)
            group = known or [into]
            wider = [*group, other if into in group else into]
            members = [facts[id_] for id_ in wider]
            few = sum(fact.originals for fact in members) <= scene.policy.merge.max_originals
            composed = (
                self._composed(members, scene) if few and _may_be_one(members, sets, scene) else None
            )
            if composed is not None:
                group[:] = wider
                for id_ in wider:
                    grown[id_] = group
                texts[group[0]] = composed
            elif known is None and measure >= _WORTH_WORDS:
                apart.append(Union(into, (other,), None, measure))
        groups = {group[0]: group for group in grown.values()}
        lists = [Union(first, tuple(group[1:]), texts[first]) for first, group in sorted(groups.items())]
        return lists + [union for union in apart if not {union.into, *union.sources} & grown.keys()]

    def _composed(self, members: Sequence[Fact], scene: Scene) -> str | None:
        return compose_merge([said(fact) for fact in members], lexicon=scene.lexicon, close=True)

    def gate(self, scene: Scene, proposal: Proposal) -> Verdict:
        """Standing ids of one block, subject and validity; a bounded text that its sources say whole."""
        if not isinstance(proposal, Proposed):
            return Refused(proposal, "N001", {"found": f"a {proposal.kind} in the merge pass"})
        if len(set(proposal.sources)) < len(proposal.sources) or proposal.into in proposal.sources:
            return Refused(proposal, "N005", {"fact": f"m{proposal.into}"})
        if not proposal.sources:
            return Refused(proposal, "N012", {"found": 1, "needed": 2})
        if refused := standing(scene, proposal, proposal.into, *proposal.sources) or reasoned(proposal):
            return refused
        members = [scene.facts[id_] for id_ in (proposal.into, *proposal.sources)]
        if refused := same_space(proposal, *members) or self._alike(scene, proposal, members):
            return refused
        # What the engine proposes by rule must make one fact of several; a proposer may know of a looser bond.
        composed = compose_merge(
            [said(fact) for fact in members], lexicon=scene.lexicon, close=not scene.adjudicated
        )
        text = proposal.text if proposal.text is not None else composed
        if text is None:
            return Refused(proposal, "N228", {"facts": [f"m{fact.id}" for fact in members]})
        if scene.tombstones.holds(scene.content(text)):
            return Refused(proposal, "N105", {})
        rules = scene.policy.merge
        if text != composed and not rules.model_text:
            return Refused(proposal, "N229", {"policy": scene.policy.name})
        absorbed = text in {fact.text for fact in members}
        count = sum(fact.originals for fact in members)
        if count > rules.max_originals and not absorbed:
            return Refused(proposal, "N224", {"found": count, "limit": rules.max_originals})
        if len(text) > rules.max_chars and not absorbed:
            return Refused(proposal, "N223", {"found": len(text), "limit": rules.max_chars})
        found = judge_merge(
            [said(fact) for fact in members],
            text,
            lexicon=scene.lexicon,
            single_valued=scene.policy.contradict.single_valued,
        )
        if isinstance(found, Fails):
            return Refused(proposal, found.code, found.evidence)
        return self._apart(scene, proposal, members) or Accepted(
            proposal,
            "merge:composed" if text == composed else "merge:model",
            {**found.evidence, "text": text, **_refines(scene, members)},
        )

    def _apart(self, scene: Scene, proposal: Proposed, members: Sequence[Fact]) -> Refused | None:
        """The refusal of facts that share no more than their subject, whatever the words that join them."""
        floor = exact(scene.policy.merge.floor)
        low = min(
            similarity(members[0].text, fact.text, scene.lexicon) or Fraction(0) for fact in members[1:]
        )
        if low >= floor or self._composed(members, scene) is not None:
            return None
        measure = f"{low.numerator}/{low.denominator}"
        return Refused(
            proposal, "N225", {"similarity": measure, "floor": f"{floor.numerator}/{floor.denominator}"}
        )

    def _alike(self, scene: Scene, proposal: Proposed, members: Sequence[Fact]) -> Refused | None:
        blocks = sorted({home(fact) for fact in members})
        if len(blocks) > 1:
            return Refused(proposal, "N011", {"blocks": blocks})
        subjects = sorted({fact.subject for fact in members})
        if len(subjects) > 1:
            return Refused(proposal, "N209", {"subjects": subjects})
        if len({(fact.valid_from, fact.valid_until) for fact in members}) > 1:
            return Refused(proposal, "N226", {"facts": [f"m{fact.id}" for fact in members]})
        moments = {fact.occurred_at for fact in members if fact.occurred_at is not None}
        if len(moments) > 1 or (len({_day(fact) for fact in members}) > 1 and not _refines(scene, members)):
            return Refused(proposal, "N230", {"facts": [f"m{fact.id}" for fact in members]})
        return None

    def apply(self, scene: Scene, accepted: Accepted) -> Effect:
        """``into`` takes the text; the others are retired into it."""
        proposal = accepted.proposal
        if not isinstance(proposal, Proposed):
            return Effect()
        members = [scene.facts[id_] for id_ in (proposal.into, *proposal.sources)]
        first = members[0]
        text = str(accepted.evidence["text"])
        absorbed = text in {fact.text for fact in members}
        merged = replace(
            first,
            text=text,
            category=most_protected(members, scene.policy),
            trust=min(fact.trust for fact in members),
            confirmed_at=max(fact.learned_at for fact in members),
            occurred_at=next((f.occurred_at for f in members if f.occurred_at is not None), None),
            occurred_grain=next((f.occurred_grain for f in members if f.occurred_at is not None), None),
            pinned=any(fact.pinned for fact in members),
            importance=joined(members),
            attribute=first.attribute if len({fact.attribute for fact in members}) == 1 else None,
            originals=max(f.originals for f in members) if absorbed else sum(f.originals for f in members),
            sources=tuple(dict.fromkeys(span for fact in members for span in fact.sources)),
        )
        gone = [
            Change(fact, replace(fact, active=False, retired_by="merge", successor=first.id))
            for fact in members[1:]
        ]
        return Effect(
            changes=(Change(first, merged), *gone),
            links=tuple(Link(first.id, fact.id, "merged-from") for fact in members),
            activations=inherited(merged, members, scene.strengths, scene.now, scene.policy.strength.law),
        )

    def backstop(
        self, scene: Scene, brief: MergeBrief | None, settled: AbstractSet[tuple[int, ...]]
    ) -> Iterable[Proposal]:
        """Where tonight's merges left two texts at or above the duplicate floor, the question is put and kept."""
        if scene.round == 1:
            return
        floor = exact(scene.policy.dedupe.floor)
        for union in brief.unions if brief else ():
            ids = (union.into, *union.sources)
            if union.similarity is None or union.similarity < floor or tuple(sorted(ids)) in settled:
                continue
            if not any(id_ in scene.consumed for id_ in ids):
                yield Proposed(
                    into=union.into, sources=union.sources, reason="at or above the duplicate floor"
                )

    def memo(self, scene: Scene, proposal: Proposal) -> str | None:
        """Keyed on the sources' texts without order: a refused wording answers for the union."""
        if not isinstance(proposal, Proposed):
            return None
        return self._key(scene, (proposal.into, *proposal.sources), proposal.text)

    def _key(self, scene: Scene, ids: Iterable[int], text: str | None) -> str:
        facts = scene.before.facts
        return scene.memo.key(self.name, "merge", sorted(facts[id_].text for id_ in ids if id_ in facts))


def _may_be_one(members: Sequence[Fact], sets: Mapping[int, frozenset[str]], scene: Scene) -> bool:
    """Whether facts, of which all but the last make one clause, can make one with the last as well.

    Either one says all that the others say, or they begin with the same words and end in a few of their own. Most can
    do neither, and finding that out by reading them is dear.
    """
    *others, last = members
    spare = scene.content(members[0].speaker) if members[0].speaker else frozenset[str]()
    held = {fact.id: sets[fact.id] for fact in members}
    if any(all(words - spare <= whole for words in held.values()) for whole in held.values()):
        return True
    return all(_may_be_listed(fact, last, held, spare) for fact in others)


def _may_be_listed(
    one: Fact, two: Fact, sets: Mapping[int, frozenset[str]], spare: frozenset[str]
) -> bool:
    first, second = sets[one.id] - spare, sets[two.id] - spare
    begun = 0
    for word, other in zip(one.text.casefold().split(), two.text.casefold().split(), strict=False):
        if word != other:
            break
        if not word.isalpha() or not word.isascii():
            return True
        begun += 1
    # A word is at most one token of content.
    return max(len(first), len(second)) <= begun + _LISTED


def labile(scene: Scene, old: Fact, new: Fact) -> bool:
    """Whether ``new`` was said while ``old``, which was said earlier, was open to refinement by a recall of it."""
    if new.id == old.id or new.said_at is None or (old.said_at is not None and new.said_at <= old.said_at):
        return False
    return any(within(since, until, new.said_at) for since, until in scene.windows.get(old.id, ()))


def _refines(scene: Scene, members: Sequence[Fact]) -> dict[str, str]:
    """What is refined by all the others, where the first was open to them."""
    first, *others = members
    return {"refines": f"m{first.id}"} if all(labile(scene, first, fact) for fact in others) else {}


def _ids(union: Union) -> tuple[int, ...]:
    return tuple(sorted((union.into, *union.sources)))


def _kin(fact: Fact) -> Hashable:
    """What a fact shares with any that may refine it, on whatever day and however it is filed."""
    return (fact.namespace, home(fact), fact.subject)


def _companies(facts: Mapping[int, Fact]) -> Iterator[tuple[int, Hashable]]:
    """Facts with what they must share before a merge could be legal; those of one attribute's values stay atomic."""

    def company(fact: Fact) -> tuple[bool, Hashable] | None:
        if not fact.active or fact.block == "schemas":
            return None
        return fact.category == "event", (fact.namespace, home(fact), fact.subject, fact.attribute)

    for id_, found in shared(facts, company):
        if found is not None:
            dated, others = found
            yield id_, (others, _day(facts[id_]) if dated else None)


def _day(fact: Fact) -> int | None:
    """The day of an event, as far as it is known: what happened on two days did not happen once."""
    when = fact.occurred_at if fact.occurred_at is not None else fact.said_at
    return None if fact.category != "event" or when is None else when // DAY
