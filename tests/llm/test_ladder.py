"""What is remembered of a server, how long is waited, and what a run may spend."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nocturne.app.config import Limits, Price
from nocturne.llm.budget import Budget
from nocturne.llm.ladder import Ladder, Memory
from nocturne.llm.openai import FORMATS
from nocturne.llm.outcomes import PLANS, Failure, Kind, Tokens
from nocturne.llm.waiting import MOST_SECONDS, delay

URL = "https://who:secret@models.example/v1"


def test_what_is_honoured_is_remembered_per_server_and_model(tmp_path: Path) -> None:
    ladder = Ladder(URL, "tiny", FORMATS, Memory(tmp_path))
    assert ladder.form == "json_schema"
    assert ladder.refused("json_schema")
    ladder.held("json_object", honoured=True)
    assert ladder.settled
    assert Ladder(URL, "tiny", FORMATS, Memory(tmp_path)).form == "json_object"
    assert not Ladder(URL, "large", FORMATS, Memory(tmp_path)).settled
    assert not Ladder("https://other.example/v1", "tiny", FORMATS, Memory(tmp_path)).settled
    text = (tmp_path / "formats.json").read_text()
    assert "secret" not in text
    assert "models.example tiny" in text


def test_a_settled_format_that_the_server_refuses_later_is_asked_anew(tmp_path: Path) -> None:
    Ladder(URL, "tiny", FORMATS, Memory(tmp_path)).held("json_schema", honoured=True)
    later = Ladder(URL, "tiny", FORMATS, Memory(tmp_path))
    assert later.settled
    assert later.refused("json_schema")
    assert not later.settled
    later.held("json_object", honoured=True)
    assert Ladder(URL, "tiny", FORMATS, Memory(tmp_path)).form == "json_object"


def test_a_settled_format_is_not_left_for_one_bad_reply(tmp_path: Path) -> None:
    ladder = Ladder(URL, "tiny", FORMATS, Memory(tmp_path))
    ladder.held("json_schema", honoured=True)
    assert not ladder.broke("json_schema")
    assert ladder.form == "json_schema"
    assert ladder.seen() == {"json_schema→json_schema": 1, "json_schema→none": 1}


def test_below_the_last_format_there_is_nothing(tmp_path: Path) -> None:
    ladder = Ladder(URL, "tiny", FORMATS, Memory(tmp_path))
    assert [ladder.refused(ladder.form) for _ in range(3)] == [True, True, False]


def test_another_thread_s_step_counts(tmp_path: Path) -> None:
    ladder = Ladder(URL, "tiny", FORMATS, Memory(tmp_path))
    assert ladder.refused("json_schema")
    assert ladder.refused("json_schema")  # an answer to a question that was asked before the step
    assert ladder.form == "json_object"


@pytest.mark.parametrize(
    "text", ["", "[]", "no json", '{"version": 9, "servers": {}}', '{"version": 1, "servers": []}']
)
def test_a_spoilt_cache_is_an_empty_cache(tmp_path: Path, text: str) -> None:
    (tmp_path / "formats.json").write_text(text)
    memory = Memory(tmp_path)
    ladder = Ladder(URL, "tiny", FORMATS, memory)
    assert not ladder.settled
    ladder.held("json_schema", honoured=True)
    assert json.loads((tmp_path / "formats.json").read_text())["servers"]


def test_a_cache_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    memory = Memory(tmp_path / "file")
    Ladder(URL, "tiny", FORMATS, memory).held("json_schema", honoured=True)
    assert memory.trouble is not None


kinds = st.sampled_from(sorted(PLANS))
waits = st.none() | st.floats(0, 1e9)


@given(kinds, st.integers(1, 40), st.floats(0, 1, exclude_max=True), waits, st.booleans())
def test_waits_are_bounded_and_honour_retry_after(
    kind: Kind, attempt: int, luck: float, asked: float | None, near: bool
) -> None:
    seconds = delay(Failure(kind, "x", retry_after=asked), attempt, luck, near=near)
    assert 0 < seconds <= MOST_SECONDS
    if asked is not None:
        assert seconds >= min(asked, MOST_SECONDS)


def test_waits_grow_and_spread() -> None:
    busy = Failure("server-error", "x")
    grown = [delay(busy, attempt, 0.5, near=False) for attempt in range(1, 5)]
    assert grown == sorted(set(grown))
    assert delay(busy, 2, 0.0, near=False) < delay(busy, 2, 0.9, near=False)
    slow = Failure("timeout", "x")
    assert delay(slow, 1, 0.0, near=True) >= 5
    assert delay(slow, 1, 0.0, near=True) > delay(slow, 1, 0.0, near=False)


def test_a_budget_counts_what_is_reserved() -> None:
    budget = Budget(
        Limits(max_tokens=1000, max_calls=5), clock=lambda: 0.0, price=Price(Fraction(1), Fraction(2))
    )
    assert budget.grant(600, again=False) is None
    assert budget.grant(600, again=False) == "max-tokens (1,000) would be crossed after 600"
    budget.settle(600, Tokens(100, 50), read_guess=400, seconds=1.0)
    assert budget.grant(600, again=True) is None
    budget.settle(600, Tokens(None, None), read_guess=300, seconds=1.0)
    used = budget.usage({})
    assert (used.calls, used.retries, used.tokens_in, used.tokens_out) == (2, 1, 400, 50)
    assert used.cost == Fraction(400 + 100, 1_000_000)


def test_no_limit_is_no_limit() -> None:
    budget = Budget(Limits(), clock=lambda: 0.0)
    assert all(budget.grant(10**9, again=False) is None for _ in range(100))
    assert budget.left() is None
    assert budget.usage({}).cost is None
