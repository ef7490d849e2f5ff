"""Prove and forget from the command line: quiz, ask, audit, forget, purge, why."""

from __future__ import annotations

import json
import sqlite3
import xml.etree.ElementTree as ET
from pathlib import Path

from tests.e2e.conftest import DEMO, Run
from tests.e2e.test_main_job import content, facts_of


def names(facts: dict[str, str], words: str) -> str:
    (found,) = [name for name, text in facts.items() if words in text]
    return found


def test_a_quiz_says_how_it_went_and_is_kept(run: Run, slept: Path) -> None:
    out = run("quiz", "--baseline", "s2").out
    assert "were answerable at s2" in out
    assert "absent from the store · said absent · nothing leaked" in out
    assert out.rstrip().endswith("passes")
    assert max(map(len, out.splitlines())) <= 80
    with sqlite3.connect(slept) as link:
        (row,) = link.execute("SELECT snapshot, baseline, passed FROM quiz_runs").fetchall()
    assert row == (14, 2, 1)
    assert run("audit", "--json").data["ok"] is True


def test_a_quiz_is_the_same_for_a_seed_and_leaves_nothing_on_request(run: Run, slept: Path) -> None:
    before = content(slept)
    first = run("quiz", "--seed", "4", "--no-record", "--json").data
    assert run("quiz", "--seed", "4", "--no-record", "--json").data == first
    assert content(slept) == before
    assert (first["recall"]["asked"], first["exit"]) == (5, 0)


def test_a_quiz_of_a_store_where_nothing_was_forgotten(run: Run, ingested: Path) -> None:
    assert "nothing to probe" in run("quiz", "-n", "2").out
    failed = run("quiz", "-n", "2", "--require-forgotten", code=1)
    assert "fails: nothing to probe" in failed.out


def test_a_contract_and_junit_for_ci(run: Run, slept: Path) -> None:
    Path("memory.toml").write_text(
        '[[expectation]]\nexpect = "contains"\nquestion = "What is Dana allergic to?"\ntext = "penicillin"\n'
        '[[expectation]]\nexpect = "absent"\nquestion = "Where does Dana live?"\ntext = "Madrid"\n',
        encoding="utf-8",
    )
    run("quiz", "--questions", "0", "--contract", "memory.toml", "--junit", "out.xml")
    root = ET.parse("out.xml").getroot()
    assert (root.get("tests"), root.get("failures")) == ("2", "0")
    wrong = [{"expect": "absent", "question": "Where does Dana live?", "text": "Porto"}]
    Path("wrong.json").write_text(json.dumps({"expectations": wrong}), encoding="utf-8")
    failed = run("quiz", "--contract", "wrong.json", "--junit", "out.xml", code=1)
    assert "1 of 1 expectations do not hold" in failed.out
    suites = {suite.get("name"): suite.get("failures") for suite in ET.parse("out.xml").getroot()}
    assert suites == {
        "nocturne quiz: recall": "0",
        "nocturne quiz: forgotten": "0",
        "nocturne quiz: contract": "1",
    }


def test_a_contract_that_cannot_be_read_says_where(run: Run, slept: Path) -> None:
    Path("bad.toml").write_text('[[expectation]]\nexpect = "maybe"\nquestion = "?"\ntext = "x"\n')
    assert "expectation 1 expects 'maybe'" in run("quiz", "--contract", "bad.toml", code=3).err
    Path("empty.toml").write_text("")
    assert "holds no expectation" in run("quiz", "--contract", "empty.toml", code=3).err
    assert "asks nothing" in run("quiz", "--questions", "0", code=2).err


def test_ask_cites_facts_with_dates_or_says_that_it_has_none(run: Run, slept: Path) -> None:
    before = content(slept)
    out = run("ask", "what is Dana allergic to?").out
    assert "penicillin" in out
    assert "said 2026-03-18" in out
    assert "not in memory" in run("ask", "does Dana own a submarine?").out
    assert "Lisbon" in run("ask", "where does Dana live?", "--as-of", "2026-02-01").out
    assert "Lisbon" not in run("ask", "where does Dana live?").out
    said = run("ask", "where does Ngozi live?", "--json").data
    assert said["found"] is True
    assert all("Ngozi" in fact["text"] for fact in said["facts"])
    assert content(slept) == before


