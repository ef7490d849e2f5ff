"""``nocturne explain``: what a code means."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated

from nocturne.cli.parameters import Argument, Option
from nocturne.cli.shell import Shell
from nocturne.errors import UsageError

EXAMPLES = (
    ("nocturne explain N203", "what it checks, why, and two examples"),
    ("nocturne explain N203 --words", "with the words that it looks at"),
    ("nocturne explain", "every code in one line"),
)


def run(
    shell: Shell,
    code: Annotated[str | None, Argument(metavar="[CODE]", help="A code, as N203.")] = None,
    *,
    words: Annotated[bool, Option("--words", help="The words that count, in every language.")] = False,
) -> int:
    """Say what a refusal's code checks and why, with an example that it refuses and one that it lets pass."""
    from nocturne.core.codes import CODES
    from nocturne.report.data import codes as data
    from nocturne.report.text import codes as text

    if code is None:
        if shell.as_json:
            shell.emit(data.listing())
        else:
            shell.say(text.listing(width=shell.width))
        return 0
    wanted = code.strip().upper()
    entry = next((entry for entry in CODES if entry.code == wanted), None)
    if entry is None:
        near = get_close_matches(wanted, [entry.code for entry in CODES], n=1)
        guess = f"did you mean {near[0]}? " if near else ""
        raise UsageError(f"there is no code {code}", hint=f"{guess}nocturne explain lists every code")
    from nocturne.app.cues import LISTS, cues

    listed = cues(entry.code) if words else []
    if shell.as_json:
        shell.emit(data.one(entry, listed))
    else:
        shell.say(text.one(entry, listed, has_words=entry.code in LISTS, width=shell.width))
    return 0
