"""``nocturne review``: a saved plan, proposal by proposal, decided by a person.

What is accepted is applied as by ``nocturne apply``; what is rejected becomes a person's ruling on record (N401), and
is remembered, so that it is not proposed again over the same texts. A fact is buried only where it itself is rejected.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from nocturne.app.forgetting import Forgettable, Order, carry_out, preview
from nocturne.app.plans import Entry, Plan, Script, label_number, plan_of
from nocturne.app.ports import SnapshotInfo, Store
from nocturne.app.scenes import scene_of
from nocturne.app.sleep import Night, SleepReport, sleep
from nocturne.core.acts import Act
from nocturne.core.facts import Change, Fact, Turn
from nocturne.core.policy import Policy
from nocturne.core.proposals import Forget, Proposal
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.verdicts import Refused, Ruling
from nocturne.errors import InputUnreadable, UsageError
from nocturne.passes.night import NIGHT
from nocturne.passes.rejected import rejection

Decision = Literal["accept", "reject"]
VERSION = 1


@dataclass(slots=True)
class Review:
    """How far a review is: decisions by the entry's place in the plan, facts to be forgotten, reasons given."""

    plan: Plan
    key: str
    decisions: dict[int, Decision] = field(default_factory=dict)
    facts: list[int] = field(default_factory=list)
    reasons: dict[int, str] = field(default_factory=dict)

    @property
    def open(self) -> list[int]:
        """The places of the proposals that hold and are not decided yet."""
        return [
            place
            for place, entry in enumerate(self.plan.entries)
            if entry.accepted and place not in self.decisions
        ]

    @property
    def accepted(self) -> list[int]:
        """What is to be applied."""
        return sorted(place for place, what in self.decisions.items() if what == "accept")

    @property
    def rejected(self) -> list[int]:
        """What is to be put on record as rejected."""
        return sorted(place for place, what in self.decisions.items() if what == "reject")


def beside(plan: Path) -> Path:
    """Where a review that was not finished is kept."""
    return plan.with_name(f"{plan.name}.review")


def key_of(plan: Path) -> str:
    """The hash of a plan's file, so that decisions are never taken for another plan's."""
    return hashlib.sha256(plan.read_bytes()).hexdigest()


