"""Builds the scene of a pass from a store: the state, the memo, the tombstones, where turns come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet

from nocturne.app.ports import Store
from nocturne.core.facts import Fact, State
from nocturne.core.policy import Policy
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.text.measures import MEASURES_VERSION
from nocturne.passes.scene import Memo, Origin, Scene, Tombstones


class Origins(Mapping[int, Origin]):
    """Where each turn comes from, read from the store when first asked for."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[int, Origin] | None = None

    def _load(self) -> dict[int, Origin]:
        if self._known is None:
            self._known = {
                turn: Origin(source, session, day) for turn, source, session, day in self._store.origins()
            }
        return self._known

    def __getitem__(self, turn: int) -> Origin:
        return self._load()[turn]

    def __iter__(self) -> Iterator[int]:
        return iter(self._load())

    def __len__(self) -> int:
        return len(self._load())


def measured(store: Store, state: State) -> Mapping[str, frozenset[str]]:
    """The content of the facts' texts, as it was measured when they were written."""
    held = store.contents()
    return {fact.text: held[id_] for id_, fact in state.facts.items() if id_ in held}


def _forgotten(store: Store, state: State, evidence: Mapping[int, tuple[int, ...]]) -> dict[int, Fact]:
    """The members of schemas that the policy forgot, as they stood."""
    gone = {
        member
        for members in evidence.values()
        for member in members
        if member not in state.facts and (known := state.retired.get(member)) is not None
        if known.rule in ("forget:stale", "forget:capacity")
    }
    return dict(store.facts(gone)) if gone else {}


def evidence_of(store: Store, facts: Mapping[int, Fact]) -> dict[int, tuple[int, ...]]:
    """The members of each schema among some facts, as it was last measured."""
    schemas = [id_ for id_, fact in facts.items() if fact.block == "schemas"]
    last: dict[int, tuple[int, list[int]]] = {}
    for seq, link in store.lineage(schemas) if schemas else ():
        if link.role == "evidence":
            known = last.get(link.child)
            if known is None or known[0] != seq:
                known = last[link.child] = seq, []
            known[1].append(link.parent)
    return {schema: tuple(members) for schema, (_, members) in last.items()}


def scene_of(
    store: Store,
    state: State,
    *,
    policy: Policy,
    lexicon: Lexicon,
    now: int,
    contents: Mapping[str, frozenset[str]] | None = None,
    fresh: AbstractSet[int] | None = None,
) -> Scene:
    """The scene in which a pass over ``state`` is judged."""
    evidence = evidence_of(store, state.facts)
    return Scene(
        before=state,
        facts=state.facts,
        consumed={},
        policy=policy,
        now=now,
        lexicon=lexicon,
        memo=Memo(store.secret(), MEASURES_VERSION, policy.digest(), store.memo_keys()),
        tombstones=Tombstones(store.secret(), store.tombstone_keys()),
        origins=Origins(store),
        strengths=store.activations(),
        windows=store.windows(),
        measured=contents or {},
        evidence=evidence,
        forgotten=_forgotten(store, state, evidence),
        fresh=fresh,
    )
