"""``nocturne ingest``: transcripts into the store."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated
from zoneinfo import ZoneInfo

from nocturne.cli import options
from nocturne.cli.parameters import Argument, Option
from nocturne.cli.shell import Shell
from nocturne.errors import InputUnreadable, UsageError

if TYPE_CHECKING:
    from typing import Self

    from rich.progress import Progress, TaskID

    from nocturne.app.ingest import FileReport
    from nocturne.app.ports import Reading

EXAMPLES = (
    ("nocturne ingest ~/.claude/projects/shop/", "every transcript below a folder"),
    ("nocturne ingest conversations.json", "a ChatGPT export"),
    ("nocturne ingest - --format dialogue", "from stdin, in a format that is named"),
    ("nocturne ingest chat.jsonl --json", "the report for a program"),
)


def run(
    shell: Shell,
    paths: Annotated[
        list[str],
        Argument(metavar="PATH…", help="Files, folders, exports, or - for stdin."),
    ],
    *,
    format: Annotated[  # noqa: A002  # the option's own name
        str | None,
        Option("--format", metavar="NAME", help="Read as this format; it is told by content else."),
    ] = None,
    tz: Annotated[
        str, Option("--tz", metavar="ZONE", help="The zone of times that name none, as Europe/Lisbon.")
    ] = "UTC",
    lift: Annotated[
        bool,
        Option("--lift-tombstones", help="Let what a person forgot come back where it is said again."),
    ] = False,
    policy: options.PolicyOption = "default",
    provider: options.ProviderOption = None,
    model: options.ModelOption = None,
    base_url: options.BaseUrlOption = None,
    jobs: options.JobsOption = None,
    max_tokens: options.MaxTokensOption = None,
    max_calls: options.MaxCallsOption = None,
    deadline: options.DeadlineOption = None,
    replay: options.ReplayOption = None,
    record: options.RecordOption = None,
) -> int:
    """Read transcripts, and put the facts that people stated in them into scratch.

    Creates the store where there is none. The same bytes twice add nothing; a file that has grown adds only
    its tail. What was skipped or refused is counted by reason. What a person forgot is refused (N105), and a
    sentence that was purged is not even stored. Exit 3 where a file could not be read; the
    others are read all the same.
    """
    from nocturne.app import policies
    from nocturne.app.ingest import Ingest, ingest
    from nocturne.cli import wiring
    from nocturne.formats.ingestion import read, reader_named
    from nocturne.report.data import ingest as data
    from nocturne.report.text import ingest as text

    chosen = policies.load(policy)
    zone = _zone(tz)
    if format is not None:
        reader_named(format)
    found = _found(paths)
    if not shell.db.exists():
        _refuse_all_unreadable(found, format)

    def opening(path: str, *, start: int, state: Mapping[str, object]) -> Reading:
        piped = path == STDIN
        kept = state.get("reader")
        return read(
            wiring.stdin() if piped else path,
            format=format,
            start=start,
            state=kept if isinstance(kept, Mapping) else None,
            tz=zone,
            name=STDIN if piped else None,
        )

    wanted = wiring.Wanted(provider, model, base_url, jobs, max_tokens, max_calls, deadline, replay, record)
    with (
        wiring.opened(shell, "create") as store,
        wiring.proposing(wanted, store, shell.now) as proposer,
        Watch(shell, len(found)) as watch,
    ):
        report = ingest(
            Ingest(
                store=store,
                policy=chosen,
                lexicon=wiring.lexicon(),
                proposer=proposer,
                now=shell.now,
                command=shell.command,
                open=opening,
                purged=store.purged_keys(),
                lift=lift,
                watch=watch,
            ),
            found,
        )
    if shell.as_json:
        shell.emit(data.ingest(report))
    elif not shell.quiet or report.exit_code:
        shell.say(text.ingest(report, chosen, width=shell.width))
    return report.exit_code


STDIN = "stdin"


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        raise UsageError(
            f"--tz is {name!r}, which is no time zone", hint="as in Europe/Lisbon, or UTC"
        ) from None


def _found(paths: list[str]) -> list[str]:
    """Every transcript at or below the paths, each once, by its absolute path."""
    from nocturne.formats.walk import discover

    found: dict[str, None] = {}
    for path in paths:
        if path == "-":
            found[STDIN] = None
            continue
        for file in discover(os.path.expanduser(path)):  # noqa: PTH111  # a quoted ~ reaches us as it is
            found[str(file.absolute())] = None
    return list(found)


def _refuse_all_unreadable(paths: Sequence[str], form: str | None) -> None:
    """Raise where not one of the paths is a transcript, before a store is made for nothing.

    A store that is there is never taken away again: somebody else may have opened it meanwhile.
    """
    from nocturne.formats.detect import detect
    from nocturne.formats.ingestion import READERS
    from nocturne.formats.source import Source

    first: InputUnreadable | None = None
    for path in paths:
        if path == STDIN:
            return
        try:
            with Source.open(path) as source:
                if form is None and source.shape != "zip":
                    detect(source, READERS)
        except InputUnreadable as error:
            first = first or error
        else:
            return
    if first is not None:
        raise first


class Watch:
    """A bar on stderr while files are read, where somebody looks."""

    def __init__(self, shell: Shell, total: int) -> None:
        self._shell = shell
        self._total = total
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        """Take a line of the terminal, if there is one."""
        if self._shell.err_styled and not self._shell.quiet and not self._shell.as_json:
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            self._bar = Progress(
                TextColumn("reading"),
                BarColumn(bar_width=24),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TextColumn("{task.description}", markup=False),
                console=self._shell.err,
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task("", total=self._total)
        return self

    def __exit__(self, *_: object) -> None:
        """Give the line back."""
        if self._bar is not None:
            self._bar.stop()

    def began(self, path: str, number: int, total: int) -> None:
        """A file is opened."""
        if self._bar is not None and self._task is not None:
            from nocturne.report.page import clip

            name = os.path.basename(path)  # noqa: PTH119  # a name to show, not a path to follow
            self._bar.update(self._task, completed=number - 1, description=clip(name, 28))

    def ended(self, file: FileReport) -> None:
        """A file is read, or refused."""
        if self._bar is not None and self._task is not None:
            self._bar.advance(self._task)
