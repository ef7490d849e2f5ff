"""Schematise: what several sessions show becomes a pattern of its own; its members stay, and fade."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from nocturne.core.clustering import clusters
from nocturne.core.facts import CATEGORIES, Category, Change, Fact, Link, Span
from nocturne.core.meaning import Fails, Said, judge_schema
from nocturne.core.proposals import Proposal
from nocturne.core.proposals import Schematise as Proposed
from nocturne.core.strength import centrality_factor, scaled
from nocturne.core.verdicts import Accepted, Refused, Verdict
from nocturne.passes.activations import curve_of, row_of
from nocturne.passes.briefs import Cluster, SchematiseBrief
from nocturne.passes.said import said
from nocturne.passes.scene import Effect, Scene
from nocturne.passes.standing import reasoned, same_space, standing


class Schematise:
    """Adds a schema that names its evidence."""

    name = "schematise"

    def ready(self, scene: Scene) -> Scene:
        """The scene as it is."""
        return scene

    def brief(self, scene: Scene) -> SchematiseBrief | None:
        """Clusters of episodes and of semantic facts that have no schema yet."""
        rules = scene.policy.schematise
        facts = scene.before.facts
        found: list[Cluster] = []
        for layer, eps in (("episodic", rules.episodes_eps), ("semantic", rules.semantic_eps)):
            pool = {id_: fact for id_, fact in facts.items() if fact.layer == layer}
            if len(pool) < rules.min_members:
                continue
            sets = {id_: scene.content(fact.text) for id_, fact in pool.items()}
            for cluster in clusters(pool, sets, eps=eps, min_members=rules.min_members):
                if scene.fresh is not None and not scene.fresh & set(cluster.members):
                    continue
                if self._key(scene, cluster.members) not in scene.memo.known:
                    found.append(Cluster(cluster.members, cluster.terms, _above(layer)))
        if not found:
            return None
        named = {id_: facts[id_] for cluster in found for id_ in cluster.members}
        return SchematiseBrief(tuple(found), named)

    def gate(self, scene: Scene, proposal: Proposal) -> Verdict:
        """Enough members from enough sessions, and a text that they cover."""
        if not isinstance(proposal, Proposed):
            return Refused(proposal, "N001", {"found": f"a {proposal.kind} in the schematise pass"})
        ids = proposal.members
        if len(set(ids)) < len(ids):
            return Refused(proposal, "N005", {"fact": f"m{ids[0]}"})
        if refused := standing(scene, proposal, *ids):
            return refused
        if refused := reasoned(proposal):
            return refused
        rules = scene.policy.schematise
        members = [scene.facts[id_] for id_ in ids]
        if len(members) < rules.min_members:
            return Refused(proposal, "N241", {"found": len(members), "needed": rules.min_members})
        if refused := same_space(proposal, *members):
            return refused
        if len({fact.subject for fact in members}) > 1:
            return Refused(proposal, "N209", {"subjects": sorted({fact.subject for fact in members})})
        found = judge_schema(
            [_in_session(scene, fact) for fact in members],
            proposal.text,
            lexicon=scene.lexicon,
            min_members=rules.min_members,
            min_sessions=rules.min_sessions,
        )
        if isinstance(found, Fails):
            return Refused(proposal, found.code, found.evidence)
        sessions = len(_sessions(scene, members))
        return Accepted(proposal, "schema", {**found.evidence, "members": len(members), "sessions": sessions})

    def apply(self, scene: Scene, accepted: Accepted) -> Effect:
        """A new row in ``schemas``; trust is the least of its evidence's; members weaken by centrality."""
        proposal = accepted.proposal
        if not isinstance(proposal, Proposed):
            return Effect()
        members = [scene.facts[id_] for id_ in proposal.members]
        layer = "schema" if all(fact.layer == "semantic" for fact in members) else "semantic"
        schema = Fact(
            id=0,
            text=proposal.text,
            block="schemas",
            category=_commonest(members),
            layer=layer,  # type: ignore[arg-type]  # one of two literals
            recorded_at=scene.now,
            speaker=members[0].speaker if len({fact.speaker for fact in members}) == 1 else None,
            subject=members[0].subject,
            said_at=max((fact.said_at for fact in members if fact.said_at is not None), default=None),
            confirmed_at=max(fact.learned_at for fact in members),
            trust=min(fact.trust for fact in members),
            namespace=members[0].namespace,
            sources=tuple(dict.fromkeys(span for fact in members for span in fact.sources)),
        )
        shared = scene.content(proposal.text)
        fading = [
            row_of(
                fact,
                scaled(
                    curve_of(scene.strengths.get(fact.id), fact),
                    centrality_factor(_share(scene.content(fact.text), shared)),
                ),
            )
            for fact in members
            if fact.layer == "episodic"
        ]
        return Effect(
            changes=(Change(None, schema),),
            links=tuple(Link(0, fact.id, "evidence") for fact in members),
            activations=tuple(fading),
        )

    def backstop(
        self, scene: Scene, brief: SchematiseBrief | None, settled: AbstractSet[tuple[int, ...]]
    ) -> Iterable[Proposal]:
        """Nothing: a pattern is worded by a proposer, never by rule."""
        return ()

    def memo(self, scene: Scene, proposal: Proposal) -> str | None:
        """Keyed on the members' texts, whatever the wording: accepted or refused, the cluster was answered."""
        return self._key(scene, proposal.members) if isinstance(proposal, Proposed) else None

    def _key(self, scene: Scene, members: Iterable[int]) -> str:
        facts = scene.before.facts
        return scene.memo.key(self.name, "schematise", sorted(facts[i].text for i in members if i in facts))


def _above(layer: str) -> str:
    return "semantic" if layer == "episodic" else "schema"


def _commonest(members: list[Fact]) -> Category:
    counts = [(sum(fact.category == name for fact in members), name) for name in CATEGORIES]
    return max(counts, key=lambda pair: pair[0])[1]


def _share(own: AbstractSet[str], shared: AbstractSet[str]) -> float:
    return len(own & shared) / len(own) if own else 0.0


def _sessions(scene: Scene, members: Iterable[Fact]) -> set[tuple[int, str | None]]:
    spans: list[Span] = [span for fact in members for span in fact.sources if span.turn in scene.origins]
    return {(scene.origins[span.turn].source, scene.origins[span.turn].session) for span in spans}


def _in_session(scene: Scene, fact: Fact) -> Said:
    words = said(fact)
    found = sorted(f"{source}/{session}" for source, session in _sessions(scene, [fact]))
    return Said(
        words.text,
        speaker=words.speaker,
        said_at=words.said_at,
        occurred_at=words.occurred_at,
        provenance=words.provenance,
        session=found[0] if found else None,
        subject=words.subject,
    )
