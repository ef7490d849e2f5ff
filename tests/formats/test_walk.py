from __future__ import annotations

import json
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from nocturne.errors import InputUnreadable
from nocturne.formats import discover, read

FIXTURES = Path(__file__).parents[2] / "fixtures" / "transcripts"
LINE = json.dumps({"text": "I keep bees."}) + "\n"


def test_transcripts_are_found_in_a_fixed_order_and_the_rest_is_counted(tmp_path: Path) -> None:
    for name in ("b/two.jsonl", "a/one.jsonl", "a/z.txt", ".git/three.jsonl", "a/gone.jsonl.deleted.1"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(LINE, encoding="utf-8")
    (tmp_path / "a/z.txt").write_text("prose, no talk", encoding="utf-8")
    (tmp_path / "a/empty.jsonl").touch()
    (tmp_path / "a/picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "a/cut.json").write_text('[{"mapping": {}}, {"mapp', encoding="utf-8")
    found = discover(tmp_path)
    assert list(found) == [tmp_path / "a/one.jsonl", tmp_path / "b/two.jsonl"]
    assert found.skipped.counts == {
        "no transcript": 2,
        "empty": 1,
        "deleted session": 1,
        "damaged": 1,
    }
    assert found.skipped.examples["damaged"] == [str(tmp_path / "a/cut.json")]


def test_links_are_followed_once(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/one.jsonl").write_text(LINE, encoding="utf-8")
    (tmp_path / "a/loop").symlink_to(tmp_path)
    (tmp_path / "a/same.jsonl").symlink_to(tmp_path / "a/one.jsonl")
    (tmp_path / "a/broken.jsonl").symlink_to(tmp_path / "nowhere")
    found = discover(tmp_path)
    assert [path.name for path in found] == ["one.jsonl"]
    assert found.skipped.counts == {"the same file again": 1, "cannot be read": 1}


def test_a_file_is_its_own_transcript(tmp_path: Path) -> None:
    file = tmp_path / "one.txt"
    file.write_text("anything", encoding="utf-8")
    assert list(discover(file)) == [file]


@pytest.mark.parametrize(
    ("names", "message"),
    [([], "the directory is empty"), (["a.txt", "b.bin"], "no transcript among 2 files")],
)
def test_nothing_found_is_said(tmp_path: Path, names: list[str], message: str) -> None:
    for name in names:
        (tmp_path / name).write_text("prose", encoding="utf-8")
    with pytest.raises(InputUnreadable, match=message):
        discover(tmp_path)


def test_with_a_format_forced_prose_counts_too(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Notes\n\nUse tabs.\n", encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    found = discover(tmp_path, format="claude-memory")
    assert [path.name for path in found] == ["notes.md"]
    assert found.skipped.counts == {"no transcript": 1}


def test_a_missing_directory_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputUnreadable, match="does not exist"):
        discover(tmp_path / "none")


def test_an_opencode_storage_is_one_transcript() -> None:
    found = discover(FIXTURES)
    assert FIXTURES / "opencode" in found.paths
    assert not any("opencode/" in str(path.relative_to(FIXTURES)) for path in found)


def zipped(tmp_path: Path, members: dict[str, bytes]) -> Path:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def test_an_export_is_read_inside_its_zip_shard_by_shard(tmp_path: Path) -> None:
    conversations = json.loads((FIXTURES / "chatgpt.json").read_text(encoding="utf-8-sig"))
    path = zipped(
        tmp_path,
        {
            "chat.html": b"<html>no talk</html>",
            "conversations-001.json": json.dumps(conversations[1:]).encode(),
            "conversations-000.json": json.dumps(conversations[:1]).encode(),
            "user.json": b'{"id": "u", "email": "x"}',
            "image.png": b"\x89PNG\r\n\x1a\n",
        },
    )
    reading = read(path)
    inside = [(turn.session, turn.text) for turn in reading.turns]
    assert inside == [(turn.session, turn.text) for turn in read(FIXTURES / "chatgpt.json").turns]
    assert reading.format == "chatgpt"
    assert reading.skipped["archive member without a conversation"] == 2
    assert reading.examples["hidden message"][0].startswith("export.zip:conversations-000.json[0]")
    assert list(discover(tmp_path)) == [path]


def test_an_archive_without_conversations_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path, {"readme.txt": b"nothing here"})
    with pytest.raises(InputUnreadable, match="a zip archive without a conversation in it"):
        read(path)


def test_a_cursor_database_is_read_with_its_write_ahead_log(tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    rows = {
        "composerData:c1": {
            "fullConversationHeadersOnly": [
                {"bubbleId": "b1", "type": 1},
                {"bubbleId": "b2", "type": 2},
                {"bubbleId": "b3", "type": 2},
                {"bubbleId": "missing", "type": 2},
            ]
        },
        "bubbleId:c1:b1": {"type": 1, "text": "We ship on Mondays.", "createdAt": "2026-02-01T10:00:00Z"},
        "bubbleId:c1:b2": {"type": 2, "text": "Good.", "thinking": {"text": "A rule."}},
        "bubbleId:c1:b3": {
            "type": 2,
            "text": "",
            "toolFormerData": {"name": "grep", "rawArgs": "{}", "status": "error", "result": "none"},
        },
        "composerData:c2": {"conversation": [{"type": 1, "text": "Inline words."}]},
        "composerData:c3": 5,
    }
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)")
        for key, value in rows.items():
            database.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (key, json.dumps(value)))
        before = path.read_bytes()
        reading = read(path)
        found = [(turn.session, turn.provenance, turn.text) for turn in reading.turns]
        assert path.read_bytes() == before
    assert found == [
        ("c1", "human", "We ship on Mondays."),
        ("c1", "thinking", "A rule."),
        ("c1", "assistant", "Good."),
        ("c1", "tool", "grep"),
        ("c1", "tool", "none"),
        ("c2", "human", "Inline words."),
    ]
    assert reading.format == "cursor"
    assert reading.skipped == {"bubble without its row": 1, "malformed: composer": 1}


def test_an_opencode_database_gives_the_turns_of_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("CREATE TABLE session (id TEXT, parent_id TEXT)")
        database.execute("CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT)")
        database.execute("CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT)")
        database.execute("INSERT INTO session VALUES ('ses_1', NULL), ('ses_2', 'ses_1')")
        database.execute(
            "INSERT INTO message VALUES ('msg_1', 'ses_1', 1730000001000, ?)", ('{"role": "user"}',)
        )
        database.execute("INSERT INTO message VALUES ('msg_2', 'ses_1', 1730000002000, 'broken')")
        database.execute(
            "INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', ?)",
            ('{"type": "text", "text": "We use Deno here."}',),
        )
    reading = read(path)
    assert [(turn.session, turn.provenance, turn.text, turn.said_at) for turn in reading.turns] == [
        ("ses_1", "human", "We use Deno here.", 1_730_000_001_000_000)
    ]
    assert reading.skipped == {"malformed: not JSON": 1}


def test_other_databases_are_refused_with_their_tables(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE accounts (id INTEGER)")
        database.commit()
    with pytest.raises(InputUnreadable, match="a SQLite database with the tables accounts"):
        read(path)


def test_a_damaged_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    path.write_bytes(b"SQLite format 3\x00" + b"\x07" * 500)
    with pytest.raises(InputUnreadable, match="the SQLite database cannot be read"):
        read(path)
