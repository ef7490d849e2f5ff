"""How the end of a store's process is read, and how processes run side by side and are stopped."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from nocturne.app.nights import Nights, StoreNight
from nocturne.cli.children import Children, Ended
from nocturne.cli.nights import _night


def told(
    code: int, out: str = "", err: str = "", *, stopped: int | None = None
) -> tuple[StoreNight, list[str]]:
    return _night("a.db", Ended(code, out.encode(), err.encode()), stopped=stopped)


def test_an_error_and_its_hint_are_the_nights_and_the_rest_is_told() -> None:
    night, rest = told(
        5, err="a.db was brought from version 1 to 2\nerror: a.db: is full\nhint:  free some\n"
    )
    assert night == StoreNight("a.db", 5, None, "a.db: is full", "free some")
    assert rest == ["a.db was brought from version 1 to 2"]


def test_a_report_with_an_exit_code_is_kept_with_what_was_said() -> None:
    night, rest = told(4, '{"after": 3}', "provider: dedupe broke off: max-calls\n")
    assert (night.exit_code, night.report, night.error) == (4, {"after": 3}, None)
    assert rest == ["provider: dedupe broke off: max-calls"]


def test_a_process_without_a_word_is_a_failure() -> None:
    night, _ = told(0)
    assert (night.exit_code, night.error) == (5, "its process ended 0 without a word")
    night, rest = told(1, err="Traceback\nValueError: odd\n")
    assert (night.exit_code, night.error, rest) == (1, "ValueError: odd", ["Traceback", "ValueError: odd"])


def test_a_process_that_was_killed_names_the_signal() -> None:
    night, _ = told(-signal.SIGKILL)
    assert (night.exit_code, night.error) == (5, "its process was ended by SIGKILL")
    night, rest = told(-signal.SIGINT, err="Traceback\nKeyboardInterrupt\n", stopped=signal.SIGINT)
    assert (night.exit_code, night.error, rest) == (130, "stopped; what was finished before is kept", [])


@pytest.mark.parametrize(
    ("codes", "stopped", "expected"),
    [((0, 0), None, 0), ((0, 1, 5, 3), None, 5), ((5, 0), signal.SIGINT, 130), ((), None, 0)],
)
def test_the_greatest_exit_code_is_that_of_all(
    codes: tuple[int, ...], stopped: int | None, expected: int
) -> None:
    nights = tuple(StoreNight(f"{code}.db", code) for code in codes)
    assert Nights(nights, stopped).exit_code == expected


def python(text: str) -> list[str]:
    return [sys.executable, "-c", text]


def test_so_many_run_at_a_time_and_all_are_told_of() -> None:
    mark = "import pathlib, time; p = pathlib.Path('{}'); p.touch(); time.sleep(.2); p.unlink(); print({})"
    seen: list[int] = []
    ends: dict[int, bytes] = {}

    def ended(number: int, how: Ended | OSError) -> None:
        assert isinstance(how, Ended)
        ends[number] = how.out.strip()

    children = Children([python(mark.format(f"{n}.run", n)) for n in range(4)], at_a_time=2)
    left = children.run(began=lambda _: seen.append(len(list(Path().glob("*.run")))), ended=ended)
    assert left == []
    assert ends == {n: str(n).encode() for n in range(4)}
    assert max(seen) <= 2


def test_a_command_that_cannot_start_is_told_and_the_others_run() -> None:
    ends: dict[int, Ended | OSError] = {}
    Children([["./no-such-program"], python("print(1)")], at_a_time=1).run(
        began=lambda _: None, ended=ends.__setitem__
    )
    assert isinstance(ends[0], OSError)
    assert ends[1] == Ended(0, b"1\n", b"")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_passed_on_and_what_waits_never_begins(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    ends: dict[int, Ended | OSError] = {}
    sleeper = python("import signal, time; signal.signal(2, signal.SIG_DFL); time.sleep(60)")
    children = Children([sleeper, sleeper], at_a_time=1)
    began = time.monotonic()
    left = children.run(
        began=lambda _: threading.Timer(0.3, os.kill, (os.getpid(), number)).start(), ended=ends.__setitem__
    )
    assert left == [1]
    assert (children.stopped, ends[0]) == (number, Ended(-number, b"", b""))
    assert time.monotonic() - began < 20
    assert signal.getsignal(number) is before


def test_one_who_cannot_wait_ends_what_does_not_listen() -> None:
    ends: dict[int, Ended | OSError] = {}
    deaf = python(
        "import signal, time; signal.signal(2, signal.SIG_IGN); print(1, flush=True); time.sleep(60)"
    )

    def twice(_: int) -> None:
        for wait in (0.6, 0.9):
            threading.Timer(wait, os.kill, (os.getpid(), signal.SIGINT)).start()

    children = Children([deaf], at_a_time=1)
    children.run(began=twice, ended=ends.__setitem__)
    assert ends[0] == Ended(-signal.SIGTERM, b"1\n", b"")
    assert children.stopped == signal.SIGINT


def test_nothing_is_left_when_the_telling_fails() -> None:
    children = Children([python("import time; time.sleep(60)")], at_a_time=1)

    def fails(_: int) -> None:
        raise ZeroDivisionError

    began = time.monotonic()
    with pytest.raises(ZeroDivisionError):
        children.run(began=fails, ended=lambda *_: None)
    assert time.monotonic() - began < 20
