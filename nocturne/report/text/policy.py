"""Policies as text: the list, one policy in full, and the outcome of a check."""

from __future__ import annotations

from collections.abc import Sequence

from nocturne.app.policies import Problem, Setting
from nocturne.core.policy import Policy
from nocturne.report.page import BAD, DIM, GOOD, STRONG, Page


def listing(policies: Sequence[Policy], *, width: int = 80) -> Page:
    """Every shipped policy with its sentence."""
    page = Page(width)
    page.table(((policy.name, STRONG), policy.sentence() + ".") for policy in policies)
    page.blank()
    page.line("next: nocturne policy show NAME", indent=0)
    return page


def one(policy: Policy, settings: Sequence[Setting], *, width: int = 80) -> Page:
    """A policy's sentence, then every key with its value and what it may be."""
    page = Page(width)
    page.line(("policy ", ""), (policy.name, STRONG), f": {policy.sentence()}.", hang=2)
    page.blank()
    section = ""
    left = 2 + max(len(setting.key.rsplit(".", 1)[-1]) for setting in settings)
    for setting in settings:
        *above, key = setting.key.split(".")
        here = ".".join(above)
        if here != section:
            section = here
            page.line((f"[{here}]", DIM))
        mark = DIM if setting.is_default else STRONG
        page.line(f"{key:<{left}}", (_value(setting.value), mark), indent=2, hang=2 + left)
    page.blank()
    page.line(("Values that differ from the default policy's are bold.", DIM))
    page.line("next: nocturne policy check FILE")
    return page


def check(choice: str, policy: Policy | None, problems: Sequence[Problem], *, width: int = 80) -> Page:
    """Whether a policy holds, and every key that does not."""
    page = Page(width)
    if policy is not None:
        page.line(("holds", GOOD), f"  {choice}: {policy.sentence()}.", hang=7)
        return page
    page.line(("fails", BAD), f"  {choice}: {len(problems)} problem{'s' if len(problems) != 1 else ''}")
    for problem in problems:
        page.line((problem.key, STRONG), f" is {problem.found}; {problem.allowed}", indent=7, hang=9)
    return page


def _value(value: object) -> str:
    match value:
        case None:
            return "never"
        case bool():
            return "true" if value else "false"
        case tuple():
            return ", ".join(str(item) for item in value) or "none"
        case float():
            return f"{value:g}"
        case _:
            return str(value)
