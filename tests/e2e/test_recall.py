"""``nocturne recall`` as a person and as a program runs it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from tests.e2e.conftest import NIGHT, Run


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_one_query_for_a_person(run: Run, slept: Path) -> None:
    done = run("recall", "where does Dana live", "--explain")
    first = done.out.splitlines()
    assert "Porto" in first[0]
    assert "relevance 1.000 · strength 1.000 · identity ×1" in first[1]
    assert "next: nocturne why m" in done.out
    assert max(map(len, first)) <= 80


def test_one_query_for_a_program(run: Run, slept: Path) -> None:
    data = run("recall", "run along the river", "--intent", "tasks", "--top", "2", "--json").data
    assert len(data["hits"]) == 2
    assert data["recorded"] is True
    hit = data["hits"][0]
    assert hit["factors"]["category_boost"] == 1.2
    assert hit["score"] == pytest.approx(hit["factors"]["relevance"] * hit["factors"]["strength"] * 1.2)
    assert hit["turns"]


def test_many_queries_as_lines(run: Run, slept: Path) -> None:
    given = '{"id": "a", "query": "penicillin"}\n\n{"id": 7, "query": "zeppelin"}\n'
    one, two = lines(run("recall", given=given).out)
    assert (one["id"], two["id"]) == ("a", 7)
    assert two["hits"] == []
    (hit,) = one["hits"]  # type: ignore[misc]  # a list, by the shape
    assert set(hit) == {"fact", "text", "score", "factors", "turns"}


@pytest.mark.parametrize("given", ["nonsense\n", '{"id": 1}\n', "[1]\n", '{"query": 3}\n', "[" * 90_000])
def test_a_bad_line_is_named(run: Run, slept: Path, given: str) -> None:
    done = run("recall", given=given, code=3)
    assert "stdin line 1" in done.err
    assert done.out == ""


def test_an_access_is_recorded_unless_it_is_only_looked_at(run: Run, slept: Path) -> None:
    for words in (["--read-only"], ["--at", "s1"], ["--as-of", "2026-03-01"]):
        before = slept.read_bytes()
        assert run("recall", "penicillin", *words, "--json").data["recorded"] is False
        assert slept.read_bytes() == before
    run("recall", "penicillin", "--now", "2026-04-19T02:00:00Z")
    data = run("recall", "penicillin", "--json", "--now", "2026-04-19T02:00:00Z").data
    assert (
        data["hits"][0]["factors"]["strength"]
        > run("recall", "phone", "--read-only", "--json", "--now", "2026-04-19T02:00:00Z").data["hits"][0][
            "factors"
        ]["strength"]
    )
    assert run("audit").code == 0


def test_what_was_true_then(run: Run, slept: Path) -> None:
    texts = [
        hit["text"] for hit in run("recall", "Dana live", "--as-of", "2026-02-10", "--json").data["hits"]
    ]
    assert "Dana lives in Lisbon." in texts or any("Lisbon" in text for text in texts)
    now = [hit["text"] for hit in run("recall", "Dana live", "--json").data["hits"]]
    assert not any("Lisbon" in text for text in now)


def test_a_locked_store_answers_and_says_so(run: Run, slept: Path) -> None:
    holder = sqlite3.connect(slept, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    done = run("recall", "penicillin")
    holder.execute("ROLLBACK")
    holder.close()
    assert "penicillin" in done.out
    assert "the access was not recorded" in done.err


def test_recent_turns_from_a_file(run: Run, slept: Path) -> None:
    Path("recent.txt").write_text("the billing schema\nwhat did we say of the river run?\n", encoding="utf-8")
    found = run("recall", "Marco", "--context", "recent.txt", "--json", "--read-only").data["hits"]
    assert any("river" in hit["text"] for hit in found)
    assert "Marco" in found[0]["text"]
    assert run("recall", "Marco", "--context", "absent.txt", code=3).err.startswith("error: absent.txt")


def test_what_faded_is_counted(run: Run, slept: Path) -> None:
    done = run("recall", "knee fine", "--now", "2027-03-19T02:00:00Z")
    assert "nothing found." in done.out
    assert "has faded from recall: nocturne facts --faded" in done.out
    assert NIGHT < "2027"
