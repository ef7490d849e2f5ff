"""A plan decided by a person: over a pipe, with a pause, under another policy."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from tests.e2e.conftest import Run
from tests.e2e.test_main_job import content, facts_of


def planned(run: Run) -> list[dict]:  # type: ignore[type-arg]  # JSON
    run("sleep", "--plan", "night.json", "--quiet")
    plan = json.loads(Path("night.json").read_text(encoding="utf-8"))
    return [entry for part in plan["passes"] for entry in part["entries"] if entry["verdict"] == "accepted"]


def answers(entries: list[dict], **by_kind: str) -> str:  # type: ignore[type-arg]  # JSON
    return "".join(by_kind.get(entry["proposal"]["kind"], "a") + "\n" for entry in entries)


def test_accepting_all_is_applying(run: Run, ingested: Path) -> None:
    planned(run)
    told = run("review", "night.json", "--yes", "--json", given="A\n").data
    assert told["applied"] is True
    assert told["rejected"] == []
    assert told["night"]["refusals"] == {}
    assert run("audit", "--json").data["ok"] is True
    assert not Path("night.json.review").exists()


def test_what_is_shown_of_a_proposal(run: Run, ingested: Path) -> None:
    entries = planned(run)
    out = run("review", "night.json", given="q\n").out
    assert f"1/{len(entries)}" in out
    assert "accepted by the gates" in out
    assert "goes" in out
    assert "“" in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_rejection_is_a_ruling_and_is_remembered(run: Run, ingested: Path) -> None:
    entries = planned(run)
    gone = [entry["proposal"]["fact"] for entry in entries if entry["proposal"]["kind"] == "drop"]
    assert gone
    run("review", "night.json", "--yes", given=answers(entries, drop="r they differ"))
    assert set(gone) <= set(facts_of(run))
    rulings = [row for row in run("diff", "s1", "--json").data["refused"] if row["code"] == "N401"]
    assert Counter(row["origin"] for row in rulings) == {"person": len(gone)}
    assert {row["reason"] for row in rulings} == {"they differ"}
    again = run("sleep", "--pass", "dedupe", "--json").data
    assert again["passes"][0]["accepted"] == again["passes"][0]["engine"] == 0
    assert set(gone) <= set(facts_of(run)), "what was rejected is not done by the engine either"
    assert run("audit", "--json").data["ok"] is True


def test_a_fact_that_is_not_to_be_forgotten_is_pinned(run: Run, ingested: Path) -> None:
    entries = planned(run)
    stale = [entry["proposal"]["fact"] for entry in entries if entry["proposal"]["kind"] == "forget"]
    assert stale
    run("review", "night.json", "--yes", given=answers(entries, forget="r"))
    assert set(stale) <= set(facts_of(run))
    assert run("show", stale[0], "--json").data["pinned"] is True
    run("sleep")
    assert set(stale) <= set(facts_of(run))


def test_only_a_fact_itself_that_is_rejected_gets_a_tombstone(run: Run, ingested: Path) -> None:
    import sqlite3

    entries = planned(run)
    fact = next(entry["proposal"]["fact"] for entry in entries if entry["proposal"]["kind"] == "promote")
    told = run("review", "night.json", "--yes", "--json", given=f"r\nf {fact}\nA\n").data
    assert told["forgotten"] == [fact]
    assert fact not in facts_of(run)
    with sqlite3.connect(ingested) as link:
        causes = {row[0] for row in link.execute("SELECT cause FROM tombstones")}
    assert causes == {"reject"}
    assert "--lift-tombstones" in run("restore", "s1").out


def test_quit_and_go_on(run: Run, ingested: Path) -> None:
    entries = planned(run)
    before = content(ingested)
    stopped = run("review", "night.json", given="a\nr\nq\n")
    assert f"left open {len(entries) - 2}" in stopped.out
    assert content(ingested) == before
    kept = json.loads(Path("night.json.review").read_text(encoding="utf-8"))
    assert sorted(kept["decisions"].values()) == ["accept", "reject"]
    again = run("review", "night.json", given="A\ny\n")
    assert "2 decided already" in " ".join(again.out.split())
    assert "rejected 1 proposal" in again.out


def test_skipped_proposals_are_left_open(run: Run, ingested: Path) -> None:
    entries = planned(run)
    told = run("review", "night.json", "--yes", "--json", given="s\n" * len(entries)).data
    assert (told["applied"], told["left"], told["night"]) == (True, len(entries), None)
    assert run("log", "--json").data[0]["id"] == "s1"


def test_back_takes_a_decision_back(run: Run, ingested: Path) -> None:
    planned(run)
    run("review", "night.json", given="r\nb\na\nq\n")
    kept = json.loads(Path("night.json.review").read_text(encoding="utf-8"))
    assert list(kept["decisions"].values()) == ["accept"]


def test_another_policy_judges_the_plan_again(run: Run, ingested: Path) -> None:
    entries = planned(run)
    forgets = sum(entry["proposal"]["kind"] == "forget" for entry in entries)
    out = run("review", "night.json", given="p archive\nq\n").out
    assert f"{len(entries) - forgets} proposals that hold" in out
    assert "policy archive" in out
    told = run("review", "night.json", "--yes", "--json", given="A\n").data
    assert told["policy"] == "archive"
    assert told["night"]["forgotten"] == []
    unknown = run("review", "night.json", given="p nonsense\nq\n", code=None)
    assert unknown.code in (0, 3)


def test_answers_that_are_none_are_told(run: Run, ingested: Path) -> None:
    planned(run)
    done = run("review", "night.json", given="maybe\nf m99999\nf x\n?\n")
    assert "'maybe' is no answer here" in done.err
    assert "no fact m99999" in done.err
    assert "reject it: your ruling" in done.out


def test_decisions_are_never_taken_for_another_plan(run: Run, ingested: Path) -> None:
    planned(run)
    run("review", "night.json", given="a\nq\n")
    planned_text = Path("night.json").read_text(encoding="utf-8")
    Path("night.json").write_text(planned_text.replace('"now"', ' "now"'), encoding="utf-8")
    assert "belongs to another plan" in run("review", "night.json", code=3).err
    Path("night.json.review").write_text("{}", encoding="utf-8")
    assert "no review of nocturne's" in run("review", "night.json", code=3).err


def test_a_plan_of_another_store_is_refused(run: Run, ingested: Path) -> None:
    planned(run)
    run("init", "--db", "other.db")
    assert "another store" in run("review", "night.json", "--db", "other.db", code=2).err
