"""One mutation in one line: what was done or asked, why it holds or not, and by whom."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from nocturne.core.ids import fact_id
from nocturne.report import wording
from nocturne.report.page import WARN, Part

if TYPE_CHECKING:
    from nocturne.app.ports import MutationRow

_BY = {"engine": "by the engine", "person": "by a person"}
"""Said where it was not the proposer, who is the rule."""


def asked(row: MutationRow) -> str:
    """What a proposal asked for, with its ids: ``drop m17 as m4``."""
    refs = row.refs
    match row.kind:
        case "drop":
            return f"drop {_id(refs, 'fact')} as {_id(refs, 'duplicate_of')}"
        case "keep":
            return f"keep {_id(refs, 'fact')} apart from {_id(refs, 'other')}"
        case "merge":
            return f"merge {' '.join([_id(refs, 'into'), *_ids(refs, 'sources')])}"
        case "promote":
            return f"promote {_id(refs, 'fact')} to {refs.get('to_block', '?')}"
        case "forget":
            return f"forget {_id(refs, 'fact')}"
        case "contradict":
            return f"supersede {_id(refs, 'old')} by {_id(refs, 'new')}"
        case "schematise":
            return f"schema of {' '.join(_ids(refs, 'members'))}"
        case "encode":
            turns = refs.get("turns") or ()
            return f"encode {' '.join(f't{turn}' for turn in turns)}".rstrip()
        case _:
            return row.kind or "unreadable"


def done(row: MutationRow) -> str:
    """What an accepted mutation did, with the measure that let it."""
    if (row.rule or "").startswith("person:"):
        return _person(row)
    evidence = row.evidence
    by = [_BY[row.origin]] if row.origin in _BY else []
    match row.kind:
        case "drop":
            parts = [f"dedupe · {_id(row.refs, 'fact')} says no more than {_id(row.refs, 'duplicate_of')}"]
        case "merge":
            sources = ", ".join([_id(row.refs, "into"), *_ids(row.refs, "sources")])
            worded = "composed by code" if (row.rule or "").endswith("composed") else "worded by the model"
            parts = [f"merge of {sources} · {worded} · nothing lost, nothing invented"]
        case "promote":
            parts = [f"promote · {evidence.get('from', '?')} → {evidence.get('to', '?')}"]
        case "forget":
            parts = [f"forget · {_rule(row)}"]
        case "contradict":
            parts = [
                f"contradict · {_id(row.refs, 'new')} supersedes {_id(row.refs, 'old')}",
                *_clash(evidence),
            ]
        case "keep":
            parts = [
                f"{row.pass_name} · {_id(row.refs, 'fact')} and {_id(row.refs, 'other')} can both be true"
            ]
        case "schematise":
            parts = [
                f"schema of {evidence.get('members', '?')} facts of {evidence.get('sessions', '?')} sessions"
            ]
        case "encode":
            parts = ["encode · every word is in the turns that it cites"]
        case "restore":
            parts = ["restore"]
        case _:
            parts = [f"{row.pass_name} · {row.kind}"]
    return " · ".join([*parts, *by])


def _person(row: MutationRow) -> str:
    """What was done at a person's word."""
    what = (row.rule or "").removeprefix("person:")
    match row.kind:
        case "revive":
            return f"{what} · back, for a source of its merge was taken away"
        case "purge":
            return f"purge · {row.erased:,} texts erased at a person's word"
        case "lift":
            return "lift · tombstones, at a person's word"
        case _:
            return f"{what} · a person's word{_why(row)}"


def _why(row: MutationRow) -> str:
    why = str(row.refs.get("why", "named")).replace("-", " ")
    return "" if why in ("named", "matches") else f": it {why}"


def _rule(row: MutationRow) -> str:
    rule = (row.rule or "").rsplit(":", 1)[-1]
    if rule == "stale":
        return f"stale: {_days(row.evidence.get('age_days'))} days{_limit(row.evidence)}"
    if rule == "capacity":
        return (
            f"capacity: {row.evidence.get('active', '?')} active, limit {row.evidence.get('capacity', '?')}"
        )
    return rule or "no rule"


def _limit(evidence: Mapping[str, Any]) -> str:
    limit = evidence.get("limit_days")
    return f", limit {limit}" if limit is not None else ""


def _days(measure: object) -> str:
    if measure is None:
        return "?"
    return str(int(Fraction(str(measure))))


def _clash(evidence: Mapping[str, Any]) -> list[str]:
    parts = []
    if attribute := evidence.get("attribute"):
        parts.append(f"attribute {attribute}")
    before, after = evidence.get("strength_before"), evidence.get("strength_after")
    if before is not None and after is not None:
        parts.append(f"strength {float(before):.2f} → {float(after):.2f}")
    return parts


def refused(row: MutationRow) -> tuple[Part, ...]:
    """A refusal in one line: what was asked, the code, and the measure against the limit."""
    code = row.code or "?"
    by = f" · {_BY[row.origin]}" if row.origin in _BY else ""
    return (f"{asked(row)}   ", (code, WARN), f" {wording.sentence(code, row.evidence)}{by}")


def _id(refs: Mapping[str, Any], key: str) -> str:
    return _shown(refs.get(key))


def _ids(refs: Mapping[str, Any], key: str) -> list[str]:
    return [_shown(value) for value in refs.get(key) or ()]


def _shown(value: Any) -> str:
    return fact_id(value) if isinstance(value, int) else str(value) if value is not None else "?"
