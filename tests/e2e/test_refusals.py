"""What goes wrong in the field: one clear line each, the documented exit code, nothing written."""

from __future__ import annotations

import json
import select
import sqlite3
import subprocess
from pathlib import Path

import pytest

from tests.e2e.conftest import COMMAND, Run


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("ingest", "nowhere.jsonl"), 3, "nowhere.jsonl does not exist"),
        (("ingest", "empty-folder"), 3, "the directory is empty"),
        (("ingest", "picture.png"), 3, "not a transcript"),
        (("ingest", "cut.json"), 3, "the file is cut off"),
        (("ingest", "notes.jsonl", "--format", "telepathy"), 2, "unknown format"),
        (("ingest", "notes.jsonl", "--tz", "Mars/Base"), 2, "no time zone"),
        (("sleep",), 3, "a.db does not exist"),
        (("sleep", "--db", "notes.jsonl"), 3, "not a nocturne store"),
        (("facts", "--db", "other.db"), 3, "not a nocturne store"),
        (("facts", "--db", "empty-folder"), 3, "is a directory"),
        (("init", "--policy", "x"), 2, "no such option"),
        (("policy", "show", "strickt"), 2, "no policy called strickt"),
    ],
)
def test_bad_input_is_one_clear_line(words: tuple[str, ...], code: int, says: str, run: Run) -> None:
    Path("empty-folder").mkdir()
    Path("picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    Path("cut.json").write_text('[{"mapping": {"a": ', encoding="utf-8")
    Path("notes.jsonl").write_text('{"text": "I prefer tea."}\n', encoding="utf-8")
    with sqlite3.connect("other.db") as database:
        database.execute("CREATE TABLE t (x)")
    database.close()
    done = run(*words, code=code)
    assert done.out == ""
    assert done.err.startswith("error: ")
    assert says in done.err
    assert not Path("a.db").exists()


def test_a_mistyped_store_is_met_with_the_nearest(run: Run, ingested: Path) -> None:
    Path("nocturne.db").write_bytes(ingested.read_bytes())
    done = run("restore", "s1", "--db", "nocturn.db", code=3)
    assert "Did you mean nocturne.db?" in done.err
    assert not Path("nocturn.db").exists()


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("show", "m9999"), 3, "no fact m9999"),
        (("why", "m9999"), 3, "no fact m9999"),
        (("why", "banana"), 2, "'banana' is not a fact id"),
        (("diff", "s99"), 3, "no snapshot s99: there is s0 to s1"),
        (("restore", "latest~7"), 3, "no snapshot latest~7"),
        (("facts", "--at", "someday"), 2, "not a date or time"),
        (("facts", "--category", "weather"), 2, "one of identity"),
        (("sleep", "--policy", "wrong.toml"), 2, "forget.stale_day is not a key"),
        (("sleep", "--pass", "dream"), 2, "no pass is called dream"),
        (("sleep", "--provider", "replay"), 2, "needs a file"),
        (("apply", "wrong.toml"), 3, "not JSON"),
        (("apply", "nowhere.json"), 3, "nowhere.json"),
        (("backup", "a.db"), 2, "is there already"),
        (("explain", "N999"), 2, "no code N999"),
    ],
)
def test_an_unknown_name_leaves_the_store_alone(
    words: tuple[str, ...], code: int, says: str, run: Run, ingested: Path
) -> None:
    Path("wrong.toml").write_text("[forget]\nstale_day = 3\n", encoding="utf-8")
    before = ingested.read_bytes()
    done = run(*words, code=code)
    assert says in done.err
    assert done.out == ""
    assert ingested.read_bytes() == before


def test_a_store_of_a_newer_version_is_refused_by_name(run: Run, ingested: Path) -> None:
    with sqlite3.connect(ingested) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    done = run("facts", code=5)
    assert "99" in done.err


def test_a_locked_store_says_so(run: Run, ingested: Path) -> None:
    held = sqlite3.connect(ingested, isolation_level=None)
    held.execute("BEGIN IMMEDIATE")
    try:
        done = run("sleep", code=5)
        assert run("facts", "--json").data["count"] > 0
    finally:
        held.execute("ROLLBACK")
        held.close()
    assert "locked" in done.err


def test_a_damaged_store_is_exit_5(run: Run, ingested: Path) -> None:
    data = bytearray(ingested.read_bytes())
    data[4096 * 2 : 4096 * 6] = bytes(4096 * 4)
    ingested.write_bytes(data)
    done = run("doctor", code=5)
    assert "problem" in done.out or "damaged" in done.err


