"""Any history of ingest, sleep, forget, restore and purge: the audit holds after every step of it.

A restore gives the earlier version exactly, but for the rows that it lists; the difference of two versions, applied to
the first, is the second; what was purged is in no byte.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from nocturne.app.compare import compare
from nocturne.core.acts import ERASED
from nocturne.core.facts import DAY, State
from nocturne.core.policy import Policy
from nocturne.core.proposals import Merge
from nocturne.passes.engine import Offer
from tests.app import making
from tests.app.making import POLICY, T0

SAID = (
    "I like tea.",
    "I like tea with lemon.",
    "I do not like tea.",
    "I use pytest for tests.",
    "I use ruff for linting.",
    "I use uv for packages.",
    "I live in Ghent.",
    "I live in Bruges now.",
    "I moved to Lisbon last week.",
    "I have a dog.",
    "I have a dog called Saffron.",
    "I run along the river.",
    "I run along the river on Mondays.",
    "I run along the river before work.",
    "My phone number is 555 0142.",
    "My sister Ngozi lives in Porto.",
    "I work at Contoso.",
    "I had a dentist appointment on 5 January.",
    "I decided to use SQLite for the ledger.",
)
WORDS = ("tea", "ruff", "river", "dog", "Ghent", "0142", "Ngozi", "pytest", "dentist")
FORGETFUL = Policy.of({"name": "forgetful", "loss_budget": 1.0, "forget": {"stale_days": 20}})
POLICIES = {"default": POLICY, "forgetful": FORGETFUL}
MOST = 14
"""Facts in a store; more make no history that fewer do not."""


def view(state: State) -> dict[int, tuple[str, str]]:
    return {id_: (fact.text, fact.block) for id_, fact in state.facts.items()}


class Histories(RuleBasedStateMachine):
    """A store that lives through whatever hypothesis thinks of."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="history-"))
        self.store = making.new_store(self.folder)
        # The tests of faults are elsewhere: here nothing pulls the plug.
        self.store._link.run("PRAGMA synchronous = OFF")
        self.now = T0
        self.talks = 0
        self.purged: set[str] = set()

    def teardown(self) -> None:
        self.store.close()
        shutil.rmtree(self.folder)

    def pass_time(self, days: int = 1) -> int:
        self.now += days * DAY
        return self.now

    @property
    def active(self) -> list[int]:
        return sorted(self.store.state().facts)

    @property
    def newest(self) -> int:
        return self.store.head().snapshot

    @initialize(said=st.lists(st.sampled_from(SAID), min_size=2, max_size=5, unique=True))
    def begin(self, said: list[str]) -> None:
        self.ingest(said, lift=False)

    @precondition(lambda self: len(self.active) < MOST)
    @rule(said=st.lists(st.sampled_from(SAID), min_size=1, max_size=4, unique=True), lift=st.booleans())
    def ingest(self, said: list[str], lift: bool) -> None:
        self.talks += 1
        name = f"talk{self.talks}"
        path = making.talk(self.folder / f"{name}.jsonl", said, session=name, at=self.pass_time())
        making.take_in(self.store, path, now=self.now, lift=lift)

    @rule(policy=st.sampled_from(sorted(POLICIES)), days=st.sampled_from([1, 40]))
    def sleep(self, policy: str, days: int) -> None:
        making.slept(self.store, now=self.pass_time(days), policy=POLICIES[policy])

    @precondition(lambda self: len(self.active) >= 2)
    @rule(data=st.data())
    def merge(self, data: st.DataObject) -> None:
        """A night of one proposed merge; the gates decide whether it happens."""
        pair = data.draw(st.lists(st.sampled_from(self.active), min_size=2, max_size=2, unique=True))
        offer = Offer(Merge(into=pair[0], sources=(pair[1],), reason="said together"), "model")
        answer = lambda stage, _: [offer] if stage.name == "merge" else ()  # noqa: E731 - as an answer is one
        making.night(self.store, answer, self.pass_time())

    @precondition(lambda self: self.active)
    @rule(data=st.data(), purge=st.sampled_from([False, False, True]))
    def take_back(self, data: st.DataObject, purge: bool) -> None:
        fact = data.draw(st.sampled_from([fact.id for fact in self.store.all_facts()]))
        self._take_back(fact, purge=purge)

    @rule(words=st.sampled_from(WORDS), purge=st.sampled_from([False, False, True]))
    def take_back_words(self, words: str, purge: bool) -> None:
        self._take_back(words=words, purge=purge)

    def _take_back(self, *facts: int, words: str | None = None, purge: bool) -> None:
        receipt = making.taken_back(
            self.store, *facts, match=[words] if words else [], purge=purge, now=self.pass_time()
        )
        buried = set(receipt.preview.withdrawal.buried)
        assert not {text for text, _ in view(self.store.state()).values()} & buried
        if purge:
            self.purged |= buried
            assert ERASED not in self.purged

    @rule(data=st.data(), lift=st.booleans())
    def restore(self, data: st.DataObject, lift: bool) -> None:
        number = data.draw(st.integers(0, self.newest))
        done = making.back(self.store, number, lift=lift, now=self.pass_time())
        away = {fact.id for fact in done.skipped} | set(done.purged) | set(done.kept)
        wanted = {fact.id: fact for fact in self.store.all_facts(number)}
        now = {fact.id: fact for fact in self.store.all_facts()}
        for id_, fact in now.items():
            if id_ in away:
                continue
            if id_ in wanted:
                assert fact == wanted[id_]
            else:
                assert not fact.active
        if done.exact and done.snapshot is not None and len(wanted) == len(now):
            digests = [self.store.snapshot(each).digest for each in (number, done.snapshot)]
            assert digests[0] == digests[1]

    @precondition(lambda self: self.newest >= 2)
    @rule(data=st.data())
    def diff(self, data: st.DataObject) -> None:
        first, second = (data.draw(st.integers(0, self.newest)) for _ in range(2))
        older, newer = self.store.snapshot(first), self.store.snapshot(second)
        state = view(self.store.state(first))
        for each in compare(self.store, older, newer).differences:
            if each.after is not None and each.after.active:
                state[each.after.id] = (each.after.text, each.after.block)
            else:
                state.pop(each.fact.id, None)
        assert state == view(self.store.state(second))

    @invariant()
    def the_audit_holds(self) -> None:
        found = making.audited(self.store)
        assert found.problems == (), json.dumps([problem.what for problem in found.problems])

    @invariant()
    def what_was_purged_is_in_no_byte(self) -> None:
        if not self.purged:
            return
        held = b"".join(
            file.read_bytes() for file in self.folder.iterdir() if file.name.startswith("made.db")
        )
        left = [text for text in self.purged if text.encode() in held]
        assert left == []


TestHistories = Histories.TestCase
TestHistories.settings = settings(
    max_examples=200,
    stateful_step_count=7,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
