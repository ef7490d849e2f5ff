"""Contradict: a later statement of an attribute supersedes the earlier one, which keeps its text and time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import replace

from nocturne.core.digest import SEAL, sealed_key, sealed_keys
from nocturne.core.facts import Change, Fact, Link
from nocturne.core.meaning import Fails, clash_key, judge_contradict
from nocturne.core.proposals import Contradict as Proposed
from nocturne.core.proposals import Keep, Proposal
from nocturne.core.strength import contradicted, strength
from nocturne.core.table import Some, shared
from nocturne.core.verdicts import Accepted, Refused, Verdict
from nocturne.passes.activations import curve_of, row_of
from nocturne.passes.briefs import Clash, ContradictBrief
from nocturne.passes.said import said
from nocturne.passes.scene import Effect, Scene
from nocturne.passes.standing import reasoned, same_space, standing

_BACK = 4
_Key = tuple[str, str, bytes]


class Contradict:
    """Ends a fact's validity in favour of a live successor."""

    name = "contradict"

    def ready(self, scene: Scene) -> Scene:
        """The scene as it is."""
        return scene

    def brief(self, scene: Scene) -> ContradictBrief | None:
        """Pairs of one subject and attribute, the later one as ``new``, that nobody has answered yet."""
        if scene.at_rest:
            return None
        facts = scene.before.facts
        told = shared(facts, lambda fact: (fact.block == "schemas", fact.namespace, fact.subject))
        stated = {
            id_: keys
            for id_, (schema, *whose) in told
            if not schema and (keys := _keys(scene, id_, *whose))
        }
        fresh = stated if scene.fresh is None else stated.keys() & scene.fresh
        wanted = {key for id_ in fresh for key in stated[id_]}
        groups: dict[_Key, list[int]] = defaultdict(list)
        for id_, keys in stated.items():
            for key in keys:
                if key in wanted:
                    groups[key].append(id_)
        clashes: dict[tuple[int, int], Clash] = {}
        for key, ids in groups.items():
            members = sorted((facts[id_] for id_ in ids), key=_when)
            for place, new in enumerate(members):
                # The nearest earlier statements are enough: a chain is superseded link by link.
                for old in members[max(0, place - _BACK) : place]:
                    if scene.fresh is not None and not scene.fresh & {old.id, new.id}:
                        continue
                    if (old.id, new.id) not in clashes and self._open(scene, old, new):
                        clashes[old.id, new.id] = Clash(old.id, new.id, _attribute(scene, new, key))
        if not clashes:
            return None
        named = Some(facts, (id_ for pair in clashes for id_ in pair))
        # In the order of time: what ends a fact is the first that was said against it, and a chain has no gap.
        found = sorted(clashes.values(), key=lambda clash: (_when(facts[clash.new]), _when(facts[clash.old])))
        return ContradictBrief(tuple(found), named)

    def _open(self, scene: Scene, old: Fact, new: Fact) -> bool:
        keys = (
            scene.memo.key(self.name, "contradict", (old.text, new.text)),
            scene.memo.key(self.name, "keep", sorted((old.text, new.text))),
        )
        return not any(key in scene.memo.known for key in keys)

    def gate(self, scene: Scene, proposal: Proposal) -> Verdict:
        """Two standing facts, one attribute, a later and different value that cannot be true beside the old."""
        if isinstance(proposal, Keep):
            if proposal.fact == proposal.other:
                return Refused(proposal, "N005", {"fact": f"m{proposal.fact}"})
            refused = standing(scene, proposal, proposal.fact, proposal.other)
            return refused or Accepted(proposal, "kept-apart")
        if not isinstance(proposal, Proposed):
            return Refused(proposal, "N001", {"found": f"a {proposal.kind} in the contradict pass"})
        if proposal.old == proposal.new:
            return Refused(proposal, "N005", {"fact": f"m{proposal.old}"})
        if refused := standing(scene, proposal, proposal.old, proposal.new):
            return refused
        if refused := reasoned(proposal):
            return refused
        old, new = scene.facts[proposal.old], scene.facts[proposal.new]
        if refused := same_space(proposal, old, new):
            return refused
        found = judge_contradict(
            said(old),
            said(new),
            lexicon=scene.lexicon,
            single_valued=scene.policy.contradict.single_valued,
            same_source=_shared_source(scene, old, new),
        )
        if isinstance(found, Fails):
            return Refused(proposal, found.code, found.evidence)
        return Accepted(proposal, "superseded", {**found.evidence, **self._penalty(scene, old, new)})

    def _penalty(self, scene: Scene, old: Fact, new: Fact) -> dict[str, str]:
        law = scene.policy.strength.law
        before = curve_of(scene.strengths.get(old.id), old)
        after, factor = contradicted(before, new.category, scene.now, law)
        return {
            "strength_before": f"{strength(before, scene.now, law):.6f}",
            "strength_after": f"{strength(after, scene.now, law):.6f}",
            "penalty": f"{factor:.6f}",
        }

    def apply(self, scene: Scene, accepted: Accepted) -> Effect:
        """The old row ends where the new one begins; its strength falls by the weight of the new evidence."""
        proposal = accepted.proposal
        if not isinstance(proposal, Proposed):
            return Effect()
        old, new = scene.facts[proposal.old], scene.facts[proposal.new]
        begins = next((t for t in (new.occurred_at, new.said_at) if t is not None), new.recorded_at)
        ended = replace(old, active=False, retired_by="contradict", successor=new.id, valid_until=begins)
        holds = replace(new, valid_from=new.valid_from if new.valid_from is not None else begins)
        before = curve_of(scene.strengths.get(old.id), old)
        weaker, _ = contradicted(before, new.category, scene.now, scene.policy.strength.law)
        return Effect(
            changes=(Change(old, ended), Change(new, holds)),
            links=(Link(new.id, old.id, "supersedes"),),
            activations=(row_of(old, weaker),),
        )

    def backstop(
        self, scene: Scene, brief: ContradictBrief | None, settled: AbstractSet[tuple[int, ...]]
    ) -> Iterable[Proposal]:
        """Nothing: that two facts exclude each other is judged, never assumed."""
        return ()

    def memo(self, scene: Scene, proposal: Proposal) -> str | None:
        """Keyed on the two texts: in their roles for a supersession, without order for a keep."""
        facts = scene.before.facts
        if isinstance(proposal, Proposed):
            pair = (proposal.old, proposal.new)
            return scene.memo.key(
                self.name, "contradict", [facts[i].text if i in facts else "" for i in pair]
            )
        if isinstance(proposal, Keep):
            pair = (proposal.fact, proposal.other)
            return scene.memo.key(
                self.name, "keep", sorted(facts[i].text if i in facts else "" for i in pair)
            )
        return None


