"""Answers of ``recall`` as JSON.

One query: ``{"query", "intent", "hits", "terms", "dropped", "unknown", "faded", "quarantined", "recorded",
"not_recorded"}``; a line of many: ``{"id", "hits"}``. A hit is ``{"fact", "text", "score", "factors":
{"relevance", "strength", "category_boost", "layer_boost"}, "turns"}``, with the turns' native ids.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nocturne.app.accesses import Remembered
from nocturne.app.recall import Found, Hit
from nocturne.core.ids import fact_id

Turns = Mapping[int, Sequence[str]]


def hit(found: Hit, turns: Turns) -> dict[str, Any]:
    """One fact with its score."""
    factors = found.factors
    return {
        "fact": fact_id(found.fact.id),
        "text": found.fact.text,
        "score": round(factors.score, 6),
        "factors": {
            "relevance": round(factors.relevance, 6),
            "strength": round(factors.strength, 6),
            "category_boost": factors.category_boost,
            "layer_boost": factors.layer_boost,
        },
        "turns": list(turns.get(found.fact.id, ())),
    }


def line(name: Any, found: Found, turns: Turns) -> dict[str, Any]:
    """One of many answers."""
    return {"id": name, "hits": [hit(each, turns) for each in found.hits]}


def recall(found: Found, turns: Turns, kept: Remembered, *, recorded: bool) -> dict[str, Any]:
    """The answer to one query."""
    return {
        "query": found.query.text,
        "intent": found.query.intent,
        "hits": [hit(each, turns) for each in found.hits],
        "terms": list(found.terms),
        "dropped": list(found.dropped),
        "unknown": list(found.unknown),
        "faded": found.faded,
        "quarantined": found.quarantined,
        "recorded": recorded and kept.failure is None,
        "not_recorded": kept.failure,
    }
