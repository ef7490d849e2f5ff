"""``nocturne recall``: the facts that answer a query."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from nocturne.cli import options
from nocturne.cli.parameters import Argument, Option
from nocturne.cli.shell import Shell, micros
from nocturne.errors import InputUnreadable, StoreLocked, StoreWriteFailed, UsageError

if TYPE_CHECKING:
    from nocturne.app.recall import Query
    from nocturne.store import SqliteStore

EXAMPLES = (
    ("nocturne recall 'where does Dana live'", "the facts that answer, best first"),
    ("nocturne recall ledger --intent decision --explain", "with every factor of the score"),
    ("nocturne recall port --at s10 --read-only", "what an earlier version would have answered"),
    ("nocturne recall < queries.jsonl", 'many at once: {"id": "q1", "query": "…"} a line'),
)
WAIT_MS = 400
"""How long a recall waits for another command's lock before it answers without recording."""


def run(
    shell: Shell,
    query: Annotated[
        str | None, Argument(metavar="QUERY", help="What to look for; left out: JSON lines on stdin.")
    ] = None,
    *,
    intent: Annotated[
        Literal["decision", "research", "tasks", "chat"] | None,
        Option(
            "--intent",
            metavar="NAME",
            help="What for: decision, research, tasks or chat; lifts the policy's categories and layers.",
            show_default=False,
        ),
    ] = None,
    context: Annotated[
        Path | None,
        Option(
            "--context",
            metavar="FILE",
            help="Recent turns to blend in: a transcript, or a .txt with a turn a line, the latest last.",
            show_default=False,
        ),
    ] = None,
    top: Annotated[int, Option("--top", metavar="K", min=1, max=1000, help="At most so many.")] = 10,
    at: Annotated[
        str | None,
        Option("--at", metavar="ID|TIME", help="What the store held then.", show_default=False),
    ] = None,
    as_of: Annotated[
        str | None, Option("--as-of", metavar="TIME", help="What was true then.", show_default=False)
    ] = None,
    read_only: Annotated[
        bool, Option("--read-only", help="Do not record the access; --at and --as-of never do.")
    ] = False,
    explain: Annotated[bool, Option("--explain", help="Show every factor of each score.")] = False,
    policy: options.PolicyOption = "default",
) -> int:
    """Find facts: relevance × strength × category boost × layer boost, best first.

    Faded and quarantined facts stay out of sight. A fact that was found is remembered longer, close
    competitors a little less; where the store is locked the answer comes all the same and says that the
    access was not recorded.
    """
    from nocturne.app import policies
    from nocturne.app.accesses import Remembered, remember
    from nocturne.app.recall import MOST_RECENT, Query, Retriever, native_ids
    from nocturne.cli import wiring

    chosen = policies.load(policy)
    moment = micros(as_of, option="--as-of") if as_of is not None else None
    recent = tuple(_turns(context, MOST_RECENT)) if context is not None else ()
    pattern = Query("", intent, recent, top)
    asked = [(None, replace(pattern, text=query))] if query is not None else list(_lines(pattern))
    looking = read_only or at is not None or moment is not None
    with _opened(shell, read_only=looking) as (store, failure):
        reader = Retriever(
            store,
            policy=chosen,
            lexicon=wiring.lexicon(),
            now=shell.now,
            at=wiring.version(store, at) if at is not None else None,
            as_of=moment,
        )
        answers = [reader.find(wanted) for _, wanted in asked]
        turns = native_ids(store, (hit.fact for found in answers for hit in found.hits))
        kept = Remembered(failure=failure)
        if not looking and failure is None:
            kept = remember(store, answers, policy=chosen, lexicon=wiring.lexicon(), now=shell.now)
    if query is None:
        from nocturne.report.data import recall as data

        for (name, _), found in zip(asked, answers, strict=True):
            sys.stdout.write(json.dumps(data.line(name, found, turns), ensure_ascii=False) + "\n")
    elif shell.as_json:
        from nocturne.report.data import recall as data

        shell.emit(data.recall(answers[0], turns, kept, recorded=not looking))
    else:
        from nocturne.report.text import recall as text

        shell.say(text.recall(answers[0], turns, explain=explain, width=shell.width))
    if kept.failure is not None:
        shell.complain(f"the access was not recorded: {kept.failure}")
    return 0


@contextmanager
def _opened(shell: Shell, *, read_only: bool) -> Iterator[tuple[SqliteStore, str | None]]:
    """The store, to be written to where that can be had, else for reading with the reason why."""
    from nocturne.cli import wiring

    failure: str | None = None
    with ExitStack() as stack:
        try:
            store = stack.enter_context(
                wiring.opened(shell, "readonly" if read_only else "rw", busy_ms=WAIT_MS)
            )
        except (StoreLocked, StoreWriteFailed) as error:
            if read_only:
                raise
            failure = error.message
            store = stack.enter_context(wiring.opened(shell))
        yield store, failure


def _lines(pattern: Query) -> Iterator[tuple[Any, Query]]:
    """The queries on stdin; an id may be any JSON value."""
    from nocturne.cli import wiring

    if sys.stdin.isatty():
        raise UsageError("no QUERY given", hint="nocturne recall QUERY, or JSON lines on stdin")
    for number, raw in enumerate(wiring.stdin(), start=1):
        if not raw.strip():
            continue
        try:
            entry = json.loads(raw.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise InputUnreadable(f"stdin line {number} is not JSON: {error}", hint=_SHAPE) from error
        if not isinstance(entry, dict) or not isinstance(entry.get("query"), str):
            raise InputUnreadable(f"stdin line {number} has no query", hint=_SHAPE)
        yield entry.get("id"), replace(pattern, text=entry["query"])


_SHAPE = 'a line is {"id": "q1", "query": "where does Dana live"}'


def _turns(path: Path, most: int) -> list[str]:
    """The latest turns of a file, the latest first."""
    if path.suffix.lower() == ".txt":
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputUnreadable(
                f"{path} cannot be read: {error}", hint="UTF-8 text, a turn a line"
            ) from error
        said = [line.strip() for line in lines if line.strip()]
    else:
        from nocturne.formats import read

        said = [turn.text for turn in read(path).turns if turn.provenance in ("human", "assistant")]
    return said[: -most - 1 : -1]
