"""Codes as JSON: ``{"code", "title", "says", "why", "refused", "accepted", "passes"}``, or a list of them."""

from __future__ import annotations

from typing import Any

from nocturne.core.codes import CODES, Code


def one(entry: Code) -> dict[str, Any]:
    """One code."""
    return {
        "code": entry.code,
        "title": entry.title,
        "says": entry.template,
        "why": entry.why,
        "refused": entry.refused_example,
        "accepted": entry.accepted_example,
        "passes": list(entry.passes),
    }


def listing() -> list[dict[str, Any]]:
    """Every code."""
    return [one(entry) for entry in CODES]
