"""Limits, deadlines, interruptions, and the journal that lets the next run go on."""

from __future__ import annotations

import os
import signal
import threading
import time
from fractions import Fraction
from pathlib import Path

import pytest

from nocturne.app.config import Limits, Price
from nocturne.errors import ProviderFailed
from nocturne.passes.briefs import EncodeBrief
from tests.llm.made import Kept, Waits, all_pairs, dedupe, drops, proposer, turn
from tests.llm.serving import Asked, Said, agreeable, no_facts, serving, too_long


def test_max_calls_stops_between_calls_and_says_what_was_not_asked() -> None:
    with serving(agreeable) as server:
        asker = proposer(server.url, limits=Limits(max_calls=3), batch=1, jobs=1)
        first = list(asker.propose("dedupe", dedupe(2)))
        second = list(asker.propose("dedupe", dedupe(4)))
        asker.close()
        assert len(server.posts) == 3
    assert (len(first), len(second)) == (2, 1)
    how = asker.asked("dedupe")
    assert how is not None
    assert how.stopped == "max-calls (3) reached"
    assert len(how.unanswered) == 3
    assert asker.usage.calls == 3


def test_max_tokens_is_never_crossed_even_in_parallel() -> None:
    with serving(agreeable) as server:
        asker = proposer(server.url, limits=Limits(max_tokens=9000), batch=1, jobs=4, most_output=300)
        list(asker.propose("dedupe", dedupe(40)))
        how = asker.asked("dedupe")
        asker.close()
        used = asker.usage
    assert how is not None
    assert how.stopped is not None
    assert how.stopped.startswith("max-tokens (9,000) would be crossed")
    assert used.tokens_in + used.tokens_out <= 9000
    assert 2 <= used.calls == len(server.posts) < 40
    assert len(how.unanswered) + how.answered == 40


def test_a_deadline_stops_between_calls() -> None:
    def slow(asked: Asked) -> Said:
        said = agreeable(asked)
        said.wait = 0.1
        return said

    with serving(slow) as server:
        asker = proposer(server.url, limits=Limits(deadline=0.35), batch=1, jobs=1)
        replies = list(asker.propose("dedupe", dedupe(30)))
        asker.close()
        assert len(server.posts) == len(replies) <= 5
    how = asker.asked("dedupe")
    assert how is not None
    assert how.stopped == "deadline (0.35 s) reached"


def test_a_wait_that_would_outlast_the_deadline_is_not_waited() -> None:
    waits = Waits()
    busy = Said(b'{"error": "busy"}', 503, {"retry-after": "20"})
    with serving(lambda _: busy) as server:
        asker = proposer(server.url, limits=Limits(deadline=5), waits=waits)
        with pytest.raises(ProviderFailed):
            list(asker.propose("dedupe", dedupe()))
        asker.close()
        assert len(server.posts) == 1
    assert waits.seconds == []


def test_the_journal_gets_replies_as_they_come_and_gives_them_back(tmp_path: Path) -> None:
    journal = Kept()
    with serving(agreeable, agreeable, lambda _: Said(b"", 401)) as server:
        first = proposer(server.url, journal=journal, batch=1, jobs=1)
        assert len(list(first.propose("dedupe", dedupe(4)))) == 2
        first.close()
    assert len(journal.lines) == 2
    with serving(agreeable) as server:
        second = proposer(server.url, journal=journal, batch=1, jobs=1)
        replies = list(second.propose("dedupe", dedupe(4)))
        second.close()
        assert [asked.pairs for asked in server.posts] == [[("m6", "m5")], [("m8", "m7")]]
    how = second.asked("dedupe")
    assert how is not None
    assert (how.from_journal, how.answered) == (2, 4)
    assert drops(replies) == all_pairs(4)
    assert second.usage.calls == 2
    assert journal.threads == {threading.get_ident()}


def test_halves_are_resumed_without_asking_for_the_whole_again() -> None:
    journal = Kept()
    with serving(too_long) as server:
        first = proposer(server.url, journal=journal, jobs=1)
        whole = list(first.propose("dedupe", dedupe(10)))
        first.close()
        calls = len(server.posts)
        second = proposer(server.url, journal=journal, jobs=1)
        assert list(second.propose("dedupe", dedupe(10))) == whole
        second.close()
        assert len(server.posts) == calls


def test_a_journal_s_line_that_cannot_be_read_is_asked_again() -> None:
    journal = Kept()
    with serving(agreeable) as server:
        first = proposer(server.url, journal=journal)
        (reply,) = first.propose("dedupe", dedupe())
        first.close()
        for spoilt in ("", "null", "{", '{"text": 3}', '{"split": true}'):
            journal.lines = dict.fromkeys(journal.lines, spoilt)
            again = proposer(server.url, journal=journal)
            assert list(again.propose("dedupe", dedupe())) == [reply]
            again.close()
        assert len(server.posts) == 6


def test_another_text_is_another_request() -> None:
    journal = Kept()
    with serving(agreeable) as server:
        asker = proposer(server.url, journal=journal)
        list(asker.propose("dedupe", dedupe(1)))
        list(asker.propose("dedupe", dedupe(1, words=9)))
        asker.close()
        assert len(server.posts) == 2


def test_an_interruption_leaves_what_came_and_says_so() -> None:
    class Interrupting(Kept):
        def put(self, key: str, line: str, *, pass_name: str) -> None:
            super().put(key, line, pass_name=pass_name)
            if len(self.lines) == 2:
                raise KeyboardInterrupt

    journal = Interrupting()
    with serving(agreeable) as server:
        asker = proposer(server.url, journal=journal, batch=1, jobs=1)
        with pytest.raises(KeyboardInterrupt):
            list(asker.propose("dedupe", dedupe(6)))
        asker.close()
        assert len(server.posts) <= 3
    how = asker.asked("dedupe")
    assert how is not None
    assert how.stopped == "interrupted"
    assert how.replies == 2
    assert len(how.unanswered) == 4


def test_ctrl_c_does_not_wait_for_a_server_that_is_busy() -> None:
    with serving(lambda _: Said(b"{}", wait=3)) as server:
        asker = proposer(server.url, timeout=60.0)
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        started = time.monotonic()
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            list(asker.propose("dedupe", dedupe(2)))
        assert time.monotonic() - started < 2
        asker.close()


def test_money_is_exact() -> None:
    with serving(agreeable) as server:
        asker = proposer(server.url)
        asker._caller.budget.price = Price(Fraction("0.15"), Fraction("0.60"))
        list(asker.propose("dedupe", dedupe()))
        asker.close()
        used = asker.usage
        read = server.posts[0].tokens
    assert used.tokens_in == read
    assert used.cost == (Fraction(read) * Fraction("0.15") + 20 * Fraction("0.60")) / 1_000_000
    assert f"1 call, {read:,} tokens in, 20 out" in used.line()


def test_turns_are_read_all_or_not_at_all_and_paid_for_once() -> None:
    journal = Kept()
    brief = EncodeBrief(tuple(turn(n, f"I keep shelf {n}.") for n in range(1, 6)))
    with serving(no_facts) as server:
        first = proposer(server.url, journal=journal, limits=Limits(max_calls=3), batch=1, jobs=1)
        with pytest.raises(ProviderFailed, match=r"2 of 5 turns .* max-calls \(3\) reached") as caught:
            list(first.propose("encode", brief))
        first.close()
        assert "not paid for twice" in str(caught.value.hint)
        second = proposer(server.url, journal=journal, batch=1, jobs=1)
        assert len(list(second.propose("encode", brief))) == 5
        second.close()
        assert len(server.posts) == 5
