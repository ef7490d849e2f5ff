"""A night is the same whether its rulings waited packed or not: written, refused whole, judged again, undone."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nocturne.app import easing
from nocturne.app.ports import Head
from nocturne.app.sleep import Night, SleepReport, asking, sleep
from nocturne.core.acts import Act
from nocturne.core.conservation import Breach
from nocturne.core.facts import DAY
from nocturne.core.policy import Forget as ForgetRules
from nocturne.core.policy import Policy
from nocturne.core.proposals import Merge
from nocturne.core.verdicts import Refused
from nocturne.errors import StoreLocked
from nocturne.llm.rules import RulesProposer
from nocturne.passes import engine, rulings
from nocturne.passes.engine import Offer
from nocturne.passes.night import NIGHT
from nocturne.passes.scene import Pass
from nocturne.store import SqliteStore, open_store
from nocturne.store.batch import Batch
from tests.app.making import LEXICON, POLICY, T0, audited, measures, new_store, take_in, talk

SAID = [
    "I live in Lisbon. I work at Halden as a welder.",
    "I love goat cheese. I bought a blue canoe last week.",
    "I live in Lisbon. I play the cello.",
    "I play the viola. We decided to rent the mill because the cellar floods.",
    "I love goat cheese. I prefer trains over planes.",
    "I moved to Porto. I went swimming in the old quarry.",
]
NOW = T0 + 2 * DAY
LATE = T0 + 70 * DAY
WHOLE, FEW = 10_000, 2


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store before its first night."""
    folder = tmp_path_factory.mktemp("evening")
    with new_store(folder) as store:
        take_in(store, talk(folder / "talk.jsonl", SAID))
    return folder / "made.db"


