"""The benchmark's own parts: made data is what it says, and a small run ends in a table."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from nocturne.app.auditing import audit
from nocturne.app.lexicons import default_lexicon
from nocturne.app.writing import Item, append
from nocturne.core.policy import Policy
from tests.bench import filtering, goals, nights, recalls, sent, stores, versions
from tests.bench.child import Meter
from tests.bench.made import LONGEST, SHORTEST, dense, made
from tests.bench.outcome import Outcome, milliseconds, save, show, times
from tests.bench.sizes import Sizes, Stores
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
    sizes = Sizes(tmp_path, 400, 800, 800, naive_step=1)
    first = next(iter(goals.exact_and_fast(sizes)))
    assert " identical" in first.note
    assert "NOT" not in first.note
    (new,) = goals.follows_what_is_new(Sizes(tmp_path, 400, 800, 2_000, naive_step=1))
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


def test_the_filter_judges_every_proposal_and_not_all_alike() -> None:
    found = filtering.filtered(Meter(), count=40)
    assert found["accepted"] + found["refused"] == 40
    assert found["accepted"] >= 10
    assert found["refused"] >= 10


def test_figures_read_well() -> None:
    assert (milliseconds(0.0123), milliseconds(2.5)) == ("12.3 ms", "2.50 s")
    assert (times(5, 2), times(1, 4), times(5000, 2)) == ("2.5×", "0.250×", "2,500×")


TINY = Stores(120, 200, 300, starts=1, queries=10, nights=8, nights_over=120, proposals=40, full=True)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Sizes:
    return Sizes(tmp_path_factory.mktemp("bench"), 400, 800, 800, naive_step=1, stores=TINY)


def test_a_built_store_is_what_writing_its_texts_makes_and_stands_up_to_an_audit(tiny: Sizes) -> None:
    lexicon = default_lexicon()
    with stores.opened(tiny.store(200)) as store:
        found = audit(store, lexicon=lexicon)
        facts = list(store.state().facts.values())
        rulings = list(store.mutations_of(1))
    assert found.problems == ()
    assert [fact.text for fact in facts] == sent.sentences(200)
    with stores.copied(tiny.store(200)) as copy, stores.opened(copy) as store:
        items = [Item(facts[0].text, facts[0].category)]
        written = append(
            store, "scratch", items, policy=Policy(), lexicon=lexicon, now=stores.NOW, command="bench"
        )
        (entry,) = [row for row in store.mutations_of(written.facts[0].id) if row.kind == "encode"]
    assert written.facts[0].sources[0].end == facts[0].sources[0].end
    assert [(row.rule, row.evidence) for row in rulings if row.kind == "encode"] == [
        (entry.rule, entry.evidence)
    ]


def test_a_copy_is_gone_afterwards_and_the_store_as_it_was(tiny: Sizes) -> None:
    path = Path(tiny.store(120))
    before = path.read_bytes()
    with stores.copied(str(path)) as copy, stores.opened(copy) as store:
        nights.night(store, stores.NOW, policy=Policy())
        assert store.head().snapshot > 1
    assert path.read_bytes() == before
    assert list(path.parent.glob("*.copy.db*")) == []


def test_both_ways_of_keeping_versions_come_to_the_same(tiny: Sizes) -> None:
    path = tiny.store(200)
    mine = versions.ours(Meter(), path=path, count=200, edits=6)
    theirs = versions.copies(Meter(), path=path, count=200, edits=6)
    assert mine["differences"] == theirs["differences"] == 8 * 6
    assert mine["exact"]
    assert mine["bytes"] > 0
    assert theirs["bytes"] > 9 * 200 * 100


def test_queries_hold_words_of_facts_hot_ones_among_them(tiny: Sizes) -> None:
    with stores.opened(tiny.store(300)) as store:
        asked = recalls.queries(store, 300, 10)
        said = {word for fact in store.state().facts.values() for word in fact.text.rstrip(".").split()}
    assert len(set(asked)) == 10
    assert {word for query in asked for word in query.split()} <= said - {"noted"}
    assert [len(query.split()) for query in asked[:9]] == [4] * 7 + [3] * 2


@pytest.mark.parametrize(
    ("number", "rows"), [(5, 2), (8, 5), (9, 1), (11, 2), (12, 3), (13, 2), (14, 5)], ids=str
)
def test_every_goal_over_whole_stores_comes_to_its_rows(tiny: Sizes, number: int, rows: int) -> None:
    found = list(dict(goals.GOALS)[number](tiny))
    assert [row.goal for row in found] == [number] * rows
    for row in found:
        assert "NOT" not in row.note
        assert row.ours not in {"", "did not end"}
    if number == 13:
        assert all(row.note.startswith("exit 0; ") and "promote" in row.note for row in found)
