"""How long to wait before the same is asked again. Pure: the caller brings the randomness."""

from __future__ import annotations

from nocturne.llm.outcomes import Failure

BASE_SECONDS = 0.5
MOST_SECONDS = 30.0
TIMEOUT_SECONDS = 5.0
"""After a time-out: the server may still be busy with the request that was given up."""


def delay(failure: Failure, attempt: int, luck: float, *, near: bool, most: float = MOST_SECONDS) -> float:
    """Seconds before try ``attempt + 1``; ``attempt`` counts from 1 and ``luck`` is in [0, 1).

    Doubling with full jitter over the upper half. What the server asks for by Retry-After is a lower bound,
    itself capped. After a time-out a near server gets the longest wait of all.
    """
    base = BASE_SECONDS
    if failure.kind == "timeout":
        base = TIMEOUT_SECONDS * (2 if near else 1)
    grown: float = min(most, base * 2 ** (attempt - 1))
    jittered = grown * (0.5 + luck / 2)
    if failure.retry_after is None:
        return jittered
    return min(most, max(failure.retry_after, jittered))
