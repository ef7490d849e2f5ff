"""One command, many stores: each in a process of its own, with a line and an exit code of its own."""

from __future__ import annotations

import inspect
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from dataclasses import fields
from pathlib import Path

import pytest

from nocturne.cli import nights, sleep
from tests.e2e.conftest import COMMAND, NIGHT, Run
from tests.e2e.test_nights import cautious, ingest
from tests.e2e.test_servers import asking
from tests.llm.serving import Asked, Said, serving

LATER = "2026-03-20T02:00:00Z"


def copied(store: Path, *names: str) -> None:
    for name in names:
        Path(name).parent.mkdir(exist_ok=True)
        shutil.copy(store, name)


def spoilt(store: Path, name: str) -> None:
    """A store whose header is whole and whose pages are not."""
    data = bytearray(store.read_bytes())
    data[4096:] = b"\x5a" * (len(data) - 4096)
    Path(name).write_bytes(data)


def left_running(word: str) -> list[str]:
    told = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in told.splitlines() if word in line and "nocturne" in line]


def test_one_that_fails_stops_no_other(ingested: Path, installed: Run, run: Run) -> None:
    copied(ingested, "b.db")
    spoilt(ingested, "bad.db")
    stores = ["a.db", "bad.db", "none.db", "b.db"]
    done = installed("sleep", *(word for name in stores for word in ("--db", name)), code=5)
    lines = {line.split()[0]: line for line in done.out.splitlines() if line.split()[0] in stores}
    assert done.out.splitlines()[-1].startswith("4 stores in ")
    ends = " ".join(done.out.splitlines()[-1].split(": ", 1)[1].split())
    assert ends == "2 done, 1 with exit 3, 1 with exit 5 exit 5"
    for name in ("a.db", "b.db"):
        assert "44 accepted, 4 refused, 30 facts active, s2 → s14" in lines[name]
        assert lines[name].endswith("exit 0")
        assert run("log", "--db", name, "--json").data[0]["id"] == "s14"
    assert "error: bad.db is damaged" in lines["bad.db"]
    assert lines["bad.db"].endswith("exit 5")
    assert "error: none.db does not exist" in lines["none.db"]
    assert lines["none.db"].endswith("exit 3")
    assert "hint:  Only ingest and init create a store." in done.out
    assert done.err == ""
    assert all(len(line) <= 80 for line in done.out.splitlines())


def test_each_night_is_the_one_that_it_would_have_had_alone(ingested: Path, run: Run) -> None:
    copied(ingested, "b.db", "c.db")
    words = ("--policy", "tiny", "--allow-loss", "--pass", "forget", "--pass", "promote", "--now", LATER)
    alone = run("sleep", "--db", "c.db", "--json", *words).data
    assert alone["policy"] == "tiny"
    assert alone["forgotten"]
    both = run("--json", "--db", "b.db", "--db", "a.db", "sleep", *words)
    assert [entry["db"] for entry in both.data["stores"]] == ["b.db", "a.db"]
    assert [entry["report"] for entry in both.data["stores"]] == [alone, alone]
    command = run("log", "--db", "a.db", "--json").data[0]["command"]
    assert command.startswith("nocturne sleep --db a.db --json")
    assert f"--now {LATER}" in command


def test_every_option_of_a_night_reaches_it_or_is_refused() -> None:
    options = set(inspect.signature(sleep.run).parameters) - {"shell"}
    assert {field.name for field in fields(nights.Asked)} == options
    source = inspect.getsource(nights._words) + inspect.getsource(nights._check)
    for name in options - {"jobs"}:
        assert f"asked.{name}" in source, name


def test_the_json_holds_every_store_in_the_order_given(ingested: Path, run: Run) -> None:
    spoilt(ingested, "bad.db")
    done = run("sleep", "--db", "none.db", "--db", "bad.db", "--db", "a.db", "--dry-run", "--json", code=5)
    assert set(done.data) == {"stores", "exit"}
    assert done.data["exit"] == 5
    missing, bad, good = done.data["stores"]
    assert missing == {
        "db": "none.db",
        "exit_code": 3,
        "report": None,
        "error": {"message": "none.db does not exist", "hint": "Only ingest and init create a store."},
    }
    assert (bad["db"], bad["exit_code"], bad["report"]) == ("bad.db", 5, None)
    assert "is damaged" in bad["error"]["message"]
    assert (good["db"], good["exit_code"], good["error"]) == ("a.db", 0, None)
    assert good["report"]["dry_run"] is True
    assert good["report"]["passes"][0]["rulings"]
    assert sorted(line.split(":")[0] for line in done.err.splitlines()) == ["bad.db", "none.db"]


