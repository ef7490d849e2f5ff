"""When a retrieved memory is open to refinement: windows by event time, never by the clock of a sleep.

A turn refines a fact if it was said within the window that an access of the fact opened; the next sleep
judges it. After Nader, Schafe & LeDoux (2000).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nocturne.core.facts import HOUR

WINDOW = 6 * HOUR
MOST = 10


def extended(until: int | None, accessed_at: int) -> int:
    """Where the window ends after an access: six hours on, or the end it had already if that is later."""
    end = accessed_at + WINDOW
    return end if until is None else max(until, end)


def opened(windows: Mapping[int, int], facts: Iterable[int], at: int) -> dict[int, int]:
    """The open windows (fact → end) after an access of ``facts`` at ``at``, ids ascending.

    Windows that ended before ``at`` are closed. At most ten stay open: those that end last, and of equals the
    lowest ids.
    """
    live = {fact: end for fact, end in windows.items() if end >= at}
    for fact in facts:
        live[fact] = extended(live.get(fact), at)
    kept = sorted(live, key=lambda fact: (-live[fact], fact))[:MOST]
    return {fact: live[fact] for fact in sorted(kept)}


def within(opened_at: int, until: int, said_at: int) -> bool:
    """Whether something said at ``said_at`` falls in the window from the access to its end, both included."""
    return opened_at <= said_at <= until