def _keys(scene: Scene, fact: int, namespace: str, subject: str) -> tuple[_Key, ...]:
    """What the fact states that another of the same subject could deny."""
    sealed = scene.denials.get(fact)
    if sealed is None:
        sealed = sealed_keys(scene.memo.secret, _plain_keys(scene, scene.before.facts[fact]))
    return tuple((namespace, subject, sealed[at : at + SEAL]) for at in range(0, len(sealed), SEAL))


def _plain_keys(scene: Scene, fact: Fact) -> tuple[tuple[str, ...], ...]:
    return clash_key(said(fact), lexicon=scene.lexicon)


def _attribute(scene: Scene, fact: Fact, key: _Key) -> str:
    """The name of what a sealed key stands for."""
    return next(
        (plain[0] for plain in _plain_keys(scene, fact) if sealed_key(scene.memo.secret, plain) == key[2]), ""
    )


def _when(fact: Fact) -> tuple[int, int]:
    return fact.occurred_at or fact.said_at or 0, fact.id


def _shared_source(scene: Scene, old: Fact, new: Fact) -> bool:
    """Whether, without times, ``new`` still comes later: one source, and a later turn of it."""
    first = {(scene.origins[s.turn].source) for s in old.sources if s.turn in scene.origins}
    second = {(scene.origins[s.turn].source) for s in new.sources if s.turn in scene.origins}
    if len(first) != 1 or first != second:
        return False
    return max(s.turn for s in old.sources) < min(s.turn for s in new.sources)
