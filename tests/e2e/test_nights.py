"""Nights with a model: a second try, what the next night asks, and how a night that broke off goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import COMMAND, NIGHT, Run
from tests.e2e.test_servers import asking, keys_of, pass_of, reply, whole
from tests.llm.serving import Asked, Said, serving

OWNED = ("canoe", "tent", "kettle", "lantern", "violin", "saddle")


def ingest(run: Run, *texts: str, name: str = "talk", day: str = "2026-03-18") -> None:
    rows = [
        {
            "session": name,
            "id": f"{name}{n}",
            "role": "user",
            "text": text,
            "time": f"{day}T09:{n:02}:00Z",
        }
        for n, text in enumerate(texts)
    ]
    Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    run("ingest", f"{name}.jsonl")


def candidates(asked: Asked) -> list[dict[str, Any]]:
    lines = asked.user.splitlines()
    if "<candidates>" not in lines:
        return []
    return [
        json.loads(line) for line in lines[lines.index("<candidates>") + 1 : lines.index("</candidates>")]
    ]


def data(asked: Asked) -> list[dict[str, Any]]:
    lines = asked.user.splitlines()
    return [json.loads(line) for line in lines[lines.index("<data>") + 1 : lines.index("</data>")]]


def cautious(asked: Asked) -> Said:
    """A model that keeps all pairs apart and proposes nothing else."""
    if "keep" not in keys_of(asked):
        return reply(asked)
    return reply(asked, keep=[{**pair, "reason": "not the same"} for pair in _ids(asked)])


def _ids(asked: Asked) -> list[dict[str, Any]]:
    return [
        {key: value for key, value in pair.items() if key.endswith(("Id", "Of"))}
        for pair in candidates(asked)
    ]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def invents_then(second: str | None) -> Callable[[Asked], Said]:
    """A merge with a word of its own; told so, ``second`` (None: the program's text)."""

    def behaves(asked: Asked) -> Said:
        if pass_of(asked) != "merge":
            return cautious(asked)
        text = second if "<refused>" in asked.user else "The user owns a canoe, a tent and a yacht."
        entries = [
            {"intoId": group["intoId"], "fromIds": group["fromIds"], "mergedText": text, "reason": "one list"}
            for group in candidates(asked)
        ]
        return reply(asked, merge=entries)

    return behaves


def test_what_was_refused_is_told_once_and_a_better_proposal_lands(run: Run) -> None:
    ingest(run, "I own a canoe.", "I own a tent.")
    with serving(invents_then(None)) as server:
        report = run("sleep", *asking(server), "--json").data
        merges = [asked for asked in server.posts if pass_of(asked) == "merge"]
    assert len(merges) == 2
    told = merges[1].user.split("<refused>")[1]
    assert '"code":"N101"' in told
    assert "not in the cited texts: yacht" in told
    (merge,) = [part for part in report["passes"] if part["name"] == "merge"]
    assert (merge["proposed"], merge["accepted"], merge["refused"]) == (2, 1, 1)
    assert (merge["again"], merge["mended"]) == (1, 1)
    assert [ruling["accepted"] for ruling in merge["rulings"]] == [False, True]
    texts = [fact["text"] for block in run("facts", "--json").data["blocks"] for fact in block["facts"]]
    assert texts == ["The user owns a canoe and a tent."]
    whole(run)


def test_a_second_try_is_the_last(run: Run) -> None:
    ingest(run, "I own a canoe.", "I own a tent.")
    with serving(invents_then("The user owns a canoe, a tent and a blimp.")) as server:
        done = run("sleep", *asking(server))
        assert sum(pass_of(asked) == "merge" for asked in server.posts) == 2
    assert "second try   1 proposed anew, 0 accepted" in done.out
    texts = [fact["text"] for block in run("facts", "--json").data["blocks"] for fact in block["facts"]]
    assert sorted(texts) == ["The user owns a canoe.", "The user owns a tent."]
    whole(run)


def test_the_next_night_asks_about_what_is_new_and_nothing_else(run: Run) -> None:
    ingest(run, *(f"I own a {thing}." for thing in OWNED))
    with serving(cautious) as server:
        done = run("sleep", *asking(server))
        assert f"model        {len(server.posts)} calls, " in done.out
        assert {pass_of(asked) for asked in server.posts} >= {"merge", "promote"}
        first = {entry["id"] for asked in server.posts for entry in data(asked)}
    assert len(first) == len(OWNED)
    with serving(cautious) as server:
        run("sleep", *asking(server), "--now", "2026-03-20T02:00:00Z")
        assert server.posts == []
    ingest(run, "I own a ladder.", name="later", day="2026-03-20")
    with serving(cautious) as server:
        run("sleep", *asking(server), "--now", "2026-03-21T02:00:00Z")
        groups = [group for asked in server.posts for group in candidates(asked)]
        promoted = [data(asked) for asked in server.posts if pass_of(asked) == "promote"]
        assert server.posts
    assert all("m7" in (group["intoId"], *group["fromIds"]) for group in groups)
    assert [[entry["id"] for entry in entries] for entries in promoted] == [["m7"]]


def test_what_only_the_rules_have_seen_a_model_is_asked_about(run: Run) -> None:
    ingest(
        run, "I painted the old garden shed with green oil.", "I painted the old garden shed after the storm."
    )
    run("sleep")
    with serving(cautious) as server:
        run("sleep", *asking(server), "--now", "2026-03-21T02:00:00Z")
        assert server.posts
    with serving(cautious) as server:
        run("sleep", *asking(server), "--now", "2026-03-22T02:00:00Z")
        assert server.posts == []


def test_a_fact_that_was_spared_is_asked_about_again_when_as_much_time_has_passed(run: Run) -> None:
    ingest(run, "We talked about the colour of the shed.", "I walked to the mill.", day="2026-03-10")
    days = {"2026-06-01": True, "2026-06-02": False, "2026-07-01": False, "2026-07-20": True}
    for day, expected in days.items():
        with serving(cautious) as server:
            run("sleep", *asking(server), "--pass", "forget", "--now", f"{day}T02:00:00Z")
            assert bool(server.posts) is expected, day


def pairs(count: int) -> list[str]:
    """Texts of which each second one says a little more than the one before."""
    made = []
    for n in range(count):
        kept = f"I keep the spare key number {n} of shed {n + 40} in the {OWNED[n % len(OWNED)]}"
        made += [f"{kept}.", f"{kept} box."]
    return made


@pytest.mark.parametrize(
    ("limit", "told"),
    [
        (["--max-calls", "1"], "max-calls"),
        (["--max-tokens", "1500"], "max-tokens"),
        (["--deadline", "0.6"], "deadline"),
    ],
    ids=["calls", "tokens", "deadline"],
)
def test_a_limit_leaves_the_rest_to_the_next_night(run: Run, limit: list[str], told: str) -> None:
    ingest(run, *pairs(5))
    Path("nocturne.toml").write_text('[provider]\nname = "openai"\nbatch = 2\njobs = 1\n', encoding="utf-8")

    def slow(asked: Asked) -> Said:
        said = cautious(asked)
        said.wait = 0.35
        return said

    with serving(slow) as server:
        done = run("sleep", *asking(server)[:-2], *limit, "--json")
        report = done.data
        first = [pair for asked in server.posts for pair in asked.pairs]
    dedupe = report["passes"][0]
    assert 0 < len(first) < 5
    assert dedupe["not_asked"] == 5 - len(first)
    assert f"provider: dedupe broke off: {told}" in done.err
    whole(run)
    with serving(cautious) as server:
        report = run("sleep", *asking(server), "--json", "--now", "2026-03-20T02:00:00Z").data
        second = [pair for asked in server.posts for pair in asked.pairs]
    assert all(part["not_asked"] == 0 for part in report["passes"])
    assert not set(first) & set(second)
    assert len(first) + len(second) <= 5
    whole(run)


def test_a_night_that_was_interrupted_goes_on_from_the_journal(run: Run) -> None:
    ingest(run, *pairs(5))
    Path("nocturne.toml").write_text('[provider]\nname = "openai"\nbatch = 1\njobs = 1\n', encoding="utf-8")
    third = threading.Event()
    counted: list[Asked] = []

    def thinks_longer_each_time(asked: Asked) -> Said:
        counted.append(asked)
        if len(counted) < 3:
            return cautious(asked)
        third.set()
        return Said(b"{}", wait=20)

    with serving(thinks_longer_each_time) as server:
        words = [str(COMMAND), "sleep", *asking(server)[:-2]]
        with subprocess.Popen(
            words,
            env={**os.environ, "NOCTURNE_DB": "a.db", "NOCTURNE_NOW": NIGHT},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert third.wait(30)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=15)
    assert process.returncode == 130
    assert "stopped: what was finished before is kept" in err
    whole(run)
    assert len(run("log", "--json").data) == 2  # the empty store, and the ingest
    answered = {pair for asked in counted[:2] for pair in asked.pairs}
    with serving(cautious) as server:
        report = run("sleep", *asking(server)[:-2], "--json").data
        later = {pair for asked in server.posts for pair in asked.pairs}
    assert len(answered) == 2
    assert len(later) == 3
    assert not answered & later
    # All five were judged this night: two of them by what was said before it broke off.
    assert report["passes"][0]["proposed"] == 5
    assert report["passes"][0]["not_asked"] == 0
    whole(run)


def test_a_second_try_is_recorded_and_can_be_had_again(run: Run) -> None:
    ingest(run, "I own a canoe.", "I own a tent.")
    Path("b.db").write_bytes(Path("a.db").read_bytes())
    with serving(invents_then(None)) as server:
        first = run("sleep", *asking(server), "--record", "kept.jsonl", "--json").data
    again = run("sleep", "--replay", "kept.jsonl", "--json", "--db", "b.db").data
    keys = ("name", "proposed", "accepted", "refused", "again", "mended", "active")
    for one, other in zip(first["passes"], again["passes"], strict=True):
        assert [one[key] for key in keys] == [other[key] for key in keys]
    assert sum(part["mended"] for part in again["passes"]) == 1


def test_what_was_held_back_is_asked_again(run: Run) -> None:
    ingest(run, "We talked about the colour of the shed.", "I walked to the mill.", day="2026-03-10")
    for day in ("2026-06-01", "2026-06-02"):
        report = run("sleep", "--json", "--now", f"{day}T02:00:00Z", code=1).data
        assert report["passes"][-1]["withheld"] == "N306"
    report = run("sleep", "--json", "--allow-loss", "--now", "2026-06-03T02:00:00Z").data
    assert len(report["forgotten"]) == 2


def test_a_dry_run_foresees_the_night(run: Run) -> None:
    ingest(run, *(f"I own a {thing}." for thing in OWNED), "I own a red canoe.")
    run("sleep")
    ingest(run, "I own a canoe.", "I own a ladder.", name="later", day="2026-03-20")
    words = ("sleep", "--json", "--now", "2026-03-21T02:00:00Z")
    foreseen, done = run(*words, "--dry-run").data, run(*words).data
    keys = ("name", "proposed", "accepted", "refused", "engine", "active")
    for one, other in zip(foreseen["passes"], done["passes"], strict=True):
        assert [one[key] for key in keys] == [other[key] for key in keys]
    whole(run)
