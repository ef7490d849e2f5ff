"""A large night forgets between its passes what it remembered of texts; a small one keeps it."""

from __future__ import annotations

import pytest

from nocturne.app import easing
from nocturne.app.lexicons import default_lexicon
from nocturne.core.text.analysis import analyse


@pytest.fixture(autouse=True)
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(easing, "LARGE", 10)
    analyse("The user drinks tea.", default_lexicon())


def test_a_small_night_keeps_what_it_read() -> None:
    easing.ease(9, texts=True)
    assert analyse.cache_info().currsize > 0


def test_a_large_night_forgets_it_between_passes() -> None:
    easing.ease(10)
    assert analyse.cache_info().currsize > 0
    easing.ease(10, texts=True)
    assert analyse.cache_info().currsize == 0


def test_where_memory_cannot_be_given_back_it_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctypes.CDLL", lambda _: object())
    easing._trim.cache_clear()
    easing.ease(10)
    assert easing._trim() is None
    easing._trim.cache_clear()
