"""``nocturne init``: an empty store, or one with the demonstration in it."""

from __future__ import annotations

from importlib.resources import as_file
from typing import Annotated

from nocturne.cli.parameters import Option
from nocturne.cli.shell import Shell
from nocturne.errors import UsageError

NIGHT = "2026-03-19"
"""The day after the demonstration's last session: later, most of it is past the default age limit."""

EXAMPLES = (
    ("nocturne init", "an empty store at ./nocturne.db"),
    ("nocturne init --demo --db demo.db", "one with a conversation of six sessions in it"),
)


def run(
    shell: Shell,
    *,
    demo: Annotated[
        bool, Option("--demo", help="Ingest the conversation that comes with nocturne as well.")
    ] = False,
) -> int:
    """Create a store. An existing file is never touched.

    Only init and ingest create one: every other command refuses a path where there is none, so that a
    mistyped --db cannot make an empty memory.
    """
    if shell.db.exists():
        raise UsageError(f"{shell.db} is there already", hint="choose another --db, or ingest into this one")
    if demo:
        from nocturne.app.shipped import shipped
        from nocturne.cli import ingest

        with as_file(shipped("demo")) as folder:
            code = ingest.run(shell, [str(folder)])
        shell.note(
            f"the conversation ends in March 2026; as on the night after: nocturne sleep --now {NIGHT}"
        )
        return code
    from nocturne.cli import wiring

    with wiring.opened(shell, "create") as store:
        head = store.head()
    if shell.as_json:
        shell.emit({"db": str(shell.db), "snapshot": f"s{head.snapshot}"})
    elif not shell.quiet:
        from nocturne.report.page import Page

        page = Page(shell.width)
        page.line(f"created {shell.db}, empty at s{head.snapshot}.")
        page.line("next: nocturne ingest PATH")
        shell.say(page)
    return 0
