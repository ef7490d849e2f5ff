"""An answer as JSON: ``{"question", "found", "answer", "by", "facts": [fact], "unknown", "faded", "quarantined"}``."""

from __future__ import annotations

from typing import Any

from nocturne.app.answering import Answer
from nocturne.report.data.facts import fact


def answer(said: Answer) -> dict[str, Any]:
    """The answer with the facts that it cites."""
    return {
        "question": said.question,
        "found": said.found,
        "answer": said.text,
        "by": said.by,
        "facts": [fact(each) for each in said.facts],
        "unknown": list(said.unknown),
        "faded": said.faded,
        "quarantined": said.quarantined,
    }
