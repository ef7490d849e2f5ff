"""An entry of the ledger in the making: its columns, the parts of ``more``, and the steps that facts take."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nocturne.core.acts import ERASED, Act
from nocturne.core.chain import named
from nocturne.core.digest import plain, trusted
from nocturne.core.facts import BLOCKS, Change, Fact
from nocturne.core.proposals import Proposal
from nocturne.core.verdicts import Accepted, Refused, Ruling
from nocturne.store.batch import Batch, Held, Span
from nocturne.store.rows import TEXT, refs_of, stepped, subject_of

_RATIO = re.compile(r"-?[0-9]{1,18}(?:/[0-9]{1,18}|\.[0-9]{1,18})?\Z")
_BLOCKS = frozenset(BLOCKS)


class Stale(Exception):
    """A change starts from another version than the store holds."""


def figures_of(evidence: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Evidence in two: numbers, ratios and blocks, which tell nothing of the words, and what a purge may erase."""
    figures: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    for key, given in evidence.items():
        value = given if type(given) is str else plain(given)
        (figures if _is_figure(value) else rest)[str(key)] = value
    return figures, rest


def _is_figure(value: Any) -> bool:
    if type(value) is str:
        return value in _BLOCKS or _RATIO.match(value) is not None
    if isinstance(value, int):
        return True
    return isinstance(value, list) and all(isinstance(item, int) for item in value)


class Draft:
    """One entry. Texts that it names are sealed in the batch as it is drafted."""

    __slots__ = ("_batch", "columns", "parts", "steps", "touched", "worded")

    def __init__(self, batch: Batch, columns: dict[str, Any]) -> None:
        self._batch = batch
        self.columns = columns
        self.parts: dict[str, str] = {}
        self.steps: list[tuple[int, Held | None, Held]] = []
        self.touched: set[int] = set()
        self.worded: dict[str, str] = {}

    def more(self) -> str:
        """The members that have no column, as canonical JSON."""
        return "{" + ",".join([f'"{key}":{self.parts[key]}' for key in sorted(self.parts)]) + "}"

    def say(self, part: str, text: str) -> None:
        """A member that names a text."""
        self.parts[part] = f'"{self._batch.text(text)}"'

    def proposed(self, proposal: Proposal | None, after: Fact | None) -> None:
        """What was proposed beside its reason and what its fact says already."""
        refs, said = refs_of(proposal, after)
        if refs:
            self.columns["refs"] = trusted(refs)
            self.touched |= named(refs)
        if said:
            self.say("said", trusted(plain(said)))

    def referring(self, refs: Mapping[str, Any]) -> None:
        """Ids and words of ours."""
        if refs:
            known = plain(refs)
            self.columns["refs"] = trusted(known)
            self.touched |= named(known)

    def because(self, reason: str, evidence: Mapping[str, Any]) -> None:
        """The reason given and the evidence found."""
        if reason:
            self.columns["reason"] = self._batch.text(reason)
        if evidence:
            figures, rest = figures_of(evidence)
            if figures:
                self.columns["figures"] = trusted(figures)
            if rest:
                self.columns["evidence"] = self._batch.text(trusted(rest))

    def about(self, fact: int | None) -> None:
        """The fact that the entry is about."""
        if fact is not None:
            self.columns["fact"] = fact
            self.touched.add(fact)

    def along(self, ruling: Ruling | Act) -> None:
        """What rulings and acts have in common beside their changes."""
        if ruling.memo is not None:
            self.parts["memo"] = trusted(ruling.memo)
        if ruling.provenance:
            self.parts["by"] = f'"{self._batch.shared(trusted(plain(ruling.provenance)))}"'
        if ruling.links:
            self.parts["links"] = trusted([[link.child, link.parent, link.role] for link in ruling.links])
            for link in ruling.links:
                self.touched.update((link.child, link.parent))
        if ruling.activations:
            self.parts["activations"] = trusted(
                [
                    [each.fact, each.base, each.last_access, each.spaced, each.labile_until]
                    for each in ruling.activations
                ]
            )

    def change(self, changes: Sequence[Change], newest: int) -> int:
        """The steps of facts; returns the highest number of a fact that there is now."""
        changed: list[str] = []
        gained: list[str] = []
        lost: list[str] = []
        for change in _folded(changes):
            before, after = change.before, change.after
            fact = after.id
            if before is None:
                if fact <= newest:
                    raise ValueError(f"m{fact} is taken already")
                newest = fact
                held, now, step, more, less = None, *self._begun(after)
            else:
                held = self._batch.held(fact)
                if held is None:
                    raise ValueError(f"m{fact} is not in the store")
                now, step, more, less = self._stepped(held, before, after)
                if now is held:
                    continue
            changed.append(f"[{fact},{step}]")
            if more or less:
                gained += [f"[{fact},{turn},{start},{stop}]" for turn, start, stop in sorted(more)]
                lost += [f"[{fact},{turn},{start},{stop}]" for turn, start, stop in sorted(less)]
            self.steps.append((fact, held, now))
            self.touched.add(fact)
        for part, rows in (("changes", changed), ("sourced", gained), ("unsourced", lost)):
            if rows:
                self.parts[part] = "[" + ",".join(rows) + "]"
        return newest

    def _begun(self, fact: Fact) -> tuple[Held, str, Spans, Spans]:
        """The first version of a fact."""
        values = self._batch.values(fact, self._worded(None, fact), None)
        stepped(fact.id, None, values)
        now = Held(values, fact.text, _spans(fact))
        return now, now.json(), now.spans, _NONE

    def _stepped(self, held: Held, before: Fact, after: Fact) -> tuple[Held, str, Spans, Spans]:
        """The next version, what differs in it as JSON, and the sources gained and lost; the same where nothing is."""
        spans = _spans(before)
        if not self._batch.is_current(held, before, spans):
            raise Stale(f"m{after.id} is no longer as it was judged")
        values = self._batch.values(after, self._worded(held, after), held)
        differing = stepped(after.id, held.values, values)
        more = less = _NONE
        if after.sources is not before.sources:
            spans = _spans(after)
            more, less = spans - held.spans, held.spans - spans
        if not (differing or more or less):
            return held, "", more, less
        erased = held.text is None and after.text == ERASED
        now = held.stepped(
            differing, values, None if erased else after.text, spans if more or less else held.spans
        )
        return now, trusted(differing), more, less

    def _worded(self, held: Held | None, after: Fact) -> str:
        """The commitment of the fact's text: the one it had if it said the same before, else a new one."""
        if held is not None:
            if held.text == after.text or (held.text is None and after.text == ERASED):
                known: str = held.values[TEXT]
                return known
            former = self._batch.former(after.id, after.text)
            if former is not None:
                return former
        text = self.worded.get(after.text)
        if text is None:
            text = self.worded[after.text] = self._batch.text(after.text)
        return text


