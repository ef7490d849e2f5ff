"""Whether an id may be named now: never existed, inactive since, and already used are three causes."""

from __future__ import annotations

from nocturne.core.facts import Fact
from nocturne.core.proposals import Proposal
from nocturne.core.verdicts import Refused
from nocturne.passes.scene import Scene


def standing(scene: Scene, proposal: Proposal, *ids: int) -> Refused | None:
    """The refusal if one of the ids does not stand: unknown, inactive, or used earlier in this pass."""
    for fact in ids:
        if fact in scene.consumed:
            return Refused(proposal, "N004", {"fact": f"m{fact}", "by": scene.consumed[fact]})
        if fact not in scene.before.facts:
            gone = scene.before.retired.get(fact)
            if gone is None:
                return Refused(proposal, "N002", {"fact": f"m{fact}"})
            evidence = {"fact": f"m{fact}", "snapshot": f"s{gone.snapshot}", "rule": gone.rule}
            return Refused(proposal, "N003", evidence)
    return None


def reasoned(proposal: Proposal) -> Refused | None:
    """The refusal if the proposal gives no reason."""
    if proposal.reason.strip():
        return None
    return Refused(proposal, "N007", {"kind": proposal.kind})


def same_space(proposal: Proposal, *facts: Fact) -> Refused | None:
    """The refusal if the facts belong to different namespaces."""
    spaces = sorted({fact.namespace for fact in facts})
    if len(spaces) == 1:
        return None
    return Refused(proposal, "N014", {"namespaces": spaces})