def test_a_folder_stands_for_its_stores_by_name(slept: Path, run: Run) -> None:
    copied(slept, "agents/two.db", "agents/one.store", "agents/below.db")
    Path("agents/deeper").mkdir()
    Path("agents/below.db").rename("agents/deeper/below.db")
    Path("agents/notes.db").write_text("no database at all\n", encoding="utf-8")
    with sqlite3.connect("agents/other.db") as other:
        other.execute("CREATE TABLE mine (id)")
    other.close()
    kept = {name: Path(name).read_bytes() for name in ("agents/notes.db", "agents/other.db")}
    done = run("sleep", "--db", "agents", "--jobs", "1", "--json", "--dry-run")
    assert [entry["db"] for entry in done.data["stores"]] == ["agents/one.store", "agents/two.db"]
    assert all(Path(name).read_bytes() == data for name, data in kept.items())
    done = run("sleep", NOCTURNE_DB="agents")
    assert done.out.count("unchanged since s14, 30 facts active") == 2


def test_a_folder_without_a_store_says_so_and_the_others_go_on(ingested: Path, run: Run) -> None:
    Path("empty").mkdir()
    Path("papers").mkdir()
    Path("papers/note.txt").write_text("a note\n", encoding="utf-8")
    done = run("sleep", "--db", "empty", "--db", "papers", "--db", "a.db", "--quiet", code=3)
    assert "error: empty holds no nocturne store: it is empty" in done.out
    assert "error: papers holds no nocturne store, only one other entry" in " ".join(done.out.split())
    assert "3 stores in" in done.out
    assert not any(line.startswith("a.db") for line in done.out.splitlines())
    assert run("log", "--db", "a.db", "--json").data[0]["id"] == "s14"


def test_a_store_by_two_names_sleeps_once(slept: Path, run: Run) -> None:
    Path("link.db").symlink_to("a.db")
    twice = ("--db", "a.db", "--db", "./a.db", "--db", str(Path("a.db").resolve()), "--db", "link.db")
    done = run("sleep", *twice, "--json")
    assert [entry["db"] for entry in done.data["stores"]] == ["a.db"]
    assert "link.db is a.db by another name: it sleeps once" in done.err


def test_one_store_alone_is_told_as_ever(ingested: Path, run: Run) -> None:
    done = run("sleep", "--db", "a.db")
    assert done.out.startswith("policy default: ")
    assert "undo: nocturne restore s2" in done.out


@pytest.mark.parametrize("words", [("--plan", "p.json"), ("--record", "r.jsonl"), ("--replay", "r.jsonl")])
def test_one_file_cannot_hold_several_nights(words: tuple[str, str], ingested: Path, run: Run) -> None:
    copied(ingested, "b.db")
    done = run("sleep", "--db", "a.db", "--db", "b.db", *words, code=2)
    assert f"error: {words[0]} names one file" in done.err
    assert f"hint:  one store at a time: nocturne sleep --db STORE {words[0]} FILE" in done.err
    assert not Path(words[1]).exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--jobs", "0"), "--jobs"),
        (("--policy", "nope"), "there is no policy called nope"),
        (("--pass", "nope"), "no pass is called nope"),
        (("--provider", "replay"), "the provider is replay (command line)"),
    ],
)
def test_what_is_wrong_for_all_is_said_once(words: tuple[str, str], told: str, run: Run) -> None:
    done = run("sleep", "--db", "a.db", "--db", "b.db", *words, code=2)
    assert done.err.count("error: ") == 1
    assert told in done.err
    assert done.out == ""


