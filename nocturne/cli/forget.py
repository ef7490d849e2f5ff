"""``nocturne forget``: a person's word retires facts, and keeps them away."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from nocturne.cli.parameters import Argument, Option
from nocturne.cli.shell import Shell

EXAMPLES = (
    ("nocturne forget m17", "see what falls with it, and be asked"),
    ("nocturne forget --match 'dentist' --yes", "everything that says it, without being asked"),
    ("nocturne forget m17 --yes --receipt forgotten.json", "and a receipt to keep"),
)


def run(
    shell: Shell,
    facts: Annotated[list[str] | None, Argument(metavar="ID…", help="Facts: m17 m31.")] = None,
    *,
    match: Annotated[
        list[str] | None,
        Option("--match", metavar="TEXT", help="Every fact that says this; may be repeated."),
    ] = None,
    yes: Annotated[bool, Option("--yes", "-y", help="Do it without asking.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Show what would fall, and stop.")] = False,
    by: Annotated[
        str | None, Option("--by", metavar="NAME", help="Whose word it is.", show_default="you")
    ] = None,
    reason: Annotated[str, Option("--reason", metavar="TEXT", help="Why, for the record.")] = "",
    receipt: Annotated[
        Path | None, Option("--receipt", metavar="FILE", help="Write a receipt, as JSON.")
    ] = None,
) -> int:
    """Retire facts at a person's word, with everything that was made of them; show first what falls.

    A merge that loses one source is undone, and its other originals come back. Schemas fall with any of their
    evidence. Ingest, import and restore skip what was forgotten and say so. The words stay in the record:
    nocturne purge erases them. Off a terminal nothing is done without --yes.
    """
    from nocturne.cli import taking

    wish = taking.Wish("forget", facts or (), match or (), by, reason, receipt, yes=yes, dry_run=dry_run)
    return taking.run(shell, wish)
