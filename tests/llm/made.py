"""Briefs, proposers and journals as the tests of this room need them."""

from __future__ import annotations

import json
import random
import threading
import time
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from nocturne.app.asking import RawReply
from nocturne.app.config import Limits, ProviderConfig
from nocturne.core.facts import Fact, Turn
from nocturne.llm.asker import ModelProposer
from nocturne.llm.caller import Clock, Manner
from nocturne.llm.openai import OpenAI
from nocturne.llm.registry import remote
from nocturne.passes.briefs import (
    Clash,
    Cluster,
    ContradictBrief,
    DedupeBrief,
    EncodeBrief,
    ForgetBrief,
    Forgettable,
    MergeBrief,
    Pair,
    PromoteBrief,
    SchematiseBrief,
    Union,
)

DAY = 86_400_000_000
NOW = 20_500 * DAY


def fact(identity: int, text: str, **other: Any) -> Fact:
    return Fact(id=identity, text=text, block="scratch", category="fact", recorded_at=NOW, **other)


def facts(count: int, *, words: int = 8) -> dict[int, Fact]:
    filler = " ".join(f"word{place}" for place in range(words - 4))
    return {n: fact(n, f"The user keeps shelf {n} {filler}.") for n in range(1, count + 1)}


def dedupe(pairs: int = 1, *, words: int = 8) -> DedupeBrief:
    known = facts(2 * pairs, words=words)
    listed = tuple(Pair(2 * n, 2 * n - 1, Fraction(1), equal=True) for n in range(1, pairs + 1))
    return DedupeBrief(listed, known)


def forget(count: int = 2) -> ForgetBrief:
    known = facts(count)
    return ForgetBrief(tuple(Forgettable(n, "stale", 90 * DAY) for n in known), known)


def turn(identity: int, text: str, *, speaker: str = "Ines") -> Turn:
    return Turn(
        id=identity, source=1, native_id=None, offset=0, position=identity, session="a",
        speaker=speaker, provenance="human", text=text, said_at=NOW,
    )  # fmt: skip


def every_brief() -> list[Any]:
    known = facts(6)
    return [
        EncodeBrief(
            (turn(2, "I moved to Ghent in May."), turn(3, "I teach maths.")), (turn(1, "Hello there."),)
        ),
        dedupe(2),
        ContradictBrief((Clash(1, 2, "home"), Clash(3, 4, None)), known),
        MergeBrief((Union(1, (1, 2), "Both in one."), Union(3, (3, 4, 5), None)), known),
        PromoteBrief(known),
        SchematiseBrief((Cluster((1, 2, 3), ("shelf", "keeps")),), known),
        forget(3),
    ]


class Waits:
    """Stands for the clock: remembers how long would have been waited, and waits not at all."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, stop: threading.Event, seconds: float) -> bool:
        self.seconds.append(seconds)
        return stop.is_set()

    def clock(self, *, wall: float | None = None) -> Clock:
        return Clock(
            wall=(lambda: wall) if wall is not None else time.time,
            steady=time.monotonic,
            luck=random.Random(7).random,
            pause=self,
        )


@dataclass
class Kept:
    """A journal in memory."""

    lines: dict[str, str] = field(default_factory=dict)
    threads: set[int] = field(default_factory=set)

    def get(self, key: str) -> str | None:
        self.threads.add(threading.get_ident())
        return self.lines.get(key)

    def put(self, key: str, line: str, *, pass_name: str) -> None:
        self.threads.add(threading.get_ident())
        self.lines[key] = line


def proposer(
    base_url: str,
    *,
    waits: Waits | None = None,
    journal: Kept | None = None,
    limits: Limits | None = None,
    cache: Path | None = None,
    key: str | None = None,
    wall: float | None = None,
    dialect: Any = None,
    writes_cache: bool = True,
    **manner: Any,
) -> ModelProposer:
    config = ProviderConfig(
        "openai",
        "tiny",
        base_url,
        key=key,
        limits=limits or Limits(),
        cache_dir=cache,
        writes_cache=writes_cache,
    )
    settings = {"timeout": 5.0, "context_tokens": 60_000, "most_output": 8192, "near": True} | manner
    return remote(
        config,
        dialect or OpenAI(base_url, "tiny", key),
        journal=journal,
        clock=(waits or Waits()).clock(wall=wall),
        manner=Manner(**settings),
    )


def drops(replies: list[RawReply]) -> list[tuple[str, str]]:
    return [
        (entry["itemId"], entry["duplicateOf"]) for reply in replies for entry in json.loads(reply)["drop"]
    ]


def all_pairs(count: int) -> list[tuple[str, str]]:
    return [(f"m{2 * n}", f"m{2 * n - 1}") for n in range(1, count + 1)]