@pytest.mark.parametrize(
    "words",
    [
        ("facts", "--db", "a.db", "--db", "b.db"),
        ("--db", "a.db", "--db", "b.db", "facts"),
        ("log", "--db", ""),
    ],
)
def test_other_commands_take_one_store(words: tuple[str, ...], ingested: Path, run: Run) -> None:
    done = run(*words, code=2)
    assert done.err.startswith("error: --db is ")


def test_a_pass_that_is_held_back_is_exit_1_and_a_provider_that_fails_is_exit_4(
    ingested: Path, run: Run
) -> None:
    Path("hard.toml").write_text('name = "hard"\nloss_budget = 0.01\n', encoding="utf-8")
    done = run("sleep", "--db", "a.db", "--db", "./a.db", "--policy", "hard.toml", "--pass", "forget", code=1)
    assert "refused whole: loss budget (--allow-loss lets it)" in done.out
    assert "1 with exit 1" in done.out
    nobody = ("--provider", "openai", "--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    Path("nocturne.toml").write_text("[provider]\nretries = 0\n", encoding="utf-8")
    copied(ingested, "b.db")
    done = run("sleep", "--db", "a.db", "--db", "b.db", *nobody, code=4)
    assert done.out.count("gave nothing usable for dedupe") == 2
    assert done.out.count("hint:  start the server, or give its --base-url") == 2
    assert "2 with exit 4" in done.out


@pytest.mark.slow
def test_a_store_that_another_holds_is_told_and_the_others_go_on(ingested: Path, run: Run) -> None:
    copied(ingested, "b.db")
    holder = sqlite3.connect("b.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        done = run("sleep", "--db", "b.db", "--db", "a.db", code=5)
    finally:
        holder.close()
    assert "error: b.db is locked by another process" in done.out
    assert "44 accepted" in done.out


def test_ctrl_c_keeps_what_is_done_and_leaves_nothing_running(tmp_path: Path, run: Run) -> None:
    run("init", "--db", "quiet.db")
    for name in ("long.db", "later.db"):
        ingest(run, *(f"I own a {thing}." for thing in ("canoe", "tent", "kettle")), name=name[:-3])
        Path("a.db").rename(name)
    thinking = threading.Event()

    def thinks(asked: Asked) -> Said:
        thinking.set()
        said = cautious(asked)
        said.wait = 20
        return said

    stores = [str(tmp_path.resolve() / name) for name in ("quiet.db", "long.db", "later.db")]
    with serving(thinks) as server:
        words = [str(COMMAND), "sleep", *asking(server)[:-2], "--json", "--jobs", "1"]
        with subprocess.Popen(
            [*words, *(word for store in stores for word in ("--db", store))],
            env={**os.environ, "NOCTURNE_NOW": NIGHT},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process:
            assert thinking.wait(30)
            os.killpg(process.pid, signal.SIGINT)  # what a terminal's Ctrl-C does
            out, err = process.communicate(timeout=15)
    assert process.returncode == 130
    assert left_running(str(tmp_path.resolve())) == []
    data = json.loads(out)
    assert data["exit"] == 130
    quiet, long, later = data["stores"]
    assert (quiet["exit_code"], quiet["report"]["unchanged_since"]) == (0, "s0")
    assert (long["exit_code"], long["report"]) == (130, None)
    assert long["error"]["message"].startswith("stopped; what was finished before is kept")
    assert (later["exit_code"], later["error"]["message"]) == (130, "stopped before it began")
    assert "Traceback" not in err
    assert err.splitlines()[-1].startswith("stopped: what was finished before is kept")
    for store in stores[1:]:
        run("audit", "--db", store)
        assert len(run("log", "--json", "--db", store).data) == 2


def test_it_starts_again_without_a_path_and_beside_a_folder_of_its_name(ingested: Path) -> None:
    copied(ingested, "b.db")
    Path("nocturne").mkdir()
    Path("nocturne/__main__.py").write_text("raise SystemExit('an impostor')\n", encoding="utf-8")
    Path("nocturne/__init__.py").write_text("", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-P", "-m", "nocturne", "sleep", "--db", "a.db", "--db", "b.db", "--dry-run"],
        env={"PATH": "", "HOME": str(Path.cwd()), "NOCTURNE_NOW": NIGHT},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("dry run: 44 accepted") == 2
