"""``nocturne sleep``: one night over the store."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

from nocturne.cli import options
from nocturne.cli.parameters import Option
from nocturne.cli.shell import Shell, is_folder
from nocturne.errors import ProviderFailed

if TYPE_CHECKING:
    from typing import Self

    from rich.live import Live

    from nocturne.app.sleep import PassReport, SleepReport
    from nocturne.core.policy import Policy

EXAMPLES = (
    ("nocturne sleep --dry-run", "judge everything, write nothing"),
    ("nocturne sleep", "one night, with the default policy"),
    ("nocturne sleep --policy tiny --allow-loss", "another policy, loss budget lifted"),
    ("nocturne sleep --plan night.json", "save tonight's judged plan, to apply later"),
    ("nocturne sleep --pass dedupe --json", "one pass; the report for a program"),
    ("nocturne sleep --db a.db --db b.db", "two stores side by side, a line for each"),
    ("nocturne sleep --db agents/ --jobs 4", "every store of a folder, four at a time"),
)
SEVERAL_STORES = True
JobsOption = Annotated[
    int | None,
    Option(
        "--jobs",
        metavar="N",
        min=1,
        max=64,
        help="Requests at a time; with several stores, how many sleep side by side instead [the processors].",
        rich_help_panel="proposer",
    ),
]


def run(
    shell: Shell,
    *,
    dry_run: Annotated[bool, Option("--dry-run", help="Judge everything, write nothing at all.")] = False,
    plan: options.PlanOption = None,
    only: Annotated[
        list[str] | None, Option("--pass", metavar="NAME", help="Run this pass alone; may be repeated.")
    ] = None,
    policy: options.PolicyOption = "default",
    allow_loss: Annotated[
        bool,
        Option("--allow-loss", help="Let a pass go beyond the policy's loss budget; it is recorded."),
    ] = False,
    provider: options.ProviderOption = None,
    model: options.ModelOption = None,
    base_url: options.BaseUrlOption = None,
    jobs: JobsOption = None,
    max_tokens: options.MaxTokensOption = None,
    max_calls: options.MaxCallsOption = None,
    deadline: options.DeadlineOption = None,
    replay: options.ReplayOption = None,
    record: options.RecordOption = None,
) -> int:
    """Consolidate: dedupe, contradict, merge, promote, schematise and forget, each judged and recorded.

    A model, or the built-in rules, proposes; every proposal is judged by code; what is accepted is applied
    with its record, what is refused is recorded with its code. Each pass is one transaction with a snapshot
    before and after it. Exit 1 where a pass was refused whole, for losing more than the policy allows.

    With more than one --db, or a folder (every nocturne store in it, by name), each store sleeps in a process
    of its own, under the same options and with limits of its own, and gets its own line and exit code; one that
    fails stops no other. The exit code is the greatest of theirs, or 130 where Ctrl-C stopped them.
    """
    if len(shell.stores) > 1 or is_folder(shell.db):
        from nocturne.cli import nights

        wanted_by_all = nights.Asked(
            dry_run=dry_run,
            plan=plan,
            only=only,
            policy=policy,
            allow_loss=allow_loss,
            provider=provider,
            model=model,
            base_url=base_url,
            jobs=jobs,
            max_tokens=max_tokens,
            max_calls=max_calls,
            deadline=deadline,
            replay=replay,
            record=record,
        )
        return nights.run(shell, wanted_by_all)
    from nocturne.app import policies
    from nocturne.app.costing import costed
    from nocturne.app.sleep import Night, asking, mending, sleep, unanswered
    from nocturne.cli import wiring

    started = perf_counter()
    chosen = policies.load(policy)
    dry = dry_run or plan is not None
    wanted = wiring.Wanted(
        provider, model, base_url, jobs, max_tokens, max_calls, deadline, replay, record, dry_run=dry
    )
    with (
        wiring.opened(shell, "readonly" if dry else "rw") as store,
        wiring.proposing(wanted, store, shell.now) as proposer,
    ):
        with Watch(shell, chosen, proposer.name, dry_run=dry) as watch:
            report = sleep(
                Night(
                    store=store,
                    policy=chosen,
                    lexicon=wiring.lexicon(),
                    now=shell.now,
                    command=shell.command,
                    proposer=proposer.name,
                    answer=asking(proposer),
                    mend=mending(proposer),
                    unanswered=unanswered(proposer),
                    only=tuple(only) if only else None,
                    allow_loss=allow_loss,
                    dry_run=dry,
                    in_full=shell.as_json or plan is not None,
                    watch=watch,
                )
            )
        report, asked = costed(report, proposer)
        if plan is not None:
            from nocturne.app.plans import dump, plan_of

            wiring.write(plan, dump(plan_of(report, store, shell.now)))
    show(shell, report, perf_counter() - started, plan)
    for went in asked:
        if went.stopped is not None and went.unanswered:
            shell.complain(f"provider: {went.pass_name} broke off: {went.stopped}")
    failures = [failure for went in asked for failure in went.failures]
    for failure in failures[:FEW]:
        shell.complain(f"provider: {failure}")
    failed = any(went.failures and went.unanswered for went in asked)
    return report.exit_code or (ProviderFailed.exit_code if failed else 0)


FEW = 5
"""Failed calls that are told one by one; the report counts the rest."""


def show(shell: Shell, report: SleepReport, seconds: float, plan: Path | None = None) -> None:
    """Print the night in the form that was asked for."""
    from nocturne.report.data import sleep as data
    from nocturne.report.text import sleep as text

    if shell.as_json:
        shell.emit(data.sleep(report))
    elif not shell.quiet or report.exit_code:
        shell.say(text.sleep(report, seconds=seconds, plan=str(plan) if plan else None, width=shell.width))


class Watch:
    """The table that grows on a terminal while the night is long; nothing where nobody looks."""

    def __init__(self, shell: Shell, policy: Policy, proposer: str, *, dry_run: bool) -> None:
        self._shell = shell
        self._opening = (policy, proposer, dry_run)
        self._done: list[PassReport] = []
        self._live: Live | None = None

    def __enter__(self) -> Self:
        """Take the terminal, if there is one."""
        if self._shell.out_styled and not self._shell.as_json and not self._shell.quiet:
            from rich.live import Live

            self._live = Live(console=self._shell.out, transient=True, refresh_per_second=8)
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Give the terminal back, as it was."""
        if self._live is not None:
            self._live.stop()

    def began(self, stage: str, active: int) -> None:
        """A pass begins over so many facts."""
        self._draw((stage, active))

    def ended(self, report: PassReport) -> None:
        """A pass is committed."""
        self._done.append(report)
        self._draw(None)

    def _draw(self, working: tuple[str, int] | None) -> None:
        if self._live is None:
            return
        from rich.console import Group

        from nocturne.report.text import sleep as text

        policy, proposer, dry_run = self._opening
        width = self._shell.width
        opening = text.opening(policy, proposer, dry_run=dry_run, width=width)
        table = text.table(self._done, working=working, width=width)
        self._live.update(Group(*(line.rich() for line in (*opening.lines, *table.lines))))
