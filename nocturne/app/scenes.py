"""Builds the scene of a pass from a store: the state, the memo, the tombstones, where turns come from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from nocturne.app.ports import Store
from nocturne.core.chain import canonical_json
from nocturne.core.facts import State
from nocturne.core.policy import Policy
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.text.measures import MEASURES_VERSION
from nocturne.passes.scene import Memo, Origin, Scene, Tombstones


def policy_digest(policy: Policy) -> str:
    """SHA-256 of the policy's canonical JSON: which rules a ruling was made under."""
    return hashlib.sha256(policy_json(policy).encode()).hexdigest()


def policy_json(policy: Policy) -> str:
    """The whole policy as canonical JSON; ratios are the decimal strings that a person wrote."""
    return canonical_json(_plain(policy.model_dump(mode="json")))


def _plain(value: object) -> object:
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


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

    def __iter__(self):  # type: ignore[no-untyped-def]  # Mapping's own signature
        return iter(self._load())

    def __len__(self) -> int:
        return len(self._load())


def scene_of(store: Store, state: State, *, policy: Policy, lexicon: Lexicon, now: int) -> Scene:
    """The scene in which a pass over ``state`` is judged."""
    return Scene(
        before=state,
        facts=state.facts,
        consumed={},
        policy=policy,
        now=now,
        lexicon=lexicon,
        memo=Memo(store.secret(), MEASURES_VERSION, policy_digest(policy), store.memo_keys()),
        tombstones=Tombstones(store.secret(), store.tombstone_keys()),
        origins=Origins(store),
        strengths=store.activations(),
    )
