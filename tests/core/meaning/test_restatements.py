"""Both bars on pairs of our own: at most one change of meaning in a hundred let in, one restatement in ten refused."""

from __future__ import annotations

import pytest

from tests.core.meaning.held_out import Pair, judged, pairs

PAIRS = list(pairs())


@pytest.mark.parametrize(
    "pair", [pair for pair in PAIRS if not pair.same], ids=lambda pair: f"{pair.kind}-{pair.language}"
)
def test_a_change_of_meaning_is_refused(pair: Pair) -> None:
    accepted, _ = judged(pair)
    assert not accepted, (pair.sources, pair.text)


def test_nine_restatements_in_ten_are_accepted_in_every_language() -> None:
    by_language: dict[str, list[bool]] = {}
    for pair in PAIRS:
        if pair.same:
            by_language.setdefault(pair.language, []).append(judged(pair)[0])
    assert len(by_language) >= 10
    refused = sum(not accepted for found in by_language.values() for accepted in found)
    assert refused <= sum(map(len, by_language.values())) * 0.1