def test_audit_from_a_snapshot_and_against_a_head(run: Run, slept: Path) -> None:
    head = run("log", "--head").out.strip()
    run("quiz", "-n", "1", code=None)
    run("restore", "s2")
    told = run("audit", "--expect-head", head)
    assert "past the expected head" in told.out
    assert told.out.rstrip().endswith("0 problems")
    assert run("audit", "--since", "s10", "--json").data["since"] == "s10"
    failed = run("audit", "--expect-head", "0" * 64, code=1)
    assert "cut off or rewritten" in failed.out
    assert "no head of a chain" in run("audit", "--expect-head", "xyz", code=2).err


def test_forget_asks_first_and_only_on_a_terminal(run: Run, slept: Path) -> None:
    fact = names(facts_of(run), "penicillin")
    before = content(slept)
    assert "nobody can answer here" in run("forget", fact, code=2).err
    shown = run("forget", fact, "--dry-run").out
    assert "penicillin" in shown
    assert content(slept) == before
    assert "nothing to forget" in run("forget", code=2).err
    assert "nothing says that" in run("forget", "--match", "zeppelin", "--yes").out


def test_forget_keeps_it_away_from_ingest_and_restore(run: Run, slept: Path) -> None:
    fact = names(facts_of(run), "penicillin")
    run("forget", fact, "--yes", "--receipt", "receipt.json", "--reason", "private")
    receipt = json.loads(Path("receipt.json").read_text(encoding="utf-8"))
    assert (receipt["what"], [each["id"] for each in receipt["facts"]]) == ("forget", [fact])
    assert "penicillin" not in json.dumps(receipt)
    assert fact not in facts_of(run)
    assert "--lift-tombstones" in run("restore", "s14").out
    line = {
        "session": "n",
        "id": "n1",
        "role": "user",
        "speaker": "Dana",
        "text": "I'm allergic to penicillin.",
    }
    Path("new.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert run("ingest", "new.jsonl", "--json").data["refused"] == {"N105": 1}
    quiz = run("quiz", "--json", code=None).data
    assert quiz["forgotten"]["probed"] == 1
    assert run("audit", "--json").data["ok"] is True
    assert "a person's word" in run("why", fact).out


def test_the_words_of_match_are_not_put_on_record(run: Run, slept: Path) -> None:
    run("forget", "--match", "penicillin", "--yes", "--quiet")
    assert run("log", "--json", "-n", "1").data[0]["command"] == "nocturne forget --match …"


def test_purge_leaves_no_byte_and_a_store_that_holds(run: Run, slept: Path) -> None:
    fact = names(facts_of(run), "555 0142")
    run("quiz", "-n", "40", code=None)
    done = run("purge", fact, "--yes", "--json").data
    assert done["rows"]["turns"] >= 1
    assert any("porto" in name for name in done["outside"])
    run("backup", "after.db")
    for file in Path().glob("a*.db*"):
        assert b"555 0142" not in file.read_bytes(), file
    told = run("audit").out
    assert "erased by mutation" in told
    assert "0 problems" in told
    again = Path("again")
    again.mkdir()
    for file in DEMO.glob("*porto.jsonl"):
        text = file.read_text(encoding="utf-8").replace('"porto', '"elsewhere')
        (again / file.name).write_text(text, encoding="utf-8")
    assert "not stored" in run("ingest", "again").out
    for file in Path().glob("a*.db*"):
        assert b"555 0142" not in file.read_bytes(), file


def test_why_down_shows_what_came_of_a_fact(run: Run, slept: Path) -> None:
    with sqlite3.connect(slept) as link:
        parent, child = link.execute(
            "SELECT parent, child FROM lineage WHERE role = 'merged-from' AND parent != child LIMIT 1"
        ).fetchone()
    out = run("why", f"m{parent}", "--down").out
    assert f"went into m{child}" in out.replace("\n", " ")
    tree = run("why", f"m{parent}", "--down", "--json").data["down"]
    assert tree[0]["fact"]["id"] == f"m{child}"
