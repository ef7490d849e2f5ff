"""The bars on the labelled pairs of the corpus, where there is one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

CORPUS = os.environ.get("NOCTURNE_CORPUS")
pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(
        not CORPUS or not (Path(CORPUS) / "pairs").is_dir(), reason="NOCTURNE_CORPUS is not set"
    ),
]


def test_at_most_one_change_in_a_hundred_is_let_in_and_one_restatement_in_ten_refused() -> None:
    from tests.gauntlet import LOSSLESS, Tally, measure, rows

    total, lossless = Tally(), Tally()
    for (file, _), tally in measure(rows(Path(str(CORPUS)) / "pairs")).items():
        total.add(tally)
        if file in LOSSLESS:
            lossless.add(tally)
    assert total.refuse > 500
    assert total.let_through <= total.refuse * 0.01
    assert lossless.accept > 100
    assert lossless.accept - lossless.kept <= lossless.accept * 0.1
    assert total.seed_let_through > total.let_through
