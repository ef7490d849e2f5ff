"""A quiz as JSON.

``{"ok", "answerer", "seed", "snapshot", "baseline", "recall": {"asked", "recalled", "before", "items": […]},
"forgotten": {"probed", "passed", "nothing_to_probe", "items": […]}, "leaky": […], "contract": […], "problems",
"exit"}``. A recall item is ``{"fact", "question", "answer", "cites", "passed", "attempts", "recall", "missing",
"lost_values", "strange_values", "polarity", "untrue", "before", "retired"}``; a probe is ``{"fact", "question",
"answer", "absent", "said_absent", "leaked", "still", "passed"}``. Measures are ``numerator/denominator``.
"""

from __future__ import annotations

from typing import Any

from nocturne.app.quizzing import Item, Kept, Probed, Quiz
from nocturne.core.ids import fact_id, snapshot_id


def quiz(found: Quiz) -> dict[str, Any]:
    """The whole quiz."""
    before = [item for item in found.items if item.before]
    return {
        "ok": not found.problems,
        "answerer": found.answerer,
        "seed": found.seed,
        "snapshot": snapshot_id(found.snapshot),
        "baseline": snapshot_id(found.baseline) if found.baseline is not None else None,
        "recall": {
            "asked": len(found.counted),
            "recalled": found.recalled,
            "before": len(before) if found.baseline is not None else None,
            "items": [_item(item) for item in found.items],
        },
        "forgotten": {
            "probed": len(found.probes),
            "passed": sum(each.probe.passed for each in found.probes),
            "nothing_to_probe": not found.probes,
            "items": [_probe(each) for each in found.probes],
        },
        "leaky": [
            {"fact": fact_id(each.fact), "question": each.question, "leak": _share(each.leak)}
            for each in found.leaky
        ],
        "contract": [_kept(each) for each in found.contract],
        "problems": list(found.problems),
        "exit": found.exit_code,
    }


def _share(value: Any) -> str:
    return f"{value.numerator}/{value.denominator}"


def _item(item: Item) -> dict[str, Any]:
    return {
        "fact": fact_id(item.fact.id),
        "question": item.question,
        "answer": item.answer.text,
        "cites": [fact_id(each.id) for each in item.answer.facts],
        "passed": item.passed,
        "attempts": item.attempts,
        "recall": f"{item.score.recalled}/{item.score.of}",
        "missing": list(item.score.missing),
        "lost_values": list(item.score.lost_values),
        "strange_values": list(item.score.strange_values),
        "polarity": item.score.polarity,
        "untrue": item.untrue or None,
        "before": item.before,
        "retired": item.retired or None,
    }


def _probe(each: Probed) -> dict[str, Any]:
    return {
        "fact": fact_id(each.fact.id),
        "question": each.question,
        "answer": each.answer.text,
        "absent": each.probe.absent,
        "said_absent": each.probe.said_absent,
        "leaked": list(each.probe.leaked),
        "still": fact_id(each.probe.still) if each.probe.still is not None else None,
        "passed": each.probe.passed,
    }


def _kept(each: Kept) -> dict[str, Any]:
    return {
        "expect": each.expectation.expect,
        "question": each.expectation.question,
        "text": each.expectation.text,
        "answer": each.answer.text,
        "passed": each.passed,
        "found": each.found or None,
    }
