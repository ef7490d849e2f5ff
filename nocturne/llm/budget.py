"""What a run may spend, and what it has spent. Safe between threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from nocturne.app.asking import Usage
from nocturne.app.config import Limits, Price
from nocturne.llm.outcomes import Tokens

MILLION = 1_000_000


@dataclass
class Budget:
    """Counts calls and tokens; grants a call only while every limit holds.

    A granted call's likely tokens are reserved until its own count is known, so that parallel calls cannot
    cross a limit together. ``clock`` is in seconds and only its differences count.
    """

    limits: Limits
    clock: Callable[[], float]
    price: Price | None = None
    _started: float = field(init=False)
    _calls: int = 0
    _retries: int = 0
    _read: int = 0
    _written: int = 0
    _reserved: int = 0
    _seconds: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._started = self.clock()

    def grant(self, likely: int, *, again: bool) -> str | None:
        """None where the call may be made, which counts it; else the limit that forbids it."""
        with self._lock:
            limits = self.limits
            if limits.max_calls is not None and self._calls >= limits.max_calls:
                return f"max-calls ({limits.max_calls:,}) reached"
            spent = self._read + self._written + self._reserved
            if limits.max_tokens is not None and spent + likely > limits.max_tokens:
                return f"max-tokens ({limits.max_tokens:,}) would be crossed after {spent:,}"
            left = self._left()
            if left is not None and left <= 0:
                return f"deadline ({limits.deadline:g} s) reached"
            self._calls += 1
            self._retries += again
            self._reserved += likely
            return None

    def settle(self, likely: int, tokens: Tokens, *, read_guess: int, seconds: float) -> None:
        """The granted call is over: its true count, or ``read_guess`` where the server does not say."""
        with self._lock:
            self._reserved -= likely
            self._read += tokens.read if tokens.read is not None else read_guess
            self._written += tokens.written or 0
            self._seconds += seconds

    def _left(self) -> float | None:
        deadline = self.limits.deadline
        return None if deadline is None else deadline - (self.clock() - self._started)

    def left(self) -> float | None:
        """Seconds until the deadline; None without one."""
        with self._lock:
            return self._left()

    def usage(self, formats: dict[str, int]) -> Usage:
        """Everything so far."""
        with self._lock:
            cost = None
            if self.price is not None:
                cost = (self._read * self.price.read + self._written * self.price.written) / Fraction(MILLION)
            return Usage(
                calls=self._calls,
                retries=self._retries,
                tokens_in=self._read,
                tokens_out=self._written,
                seconds=self._seconds,
                cost=cost,
                formats=formats,
            )
