"""From a configuration to the proposer it names. Importing this loads no network code."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from nocturne.app.asking import Journal
from nocturne.app.config import Price, ProviderConfig
from nocturne.app.ports import Proposer
from nocturne.core.verdicts import Refused
from nocturne.errors import UsageError
from nocturne.llm.caller import Clock, Manner
from nocturne.llm.dialects import Dialect

if TYPE_CHECKING:
    from nocturne.llm.asker import ModelProposer

_LUCK = random.Random()  # noqa: S311  # spreads retries, guards nothing
SYSTEM_CLOCK = Clock(wall=time.time, steady=time.monotonic, luck=_LUCK.random)


def make_proposer(
    config: ProviderConfig,
    *,
    journal: Journal | None = None,
    wording: Callable[[Refused], str] | None = None,
    clock: Clock = SYSTEM_CLOCK,
) -> Proposer:
    """The proposer that ``config`` names. UsageError where something is missing that it needs.

    Nothing is contacted before the first ``propose``; ``local`` starts its server there. Whoever makes a
    proposer closes it, where it has ``close``.
    """
    made = _plain(config, journal, wording, clock)
    if config.record is None:
        return made
    from nocturne.llm.replay import Recorder

    return Recorder(made, config.record, secrets=(config.key,) if config.key else ())


def _plain(
    config: ProviderConfig, journal: Journal | None, wording: Callable[[Refused], str] | None, clock: Clock
) -> Proposer:
    if config.provider == "rules":
        from nocturne.llm.rules import RulesProposer

        rules: Proposer = RulesProposer()
        return rules
    if config.provider == "replay":
        from nocturne.llm.replay import Replay

        if config.replay is None:
            raise UsageError(
                "--provider replay needs a file", hint="--replay FILE, as written by --record FILE"
            )
        return Replay(config.replay)
    if config.provider == "local":
        from nocturne.llm.local import LocalProposer

        return LocalProposer(config, journal=journal, wording=wording, clock=clock)
    return remote(config, dialect_of(config), journal=journal, wording=wording, clock=clock)


def dialect_of(config: ProviderConfig) -> Dialect:
    """The hosted or self-hosted API that ``config`` names; UsageError where model or key is missing."""
    from nocturne.llm.anthropic import Anthropic
    from nocturne.llm.openai import OpenAI
    from nocturne.llm.transport import host_of, is_near

    url = config.base_url
    if url is None:
        raise UsageError(f"--provider {config.provider} has no base URL")
    if config.model is None:
        raise UsageError(
            f"--provider {config.provider} needs a model", hint="--model NAME, or model in nocturne.toml"
        )
    near = is_near(url)
    if config.key is None and not near:
        raise UsageError(
            f"no key for {host_of(url)}",
            hint=f"set {config.key_name or 'NOCTURNE_API_KEY'} in the environment",
        )
    if config.key is not None and urlsplit(url).scheme == "http" and not near:
        raise UsageError(f"the key would go to {host_of(url)} in clear text", hint="use an https base URL")
    if config.provider == "anthropic":
        return Anthropic(url, config.model, config.key)
    return OpenAI(url, config.model, config.key)


def remote(
    config: ProviderConfig,
    dialect: Dialect,
    *,
    journal: Journal | None = None,
    wording: Callable[[Refused], str] | None = None,
    clock: Clock = SYSTEM_CLOCK,
    cache: Path | None = None,
    manner: Manner | None = None,
    on_close: Sequence[Callable[[], None]] = (),
) -> ModelProposer:
    """A proposer that asks over the wire in ``dialect``."""
    from nocturne.llm.asker import ModelProposer, plain_wording
    from nocturne.llm.budget import Budget
    from nocturne.llm.caller import Caller
    from nocturne.llm.ladder import Ladder, Memory
    from nocturne.llm.transport import Wire

    secrets = (config.key,) if config.key else ()
    wire = Wire(secrets=secrets)
    memory = Memory(cache or config.cache_dir, writes=config.writes_cache)
    caller = Caller(
        dialect,
        wire,
        Ladder(dialect.base_url, dialect.model, dialect.formats, memory),
        Budget(config.limits, clock.steady, _price(config, dialect.model)),
        manner or manner_of(config, dialect),
        clock=clock,
    )

    def close() -> None:
        wire.close()
        for step in on_close:
            step()

    return ModelProposer(caller, journal=journal, wording=wording or plain_wording, on_close=close)


def _price(config: ProviderConfig, model: str) -> Price | None:
    return config.prices.get(model)


def manner_of(config: ProviderConfig, dialect: Dialect) -> Manner:
    """How to ask, where the configuration leaves it open: by what the provider takes well."""
    from nocturne.llm.transport import is_near

    near = is_near(dialect.base_url)
    context, output, batch = (8192, 2048, 40) if near else (32_768, 8192, 100)
    return Manner(
        jobs=config.jobs,
        batch=config.batch or batch,
        context_tokens=config.context_tokens or context,
        most_output=config.max_output_tokens or output,
        timeout=config.timeout or 120.0,
        retries=config.retries,
        near=near,
    )
