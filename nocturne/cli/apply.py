"""``nocturne apply``: a saved plan."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated

from nocturne.cli.parameters import Argument, Option
from nocturne.cli.shell import Shell
from nocturne.errors import UsageError

EXAMPLES = (
    ("nocturne sleep --plan night.json", "save tonight's judged plan"),
    ("nocturne apply night.json", "judge it again, and apply it"),
)


def run(
    shell: Shell,
    plan: Annotated[Path, Argument(metavar="PLAN", help="A file that nocturne sleep --plan wrote.")],
    *,
    allow_loss: Annotated[
        bool,
        Option("--allow-loss", help="Let a pass go beyond the policy's loss budget; it is recorded."),
    ] = False,
) -> int:
    """Apply a plan that nocturne sleep --plan saved.

    Every proposal is judged again, over the store as it is now, under the plan's policy. Where the store
    moved on since, what no longer holds is refused and named.
    """
    from nocturne.app.plans import Applied, Script, load, otherwise
    from nocturne.app.sleep import Night, sleep
    from nocturne.cli import wiring
    from nocturne.cli.sleep import Watch
    from nocturne.report.data import plans as data
    from nocturne.report.text import plans as text

    started = perf_counter()
    loaded = load(plan)
    with wiring.opened(shell, "rw") as store:
        if store.uuid() != loaded.store:
            raise UsageError(
                f"{plan} was made for another store",
                hint=f"nocturne sleep --plan {plan} makes one for this store",
            )
        moved = loaded.moved(store)
        proposer = f"plan {plan.name}"
        with Watch(shell, loaded.policy, proposer, dry_run=False) as watch:
            report = sleep(
                Night(
                    store=store,
                    policy=loaded.policy,
                    lexicon=wiring.lexicon(),
                    now=shell.now,
                    command=shell.command,
                    proposer=proposer,
                    answer=Script(loaded, store.state().next_id),
                    allow_loss=allow_loss,
                    enforce=False,
                    watch=watch,
                )
            )
    applied = Applied(report, moved, otherwise(loaded, report.passes))
    seconds = perf_counter() - started
    if shell.as_json:
        shell.emit(data.applied(applied))
    elif not shell.quiet or applied.report.exit_code:
        shell.say(text.applied(applied, seconds=seconds, width=shell.width))
    return applied.report.exit_code