class Nights:
    """Nights over copies of one store, with salts that repeat."""

    def __init__(self, evening: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.evening, self.folder, self.patch = evening, folder, monkeypatch
        self.made = 0

    def opened(self, chunk: int) -> SqliteStore:
        """A copy, to be slept over with rulings packed so many at a time, and as large if it holds so many facts."""
        self.patch.setattr(rulings, "CHUNK", chunk)
        self.patch.setattr(easing, "LARGE", chunk)
        self.patch.setattr("os.urandom", random.Random(7).randbytes)
        self.made += 1
        path = self.folder / f"{self.made}.db"
        shutil.copy(self.evening, path)
        return open_store(path, mode="rw", now=NOW, measures=measures())

    def both(self, **options: Any) -> SleepReport:
        """The night with rulings packed in twos; it is told and recorded as the one with none packed."""
        (first, one), (second, other) = (self.slept(chunk, **options) for chunk in (WHOLE, FEW))
        assert one == other
        assert first == second
        return second

    def slept(self, chunk: int, **options: Any) -> tuple[SleepReport, Head]:
        """One night, and where the record ends after it."""
        with self.opened(chunk) as store:
            report = sleep(night(store, **options))
            assert not audited(store).problems
            return report, store.head()


@pytest.fixture
def nights(evening: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Nights:
    return Nights(evening, tmp_path, monkeypatch)


def night(store: SqliteStore, **options: Any) -> Night:
    """A night by the rules, unless something else is said."""
    plain: dict[str, Any] = {
        "policy": POLICY, "now": NOW, "command": "nocturne sleep", "proposer": "rules",
        "answer": asking(RulesProposer()),
    }  # fmt: skip
    return Night(store=store, lexicon=LEXICON, **{**plain, **options})


def test_a_night_is_recorded_as_it_is_without_packing(nights: Nights) -> None:
    report = nights.both()
    assert {part.name for part in report.passes if part.accepted} >= {"dedupe", "promote"}
    assert report.before is not None
    assert report.found == len(report.before.facts)
    brief = nights.both(in_full=False)
    assert brief.before is None
    assert [part.rulings for part in brief.passes] == [()] * len(brief.passes)
    assert brief == replace(
        report, before=None, passes=tuple(replace(part, rulings=()) for part in report.passes)
    )


def test_a_dry_run_foresees_it_and_writes_nothing(nights: Nights) -> None:
    report = nights.both()
    for in_full in (True, False):
        foreseen = nights.both(dry_run=True, in_full=in_full)
        assert foreseen.after.facts == report.after.facts
        for one, other in zip(foreseen.passes, report.passes, strict=True):
            assert (one.accepted, one.refused, one.refusals) == (other.accepted, other.refused, other.refusals)


def test_what_a_dry_run_changed_is_new_to_the_passes_after_it(nights: Nights, tmp_path: Path) -> None:
    reports = []
    for chunk in (WHOLE, FEW):
        with nights.opened(chunk) as store:
            sleep(night(store))
            take_in(store, talk(tmp_path / f"more{chunk}.jsonl", ["I play the flute. I sold my car."]), now=NOW)
            foreseen = sleep(night(store, dry_run=True, in_full=False))
            done = sleep(night(store, in_full=False))
        assert [(part.accepted, part.refused) for part in foreseen.passes] == [
            (part.accepted, part.refused) for part in done.passes
        ]
        reports.append(done.after.facts)
    assert reports[0] == reports[1]


def test_a_pass_beyond_the_budget_is_refused_whole(nights: Nights) -> None:
    strict = Policy(loss_budget=0.05)
    report = nights.both(now=LATE, policy=strict)
    forget = report.passes[-1]
    assert forget.withheld == "N306"
    gone = forget.would_lose["would_lose"]
    assert gone > forget.would_lose["allowed"]
    assert forget.refusals["N306"] == gone
    assert report.forgotten == ()
    assert forget.active == forget.received
    lifted = nights.both(now=LATE, policy=strict, command="nocturne sleep --allow-loss", allow_loss=True)
    assert len(lifted.forgotten) == gone


def test_a_pass_that_breaks_conservation_is_refused_whole(nights: Nights) -> None:
    true = engine.breaches

    def breaches(pass_name: str, *args: Any, **kwargs: Any) -> list[Breach]:
        return [Breach(1, "content lost", ("tea",))] if pass_name == "promote" else true(pass_name, *args, **kwargs)

    nights.patch.setattr(engine, "breaches", breaches)
    for in_full in (True, False):
        report = nights.both(in_full=in_full)
        promote = report.passes[3]
        assert (promote.withheld, promote.accepted) == ("N309", 0)
        assert promote.would_lose == {}
        assert {fact.block for fact in report.after.facts.values()} == {"scratch"}


class Disturbed:
    """Answers by the rules, while somebody else writes to the store during some passes."""

    def __init__(self, store: SqliteStore) -> None:
        self.store, self.asked, self.answer = store, list[str](), asking(RulesProposer())

    def __call__(self, stage: Pass, brief: Any) -> Iterable[Offer]:
        self.asked.append(stage.name)
        if stage.name in ("dedupe", "promote"):
            disturb(self.store)
        return self.answer(stage, brief)


def disturb(store: SqliteStore) -> None:
    """Let another connection write."""
    with open_store(store.path, measures=measures()) as other, other.transaction() as tx:
        tx.act([Act("remember", memo=f"{other.head().seq}")], at=NOW)


@pytest.mark.parametrize("in_full", [True, False])
def test_a_store_that_moved_on_is_judged_again_over_what_was_heard(nights: Nights, *, in_full: bool) -> None:
    ends = []
    for chunk in (WHOLE, FEW):
        with nights.opened(chunk) as store:
            answer = Disturbed(store)
            report = sleep(night(store, answer=answer, in_full=in_full))
            assert answer.asked.count("dedupe") == answer.asked.count("promote") == 1
            assert report.passes[3].accepted
            assert not audited(store).problems
            ends.append((report, store.head()))
    assert ends[0] == ends[1]


def test_a_store_that_never_rests_is_given_up(nights: Nights) -> None:
    with nights.opened(FEW) as store:
        true = store.transaction

        def moving(**expected: Any) -> Any:
            disturb(store)
            return true(**expected)

        nights.patch.setattr(store, "transaction", moving)
        with pytest.raises(StoreLocked, match="kept changing while dedupe"):
            sleep(night(store))


def test_what_is_offered_on_the_second_try_is_judged(nights: Nights) -> None:
    def cellos(brief: Any) -> list[int]:
        found = {fact.text: id_ for id_, fact in brief.facts.items()}
        return [id_ for text, id_ in sorted(found.items()) if "cello" in text or "viola" in text]

    def answer(stage: Pass, brief: Any) -> Iterable[Offer]:
        if stage.name != "merge" or brief is None:
            return
        into, source = cellos(brief)
        for text in ("The user plays the cello.", "The user plays.", "The user plays the cello and a horn."):
            yield Offer(Merge(into=into, sources=(source,), text=text, reason="one"))

    def mend(stage: Pass, brief: Any, refused: Sequence[Refused]) -> Iterable[Offer]:
        assert stage.name == "merge"
        assert len(refused) == 3
        into, source = cellos(brief)
        yield Offer(Merge(into=into, sources=(source,), reason="again"))

    report = nights.both(answer=answer, mend=mend, enforce=False)
    merge = report.passes[2]
    assert (merge.proposed, merge.again, merge.mended, merge.accepted, merge.refused) == (4, 1, 1, 1, 3)


@pytest.mark.parametrize("flush", [1, 3])
def test_a_commit_that_fails_leaves_the_pass_undone(nights: Nights, flush: int) -> None:
    whole, end = nights.slept(WHOLE)
    with nights.opened(FEW) as store:
        true, flushed = Batch.flush, 0

        def failing(batch: Batch) -> None:
            nonlocal flushed
            flushed += 1
            true(batch)
            if flushed == flush:
                raise OSError("the disk went away")

        nights.patch.setattr(Batch, "flush", failing)
        before = store.state()
        with pytest.raises(OSError, match="went away"):
            sleep(night(store, in_full=False))
        nights.patch.setattr(Batch, "flush", true)
        assert store.state() == before
        nights.patch.setattr("os.urandom", random.Random(7).randbytes)
        assert sleep(night(store)) == whole
        assert store.head() == end


def test_raw_replies_are_read_again_as_they_came(nights: Nights) -> None:
    said = ['{"drop":[],"keep":[]}', "not JSON", json.dumps({"drop": [{"itemId": "x"}]})]

    class Saying:
        name = "saying"

        def propose(self, pass_name: str, _: Any) -> Iterable[str]:
            return said if pass_name == "dedupe" else ()

    with nights.opened(FEW) as store:
        offered = asking(Saying())(NIGHT[0], object())
        assert list(offered) == list(offered)
        assert [isinstance(offer.proposal, Refused) for offer in offered] == [True, True]
        report = sleep(night(store, answer=asking(Saying()), proposer="saying", enforce=False))
        assert report.passes[0].refusals == {"N001": 2}


def test_what_faded_since_the_last_night_is_counted_by_a_night_that_writes(nights: Nights, tmp_path: Path) -> None:
    policy = Policy(forget=ForgetRules(stale_days=None))
    with nights.opened(WHOLE) as store:
        assert sleep(night(store, policy=policy)).faded == ()
        take_in(store, talk(tmp_path / "later.jsonl", ["I play the flute."], session="t", at=T0 + 95 * DAY),
                now=T0 + 95 * DAY)  # fmt: skip
        report = sleep(night(store, policy=policy, now=T0 + 96 * DAY))
        assert report.start is not None, "it wrote"
        assert report.faded
        active = store.state().facts
        assert all(active[id_].recorded_at < T0 + 2 * DAY for id_ in report.faded)
        assert not any(active[id_].category in ("identity", "preferences") for id_ in report.faded)