Spans = frozenset[Span]
_NONE: Spans = frozenset()


def _spans(fact: Fact) -> frozenset[Span]:
    return frozenset([(span.turn, span.start, span.end) for span in fact.sources])


def of_ruling(batch: Batch, ruling: Ruling, at: int, under: int, newest: int) -> tuple[Draft, int]:
    """The entry of a ruling, and the highest number of a fact after it."""
    verdict = ruling.verdict
    proposal = verdict.proposal
    accepted = isinstance(verdict, Accepted)
    if ruling.changes and not accepted:
        raise ValueError(f"a refused {ruling.pass_name} ruling cannot change m{ruling.changes[0].after.id}")
    draft = Draft(
        batch,
        {
            "at": at,
            "pass": ruling.pass_name,
            "kind": "malformed" if proposal is None else proposal.kind,
            "origin": ruling.origin,
            "accepted": int(accepted),
            "under": under,
        },
    )
    if isinstance(verdict, Refused):
        draft.columns["code"] = verdict.code
    else:
        draft.columns["rule"] = verdict.rule
    text: str | None = getattr(proposal, "text", None)
    new = ruling.changes[0].after if ruling.changes and ruling.changes[0].before is None else None
    draft.proposed(proposal, new if new is not None and new.text == text else None)
    fact = subject_of(proposal)
    draft.about(new.id if fact is None and new is not None else fact)
    if ruling.raw is not None:
        draft.say("raw", ruling.raw)
    draft.because("" if proposal is None else proposal.reason, verdict.evidence)
    draft.along(ruling)
    newest = draft.change(ruling.changes, newest)
    if text is not None and text not in draft.worded:
        draft.say("text", text)
    return draft, newest


def of_act(batch: Batch, act: Act, at: int, under: int | None, newest: int) -> tuple[Draft, int]:
    """The entry of a deed that no proposal asked for, and the highest number of a fact after it."""
    columns: dict[str, Any] = {
        "at": at,
        "pass": act.pass_name,
        "kind": act.kind,
        "origin": act.origin,
        "accepted": 1,
    }
    if under is not None:
        columns["under"] = under
    if act.rule is not None:
        columns["rule"] = act.rule
    draft = Draft(batch, columns)
    draft.referring(act.refs)
    draft.about(act.changes[0].after.id if act.fact is None and len(act.changes) == 1 else act.fact)
    draft.because(act.reason, act.evidence)
    draft.along(act)
    if act.buries:
        draft.parts["buries"] = trusted([[stone.key, stone.fact, stone.cause] for stone in act.buries])
    if act.lifts:
        draft.parts["lifts"] = trusted(sorted(act.lifts))
    return draft, draft.change(act.changes, newest)


def _folded(changes: Sequence[Change]) -> Iterable[Change]:
    """One change a fact: a ruling that steps a fact twice is one step to its end."""
    if len(changes) < 2:
        return changes
    folded: dict[int, Change] = {}
    for change in changes:
        first = folded.get(change.after.id)
        folded[change.after.id] = change if first is None else Change(first.before, change.after)
    return folded.values()
