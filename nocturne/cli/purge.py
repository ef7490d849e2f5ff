"""``nocturne purge``: the words are erased everywhere, and a receipt is left."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from nocturne.cli.parameters import Argument, Option
from nocturne.cli.shell import Shell

EXAMPLES = (
    ("nocturne purge m17", "see what would be erased, and be asked"),
    ("nocturne purge --match '555 0142' --yes", "every text that has it, without being asked"),
    ("nocturne purge m17 --yes --receipt purged.json", "and a receipt to keep"),
)


def run(
    shell: Shell,
    facts: Annotated[list[str] | None, Argument(metavar="ID…", help="Facts: m17 m31.")] = None,
    *,
    match: Annotated[
        list[str] | None,
        Option("--match", metavar="TEXT", help="Every text that has this; may be repeated."),
    ] = None,
    yes: Annotated[bool, Option("--yes", "-y", help="Do it without asking.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Show what would go, and stop.")] = False,
    by: Annotated[
        str | None, Option("--by", metavar="NAME", help="Whose word it is.", show_default="you")
    ] = None,
    reason: Annotated[str, Option("--reason", metavar="TEXT", help="Why, for the record.")] = "",
    receipt: Annotated[
        Path | None, Option("--receipt", metavar="FILE", help="Write a receipt, as JSON.")
    ] = None,
) -> int:
    """Erase facts for good: their words go from every version, ruling, turn, quiz, reply, index and the log.

    A turn that says one of them goes whole, since its digest is over the whole. Facts fall as with nocturne
    forget. Hashes stay, so that the audit still holds and says what was erased; nothing can be restored. Files
    outside the store, such as transcripts, plans, exports and older backups, can only be named.
    """
    from nocturne.cli import taking

    wish = taking.Wish("purge", facts or (), match or (), by, reason, receipt, yes=yes, dry_run=dry_run)
    return taking.run(shell, wish)
