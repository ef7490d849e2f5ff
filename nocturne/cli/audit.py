"""``nocturne audit``: is the record true."""

from __future__ import annotations

from typing import Annotated

from nocturne.cli.parameters import Option
from nocturne.cli.shell import Shell

EXAMPLES = (
    ("nocturne audit", "replay everything from the first entry"),
    ("nocturne audit --expect-head 9f3c41e0", "against a head that was kept elsewhere"),
    ("nocturne audit --since s200", "a long history, from a snapshot on"),
)


def run(
    shell: Shell,
    *,
    since: Annotated[
        str | None,
        Option("--since", metavar="ID", help="Begin at this snapshot, and trust what lies before."),
    ] = None,
    expect_head: Annotated[
        str | None,
        Option("--expect-head", metavar="HASH", help="The end that nocturne log --head printed then."),
    ] = None,
) -> int:
    """Re-derive the whole record from the database: exit 1 where anything does not hold.

    The ledger is replayed from its first entry and every state digest compared; every accepted mutation is
    measured anew, with the measures and never the gates; every active fact is traced to the turns that say it.
    A chain alone cannot show that its end was cut off, or that all of it was written anew: for that, compare
    with a head that was kept elsewhere.
    """
    from nocturne.app.auditing import audit
    from nocturne.cli import wiring
    from nocturne.report.data import audit as data
    from nocturne.report.text import audit as text

    with wiring.opened(shell) as store, store.moment():
        begin = wiring.snapshot(store, since).number if since is not None else None
        found = audit(store, lexicon=wiring.lexicon(), since=begin, expect_head=expect_head)
    if shell.as_json:
        shell.emit(data.audit(found))
    elif not shell.quiet or found.exit_code:
        shell.say(text.audit(found, width=shell.width))
    return found.exit_code