def test_one_unreadable_file_does_not_stop_the_others(run: Run) -> None:
    Path("good.jsonl").write_text(
        json.dumps({"session": "s", "id": "1", "role": "user", "text": "I prefer tea."}) + "\n",
        encoding="utf-8",
    )
    Path("bad.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    done = run("ingest", "good.jsonl", "bad.png", "--json", code=3)
    assert done.data["accepted"] == 1
    assert [bool(file["error"]) for file in done.data["files"]] == [False, True]


def test_gate_judges_a_line_at_a_time_and_outlives_malformed_ones(run: Run) -> None:
    meat = {"drop": {"text": "I do not eat meat."}, "keep": {"text": "I eat meat."}}
    ghent = {"drop": {"text": "I live in Ghent."}, "keep": {"text": "The user lives in Ghent."}}
    lines = [
        json.dumps({"id": 1, "pass": "dedupe", **meat}),
        "not json at all",
        json.dumps({"id": 3, "pass": "dedupe", **ghent}),
        json.dumps({"id": 4, "pass": "telepathy"}),
    ]
    done = run("gate", given="\n".join(lines) + "\n")
    verdicts = [json.loads(line) for line in done.out.splitlines()]
    assert [v["verdict"] for v in verdicts] == ["refused", "malformed", "accepted", "malformed"]
    assert verdicts[0]["code"] == "N203"
    assert run("gate", "--fail-on-refused", given=lines[0], code=1).out


def test_gate_answers_a_line_before_the_next_one_is_sent() -> None:
    asked = {
        "pass": "dedupe",
        "drop": {"text": "I live in Ghent."},
        "keep": {"text": "The user lives in Ghent."},
    }
    with subprocess.Popen([COMMAND, "gate"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as gate:
        assert gate.stdin is not None
        assert gate.stdout is not None
        for number in range(3):
            gate.stdin.write(json.dumps({"id": number, **asked}).encode() + b"\n\n")
            gate.stdin.flush()
            ready, _, _ = select.select([gate.stdout], [], [], 30)
            assert ready, "no verdict came while the next line was not yet sent"
            assert json.loads(gate.stdout.readline())["id"] == number
        gate.stdin.write(b" " * 200_000 + json.dumps({"id": "last", **asked}).encode())
        gate.stdin.close()
        assert json.loads(gate.stdout.read())["verdict"] == "accepted"


def test_gate_reads_what_is_json_and_nothing_else(run: Run) -> None:
    ghent = '"pass":"dedupe","drop":{"text":"I live in Ghent."},"keep":{"text":"The user lives in Ghent."}}'
    given = ['{"id":NaN,' + ghent, '{"id":1e999,' + ghent, '\ufeff{"id":2.5,' + ghent]
    done = run("gate", given="\n".join(given) + "\n")
    read = [json.loads(line) for line in done.out.splitlines()]
    assert [each["id"] for each in read] == [None, None, 2.5]
    assert [each["verdict"] for each in read] == ["malformed", "malformed", "accepted"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        ("log >&-", 0, ""),
        ("--version >&-", 0, ""),
        ("recall Dana <&-", 0, ""),
        ("gate <&-", 0, ""),
        ("log --db nope.db 2>&-", 3, ""),
        ("log >/dev/full", 5, "the answer could not be written: No space left on device"),
        (f"sleep --plan {'a' * 300}", 3, "File name too long"),
        (f"apply {'a' * 300}", 3, "File name too long"),
        (f"ingest {'a' * 300}", 3, "File name too long"),
    ],
)
def test_what_the_system_refuses_is_told_in_a_line(slept: Path, line: str, code: int, says: str) -> None:
    done = subprocess.run(
        f"{COMMAND} {line}", shell=True, capture_output=True, text=True, env={"NOCTURNE_DB": str(slept)}, check=False
    )
    assert done.returncode == code, done.stderr
    assert says in done.stderr
    assert "unexpected" not in done.stderr
    assert "Traceback" not in done.stderr


def test_no_colour_reaches_a_pipe(run: Run, slept: Path) -> None:
    for words in (("log",), ("diff", "s1"), ("facts",), ("--help",), ("policy", "list")):
        assert "\x1b" not in run(*words).out


@pytest.mark.parametrize(
    "words",
    [
        ("sleep", "--plan", "a.db"),
        ("sleep", "--plan", "a.db-wal"),
        ("sleep", "--record", "a.db"),
        ("export", "--out", "a.db"),
        ("ingest", "-", "--record", "a.db"),
    ],
)
def test_no_output_overwrites_a_store(run: Run, ingested: Path, words: tuple[str, ...]) -> None:
    before = ingested.read_bytes()
    done = run(*words, code=2)
    assert "would be overwritten" in done.err
    assert ingested.read_bytes() == before
