"""One night: every pass is briefed, judged, and committed with its snapshots in a transaction of its own.

No transaction is open while a proposer thinks; where the store moved on meanwhile, its offers are judged again.
"""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from nocturne.app.asking import Asker
from nocturne.app.drifting import stored_form, weights_now
from nocturne.app.easing import ease
from nocturne.app.freshness import fresh_for, noted_as
from nocturne.app.ports import Head, HeadMoved, Proposer, SnapshotInfo, Store, Transaction
from nocturne.app.scenes import measured, scene_of
from nocturne.core.contents import Contents
from nocturne.core.facts import Fact, Retirement, State, Step
from nocturne.core.policy import Policy
from nocturne.core.proposals import named_by
from nocturne.core.retention import loss, newly_faded, over_capacity
from nocturne.core.table import Table
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.verdicts import Refused, Ruling
from nocturne.errors import StoreLocked, UsageError
from nocturne.passes.activations import curve_of
from nocturne.passes.advancing import Advancing
from nocturne.passes.engine import Offer, Outcome, Replies, run, withhold
from nocturne.passes.night import NIGHT
from nocturne.passes.scene import Pass

PASS_NAMES: tuple[str, ...] = tuple(stage.name for stage in NIGHT)
_RETRIES = 5


@dataclass(frozen=True, slots=True)
class PassReport:
    """One line of the night's table."""

    name: str
    received: int
    proposed: int
    accepted: int
    refused: int
    enforced: int
    active: int
    snapshots: tuple[int, int] | None = None
    withheld: str | None = None
    not_asked: int = 0
    again: int = 0
    mended: int = 0
    refusals: Mapping[str, int] = field(default_factory=dict)
    """How often each code refused."""
    superseded: int = 0
    """Facts that a later one took the place of."""
    would_lose: Mapping[str, Any] = field(default_factory=dict)
    """What the pass would have lost, where that was more than may go."""
    rulings: tuple[Ruling, ...] = ()
    """Every ruling, where the night is told in full."""

    @classmethod
    def of(
        cls, outcome: Outcome, snapshots: tuple[int, int] | None, *, in_full: bool
    ) -> PassReport:
        """The line of a pass that was committed between these snapshots."""
        return cls(
            name=outcome.pass_name,
            received=outcome.received,
            proposed=outcome.proposed,
            accepted=outcome.accepted,
            refused=outcome.refused,
            enforced=outcome.enforced,
            active=len(outcome.state.facts),
            snapshots=snapshots,
            withheld=outcome.withheld,
            again=outcome.again,
            mended=outcome.mended,
            refusals=outcome.refusals,
            superseded=sum(fact.retired_by == "contradict" for fact in outcome.retired),
            would_lose=outcome.because if "would_lose" in outcome.because else {},
            rulings=tuple(outcome.rulings) if in_full else (),
        )


@dataclass(frozen=True, slots=True)
class SleepReport:
    """What a night did. ``unchanged_since`` is set, and nothing else happened, after a quiet one."""

    policy: Policy
    proposer: str
    dry_run: bool
    passes: tuple[PassReport, ...]
    found: int
    """How many facts were active before."""
    after: State
    before: State | None = None
    """What was there before, where the night is told in full."""
    start: int | None = None
    end: int | None = None
    unchanged_since: int | None = None
    forgotten: tuple[Fact, ...] = ()
    faded: tuple[int, ...] = ()
    shortfall: int = 0
    usage: Mapping[str, Any] = field(default_factory=dict)

    @property
    def refusals(self) -> Counter[str]:
        """How often each code refused."""
        total: Counter[str] = Counter()
        for part in self.passes:
            total.update(part.refusals)
        return total

    @property
    def exit_code(self) -> Literal[0, 1]:
        """1 where a pass was refused whole, else 0."""
        return 1 if any(part.withheld for part in self.passes) else 0


class Watch(Protocol):
    """Who wants to know how far the night is."""

    def began(self, stage: str, active: int) -> None: ...
    def ended(self, report: PassReport) -> None: ...


class _Silent:
    def began(self, stage: str, active: int) -> None:
        """Nobody watches."""

    def ended(self, report: PassReport) -> None:
        """Nobody watches."""


Answer = Callable[[Pass, Any], Iterable[Offer]]
Mend = Callable[[Pass, Any, Sequence[Refused]], Iterable[Offer]]
Unanswered = Callable[[str], int]


def asking(proposer: Proposer) -> Answer:
    """Offers from a proposer: its raw replies, parsed."""

    def answer(stage: Pass, brief: Any) -> Iterable[Offer]:
        return Replies(stage.name, proposer.propose(stage.name, brief)) if brief is not None else ()

    return answer


