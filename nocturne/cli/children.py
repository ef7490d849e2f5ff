"""Commands of our own side by side, each in a process of its own; a signal that stops us stops them first."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import RLock, Thread
from types import FrameType

STOPPING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended: its exit code, negative where a signal ended it, and all that it said."""

    code: int
    out: bytes
    err: bytes


def own_command() -> list[str]:
    """The words that start this same nocturne again, wherever it is installed and whatever PATH says."""
    root = Path(__file__).resolve().parents[2]
    # A folder named nocturne where the command happens to run is not this program, unless it is.
    alone = [] if root == Path.cwd() else ["-P"]
    return [sys.executable, *alone, "-m", "nocturne"]


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Children:
    """Runs commands, so many at a time. ``stopped`` is the number of the signal that stopped them, if one did."""

    def __init__(self, commands: Sequence[Sequence[str]], *, at_a_time: int) -> None:
        self.stopped: int | None = None
        self._waiting = deque(enumerate(commands))
        self._running: dict[int, subprocess.Popen[bytes]] = {}
        self._at_a_time = at_a_time
        self._lock = RLock()
        self._told: SimpleQueue[tuple[int, Ended | OSError | None] | None] = SimpleQueue()

    def run(
        self, *, began: Callable[[int], None], ended: Callable[[int, Ended | OSError], None]
    ) -> list[int]:
        """Run them all, and tell of each as it begins and ends; returns those that never began.

        The first signal is passed on to every process, which then ends as it would have alone; a second
        one ends them at once. Either way none is left when this returns.
        """
        crew = [Thread(target=self._work) for _ in range(self._at_a_time)]
        with self._listening():
            for worker in crew:
                worker.start()
            try:
                for number, how in self._heard(len(crew)):
                    if how is None:
                        began(number)
                    else:
                        ended(number, how)
            finally:
                if any(worker.is_alive() for worker in crew):
                    self._stop(signal.SIGTERM, None)
                for worker in crew:
                    worker.join()
        return [number for number, _ in self._waiting]

    def _heard(self, workers: int) -> Iterator[tuple[int, Ended | OSError | None]]:
        while workers:
            told = self._told.get()
            if told is None:
                workers -= 1
            else:
                yield told

    def _work(self) -> None:
        while (begun := self._begin()) is not None:
            number, process = begun
            out, err = process.communicate()
            with self._lock:
                del self._running[number]
            self._told.put((number, Ended(process.returncode, out, err)))
        self._told.put(None)

    def _begin(self) -> tuple[int, subprocess.Popen[bytes]] | None:
        with self._lock:
            while self._waiting and self.stopped is None:
                number, words = self._waiting.popleft()
                try:
                    process = subprocess.Popen(
                        words,
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE,
                        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
                        # In a group of its own: a terminal's Ctrl-C would reach it twice, the second time
                        # in the midst of its clearing up.
                        process_group=0,
                    )
                except OSError as error:
                    self._told.put((number, error))
                    continue
                self._running[number] = process
                self._told.put((number, None))
                return number, process
        return None

    @contextmanager
    def _listening(self) -> Iterator[None]:
        # What is ignored already (under nohup, say) stays ignored, here and in the processes.
        before = {
            number: signal.signal(number, self._stop)
            for number in STOPPING
            if signal.getsignal(number) != signal.SIG_IGN
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _stop(self, number: int, _: FrameType | None) -> None:
        with self._lock:
            again = self.stopped is not None
            self.stopped = self.stopped or number
            for process in self._running.values():
                process.send_signal(signal.SIGTERM if again else number)
