"""``nocturne quiz``: prove that the memory recalls, and that it forgot."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from nocturne.cli import options
from nocturne.cli.parameters import Option
from nocturne.cli.shell import Shell
from nocturne.errors import StoreLocked, StoreWriteFailed, UsageError

if TYPE_CHECKING:
    from nocturne.app.answering import Answerer
    from nocturne.app.ports import Proposer
    from nocturne.app.quizzing import Quiz
    from nocturne.store import SqliteStore

EXAMPLES = (
    ("nocturne quiz", "five questions, and one about something forgotten"),
    ("nocturne quiz --baseline s2", "the same questions before and after a night"),
    ("nocturne quiz --contract memory.toml --junit out.xml", "your own expectations, for CI"),
)


def run(
    shell: Shell,
    *,
    questions: Annotated[
        int, Option("--questions", "-n", metavar="N", min=0, max=10_000, help="How many to ask.")
    ] = 5,
    probes: Annotated[
        int,
        Option("--probes", metavar="N", min=0, max=10_000, help="How many forgotten facts to probe."),
    ] = 1,
    seed: Annotated[int, Option("--seed", metavar="N", help="Which facts are drawn.")] = 0,
    baseline: Annotated[
        str | None,
        Option("--baseline", metavar="ID", help="Ask this version too; fail on what was lost since."),
    ] = None,
    fail_under: Annotated[
        float, Option("--fail-under", metavar="SHARE", min=0.0, max=1.0, help="The least recall.")
    ] = 1.0,
    require_forgotten: Annotated[
        bool, Option("--require-forgotten", help="Fail where there is nothing forgotten to probe.")
    ] = False,
    contract: Annotated[
        Path | None,
        Option("--contract", metavar="FILE", help="Expectations of your own: TOML or JSON."),
    ] = None,
    junit: Annotated[
        Path | None, Option("--junit", metavar="FILE", help="Write the outcome as JUnit XML.")
    ] = None,
    no_record: Annotated[bool, Option("--no-record", help="Leave no quiz run in the store.")] = False,
    policy: options.PolicyOption = "default",
    provider: options.ProviderOption = None,
    model: options.ModelOption = None,
    base_url: options.BaseUrlOption = None,
    replay: options.ReplayOption = None,
    record: options.RecordOption = None,
) -> int:
    """Ask the memory about its own facts and score the answers by code; exit 1 where it fails.

    Questions are worded by code and refused where they give half of their answer away. An answer recalls a
    fact with nine tenths of its words, every value exactly, and the same denials. Something forgotten must be
    gone from the store, said to be gone, and nothing of it told. A contract holds lines of expect (contains or
    absent), question and text; with --questions 0 it is all that is asked. With a provider a model words the
    questions and the answers; code still judges both.
    """
    from nocturne.app import policies
    from nocturne.app.answering import Extract
    from nocturne.app.contracts import load
    from nocturne.app.quizzing import Exam, Templates, quiz
    from nocturne.app.wordings import ModelAnswers, ModelQuestions
    from nocturne.cli import wiring
    from nocturne.report.data import quiz as data
    from nocturne.report.junit import quiz as as_junit
    from nocturne.report.text import quiz as text

    chosen = policies.load(policy)
    expected = load(contract) if contract is not None else ()
    if not questions and not expected:
        raise UsageError("--questions 0 asks nothing", hint="give a --contract, or leave --questions out")
    lexicon = wiring.lexicon()
    wanted = wiring.Wanted(provider, model, base_url, replay=replay, record=record, dry_run=True)
    with (
        wiring.opened(shell) as store,
        wiring.proposing(wanted, store, shell.now) as proposer,
        store.moment(),
    ):
        plain = proposer.name == "rules"

        def answerers(at: int | None) -> Answerer:
            extract = Extract(store, policy=chosen, lexicon=lexicon, now=shell.now, at=at)
            return extract if plain else ModelAnswers(proposer, extract, lexicon)

        past = wiring.snapshot(store, baseline) if baseline is not None else None
        code_worded = Templates(
            store,
            lexicon,
            Extract(store, policy=chosen, lexicon=lexicon, now=shell.now, at=past.number if past else None),
        )

        found = quiz(
            Exam(
                store=store,
                policy=chosen,
                lexicon=lexicon,
                now=shell.now,
                answerers=answerers,
                wording=code_worded if plain else ModelQuestions(proposer, code_worded),
                seed=seed,
                questions=questions,
                probes=probes,
                baseline=past,
                threshold=Fraction(str(fail_under)),
                require_forgotten=require_forgotten,
                contract=expected,
                only_contract=not questions,
            )
        )
    if not no_record:
        _record(shell, found)
    if junit is not None:
        wiring.write(junit, as_junit(found))
    if shell.as_json:
        shell.emit(data.quiz(found))
    elif not shell.quiet or found.exit_code:
        shell.say(text.quiz(found, width=shell.width))
    return found.exit_code


def _record(shell: Shell, found: Quiz) -> None:
    """Keep the run; where the store is locked or cannot be written, say so and go on."""
    import json

    from nocturne.cli import wiring
    from nocturne.report.data import quiz as data
    from nocturne.store import QuizRun

    run_ = QuizRun(
        at=shell.now,
        snapshot=found.snapshot,
        asked=len(found.counted),
        recalled=found.recalled,
        probed=len(found.probes),
        absent=sum(each.probe.passed for each in found.probes),
        passed=not found.problems,
        report=json.dumps(data.quiz(found), ensure_ascii=False, sort_keys=True),
        baseline=found.baseline,
    )
    try:
        with wiring.opened(shell, "rw") as store:
            store.record_quiz(run_)
    except (StoreLocked, StoreWriteFailed) as error:
        shell.note(f"not recorded: {error.message}")


def _steady(store: SqliteStore, proposer: Proposer) -> AbstractContextManager[None]:
    """One moment of the store for everything; never held open while a model thinks."""
    return store.moment() if proposer.name == "rules" else nullcontext()
