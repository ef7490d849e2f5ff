"""``nocturne restore``: an earlier version, back as a new one."""

from __future__ import annotations

from typing import Annotated

from nocturne.cli.parameters import Argument, Option
from nocturne.cli.shell import Shell

EXAMPLES = (
    ("nocturne restore s2", "as it was before last night"),
    ("nocturne restore latest~1", "one version back"),
    ("nocturne restore s2 --lift-tombstones", "with what a person had forgotten"),
)


def run(
    shell: Shell,
    snapshot: Annotated[str, Argument(metavar="ID", help="A snapshot: s10, latest or latest~2.")],
    *,
    lift: Annotated[
        bool, Option("--lift-tombstones", help="Bring back what a person forgot or rejected as well.")
    ] = False,
) -> int:
    """Bring a version back as a new version: nothing is erased, and the undo can be undone.

    Facts that a person forgot stay away and are named, unless --lift-tombstones is given; purged text is
    gone for good.
    """
    from nocturne.app.restoring import restore
    from nocturne.cli import wiring
    from nocturne.report.data import history as data
    from nocturne.report.text import restore as text

    with wiring.opened(shell, "rw") as store:
        before = store.head().snapshot
        done = restore(
            store,
            wiring.snapshot(store, snapshot),
            policy=None,
            lexicon=wiring.lexicon(),
            now=shell.now,
            command=shell.command,
            lift=lift,
        )
    if shell.as_json:
        shell.emit(data.restored(done))
    elif not shell.quiet:
        shell.say(text.restore(done, before, width=shell.width))
    return 0
