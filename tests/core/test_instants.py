"""Instants: ISO 8601 in and out, to the microsecond, and beyond the calendar."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nocturne.core.instants import from_iso, iso, moment_of


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("1970-01-01", 0),
        ("1970-01-01T00:00:00.000001Z", 1),
        ("1969-12-31T23:59:59", -1_000_000),
        ("2026-03-19T02:00:00+02:00", 1_773_878_400_000_000),
    ],
)
def test_text_without_a_zone_is_utc(text: str, instant: int) -> None:
    assert from_iso(text) == instant


def test_what_is_no_time_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="isoformat"):
        from_iso("yesterday")


@given(st.integers(min_value=-62_135_596_800_000_000, max_value=253_402_300_799_999_999))
def test_out_and_in_again(instant: int) -> None:
    assert from_iso(iso(instant) or "") == instant


def test_an_instant_that_no_calendar_reaches_is_told_as_a_number() -> None:
    assert moment_of(10**18) is None
    assert iso(10**18) == "1000000000000000000 µs"
    assert iso(None) is None
