"""Two commands and what follows from them: ingest, sleep, look, undo."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from tests.e2e.conftest import DEMO, Run

LINE = '{"session":"s","id":"%s","speaker":"Ana","role":"user","text":"%s","time":"2026-03-17T08:00:00Z"}\n'


def facts_of(run: Run, *words: str) -> dict[str, str]:
    blocks = run("facts", "--json", *words).data["blocks"]
    return {fact["id"]: fact["text"] for block in blocks for fact in block["facts"]}


def content(path: Path) -> tuple[bytes, bytes]:
    """A store's bytes, and those of the frames in its log."""
    log = path.with_name(path.name + "-wal")
    return path.read_bytes(), log.read_bytes() if log.exists() else b""


def test_ingest_says_what_it_read_and_what_to_do_next(run: Run) -> None:
    done = run("ingest", str(DEMO))
    assert "native ×6" in done.out
    assert "[secret:" in done.out
    assert done.out.rstrip().endswith("next: nocturne sleep --dry-run")
    assert Path("a.db").exists()


def test_the_same_bytes_twice_add_nothing(run: Run, ingested: Path) -> None:
    before = facts_of(run), run("log", "--json").data
    again = run("ingest", str(DEMO), "--json").data
    assert again["unchanged_since"] == "s1"
    assert again["snapshot"] is None
    assert (facts_of(run), run("log", "--json").data) == before


def test_a_grown_file_adds_only_its_tail(run: Run) -> None:
    chat = Path("chat.jsonl")
    chat.write_text(LINE % ("1", "My name is Ana Duarte."), encoding="utf-8")
    run("ingest", "chat.jsonl")
    chat.write_text(chat.read_text() + LINE % ("2", "I prefer tea."), encoding="utf-8")
    second = run("ingest", "chat.jsonl", "--json").data
    assert second["turns"] == {"human": 1}
    assert len(second["facts"]) == 1


def test_stdin_is_a_source(run: Run) -> None:
    done = run("ingest", "-", "--json", given=LINE % ("1", "I prefer tea."))
    assert done.data["turns"] == {"human": 1}


def test_a_dry_run_writes_nothing_at_all(run: Run, ingested: Path) -> None:
    before = content(ingested)
    dry = run("sleep", "--dry-run", "--json").data
    assert content(ingested) == before
    assert dry["dry_run"] is True
    assert dry["start"] is None
    assert sum(entry["accepted"] for entry in dry["passes"]) > 0


def test_a_night_and_its_table(run: Run, ingested: Path) -> None:
    out = run("sleep").out
    for name in ("dedupe", "contradict", "merge", "promote", "schematise", "forget"):
        assert f"\n  {name} " in out
    assert "undo: nocturne restore s2" in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_night_writes_a_snapshot_before_and_after_each_pass(run: Run, slept: Path) -> None:
    labels = [entry["label"] for entry in reversed(run("log", "--json", "--limit", "0").data)]
    assert labels[2] == "consolidation:start"
    assert labels[3:] == [
        f"pass:{name}:{when}"
        for name in ("dedupe", "contradict", "merge", "promote", "schematise", "forget")
        for when in ("before", "after")
    ]


def test_a_second_night_writes_nothing_and_says_since_when(run: Run, slept: Path) -> None:
    before = content(slept)
    out = run("sleep").out
    assert "unchanged since s14" in out
    assert content(slept) == before


def test_a_dry_run_foretells_the_night(run: Run, ingested: Path) -> None:
    told = run("sleep", "--dry-run", "--json").data
    done = run("sleep", "--json").data
    for planned, actual in zip(told["passes"], done["passes"], strict=True):
        assert {**planned, "snapshots": None} == {**actual, "snapshots": None}


def test_diff_names_pass_and_rule_for_what_went(run: Run, slept: Path) -> None:
    found = run("diff", "s1", "latest", "--json").data
    gone = [
        entry for entry in found["differences"] if entry["kind"] in ("forgotten", "superseded", "absorbed")
    ]
    assert gone
    assert all(entry["mutations"][-1]["rule"] for entry in gone)
    assert run("diff", "s1").out.startswith("s1 → s14")


def test_why_goes_down_to_the_words_that_were_said(run: Run, slept: Path) -> None:
    for number in facts_of(run):
        tree = run("why", number, "--json").data["tree"]
        assert quoted(tree), number


def quoted(tree: dict) -> bool:  # type: ignore[type-arg]  # JSON
    return bool(tree["quotes"]) or any(quoted(parent) for parent in tree["parents"])


def test_restore_is_exact_and_can_be_undone(run: Run, slept: Path) -> None:
    slept_facts, first = facts_of(run), facts_of(run, "--at", "s1")
    digest = {entry["id"]: entry["digest"] for entry in run("log", "--json", "--limit", "0").data}
    back = run("restore", "s1", "--json").data
    assert back["exact"] is True
    assert facts_of(run) == first
    assert run("log", "--json").data[0]["digest"] == digest["s1"]
    run("restore", "s14")
    assert facts_of(run) == slept_facts
    assert run("log", "--json").data[0]["digest"] == digest["s14"]


def test_restoring_what_is_there_writes_nothing(run: Run, slept: Path) -> None:
    before = content(slept)
    assert "unchanged" in run("restore", "latest").out
    assert content(slept) == before


def test_a_plan_is_applied_as_it_was_judged(run: Run, ingested: Path) -> None:
    planned = run("sleep", "--plan", "night.json", "--json").data
    applied = run("apply", "night.json", "--json").data
    assert applied["moved"] is False
    assert applied["otherwise"] == []
    assert applied["after"] == planned["after"]


