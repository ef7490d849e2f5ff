"""Promote: what is stable about a person leaves scratch for ``human``, what happened for ``episodes``."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import cache
from itertools import chain

from nocturne.core.facts import Change, Fact
from nocturne.core.making import moved
from nocturne.core.proposals import Promote as Proposed
from nocturne.core.proposals import Proposal
from nocturne.core.table import Some, shared
from nocturne.core.verdicts import Accepted, Refused, Verdict
from nocturne.passes.briefs import PromoteBrief
from nocturne.passes.heir import LASTING, home
from nocturne.passes.scene import Effect, Scene
from nocturne.passes.standing import reasoned, standing

_ENFORCED = frozenset({"identity", "preferences", "commitments", "event"})
_FIRST = ("identity", "preferences", "commitments")


@cache
def _moved(since: str, to: str) -> Mapping[str, str]:
    return {"from": since, "to": to}


class Promote:
    """Moves a fact to a lasting block; its text and its age stay."""

    name = "promote"

    def ready(self, scene: Scene) -> Scene:
        """The scene as it is."""
        return scene

    def brief(self, scene: Scene) -> PromoteBrief | None:
        """Facts in scratch that could go somewhere and were not asked about yet, protected categories first."""
        facts = scene.before.facts

        def leaves(fact: Fact) -> tuple[bool, int] | None:
            if fact.block != "scratch" or home(fact) == "scratch":
                return None
            return fact.category in _FIRST, self._needed(scene, fact)

        first, later = array("q"), array("q")
        for id_, found in shared(facts, leaves):
            if found is None or not (scene.fresh is None or id_ in scene.fresh):
                continue
            protected, needed = found
            if needed < 2 or not self._wants_sources(scene, facts[id_]):
                (first if protected else later).append(id_)
        if not (first or later):
            return None
        return PromoteBrief(Some(facts, chain(sorted(first), sorted(later))))

    def gate(self, scene: Scene, proposal: Proposal) -> Verdict:
        """A legal block, another one than now, of the right subject, on enough evidence."""
        if not isinstance(proposal, Proposed):
            return Refused(proposal, "N001", {"found": f"a {proposal.kind} in the promote pass"})
        if refused := standing(scene, proposal, proposal.fact):
            return refused
        if refused := reasoned(proposal):
            return refused
        if proposal.to_block not in LASTING:
            return Refused(proposal, "N008", {"block": proposal.to_block, "legal": list(LASTING)})
        fact = scene.facts[proposal.fact]
        if fact.block == proposal.to_block:
            return Refused(proposal, "N010", {"fact": f"m{fact.id}", "block": fact.block})
        if (fact.subject == "assistant") != (proposal.to_block == "persona"):
            evidence = {"fact": f"m{fact.id}", "subject": fact.subject, "block": proposal.to_block}
            return Refused(proposal, "N209", evidence)
        if short := self._wants_sources(scene, fact):
            return Refused(proposal, "N307", {"fact": f"m{fact.id}", **short})
        rule = "promotion" if scene.adjudicated else "promotion-rule"
        return Accepted(proposal, rule, _moved(fact.block, proposal.to_block))

    def _needed(self, scene: Scene, fact: Fact) -> int:
        """How many independent sources must bear it."""
        rules = scene.policy.promote
        needed = rules.independent_sources
        return max(needed, 2) if fact.trust < rules.low_trust else needed

    def _wants_sources(self, scene: Scene, fact: Fact) -> dict[str, int]:
        needed = self._needed(scene, fact)
        if needed < 2:
            return {}
        seen = [scene.origins[span.turn] for span in fact.sources if span.turn in scene.origins]
        # Two sources are independent only where both the file and the day differ.
        found = min(len({origin.source for origin in seen}), len({origin.day for origin in seen}))
        return {} if found >= needed else {"found": found, "needed": needed, "trust": fact.trust}

    def apply(self, scene: Scene, accepted: Accepted) -> Effect:
        """The row with its new block."""
        proposal = accepted.proposal
        if not isinstance(proposal, Proposed):
            return Effect()
        fact = scene.facts[proposal.fact]
        return Effect(changes=(Change(fact, moved(fact, proposal.to_block)),))  # type: ignore[arg-type]  # the gate proved it is a Block

    def backstop(
        self, scene: Scene, brief: PromoteBrief | None, settled: AbstractSet[tuple[int, ...]]
    ) -> Iterable[Proposal]:
        """Identity, preferences and commitments still in scratch go to their block, events to episodes."""
        for id_ in brief.facts if brief else ():
            if (id_,) in settled or id_ in scene.consumed:
                continue
            fact = scene.facts[id_]
            if fact.category in _ENFORCED:
                yield Proposed(fact=id_, to_block=home(fact), reason=f"{fact.category} still in scratch")

    def memo(self, scene: Scene, proposal: Proposal) -> str | None:
        """None: a promotion is never refused for its text."""
        return None
