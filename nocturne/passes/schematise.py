"""Schematise: what several sessions show becomes a pattern of its own; its members stay, and fade."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace

from nocturne.core.clustering import Found, centralities, clusters, inverse_frequencies
from nocturne.core.facts import CATEGORIES, Activation, Category, Change, Fact, Layer, Link
from nocturne.core.meaning import Fails, judge_schema
from nocturne.core.proposals import Proposal
from nocturne.core.proposals import Schematise as Proposed
from nocturne.core.strength import centrality_factor, scaled
from nocturne.core.table import Some
from nocturne.core.verdicts import Accepted, Refused, Verdict
from nocturne.passes.activations import curve_of, row_of
from nocturne.passes.briefs import Cluster, SchematiseBrief
from nocturne.passes.evidence import in_session, living, sessions
from nocturne.passes.scene import Effect, Scene
from nocturne.passes.standing import reasoned, same_space, standing

_MANY = 16
"""A cluster of fewer members is asked about whenever it grows, a larger one when it has doubled."""


class Schematise:
    """Adds a schema that names its evidence."""

    name = "schematise"

    def ready(self, scene: Scene) -> Scene:
        """The scene with the clusters of each layer."""
        if scene.at_rest and not scene.evidence:
            return scene
        rules = scene.policy.schematise
        found: list[tuple[str, Found]] = []
        wide: tuple[tuple[Layer, float], ...] = (
            ("episodic", rules.episodes_eps),
            ("semantic", rules.semantic_eps),
        )
        for layer, eps in wide:
            near = clusters(
                scene.before.facts, scene.contents(), eps=eps, min_members=rules.min_members, layer=layer
            )
            found += [(layer, each) for each in near]
        return replace(scene, clusters=tuple(found))

    def brief(self, scene: Scene) -> SchematiseBrief | None:
        """Clusters of episodes and of semantic facts that have no schema yet."""
        facts = scene.before.facts
        shown = _shown(scene)
        found: list[Cluster] = []
        for layer, cluster in scene.clusters:
            if scene.fresh is not None and not _worth_asking(cluster.members, scene.fresh):
                continue
            if _schema_of(cluster, shown) is not None:
                continue
            if self._key(scene, cluster.members) not in scene.memo.known:
                found.append(Cluster(cluster.members, cluster.terms, _above(layer)))
        if not found:
            return None
        named = Some(facts, (id_ for cluster in found for id_ in cluster.members))
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
        twin = _twin(scene, members, proposal.text)
        if twin is not None and not self._adds(scene, twin, ids):
            return Refused(proposal, "N010", {"fact": f"m{twin.id}", "block": "schemas"})
        if scene.tombstones.holds(scene.content(proposal.text)):
            return Refused(proposal, "N105", {})
        found = judge_schema(
            [in_session(scene, fact) for fact in members],
            proposal.text,
            lexicon=scene.lexicon,
            min_members=rules.min_members,
            min_sessions=rules.min_sessions,
        )
        if isinstance(found, Fails):
            return Refused(proposal, found.code, found.evidence)
        counts = {"members": len(members), "sessions": len(sessions(scene, members))}
        if twin is None:
            return Accepted(proposal, "schema", {**found.evidence, **counts})
        return Accepted(
            proposal, "schema:measured-again", {**found.evidence, **counts, "schema": f"m{twin.id}"}
        )

    def _adds(self, scene: Scene, schema: Fact, members: Iterable[int]) -> bool:
        """Whether these members are the schema's remaining evidence, and not what it was measured on already."""
        rest = living(scene, schema.id)
        told = set(members)
        return told >= set(rest.active) and (rest.lost > 0 or told != set(rest.active))

    def apply(self, scene: Scene, accepted: Accepted) -> Effect:
        """A new row in ``schemas``; trust is the least of its evidence's; members weaken by centrality."""
        proposal = accepted.proposal
        if not isinstance(proposal, Proposed):
            return Effect()
        members = [scene.facts[id_] for id_ in proposal.members]
        twin = _twin(scene, members, proposal.text)
        schema = replace(
            _new(proposal.text, members, scene.now) if twin is None else twin,
            said_at=max((fact.said_at for fact in members if fact.said_at is not None), default=None),
            confirmed_at=max(fact.learned_at for fact in members),
            trust=min(fact.trust for fact in members),
            sources=tuple(dict.fromkeys(span for fact in members for span in fact.sources)),
        )
        known = frozenset(scene.evidence.get(schema.id, ()))
        return Effect(
            changes=(Change(twin, schema),),
            links=tuple(Link(schema.id, fact.id, "evidence") for fact in members),
            activations=tuple(
                self._fading(scene, [fact for fact in members if fact.id not in known], members)
            ),
        )

    def _fading(self, scene: Scene, new: Iterable[Fact], members: list[Fact]) -> Iterable[Activation]:
        """The strength of episodes that a schema now speaks for: the more typical, the weaker."""
        ids = {fact.id for fact in members}
        central: Mapping[int, float] = next(
            (found.centrality for _, found in scene.clusters if ids <= set(found.members)), {}
        )
        if not central:
            sets = [scene.content(fact.text) for fact in members]
            shares = centralities(sets, inverse_frequencies(sets))
            central = dict(zip((fact.id for fact in members), shares, strict=True))
        for fact in new:
            if fact.layer == "episodic":
                curve = curve_of(scene.strengths.get(fact.id), fact)
                yield row_of(fact, scaled(curve, centrality_factor(central[fact.id])))

    def backstop(
        self, scene: Scene, brief: SchematiseBrief | None, settled: AbstractSet[tuple[int, ...]]
    ) -> Iterable[Proposal]:
        """Schemas whose evidence changed are measured again on what is left of it and what joined its cluster.

        A new pattern is worded by a proposer, never by rule.
        """
        shown = _shown(scene)
        grown: dict[int, set[int]] = {}
        for _, cluster in scene.clusters:
            schema = _schema_of(cluster, shown)
            if schema is not None:
                grown.setdefault(schema, set()).update(cluster.members)
        for schema, remaining in shown.items():
            lost = living(scene, schema).lost
            members = tuple(sorted(set(remaining) | grown.get(schema, set())))
            if lost == 0 and members == remaining:
                continue
            if members in settled or (lost == 0 and self._key(scene, members) in scene.memo.known):
                continue
            if scene.facts[schema].pinned or any(id_ not in scene.facts for id_ in members):
                continue
            why = f"{lost} of its members are gone" if lost else "its cluster grew"
            proposal = Proposed(members=members, text=scene.facts[schema].text, reason=why)
            # What it no longer shows is for the forget pass to let go; here nothing is refused by rule.
            if isinstance(self.gate(scene, proposal), Accepted):
                yield proposal

    def memo(self, scene: Scene, proposal: Proposal) -> str | None:
        """Keyed on the members' texts, whatever the wording: accepted or refused, the cluster was answered."""
        return self._key(scene, proposal.members) if isinstance(proposal, Proposed) else None

    def _key(self, scene: Scene, members: Iterable[int]) -> str:
        facts = scene.before.facts
        return scene.memo.key(self.name, "schematise", sorted(facts[i].text for i in members if i in facts))


