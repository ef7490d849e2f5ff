"""Builds the scene of a pass from a store: the state, the memo, the tombstones, where turns come from."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import TypeVar

from nocturne.app.evidence import evidence_of
from nocturne.app.ports import Store
from nocturne.core.contents import Contents, Words
from nocturne.core.facts import Fact, State
from nocturne.core.policy import Policy
from nocturne.core.table import texts_of
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.text.measures import MEASURES_VERSION
from nocturne.passes.scene import Memo, Origin, Scene, Tombstones

_T = TypeVar("_T")


class Once(Mapping[int, _T]):
    """A table that is read from the store when it is first asked for: not every pass needs it."""

    def __init__(self, read: Callable[[], Mapping[int, _T]]) -> None:
        self._read = read

    @cached_property
    def _known(self) -> Mapping[int, _T]:
        return self._read()

    def __getitem__(self, key: int) -> _T:
        return self._known[key]

    def __iter__(self) -> Iterator[int]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


class _Origins(Mapping[int, Origin]):
    """Where each turn comes from: a number for each, because many come from one place."""

    def __init__(self, origins: Iterable[tuple[int, int, str | None, int | None]]) -> None:
        numbers: dict[Origin, int] = {}
        self._numbers = array("I")
        for turn, source, session, day in origins:
            self._numbers.frombytes(bytes(self._numbers.itemsize * max(0, turn + 1 - len(self._numbers))))
            self._numbers[turn] = numbers.setdefault(Origin(source, session, day), len(numbers) + 1)
        self._origins = list(numbers)

    def __getitem__(self, turn: int) -> Origin:
        if turn not in self:
            raise KeyError(turn)
        return self._origins[self._numbers[turn] - 1]

    def __contains__(self, turn: object) -> bool:
        return isinstance(turn, int) and 0 <= turn < len(self._numbers) and self._numbers[turn] > 0

    def __iter__(self) -> Iterator[int]:
        return (turn for turn, number in enumerate(self._numbers) if number)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def measured(store: Store, state: State) -> Contents[str]:
    """The content of the facts' texts, as it was measured when they were written."""
    held = store.contents()
    text = texts_of(state.facts)
    rows = {text(id_): held.rows[id_] for id_ in state.facts if id_ in held.rows}
    return Contents(held.words, rows)


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


def scene_of(
    store: Store,
    state: State,
    *,
    policy: Policy,
    lexicon: Lexicon,
    now: int,
    contents: Contents[str] | None = None,
    fresh: AbstractSet[int] | None = None,
    answered: AbstractSet[str] | None = None,
) -> Scene:
    """The scene in which a pass over ``state`` is judged; ``answered`` are the memo keys that it needs (None: all)."""
    evidence = evidence_of(store, state.facts)
    known = store.memo_keys() if answered is None else answered
    return Scene(
        before=state,
        facts=state.facts,
        consumed={},
        policy=policy,
        now=now,
        lexicon=lexicon,
        memo=Memo(store.secret(), MEASURES_VERSION, policy.digest(), known),
        tombstones=Tombstones(store.secret(), store.tombstone_keys()),
        origins=Once(lambda: _Origins(store.origins())),
        denials=Once(store.denials),
        strengths=Once(store.activations),
        windows=Once(store.windows),
        measured=Contents(Words(), {}) if contents is None else contents,
        evidence=evidence,
        forgotten=_forgotten(store, state, evidence),
        fresh=fresh,
    )
