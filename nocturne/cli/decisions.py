"""``nocturne decisions``: the decision ledger."""

from __future__ import annotations

from typing import Annotated

from nocturne.cli.parameters import Option
from nocturne.cli.shell import Shell

EXAMPLES = (
    ("nocturne decisions", "every decision, with what it replaced and why"),
    ("nocturne decisions --topic 'package manager'", "those on one topic"),
    ("nocturne decisions --all", "every fact that took another's place, decisions or not"),
)


def run(
    shell: Shell,
    *,
    topic: Annotated[
        str | None, Option("--topic", metavar="WORDS", help="Chains that speak of this.")
    ] = None,
    everything: Annotated[bool, Option("--all", help="Superseded facts of every category.")] = False,
) -> int:
    """Print the decisions as chains, newest first, each reversal with its reason."""
    from nocturne.app.decisions import decisions
    from nocturne.cli import wiring
    from nocturne.report.data import decisions as data
    from nocturne.report.text import decisions as text

    with wiring.opened(shell) as store:
        chains = decisions(store, lexicon=wiring.lexicon(), topic=topic, everything=everything)
    if shell.as_json:
        shell.emit(data.decisions(chains))
    else:
        shell.say(text.decisions(chains, topic=topic, width=shell.width))
    return 0
