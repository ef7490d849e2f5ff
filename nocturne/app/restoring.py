"""``nocturne restore``: an earlier version comes back as a new one, so that an undo can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nocturne.app.ports import SnapshotInfo, Store
from nocturne.core.acts import ERASED, Act
from nocturne.core.facts import Fact, Reversion
from nocturne.core.policy import Policy
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.text.measures import content
from nocturne.passes.scene import Tombstones


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did. ``skipped`` are facts that a person's word keeps away, ``purged`` such as are gone for good.

    ``kept`` are facts that were to live on in one of these: they stay active, so that nothing is lost.
    """

    to: SnapshotInfo
    snapshot: int | None
    changes: tuple[Reversion, ...]
    skipped: tuple[Fact, ...]
    active: int
    purged: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether the new version equals the old one, row for row."""
        return not (self.skipped or self.purged or self.kept)


def restore(
    store: Store,
    target: SnapshotInfo,
    *,
    policy: Policy | None,
    lexicon: Lexicon,
    now: int,
    command: str,
    lift: bool = False,
) -> Restored:
    """Bring ``target`` back as a new version; where the store is as it was then, nothing is written."""
    head = store.head()
    stones = Tombstones(store.secret(), frozenset() if lift else store.tombstone_keys())
    pairs = store.changes(None, target.number)
    skipped: list[Fact] = []
    purged: set[int] = set()
    for current, wanted in pairs:
        if wanted is None or not wanted.active:
            continue
        if wanted.text == ERASED:
            purged.add(wanted.id)
        elif (
            stones.known
            and not (current is not None and current.active and current.text == wanted.text)
            and stones.holds(content(wanted.text, lexicon))
        ):
            skipped.append(wanted)
    away = purged | {fact.id for fact in skipped}
    kept = _kept(store, target, pairs, away) if away else set()
    changes = [
        Reversion(current, wanted)
        for current, wanted in pairs
        if not (wanted is not None and wanted.id in away | kept)
    ]
    if not changes:
        return Restored(
            target,
            None,
            (),
            tuple(skipped),
            len(store.state().facts),
            tuple(sorted(purged)),
            tuple(sorted(kept)),
        )
    with store.transaction(expect=head) as tx:
        gone = tx.restore(changes, to=target, skipped=sorted(away | kept), at=now, policy=policy, lifted=lift)
        lifted = _lifted(store, changes, lexicon) if lift else ()
        if lifted:
            tx.act([Act("lift", rule="person:lift", lifts=lifted)], at=now, policy=policy)
        info = tx.snapshot(f"restore:s{target.number}", command=command, policy=policy, at=now)
    return Restored(
        target,
        info.number,
        tuple(changes),
        tuple(skipped),
        info.active,
        tuple(sorted(purged | set(gone))),
        tuple(sorted(kept)),
    )


def _kept(
    store: Store, target: SnapshotInfo, pairs: Sequence[tuple[Fact | None, Fact | None]], away: set[int]
) -> set[int]:
    """Active facts that were to be retired into one that stays away."""
    then: dict[int, Fact] = {}

    def heir(fact: Fact) -> int:
        seen = {fact.id}
        while not fact.active and fact.successor is not None and fact.successor not in seen:
            seen.add(fact.successor)
            if fact.successor not in then:
                then.update(store.facts([fact.successor], target.number))
            if fact.successor not in then:
                break
            fact = then[fact.successor]
        return fact.id

    return {
        wanted.id
        for current, wanted in pairs
        if current is not None
        and current.active
        and wanted is not None
        and not wanted.active
        and heir(wanted) in away
    }


def _lifted(store: Store, changes: Sequence[Reversion], lexicon: Lexicon) -> tuple[str, ...]:
    """The tombstones over every text of the rows that come back, active or not."""
    stones = Tombstones(store.secret(), store.tombstone_keys())
    keys = {stones.of(content(each.after.text, lexicon)) for each in changes if each.after is not None}
    return tuple(sorted(keys & stones.known))
