"""Many stores under one ``nocturne sleep``: each in a process of its own, with a line and an exit code of its own."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Self

from nocturne.app.nights import Nights, StoreNight
from nocturne.cli.children import Children, Ended, cores, own_command
from nocturne.cli.shell import OutputClosed, Shell, is_folder
from nocturne.errors import InputUnreadable, NocturneError, UsageError

if TYPE_CHECKING:
    from rich.live import Live

BROKEN = NocturneError.exit_code
"""The exit code of a night that ended without one of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What ``nocturne sleep`` was asked for, beside the stores."""

    dry_run: bool
    plan: Path | None
    only: list[str] | None
    policy: str
    allow_loss: bool
    provider: str | None
    model: str | None
    base_url: str | None
    jobs: int | None
    max_tokens: int | None
    max_calls: int | None
    deadline: float | None
    replay: Path | None
    record: Path | None


def run(shell: Shell, asked: Asked) -> int:
    """Let every store sleep, ``asked.jobs`` at a time; the exit code is the greatest of theirs."""
    started = perf_counter()
    _check(asked)
    places = list(_places(shell))
    able = [place for place in places if place.problem is None]
    words = [_words(shell, asked, place.db) for place in able]
    children = Children(words, at_a_time=min(asked.jobs or cores(), len(words)))
    with Told(shell, [place.db for place in places]) as told:
        for place in places:
            if place.problem is not None:
                told.ended(_unslept(place.db, place.problem))
        left = children.run(
            began=lambda child: told.began(able[child].db),
            ended=lambda child, how: told.ended(*_night(able[child].db, how, stopped=children.stopped)),
        )
        stopped = children.stopped
        for child in left:
            told.ended(StoreNight(able[child].db, 128 + (stopped or 0), error="stopped before it began"))
        return told.closed(stopped, perf_counter() - started)


def _check(asked: Asked) -> None:
    """Say once, before any store sleeps, what would be wrong for all of them."""
    from nocturne.app import config, policies
    from nocturne.app.sleep import chosen

    for option, file in (("--plan", asked.plan), ("--record", asked.record), ("--replay", asked.replay)):
        if file is not None:
            raise UsageError(
                f"{option} names one file, which cannot hold the nights of several stores",
                hint=f"one store at a time: nocturne sleep --db STORE {option} FILE",
            )
    chosen(policies.load(asked.policy), asked.only)
    settings = config.load(
        Path.cwd(), os.environ, provider=asked.provider, model=asked.model, base_url=asked.base_url
    )
    if settings.provider == "replay":
        raise UsageError(
            f"the provider is replay ({settings.chosen_by}), which answers for the one store that was recorded",
            hint="one store at a time: nocturne sleep --db STORE --replay FILE",
        )


@dataclass(frozen=True, slots=True)
class _Place:
    """A store, or what was given for one and why there is none."""

    db: str
    problem: NocturneError | None = None


def _places(shell: Shell) -> Iterator[_Place]:
    """Every store once, in the order in which they were given, a folder's by name."""
    from nocturne.store.finding import stores_in

    seen: dict[object, Path] = {}
    for given in shell.stores or (shell.db,):
        found, problem = [given], None
        if is_folder(given):
            try:
                found = stores_in(given)
            except InputUnreadable as error:
                problem = error
        for path in found:
            first = seen.setdefault(_identity(path), path)
            if first is path:
                yield _Place(str(path), problem)
            elif first != path:
                shell.note(f"{path} is {first} by another name: it sleeps once")


def _identity(path: Path) -> object:
    try:
        there = path.stat()
    except OSError:
        return os.path.realpath(path)
    return there.st_dev, there.st_ino


def _words(shell: Shell, asked: Asked, db: str) -> list[str]:
    """The command line of one store's night."""
    words = [*own_command(), "sleep", "--db", db, "--json"]
    switches = {"--quiet": shell.quiet, "--dry-run": asked.dry_run, "--allow-loss": asked.allow_loss}
    words += [name for name, on in switches.items() if on]
    values = {
        "--now": shell.clock,
        "--policy": asked.policy if asked.policy != "default" else None,
        "--provider": asked.provider,
        "--model": asked.model,
        "--base-url": asked.base_url,
        "--max-tokens": asked.max_tokens,
        "--max-calls": asked.max_calls,
        "--deadline": asked.deadline,
    }
    for name, value in values.items():
        if value is not None:
            words += [name, str(value)]
    for name in asked.only or ():
        words += ["--pass", name]
    return words


def _unslept(db: str, problem: NocturneError) -> StoreNight:
    return StoreNight(db, problem.exit_code, error=problem.message, hint=problem.hint)


