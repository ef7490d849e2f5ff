"""Snapshots, mutations, comparisons, lineage and restores as JSON.

A snapshot is ``{"id", "label", "command", "policy", "at", "active", "digest", "seq", "counts"}``. A
mutation is ``{"seq", "snapshot", "pass", "kind", "fact", "refs", "origin", "accepted", "code", "message",
"rule", "reason", "evidence", "at"}``. A comparison is ``{"from", "to", "counts", "differences": [{"kind",
"before", "after", "mutations"}], "refused"}``. A lineage is ``{"tree", "descendants": [{"role", "fact"}],
"down": [{"role", "fact", "children"}] or null, "refused"}``, where a tree is ``{"fact", "made_by", "steps",
"parents": [tree], "quotes": [{"turn", "native_id", "speaker", "said_at", "session", "words", "text", "start",
"end"}]}``. A restore is ``{"to", "snapshot", "exact", "changed", "active", "skipped", "purged", "kept"}``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nocturne.core.ids import fact_id, snapshot_id, turn_id
from nocturne.core.instants import iso
from nocturne.report import wording
from nocturne.report.data.facts import fact

if TYPE_CHECKING:
    from nocturne.app.compare import Comparison
    from nocturne.app.lineage import Ancestor, Descendant, Lineage, Quote
    from nocturne.app.ports import Head, MutationRow, SnapshotInfo
    from nocturne.app.restoring import Restored


def snapshot(info: SnapshotInfo) -> dict[str, Any]:
    """One snapshot."""
    return {
        "id": snapshot_id(info.number),
        "label": info.label,
        "command": info.command,
        "policy": info.policy,
        "at": iso(info.at),
        "active": info.active,
        "digest": info.digest,
        "seq": info.seq,
        "counts": dict(info.counts),
    }


def head(at: Head) -> dict[str, Any]:
    """Where the chain ends."""
    return {"seq": at.seq, "hash": at.hash, "snapshot": snapshot_id(at.snapshot)}


def mutation(row: MutationRow) -> dict[str, Any]:
    """One ruling on the record."""
    return {
        "seq": row.seq,
        "snapshot": snapshot_id(row.snapshot),
        "pass": row.pass_name,
        "kind": row.kind,
        "fact": fact_id(row.fact) if row.fact is not None else None,
        "refs": dict(row.refs),
        "origin": row.origin,
        "accepted": row.accepted,
        "code": row.code,
        "message": wording.sentence(row.code, row.evidence) if row.code is not None else None,
        "rule": row.rule,
        "reason": row.reason,
        "evidence": dict(row.evidence),
        "at": iso(row.at),
    }


def comparison(compared: Comparison) -> dict[str, Any]:
    """Two versions side by side; facts that are the same in both are only counted."""
    return {
        "from": snapshot(compared.older),
        "to": snapshot(compared.newer),
        "counts": dict(compared.counts),
        "differences": [
            {
                "kind": entry.kind,
                "before": fact(entry.before) if entry.before is not None else None,
                "after": fact(entry.after) if entry.after is not None else None,
                "mutations": [mutation(row) for row in entry.mutations],
            }
            for entry in compared.differences
        ],
        "refused": [mutation(row) for row in compared.refused],
    }


def lineage(story: Lineage) -> dict[str, Any]:
    """A fact's ancestry down to the turns, what came of it, and what was refused about it."""
    return {
        "tree": _ancestor(story.tree),
        "descendants": [{"role": role, "fact": fact(child)} for role, child in story.descendants],
        "down": [_descendant(each) for each in story.down] if story.down is not None else None,
        "refused": [mutation(row) for row in story.refused],
    }


def _descendant(node: Descendant) -> dict[str, Any]:
    return {
        "role": node.role,
        "fact": fact(node.fact),
        "children": [_descendant(child) for child in node.children],
    }


def _ancestor(node: Ancestor) -> dict[str, Any]:
    return {
        "fact": fact(node.fact),
        "made_by": mutation(node.made_by) if node.made_by is not None else None,
        "steps": [mutation(row) for row in node.steps],
        "parents": [_ancestor(parent) for parent in node.parents],
        "quotes": [_quote(quote) for quote in node.quotes],
    }


def _quote(quote: Quote) -> dict[str, Any]:
    turn = quote.turn
    return {
        "turn": turn_id(turn.id),
        "native_id": turn.native_id,
        "speaker": turn.speaker,
        "provenance": turn.provenance,
        "said_at": iso(turn.said_at),
        "session": turn.session,
        "words": quote.words,
        "text": turn.text,
        "start": quote.span.start,
        "end": quote.span.end,
    }


def restored(done: Restored) -> dict[str, Any]:
    """What a restore did."""
    return {
        "to": snapshot_id(done.to.number),
        "snapshot": snapshot_id(done.snapshot) if done.snapshot is not None else None,
        "exact": done.exact,
        "changed": len(done.changes),
        "active": done.active,
        "skipped": [fact_id(row.id) for row in done.skipped],
        "purged": [fact_id(number) for number in done.purged],
        "kept": [fact_id(number) for number in done.kept],
    }
