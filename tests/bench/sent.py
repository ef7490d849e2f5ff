"""What a model would be sent: over a whole first night, when a hundredth of the facts is new, and when nothing is.

The facts are made ones, written into a real store; the nights are real. Who answers is a stand-in that counts what
asking would send (as ``llm.sending`` foresees it) and gives the built-in rules' answers.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from nocturne.app.lexicons import default_lexicon
from nocturne.app.sleep import Night, asking, sleep
from nocturne.app.writing import Item, append
from nocturne.core.facts import DAY
from nocturne.core.policy import Policy
from nocturne.llm.caller import Manner
from nocturne.llm.rules import RulesProposer
from nocturne.llm.sending import Sending, sending, whole_store
from nocturne.passes.briefs import Brief, PromoteBrief
from nocturne.store import SqliteStore, measures_of, open_store
from tests.bench.child import Meter
from tests.bench.made import made

START = 20_500 * DAY
HOSTED = Manner(batch=100, context_tokens=32_768, most_output=8192)
NEAR = Manner(batch=40, context_tokens=8192, most_output=2048, near=True)
CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"


class Counting:
    """Counts what asking would send to a model of each manner; answers as the rules do."""

    name = "counting"

    def __init__(self) -> None:
        self._rules = RulesProposer()
        self.hosted: Counter[str] = Counter()
        self.near = Sending()
        self.calls = 0

    def propose(self, pass_name: str, brief: Brief) -> Iterator[str]:
        """The rules' replies."""
        foreseen = sending(brief, HOSTED)
        self.hosted[pass_name] += foreseen.tokens_in
        self.calls += foreseen.calls
        self.near = self.near.plus(sending(brief, NEAR))
        yield from self._rules.propose(pass_name, brief)


@cache
def word(token: int, *, name: bool) -> str:
    """A word of its own for each token."""
    source = random.Random(token)
    text = "".join(source.choice(CONSONANTS) + source.choice(VOWELS) for _ in range(source.choice((2, 2, 3))))
    text += CONSONANTS[token % len(CONSONANTS)]
    return text.capitalize() if name else text


def sentences(count: int, seed: int = 1) -> list[str]:
    """Made rows as statements."""
    rows = made(count, seed)
    return [
        f"The user noted {' '.join(word(token, name=token in rows.names) for token in row)}."
        for row in rows.rows
    ]


def nights(meter: Meter, *, count: int, new: int) -> dict[str, Any]:
    """Three nights: over all but ``new`` facts, with those, and with nothing more."""
    texts = sentences(count)
    with tempfile.TemporaryDirectory() as folder, meter.running():
        measures = measures_of(default_lexicon())
        store = open_store(Path(folder) / "a.db", mode="create", now=START, measures=measures)
        try:
            first = _night(store, texts[: count - new], START + DAY)
            later = _night(store, texts[count - new :], START + 2 * DAY)
            quiet = _night(store, (), START + 3 * DAY)
            whole = whole_store(PromoteBrief(dict(store.state().facts)))
        finally:
            store.close()
    return {
        "first": sum(first.hosted.values()) / (count - new),
        "first_calls": first.calls / (count - new),
        "passes": dict(later.hosted),
        "hosted": sum(later.hosted.values()) / whole,
        "near": later.near.tokens_in / whole,
        "tokens": sum(later.hosted.values()),
        "calls": later.calls,
        "whole": whole,
        "quiet": sum(quiet.hosted.values()),
    }


def _night(store: SqliteStore, texts: Sequence[str], now: int) -> Counting:
    policy, lexicon = Policy(), default_lexicon()
    if texts:
        items = [Item(text) for text in texts]
        append(store, "scratch", items, policy=policy, lexicon=lexicon, now=now, command="bench")
    counting = Counting()
    sleep(
        Night(
            store=store,
            policy=policy,
            lexicon=lexicon,
            now=now,
            command="bench",
            proposer=counting.name,
            answer=asking(counting),
        )
    )
    return counting
