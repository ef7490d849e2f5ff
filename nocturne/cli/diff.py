"""``nocturne diff``: two versions side by side."""

from __future__ import annotations

from typing import Annotated

from nocturne.cli.parameters import Argument, Option
from nocturne.cli.shell import Shell

EXAMPLES = (
    ("nocturne diff s2 s14", "what changed between two versions"),
    ("nocturne diff s2", "between one and the latest"),
    ("nocturne diff latest~1 latest --all", "with what was absorbed and added"),
)


def run(
    shell: Shell,
    older: Annotated[str, Argument(metavar="A", help="A snapshot: s10, latest or latest~2.")],
    newer: Annotated[
        str, Argument(metavar="[B]", help="Another; the latest where it is left out.")
    ] = "latest",
    *,
    everything: Annotated[
        bool, Option("--all", help="List what was absorbed and added as well, and every refusal.")
    ] = False,
) -> int:
    """Show what was kept, changed, forgotten and added between two versions, and why.

    Each change names its pass, rule and measure, and who asked for it; proposals that were refused in
    between are listed with their code.
    """
    from nocturne.app.compare import compare
    from nocturne.cli import wiring
    from nocturne.report.data import history as data
    from nocturne.report.text import diff as text

    with wiring.opened(shell) as store:
        found = compare(store, wiring.snapshot(store, older), wiring.snapshot(store, newer))
    if shell.as_json:
        shell.emit(data.comparison(found))
    else:
        shell.say(text.diff(found, everything=everything, width=shell.width))
    return 0
