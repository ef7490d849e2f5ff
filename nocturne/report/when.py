"""Times as people and machines read them: microseconds since the epoch in, UTC out."""

from __future__ import annotations

from nocturne.core.facts import DAY
from nocturne.core.instants import moment_of


def minute(micros: int) -> str:
    """``2026-03-18 19:10``."""
    moment = moment_of(micros)
    return moment.strftime("%Y-%m-%d %H:%M") if moment is not None else f"{micros} µs"


def day(micros: int) -> str:
    """``2026-03-18``."""
    moment = moment_of(micros)
    return moment.strftime("%Y-%m-%d") if moment is not None else f"{micros} µs"


def days(micros: int) -> str:
    """A span in whole days: ``70 d``."""
    return f"{micros // DAY} d"


def took(seconds: float) -> str:
    """A duration that somebody waited for: ``0.4 s``, ``2 min 5 s``."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // 60} min {int(seconds) % 60} s"
