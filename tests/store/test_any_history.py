"""Any sequence of writes, restores and purges, against a plain model: states, differences and the record agree."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from nocturne.core.acts import ERASED, Act
from nocturne.core.facts import Activation, Change, Fact, Link, Reversion, Span, Step
from nocturne.core.proposals import Forget
from nocturne.core.verdicts import Accepted, Refused, Ruling
from nocturne.store import open_store
from tests.store.story import POLICY, T0, WORDS, encoded, fact, new_store, remember

words = st.sampled_from(["bees", "tea", "a port 5433", "東京", "no sugar", "branch/9"])


class History(RuleBasedStateMachine):
    """A store, and what a dictionary says that each snapshot of it holds."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.store = new_store(Path(self.folder.name))
        self.model: dict[int, Fact] = {}
        self.snapshots: list[dict[int, Fact]] = [{}]
        remember(self.store, [])
        self.snapshots.append({})
        self.next = 1

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()

    def close(self, tx: object) -> None:
        tx.snapshot("x", command="", policy=None, at=T0)  # type: ignore[attr-defined]
        self.snapshots.append(dict(self.model))

    @rule(texts=st.lists(words, min_size=1, max_size=3), speaker=st.sampled_from(["Priya", "Noor", None]))
    def learn(self, texts: list[str], speaker: str | None) -> None:
        with self.store.transaction(expect=self.store.head()) as tx:
            for text in texts:
                new = fact(self.next, text, self.next % 5 + 1, speaker=speaker)
                tx.record([encoded(new)], at=T0, policy=POLICY)
                self.model[self.next] = new
                self.next += 1
            self.close(tx)

    @precondition(lambda self: self.model)
    @rule(
        data=st.data(),
        text=words,
        active=st.booleans(),
        spans=st.sets(st.builds(Span, st.integers(1, 5), st.integers(0, 2), st.integers(3, 4)), max_size=3),
    )
    def step(self, data: st.DataObject, text: str, active: bool, spans: set[Span]) -> None:
        now = self.model[data.draw(st.sampled_from(sorted(self.model)))]
        ordered = tuple(sorted(spans, key=lambda span: (span.turn, span.start, span.end)))
        after = replace(
            now,
            text=now.text if now.text == ERASED else text,
            active=active,
            retired_by=None if active else "x",
            sources=ordered,
        )
        ruling = Ruling(
            "forget",
            "engine",
            Accepted(Forget(fact=now.id), "x", {"age": "3/2"}),
            changes=(Change(now, after),),
            links=(Link(now.id, min(self.model), "evidence"),),
            activations=(Activation(now.id, 5, T0),),
        )
        refused = Ruling("dedupe", "model", Refused(Forget(fact=now.id, reason=text), "N1"), memo=f"k{text}")
        with self.store.transaction() as tx:
            tx.record([ruling, refused], at=T0, policy=POLICY)
            self.model[now.id] = after
            self.close(tx)

    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        target = data.draw(st.integers(0, len(self.snapshots) - 1))
        with self.store.transaction() as tx:
            pairs = [Reversion(*pair) for pair in self.store.changes(None, target)]
            left = tx.restore(pairs, to=self.store.snapshot(target), at=T0)
            for id_, now in self.model.items():
                then = self.snapshots[target].get(id_)
                if id_ in left:
                    continue
                if then is not None:
                    self.model[id_] = then
                elif now.active:
                    self.model[id_] = replace(now, active=False, retired_by="restore")
            self.close(tx)
        if not left:
            wanted = {id_: each for id_, each in self.snapshots[target].items() if each.active}
            assert self.store.state().facts == wanted

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def purge(self, data: st.DataObject) -> None:
        id_ = data.draw(st.sampled_from(sorted(self.model)))
        now = self.model[id_]
        gone = replace(now, active=False, retired_by="person:purge")
        hashes = set(self.store.texts_of([id_]))
        with self.store.transaction() as tx:
            tx.erase(hashes, Act("purge", changes=(Change(now, gone),)), at=T0)
            self.model[id_] = replace(gone, text=ERASED)
            self.snapshots = [
                {key: replace(each, text=ERASED) if key == id_ else each for key, each in snapshot.items()}
                for snapshot in self.snapshots
            ]
            self.close(tx)
        self.store.scrub()

    @rule()
    def open_again(self) -> None:
        path = self.store.path
        self.store.close()
        self.store = open_store(path, measures=WORDS)

    @invariant()
    def the_store_is_the_model(self) -> None:
        assert {each.id: each for each in self.store.all_facts()} == self.model
        assert self.store.state().next_id == self.next
        assert self.store.replayed().problems == []
        assert self.store.index_problems() == []

    @invariant()
    def every_snapshot_still_is_what_it_was(self) -> None:
        for number, then in enumerate(self.snapshots):
            assert {each.id: each for each in self.store.all_facts(number)} == then
        last = len(self.snapshots) - 1
        assert self.store.replayed(last // 2).problems == []
        made = dict(self.snapshots[last // 2])
        for before, after in self.store.changes(last // 2, last):
            assert before == made.get((before or after).id)  # type: ignore[union-attr]
            assert after is not None
            made[after.id] = after
        assert made == self.snapshots[last]

    @invariant()
    def what_moved_since_is_what_differs(self) -> None:
        then = self.snapshots[len(self.snapshots) // 2]
        # Of what was purged the model no longer knows whether it said the same before.
        erased = {each.id for each in self.model.values() if each.text == ERASED}
        expected = {
            after.id: (step.before is None, _seen(step), step.resourced)
            for after in self.model.values()
            for step in [Step.of(then.get(after.id), after)]
            if after.id not in erased and (step.resourced or step.before != step.after)
        }
        steps = {step.after.id: step for step in self.store.steps(len(self.snapshots) // 2)}
        assert {
            id_: (step.before is None, _seen(step), step.before is not None and step.resourced)
            for id_, step in steps.items()
            if id_ not in erased
            and (step.before != step.after or (step.before is not None and step.resourced))
        } == expected


def _seen(step: Step) -> tuple[object, ...]:
    """A step without its words, which the store keeps sealed: only whether they are the same."""
    now, then = step.after._replace(text=""), step.before
    return now, then and (then._replace(text=""), then.text == step.after.text)


@pytest.mark.parametrize("examples", [25])
def test_any_history(examples: int) -> None:
    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(
        History,
        settings=settings(
            max_examples=examples,
            stateful_step_count=12,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        ),
    )
