"""``nocturne log``: the snapshots."""

from __future__ import annotations

from typing import Annotated

from nocturne.cli.parameters import Option
from nocturne.cli.shell import Shell

EXAMPLES = (
    ("nocturne log", "the latest snapshots, newest first"),
    ("nocturne log --limit 0", "all of them"),
    ("nocturne log --head > head.txt", "where the chain ends, to keep elsewhere"),
)


def run(
    shell: Shell,
    *,
    limit: Annotated[int, Option("--limit", "-n", metavar="N", min=0, help="How many; 0 for all.")] = 40,
    head: Annotated[bool, Option("--head", help="Print only the hash that the chain ends with.")] = False,
) -> int:
    """List the snapshots, newest first: id, active facts, what changed, and the command that made them.

    A chain shows edits, gaps and reordering by itself; that its end was cut off shows only against a head
    that was kept elsewhere.
    """
    from nocturne.cli import wiring
    from nocturne.report.data import history as data
    from nocturne.report.text import log as text

    with wiring.opened(shell) as store:
        end = store.head()
        if head:
            if shell.as_json:
                shell.emit(data.head(end))
            else:
                shell.say(text.head(end, width=shell.width))
            return 0
        first = max(0, end.snapshot + 1 - limit) if limit else 0
        shown = list(reversed(list(store.snapshots(first))))
    if shell.as_json:
        shell.emit([data.snapshot(info) for info in shown])
    else:
        shell.say(text.log(shown, more=end.snapshot + 1 - len(shown), width=shell.width))
    return 0
