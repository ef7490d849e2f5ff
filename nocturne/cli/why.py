"""``nocturne why``: where a fact comes from."""

from __future__ import annotations

from typing import Annotated

from nocturne.cli.parameters import Argument, Option
from nocturne.cli.shell import Shell

EXAMPLES = (
    ("nocturne why m12", "its whole lineage, down to who said it"),
    ("nocturne why m12 --down", "and everything that came of it"),
    ("nocturne why m12 --json", "the same as a tree for a program"),
)


def run(
    shell: Shell,
    fact: Annotated[str, Argument(metavar="ID", help="A fact: m12.")],
    *,
    down: Annotated[bool, Option("--down", help="Also the whole tree of what came of it.")] = False,
) -> int:
    """Show a fact's whole lineage, down to the turn that first said it, and what was refused about it."""
    from nocturne.app.lineage import why
    from nocturne.cli import wiring
    from nocturne.core import ids
    from nocturne.report.data import history as data
    from nocturne.report.text import lineage as text

    number = ids.parse_fact(fact)
    with wiring.opened(shell) as store:
        story = why(store, number, down=down)
    if shell.as_json:
        shell.emit(data.lineage(story))
    else:
        shell.say(text.why(story, width=shell.width))
    return 0
