"""What a person rejected stays rejected, whatever the policy and the measures of the night."""

from __future__ import annotations

from collections.abc import Mapping

from nocturne.core.facts import Fact
from nocturne.core.proposals import Contradict, Encode, Promote, Proposal, named_by
from nocturne.passes.scene import Memo, Scene


def rejection(memo: Memo, facts: Mapping[int, Fact] | Mapping[int, str], proposal: Proposal) -> str | None:
    """The key under which the rejection of a proposal is remembered; None where it names no fact that is known."""
    if isinstance(proposal, Encode):
        return None
    ids = [proposal.old, proposal.new] if isinstance(proposal, Contradict) else sorted(named_by(proposal))
    if not ids or any(id_ not in facts for id_ in ids):
        return None
    found = [facts[id_] for id_ in ids]
    texts = [each.text if isinstance(each, Fact) else each for each in found]
    if not isinstance(proposal, Contradict):
        texts.sort()
    if isinstance(proposal, Promote):
        texts.append(proposal.to_block)
    return memo.lasting(proposal.kind, texts)


def is_rejected(scene: Scene, proposal: Proposal) -> bool:
    """Whether a person rejected the very proposal over the very texts."""
    key = rejection(scene.memo, scene.facts, proposal)
    return key is not None and key in scene.memo.known
