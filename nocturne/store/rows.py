"""Between the product's types and the plain values that rows, bodies and leaves are made of."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from sys import intern
from typing import TYPE_CHECKING, Any

from nocturne.core.acts import ERASED
from nocturne.core.chain import COLUMNS, DEFAULTS, FACT_REFS
from nocturne.core.facts import Fact, Span, ToolCall, Turn

if TYPE_CHECKING:
    from nocturne.core.proposals import Proposal

Columns = dict[str, Any]
FACT_COLUMNS = ", ".join(f"f.{column}" for column in COLUMNS)
"""For a select over ``facts AS f``."""
Name = Callable[[str], str]

_WORD = re.compile(r"[a-z0-9][a-z0-9:_./-]{0,39}\Z")
_INTEGERS = frozenset(
    {
        "recorded_at", "said_at", "occurred_at", "confirmed_at", "valid_from", "valid_until", "successor",
        "trust", "importance", "originals",
    }
)  # fmt: skip
_PLAIN = tuple(
    column
    for column in COLUMNS
    if column not in ("text", "block", "category", "recorded_at", "active", "pinned", "speaker", "subject")
)
_READ = attrgetter(*_PLAIN)
_USUAL = tuple(DEFAULTS[column] for column in _PLAIN)
_WHOLE = tuple((column, DEFAULTS.get(column)) for column in COLUMNS)


def columns_of(fact: Fact, text: str, name: Name) -> Columns:
    """The fact's columns in normal form: ``text`` is its commitment, names interned, defaults left out."""
    out: Columns = {
        "text": text,
        "block": fact.block,
        "category": fact.category,
        "recorded_at": fact.recorded_at,
    }
    read = _READ(fact)
    if read != _USUAL:
        for column, value, usual in zip(_PLAIN, read, _USUAL, strict=True):
            if value != usual:
                out[column] = value
    for column in _INTEGERS & out.keys():
        if type(out[column]) is not int:
            raise TypeError(f"{column} of m{fact.id} is {out[column]!r}, not an integer")
    if not fact.active:
        out["active"] = 0
    if fact.pinned:
        out["pinned"] = 1
    if fact.speaker is not None:
        out["speaker"] = name(fact.speaker)
    if fact.subject != "user":
        out["subject"] = name(fact.subject)
    return out


def fact_row(columns: Columns) -> list[Any]:
    """Every column in the table's order, defaults filled in."""
    return [columns.get(column, default) for column, default in _WHOLE]


def normal(values: Sequence[Any]) -> Columns:
    """The normal form of a table's row: the columns that differ from their default."""
    return {
        column: value
        for (column, default), value in zip(_WHOLE, values, strict=True)
        if value != default or column == "recorded_at"
    }


def delta(before: Columns, after: Columns) -> Columns:
    """The columns that differ, with their new values; a return to the default is written out."""
    changed = {
        column: value for column, value in after.items() if before.get(column, DEFAULTS.get(column)) != value
    }
    for column in before:
        if column not in after:
            changed[column] = DEFAULTS[column]
    return changed


def fact_of(
    fact: int, values: Sequence[Any], text: str | None, names: Mapping[str, str], spans: tuple[Span, ...]
) -> Fact:
    """The fact of a table's row; ``values`` stand in COLUMNS' order.

    Words that recur are held once, whatever number of facts share them: SQLite makes them anew for every row.
    """
    (
        _, block, category, recorded_at, layer, speaker, subject, attribute, said_at, occurred_at,
        occurred_grain, confirmed_at, valid_from, valid_until, successor, active, retired_by, trust,
        quarantined_by, pinned, namespace, importance, originals,
    ) = values  # fmt: skip
    return Fact(
        fact,
        ERASED if text is None else text,
        intern(block),  # type: ignore[arg-type]  # a Block, as the schema has it
        intern(category),  # type: ignore[arg-type]  # a Category, likewise
        recorded_at,
        intern(layer),  # type: ignore[arg-type]  # a Layer, likewise
        None if speaker is None else names.get(speaker, ERASED),
        "user" if subject is None else names.get(subject, ERASED),
        None if attribute is None else intern(attribute),
        said_at,
        occurred_at,
        occurred_grain,
        confirmed_at,
        valid_from,
        valid_until,
        successor,
        active == 1,
        None if retired_by is None else intern(retired_by),
        trust,
        quarantined_by,
        pinned == 1,
        intern(namespace),
        importance,
        originals,
        spans,
    )


def turn_row(turn: Turn, *, key: str, text: str, payload: str | None, speaker: str | None) -> list[Any]:
    """The turn's canonical row, as its batch's digest takes it and the table holds it."""
    tool = turn.tool
    return [
        turn.id,
        turn.source,
        key,
        turn.native_id,
        turn.offset,
        turn.position,
        turn.session,
        speaker,
        turn.provenance,
        text,
        turn.said_at,
        turn.role,
        None if tool is None else tool.name,
        None if tool is None else tool.call_id,
        payload,
        None if tool is None else tool.outcome,
        int(turn.active_path),
        turn.trust,
    ]


TURN_COLUMNS = (
    "id, source, key, native_id, byte_offset, position, session, speaker, provenance, text, said_at, role, "
    "tool_name, tool_call, tool_payload, tool_outcome, active_path, trust"
)


def turn_of(row: Sequence[Any], text: str | None, payload: str | None, names: Mapping[str, str]) -> Turn:
    """The turn of a table's row, ``row`` in TURN_COLUMNS' order."""
    (
        id_, source, _, native_id, offset, position, session, speaker, provenance, _, said_at, role,
        tool_name, tool_call, tool_payload, tool_outcome, active_path, trust,
    ) = row  # fmt: skip
    tool = None
    if tool_name is not None or tool_call is not None or tool_payload is not None or tool_outcome is not None:
        kept = ERASED if tool_payload is not None and payload is None else payload
        tool = ToolCall(tool_name, tool_call, kept, tool_outcome)
    return Turn(
        id_,
        source,
        native_id,
        offset,
        position,
        session,
        None if speaker is None else names.get(speaker, ERASED),
        provenance,
        ERASED if text is None else text,
        said_at,
        role,
        tool,
        active_path == 1,
        trust,
    )


def subject_of(proposal: Proposal | None) -> int | None:
    """The fact that a proposal is about; None where it makes a new one."""
    if proposal is None or proposal.kind == "encode" or proposal.kind == "schematise":  # noqa: PLR1714 - narrows the union
        return None
    if proposal.kind == "merge":
        return proposal.into
    if proposal.kind == "contradict":
        return proposal.old
    return proposal.fact


_SPOKEN = frozenset({"kind", "text", "reason"})


def refs_of(proposal: Proposal | None, after: Fact | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a proposal says beside its text and reason: ids and words of ours, and free text to be kept apart.

    What the fact that came of it says already (``after``) is not said twice.
    """
    refs: dict[str, Any] = {}
    said: dict[str, Any] = {}
    if proposal is None:
        return refs, said
    for field, value in proposal.values():
        if value is None or field in _SPOKEN or value == "":
            continue
        if after is not None and field not in FACT_REFS and getattr(after, field, None) == value:
            continue
        if isinstance(value, tuple):
            refs[field] = list(value)
        elif isinstance(value, int) or (field != "subject" and _WORD.match(value)):
            refs[field] = value
        elif field != "subject" or value != "user":
            said[field] = value
    return refs, said
