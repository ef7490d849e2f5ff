"""Benchmarks of who proposes: how honestly a model edits memory, measured against a labelled key."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

from nocturne.cli import options
from nocturne.cli.parameters import Option
from nocturne.cli.shell import Shell
from nocturne.errors import ProviderFailed

if TYPE_CHECKING:
    from nocturne.app.config import ProviderConfig

EXAMPLES = (
    ("nocturne bench honesty", "the rules, and the provider of nocturne.toml"),
    ("nocturne bench honesty --provider local", "the rules beside the small local model"),
    ("nocturne bench honesty --provider openai --model tiny --json", "for a program"),
)


def honesty(
    shell: Shell,
    provider: Annotated[
        list[str] | None,
        Option(
            "--provider",
            metavar="NAME",
            help="Who is measured beside the rules: openai, anthropic, local or replay; may be repeated.",
            show_default=False,
        ),
    ] = None,
    model: options.ModelOption = None,
    base_url: options.BaseUrlOption = None,
    jobs: options.JobsOption = None,
    max_tokens: options.MaxTokensOption = None,
    max_calls: options.MaxCallsOption = None,
    deadline: options.DeadlineOption = None,
    replay: options.ReplayOption = None,
    record: options.RecordOption = None,
) -> int:
    """Put a fixed set of labelled tasks to each proposer, and count what the code accepts and refuses.

    The rules are always in the table, then whoever is named, else the configured provider. --model and
    --base-url are for a provider over the wire; local is asked with its own model where others are named too.
    No store is read or written. Exit 1 where a change that the key calls wrong landed, 4 where a provider gave
    nothing at all.
    """
    from nocturne.app import config
    from nocturne.app.honesty import load, measure
    from nocturne.app.sleep import mending
    from nocturne.cli import wiring
    from nocturne.core.codes import message
    from nocturne.llm.registry import make_proposer
    from nocturne.report.data import honesty as data
    from nocturne.report.text import honesty as text

    named: list[str | None] = [name for name in provider or () if name != "rules"] or [None]

    def settings(name: str | None) -> ProviderConfig:
        own = name != "local" or len(named) == 1
        return config.load(
            Path.cwd(),
            os.environ,
            provider=name,
            model=model if own else None,
            base_url=base_url if own else None,
            jobs=jobs,
            limits=config.Limits(max_tokens, max_calls, deadline),
            replay=replay,
            record=record,
        )

    wanted = [config.ProviderConfig("rules")]
    if provider is None or named != [None]:
        wanted += [found for found in map(settings, named) if found.provider != "rules"]
    tasks, scores = load(), []
    for chosen in wanted:
        made = make_proposer(chosen, wording=lambda refused: message(refused.code, refused.evidence))
        with closing(_Held(made)):
            scores.append(
                measure(
                    made,
                    tasks,
                    lexicon=wiring.lexicon(),
                    mend=mending(made),
                    clock=perf_counter,
                    tell=shell.note if shell.err_styled else lambda _: None,
                )
            )
    if shell.as_json:
        shell.emit(data.honesty(scores))
    else:
        shell.say(text.honesty(scores, width=shell.width))
    if any(score.unheard for score in scores):
        return ProviderFailed.exit_code
    return 1 if any(part.landed for score in scores for part in score.parts) else 0


class _Held:
    """A proposer that is let go of, where it can be."""

    def __init__(self, made: Any) -> None:
        self.close = getattr(made, "close", lambda: None)


ACTIONS = (("honesty", honesty),)