def mending(proposer: Proposer) -> Mend | None:
    """Further offers from a proposer that can be told what was refused; None where it cannot."""
    if not isinstance(proposer, Asker):
        return None

    def mend(stage: Pass, brief: Any, refused: Sequence[Refused]) -> Iterable[Offer]:
        return Replies(stage.name, proposer.repair(stage.name, brief, refused)) if brief is not None else ()

    return mend


def unanswered(proposer: Proposer) -> Unanswered:
    """How many questions of a pass nobody answered: they must be asked again another night."""

    def count(name: str) -> int:
        went = proposer.asked(name) if isinstance(proposer, Asker) else None
        return len(went.unanswered) if went is not None else 0

    return count


@dataclass(frozen=True, slots=True)
class Night:
    """Everything one sleep is run with."""

    store: Store
    policy: Policy
    lexicon: Lexicon
    now: int
    command: str
    proposer: str
    answer: Answer
    only: tuple[str, ...] | None = None
    allow_loss: bool = False
    dry_run: bool = False
    enforce: bool = True
    in_full: bool = True
    """Whether the report keeps every ruling, and the state before; they are on record, and larger than the facts."""
    mend: Mend | None = None
    unanswered: Unanswered = lambda _: 0
    watch: Watch = field(default_factory=_Silent)


def chosen(policy: Policy, only: Sequence[str] | None) -> tuple[Pass, ...]:
    """The passes of this night, in their order."""
    unknown = [name for name in only or () if name not in PASS_NAMES]
    if unknown:
        raise UsageError(f"no pass is called {unknown[0]}", hint=f"passes: {', '.join(PASS_NAMES)}")
    stages = [stage for stage in NIGHT if stage.name in policy.passes and (not only or stage.name in only)]
    if only and not stages:
        names = ", ".join(only)
        raise UsageError(
            f"policy {policy.name} switches {names} off", hint="choose another --policy or --pass"
        )
    return tuple(stages)


def sleep(night: Night) -> SleepReport:
    """Run the night. Nothing is written on a dry run, nor where no ruling was made at all."""
    stages = chosen(night.policy, night.only)
    slept = night.store.last_sleep_at()
    ledger = _Ledger(night, stages)
    head, found, newest = ledger.head, len(ledger.state.facts), ledger.state.next_id
    before = ledger.copied() if night.in_full else None
    contents = measured(night.store, ledger.state)
    lost, reports = 0, []
    forgotten: list[Fact] = []
    for stage in stages:
        night.watch.began(stage.name, len(ledger.state.facts))
        outcome, gone = _pass(night, stage, ledger, lost=lost, start=found, contents=contents)
        lost += len(gone)
        forgotten += gone
        report = PassReport.of(outcome, ledger.span, in_full=night.in_full)
        # A pass may have ruled on a million facts: what it said of them is on record, and must not stay.
        del outcome
        ease(len(ledger.state.facts), texts=True)
        reports.append(report)
        night.watch.ended(report)
    ledger.note_quiet()
    state = ledger.state
    return SleepReport(
        policy=night.policy,
        proposer=night.proposer,
        dry_run=night.dry_run,
        passes=tuple(ledger.numbered(reports)),
        found=found,
        after=state,
        before=before,
        start=ledger.first,
        end=ledger.last,
        unchanged_since=head.snapshot if ledger.quiet else None,
        forgotten=tuple(forgotten),
        faded=_faded(night, slept, state.facts, newest),
        shortfall=over_capacity(state.facts, night.policy, night.now).shortfall,
    )


def _pass(
    night: Night, stage: Pass, ledger: _Ledger, *, lost: int, start: int, contents: Contents[str]
) -> tuple[Outcome, list[Fact]]:
    heard = _Heard(night, stage)
    for _ in range(_RETRIES):
        heard.again(len(ledger.state.facts))
        fresh = fresh_for(
            night.store,
            stage.name,
            night.policy,
            proposer=night.proposer,
            state=ledger.state,
            now=night.now,
            tonight=ledger.unwritten(),
        )
        outcome = run(
            stage,
            scene_of(
                night.store,
                ledger.state,
                policy=night.policy,
                lexicon=night.lexicon,
                now=night.now,
                contents=contents,
                fresh=fresh,
            ),
            heard.answered,
            enforce=night.enforce,
            mend=heard.mended if night.mend is not None else None,
        )
        gone = sum(1 for _ in _gone(outcome))
        measured = loss(lost + gone, start, night.policy)
        if measured.crossed and gone and not night.allow_loss:
            evidence = {
                "would_lose": lost + gone,
                "of": start,
                "allowed": measured.allowed,
                "budget": str(measured.budget),
            }
            outcome = withhold(outcome, ledger.state, "N306", evidence)
        if ledger.commit(stage, outcome):
            return outcome, list(_gone(outcome))
        del outcome
        ledger.look_again()
    raise StoreLocked(
        f"the store kept changing while {stage.name} was judged",
        hint="another process writes to it; try again when it has finished",
    )


