from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nocturne.core import ids
from nocturne.errors import UsageError

numbers = st.integers(0, 2**63 - 1)


@pytest.mark.parametrize("text", ["m17", "m_17", "17", "M17", " m17 ", "m0017"])
def test_a_fact_as_people_type_it(text: str) -> None:
    assert ids.parse_fact(text) == 17


@pytest.mark.parametrize("text", ["s10", "s0010", "10", "s_10", "S10"])
def test_a_snapshot_as_people_type_it(text: str) -> None:
    assert ids.parse_snapshot(text) == 10


@pytest.mark.parametrize(("text", "back"), [("latest", 0), ("latest~2", 2), ("LATEST~0", 0)])
def test_the_latest_and_those_before_it(text: str, back: int) -> None:
    assert ids.parse_snapshot(text) == ids.Latest(back)


@pytest.mark.parametrize(
    "text",
    ["", "m", "s17", "m-1", "m1.5", "m17x", "١٧", "m 17", "9" * 19, "m" + "9" * 40, "17\n18", "latest"],
)
def test_what_is_no_fact(text: str) -> None:
    with pytest.raises(UsageError, match="is not a fact id") as caught:
        ids.parse_fact(text)
    assert caught.value.hint == "fact ids look like m17"


@pytest.mark.parametrize("text", ["m10", "latest~", "latest~x", "latest-1", "~1", "latest~99999999999"])
def test_what_is_no_snapshot(text: str) -> None:
    with pytest.raises(UsageError, match="is not a snapshot id"):
        ids.parse_snapshot(text)


def test_a_turn() -> None:
    assert ids.parse_turn("t41") == ids.parse_turn("41") == 41
    with pytest.raises(UsageError):
        ids.parse_turn("m41")


@given(numbers)
def test_names_come_back_as_their_numbers(number: int) -> None:
    assert ids.parse_fact(ids.fact_id(number)) == number
    assert ids.parse_snapshot(ids.snapshot_id(number)) == number
    assert ids.parse_turn(ids.turn_id(number)) == number


@given(st.text())
def test_any_text_is_a_number_or_a_usage_error(text: str) -> None:
    for parse in (ids.parse_fact, ids.parse_snapshot, ids.parse_turn):
        with suppress(UsageError):
            assert isinstance(parse(text), int | ids.Latest)
