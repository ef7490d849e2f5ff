"""Sleeps with servers that misbehave: a clear word, exit 4, and a store that is as it was."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from nocturne.cli.table import COMMANDS
from nocturne.passes import wire
from nocturne.store import SqliteStore, open_store
from tests.e2e.conftest import COMMAND, NIGHT, Run
from tests.llm.serving import Asked, Said, Server, chat, serving


def asking(server: Server) -> list[str]:
    return ["--provider", "openai", "--model", "tiny", "--base-url", server.url, "--jobs", "2"]


def pass_of(asked: Asked) -> str:
    found = re.search(r"one JSON object for: (\w+)\.", asked.user)
    assert found is not None
    return found[1]


def keys_of(asked: Asked) -> list[str]:
    return list(wire.SHAPES[pass_of(asked)])


def reply(asked: Asked, **lists: list[Any]) -> Said:
    return chat(json.dumps({"nonce": asked.nonce, **{key: [] for key in keys_of(asked)}, **lists}), asked)


def nothing_to_propose(asked: Asked) -> Said:
    return reply(asked)


def prose(asked: Asked) -> Said:
    return chat("I would merge some of these, but not all.", asked)


def blank(asked: Asked) -> Said:
    return chat("  \n", asked)


def half(asked: Asked) -> Said:
    return chat(f'{{"nonce":"{asked.nonce}","{keys_of(asked)[0]}":[{{"intoId":"m1"', asked)


def flood(asked: Asked) -> Said:
    entry = {"intoId": "m1", "fromIds": ["m2"], "mergedText": None, "reason": "again"}
    return reply(asked, **{keys_of(asked)[0]: [entry] * 10_000})


def endless(_: Asked) -> Said:
    def pieces() -> Iterator[bytes]:
        for _ in range(800):
            yield b" " * 65_536

    return Said(pieces())


def strangers(asked: Asked) -> Said:
    """Entries of the right shape about facts that nobody offered."""
    shapes: dict[str, dict[str, Any]] = {
        "drop": {"itemId": "m90001", "duplicateOf": "m90002"},
        "contradict": {"oldId": "m90001", "newId": "m90002"},
        "merge": {"intoId": "m90001", "fromIds": ["m90002"], "mergedText": None},
        "promote": {"itemId": "m90001", "toBlock": "human"},
        "schematise": {"memberIds": ["m90001", "m90002", "m90003"], "text": "Nobody knows."},
        "forget": {"itemId": "m90001", "policy": "stale"},
    }
    key = keys_of(asked)[0]
    return reply(asked, **{key: [{**shapes[key], "reason": "x"}]})


@contextmanager
def looking() -> Iterator[SqliteStore]:
    store = open_store(Path("a.db"), mode="readonly", now=0)
    try:
        yield store
    finally:
        store.close()


def whole(run: Run) -> None:
    """The store is as sound as every tool at hand can say."""
    with looking() as store:
        assert store.problems() == []
    if any(entry.name == "audit" for entry in COMMANDS):
        run("audit")


def contents() -> tuple[Any, Any]:
    with looking() as store:
        return store.head(), dict(store.state().facts)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.parametrize(
    ("behaviour", "told"),
    [
        (prose, "prose:"),
        (blank, "empty:"),
        (half, "broken-json:"),
        (flood, "flood: 10,000 proposals"),
        (endless, "too-large:"),
        (lambda _: Said(b"<html>Bad Gateway</html>", 502, {"content-type": "text/html"}), "server-error:"),
        (lambda _: Said(b'{"error": {"message": "no such key"}}', 401), "auth:"),
    ],
    ids=["prose", "blank", "half", "flood", "endless", "gateway", "key"],
)
def test_a_server_of_no_use_changes_nothing(run: Run, ingested: Path, behaviour: Any, told: str) -> None:
    before = contents()
    started = time.monotonic()
    with serving(behaviour) as server:
        done = run("sleep", *asking(server), code=4)
    assert time.monotonic() - started < 60
    assert told in done.err
    assert "hint:" in done.err
    assert len(done.err) < 2000
    assert contents() == before
    whole(run)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert peak < 600_000  # KiB, of the largest child so far


def test_facts_that_nobody_offered_are_refused_one_by_one(run: Run, ingested: Path) -> None:
    with serving(strangers) as server:
        report = run("sleep", *asking(server), "--json").data
        assert {pass_of(asked) for asked in server.posts} >= {"merge", "promote"}
    proposed = sum(entry["proposed"] for entry in report["passes"])
    assert proposed >= 2
    told = [r for entry in report["passes"] for r in entry["rulings"] if r["origin"] == "model"]
    assert [r["code"] for r in told] == ["N002"] * proposed
    whole(run)


def test_a_model_with_nothing_to_say_is_no_failure(run: Run, ingested: Path) -> None:
    with serving(nothing_to_propose) as server:
        report = run("sleep", *asking(server), "--json").data
    assert sum(entry["proposed"] for entry in report["passes"]) == 0
    whole(run)


def test_no_command_reaches_a_server_that_nobody_configured(run: Run, ingested: Path) -> None:
    with serving(nothing_to_propose) as server:
        environment = {"OPENAI_API_KEY": "sk-x", "OPENAI_BASE_URL": server.url}
        report = run("sleep", "--json", **environment).data
        run("ingest", "-", given="{}", code=None, **environment)
        run("facts", **environment)
        assert server.asked == []
    assert report["proposer"].startswith("rules")


def test_a_dry_run_with_a_model_writes_nothing_anywhere(run: Run, ingested: Path, tmp_path: Path) -> None:
    before = ingested.read_bytes()
    with serving(nothing_to_propose) as server:
        run("sleep", "--dry-run", *asking(server))
        assert server.posts
    assert ingested.read_bytes() == before
    assert not (tmp_path / "cache").exists()


def test_recorded_once_a_night_can_be_had_again_without_the_model(run: Run, ingested: Path) -> None:
    copy = Path("b.db")
    copy.write_bytes(ingested.read_bytes())
    with serving(strangers) as server:
        first = run("sleep", *asking(server), "--record", "kept.jsonl", "--json").data
    again = run("sleep", "--replay", "kept.jsonl", "--json", "--db", "b.db").data
    for one, other in zip(first["passes"], again["passes"], strict=True):
        assert [one[key] for key in ("name", "proposed", "accepted", "refused", "active")] == [
            other[key] for key in ("name", "proposed", "accepted", "refused", "active")
        ]


def test_a_replay_that_does_not_fit_says_what_differs(run: Run, ingested: Path) -> None:
    with serving(strangers) as server:
        run("sleep", "--dry-run", *asking(server), "--record", "kept.jsonl")
    rows = Path("kept.jsonl").read_text().splitlines()
    changed = [rows[0]]
    for row in map(json.loads, rows[1:]):
        row["request"][1] = row["request"][1].replace("text", "test")
        row["key"] = "0" * 64
        changed.append(json.dumps(row))
    Path("kept.jsonl").write_text("\n".join(changed))
    before = contents()
    done = run("sleep", "--replay", "kept.jsonl", code=4)
    assert "- data" in done.err
    assert "+ data" in done.err
    assert contents() == before


SERVER = """
import json, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers['content-length']))
        print('asked', flush=True)
        time.sleep(60)
    def log_message(self, *a):
        pass
