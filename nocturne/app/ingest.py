"""Ingest: transcripts become turns, turns become facts in scratch.

A file's cursor moves with its commit, never before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from nocturne.app.ports import (
    Head,
    HeadMoved,
    KeyedTurn,
    Proposer,
    Reading,
    SourceStep,
    Store,
)
from nocturne.app.scenes import Once, scene_of
from nocturne.app.tombs import purged_turn, returning
from nocturne.core.acts import Act
from nocturne.core.artefacts import cut_turn
from nocturne.core.facts import Fact, State, Turn
from nocturne.core.policy import Policy
from nocturne.core.retention import exempt, stale
from nocturne.core.sanitise import clean_turn
from nocturne.core.secrets import redact_turn
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.turnkeys import KeyChain
from nocturne.core.verdicts import Refused
from nocturne.errors import InputUnreadable, StoreLocked
from nocturne.passes.engine import Offer, Outcome, offers, run
from nocturne.passes.night import ENCODE

_RETRIES = 5
_EXAMPLES = 3


class Open(Protocol):
    """Opens one transcript where an earlier ingest left off."""

    def __call__(self, path: str, *, start: int, state: Mapping[str, object]) -> Reading: ...


@dataclass(frozen=True, slots=True)
class FileReport:
    """What one file gave."""

    path: str
    format: str
    turns: Mapping[str, int]
    known: int
    skipped: Mapping[str, int]
    unchanged: bool = False
    failed: InputUnreadable | None = None


@dataclass(slots=True)
class IngestReport:
    """What an ingest did, over all its files."""

    files: list[FileReport] = field(default_factory=list)
    turns: Counter[str] = field(default_factory=Counter)
    known: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)
    """Up to three places a reason, of what was skipped or noted."""
    proposed: int = 0
    accepted: int = 0
    refusals: Counter[str] = field(default_factory=Counter)
    refused_words: dict[str, Counter[str]] = field(default_factory=dict)
    secrets: Counter[str] = field(default_factory=Counter)
    secret_places: list[str] = field(default_factory=list)
    cleaned: Counter[str] = field(default_factory=Counter)
    artefacts: Counter[str] = field(default_factory=Counter)
    purged: int = 0
    """Sentences that said again what was purged, and were not stored."""
    lifted: int = 0
    """Tombstones that were lifted because what they bury was said again, and --lift-tombstones was given."""
    facts: list[Fact] = field(default_factory=list)
    snapshot: int | None = None
    unchanged_since: int | None = None
    stale_tonight: int = 0
    proposer: str = ""
    committed: bool = False
    """Whether anything of this ingest's own was written; another process may write meanwhile."""

    @property
    def failures(self) -> list[FileReport]:
        """The files that could not be read."""
        return [file for file in self.files if file.failed is not None]

    @property
    def exit_code(self) -> int:
        """3 where a file could not be read, else 0."""
        return 3 if self.failures else 0


class Watch(Protocol):
    """Who wants to know how far the ingest is."""

    def began(self, path: str, number: int, total: int) -> None: ...
    def ended(self, file: FileReport) -> None: ...


class _Silent:
    def began(self, path: str, number: int, total: int) -> None:
        """Nobody watches."""

    def ended(self, file: FileReport) -> None:
        """Nobody watches."""


@dataclass(frozen=True, slots=True)
class Ingest:
    """Everything one ingest is run with."""

    store: Store
    policy: Policy
    lexicon: Lexicon
    proposer: Proposer
    now: int
    command: str
    open: Open
    namespace: str = "default"
    purged: AbstractSet[str] = frozenset()
    """The tombstones that a purge left: no sentence that one of them buries is stored."""
    lift: bool = False
    """Whether what a person forgot may come back; what was purged may not."""
    watch: Watch = field(default_factory=_Silent)


