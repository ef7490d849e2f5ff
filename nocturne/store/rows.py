"""Between the product's types and the plain values that rows, bodies and leaves are made of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import compress
from operator import attrgetter, ne
from sys import intern
from typing import TYPE_CHECKING, Any

from nocturne.core.acts import ERASED
from nocturne.core.chain import COLUMNS, DEFAULTS, FACT_REFS
from nocturne.core.facts import Fact, Span, ToolCall, Turn
from nocturne.core.making import fact_made

if TYPE_CHECKING:
    from nocturne.core.proposals import Proposal

Columns = dict[str, Any]
FACT_COLUMNS = ", ".join(f"f.{column}" for column in COLUMNS)
"""For a select over ``facts AS f``."""
Values = tuple[Any, ...]
"""A fact's columns, every one, in the table's order."""

_WORD = re.compile(r"[a-z0-9][a-z0-9:_./-]{0,39}\Z")
_INTEGERS = frozenset(
    {
        "recorded_at", "said_at", "occurred_at", "confirmed_at", "valid_from", "valid_until", "successor",
        "trust", "importance", "originals",
    }
)  # fmt: skip
_BEFORE_NAMES = attrgetter(*COLUMNS[1:5])
_AFTER_NAMES = attrgetter(*COLUMNS[7:15])
_USUAL = tuple(DEFAULTS[column] for column in COLUMNS)
TEXT, SPEAKER, SUBJECT, ACTIVE = map(COLUMNS.index, ("text", "speaker", "subject", "active"))
"""Where these stand in a fact's values."""


def values_of(fact: Fact, text: str, speaker: str | None, subject: str | None) -> Values:
    """The fact's columns in the table's order; ``text``, ``speaker`` and ``subject`` are commitments."""
    return (
        text,
        *_BEFORE_NAMES(fact),
        speaker,
        subject,
        *_AFTER_NAMES(fact),
        1 if fact.active else 0,
        fact.retired_by,
        fact.trust,
        fact.quarantined_by,
        1 if fact.pinned else 0,
        fact.namespace,
        fact.importance,
        fact.originals,
    )


def stepped(fact: int, before: Values | None, after: Values) -> Columns:
    """The columns that differ, with their new values; of a new fact all but the defaults.

    A return to the default is written out. TypeError where what is new is no integer and should be one.
    """
    if before is None:
        changed = normal(after)
    else:
        changed = dict(compress(zip(COLUMNS, after, strict=True), map(ne, after, before)))
    for column, value in changed.items():
        if type(value) is not int and column in _INTEGERS and not (before is not None and value is None):
            raise TypeError(f"{column} of m{fact} is {value!r}, not an integer")
    return changed


def overwritten(columns: Columns, step: Columns) -> Columns:
    """The normal form after a step."""
    out = {**columns, **step}
    for column, value in step.items():
        if value == DEFAULTS[column]:
            del out[column]
    return out


def normal(values: Sequence[Any]) -> Columns:
    """The normal form of a table's row: the columns that differ from their default, ``recorded_at`` always."""
    return dict(compress(zip(COLUMNS, values, strict=True), map(ne, values, _USUAL)))


def fact_of(
    fact: int,
    values: Sequence[Any],
    text: str | None,
    names: Mapping[str, str],
    spans: tuple[Span, ...],
    *,
    beside: Fact | None = None,
) -> Fact:
    """The fact of a table's row; ``values`` stand in COLUMNS' order.

    Words that recur are held once, whatever number of facts share them, and times that the fact read before has
    (``beside``): SQLite makes them anew for every row.
    """
    (
        _, block, category, recorded_at, layer, speaker, subject, attribute, said_at, occurred_at,
        occurred_grain, confirmed_at, valid_from, valid_until, successor, active, retired_by, trust,
        quarantined_by, pinned, namespace, importance, originals,
    ) = values  # fmt: skip
    if beside is not None:
        if recorded_at == beside.recorded_at:
            recorded_at = beside.recorded_at
        if said_at == beside.said_at:
            said_at = beside.said_at
    if said_at == recorded_at:
        said_at = recorded_at
    return fact_made(
        (
            fact,
            ERASED if text is None else text,
            intern(block),
            intern(category),
            recorded_at,
            intern(layer),
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
        if field in _SPOKEN or value is None or value == "":
            continue
        if after is not None and field not in FACT_REFS and getattr(after, field, None) == value:
            continue
        kind = type(value)
        if kind is tuple:
            refs[field] = list(value)
        elif kind is int or (field != "subject" and _WORD.match(value)):
            refs[field] = value
        elif field != "subject" or value != "user":
            said[field] = value
    return refs, said
