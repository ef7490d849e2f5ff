"""``nocturne restore``: an earlier version comes back as a new one, so that an undo can be undone."""

from __future__ import annotations

from dataclasses import dataclass

from nocturne.app.ports import SnapshotInfo, Store
from nocturne.core.facts import Fact, Reversion
from nocturne.core.policy import Policy
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.text.measures import content
from nocturne.passes.scene import Tombstones


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did. ``skipped`` are facts that a person's word keeps away."""

    to: SnapshotInfo
    snapshot: int | None
    changes: tuple[Reversion, ...]
    skipped: tuple[Fact, ...]
    active: int

    @property
    def exact(self) -> bool:
        """Whether the new version equals the old one, row for row."""
        return not self.skipped


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
    changes: list[Reversion] = []
    skipped: list[Fact] = []
    for current, wanted in store.changes(None, target.number):
        if (
            wanted is not None
            and wanted.active
            and not (current is not None and current.active and current.text == wanted.text)
            and stones.holds(content(wanted.text, lexicon))
        ):
            skipped.append(wanted)
            continue
        changes.append(Reversion(current, wanted))
    if not changes:
        return Restored(target, None, (), tuple(skipped), len(store.state().facts))
    with store.transaction(expect=head) as tx:
        tx.restore(
            changes, to=target, skipped=[fact.id for fact in skipped], at=now, policy=policy, lifted=lift
        )
        info = tx.snapshot(f"restore:s{target.number}", command=command, policy=policy, at=now)
    return Restored(target, info.number, tuple(changes), tuple(skipped), info.active)
