"""What ``forget`` and ``purge`` share: the preview, the question, the deed, the receipt."""

from __future__ import annotations

import getpass
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from nocturne.cli.shell import Shell
from nocturne.errors import UsageError


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person asked for."""

    what: Literal["forget", "purge"]
    facts: Sequence[str]
    match: Sequence[str]
    by: str | None
    reason: str
    receipt: Path | None
    yes: bool
    dry_run: bool


def run(shell: Shell, wish: Wish) -> int:
    """Show what would fall, ask, do it."""
    from nocturne.app import policies
    from nocturne.app.forgetting import Order, carry_out, preview
    from nocturne.cli import wiring
    from nocturne.core import ids
    from nocturne.report.data import forget as data
    from nocturne.report.text import forget as text

    needles = [needle.strip() for needle in wish.match]
    if not wish.facts and not needles:
        raise UsageError(f"nothing to {wish.what}", hint=f"nocturne {wish.what} ID, or --match TEXT")
    short = [needle for needle in needles if len(needle) < 2]
    if short:
        raise UsageError(f"--match {short[0]!r} is too short to mean anything", hint="two characters or more")
    with wiring.opened(shell, "readonly" if wish.dry_run else "rw") as store:
        order = Order(
            wish.what,
            tuple(dict.fromkeys(ids.parse_fact(name) for name in wish.facts)),
            tuple(needles),
            wish.by or me(),
            wish.reason,
            shell.now,
            _command(wish),
        )
        lexicon = wiring.lexicon()
        seen = preview(store, lexicon, order)
        if wish.dry_run or seen.idle:
            if shell.as_json:
                shell.emit(data.preview(seen))
            elif not shell.quiet:
                shell.say(text.preview(seen, width=shell.width))
            return 0
        if not wish.yes:
            _ask(shell, wish, text.preview(seen, width=shell.width))
        elif not shell.as_json and not shell.quiet:
            shell.say(text.preview(seen, width=shell.width, asked=False))
        done = carry_out(store, lexicon, seen, policy=policies.load("default"))
    kept = done.to_json()
    if wish.receipt is not None:
        wiring.write(wish.receipt, json.dumps(kept, ensure_ascii=False, indent=2) + "\n")
    if shell.as_json:
        shell.emit(kept)
    elif not shell.quiet:
        shell.say(text.done(done, receipt_file=wish.receipt, width=shell.width))
    return 0


def _ask(shell: Shell, wish: Wish, page: object) -> None:
    import typer

    from nocturne.report.page import Page

    assert isinstance(page, Page)
    if shell.as_json or not (sys.stdin.isatty() and shell.out_styled):
        raise UsageError(
            f"{wish.what} asks before it does anything, and nobody can answer here",
            hint="--dry-run shows what would fall, --yes does it",
        )
    shell.say(page)
    verb = "Forget this" if wish.what == "forget" else "Erase this for good"
    if not typer.confirm(f"{verb}?", default=False):
        raise typer.Abort


def me() -> str:
    """Who runs this, by the name of the account."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "a person"


def _command(wish: Wish) -> str:
    """The command line for the record, without the words that are to go."""
    parts = ["nocturne", wish.what, *wish.facts]
    parts += ["--match …"] * len(wish.match)
    return " ".join(parts)
