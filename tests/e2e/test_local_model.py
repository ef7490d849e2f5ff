"""A real model, no key, no hub: it reads, it proposes in every pass, and whatever it says, the record holds.

The model is small (135 million parameters) and often wrong; that is the test. It runs where the extra ``local``
is installed and the model is there: ``nocturne provider fetch-local``, or NOCTURNE_LOCAL_MODEL names a file.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from nocturne.app.config import user_dir
from nocturne.llm.local import SMOLLM2, models_dir
from nocturne.store import open_store
from tests.e2e.conftest import ROOT, Run

NAMED = os.environ.get("NOCTURNE_LOCAL_MODEL")
MODEL = Path(NAMED) if NAMED else models_dir(user_dir(os.environ, "data")) / SMOLLM2.file

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("xllamacpp") is None,
        reason="the engine xllamacpp is not installed: make local",
    ),
    pytest.mark.skipif(not MODEL.is_file(), reason=f"there is no model file {MODEL}: make local"),
]

TALK = [
    ("2026-01-04", "a", "I live in Lisbon and work best in the morning."),
    ("2026-01-04", "a", "I keep two greyhounds called Pixel and Byte."),
    ("2026-01-04", "a", "I drank coffee on the terrace before work."),
    ("2026-01-19", "b", "I live in Lisbon and work best in the morning."),
    ("2026-01-19", "b", "I never eat shellfish."),
    ("2026-01-19", "b", "I drank coffee on the terrace before lunch."),
    ("2026-02-11", "c", "I keep two greyhounds."),
    ("2026-02-11", "c", "My editor is Helix."),
    ("2026-02-11", "c", "I drank coffee on the terrace before the meeting."),
    ("2026-03-02", "d", "I moved to Porto in February."),
    ("2026-03-02", "d", "I live in Porto now."),
    ("2026-03-02", "d", "I do not like olives."),
]
PASSES = ("dedupe", "contradict", "merge", "promote", "schematise", "forget")

TOPICS = ("greyhounds", "coffee", "shellfish", "Helix", "olives", "Lisbon", "Porto", "morning")
HOMES = {"Lisbon", "Porto"}


def topics(text: str) -> set[str]:
    return {topic for topic in TOPICS if topic in text}


def no_meaning_changed(report: dict[str, Any], texts: dict[int, str]) -> None:
    """What was accepted brings only statements of one topic together; labelled by hand, not by a gate."""
    for ruling in (entry for part in report["passes"] for entry in part["rulings"] if entry["accepted"]):
        proposal = ruling["proposal"]
        match ruling["kind"]:
            case "drop":
                gone, kept = texts[proposal["fact"]], texts[proposal["duplicate_of"]]
                assert topics(gone) <= topics(kept), (gone, kept)
                assert ("not" in gone.split()) == ("not" in kept.split())
            case "contradict":
                old, new = texts[proposal["old"]], texts[proposal["new"]]
                assert "Lisbon" in old, (old, new)
                assert "Porto" in new, (old, new)
            case "merge":
                joined = [texts[id_] for id_ in (proposal["into"], *proposal["sources"])]
                text = ruling["evidence"]["text"]
                assert all(topics(one) & topics(joined[0]) for one in joined), joined
                assert topics(text) == set().union(*map(topics, joined)), (joined, text)
                assert not topics(text) >= HOMES, text
                texts[proposal["into"]] = text
            case "schematise":
                shown = [texts[id_] for id_ in proposal["members"]]
                assert set.intersection(*map(topics, shown)), shown


def talk(turns: int = len(TALK)) -> Path:
    rows = [
        {
            "session": session,
            "id": f"t{n}",
            "role": "user",
            "speaker": "Mira",
            "text": text,
            "time": f"{day}T09:{n:02}:00Z",
        }
        for n, (day, session, text) in enumerate(TALK[:turns])
    ]
    path = Path("talk.jsonl")
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def sound(run: Run) -> None:
    store = open_store(Path("a.db"), mode="readonly", now=0)
    try:
        assert store.problems() == []
    finally:
        store.close()
    run("audit")
    done = subprocess.run(
        [sys.executable, str(ROOT / "verify.py"), "--db", "a.db"], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def rulings() -> list[dict[str, Any]]:
    with sqlite3.connect("file:a.db?mode=ro", uri=True) as link:
        link.row_factory = sqlite3.Row
        rows = [dict(row) for row in link.execute("SELECT * FROM mutations WHERE pass <> 'ingest'")]
    link.close()
    return rows


def provenances() -> list[dict[str, Any]]:
    with sqlite3.connect("file:a.db?mode=ro", uri=True) as link:
        texts = [row[0] for row in link.execute("SELECT text FROM texts WHERE text LIKE '%\"provider\":%'")]
    link.close()
    return [found for found in map(json.loads, texts) if found.get("provider") == "local"]


def test_a_real_model_consolidates_and_the_record_holds(run: Run) -> None:
    run("ingest", str(talk()))
    before = {fact["id"]: fact["text"] for fact in facts(run)}
    started = time.monotonic()
    done = run("sleep", "--provider", "local", "--model", str(MODEL), "--json", code=None)
    assert time.monotonic() - started < 480
    assert done.code in (0, 1), done.err
    report = done.data
    assert [entry["name"] for entry in report["passes"]] == list(PASSES)
    no_meaning_changed(report, {int(id_[1:]): text for id_, text in before.items()})
    assert report["proposer"].startswith("local:")

    said = [row for row in rulings() if row["origin"] == "model"]
    assert len({row["pass"] for row in said}) >= 3  # it had its say in several passes
    where = provenances()
    assert where
    for found in where:
        assert found["host"].startswith("127.0.0.1:")
        assert len(found["prompt"]) == len(found["reply"]) == 64
        assert found["tokens_in"] > 100
        assert found["requested"] == found["honoured"] == "json_schema"

    after = facts(run, "--all")
    assert set(before) <= {fact["id"] for fact in after}  # nothing is deleted
    sound(run)
    wanted = {"Lisbon", "Porto", "Pixel", "Byte", "shellfish", "Helix", "olives"}
    kept = " ".join(fact["text"] for fact in after)
    assert all(word in kept for word in wanted)
    for text in (fact["text"] for fact in facts(run)):
        assert "likes olives" not in text
        assert not ("eats shellfish" in text and "never" not in text)
    assert not engines()

    again = run("sleep", "--provider", "local", "--model", str(MODEL), "--json", code=None)
    assert again.code in (0, 1)
    sound(run)


def facts(run: Run, *words: str) -> list[dict[str, Any]]:
    blocks = run("facts", "--json", *words).data["blocks"]
    return [fact for block in blocks for fact in block["facts"]]


def engines() -> list[str]:
    """Engine processes of this test's own that were left behind."""
    listed = subprocess.run(["ps", "-eo", "ppid,args"], check=True, capture_output=True, text=True).stdout
    mine = (f"{os.getpid()} ", "1 ")
    rows = [row.strip() for row in listed.splitlines() if "nocturne.llm.local_server" in row]
    return [row for row in rows if row.startswith(mine)]


def test_a_real_model_reads_turns_and_adds_nothing_of_its_own(run: Run) -> None:
    done = run("ingest", str(talk(4)), "--provider", "local", "--model", str(MODEL), "--json")
    said = " ".join(text for _, _, text in TALK[:4]).lower()
    for fact in facts(run):
        words = fact["text"].lower().rstrip(".").replace("the user", "i").split()
        assert [word for word in words if word.rstrip("s") not in said] == []
    assert len(done.data["facts"]) == len(facts(run))
    assert not engines()
    sound(run)


def test_a_real_model_is_ready_and_says_what_it_honours(run: Run) -> None:
    result = run("provider", "check", "--provider", "local", "--model", str(MODEL), "--json").data
    found = {probe["name"]: probe["state"] for probe in result["probes"]}
    assert found["format json_schema"] == found["context"] == found["started"] == "ok"
    assert not engines()
