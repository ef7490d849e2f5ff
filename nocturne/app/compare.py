"""``nocturne diff``: what became of each fact between two versions, why, and what was refused meanwhile."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nocturne.app.ports import MutationRow, SnapshotInfo, Store
from nocturne.core.diff import KINDS, Kind, kind
from nocturne.core.facts import Fact


@dataclass(frozen=True, slots=True)
class Difference:
    """One fact's difference and the accepted mutations of the range that touched it, in order."""

    kind: Kind
    before: Fact | None
    after: Fact | None
    mutations: tuple[MutationRow, ...]

    @property
    def fact(self) -> Fact:
        """The later version where there is one."""
        found = self.after or self.before
        assert found is not None
        return found


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two versions side by side. ``refused`` are the refusals with ``lo < seq <= hi``."""

    older: SnapshotInfo
    newer: SnapshotInfo
    differences: tuple[Difference, ...]
    refused: tuple[MutationRow, ...]
    kept: int
    reversed: bool = False
    successors: Mapping[int, Fact] = field(default_factory=dict)
    """The facts in which absorbed and superseded ones live on, as they stand in the later version."""

    @property
    def counts(self) -> Counter[str]:
        """How many facts of each kind, ``kept`` included."""
        return Counter(entry.kind for entry in self.differences) + Counter(kept=self.kept)


def compare(store: Store, older: SnapshotInfo, newer: SnapshotInfo) -> Comparison:
    """What happened from one version to another, at the cost of what changed."""
    swapped = older.seq > newer.seq
    low, high = (newer, older) if swapped else (older, newer)
    accepted: dict[int, list[MutationRow]] = defaultdict(list)
    refused = []
    for row in store.mutations(low.seq, high.seq):
        if row.accepted:
            for fact in row.touched:
                accepted[fact].append(row)
        else:
            refused.append(row)
    found: list[Difference] = []
    shown = 0
    for before, after in store.changes(older.number, newer.number):
        what = kind(before, after)
        if what is None or what == "kept":
            continue
        if before is not None and before.active:
            shown += 1
        later = after or before
        assert later is not None
        found.append(Difference(what, before, after, tuple(accepted.get(later.id, ()))))
    found.sort(key=lambda entry: (KINDS.index(entry.kind), entry.fact.id))
    heirs = {entry.fact.successor for entry in found if entry.kind in ("absorbed", "superseded")}
    return Comparison(
        older,
        newer,
        tuple(found),
        tuple(refused),
        kept=older.active - shown,
        reversed=swapped,
        successors=store.facts((heir for heir in heirs if heir is not None), newer.number),
    )


def of_kind(comparison: Comparison, *kinds: Kind) -> Sequence[Difference]:
    """The differences of the given kinds."""
    return [entry for entry in comparison.differences if entry.kind in kinds]