def _night(db: str, how: Ended | OSError, *, stopped: int | None) -> tuple[StoreNight, list[str]]:
    """A process's end as a night, and what else it said on stderr."""
    if isinstance(how, OSError):
        return StoreNight(db, BROKEN, error=f"no process for it: {how.strerror}", hint="try fewer --jobs"), []
    said = how.err.decode("utf-8", errors="replace").splitlines()
    if stopped is not None and how.code == -stopped:
        # Caught before it could listen: its trace says no more than that.
        return StoreNight(db, 128 + stopped, error="stopped; what was finished before is kept"), []
    if how.code < 0:
        name = signal.Signals(-how.code).name
        kept = "what was finished before is kept; where memory was short, try fewer --jobs"
        return StoreNight(db, BROKEN, error=f"its process was ended by {name}", hint=kept), said
    report = _report(how.out)
    error, hint, rest = _failure(said)
    code = how.code or (0 if report is not None else BROKEN)
    if report is None and error is None:
        error = rest[-1] if rest else f"its process ended {how.code} without a word"
    return StoreNight(db, code, report, error, hint), rest


def _report(out: bytes) -> dict[str, Any] | None:
    try:
        report = json.loads(out)
    except ValueError:
        return None
    return report if isinstance(report, dict) else None


def _failure(said: Sequence[str]) -> tuple[str | None, str | None, list[str]]:
    """The error and the hint among the lines, and the other lines."""
    error: str | None = None
    hint: str | None = None
    rest = []
    for line in said:
        head, _, text = line.partition(": ")
        if head == "error":
            error = text
        elif head == "hint":
            hint = text.strip()
        elif head == "stopped" and error is None:
            error = f"stopped; {text}"
        else:
            rest.append(line)
    return error, hint, rest


class Told:
    """What is told of the nights as they end; below it, on a terminal, who is still asleep."""

    def __init__(self, shell: Shell, names: Sequence[str]) -> None:
        from nocturne.report.text import nights as text

        self._shell = shell
        self._names = names
        self._room = text.column(names, shell.width)
        self._asleep: dict[str, None] = {}
        self._nights: dict[str, StoreNight] = {}
        self._live: Live | None = None
        self._deaf = False

    def __enter__(self) -> Self:
        """Begin to tell."""
        return self

    def __exit__(self, *_: object) -> None:
        """Give the terminal back, as it was."""
        self._hide()

    def began(self, db: str) -> None:
        """A store falls asleep."""
        self._asleep[db] = None
        self._draw()

    def ended(self, night: StoreNight, said: Sequence[str] = ()) -> None:
        """A store's night is over; ``said`` is what else its process said on stderr."""
        from nocturne.report.page import clean
        from nocturne.report.text import nights as text

        shell = self._shell
        self._asleep.pop(night.db, None)
        self._hide()
        try:
            for line in said:
                shell.complain(clean(f"{night.db}: {line}"))
            if shell.as_json and night.error is not None:
                told = f"error: {night.error}" + (f" (hint: {night.hint})" if night.hint else "")
                shell.complain(clean(f"{night.db}: {told}"))
            if not shell.as_json and (night.exit_code or not shell.quiet):
                shell.say(text.one(night, room=self._room, width=shell.width))
        except (OutputClosed, BrokenPipeError):
            # Nobody reads any more; the stores that are left have their night all the same.
            self._deaf = True
        self._nights[night.db] = night if shell.as_json else _short(night)
        self._draw()

    def closed(self, stopped: int | None, seconds: float) -> int:
        """Every night is over: what they come to, and the exit code."""
        from nocturne.report.data import nights as data
        from nocturne.report.text import nights as text

        self._hide()
        if self._deaf:
            raise OutputClosed
        shell = self._shell
        nights = Nights(tuple(self._nights[name] for name in self._names), stopped)
        if shell.as_json:
            shell.emit(data.nights(nights))
        elif nights.exit_code or not shell.quiet:
            shell.say(text.summary(nights, seconds=seconds, width=shell.width))
        return nights.exit_code

    def _hide(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _draw(self) -> None:
        shell = self._shell
        self._hide()
        if not self._asleep or self._deaf or not shell.out_styled or shell.as_json or shell.quiet:
            return
        from rich.console import Group
        from rich.live import Live

        from nocturne.report.text import nights as text

        page = text.working(self._asleep, done=len(self._nights), of=len(self._names), width=shell.width)
        self._live = Live(
            Group(*(line.rich() for line in page.lines)),
            console=shell.out,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._live.start(refresh=True)


def _short(night: StoreNight) -> StoreNight:
    """The night without its report, which has been told and would only fill the memory."""
    return replace(night, report=None)
