"""Dedupe: the code nominates every pair at or above the floor, the proposer adjudicates, the gate decides.

A drop needs the dropped fact to be contained in the kept one; what falls short becomes a merge candidate.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import replace

from nocturne.core.candidates import nominate_pairs
from nocturne.core.facts import Change, Fact, Link
from nocturne.core.meaning import Fails, Finding, judge_drop
from nocturne.core.policy import exact
from nocturne.core.proposals import Drop, Keep, Proposal
from nocturne.core.table import Some
from nocturne.core.verdicts import Accepted, Refused, Verdict
from nocturne.passes.activations import inherited
from nocturne.passes.briefs import DedupeBrief, Pair
from nocturne.passes.heir import most_protected
from nocturne.passes.reversals import Stations
from nocturne.passes.said import said
from nocturne.passes.scene import Effect, Scene
from nocturne.passes.signals import repeated
from nocturne.passes.standing import reasoned, same_space, standing


class Dedupe:
    """Retires a fact into the one that says the same."""

    name = "dedupe"

    def ready(self, scene: Scene) -> Scene:
        """The scene as it is."""
        return scene

    def brief(self, scene: Scene) -> DedupeBrief | None:
        """All pairs at or above the floor that nobody has answered yet."""
        if scene.at_rest:
            return None
        facts = scene.before.facts
        floor = exact(scene.policy.dedupe.floor)
        found = nominate_pairs(facts, scene.contents(), floor, fresh=scene.fresh, schemas=False)
        stations = Stations.among(facts, scene.lexicon, schemas=False)
        pairs = []
        for drop, keep, measure, equal in found:
            if scene.memo.known and not self._open(scene, drop, keep):
                continue
            if stations.between(facts[drop], facts[keep]) is not None:
                continue
            pairs.append(Pair(drop, keep, measure, equal))
        if not pairs:
            return None
        named = Some(facts, (id_ for pair in pairs for id_ in (pair.drop, pair.keep)))
        return DedupeBrief(tuple(pairs), named)

    def _open(self, scene: Scene, drop: int, keep: int) -> bool:
        texts = _text(scene, drop), _text(scene, keep)
        # A merge of two texts that was refused answers the question of a drop as well: one that contains the
        # other would have been its composed text.
        keys = (
            scene.memo.key(self.name, "drop", texts),
            scene.memo.key(self.name, "keep", sorted(texts)),
            scene.memo.key("merge", "merge", sorted(texts)),
        )
        return not any(key in scene.memo.known for key in keys)

    def gate(self, scene: Scene, proposal: Proposal) -> Verdict:
        """Ids that stand, two different facts of one namespace, a reason, and the same meaning."""
        if isinstance(proposal, Keep):
            return self._keep(scene, proposal)
        if not isinstance(proposal, Drop):
            return Refused(proposal, "N001", {"found": f"a {proposal.kind} in the dedupe pass"})
        if proposal.fact == proposal.duplicate_of:
            return Refused(proposal, "N005", {"fact": f"m{proposal.fact}"})
        if refused := standing(scene, proposal, proposal.fact, proposal.duplicate_of):
            return refused
        if refused := reasoned(proposal):
            return refused
        drop, keep = scene.facts[proposal.fact], scene.facts[proposal.duplicate_of]
        if refused := same_space(proposal, drop, keep):
            return refused
        if (other := _parted(scene, drop, keep)) is not None:
            facts = [f"m{drop.id}", f"m{keep.id}"]
            return Refused(proposal, "N226", {"facts": facts, "between": f"m{other}"})
        found = self._judge(scene, drop, keep)
        if isinstance(found, Fails):
            return Refused(proposal, found.code, found.evidence)
        # Containment is not transitive: what was dropped for this fact is measured anew against its keeper.
        for earlier in scene.kept_for.get(drop.id, ()):
            again = self._judge(scene, scene.before.facts[earlier], keep)
            if isinstance(again, Fails):
                evidence = {"fact": f"m{drop.id}", "earlier": f"m{earlier}", "code": again.code}
                return Refused(proposal, "N006", evidence)
        return Accepted(proposal, "duplicate", found.evidence)

    def _judge(self, scene: Scene, drop: Fact, keep: Fact) -> Finding:
        return judge_drop(
            said(drop),
            said(keep),
            floor=exact(scene.policy.dedupe.floor),
            lexicon=scene.lexicon,
            smallest_subset=scene.policy.dedupe.smallest_subset,
            adjudicated=scene.adjudicated,
        )

    def _keep(self, scene: Scene, proposal: Keep) -> Verdict:
        if proposal.fact == proposal.other:
            return Refused(proposal, "N005", {"fact": f"m{proposal.fact}"})
        if refused := standing(scene, proposal, proposal.fact, proposal.other):
            return refused
        return Accepted(proposal, "kept-apart")

    def apply(self, scene: Scene, accepted: Accepted) -> Effect:
        """The dropped row is retired; its keeper inherits sources, latest confirmation, protection and pin."""
        proposal = accepted.proposal
        if not isinstance(proposal, Drop):
            return Effect()
        drop, keep = scene.facts[proposal.fact], scene.facts[proposal.duplicate_of]
        gone = replace(drop, active=False, retired_by="dedupe", successor=keep.id)
        heir = replace(
            keep,
            sources=tuple(dict.fromkeys(keep.sources + drop.sources)),
            confirmed_at=max(keep.learned_at, drop.learned_at),
            category=most_protected((keep, drop), scene.policy),
            pinned=keep.pinned or drop.pinned,
            importance=repeated((keep, drop)),
        )
        return Effect(
            changes=(Change(drop, gone), Change(keep, heir)),
            links=(Link(keep.id, drop.id, "kept-for"),),
            activations=inherited(heir, (keep, drop), scene.strengths, scene.now, scene.policy.strength.law),
        )

    def backstop(
        self, scene: Scene, brief: DedupeBrief | None, settled: AbstractSet[tuple[int, ...]]
    ) -> Iterable[Proposal]:
        """Every nominated pair that nobody adjudicated."""
        for pair in brief.pairs if brief else ():
            ids = (min(pair.drop, pair.keep), max(pair.drop, pair.keep))
            # What was refused in this very direction is never tried again by the engine.
            if ids in settled or (pair.drop, pair.keep, 0) in settled:
                continue
            if pair.drop in scene.consumed or pair.keep in scene.consumed:
                continue
            share = f"{pair.similarity.numerator}/{pair.similarity.denominator}"
            yield Drop(fact=pair.drop, duplicate_of=pair.keep, reason=f"similarity {share}, not adjudicated")

    def memo(self, scene: Scene, proposal: Proposal) -> str | None:
        """Keyed on the two texts: in their roles for a drop, without order for a keep."""
        if isinstance(proposal, Drop):
            pair = [scene.before.facts.get(id_) for id_ in (proposal.fact, proposal.duplicate_of)]
            if pair[0] is not None and pair[1] is not None and _parted(scene, pair[0], pair[1]) is not None:
                # What was said in between parts them, not their texts: once that is settled they may be one.
                return None
            texts = [_text(scene, proposal.fact), _text(scene, proposal.duplicate_of)]
        elif isinstance(proposal, Keep):
            texts = sorted((_text(scene, proposal.fact), _text(scene, proposal.other)))
        else:
            return None
        return scene.memo.key(self.name, proposal.kind, texts)


def _parted(scene: Scene, drop: Fact, keep: Fact) -> int | None:
    if drop.attribute is None or drop.attribute != keep.attribute:
        return None
    return Stations.among(scene.before.facts, scene.lexicon, of=drop).between(drop, keep)


def _text(scene: Scene, fact: int) -> str:
    known = scene.before.facts.get(fact)
    return known.text if known else ""
