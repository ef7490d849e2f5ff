"""Runs one pass: brief, offers, gate, effect, backstop, conservation. Pure: what it returns is what to commit."""

from __future__ import annotations

import zlib
from collections import ChainMap, Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from nocturne.core.conservation import breaches
from nocturne.core.facts import Activation, Change, Fact, Link, State
from nocturne.core.proposals import Drop, Encode, Keep, Proposal, named_by
from nocturne.core.table import Rows, Table
from nocturne.core.verdicts import NOTHING, Accepted, Origin, Refused, Ruling, Verdict
from nocturne.passes import wire
from nocturne.passes.advancing import Advancing
from nocturne.passes.rejected import is_rejected
from nocturne.passes.rulings import Rulings
from nocturne.passes.scene import Effect, Pass, Scene

_ROUNDS: Mapping[str, int] = {"merge": 8, "schematise": 3}
"""Passes whose results may be their own input: a night ends where nothing more belongs together, or at the cap."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One entry that somebody handed in: a proposal, or the refusal that says why it is none."""

    proposal: Proposal | Refused
    origin: Origin = "model"
    raw: str | None = None
    provenance: Mapping[str, Any] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a pass decided, and the state that it leaves; its facts are laid over those before."""

    pass_name: str
    rulings: Collection[Ruling]
    state: State
    received: int
    proposed: int
    accepted: int
    refused: int
    enforced: int
    withheld: str | None = None
    again: int = 0
    """How many of the proposed came on the second try, when it was told what had been refused."""
    mended: int = 0
    """How many of those were accepted."""
    refusals: Mapping[str, int] = field(default_factory=dict)
    """How often each code refused."""
    retired: Sequence[Fact] = ()
    """The facts that the pass took out of the active set, as it left them, in order."""
    because: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    """What was found, where the pass was refused whole."""

    @property
    def changed(self) -> bool:
        """Whether any ruling was made, a refusal included."""
        return bool(self.rulings)


Ask = Callable[[Any], Iterable[Offer]]
Mend = Callable[[Any, Sequence[Refused]], Iterable[Offer]]


def offers(pass_name: str, replies: Iterable[str]) -> Iterator[Offer]:
    """The entries of raw replies, in order, each with where its reply came from."""
    for reply in replies:
        yield from _entries(pass_name, reply, _origin(reply))


class Replies(Iterable[Offer]):
    """Raw replies, every one heard, whose entries are read anew each time: packed they are small, offers are not."""

    def __init__(self, pass_name: str, replies: Iterable[str]) -> None:
        self._pass_name = pass_name
        self._kept = [
            (zlib.compress(reply.encode("utf-8", "surrogatepass"), 1), _origin(reply)) for reply in replies
        ]

    def __iter__(self) -> Iterator[Offer]:
        for packed, origin in self._kept:
            reply = zlib.decompress(packed).decode("utf-8", "surrogatepass")
            yield from _entries(self._pass_name, reply, origin)


def _origin(reply: str) -> Mapping[str, Any]:
    return dict(getattr(reply, "provenance", {})) or NOTHING


def _entries(pass_name: str, reply: str, origin: Mapping[str, Any]) -> Iterator[Offer]:
    for entry in wire.parse(pass_name, reply):
        raw = entry.evidence.get("raw") if isinstance(entry, Refused) else None
        yield Offer(entry, "model", raw, origin)


def run(stage: Pass, scene: Scene, ask: Ask, *, enforce: bool = True, mend: Mend | None = None) -> Outcome:
    """Judge a pass over ``scene``.

    ``enforce=False`` leaves the backstops out, as when a saved plan is applied. ``mend`` is told once what was
    refused for its text, and may offer something else; that is judged like anything.
    """
    work = _Work(stage, scene, mend)
    rounds = _ROUNDS.get(stage.name, 1)
    for number in range(1, rounds + 1):
        if not work.round(number, ask, enforce=enforce):
            break
    return work.outcome()


def withhold(outcome: Outcome, before: State, code: str, evidence: Mapping[str, Any]) -> Outcome:
    """The pass refused whole: every accepted ruling becomes a refusal of ``code``, and the state is as before."""
    rulings = Rulings(over=len(before.facts))
    refusals: Counter[str] = Counter()
    for ruling in outcome.rulings:
        verdict = ruling.verdict
        if isinstance(verdict, Refused):
            rulings.append(ruling)
        else:
            verdict = Refused(verdict.proposal, code, evidence)
            rulings.append(
                replace(ruling, verdict=verdict, changes=(), links=(), activations=(), memo=None)
            )
        refusals[verdict.code] += 1
    return replace(
        outcome,
        rulings=rulings,
        state=before,
        accepted=0,
        enforced=0,
        mended=0,
        refused=len(rulings),
        withheld=code,
        refusals=refusals,
        retired=(),
        because=evidence,
    )


class _Settled(AbstractSet[tuple[int, ...]]):
    """The questions that were answered. Most are about one fact: a byte for each holds those."""

    def __init__(self, next_id: int) -> None:
        self._ones = bytearray(next_id)
        self._others: set[tuple[int, ...]] = set()

    def add(self, question: tuple[int, ...]) -> None:
        """Take one in."""
        if self._is_one(question):
            self._ones[question[0]] = 1
        else:
            self._others.add(question)

    def _is_one(self, question: tuple[int, ...]) -> bool:
        return len(question) == 1 and 0 <= question[0] < len(self._ones)

    def __contains__(self, question: object) -> bool:
        if isinstance(question, tuple) and self._is_one(question):
            return self._ones[question[0]] == 1
        return question in self._others

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        yield from ((fact,) for fact, settled in enumerate(self._ones) if settled)
        yield from self._others

    def __len__(self) -> int:
        return self._ones.count(1) + len(self._others)


class _Work:
    """The working set of one pass; gates see it only through read-only views."""

    def __init__(self, stage: Pass, scene: Scene, mend: Mend | None) -> None:
        self.stage = stage
        self.mend = mend
        self.base = scene
        self.start = scene.before
        self.facts = Advancing(scene.before.facts)
        self.consumed: dict[int, str] = {}
        self.kept_for: dict[int, list[int]] = {}
        self.known = set(scene.memo.known)
        # Tonight's refusals join what is known, but no person rejects anything meanwhile.
        self.rejecting = bool(self.known)
        self.strengths: ChainMap[int, Activation] = ChainMap({}, scene.strengths)  # type: ignore[arg-type]  # only read
        self.earlier: dict[int, None] = {}
        self.settled = _Settled(scene.before.next_id)
        self.rulings = Rulings(over=len(scene.before.facts))
        self.refusals: Counter[str] = Counter()
        self.retired = Rows()
        self.next_id = scene.before.next_id
        self.proposed = self.accepted = self.enforced = self.again = self.mended = 0

    def round(self, number: int, ask: Ask, *, enforce: bool) -> bool:
        """One brief and its answers; whether a further round may find more."""
        before, fresh = self.start, self.base.fresh
        if number > 1:
            fresh = self.facts.touched
            self.earlier |= dict.fromkeys(fresh)
            before = replace(self.start, facts=self.facts.settled())
            self.facts = Advancing(before.facts)
        scene = replace(
            self.base,
            before=before,
            facts=MappingProxyType(self.facts),
            consumed=MappingProxyType(self.consumed),
            kept_for=MappingProxyType(self.kept_for),
            strengths=MappingProxyType(self.strengths),
            memo=replace(self.base.memo, known=self.known),
            fresh=fresh,
            round=number,
        )
        scene = self.stage.ready(scene)
        brief = self.stage.brief(scene)
        if brief is not None or number == 1:
            for offer in ask(brief):
                self.proposed += 1
                self._take(scene, offer)
            if number == 1 and self.mend is not None:
                self._again(scene, brief, self.mend)
        if enforce:
            by_rule = replace(scene, adjudicated=False)
            for proposal in self.stage.backstop(by_rule, brief, self.settled):
                self._take(by_rule, Offer(proposal, "engine"))
        touched = self.facts.touched
        for id_ in [id_ for id_ in self.consumed if id_ in touched and id_ in self.facts]:
            del self.consumed[id_]
        return bool(touched)

    def _again(self, scene: Scene, brief: Any, mend: Mend) -> None:
        refused = [
            ruling.verdict
            for ruling in self.rulings
            if isinstance(ruling.verdict, Refused) and ruling.origin == "model" and _by_text(ruling.verdict)
        ]
        for offer in mend(brief, refused) if refused else ():
            self.proposed += 1
            self.again += 1
            self.mended += self._take(scene, offer)

    def _take(self, scene: Scene, offer: Offer) -> bool:
        """Judge and apply one offer; whether it was accepted."""
        verdict, effect, key = self._ruled(scene, offer)
        if isinstance(verdict, Refused):
            self.refusals[verdict.code] += 1
        else:
            self.accepted += 1
            self.enforced += offer.origin == "engine"
        self.rulings.append(
            Ruling(
                self.stage.name,
                offer.origin,
                verdict,
                offer.raw,
                changes=effect.changes,
                links=effect.links,
                activations=effect.activations,
                memo=key,
                provenance=offer.provenance,
            )
        )
        return isinstance(verdict, Accepted)

    def _ruled(self, scene: Scene, offer: Offer) -> tuple[Verdict, Effect, str | None]:
        proposal = offer.proposal
        if isinstance(proposal, Refused):
            return proposal, Effect(), None
        verdict, effect = self._judge(scene, proposal)
        key = self._remember(scene, proposal, verdict)
        self.settled.add(_question(proposal, refused=isinstance(verdict, Refused)))
        if isinstance(verdict, Accepted):
            effect = self._advance(proposal, effect)
        return verdict, effect, key

    def _judge(self, scene: Scene, proposal: Proposal) -> tuple[Verdict, Effect]:
        # A gate that errs refuses: whatever went wrong, the store is not changed on the strength of it.
        try:
            if self.rejecting and is_rejected(scene, proposal):
                return Refused(proposal, "N401", {}), Effect()
            verdict = self.stage.gate(scene, proposal)
            if isinstance(verdict, Accepted):
                return verdict, self.stage.apply(scene, verdict)
        except Exception as error:  # noqa: BLE001
            return Refused(proposal, "N013", {"error": f"{type(error).__name__}: {error}"}), Effect()
        return verdict, Effect()

    def _remember(self, scene: Scene, proposal: Proposal, verdict: Verdict) -> str | None:
        if isinstance(verdict, Refused):
            if not _by_text(verdict):
                return None
        elif not (isinstance(proposal, Keep) or proposal.kind == "schematise"):
            return None
        key = self.stage.memo(scene, proposal)
        if key is not None:
            self.known.add(key)
        return key

    def _advance(self, proposal: Proposal, effect: Effect) -> Effect:
        effect = self._numbered(effect)
        for change in effect.changes:
            after = change.after
            self.facts.step(after)
            if not after.active:
                self.retired.append(after)
                self.consumed[after.id] = self.stage.name
        for activation in effect.activations:
            self.strengths[activation.fact] = activation
        if isinstance(proposal, Drop):
            earlier = self.kept_for.pop(proposal.fact, [])
            self.kept_for.setdefault(proposal.duplicate_of, []).extend([proposal.fact, *earlier])
        if proposal.kind == "merge":
            self.consumed[effect.changes[0].after.id] = self.stage.name
        return effect

    def _numbered(self, effect: Effect) -> Effect:
        """New rows (id 0) get the next numbers; ids are never reused."""
        numbers: dict[int, int] = {}
        changes: list[Change] = []
        for change in effect.changes:
            after = change.after
            if after.id == 0:
                numbers[0] = self.next_id
                after = replace(after, id=self.next_id)
                self.next_id += 1
            changes.append(Change(change.before, after))
        if not numbers:
            return effect
        links = tuple(
            Link(numbers.get(link.child, link.child), numbers.get(link.parent, link.parent), link.role)
            for link in effect.links
        )
        return Effect(tuple(changes), links, effect.activations)

    def outcome(self) -> Outcome:
        """The rulings and the state after, or the pass refused whole where it broke conservation."""
        after = State(self.facts, self.start.retired, self.next_id)
        result = Outcome(
            self.stage.name,
            self.rulings,
            after,
            received=len(self.start.facts),
            proposed=self.proposed,
            accepted=self.accepted - self.enforced,
            refused=len(self.rulings) - self.accepted,
            enforced=self.enforced,
            again=self.again,
            mended=self.mended,
            refusals=self.refusals,
            retired=self.retired,
        )
        touched = self.earlier | dict.fromkeys(self.facts.touched) if self.earlier else self.facts.touched
        broken = breaches(
            self.stage.name,
            self.start.facts,
            self.facts,
            touched=touched,
            gone=Table.over(self.retired),
            content=self.base.content,
        )
        if not broken:
            return result
        first = broken[0]
        evidence = {
            "fact": f"m{first.fact}",
            "what": first.what,
            "lost": list(first.lost),
            "breaches": len(broken),
        }
        return withhold(result, self.start, "N309", evidence)


def _by_text(refused: Refused) -> bool:
    """Whether the refusal is for what a text says: another text could stand, the same one never will."""
    return refused.code.startswith("N2") or refused.code in ("N101", "N102", "N103")


def _question(proposal: Proposal, *, refused: bool) -> tuple[int, ...]:
    """The ids that a proposal settles, in order of number.

    A refused drop settles only its own direction (marked by a third 0): the other fact may well contain this one.
    """
    if isinstance(proposal, Encode):
        return proposal.turns
    if isinstance(proposal, Drop) and refused:
        return (proposal.fact, proposal.duplicate_of, 0)
    return tuple(sorted(named_by(proposal)))