def ingest(job: Ingest, paths: Sequence[str]) -> IngestReport:
    """Read every path; a file that cannot be read is reported and does not stop the others.

    With a single path its error is raised, so that nothing is written. Interrupted, what was committed is
    closed with a snapshot of its own.
    """
    report = IngestReport(proposer=job.proposer.name)
    label = "ingest:interrupted"
    try:
        for number, path in enumerate(paths, start=1):
            job.watch.began(path, number, len(paths))
            try:
                file = _file(job, path, report)
            except InputUnreadable as error:
                if len(paths) == 1:
                    raise
                file = FileReport(path, "", {}, 0, {}, failed=error)
            report.files.append(file)
            job.watch.ended(file)
        label = "ingest"
    finally:
        if report.committed:
            with job.store.transaction() as tx:
                info = tx.snapshot(label, command=job.command, policy=job.policy, at=job.now)
            report.snapshot = info.number
        else:
            report.unchanged_since = job.store.head().snapshot
    report.stale_tonight = sum(
        not exempt(fact, job.policy) and stale(fact, job.policy, job.now) for fact in report.facts
    )
    return report


def _file(job: Ingest, path: str, report: IngestReport) -> FileReport:
    source = job.store.source_for(path)
    reading = job.open(path, start=source.cursor if source else 0, state=source.state if source else {})
    kept = source.state.get("keys") if source else None
    fresh = _Prepared(job, reading, kept if isinstance(kept, Mapping) else {})
    for turn in reading.turns:
        fresh.add(turn, path)
    heard: _Heard = {}
    for _ in range(_RETRIES):
        # The head comes first: what another process stores from here on is seen as a head that moved.
        head = job.store.head()
        source = job.store.source_for(path)
        new = fresh.unknown(job.store)
        if not new and source is not None and reading.content_hash == source.content_hash:
            report.known += fresh.known
            return FileReport(path, reading.format, {}, fresh.known, {}, unchanged=True)
        step = SourceStep(
            path=path,
            format=reading.format,
            content_hash=reading.content_hash,
            cursor=reading.cursor,
            reader_version=reading.reader_version,
            state={"reader": dict(reading.state), "keys": fresh.keys()},
            skipped=dict(reading.skipped),
            source=source.id if source else None,
        )
        try:
            turns = _commit(job, head, step, new, report=report, heard=heard)
        except HeadMoved:
            continue
        break
    else:
        raise StoreLocked(
            "the store kept changing while turns were encoded",
            hint="another process writes to it; try again when it has finished",
        )
    report.known += fresh.known
    report.skipped.update(reading.skipped)
    report.notes.update(reading.notes)
    for reason, places in reading.examples.items():
        kept = report.examples.setdefault(reason, [])
        kept += places[: _EXAMPLES - len(kept)]
    report.secrets += fresh.secrets
    report.secret_places += fresh.places
    report.cleaned += fresh.cleaned
    report.artefacts += fresh.artefacts
    report.purged += fresh.purged
    counts: Counter[str] = Counter(turn.provenance for turn in turns)
    report.turns.update(counts)
    return FileReport(path, reading.format, counts, fresh.known, dict(reading.skipped))


class _Prepared:
    """Turns made fit to be stored: cleaned, own artefacts cut, secrets replaced, keyed."""

    def __init__(self, job: Ingest, reading: Reading, kept: Mapping[str, object]) -> None:
        self.job = job
        self.reading = reading
        self.kept = kept
        self.chain = KeyChain(own_sessions=reading.own_sessions)
        self.turns: list[KeyedTurn] = []
        self.known = 0
        self.secrets: Counter[str] = Counter()
        self.places: list[str] = []
        self.cleaned: Counter[str] = Counter()
        self.artefacts: Counter[str] = Counter()
        self.purged = 0

    def add(self, turn: Turn, path: str) -> None:
        if not self.turns and self.reading.resumed:
            # Only a reading that goes on where the last one ended may go on with its keys.
            self.chain = KeyChain(self.kept, own_sessions=self.reading.own_sessions)
        turn, unfit = clean_turn(turn, max_chars=self.job.policy.limits.max_turn_chars)
        turn, own = cut_turn(turn)
        turn, secrets = redact_turn(turn)
        self.cleaned.update(unfit)
        self.artefacts.update(own)
        self.secrets.update(secrets)
        if secrets:
            self.places.append(f"{Path(path).name} turn {turn.position}")
        key = self.chain.key(turn)
        # The key is that of the turn as it was said, so that reading it again finds it known.
        if self.job.purged:
            turn, gone = purged_turn(turn, self.job.store.secret(), self.job.purged, self.job.lexicon)
            self.purged += gone
        self.turns.append(KeyedTurn(key, turn))

    def keys(self) -> dict[str, object]:
        """What the next reading of this source goes on with."""
        return dict(self.chain.state()) if self.turns else dict(self.kept)

    def unknown(self, store: Store) -> list[KeyedTurn]:
        """The turns that the store does not have, each key once."""
        seen = set(store.known_keys(keyed.key for keyed in self.turns))
        self.known = 0
        new = []
        for keyed in self.turns:
            if keyed.key in seen:
                self.known += 1
                continue
            seen.add(keyed.key)
            new.append(keyed)
        return new