def test_two_caps_give_different_and_explained_outcomes(run: Run, ingested: Path) -> None:
    usual = run("sleep", "--dry-run", "--json").data
    tiny = run("sleep", "--dry-run", "--policy", "tiny", "--json").data
    assert len(tiny["forgotten"]) > len(usual["forgotten"])
    rules = {
        r["rule"] for p in tiny["passes"] for r in p["rulings"] if r["kind"] == "forget" and r["accepted"]
    }
    assert "forget:capacity" in rules


def test_one_pass_alone(run: Run, ingested: Path) -> None:
    report = run("sleep", "--pass", "dedupe", "--json").data
    assert [entry["name"] for entry in report["passes"]] == ["dedupe"]


def test_exports_in_every_form(run: Run, slept: Path) -> None:
    active = facts_of(run)
    assert {fact["id"] for fact in run("export", "--form", "json").data["facts"]} <= set(active)
    lines = [json.loads(line) for line in run("export", "--form", "jsonl").out.splitlines()]
    assert lines
    assert all(line["text"] in active.values() for line in lines)
    run("export", "--form", "markdown", "--out", "MEMORY.md")
    assert "## About the person" in Path("MEMORY.md").read_text(encoding="utf-8")


def test_an_export_that_is_read_again_adds_no_fact(run: Run, slept: Path) -> None:
    context = run("export").out
    turn = {"session": "x", "id": "x1", "role": "user", "speaker": "Dana", "text": context}
    Path("again.jsonl").write_text(json.dumps(turn) + "\n", encoding="utf-8")
    assert run("ingest", "again.jsonl", "--json").data["accepted"] == 0


def test_an_auditor_with_the_sqlite_shell_sees_a_snapshot_whole(run: Run, slept: Path) -> None:
    with sqlite3.connect(slept) as database:
        rows = database.execute("SELECT * FROM snapshot_items WHERE snapshot_id = 's1'").fetchall()
    assert len(rows) == len(facts_of(run, "--at", "s1"))


def test_a_backup_is_a_store(run: Run, slept: Path) -> None:
    run("backup", "copy.db")
    assert run("facts", "--json", "--db", "copy.db").data == run("facts", "--json").data
    assert run("doctor", "--json", "--db", "copy.db").data["ok"] is True


def test_no_secret_is_in_the_file(run: Run, ingested: Path) -> None:
    assert b"AKIAIOSFODNN7EXAMPLE" not in ingested.read_bytes()


def test_init_makes_an_empty_store_once(run: Run) -> None:
    assert "empty at s0" in run("init").out
    assert "is there already" in run("init", code=2).err


def test_init_can_bring_the_demonstration(run: Run) -> None:
    assert run("init", "--demo", "--json").data["accepted"] > 10


def test_the_record_of_a_night_holds(run: Run, slept: Path) -> None:
    head = run("log", "--head").out.strip()
    found = run("audit", "--json", "--expect-head", head).data
    assert found["ok"] is True
    assert found["held"] == found["accepted"] > 30
    assert found["traced"] == run("facts", "--json").data["count"]
    assert "0 problems" in run("audit").out


@pytest.mark.parametrize(
    "tampering",
    [
        "UPDATE facts SET trust = 3 WHERE fact_id = 2",
        "UPDATE texts SET text = 'The user eats meat.' WHERE text LIKE '%eat meat%'",
        "DELETE FROM turns WHERE id = 1",
    ],
)
def test_a_change_behind_its_back_shows(tampering: str, run: Run, slept: Path) -> None:
    with sqlite3.connect(slept) as database:
        database.execute("PRAGMA foreign_keys = OFF")
        for (trigger,) in database.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger'"
        ).fetchall():
            database.execute(f'DROP TRIGGER "{trigger}"')
        changed = database.execute(tampering).rowcount
    database.close()
    assert changed > 0
    found = run("audit", "--json", code=1).data
    assert found["problems"]


def test_a_cut_off_end_shows_against_a_head_that_was_kept(run: Run, slept: Path, ingested: Path) -> None:
    assert run("audit", "--json").data["ok"] is True
    found = run("audit", "--json", "--expect-head", "0123456789", code=1).data
    assert [problem["where"] for problem in found["problems"]] == ["chain"]


def test_a_night_that_was_held_back_says_so_again_where_nothing_is_written(run: Run, ingested: Path) -> None:
    none = Path("none.toml")
    none.write_text("loss_budget = 0.0\n", encoding="utf-8")
    run("sleep", "--policy", "none.toml", code=1)
    for _ in range(2):
        last = run("sleep", "--policy", "none.toml", code=1).out
    assert "unchanged since" in last
    assert "held back    forget was refused whole: loss budget" in last


def test_capacity_says_how_many_protected_facts_stand_above_it(run: Run, ingested: Path) -> None:
    done = run("sleep", "--policy", "tiny", "--json").data
    left = len(facts_of(run))
    assert left > 6
    assert done["shortfall"] == left - 6


def test_a_time_that_was_guessed_or_could_not_be_read_is_told(run: Run) -> None:
    Path("times.jsonl").write_text(
        '{"role":"user","text":"I live in Ghent.","time":"soon"}\n'
        '{"role":"user","text":"I play the cello.","time":"2026-03-01 10:00"}\n',
        encoding="utf-8",
    )
    done = run("ingest", "times.jsonl", "--json").data
    assert done["noted"] == {"unreadable time": 1, "time without zone": 1}