def dump(review: Review) -> str:
    """The decisions so far, as JSON."""
    data = {
        "nocturne_review": VERSION,
        "plan": review.key,
        "policy": review.plan.policy.table(),
        "decisions": {str(place): what for place, what in sorted(review.decisions.items())},
        "reasons": {str(place): why for place, why in sorted(review.reasons.items())},
        "facts": [f"m{fact}" for fact in review.facts],
    }
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def resume(plan: Plan, key: str, path: Path) -> tuple[Review, Policy | None]:
    """A review where it was left, and the policy that was chosen in it if that is another than the plan's."""
    review = Review(plan, key)
    if not path.exists():
        return review, None
    hint = f"delete {path} to begin anew"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        version, made_for = data["nocturne_review"], data["plan"]
        policy = Policy.of(data["policy"])
        review.decisions = {
            int(place): what for place, what in data["decisions"].items() if what in ("accept", "reject")
        }
        review.reasons = {int(place): str(why) for place, why in data["reasons"].items()}
        review.facts = [int(str(name).removeprefix("m")) for name in data["facts"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputUnreadable(f"{path} is no review of nocturne's: {error}", hint=hint) from error
    if version != VERSION:
        raise InputUnreadable(f"{path} is of version {version}", hint=hint)
    if made_for != key:
        raise InputUnreadable(f"{path} belongs to another plan than this one", hint=hint)
    return review, None if policy == plan.policy else policy


def rejudged(store: Store, plan: Plan, policy: Policy, *, lexicon: Lexicon, now: int) -> Plan:
    """The plan's proposals judged under another policy; nothing is written."""
    asked = replace(plan, policy=policy)
    report = sleep(
        Night(
            store=store,
            policy=policy,
            lexicon=lexicon,
            now=now,
            command="",
            proposer="review",
            answer=Script(asked, store.state().next_id),
            dry_run=True,
            enforce=False,
            allow_loss=True,
        )
    )
    fresh = plan_of(report, store, now)
    entries: list[Entry] = []
    for name in dict.fromkeys(entry.pass_name for entry in plan.entries):
        old = [entry for entry in plan.entries if entry.pass_name == name]
        new = [entry for entry in fresh.entries if entry.pass_name == name]
        if len(new) == len(old):
            entries += new
        else:
            entries += [replace(entry, accepted=False, code="N308") for entry in old]
    return replace(plan, policy=policy, entries=tuple(entries))


# What a person is shown


@dataclass(frozen=True, slots=True)
class Shown:
    """A fact before a proposal, what it would become (None: it goes), and who said it."""

    label: str
    before: str | None
    after: str | None
    fact: Fact | None
    turns: tuple[Turn, ...]


def shown(store: Store, plan: Plan, place: int) -> tuple[Shown, ...]:
    """The facts that an entry names, before and after, with the turns that said them."""
    entry = plan.entries[place]
    texts = current_texts(store, plan, place)
    gone = set(_retired(entry.proposal))
    found = []
    for label in labels(entry.proposal):
        id_ = label_number(label)
        fact = store.facts([id_]).get(id_) if id_ is not None else None
        turns = store.turns({span.turn for span in fact.sources}) if fact is not None else {}
        before = texts.get(label)
        after = None if label in gone else entry.texts.get(label, before)
        found.append(Shown(label, before, after, fact, tuple(turn for _, turn in sorted(turns.items()))))
    made = [label for label in entry.texts if label.startswith("new") and label not in labels(entry.proposal)]
    found += [Shown(label, None, entry.texts[label], None, ()) for label in made]
    return tuple(found)


def labels(proposal: Mapping[str, Any]) -> list[str]:
    """The facts that a plan's proposal names, as the plan calls them."""
    named = [proposal.get(key) for key in ("fact", "duplicate_of", "other", "into", "old", "new")]
    for key in ("sources", "members"):
        named += proposal.get(key, ())
    found = [label for label in named if isinstance(label, str)]
    return list(dict.fromkeys(found))


def _retired(proposal: Mapping[str, Any]) -> Iterator[str]:
    kind = proposal.get("kind")
    if kind in ("drop", "forget"):
        yield str(proposal.get("fact"))
    elif kind == "contradict":
        yield str(proposal.get("old"))
    elif kind == "merge":
        yield from (str(label) for label in proposal.get("sources", ()))


def current_texts(store: Store, plan: Plan, place: int) -> dict[str, str]:
    """The texts as they stand when an entry's turn comes: those of the store, and what earlier entries made of them."""
    known = {f"m{id_}": fact.text for id_, fact in store.state().facts.items()}
    for entry in plan.entries[:place]:
        if entry.accepted:
            known.update(entry.texts)
    return known


# What becomes of it


@dataclass(frozen=True, slots=True)
class Settled:
    """What a review did: the night of what was accepted, the rulings of what was rejected, the facts forgotten."""

    night: SleepReport | None
    rejected: tuple[Ruling, ...]
    forgotten: tuple[int, ...]
    snapshot: SnapshotInfo | None
    left: int
    """Proposals that hold and were not decided: neither applied nor rejected."""


def settle(
    store: Forgettable,
    review: Review,
    *,
    lexicon: Lexicon,
    now: int,
    command: str,
    by: str,
    allow_loss: bool = False,
) -> Settled:
    """Put the rejections on record, forget what was rejected itself, and apply what was accepted."""
    plan = review.plan
    rulings, snapshot = _reject(store, review, lexicon=lexicon, now=now, command=command)
    for fact in review.facts:
        order = Order("forget", (fact,), (), by, "rejected in review", now, command, cause="reject")
        seen = preview(store, lexicon, order)
        if not seen.idle:
            carry_out(store, lexicon, seen, policy=plan.policy)
    night = None
    if review.accepted:
        chosen = replace(plan, entries=tuple(plan.entries[place] for place in review.accepted))
        night = sleep(
            Night(
                store=store,
                policy=plan.policy,
                lexicon=lexicon,
                now=now,
                command=command,
                proposer="review",
                answer=Script(chosen, store.state().next_id),
                enforce=False,
                allow_loss=allow_loss,
            )
        )
    return Settled(night, tuple(rulings), tuple(review.facts), snapshot, len(review.open))


def _reject(
    store: Store, review: Review, *, lexicon: Lexicon, now: int, command: str
) -> tuple[Sequence[Ruling], SnapshotInfo | None]:
    plan = review.plan
    if not review.rejected:
        return (), None
    state = store.state()
    scene = scene_of(store, state, policy=plan.policy, lexicon=lexicon, now=now)
    script = Script(plan, state.next_id)
    stages = {stage.name: stage for stage in NIGHT}
    rulings: list[Ruling] = []
    acts: list[Act] = []
    for place in review.rejected:
        entry = plan.entries[place]
        proposal = script.proposal(entry)
        if isinstance(proposal, Refused):
            raise UsageError(f"entry {place + 1} of the plan cannot be read any more")
        proposal = _because(proposal, review.reasons.get(place, ""))
        texts = {
            number: text
            for label, text in current_texts(store, plan, place).items()
            if (number := label_number(label)) is not None
        }
        rulings.append(
            Ruling(
                entry.pass_name,
                "person",
                Refused(proposal, "N401", {}),
                memo=rejection(scene.memo, texts, proposal),
            )
        )
        # The pass's own memo keeps the question from being put to a model again.
        asked = stages[entry.pass_name].memo(scene, proposal)
        if asked is not None:
            acts.append(Act("remember", rule="person:reject", memo=asked))
        if isinstance(proposal, Forget) and proposal.fact in state.facts:
            fact = state.facts[proposal.fact]
            acts.append(
                Act(
                    "pin",
                    rule="person:reject",
                    fact=fact.id,
                    changes=(Change(fact, replace(fact, pinned=True)),),
                )
            )
    with store.transaction(expect=store.head()) as tx:
        tx.record(rulings, at=now, policy=plan.policy)
        tx.act(acts, at=now, policy=plan.policy)
        info = tx.snapshot("review", command=command, policy=plan.policy, at=now)
    return rulings, info


def _because(proposal: Proposal, reason: str) -> Proposal:
    return replace(proposal, reason=reason) if reason else proposal
