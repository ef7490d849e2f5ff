"""``nocturne report``: the store's history as a page to look at."""

from __future__ import annotations

import sys
from typing import Annotated

from nocturne.cli import options
from nocturne.cli.parameters import Option
from nocturne.cli.shell import Shell
from nocturne.errors import UsageError

EXAMPLES = (
    ("nocturne report --html memory.html", "the whole history, to open in a browser"),
    ("nocturne report --html memory.html --at s14", "as far as an earlier version"),
    ("nocturne report --html - > memory.html", "the page on stdout"),
)


def run(
    shell: Shell,
    *,
    html: options.HtmlOption,
    at: Annotated[
        str | None,
        Option("--at", metavar="ID|TIME", help="Only as far as this version.", show_default=False),
    ] = None,
    policy: options.PolicyOption = "default",
) -> int:
    """Write the store's history as one page that needs no network.

    Versions and their active facts, what each pass did, the difference of any two versions, refusals by code,
    strengths over time, and every fact with its lineage down to the turns that said it. What a person took
    back or had erased is not in it; quarantined facts are marked. Everything else the store holds is: treat the
    file as you treat the store.
    """
    from nocturne.app import policies
    from nocturne.app.chronicle import Asked, chronicle
    from nocturne.cli import wiring
    from nocturne.report.data import report as data
    from nocturne.report.html.page import page
    from nocturne.report.html.payload import payload
    from nocturne.report.page import counted

    onto_stdout = str(html) == "-"
    if onto_stdout and shell.as_json:
        raise UsageError("the page and --json both want stdout", hint="nocturne report --json --html FILE")
    chosen = policies.load(policy)
    with wiring.opened(shell) as store, store.moment():
        number = wiring.version(store, at) if at is not None else store.head().snapshot
        upto = store.snapshot(number)
        now = upto.at if at is not None else max(shell.now, upto.at)
        told = chronicle(store, Asked(upto, now, chosen, wiring.lexicon()))
    made = page(payload(told, name=shell.db.stem))
    size = len(made.encode())
    if onto_stdout:
        sys.stdout.write(made)
        return 0
    wiring.write(html, made)
    if shell.as_json:
        shell.emit(data.written(told, str(html), size))
    else:
        what = f"{counted(len(told.versions), 'fact')}, {counted(len(told.snapshots), 'version')}"
        shell.note(f"wrote {html}: {what}, {size / 1e6:.1f} MB")
    return 0
