"""The policies that rule a sleep: what they keep, for how long, and how much one night may lose."""

from __future__ import annotations

from typing import Annotated

from nocturne.app import policies
from nocturne.cli.parameters import Argument
from nocturne.cli.shell import Shell
from nocturne.report.data import policy as data
from nocturne.report.text import policy as text

EXAMPLES = (
    ("nocturne policy list", "the policies that come with nocturne"),
    ("nocturne policy show tiny", "every key of one of them"),
    ("nocturne policy check mine.toml", "whether your own holds; exit 1 where not"),
)


def listing(shell: Shell) -> int:
    """List the policies that come with nocturne, each in one sentence."""
    shipped = [policies.load(name) for name in policies.names()]
    if shell.as_json:
        shell.emit([data.one(policy, list(policies.settings(policy))) for policy in shipped])
    else:
        shell.say(text.listing(shipped, width=shell.width))
    return 0


def show(
    shell: Shell,
    policy: Annotated[
        str, Argument(metavar="[NAME|FILE]", help="A shipped policy or a TOML file.")
    ] = "default",
) -> int:
    """Show one policy: its sentence, and every key with its value."""
    loaded = policies.load(policy)
    settings = list(policies.settings(loaded))
    if shell.as_json:
        shell.emit(data.one(loaded, settings))
    else:
        shell.say(text.one(loaded, settings, width=shell.width))
    return 0


def check(
    shell: Shell,
    policy: Annotated[list[str], Argument(metavar="NAME|FILE…", help="Policies to check.")],
) -> int:
    """Check policies: every wrong key or value, with what may stand there. Exit 1 where one does not hold."""
    code = 0
    results = []
    for choice in policy:
        loaded, problems = policies.inspect(choice)
        code = code if loaded is not None else 1
        results.append(data.check(choice, loaded, problems))
        if not shell.as_json and not (shell.quiet and loaded is not None):
            shell.say(text.check(choice, loaded, problems, width=shell.width))
    if shell.as_json:
        shell.emit(results)
    return code


ACTIONS = (("list", listing), ("show", show), ("check", check))