server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


def test_kill_9_of_the_model_server_in_the_middle_of_a_sleep(run: Run, ingested: Path) -> None:
    before = contents()
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        url = f"http://127.0.0.1:{int(child.stdout.readline())}/v1"

        def shoot() -> None:
            assert child.stdout is not None
            child.stdout.readline()
            os.kill(child.pid, signal.SIGKILL)

        gun = threading.Thread(target=shoot)
        gun.start()
        done = run("sleep", "--provider", "openai", "--model", "tiny", "--base-url", url, code=4)
        gun.join()
    assert "unreachable:" in done.err or "disconnected:" in done.err
    assert contents() == before
    whole(run)
    run("sleep")
    whole(run)


def test_ctrl_c_while_a_model_thinks_leaves_the_store_whole(run: Run, ingested: Path) -> None:
    before = contents()
    asked = threading.Event()

    def thinks(_: Asked) -> Said:
        asked.set()
        return Said(b"{}", wait=20)

    with serving(thinks) as server:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("NOCTURNE_")}
        with subprocess.Popen(
            [str(COMMAND), "sleep", *asking(server)],
            env=environment | {"NOCTURNE_DB": "a.db", "NOCTURNE_NOW": NIGHT},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert asked.wait(30)
            process.send_signal(signal.SIGINT)
            started = time.monotonic()
            _, err = process.communicate(timeout=15)
            assert time.monotonic() - started < 5
    assert process.returncode == 130
    assert "stopped: what was finished before is kept" in err
    assert contents() == before
    whole(run)