class _Heard:
    """What was offered so far: a store that moved on while a model thought must not make it think twice."""

    def __init__(self, night: Night, stage: Pass) -> None:
        self._night = night
        self._stage = stage
        self._kept: list[Iterable[Offer]] = []
        self._next = self._facts = 0

    def again(self, facts: int) -> None:
        """Begin to tell from the first what was offered over so many facts."""
        self._next, self._facts = 0, facts

    def answered(self, brief: Any) -> Iterable[Offer]:
        """The answers to a brief."""
        return self._told(lambda: self._night.answer(self._stage, brief))

    def mended(self, brief: Any, refused: Sequence[Refused]) -> Iterable[Offer]:
        """What is offered in place of the refused."""
        mend = self._night.mend
        return self._told(lambda: mend(self._stage, brief, refused) if mend is not None else ())

    def _told(self, fresh: Callable[[], Iterable[Offer]]) -> Iterable[Offer]:
        if self._next == len(self._kept):
            ease(self._facts)
            told = fresh()
            self._kept.append(told if isinstance(told, Replies) else list(told))
        self._next += 1
        return self._kept[self._next - 1]


def _repeats(night: Night, stage: Pass, outcome: Outcome) -> bool:
    """Whether the pass says word for word what it said last time over the same store under the same policy.

    Refusals for age, capacity or budget are not remembered, because they pass; recorded once they need not be
    recorded again every night.
    """
    if outcome.accepted or outcome.enforced:
        return False
    before, after = _latest(night.store, f"pass:{stage.name}:before", f"pass:{stage.name}:after")
    if before is None or after is None or before.digest != night.store.state_digest():
        return False
    if before.policy != night.policy.name:
        return False
    recorded = Counter(
        (row.kind, row.code, tuple(sorted(row.touched)))
        for row in night.store.mutations(before.seq, after.seq)
    )
    return recorded == Counter(_told(ruling) for ruling in outcome.rulings)


def _latest(store: Store, *labels: str) -> list[SnapshotInfo | None]:
    """The latest snapshot of each label: looked for further and further back, since most were taken last night."""
    newest, span = store.head().snapshot, 64
    while True:
        since = newest - span
        last = {info.label: info for info in store.snapshots(max(0, since))}
        found = [last.get(label) for label in labels]
        if since <= 0 or None not in found:
            return found
        span *= 8


def _told(ruling: Ruling) -> tuple[str, str | None, tuple[int, ...]]:
    proposal = ruling.verdict.proposal
    code = ruling.verdict.code if isinstance(ruling.verdict, Refused) else None
    if proposal is None:
        return "malformed", code, ()
    return proposal.kind, code, tuple(sorted(named_by(proposal)))


def _gone(outcome: Outcome) -> Iterator[Fact]:
    """Facts retired without a live successor: what the loss budget counts."""
    return (fact for fact in outcome.retired if fact.successor is None)


