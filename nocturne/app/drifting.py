"""Where the weight of a memory moves: stored by every sleep that writes, compared with thirty days back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nocturne.app.evidence import evidence_of
from nocturne.app.ports import SnapshotInfo, Store
from nocturne.core.drift import Drift, baseline, compared, topic_of, topic_weights
from nocturne.core.facts import Fact
from nocturne.core.policy import Policy
from nocturne.core.strength import strength
from nocturne.passes.activations import curve_of

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Drifted:
    """The drift since the sleep that it is measured from; ``drift`` is None where none lies thirty days back.

    ``weights`` are those of now; ``names`` has the words of topics that are schemas.
    """

    weights: Mapping[str, float]
    names: Mapping[str, str]
    since: SnapshotInfo | None = None
    drift: Drift | None = None
    first: SnapshotInfo | None = None
    """The earliest sleep that stored its weights."""


def weights_now(store: Store, facts: Mapping[int, Fact], *, policy: Policy, now: int) -> dict[str, float]:
    """The strength of active facts, summed by topic."""
    stored = store.activations()
    law = policy.strength.law
    strengths = (
        (fact, strength(curve_of(stored.get(fact.id), fact), now, law)) for fact in facts.values()
    )
    return topic_weights(strengths, _schemas(store, facts))


def stored_form(weights: Mapping[str, float]) -> dict[str, int]:
    """Weights as the store keeps them: millionths."""
    return {topic: round(weight * MILLION) for topic, weight in weights.items()}


def drift(store: Store, *, policy: Policy, now: int) -> Drifted:
    """Topics now against the last sleep that lies at least thirty days back."""
    facts = store.state().facts
    weights = weights_now(store, facts, policy=policy, now=now)
    kept = store.drift()
    infos = {info.number: info for info in store.snapshots() if info.number in kept}
    first = infos[min(infos)] if infos else None
    moment = baseline([info.at for info in infos.values()], now)
    if moment is None:
        return Drifted(weights, _names(store, weights), first=first)
    since = max((info for info in infos.values() if info.at == moment), key=lambda info: info.number)
    before = {topic: weight / MILLION for topic, weight in kept[since.number].items()}
    found = compared(before, weights, _decided(store, facts, since))
    return Drifted(weights, _names(store, weights.keys() | before.keys()), since, found, first)


def _schemas(store: Store, facts: Mapping[int, Fact]) -> dict[int, int]:
    """The schema of each member; of several the first."""
    found: dict[int, int] = {}
    for schema, members in sorted(evidence_of(store, facts).items()):
        for member in members:
            found.setdefault(member, schema)
    return found


def _decided(store: Store, facts: Mapping[int, Fact], since: SnapshotInfo) -> set[str]:
    """Topics in which a decision was recorded or a fact superseded after a snapshot."""
    schemas = _schemas(store, facts)
    found = {
        topic_of(fact, schemas.get(fact.id))
        for fact in facts.values()
        if fact.category == "decisions" and fact.recorded_at > since.at
    }
    named: set[int] = set()
    for row in store.mutations(since.seq, store.head().seq):
        if row.accepted and row.kind == "contradict":
            named.update(row.touched)
    return found | {topic_of(fact, schemas.get(fact.id)) for fact in store.facts(named).values()}


def _names(store: Store, topics: Mapping[str, float] | set[str]) -> dict[str, str]:
    schemas = {int(topic.removeprefix("schema:m")) for topic in topics if topic.startswith("schema:m")}
    return {f"schema:m{id_}": fact.text for id_, fact in store.facts(schemas).items()}
