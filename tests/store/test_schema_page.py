"""SCHEMA.md is enough: a reading of it with SQLite and hashlib alone comes to the store's own hashes."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import nocturne.store

PAGE = (Path(nocturne.store.__file__).parent / "SCHEMA.md").read_text(encoding="utf-8")
DEFAULTS = {
    "layer": "episodic",
    "active": 1,
    "trust": 100,
    "pinned": 0,
    "namespace": "default",
    "originals": 1,
}


def dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def hashed(domain: int, content: bytes) -> str:
    return hashlib.sha256(bytes([domain]) + content).hexdigest()


@pytest.fixture
def shell(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    return connection


def entries(shell: sqlite3.Connection) -> list[dict[str, Any]]:
    found = []
    for row in shell.execute("SELECT * FROM ledger ORDER BY seq"):
        entry = {name: row[name] for name in row.keys() if row[name] is not None}  # noqa: SIM118 - a row is no dict
        found.append({**entry, **json.loads(entry.pop("more"))})
    return found


def test_the_chain(shell: sqlite3.Connection) -> None:
    before = "0" * 64
    for row in shell.execute("SELECT * FROM ledger ORDER BY seq"):
        content = dumps([row["seq"], before, *tuple(row)[2:-1], json.loads(row["more"])])
        assert hashed(1, content.encode()) == row["hash"]
        before = row["hash"]


def test_the_state_digest_of_every_snapshot(shell: sqlite3.Connection) -> None:
    facts: dict[int, dict[str, Any]] = {}
    spans: dict[int, set[tuple[int, ...]]] = {}
    seen = 0
    for entry in entries(shell):
        for fact, step in entry.get("changes", []):
            merged = {**facts.get(fact, {}), **step}
            facts[fact] = {
                name: value
                for name, value in merged.items()
                if value != DEFAULTS.get(name) or name == "recorded_at"
            }
        for fact, *span in entry.get("sourced", []):
            spans.setdefault(fact, set()).add(tuple(span))
        for fact, *span in entry.get("unsourced", []):
            spans[fact].remove(tuple(span))
        if entry["type"] == "snapshot":
            lanes = [0] * 1024
            for fact, columns in facts.items():
                leaf = b"\x03" + dumps([fact, columns, sorted(map(list, spans.get(fact, ())))]).encode()
                wide = hashlib.shake_128(leaf).digest(2048)
                for place in range(1024):
                    lanes[place] = (
                        lanes[place] + int.from_bytes(wide[2 * place : 2 * place + 2], "little")
                    ) % 65536
            total = b"".join(lane.to_bytes(2, "little") for lane in lanes)
            assert hashed(4, total) == entry["digest"]
            assert sum("active" not in columns for columns in facts.values()) == entry["active"]
            seen += 1
    assert seen == 7


def test_texts_turns_documents_and_running_hashes(shell: sqlite3.Connection) -> None:
    for row in shell.execute("SELECT * FROM texts"):
        assert hashed(2, row["salt"] + row["text"].encode()) == row["hash"]
    record = entries(shell)
    (batch,) = [entry["turns"] for entry in record if entry.get("kind") == "turns"]
    lines = [dumps(list(tuple(row)[:-1])) + "\n" for row in shell.execute("SELECT * FROM turns ORDER BY id")]
    assert hashed(5, "".join(lines).encode()) == batch["digest"]
    assert (batch["first"], batch["count"]) == (1, len(lines))
    for domain, table in ((6, "policies"), (7, "lexicons")):
        for row in shell.execute(f"SELECT * FROM {table}"):
            assert hashed(domain, row["json"].encode()) == row["digest"]
    secret = shell.execute("SELECT value FROM meta WHERE key = 'secret'").fetchone()[0]
    assert hashed(9, secret) == record[0]["secret"]
    for table in ("accesses", "quiz_runs"):
        running = "0" * 64
        for row in shell.execute(f"SELECT * FROM {table} ORDER BY id"):
            running = hashed(8, bytes.fromhex(running) + dumps([table, *tuple(row)]).encode())
        assert record[-1][table] == [shell.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0], running]
    stone = hmac.new(secret, b"\x0a" + b'["sugar","tea"]', hashlib.sha256).hexdigest()
    assert shell.execute("SELECT cause FROM tombstones WHERE key = ?", (stone,)).fetchone()[0] == "forget"


def test_every_table_and_column_is_on_the_page(shell: sqlite3.Connection) -> None:
    tables = [
        row[0]
        for row in shell.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")
        if not re.match(r"search_|sqlite_", row[0])
    ]
    assert len(tables) > 25
    for table in tables:
        assert f"`{table}`" in PAGE or f"## {table}:" in PAGE, table
    for table in (
        "ledger",
        "facts",
        "fact_sources",
        "lineage",
        "turns",
        "sources",
        "accesses",
        "quiz_runs",
        "meta",
    ):
        for row in shell.execute(f"PRAGMA table_info({table})"):
            if table != "meta" or row["name"] == "key":
                assert f"`{row['name']}`" in PAGE, (table, row["name"])


def test_a_current_version_is_leafed_in_normal_form(shell: sqlite3.Connection) -> None:
    lanes = shell.execute("SELECT value FROM meta WHERE key = 'lanes'").fetchone()[0]
    tail = json.loads(shell.execute("SELECT value FROM meta WHERE key = 'tail'").fetchone()[0])
    assert hashed(4, lanes) == tail["digest"] == entries(shell)[-1]["digest"]
