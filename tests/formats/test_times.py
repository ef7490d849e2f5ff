from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nocturne.core.instants import micros
from nocturne.formats.times import leading_time, parse_time

BERLIN = timezone(timedelta(hours=1))
NOON = 1_767_268_800_000_000  # 2026-01-01T12:00:00Z


@pytest.mark.parametrize(
    ("value", "expected", "assumed"),
    [
        ("2026-01-01T12:00:00Z", NOON, False),
        ("2026-01-01T12:00:00.000Z", NOON, False),
        ("2026-01-01T13:00:00+01:00", NOON, False),
        ("2026-01-01T13:00:00+0100", NOON, False),
        ("2026-01-01T04:00:00-08", NOON, False),
        ("2026-01-01 12:00 UTC", NOON, False),
        ("2026-01-01T12:00:00.123456Z", NOON + 123_456, False),
        ("2026-01-01T12:00:00.123456789Z", NOON + 123_456, False),
        ("2026-01-01T12:00:00,5Z", NOON + 500_000, False),
        ("2026-01-01T11:59:60Z", NOON - 1_000_000, False),
        ("2026-01-01T13:00:00", NOON, True),
        ("2026-01-01", NOON - 13 * 3_600_000_000, True),
        (1_767_268_800, NOON, False),
        (1_767_268_800.25, NOON + 250_000, False),
        (1_767_268_800_000, NOON, False),
        (1_767_268_800_000_123, NOON + 123, False),
        ("1767268800000000000", NOON, False),
        ("1767268800.5", NOON + 500_000, False),
        (0, 0, False),
        (-1, -1_000_000, False),
        (True, None, False),
        (None, None, False),
        ("yesterday", None, False),
        ("2026-13-01T00:00:00Z", None, False),
        ("2026-01-01T25:00:00Z", None, False),
        ("2026-01-01T00:00:00+99:00", None, False),
        (float("nan"), None, False),
        (float("inf"), None, False),
        (10**30, None, False),
        ({}, None, False),
        ([], None, False),
    ],
)
def test_native_times(value: object, expected: int | None, assumed: bool) -> None:
    assert parse_time(value, BERLIN) == (expected, assumed)


@given(st.datetimes(timezones=st.just(UTC)))
def test_iso_round_trip(moment: datetime) -> None:
    assert parse_time(moment.isoformat(), UTC) == (micros(moment), False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[2026-01-01T12:00Z] Post it.", NOON),
        ("[2026-01-01 13:00] Post it.", NOON),
        ("Post it [2026-01-01].", None),
        ("[2026-01-01]", None),
        ("[note] Post it.", None),
    ],
)
def test_a_time_before_the_first_word(text: str, expected: int | None) -> None:
    assert leading_time(text, BERLIN) == expected
