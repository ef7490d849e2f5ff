"""``nocturne backup``: a whole copy of the store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from nocturne.cli.parameters import Argument
from nocturne.cli.shell import Shell
from nocturne.errors import UsageError

EXAMPLES = (("nocturne backup nocturne-2026-03-19.db", "a copy that is whole even while a sleep is running"),)


def run(
    shell: Shell,
    file: Annotated[Path, Argument(metavar="FILE", help="Where the copy goes; it must not be there yet.")],
) -> int:
    """Copy the store whole, its write-ahead log included.

    Copying the file by hand loses what is still in the log.
    """
    from nocturne.cli import wiring

    if file.exists():
        raise UsageError(f"{file} is there already", hint="choose a name that is free")
    with wiring.opened(shell, "rw") as store:
        store.backup(file)
        head = store.head()
    if shell.as_json:
        shell.emit({"file": str(file), "snapshot": f"s{head.snapshot}", "head": head.hash})
    elif not shell.quiet:
        from nocturne.report.page import Page

        page = Page(shell.width)
        page.line(f"{file} is whole at s{head.snapshot}.")
        page.line(f"look: nocturne log --db {file}")
        shell.say(page)
    return 0
