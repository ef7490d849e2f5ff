"""How large a run is, and the made rows and stores that its goals share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from tests.bench import stores
from tests.bench.child import measured
from tests.bench.made import dense, made


@dataclass(frozen=True, slots=True)
class Stores:
    """How many facts whole stores have, how often a process is started, and how long the year is.

    ``proposals`` is how many are given to the filter; ``full`` is whether a night over the hugest store is slept too.
    """

    small: int
    large: int
    huge: int
    starts: int
    queries: int
    nights: int
    nights_over: int
    proposals: int
    full: bool = False


QUICK = Stores(2_000, 6_000, 6_000, starts=3, queries=20, nights=60, nights_over=2_000, proposals=4_000)
FULL = Stores(
    10_000, 100_000, 300_000, starts=15, queries=60, nights=365, nights_over=10_000, proposals=20_000, full=True
)
MILLION = replace(FULL, huge=1_000_000)


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large, and where made rows and stores are kept for the run."""

    folder: Path
    small: int
    large: int
    huge: int
    naive_step: int
    stores: Stores = QUICK

    @classmethod
    def of(cls, folder: Path, *, quick: bool, million: bool = False) -> Sizes:
        """The sizes of a quick or a full run; ``million`` makes the hugest store of a full one hold a million facts."""
        if quick:
            return cls(folder, 10_000, 100_000, 100_000, naive_step=5, stores=QUICK)
        return cls(folder, 10_000, 100_000, 1_000_000, naive_step=1, stores=MILLION if million else FULL)

    def zipf(self, count: int) -> str:
        """Rows by Zipf's law, in a file."""
        return _kept(self.folder / f"zipf-{count}.npz")

    def crowd(self, count: int) -> str:
        """Rows over a vocabulary of 100, in a file."""
        return _kept(self.folder / f"dense-{count}.npz")

    def store(self, count: int) -> str:
        """A store of so many facts, in a file that nobody may change."""
        return _built(self.folder / f"store-{count}.db", count)


@cache
def _kept(path: Path) -> str:
    kind, count = path.stem.split("-")
    rows = made(int(count)).rows if kind == "zipf" else dense(int(count))
    tokens = np.fromiter((token for row in rows for token in row), np.int32)
    np.savez(path, sizes=np.fromiter(map(len, rows), np.int64), tokens=tokens)
    return str(path)


@cache
def _built(path: Path, count: int) -> str:
    measured(stores.build, path=str(path), count=count)
    return str(path)
