"""``nocturne show``: one fact, in full."""

from __future__ import annotations

from typing import Annotated

from nocturne.cli import options
from nocturne.cli.parameters import Argument
from nocturne.cli.shell import Shell
from nocturne.errors import InputUnreadable

EXAMPLES = (
    ("nocturne show m12", "everything that is known of a fact"),
    ("nocturne show m12 --json", "the same for a program"),
)


def run(
    shell: Shell,
    fact: Annotated[str, Argument(metavar="ID", help="A fact: m12.")],
    *,
    policy: options.PolicyOption = "default",
) -> int:
    """Show one fact: its text, times, block, category, strength, trust, and the turns it rests on."""
    from nocturne.app import policies
    from nocturne.app.listing import Filter, listed, with_evidence
    from nocturne.cli import wiring
    from nocturne.core import ids
    from nocturne.report.data import facts as data
    from nocturne.report.text import facts as text

    number = ids.parse_fact(fact)
    chosen = policies.load(policy)
    with wiring.opened(shell) as store:
        lines = listed(store, Filter(everything=True), policy=chosen, now=shell.now)
        line = next((with_evidence(store, line) for line in lines if line.fact.id == number), None)
    if line is None:
        raise InputUnreadable(f"no fact m{number}", hint="nocturne facts --all lists every fact")
    if shell.as_json:
        shell.emit(data.listed(line))
    else:
        shell.say(text.show(line, width=shell.width))
    return 0
