"""A night's judged proposals as a file: ``sleep --plan`` writes it, ``apply`` judges it again and applies it.

A plan is JSON: ``{"nocturne_plan": 1, "store", "digest", "snapshot", "policy", "now", "next_id", "passes":
[{"pass", "entries": [{"origin", "proposal", "verdict", "code", "texts"}]}]}``. Facts that the plan itself creates
are called ``new1``, ``new2``: their numbers are given when it is applied.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from nocturne.app.ports import Store
from nocturne.app.sleep import PASS_NAMES, PassReport, SleepReport
from nocturne.core.facts import State
from nocturne.core.policy import Policy
from nocturne.core.proposals import Proposal, read, written
from nocturne.core.verdicts import Accepted, Refused, Ruling
from nocturne.errors import InputUnreadable
from nocturne.passes.engine import Offer
from nocturne.passes.scene import Pass

VERSION = 1
_ID = re.compile(r"(m|new)(\d{1,15})\Z")
_IDS = ("fact", "duplicate_of", "other", "into", "old", "new")
_LISTS = ("sources", "members")
MAX_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Entry:
    """One proposal of a plan, as it was judged when the plan was made."""

    pass_name: str
    origin: str
    proposal: Mapping[str, Any]
    accepted: bool
    code: str | None
    texts: Mapping[str, str] = field(default_factory=dict)
    raw: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """A saved night. ``next_id`` is the first number that a new fact would have got."""

    store: str
    digest: str
    snapshot: int
    policy: Policy
    now: int
    next_id: int
    entries: tuple[Entry, ...]

    def moved(self, store: Store) -> bool:
        """Whether the store is no longer as the plan found it."""
        return store.state_digest() != self.digest


def plan_of(report: SleepReport, store: Store, now: int) -> Plan:
    """The plan of a dry run."""
    before = report.before
    if before is None:
        raise ValueError("a plan is made of a night that is told in full")
    base = before.next_id
    entries = [_entry(part, ruling, before) for part in report.passes for ruling in part.rulings]
    return Plan(
        store=store.uuid(),
        digest=store.state_digest(),
        snapshot=store.head().snapshot,
        policy=report.policy,
        now=now,
        next_id=base,
        entries=tuple(entries),
    )


def _label(fact: int, base: int) -> str:
    return f"m{fact}" if fact < base else f"new{fact - base + 1}"


def label_number(label: str) -> int | None:
    """The number of ``m17``; None of ``new1``, which has none before the plan is applied."""
    found = _ID.match(label)
    return int(found[2]) if found is not None and found[1] == "m" else None


def _entry(part: PassReport, ruling: Ruling, before: State) -> Entry:
    base = before.next_id
    proposal = ruling.verdict.proposal
    fields: dict[str, Any] = {}
    texts: dict[str, str] = {}
    if proposal is not None:
        fields = written(proposal)
        for key in _IDS:
            if isinstance(fields.get(key), int):
                fields[key] = _label(fields[key], base)
        for key in _LISTS:
            if key in fields:
                fields[key] = [_label(fact, base) for fact in fields[key]]
        for change in ruling.changes:
            texts[_label(change.after.id, base)] = change.after.text
        for label in (
            *(fields.get(key) for key in _IDS),
            *(x for key in _LISTS for x in fields.get(key, ())),
        ):
            if isinstance(label, str) and label.startswith("m") and label not in texts:
                fact = before.facts.get(int(label[1:]))
                if fact is not None:
                    texts[label] = fact.text
    verdict = ruling.verdict
    code = verdict.code if isinstance(verdict, Refused) else None
    accepted = isinstance(verdict, Accepted)
    return Entry(part.name, ruling.origin, fields, accepted, code, texts, ruling.raw)


def dump(plan: Plan) -> str:
    """The plan as indented JSON."""
    passes = [
        {
            "pass": name,
            "entries": [
                {
                    "origin": entry.origin,
                    "proposal": entry.proposal,
                    "verdict": "accepted" if entry.accepted else "refused",
                    "code": entry.code,
                    "texts": entry.texts,
                    **({"raw": entry.raw} if entry.raw else {}),
                }
                for entry in plan.entries
                if entry.pass_name == name
            ],
        }
        for name in PASS_NAMES
    ]
    data = {
        "nocturne_plan": VERSION,
        "store": plan.store,
        "digest": plan.digest,
        "snapshot": f"s{plan.snapshot}",
        "policy": plan.policy.table(),
        "now": plan.now,
        "next_id": plan.next_id,
        "passes": passes,
    }
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def load(path: Path) -> Plan:
    """Read a plan; every fault is one line that says where."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputUnreadable(f"{path} is larger than {MAX_BYTES // 2**20} MiB, too large for a plan")
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputUnreadable(
            f"{path}: {error.strerror or error}", hint="nocturne sleep --plan FILE writes one"
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputUnreadable(
            f"{path} is not JSON: {error}", hint="nocturne sleep --plan FILE writes one"
        ) from error
    return _plan(data, path)


def _plan(data: Any, path: Path) -> Plan:
    def fault(what: str) -> InputUnreadable:
        return InputUnreadable(f"{path}: {what}", hint="nocturne sleep --plan FILE writes a fresh plan")

    if not isinstance(data, dict) or "nocturne_plan" not in data:
        raise fault("not a plan of nocturne's")
    if data["nocturne_plan"] != VERSION:
        raise fault(f"a plan of version {data['nocturne_plan']}; this nocturne reads version {VERSION}")
    try:
        policy = Policy.of(data["policy"])
        entries = [_read(part["pass"], entry, fault) for part in data["passes"] for entry in part["entries"]]
        return Plan(
            store=str(data["store"]),
            digest=str(data["digest"]),
            snapshot=int(str(data["snapshot"]).removeprefix("s")),
            policy=policy,
            now=int(data["now"]),
            next_id=int(data["next_id"]),
            entries=tuple(entries),
        )
    except ValidationError as error:
        first = error.errors()[0]
        raise fault(f"policy.{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    except KeyError as error:
        raise fault(f"the key {error} is missing") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise fault(f"not of a plan's shape ({error})") from error


def _read(name: Any, entry: Any, fault: Any) -> Entry:
    if name not in PASS_NAMES:
        raise fault(f"no pass is called {name!r}")
    if entry["verdict"] not in ("accepted", "refused"):
        raise fault(f"a verdict of {entry['verdict']!r}")
    if entry["origin"] not in ("model", "engine", "person"):
        raise fault(f"an origin of {entry['origin']!r}")
    proposal = entry["proposal"]
    if not isinstance(proposal, dict):
        raise fault("a proposal is no object")
    return Entry(
        name,
        entry["origin"],
        proposal,
        entry["verdict"] == "accepted",
        entry.get("code"),
        entry.get("texts") or {},
        entry.get("raw"),
    )


class Script:
    """Answers each pass from a plan. New facts are renumbered to the store's own counter."""

    def __init__(self, plan: Plan, next_id: int) -> None:
        self._plan = plan
        self._next_id = next_id
        self._told: set[str] = set()

    def __call__(self, stage: Pass, _brief: Any) -> Iterable[Offer]:
        """The plan's offers for the pass; a further round of the same pass has none."""
        if stage.name in self._told:
            return ()
        self._told.add(stage.name)
        return tuple(self._offers(stage.name))

    def _offers(self, name: str) -> Iterator[Offer]:
        for entry in self._plan.entries:
            if entry.pass_name == name:
                yield Offer(self.proposal(entry), entry.origin, entry.raw)  # type: ignore[arg-type]  # checked on load

    def proposal(self, entry: Entry) -> Proposal | Refused:
        """The proposal of an entry with the store's own numbers; a refusal where it cannot be read."""
        if not entry.proposal:
            return Refused(None, entry.code or "N001", {"found": "not readable when the plan was made"})
        fields = dict(entry.proposal)
        try:
            for key in _IDS:
                if isinstance(fields.get(key), str) and fields.get("kind") != "encode":
                    fields[key] = self._number(fields[key])
            for key in _LISTS:
                if key in fields:
                    fields[key] = tuple(self._number(item) for item in fields[key])
            return read(fields)
        except (ValueError, TypeError) as error:
            return Refused(None, "N001", {"found": str(error), "raw": json.dumps(entry.proposal)[:2000]})

    def _number(self, label: Any) -> int:
        found = _ID.match(label) if isinstance(label, str) else None
        if found is None:
            raise ValueError(f"{label!r} is not an id")
        number = int(found[2])
        return number if found[1] == "m" else self._next_id + number - 1


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of a plan: the night's report, and the entries that were judged otherwise than planned."""

    report: SleepReport
    moved: bool
    otherwise: tuple[tuple[Entry, Ruling], ...]


def otherwise(plan: Plan, reports: Sequence[PassReport]) -> tuple[tuple[Entry, Ruling], ...]:
    """The entries whose verdict changed between plan and apply."""
    found = []
    for report in reports:
        planned = [entry for entry in plan.entries if entry.pass_name == report.name]
        for entry, ruling in zip(planned, report.rulings, strict=False):
            if entry.accepted != ruling.accepted:
                found.append((entry, ruling))
    return tuple(found)
