"""Forget: a retention rule that the code itself verified retires a fact; what the model claims is not looked at."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

from nocturne.core.facts import Change, Fact
from nocturne.core.meaning import Fails, judge_schema
from nocturne.core.proposals import Forget as Proposed
from nocturne.core.proposals import Proposal
from nocturne.core.retention import age, age_days, overflow, stale
from nocturne.core.table import Some
from nocturne.core.verdicts import Accepted, Refused, Verdict
from nocturne.passes.briefs import ForgetBrief, Forgettable
from nocturne.passes.evidence import in_session, living
from nocturne.passes.scene import Effect, Scene
from nocturne.passes.standing import reasoned, standing


class Forget:
    """Retires what is stale or over capacity, never what is protected or pinned."""

    name = "forget"

    def brief(self, scene: Scene) -> ForgetBrief | None:
        """Facts that a rule would let go: the stale ones, then what would still be over capacity without them.

        One that was spared is asked about again when another stale span has passed.
        """
        facts, policy, now = scene.before.facts, scene.policy, scene.now
        fresh = scene.fresh
        asked = facts.values() if fresh is None else (facts[id_] for id_ in facts if id_ in fresh)
        found = [Forgettable(fact.id, "stale", age(fact, now)) for fact in asked if stale(fact, policy, now)]
        over = overflow(facts, policy, now, gone={item.fact for item in found})
        found += [Forgettable(id_, "capacity", age(facts[id_], now)) for id_ in sorted(over)]
        if not found:
            return None
        return ForgetBrief(tuple(found), Some(facts, (item.fact for item in found)))

    def ready(self, scene: Scene) -> Scene:
        """The scene with the overflow set, a function of the store as the pass found it."""
        return replace(scene, over=overflow(scene.before.facts, scene.policy, scene.now))

    def gate(self, scene: Scene, proposal: Proposal) -> Verdict:
        """Active, unprotected, unpinned, and past the age limit or in the overflow set."""
        if not isinstance(proposal, Proposed):
            return Refused(proposal, "N001", {"found": f"a {proposal.kind} in the forget pass"})
        if refused := standing(scene, proposal, proposal.fact):
            return refused
        if refused := reasoned(proposal):
            return refused
        fact, policy = scene.facts[proposal.fact], scene.policy
        if fact.block == "schemas" and not fact.pinned and (short := _unshown(scene, fact)):
            return Accepted(proposal, "forget:evidence", short)
        if policy.is_protected(fact.category):
            return Refused(proposal, "N304", {"fact": f"m{fact.id}", "category": fact.category})
        if fact.pinned:
            return Refused(proposal, "N305", {"fact": f"m{fact.id}"})
        days = age_days(fact, scene.now)
        measure = {"age_days": f"{days.numerator}/{days.denominator}"}
        if policy.forget.stale_days is not None:
            measure["limit_days"] = str(policy.forget.stale_days)
        if stale(fact, policy, scene.now):
            return Accepted(proposal, "forget:stale", measure)
        active = len(scene.facts)
        capacity = policy.forget.capacity
        if capacity is None:
            return Refused(proposal, "N301", {"fact": f"m{fact.id}", **measure})
        if fact.id in scene.over and active > capacity:
            return Accepted(proposal, "forget:capacity", {"active": active, "capacity": capacity, **measure})
        return Refused(proposal, "N302", {"fact": f"m{fact.id}", "capacity": capacity, **measure})

    def apply(self, scene: Scene, accepted: Accepted) -> Effect:
        """The row, retired by the rule; nothing took its place."""
        proposal = accepted.proposal
        if not isinstance(proposal, Proposed):
            return Effect()
        fact = scene.facts[proposal.fact]
        return Effect(changes=(Change(fact, replace(fact, active=False, retired_by=accepted.rule)),))

    def backstop(
        self, scene: Scene, brief: ForgetBrief | None, settled: AbstractSet[tuple[int, ...]]
    ) -> Iterable[Proposal]:
        """Schemas that nothing shows any more, and what lies over capacity and nobody let go."""
        for schema in scene.evidence:
            if (
                schema in scene.facts
                and not scene.facts[schema].pinned
                and _unshown(scene, scene.facts[schema])
            ):
                yield Proposed(fact=schema, policy="evidence", reason="its evidence no longer shows it")
        capacity = scene.policy.forget.capacity
        for id_ in sorted(overflow(scene.facts, scene.policy, scene.now)) if capacity is not None else ():
            yield Proposed(fact=id_, policy="capacity", reason=f"over the capacity of {capacity} facts")

    def memo(self, scene: Scene, proposal: Proposal) -> str | None:
        """None: age and capacity are no properties of a text."""
        return None


def _unshown(scene: Scene, schema: Fact) -> dict[str, Any]:
    """What is left of a schema's evidence, where some of it is lost and the rest does not show it; else nothing."""
    rest = living(scene, schema.id)
    if not rest.lost:
        return {}
    members = [*(scene.facts[id_] for id_ in rest.active), *rest.forgotten]
    rules = scene.policy.schematise
    found = judge_schema(
        [in_session(scene, fact) for fact in members],
        schema.text,
        lexicon=scene.lexicon,
        min_members=rules.min_members,
        min_sessions=rules.min_sessions,
    )
    if not isinstance(found, Fails):
        return {}
    return {"lost": rest.lost, "members": len(members), "code": found.code}
