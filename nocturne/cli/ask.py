"""``nocturne ask``: an answer that cites facts, or says that it is not in memory."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Annotated

from nocturne.cli import options
from nocturne.cli.parameters import Argument, Option
from nocturne.cli.shell import Shell, micros

if TYPE_CHECKING:
    from nocturne.app.ports import Proposer
    from nocturne.store import SqliteStore

EXAMPLES = (
    ("nocturne ask 'where does Dana live?'", "an answer with its facts and their dates"),
    ("nocturne ask 'where does Dana live?' --as-of 2026-02-01", "what was true then"),
    ("nocturne ask 'which port?' --at s10 --json", "what the store held then, for a program"),
)


def run(
    shell: Shell,
    question: Annotated[str, Argument(metavar="QUESTION", help="A question, in words.")],
    *,
    at: Annotated[
        str | None,
        Option("--at", metavar="ID|TIME", help="What the store held then.", show_default=False),
    ] = None,
    as_of: Annotated[
        str | None, Option("--as-of", metavar="TIME", help="What was true then.", show_default=False)
    ] = None,
    policy: options.PolicyOption = "default",
    provider: options.ProviderOption = None,
    model: options.ModelOption = None,
    base_url: options.BaseUrlOption = None,
    replay: options.ReplayOption = None,
    record: options.RecordOption = None,
) -> int:
    """Answer a question from the facts alone: quoted word for word, each with its id and date.

    With a provider a model words the answer, and it is taken only where every word of it is in the facts that
    it cites. Where no fact has the answer it says "not in memory"; it never answers from anything else. Nothing is
    written. Exit 0 either way.
    """
    from nocturne.app import policies
    from nocturne.app.answering import Extract
    from nocturne.app.wordings import ModelAnswers
    from nocturne.cli import wiring
    from nocturne.report.data import ask as data
    from nocturne.report.text import ask as text

    chosen = policies.load(policy)
    moment = micros(as_of, option="--as-of") if as_of is not None else None
    wanted = wiring.Wanted(provider, model, base_url, replay=replay, record=record, dry_run=True)
    with (
        wiring.opened(shell) as store,
        wiring.proposing(wanted, store, shell.now) as proposer,
        store.moment(),
    ):
        extract = Extract(
            store,
            policy=chosen,
            lexicon=wiring.lexicon(),
            now=shell.now,
            at=wiring.version(store, at) if at is not None else None,
            as_of=moment,
        )
        answerer = extract if proposer.name == "rules" else ModelAnswers(proposer, extract, wiring.lexicon())
        answer = answerer.answer(question)
    if shell.as_json:
        shell.emit(data.answer(answer))
    else:
        shell.say(text.answer(answer, width=shell.width))
    return 0


def _steady(store: SqliteStore, proposer: Proposer) -> AbstractContextManager[None]:
    """One moment of the store for everything; never held open while a model thinks."""
    return store.moment() if proposer.name == "rules" else nullcontext()
