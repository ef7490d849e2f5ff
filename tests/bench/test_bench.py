"""The benchmark's own parts: made data is what it says, and a small run ends in a table."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from tests.bench import goals, sent
from tests.bench.child import Meter
from tests.bench.made import LONGEST, SHORTEST, dense, made
from tests.bench.outcome import Outcome, milliseconds, save, show, times
from tests.bench.told import told


def test_made_rows_are_what_their_labels_say() -> None:
    some = made(3_000)
    assert len(some.rows) == 3_000
    assert all(len(set(row)) == len(row) for row in some.rows)
    assert 0.12 < len(some.same) / 3_000 < 0.18
    assert 0.03 < len(some.swapped) / 3_000 < 0.07
    assert all(set(some.rows[first]) <= set(some.rows[again]) for first, again in some.same)
    for first, other in some.swapped:
        assert len(set(some.rows[first]) ^ set(some.rows[other])) == 2
        assert set(some.rows[first]) ^ set(some.rows[other]) <= set(some.names)
    assert made(200).rows == made(200).rows


def test_dense_rows_have_no_rare_token() -> None:
    rows = dense(500)
    assert {token for row in rows for token in row} == set(range(100))
    assert all(SHORTEST <= len(row) <= LONGEST for row in rows)


def test_told_sentences_say_the_same_exactly_where_their_slots_are_the_same() -> None:
    some = told(400, seed=5)
    by_text = {made.text: made.meaning for made in some}
    assert all(by_text[made.text] == made.meaning for made in some)
    assert len({made.meaning for made in some}) < len(some) - 20


def test_a_small_run_finds_the_naive_pairs(tmp_path: Path) -> None:
    sizes = goals.Sizes(tmp_path, 400, 800, 800, naive_step=1)
    first = next(iter(goals.exact_and_fast(sizes)))
    assert " identical" in first.note
    assert "NOT" not in first.note
    (new,) = goals.follows_what_is_new(goals.Sizes(tmp_path, 400, 800, 2_000, naive_step=1))
    assert "NOT" not in new.note


def test_a_small_store_sends_what_is_new_and_then_nothing() -> None:
    found = sent.nights(Meter(), count=200, new=10)
    assert 0 < found["tokens"] < found["first"] * 190 / 4
    assert set(found["passes"]) >= {"promote"}
    assert found["quiet"] == 0
    texts = sent.sentences(200)
    assert len(texts) == 200
    assert all(text.startswith("The user noted ") for text in texts)


ROW = Outcome(3, "join of 10 facts", "1.0 ms", "2.0 ms at 1", "0.500×", "≤ 20×", held=True, note="a note")


@pytest.mark.parametrize("width", [60, 160])
def test_every_figure_is_shown_at_any_width(width: int) -> None:
    written = io.StringIO()
    show([ROW], Console(width=width, file=written))
    text = " ".join(written.getvalue().split())
    for figure in ("join of 10 facts", "1.0 ms", "2.0 ms at 1", "0.500×", "≤ 20×", "yes", "a note"):
        assert figure in text


def test_rows_are_saved_as_json(tmp_path: Path) -> None:
    save([ROW], tmp_path / "rows.json")
    (row,) = json.loads((tmp_path / "rows.json").read_text(encoding="utf-8"))
    assert (row["goal"], row["held"], row["ours"]) == (3, True, "1.0 ms")


def test_figures_read_well() -> None:
    assert (milliseconds(0.0123), milliseconds(2.5)) == ("12.3 ms", "2.50 s")
    assert (times(5, 2), times(1, 4), times(5000, 2)) == ("2.5×", "0.250×", "2,500×")
