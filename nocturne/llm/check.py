"""Asking a provider what it can do: is it there, has it the model, what does it honour, what does it read."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from typing import Any

from nocturne.app.asking import RawReply
from nocturne.app.config import Limits, ProviderConfig
from nocturne.app.probes import Checkup, Probe
from nocturne.core.facts import Fact
from nocturne.errors import NocturneError, UsageError
from nocturne.llm.budget import Budget
from nocturne.llm.caller import Caller, Clock, Halted, Manner
from nocturne.llm.dialects import Dialect
from nocturne.llm.ladder import Ladder, Memory
from nocturne.llm.outcomes import Failure
from nocturne.llm.prompting import Prompt, render
from nocturne.llm.registry import SYSTEM_CLOCK, dialect_of, manner_of
from nocturne.llm.statuses import read
from nocturne.llm.transport import Transport, Wire, host_of
from nocturne.passes import wire
from nocturne.passes.briefs import DedupeBrief, Pair

LIST_SECONDS = 20.0
TINY = (
    "I keep two bees' hives behind the greenhouse.",
    "The user keeps two bees' hives behind the greenhouse.",
)
_REPORTED = (
    "n_ctx",
    "max_model_len",
    "context_length",
    "context_window",
    "max_context_length",
    "max_input_tokens",
)


@dataclass(frozen=True, slots=True)
class _Subject:
    """Who is examined, and by what means."""

    dialect: Dialect
    transport: Transport
    manner: Manner
    memory: Memory
    clock: Clock

    def prompt(self, texts: tuple[str, str] = TINY) -> Prompt:
        """Two sentences of one meaning, to be called duplicates or not."""
        facts = {
            number: Fact(number, text, "scratch", "context", 0) for number, text in enumerate(texts, start=1)
        }
        brief = DedupeBrief((Pair(2, 1, Fraction(1), equal=True),), facts)
        return render(brief, asker=f"{self.dialect.name}/{self.dialect.model}", nonce=self.manner.nonce)

    def ask(self, prompt: Prompt, form: str) -> tuple[RawReply | Failure, Ladder]:
        """Ask in one format alone."""
        ladder = Ladder(self.dialect.base_url, self.dialect.model, (form,), Memory(None))
        budget = Budget(Limits(), self.clock.steady)
        caller = Caller(self.dialect, self.transport, ladder, budget, self.manner, clock=self.clock)
        came = caller.ask(prompt, threading.Event())
        return (Failure("disconnected", came.why) if isinstance(came, Halted) else came), ladder


def check(config: ProviderConfig, *, clock: Clock = SYSTEM_CLOCK) -> Checkup:
    """Probe the configured provider; never raises for what it finds. Only servers have anything to reach."""
    if config.provider == "rules":
        found = "built in: nothing to reach, nothing to pay"
        return Checkup("rules", None, None, (Probe("reachable", "ok", found),))
    if config.provider == "replay":
        return _check_replay(config)
    if config.provider == "local":
        return _check_local(config, clock)
    try:
        dialect = dialect_of(config)
    except UsageError as error:
        host = host_of(config.base_url) if config.base_url else None
        probe = Probe("configured", "fail", error.message, error.hint)
        return Checkup(config.provider, config.model, host, (probe,))
    memory = Memory(config.cache_dir, writes=config.writes_cache)
    wire_ = Wire(secrets=(config.key,) if config.key else ())
    try:
        probes = tuple(_probes(_Subject(dialect, wire_, manner_of(config, dialect), memory, clock)))
    finally:
        wire_.close()
    return Checkup(config.provider, dialect.model, host_of(dialect.base_url), probes)


def _check_replay(config: ProviderConfig) -> Checkup:
    from nocturne.llm.replay import Replay

    try:
        if config.replay is None:
            raise UsageError("no file of replies is named", hint="--replay FILE")
        count = Replay(config.replay).count
    except NocturneError as error:
        probe = Probe("file", "fail", error.message, error.hint)
    else:
        probe = Probe("file", "ok", f"{count:,} recorded exchanges in {config.replay}")
    return Checkup("replay", None, None, (probe,))


def _check_local(config: ProviderConfig, clock: Clock) -> Checkup:
    from nocturne.llm.local import LocalServer, find_model, local_manner
    from nocturne.llm.openai import OpenAI

    done = Checkup("local", config.model, None, ())
    if importlib.util.find_spec("xllamacpp") is None:
        found = Probe("engine", "fail", "xllamacpp is not installed", "pip install 'nocturne-cli[local]'")
        return done.with_probes([found])
    done = done.with_probes([Probe("engine", "ok", "xllamacpp is installed")])
    try:
        path = find_model(config)
    except UsageError as error:
        return done.with_probes([Probe("model file", "fail", error.message, error.hint)])
    size = f"{path} ({path.stat().st_size / 1e6:,.0f} MB)"
    done = Checkup("local", path.stem, None, (*done.probes, Probe("model file", "ok", size)))
    manner = local_manner(config)
    server = LocalServer(path, context=manner.context_tokens)
    began = clock.steady()
    try:
        url = server.start()
        started = Probe("started", "ok", f"listens at {host_of(url)} after {clock.steady() - began:.1f} s")
        dialect = OpenAI(url, path.stem, server.key, name="local", tight=True)
        wire_ = Wire(secrets=(server.key,))
        try:
            probes = list(_probes(_Subject(dialect, wire_, manner, Memory(None), clock)))
        finally:
            wire_.close()
        return done.with_probes([started, *probes])
    except NocturneError as error:
        return done.with_probes([Probe("started", "fail", error.message, error.hint)])
    finally:
        server.stop()


def _probes(subject: _Subject) -> Iterator[Probe]:
    dialect = subject.dialect
    listed = _listed(subject)
    if isinstance(listed, Failure) and listed.kind not in ("not-found", "bad-request", "not-json"):
        yield Probe("reachable", "fail", f"{listed.kind}: {listed.detail}", listed.hint)
        return
    yield Probe("reachable", "ok", f"{host_of(dialect.base_url)} answers")
    models = [] if isinstance(listed, Failure) else listed
    yield _model(dialect, models)
    best, trials = _formats(subject)
    yield from trials
    if best is None:
        return
    yield from _context(subject, models, best)


def _listed(subject: _Subject) -> list[dict[str, Any]] | Failure:
    call = subject.dialect.models()
    answer = subject.transport.get(call.url, call.headers, LIST_SECONDS)
    body = answer if isinstance(answer, Failure) else read(answer, subject.clock.wall())
    if isinstance(body, Failure):
        return body
    data = body.get("data") if isinstance(body, dict) else None
    return [entry for entry in data if isinstance(entry, dict)] if isinstance(data, list) else []


def _named(entry: dict[str, Any]) -> list[str]:
    aliases = entry.get("aliases")
    more = [name for name in aliases if isinstance(name, str)] if isinstance(aliases, list) else []
    return [str(entry.get("id", "")), *more]


def _model(dialect: Dialect, models: list[dict[str, Any]]) -> Probe:
    names = [name for entry in models for name in _named(entry) if name]
    if not names:
        return Probe("model", "warn", "the server lists no models", "the round trip below decides")
    if dialect.model in names or f"{dialect.model}:latest" in names:
        return Probe("model", "ok", f"{dialect.model} is there")
    near = get_close_matches(dialect.model, names, n=3, cutoff=0.3) or names[:3]
    more = f", and {len(names) - len(near)} more" if len(names) > len(near) else ""
    found = f"{dialect.model} is not among the server's models"
    return Probe("model", "warn", found, f"--model, as in {', '.join(near)}{more}")


def _formats(subject: _Subject) -> tuple[str | None, list[Probe]]:
    """Each format from the strictest down until one is honoured; what was learnt is remembered."""
    dialect = subject.dialect
    prompt = subject.prompt()
    probes: list[Probe] = []
    fallback: tuple[str, RawReply] | None = None
    dropped: frozenset[str] = frozenset()
    for form in dialect.formats:
        came, ladder = subject.ask(prompt, form)
        dropped |= ladder.dropped
        if isinstance(came, Failure):
            probes.append(Probe(f"format {form}", "warn", f"{came.kind}: {came.detail}", came.hint))
            if came.plan.then == "stop":
                probes[-1] = Probe("round trip", "fail", f"{came.kind}: {came.detail}", came.hint)
                return None, probes
            continue
        if came.provenance["honoured"] == form:
            probes.append(Probe(f"format {form}", "ok", "requested and honoured"))
            fallback = (form, came)
            break
        repairs = ", ".join(came.provenance["repairs"])
        probes.append(Probe(f"format {form}", "warn", f"requested, not honoured ({repairs})", _STRICTER))
        fallback = (form, came)
    if fallback is None:
        found = f"none of {len(dialect.formats)} formats gave a usable reply"
        probes.append(Probe("round trip", "fail", found, "try a larger model: this one cannot keep to JSON"))
        return None, probes
    form, came = fallback
    key = Ladder(dialect.base_url, dialect.model, dialect.formats, Memory(None)).key
    memory = subject.memory
    memory.put(key, {"format": form, "dropped": sorted(dropped)})
    if memory.trouble is not None:
        probes.append(Probe("remembered", "warn", memory.trouble, "set XDG_CACHE_HOME to a folder you own"))
    probes.append(_round_trip(came))
    return form, probes


_STRICTER = "a server that enforces response_format gives fewer malformed replies"


def _round_trip(came: RawReply) -> Probe:
    entries = wire.parse("dedupe", came)
    said = ", ".join(sorted({type(entry).__name__.lower() for entry in entries})) or "nothing"
    took = came.provenance["ms"] / 1000
    written = came.provenance["tokens_out"]
    speed = f", {written / took:,.0f} tokens/s out" if written and took > 0 else ""
    found = f"two sentences of one meaning: the model says {said}, in {took:.1f} s{speed}"
    return Probe("round trip", "ok", found)


def _context(subject: _Subject, models: list[dict[str, Any]], form: str) -> Iterator[Probe]:
    """What the server reports against what calls use; where it reports nothing, a near one is tried."""
    dialect, manner = subject.dialect, subject.manner
    mine = next((entry for entry in models if dialect.model in _named(entry)), None)
    reported = _reported(mine) if mine is not None else None
    wanted = manner.context_tokens
    if reported is not None:
        if reported >= wanted:
            yield Probe("context", "ok", f"{reported:,} tokens; calls use up to {wanted:,}")
        else:
            fix = f"context_tokens = {reported} in nocturne.toml, or give the server more"
            yield Probe("context", "fail", f"{reported:,} tokens; calls use up to {wanted:,}", fix)
        return
    if not manner.near:
        yield Probe("context", "skipped", f"not reported; calls use up to {wanted:,} tokens")
        return
    room = (wanted - manner.most_output) * 3 // 2
    filler = " ".join(f"shelf {number} holds jars" for number in range(room // 20))
    prompt = subject.prompt((f"I note that {filler}.", f"The user notes that {filler}."))
    came, _ = subject.ask(prompt, form)
    size = f"a prompt of at least {prompt.expected.estimate:,} tokens"
    if isinstance(came, RawReply):
        yield Probe("context", "ok", f"{size} was read whole")
    elif came.kind in ("prompt-cut", "context-exceeded", "nonce-missing"):
        yield Probe("context", "fail", f"{size} was not read whole: {came.detail}", came.hint)
    else:
        yield Probe("context", "warn", f"{size}: {came.kind}: {came.detail}", came.hint)


def _reported(entry: dict[str, Any]) -> int | None:
    meta = entry.get("meta")
    for place in (entry, meta if isinstance(meta, dict) else {}):
        for name in _REPORTED:
            value = place.get(name)
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                return value
    return None
