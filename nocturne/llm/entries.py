"""Proposals as a model writes them: the way back from the closed union to the wire's keys."""

from __future__ import annotations

from typing import Any, assert_never

from nocturne.core.proposals import (
    Contradict,
    Drop,
    Encode,
    Forget,
    Keep,
    Merge,
    Promote,
    Proposal,
    Schematise,
)


def entry_of(proposal: Proposal) -> dict[str, Any]:
    """The proposal in its pass's own keys, so that a model recognises what it said."""
    match proposal:
        case Encode():
            return {"text": proposal.text, "turnIds": [f"t{turn}" for turn in proposal.turns]}
        case Drop():
            return {"drop": f"m{proposal.fact}", "duplicateOf": f"m{proposal.duplicate_of}"}
        case Keep():
            return {"keep": f"m{proposal.fact}", "duplicateOf": f"m{proposal.other}"}
        case Merge():
            sources = [f"m{source}" for source in proposal.sources if source != proposal.into]
            return {"intoId": f"m{proposal.into}", "fromIds": sources, "mergedText": proposal.text}
        case Promote():
            return {"itemId": f"m{proposal.fact}", "toBlock": proposal.to_block}
        case Forget():
            return {"itemId": f"m{proposal.fact}", "policy": proposal.policy}
        case Contradict():
            return {"oldId": f"m{proposal.old}", "newId": f"m{proposal.new}"}
        case Schematise():
            return {"memberIds": [f"m{member}" for member in proposal.members], "text": proposal.text}
        case _:
            assert_never(proposal)


def ids_in(proposal: Proposal) -> frozenset[int]:
    """Every fact or turn that the proposal speaks of."""
    match proposal:
        case Encode():
            return frozenset(proposal.turns)
        case Drop():
            return frozenset({proposal.fact, proposal.duplicate_of})
        case Keep():
            return frozenset({proposal.fact, proposal.other})
        case Merge():
            return frozenset({proposal.into, *proposal.sources})
        case Promote() | Forget():
            return frozenset({proposal.fact})
        case Contradict():
            return frozenset({proposal.old, proposal.new})
        case Schematise():
            return frozenset(proposal.members)
        case _:
            assert_never(proposal)
