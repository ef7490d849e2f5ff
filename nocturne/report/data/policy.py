"""Policies as JSON.

``{"name", "sentence", "settings": {key: value}}``; a check is
``{"policy", "ok", "sentence", "problems": [{"key", "found", "allowed"}]}``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nocturne.app.policies import Problem, Setting
from nocturne.core.policy import Policy


def one(policy: Policy, settings: Sequence[Setting]) -> dict[str, Any]:
    """One policy with its settings by dotted key."""
    return {
        "name": policy.name,
        "sentence": policy.sentence(),
        "settings": {setting.key: setting.value for setting in settings},
    }


def check(choice: str, policy: Policy | None, problems: Sequence[Problem]) -> dict[str, Any]:
    """Whether the policy holds, with every problem's key, what was found, and what may stand there."""
    return {
        "policy": choice,
        "ok": policy is not None,
        "sentence": policy.sentence() if policy is not None else None,
        "problems": [
            {"key": problem.key, "found": problem.found, "allowed": problem.allowed} for problem in problems
        ],
    }
