"""The proposer that asks a model: a brief goes out in portions, and everything is accounted for."""

from __future__ import annotations

import json
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nocturne.app.asking import Asked, Journal, RawReply, Unit, Usage
from nocturne.core.verdicts import Refused
from nocturne.errors import ProviderFailed
from nocturne.llm.batching import Portion, halves, least_tokens, narrow, portions, shown, units
from nocturne.llm.caller import Caller, Halted
from nocturne.llm.outcomes import Failure
from nocturne.llm.prompting import Prompt, named, refused_line, render
from nocturne.llm.schema import output_tokens
from nocturne.llm.transport import host_of
from nocturne.passes.briefs import Brief

PATIENCE = 3
"""After so many calls in a row that gave nothing usable, the rest of the pass is not asked."""
MOST_HALVINGS = 4
MOST_REFUSALS = 40
_SPLIT = json.dumps({"split": True})

Place = tuple[int, ...]
Wording = Callable[[Refused], str]


def plain_wording(refused: Refused) -> str:
    """The evidence as it is, for callers that have no table of codes at hand."""
    shown = {key: value for key, value in refused.evidence.items() if key != "raw"}
    return json.dumps(shown, ensure_ascii=False, sort_keys=True, default=str)[:400]


@dataclass(frozen=True, slots=True)
class _Task:
    """One portion on its way; halves of place (3,) are (3, 0) and (3, 1)."""

    place: Place
    portion: Portion
    prompt: Prompt


@dataclass
class _Round:
    """One pass's asking: what is still to be asked, what came, what failed."""

    pass_name: str
    total: int
    waiting: deque[tuple[Place, Portion]]
    replies: dict[Place, RawReply] = field(default_factory=dict)
    lost: dict[Place, tuple[Portion, Failure]] = field(default_factory=dict)
    unasked: list[Portion] = field(default_factory=list)
    stopped: str | None = None
    in_a_row: int = 0
    from_journal: int = 0

    def asked(self) -> Asked:
        """The round as the use case sees it."""
        left: list[Unit] = []
        for portion, _ in self.lost.values():
            left += portion.units
        for portion in [*self.unasked, *(portion for _, portion in self.waiting)]:
            left += portion.units
        return Asked(
            pass_name=self.pass_name,
            units=self.total,
            unanswered=tuple(left),
            failures=tuple(failure.sentence() for _, (_, failure) in sorted(self.lost.items(), key=_place)),
            stopped=self.stopped,
            replies=len(self.replies),
            from_journal=self.from_journal,
        )


def _numbered(parts: Sequence[Portion]) -> deque[tuple[Place, Portion]]:
    return deque(((place,), part) for place, part in enumerate(parts))


def _place(item: tuple[tuple[int, ...], Any]) -> tuple[int, ...]:
    return item[0]


