"""``nocturne export``: the facts for somebody else to read."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

from nocturne.cli import options
from nocturne.cli.parameters import Option
from nocturne.cli.shell import Shell, micros

EXAMPLES = (
    ("nocturne export", "a block to put into a prompt"),
    ("nocturne export --form markdown --out MEMORY.md", "a file for an agent to read"),
    ("nocturne export --form jsonl --at s10", "an earlier version, a fact a line"),
)


def run(
    shell: Shell,
    *,
    form: Annotated[
        Literal["context", "markdown", "json", "jsonl"],
        Option("--form", metavar="FORM", help="context, markdown, json or jsonl."),
    ] = "context",
    out: options.OutOption = None,
    at: Annotated[
        str | None,
        Option("--at", metavar="ID|TIME", help="What the store held then.", show_default=False),
    ] = None,
    as_of: Annotated[
        str | None, Option("--as-of", metavar="TIME", help="What was true then.", show_default=False)
    ] = None,
    block: Annotated[str | None, Option("--block", metavar="NAME", help="This block alone.")] = None,
    policy: options.PolicyOption = "default",
) -> int:
    """Write the active facts as a context block for a prompt, MEMORY.md, JSON, or JSON lines.

    Quarantined and faded facts are left out and counted on stderr. Every form is marked as nocturne's own,
    so that an export that turns up in a transcript is not taken for something a person said. --json is
    --form json.
    """
    from nocturne.app import policies
    from nocturne.app.export import export
    from nocturne.cli import wiring

    chosen = policies.load(policy)
    moment = micros(as_of, option="--as-of") if as_of is not None else None
    with wiring.opened(shell) as store:
        made = export(
            store,
            "json" if shell.as_json else form,
            policy=chosen,
            now=shell.now,
            at=wiring.version(store, at) if at is not None else None,
            as_of=moment,
            block=block,
        )
    if out is not None:
        wiring.write(out, made.text)
        shell.note(f"wrote {made.facts:,} facts to {out}")
    else:
        sys.stdout.write(made.text if made.text.endswith("\n") else made.text + "\n")
    left = [f"{n:,} {why}" for n, why in ((made.quarantined, "quarantined"), (made.faded, "faded")) if n]
    if left:
        shell.note(f"left out: {', '.join(left)}")
    return 0
