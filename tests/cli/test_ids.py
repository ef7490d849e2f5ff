from __future__ import annotations

import pytest

from nocturne.cli import ids
from nocturne.errors import UsageError


@pytest.mark.parametrize("text", ["m17", "m_17", "17", "M17", "m0017", " m17 "])
def test_a_fact_is_understood_in_every_form(text: str) -> None:
    assert ids.fact(text) == 17


@pytest.mark.parametrize("text", ["s10", "s0010", "10", "S_10"])
def test_a_snapshot_is_understood_in_every_form(text: str) -> None:
    assert ids.snapshot(text, lambda: 99) == 10


@pytest.mark.parametrize(("text", "number"), [("latest", 12), ("latest~2", 10), ("HEAD~12", 0), ("s0", 0)])
def test_latest_counts_back(text: str, number: int) -> None:
    assert ids.snapshot(text, lambda: 12) == number


@pytest.mark.parametrize("text", ["", "x17", "m", "m1.5", "m-1", "t4", "m1m2", "1" * 16])
def test_what_is_no_fact_is_refused_by_name(text: str) -> None:
    with pytest.raises(UsageError, match="not the id of a fact"):
        ids.fact(text)


@pytest.mark.parametrize("text", ["", "m3", "latest~", "latest~x", "yesterday"])
def test_what_is_no_snapshot_is_refused_by_name(text: str) -> None:
    with pytest.raises(UsageError, match="not the id of a snapshot"):
        ids.snapshot(text, lambda: 3)


def test_going_back_too_far_says_how_far_there_is() -> None:
    with pytest.raises(UsageError, match="the latest is s3"):
        ids.snapshot("latest~4", lambda: 3)
