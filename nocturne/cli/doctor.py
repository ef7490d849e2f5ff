"""``nocturne doctor``: is the store whole, and what is it made of."""

from __future__ import annotations

import platform
import sqlite3

from nocturne.cli.shell import Shell

EXAMPLES = (
    ("nocturne doctor", "check ./nocturne.db"),
    ("nocturne doctor --db team.db --json", "the same for a program"),
)
DAMAGED = 5


def run(shell: Shell) -> int:
    """Check that the store's file is whole, and say what it holds. Exit 5 where something is wrong.

    This looks at pages, indexes and foreign keys. Whether the record itself is true is another question: the
    hash chain, the digests and every accepted mutation are re-derived by the independent verifier, verify.py.
    """
    from nocturne.cli import wiring
    from nocturne.report.data import doctor as data
    from nocturne.report.text import doctor as text

    with wiring.opened(shell) as store, store.moment():
        info = dict(store.info())
        problems = store.problems()
    machine = {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "nocturne": wiring.own_version(),
    }
    if shell.as_json:
        shell.emit(data.doctor(str(shell.db), info, problems, machine))
    elif not shell.quiet or problems:
        shell.say(text.doctor(str(shell.db), info, problems, machine, width=shell.width))
    return DAMAGED if problems else 0
