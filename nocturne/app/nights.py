"""Nights of many stores under one command: how each ended, and with what exit code the whole ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class StoreNight:
    """One store's night. ``report`` is the night in its JSON shape, None where there was none."""

    db: str
    exit_code: int
    report: Mapping[str, Any] | None = None
    error: str | None = None
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Nights:
    """Every store's night, in the order in which the stores were given. ``stopped`` is the signal's number."""

    stores: tuple[StoreNight, ...]
    stopped: int | None = None

    @property
    def codes(self) -> Counter[int]:
        """How many stores ended with each exit code."""
        return Counter(night.exit_code for night in self.stores)

    @property
    def exit_code(self) -> int:
        """The greatest of the stores' exit codes; 128 and the signal where a signal stopped them."""
        if self.stopped is not None:
            return 128 + self.stopped
        return max(self.codes, default=0)
