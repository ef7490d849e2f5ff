"""``nocturne export``: the store for a prompt, as MEMORY.md, as JSON, as JSON lines.

Quarantined and faded facts are left out. Every form is fenced or keyed (core.artefacts), so that an export found
in a later transcript is not taken for talk.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from nocturne.app.listing import Filter, Listed, listed
from nocturne.app.ports import Store
from nocturne.core.artefacts import EXPORT_KEY, fence
from nocturne.core.facts import BLOCKS, Fact
from nocturne.core.instants import iso
from nocturne.core.policy import Policy

Form = Literal["context", "markdown", "json", "jsonl"]
FORMS: tuple[Form, ...] = ("context", "markdown", "json", "jsonl")

_TITLES = {
    "persona": "About the assistant",
    "human": "About the person",
    "episodes": "What happened",
    "scratch": "Recent, not yet consolidated",
    "schemas": "Patterns",
}


@dataclass(frozen=True, slots=True)
class Exported:
    """The text, how many facts it holds, and how many were left out and why."""

    text: str
    facts: int
    quarantined: int
    faded: int


def export(
    store: Store,
    form: Form,
    *,
    policy: Policy,
    now: int,
    at: int | None = None,
    as_of: int | None = None,
    block: str | None = None,
) -> Exported:
    """The active facts in one of the forms."""
    lines = listed(store, Filter(at=at, as_of=as_of, block=block), policy=policy, now=now)
    shown = [line for line in lines if not line.faded and line.fact.quarantined_by is None]
    head = f"s{at if at is not None else store.head().snapshot}"
    text = _WRITERS[form](shown, head)
    return Exported(
        text,
        len(shown),
        quarantined=sum(line.fact.quarantined_by is not None for line in lines),
        faded=sum(line.faded and line.fact.quarantined_by is None for line in lines),
    )


def day(moment: int | None) -> str | None:
    """The UTC day of a time, or None."""
    if moment is None:
        return None
    return datetime.fromtimestamp(moment // 1_000_000, UTC).date().isoformat()


def record(fact: Fact) -> dict[str, Any]:
    """The stable JSON shape of a fact. Times are ISO 8601 with Z."""
    return {
        "id": f"m{fact.id}",
        "text": fact.text,
        "block": fact.block,
        "category": fact.category,
        "layer": fact.layer,
        "subject": fact.subject,
        "speaker": fact.speaker,
        "attribute": fact.attribute,
        "said_at": iso(fact.said_at),
        "occurred_at": iso(fact.occurred_at),
        "occurred_grain": fact.occurred_grain,
        "recorded_at": iso(fact.recorded_at),
        "confirmed_at": iso(fact.confirmed_at),
        "valid_from": iso(fact.valid_from),
        "valid_until": iso(fact.valid_until),
        "active": fact.active,
        "retired_by": fact.retired_by,
        "successor": f"m{fact.successor}" if fact.successor is not None else None,
        "trust": fact.trust,
        "pinned": fact.pinned,
        "sources": [{"turn": f"t{span.turn}", "start": span.start, "end": span.end} for span in fact.sources],
    }


def _context(lines: Sequence[Listed], head: str) -> str:
    return fence(_markdown_body(lines, dated=False), kind="context", head=head)


def _markdown(lines: Sequence[Listed], head: str) -> str:
    return fence("# Memory\n\n" + _markdown_body(lines, dated=True), kind="memory", head=head)


def _markdown_body(lines: Sequence[Listed], *, dated: bool) -> str:
    parts = []
    for block in BLOCKS:
        facts = [line.fact for line in lines if line.fact.block == block]
        if facts:
            rows = "\n".join(f"- {_row(fact, dated=dated)}" for fact in facts)
            parts.append(f"## {_TITLES[block]}\n{rows}")
    return "\n\n".join(parts) if parts else "Nothing is remembered."


def _row(fact: Fact, *, dated: bool) -> str:
    # A fact is data, not markup: it stays on its line and cannot close the fence.
    text = " ".join(fact.text.split()).replace("<!--", "<! --").replace("-->", "-- >")
    when = day(fact.occurred_at)
    if when is not None and when not in text:
        text += f" ({when})"
    return f"{text} [m{fact.id}, {day(fact.learned_at)}]" if dated else text


def _json(lines: Sequence[Listed], head: str) -> str:
    data = {EXPORT_KEY: "export", "head": head, "facts": [record(line.fact) for line in lines]}
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def _jsonl(lines: Sequence[Listed], head: str) -> str:
    rows = ({EXPORT_KEY: "fact", "head": head, **record(line.fact)} for line in lines)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


_WRITERS = {"context": _context, "markdown": _markdown, "json": _json, "jsonl": _jsonl}
