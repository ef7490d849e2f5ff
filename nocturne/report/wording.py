"""The words of a code, from the one table that has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nocturne.core import codes


def title(code: str) -> str:
    """A code's short name; an unknown code says so instead of failing."""
    try:
        return codes.code(code).title
    except KeyError:
        return "unknown code"


def sentence(code: str, evidence: Mapping[str, Any]) -> str:
    """What the refusal says, with its ids, measure and limit."""
    return codes.message(code, evidence)