def _numbered(turns: Sequence[KeyedTurn], first: int, source: int) -> list[KeyedTurn]:
    return [
        KeyedTurn(keyed.key, replace(keyed.turn, id=first + place, source=source))
        for place, keyed in enumerate(turns)
    ]


_Heard = dict[tuple[str, ...], tuple[int, list[Offer]]]
"""What was proposed for these turns, numbered from so many: a store that moved on is no reason to ask again."""


def _commit(
    job: Ingest, head: Head, step: SourceStep, new: Sequence[KeyedTurn], *, report: IngestReport, heard: _Heard
) -> list[Turn]:
    """Propose, judge, write. No transaction is open while the proposer thinks."""
    first = job.store.next_turn()
    keyed = _numbered(new, first, step.source or 0)
    turns = {item.turn.id: item.turn for item in keyed}
    # What is retired or was answered before is nothing to a new turn: it is not read, however much it is.
    empty = State({}, Once(job.store.state_ids), job.store.next_fact())
    scene = replace(
        scene_of(job.store, empty, policy=job.policy, lexicon=job.lexicon, now=job.now, answered=frozenset()),
        turns=turns,
    )
    buried = scene.tombstones
    if job.lift:
        scene = replace(scene, tombstones=replace(buried, known=buried.known & job.purged))

    def ask(brief: object) -> Iterable[Offer]:
        if brief is None:
            return ()
        same = tuple(item.key for item in keyed)
        if same not in heard:
            heard[same] = first, list(offers("encode", job.proposer.propose("encode", brief)))
        numbered, said = heard[same]
        return _moved(said, first - numbered)

    outcome = run(ENCODE, scene, ask)
    with job.store.transaction(expect=head) as tx:
        source = tx.add_source(step)
        tx.add_turns(source, _numbered(new, first, source))
        tx.record(outcome.rulings, at=job.now, policy=job.policy)
        back = returning(outcome.rulings, buried, job.lexicon) if job.lift else ()
        if back:
            tx.act([Act("lift", rule="person:lift", lifts=back)], at=job.now, policy=job.policy)
    report.committed = True
    report.lifted += len(back)
    _tally(outcome, report)
    return [item.turn for item in keyed]


def _moved(heard: list[Offer], by: int) -> Iterable[Offer]:
    """The same offers where the turns were numbered anew because the store moved on."""
    for offer in heard:
        proposal = offer.proposal
        if by and not isinstance(proposal, Refused) and proposal.kind == "encode":
            cited = tuple(turn + by for turn in proposal.turns)
            yield replace(offer, proposal=replace(proposal, turns=cited))
        else:
            yield offer


def _tally(outcome: Outcome, report: IngestReport) -> None:
    report.proposed += outcome.proposed
    report.accepted += outcome.accepted
    for ruling in outcome.rulings:
        verdict = ruling.verdict
        if isinstance(verdict, Refused):
            report.refusals[verdict.code] += 1
            words = report.refused_words.setdefault(verdict.code, Counter())
            words.update(str(word) for word in verdict.evidence.get("missing", ()))
        report.facts += [change.after for change in ruling.changes]


Discover = Callable[[str], Sequence[str]]
