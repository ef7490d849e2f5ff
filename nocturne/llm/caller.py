"""Asking one thing of one server until there is an answer, a reason why not, or a limit."""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from nocturne.app.asking import RawReply
from nocturne.llm.batching import likely_tokens
from nocturne.llm.budget import Budget
from nocturne.llm.dialects import Dialect
from nocturne.llm.ladder import Ladder
from nocturne.llm.outcomes import UNHELD, Failure, Outcome, Usable
from nocturne.llm.prompting import Prompt
from nocturne.llm.schema import output_tokens
from nocturne.llm.transport import Transport, host_of
from nocturne.llm.waiting import delay

LEAST_OUTPUT = 256
ROOMY_OUTPUT = 4096
"""For hosted models, whose hidden thinking counts as output."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How to ask. ``timeout`` is in seconds for one whole request; ``near`` is a server of one's own."""

    jobs: int = 4
    batch: int = 100
    context_tokens: int = 8192
    most_output: int = 2048
    timeout: float = 120.0
    retries: int = 2
    nonce: bool = True
    near: bool = False


@dataclass(frozen=True, slots=True)
class Halted:
    """Nothing was asked: a limit or an interruption came first."""

    why: str


@dataclass(frozen=True, slots=True)
class Clock:
    """Where time and luck come from. ``wall`` is in seconds since the epoch, ``steady`` never goes back.

    ``pause`` waits for so many seconds; True where the event was set meanwhile.
    """

    wall: Callable[[], float]
    steady: Callable[[], float]
    luck: Callable[[], float]
    pause: Callable[[threading.Event, float], bool] = threading.Event.wait


class Caller:
    """One dialect at one address. Safe between threads."""

    def __init__(
        self,
        dialect: Dialect,
        transport: Transport,
        ladder: Ladder,
        budget: Budget,
        manner: Manner,
        *,
        clock: Clock,
    ) -> None:
        self.dialect = dialect
        self.ladder = ladder
        self.budget = budget
        self.manner = manner
        self._transport = transport
        self._clock = clock

    def ask(self, prompt: Prompt, stop: threading.Event) -> RawReply | Failure | Halted:
        """One reply to one prompt. Tries again only where the failure's plan says so."""
        tries: Counter[str] = Counter()
        most = self._room(prompt)
        grown = again = False
        while True:
            form = self.ladder.form
            done = self._once(prompt, form, most, stop, again=again)
            if not isinstance(done, Failure):
                return done
            again = True
            if done.kind == "format-refused":
                if self.ladder.refused(form):
                    continue
                return done
            if done.kind == "parameter-refused":
                if done.parameter is not None and self.ladder.drop(done.parameter):
                    continue
                return done
            if done.kind == "cut" and prompt.expected.units == 1 and not grown:
                grown, most = True, 2 * most
                continue
            tries[done.kind] += 1
            stepped = done.kind in UNHELD and self.ladder.broke(form)
            allowed = done.plan.retries if done.plan.retries is not None else self.manner.retries
            if tries[done.kind] > allowed or tries.total() > self.manner.retries + 1:
                return done
            if not stepped and not self._wait(done, tries.total(), stop):
                return done

    def _room(self, prompt: Prompt) -> int:
        wanted = max(LEAST_OUTPUT, 2 * output_tokens(prompt.brief))
        if not self.manner.near:
            wanted = max(ROOMY_OUTPUT, wanted)
        return min(wanted, self.manner.most_output)

    def _once(
        self, prompt: Prompt, form: str, most: int, stop: threading.Event, *, again: bool
    ) -> RawReply | Failure | Halted:
        if stop.is_set():
            return Halted("interrupted")
        guess = likely_tokens(prompt.system) + likely_tokens(prompt.user)
        forbidden = self.budget.grant(guess + most, again=again)
        if forbidden is not None:
            return Halted(forbidden)
        began = self._clock.steady()
        outcome: Outcome = Failure("disconnected", "the call did not come to an end")
        try:
            outcome = self._carry(prompt, form, most)
        finally:
            took = self._clock.steady() - began
            self.budget.settle(
                guess + most, outcome.tokens, read_guess=_read_guess(outcome, guess), seconds=took
            )
        if isinstance(outcome, Failure):
            return outcome
        self.ladder.held(form, honoured=not outcome.repairs)
        return self._reply(prompt, outcome, form, took)

    def _carry(self, prompt: Prompt, form: str, most: int) -> Outcome:
        call = self.dialect.call(prompt, form=form, most_tokens=most, dropped=self.ladder.dropped)
        answer = self._transport.post(call.url, call.headers, call.payload, self.manner.timeout)
        if isinstance(answer, Failure):
            return answer
        return self.dialect.read(answer, prompt, self._clock.wall())

    def _wait(self, failure: Failure, attempt: int, stop: threading.Event) -> bool:
        """False where waiting is pointless: the deadline comes first, or somebody stopped the run."""
        seconds = delay(failure, attempt, self._clock.luck(), near=self.manner.near)
        left = self.budget.left()
        if left is not None and seconds >= left:
            return False
        return not self._clock.pause(stop, seconds)

    def _reply(self, prompt: Prompt, usable: Usable, form: str, took: float) -> RawReply:
        tokens = usable.tokens
        raw = usable.raw.encode("utf-8", "surrogatepass")
        return RawReply(
            usable.text,
            {
                "provider": self.dialect.name,
                "host": host_of(self.dialect.base_url),
                "model": self.dialect.model,
                "prompt": prompt.files,
                "request": prompt.key,
                "reply": hashlib.sha256(raw).hexdigest(),
                "tokens_in": tokens.read if tokens.read is not None else 0,
                "tokens_out": tokens.written if tokens.written is not None else 0,
                "ms": round(took * 1000),
                "at": int(self._clock.wall() * 1_000_000),
                "requested": form,
                "honoured": "none" if usable.repairs else form,
                "repairs": list(usable.repairs),
            },
        )


def _read_guess(outcome: Outcome, guess: int) -> int:
    """A server that never answered read nothing that anybody pays for."""
    unread = isinstance(outcome, Failure) and outcome.kind in _UNREAD
    return 0 if unread else guess


_UNREAD = frozenset(
    {
        "unreachable",
        "rate-limited",
        "quota",
        "auth",
        "model-missing",
        "not-found",
        "redirected",
        "format-refused",
        "parameter-refused",
        "context-exceeded",
        "bad-request",
    }
)