def _worth_asking(members: Collection[int], fresh: AbstractSet[int]) -> bool:
    """Whether a cluster grew, and by enough: one fact more in a crowd shows no other pattern."""
    count = len(members)
    before = count - len(fresh & set(members))
    return before < count and (count < _MANY or before.bit_length() < count.bit_length())


def _above(layer: str) -> str:
    return "semantic" if layer == "episodic" else "schema"


def _commonest(members: list[Fact]) -> Category:
    counts = [(sum(fact.category == name for fact in members), name) for name in CATEGORIES]
    return max(counts, key=lambda pair: pair[0])[1]


def _new(text: str, members: list[Fact], now: int) -> Fact:
    layer: Layer = "schema" if all(fact.layer == "semantic" for fact in members) else "semantic"
    return Fact(
        id=0,
        text=text,
        block="schemas",
        category=_commonest(members),
        layer=layer,
        recorded_at=now,
        speaker=members[0].speaker if len({fact.speaker for fact in members}) == 1 else None,
        subject=members[0].subject,
        namespace=members[0].namespace,
    )


def _shown(scene: Scene) -> dict[int, tuple[int, ...]]:
    """The active schemas with what their evidence lives on in."""
    return {schema: living(scene, schema).active for schema in scene.evidence if schema in scene.facts}


def _schema_of(cluster: Found, shown: Mapping[int, tuple[int, ...]]) -> int | None:
    """The schema that speaks for most of a cluster already."""
    members = set(cluster.members)
    best = max(shown, key=lambda schema: (len(members & set(shown[schema])), -schema), default=None)
    return best if best is not None and 2 * len(members & set(shown[best])) > len(members) else None


def _twin(scene: Scene, members: list[Fact], text: str) -> Fact | None:
    """The active schema of the same people that says the same, of this night or an earlier one."""
    wanted = scene.content(text)
    whose = members[0].namespace, members[0].subject
    for schema in (*scene.evidence, *_tonight(scene)):
        fact = scene.facts.get(schema)
        if (
            fact is not None
            and (fact.namespace, fact.subject) == whose
            and scene.content(fact.text) == wanted
        ):
            return fact
    return None


def _tonight(scene: Scene) -> Iterator[int]:
    """The schemas that this very pass has made: their numbers follow those that it found."""
    number = scene.before.next_id
    while number in scene.facts:
        yield number
        number += 1
