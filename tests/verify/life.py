"""A small store with a real life: made by the installed commands, so that every ruling in it was honestly judged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from nocturne.store import QuizRun, Reply, open_store

NOCTURNE = Path(sys.executable).with_name("nocturne")
SAID = (
    ("2026-01-05T09:00:00Z", "user", "I live in Tartu. I prefer short answers."),
    ("2026-01-05T09:02:00Z", "assistant", "Short answers it is."),
    ("2026-01-20T09:00:00Z", "user", "I prefer short answers."),
    ("2026-01-20T09:03:00Z", "user", "My stack is Rust and SQLite."),
    ("2026-02-10T09:00:00Z", "user", "I went for a walk on the bog trail."),
    ("2026-02-10T09:04:00Z", "user", "My locker code word is Heron."),
    ("2026-03-10T09:00:00Z", "user", "I live in Narva now. My stack is Rust, SQLite and Zig."),
)


def nocturne(folder: Path, *words: str, now: str = "2026-04-20T02:00:00Z") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NOCTURNE_NOW": now, "NO_COLOR": "1", "TERM": "dumb"}
    return subprocess.run(
        [str(NOCTURNE), "--db", "life.db", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def talk(path: Path, said: tuple[tuple[str, str, str], ...] = SAID) -> None:
    lines = [
        {"session": time[:10], "id": f"{path.stem}-{place}", "role": role, "text": text, "time": time}
        | ({"speaker": "Liis"} if role == "user" else {})
        for place, (time, role, text) in enumerate(said)
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")


def live(folder: Path) -> Path:
    """Ingest, a night, an access, a person's word, a purge, an undo: every covered table gets rows."""
    talk(folder / "talk.jsonl")
    for words in (
        ("ingest", "talk.jsonl"),
        ("sleep", "--allow-loss"),
        ("recall", "where does Liis live"),
        ("forget", "--match", "bog trail", "--yes"),
        ("purge", "--match", "Heron", "--yes"),
        ("restore", "s1"),
    ):
        done = nocturne(folder, *words)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
    with open_store(folder / "life.db") as store:
        store.record_quiz(QuizRun(1, 1, 5, 5, 1, 1, passed=True, report='{"asked":["Where?"]}'))
        store.journal(Reply(store.head().hash, "dedupe", 1, "f" * 64, "rules", '{"drop":[]}', 1))
    talk(folder / "later.jsonl", (("2026-04-01T09:00:00Z", "user", "I keep two goats."),))
    done = nocturne(folder, "ingest", "later.jsonl")
    assert done.returncode == 0, done.stderr
    return folder / "life.db"
