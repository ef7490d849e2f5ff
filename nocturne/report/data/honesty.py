"""The honesty benchmark as JSON.

``{"tasks", "scores": [{"proposer", "heard", "total": part, "parts": [part]}]}``: ``tasks`` names the set of
questions, and only scores over one set are comparable. A part is ``{"pass", "tasks", "proposed", "kept_apart",
"accepted", "refused": {code: count}, "malformed", "again", "mended", "right", "missed", "against", "landed": {kind:
count}, "unanswered", "calls", "tokens_in", "tokens_out", "seconds", "failure"}``: ``right`` changes landed, ``missed``
ones did not, ``against`` counts proposals of changes that the key calls wrong, ``landed`` those that no gate refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nocturne.app.honesty import Part, Score, total


def honesty(scores: Sequence[Score]) -> dict[str, Any]:
    """Every score, in order."""
    return {
        "tasks": scores[0].tasks if scores else None,
        "scores": [
            {
                "proposer": score.proposer,
                "heard": not score.unheard,
                "total": _part(total(score)),
                "parts": [_part(part) for part in score.parts],
            }
            for score in scores
        ],
    }


def _part(part: Part) -> dict[str, Any]:
    return {
        "pass": part.pass_name,
        "tasks": part.tasks,
        "proposed": part.proposed,
        "kept_apart": part.kept_apart,
        "accepted": part.accepted,
        "refused": dict(part.refused),
        "malformed": part.malformed,
        "again": part.again,
        "mended": part.mended,
        "right": part.right,
        "missed": part.missed,
        "against": part.against,
        "landed": dict(part.landed),
        "unanswered": part.unanswered,
        "calls": part.calls,
        "tokens_in": part.tokens_in,
        "tokens_out": part.tokens_out,
        "seconds": round(part.seconds, 3),
        "failure": part.failure,
    }
