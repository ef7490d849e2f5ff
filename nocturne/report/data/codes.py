"""Codes as JSON: ``{"code", "title", "says", "why", "refused", "accepted", "passes", "words"?}``, or a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nocturne.core.codes import CODES, Code


def one(entry: Code, words: Sequence[tuple[str, Sequence[str]]] = ()) -> dict[str, Any]:
    """One code, with its lists of words where they were asked for."""
    listed = {"words": {name: list(those) for name, those in words}} if words else {}
    return {
        "code": entry.code,
        "title": entry.title,
        "says": entry.template,
        "why": entry.why,
        "refused": entry.refused_example,
        "accepted": entry.accepted_example,
        "passes": list(entry.passes),
        **listed,
    }


def listing() -> list[dict[str, Any]]:
    """Every code."""
    return [one(entry) for entry in CODES]
