"""``nocturne facts``: what the store holds."""

from __future__ import annotations

from typing import Annotated

from nocturne.cli import options
from nocturne.cli.parameters import Option
from nocturne.cli.shell import Shell, micros
from nocturne.errors import UsageError

EXAMPLES = (
    ("nocturne facts", "active facts by block"),
    ("nocturne facts --category preferences --grep coffee", "some of them"),
    ("nocturne facts --at s10", "what the store held at an earlier version"),
    ("nocturne facts --as-of 2026-02-01", "what was true then"),
    ("nocturne facts --stale", "what the next sleep may forget"),
)


def run(
    shell: Shell,
    *,
    everything: Annotated[bool, Option("--all", help="Facts that are no longer active as well.")] = False,
    at: Annotated[
        str | None,
        Option("--at", metavar="ID|TIME", help="What the store held then.", show_default=False),
    ] = None,
    as_of: Annotated[
        str | None, Option("--as-of", metavar="TIME", help="What was true then.", show_default=False)
    ] = None,
    category: Annotated[str | None, Option("--category", metavar="NAME", help="Of this category.")] = None,
    block: Annotated[str | None, Option("--block", metavar="NAME", help="In this block.")] = None,
    grep: Annotated[str | None, Option("--grep", metavar="TEXT", help="Whose text contains this.")] = None,
    faded: Annotated[bool, Option("--faded", help="Too weak for recall to find.")] = False,
    stale: Annotated[bool, Option("--stale", help="Which the policy would forget tonight.")] = False,
    policy: options.PolicyOption = "default",
) -> int:
    """List facts by block, with category and strength."""
    from nocturne.app import policies
    from nocturne.app.listing import Filter, listed
    from nocturne.cli import wiring
    from nocturne.core.facts import BLOCKS, CATEGORIES
    from nocturne.report.data import facts as data
    from nocturne.report.text import facts as text

    _known("--category", category, CATEGORIES)
    _known("--block", block, BLOCKS)
    chosen = policies.load(policy)
    moment = micros(as_of, option="--as-of") if as_of is not None else None
    with wiring.opened(shell) as store:
        wanted = Filter(
            everything=everything,
            at=wiring.version(store, at) if at is not None else None,
            as_of=moment,
            category=category,
            block=block,
            grep=grep,
            faded=faded,
            stale=stale,
        )
        lines = listed(store, wanted, policy=chosen, now=shell.now)
    if shell.as_json:
        shell.emit(data.facts(lines))
    else:
        shell.say(text.facts(lines, width=shell.width))
    return 0


def _known(option: str, value: str | None, names: tuple[str, ...]) -> None:
    if value is not None and value not in names:
        raise UsageError(f"{option} is {value!r}", hint=f"one of {', '.join(names)}")