class ModelProposer:
    """See ``app.asking.Asker``. One is made for one run; its limits hold over all passes together."""

    def __init__(
        self,
        caller: Caller,
        *,
        journal: Journal | None = None,
        wording: Wording = plain_wording,
        on_close: Callable[[], None] | None = None,
    ) -> None:
        self.name = f"{caller.dialect.name}:{caller.dialect.model}"
        self._caller = caller
        self._journal = journal
        self._wording = wording
        self._on_close = on_close
        self._asked: dict[str, Asked] = {}
        self._last: str | None = None
        self._given_up: Failure | None = None

    @property
    def usage(self) -> Usage:
        """See ``Asker``."""
        return self._caller.budget.usage(self._caller.ladder.seen())

    def asked(self, pass_name: str) -> Asked | None:
        """See ``Asker``."""
        return self._asked.get(pass_name)

    def _note(self, asked: Asked) -> None:
        """A pass may ask in several rounds: they count together until another pass asks."""
        before = self._asked.pop(asked.pass_name, None)
        if before is None or self._last != asked.pass_name:
            self._asked[asked.pass_name] = asked
        else:
            self._asked[asked.pass_name] = before.plus(asked)
        self._last = asked.pass_name

    def close(self) -> None:
        """See ``Asker``."""
        if self._on_close is not None:
            self._on_close()

    def propose(self, pass_name: str, brief: Brief) -> Iterator[RawReply]:
        """Every usable reply, in the brief's order. ProviderFailed where there is none and a call failed.

        Turns are read once and for all, so ``encode`` is all or nothing: ProviderFailed where any turn was not
        answered. What was answered is in the journal, and is not asked again.
        """
        brief = shown(brief)
        asked_about = units(brief)
        parts = portions(brief, budget=self._budget(brief), most=self._most(brief)) if asked_about else []
        this = _Round(pass_name, len(asked_about), _numbered(parts))
        try:
            self._run(this, {})
        finally:
            self._note(this.asked())
        if this.lost and not this.replies:
            raise self._nothing(this)
        how = this.asked()
        if pass_name == "encode" and how.unanswered:
            raise self._unread(how)
        for _, reply in sorted(this.replies.items(), key=_place):
            yield reply

    def repair(self, pass_name: str, brief: Brief, refusals: Sequence[Refused]) -> Iterator[RawReply]:
        """One more try at the refused. A failure here is no loss: the refusals stand."""
        brief, told = shown(brief), refusals[:MOST_REFUSALS]
        concerned = frozenset[int]().union(*(named(refused) for refused in told)) if told else frozenset()
        listed = units(brief)
        chosen = [place for place, unit in enumerate(listed) if concerned & set(unit)]
        if not chosen or self._given_up is not None:
            return
        lines = [(named(refused), refused_line(refused, self._wording(refused))) for refused in told]
        part = narrow(brief, chosen)
        parts = portions(part, budget=self._budget(part) // 2, most=self._most(part))
        by_place: dict[Place, list[Mapping[str, Any]]] = {}
        for place, piece in enumerate(parts):
            ids = {identity for unit in piece.units for identity in unit}
            by_place[(place,)] = [line for names, line in lines if names & ids]
        this = _Round(pass_name, len(chosen), _numbered(parts))
        self._run(this, by_place)
        for _, reply in sorted(this.replies.items(), key=_place):
            yield reply

    def _most(self, brief: Brief) -> int:
        """Units a call, so that a full answer fits into the output."""
        manner = self._caller.manner
        each = max(1, output_tokens(brief) // max(1, len(units(brief))))
        return max(1, min(manner.batch, manner.most_output // each))

    def _budget(self, brief: Brief) -> int:
        """Tokens of data a call, beside the instructions and the room for the answer."""
        manner = self._caller.manner
        frame = render(narrow(brief, []), asker=self._asker(), nonce=manner.nonce)
        return max(256, manner.context_tokens - manner.most_output - 2 * frame.expected.estimate)

    def _asker(self) -> str:
        return f"{self._caller.dialect.name}/{self._caller.dialect.model}"

    def _nothing(self, this: _Round) -> ProviderFailed:
        _, (_, failure) = min(this.lost.items(), key=_place)
        host = host_of(self._caller.dialect.base_url)
        found = f"{failure.kind}: {failure.detail}"
        return ProviderFailed(
            f"{self.name} at {host} gave nothing usable for {this.pass_name}: {found}",
            hint=failure.hint or "nocturne provider check says what this server can do",
        )

    def _unread(self, how: Asked) -> ProviderFailed:
        why = how.stopped or how.failures[0]
        return ProviderFailed(
            f"{len(how.unanswered):,} of {how.units:,} turns were not read by {self.name}: {why}",
            hint="run the same command again: what was answered is kept and not paid for twice",
        )

    def _run(self, this: _Round, refused: Mapping[Place, Sequence[Mapping[str, Any]]]) -> None:
        """Ask until nothing is waiting. Only this thread touches the round and the journal."""
        if self._given_up is not None and this.waiting:
            place, portion = this.waiting.popleft()
            this.lost[place] = (portion, self._given_up)
            this.stopped = f"{self.name} was given up: {self._given_up.kind}"
            return
        stop = threading.Event()
        results: queue.Queue[tuple[_Task, Any]] = queue.Queue()
        flying: dict[Place, _Task] = {}
        try:
            while this.waiting or flying:
                while this.waiting and len(flying) < self._width():
                    task = self._task(*this.waiting.popleft(), refused)
                    if not self._known(this, task):
                        flying[task.place] = task
                        _start(self._caller, task, stop, results)
                if flying:
                    task, came = results.get()
                    del flying[task.place]
                    self._take(this, task, came)
                if this.stopped is not None:
                    stop.set()
                    this.unasked += [portion for _, portion in this.waiting]
                    this.waiting.clear()
        except BaseException:
            this.stopped = this.stopped or "interrupted"
            this.unasked += [task.portion for task in flying.values()]
            raise
        finally:
            stop.set()

    def _width(self) -> int:
        """How many calls at once: one until the server has shown what it honours."""
        return self._caller.manner.jobs if self._caller.ladder.settled else 1

    def _task(
        self, place: Place, portion: Portion, refused: Mapping[Place, Sequence[Mapping[str, Any]]]
    ) -> _Task:
        nonce = self._caller.manner.nonce
        told = refused.get(place[:1], ())
        return _Task(place, portion, render(portion.brief, asker=self._asker(), nonce=nonce, refusals=told))

    def _known(self, this: _Round, task: _Task) -> bool:
        """Whether the journal, or arithmetic, settles the task without a call."""
        kept = self._journal.get(task.prompt.key) if self._journal is not None else None
        if kept == _SPLIT and _halve(this, task):
            return True
        reply = _read(kept)
        if reply is not None:
            this.replies[task.place] = reply
            this.from_journal += 1
            return True
        window = self._caller.manner.context_tokens
        needed = least_tokens(task.prompt.system) + least_tokens(task.prompt.user)
        if needed > window:
            found = f"one call would take at least {needed:,} tokens, the model reads {window:,}"
            self._take(this, task, Failure("context-exceeded", found, _LARGER))
            return True
        return False

    def _take(self, this: _Round, task: _Task, came: Any) -> None:
        """Put what came of a task where it belongs. What is no answer of any kind is raised."""
        if isinstance(came, RawReply):
            this.replies[task.place] = came
            this.in_a_row = 0
            self._keep(task, came.dump())
        elif isinstance(came, Halted):
            this.unasked.append(task.portion)
            this.stopped = this.stopped or came.why
        elif not isinstance(came, Failure):
            raise came
        elif came.plan.then == "halve" and task.portion.depth < MOST_HALVINGS and _halve(this, task):
            self._keep(task, _SPLIT)
        else:
            self._lose(this, task, came)

    def _lose(self, this: _Round, task: _Task, failure: Failure) -> None:
        this.lost[task.place] = (task.portion, failure)
        this.in_a_row += 1
        if failure.plan.then == "stop":
            self._given_up = failure
            this.stopped = this.stopped or f"{self.name} was given up: {failure.kind}"
        elif this.in_a_row >= PATIENCE and this.waiting:
            this.stopped = this.stopped or f"{PATIENCE} calls in a row gave nothing usable"

    def _keep(self, task: _Task, line: str) -> None:
        if self._journal is not None:
            self._journal.put(task.prompt.key, line, pass_name=task.portion.brief.pass_name)


_LARGER = "set context_tokens to what the model takes, or use a model with a longer context"


def _read(kept: str | None) -> RawReply | None:
    """The reply of a journal's line; a line that cannot be read is as good as none: it is asked again."""
    if kept is None or kept == _SPLIT:
        return None
    try:
        return RawReply.load(kept)
    except ValueError:
        return None


def _halve(this: _Round, task: _Task) -> bool:
    """Put the two halves in front of the queue; False where there is only one unit."""
    parts = halves(task.portion)
    if parts is None:
        return False
    this.waiting.extendleft([((*task.place, 1), parts[1]), ((*task.place, 0), parts[0])])
    return True


def _start(
    caller: Caller, task: _Task, stop: threading.Event, results: queue.Queue[tuple[_Task, Any]]
) -> None:
    """Ask in a thread of its own. A daemon: an interrupted run must not wait for a server's last word."""

    def work() -> None:
        came: Any
        try:
            came = caller.ask(task.prompt, stop)
        except BaseException as error:  # noqa: BLE001  # handed to the thread that iterates, which raises it
            came = error
        results.put((task, came))

    threading.Thread(target=work, name="ask", daemon=True).start()
