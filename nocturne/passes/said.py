"""A fact as the meaning gates see it: words, whose they are, and when they were said."""

from __future__ import annotations

from nocturne.core.facts import Fact, Turn
from nocturne.core.meaning import Said


def said(fact: Fact) -> Said:
    """The fact's text with its speaker, subject and times."""
    return Said(
        fact.text,
        speaker=fact.speaker,
        said_at=fact.said_at,
        occurred_at=fact.occurred_at,
        provenance="assistant" if fact.subject == "assistant" else "human",
        subject=fact.subject,
    )


def uttered(turn: Turn) -> Said:
    """The turn's words with speaker, time, session and provenance class."""
    return Said(
        turn.text,
        speaker=turn.speaker,
        said_at=turn.said_at,
        provenance=turn.provenance,
        session=turn.session,
    )