class _Ledger:
    """Writes the night's snapshots and rulings; holds them back until there is a ruling at all.

    ``state`` is what they come to. Nobody else holds it, so that a night never holds two of a million facts each.
    """

    def __init__(self, night: Night, stages: Sequence[Pass]) -> None:
        self.night = night
        self.head: Head = night.store.head()
        self.state: State = night.store.state(packed=True)
        self.stages = stages
        self.waiting: list[str] = ["consolidation:start"]
        self.first: int | None = None
        self.last: int | None = None
        self.span: tuple[int, int] | None = None
        self.quiet = True
        self._spans: list[tuple[int, int] | None] = []
        self._dry: list[Collection[Ruling]] = []
        self._whole: dict[str, None] = {}

    def look_again(self) -> None:
        """Read where the store stands now that it has moved on."""
        self.state = State({})
        self.head, self.state = self.night.store.head(), self.night.store.state(packed=True)

    def copied(self) -> State:
        """The state, of which nothing changes when it advances."""
        facts = self.state.facts
        return replace(self.state, facts=facts.copy() if isinstance(facts, Table) else dict(facts))

    def commit(self, stage: Pass, outcome: Outcome) -> bool:
        """Write what a pass decided, and take on the state that it leaves; False where the store has moved on."""
        try:
            self._write(stage, outcome)
        except HeadMoved:
            return False
        self._advance(outcome)
        return True

    def _write(self, stage: Pass, outcome: Outcome) -> None:
        before, after = f"pass:{stage.name}:before", f"pass:{stage.name}:after"
        if self.night.dry_run:
            self._dry.append(outcome.rulings)
        silent = not outcome.rulings or _repeats(self.night, stage, outcome)
        if self.night.dry_run or (self.first is None and silent):
            self.quiet &= silent
            self.waiting += [before, after]
            if self._ran_whole(stage, outcome):
                self._whole[stage.name] = None
            self.span = None
            self._spans.append(None)
            return
        self.quiet = False
        with self.night.store.transaction(expect=self.head) as tx:
            opened = [self._snapshot(tx, label) for label in self.waiting]
            for name in self._whole:
                self._note(tx, name)
            begun = self._snapshot(tx, before)
            tx.record(outcome.rulings, at=self.night.now, policy=self.night.policy)
            if self._ran_whole(stage, outcome):
                self._note(tx, stage.name)
            if stage is self.stages[-1]:
                facts = outcome.state.facts
                weights = weights_now(self.night.store, facts, policy=self.night.policy, now=self.night.now)
                tx.note_drift(stored_form(weights))
            ended = self._snapshot(tx, after)
        if self.first is None:
            numbers = [info.number for info in opened]
            self.first = numbers[0]
            # Passes that had nothing to say before this one were snapshotted all the same.
            self._spans = [(numbers[1 + 2 * i], numbers[2 + 2 * i]) for i in range(len(self._spans))]
        self.waiting = []
        self._whole = {}
        self.span = (begun.number, ended.number)
        self._spans.append(self.span)
        self.last = ended.number
        self.head = self.night.store.head()

    def unwritten(self) -> Iterator[Step]:
        """The steps of a dry run so far."""
        for rulings in self._dry:
            for ruling in rulings:
                yield from (Step.of(change.before, change.after) for change in ruling.changes)

    def _ran_whole(self, stage: Pass, outcome: Outcome) -> bool:
        """Whether every question of the pass was put, answered and judged: they need not be put again."""
        night = self.night
        return night.enforce and outcome.withheld is None and not night.unanswered(stage.name)

    def _note(self, tx: Transaction, name: str) -> None:
        night = self.night
        tx.note_pass(noted_as(name, night.proposer), night.policy, at=night.now)

    def note_quiet(self) -> None:
        """After a night without a ruling: what a model was asked in vain it need not be asked again."""
        night = self.night
        if not self.quiet or night.dry_run or night.mend is None or not self._whole:
            return
        try:
            with night.store.transaction(expect=self.head) as tx:
                for name in self._whole:
                    known = noted_as(name, night.proposer)
                    tx.note_pass(known, night.policy, at=night.now, upto=self.head.snapshot)
        except HeadMoved:
            # Somebody wrote meanwhile: nothing is noted, and the next night asks once more.
            return

    def _snapshot(self, tx: Transaction, label: str) -> SnapshotInfo:
        night = self.night
        return tx.snapshot(label, command=night.command, policy=night.policy, at=night.now)

    def _advance(self, outcome: Outcome) -> None:
        number = self.span[1] if self.span else self.head.snapshot
        gone = {
            fact.id: Retirement(number, fact.retired_by or "", fact.successor) for fact in outcome.retired
        }
        facts, retired = outcome.state.facts, outcome.state.retired
        if isinstance(facts, Advancing):
            facts = facts.in_place()
        if gone:
            retired = ChainMap(gone, retired)  # type: ignore[arg-type]  # only read
        self.state = State(facts, retired, outcome.state.next_id)

    def numbered(self, reports: Sequence[PassReport]) -> list[PassReport]:
        """The reports with the snapshot numbers that became known later."""
        return [replace(report, snapshots=span) for report, span in zip(reports, self._spans, strict=True)]


def _faded(night: Night, since: int | None, facts: Mapping[int, Fact], newest: int) -> tuple[int, ...]:
    """Those of the facts numbered below ``newest`` that faded."""
    if since is None:
        return ()
    rows = night.store.activations()
    curves = {id_: curve_of(row, facts[id_]) for id_, row in rows.items() if id_ < newest and id_ in facts}
    faded = newly_faded(facts.values(), curves, night.policy, since, night.now)
    return tuple(id_ for id_ in faded if id_ < newest)
