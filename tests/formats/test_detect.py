"""Formats are told by content alone; what is none of them is refused in one line that says what was seen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nocturne.errors import InputUnreadable, UsageError
from nocturne.formats import READERS, read

AS_MEMORY = "(--format claude-memory reads it as instructions or memory)"
NONE = "x: no known transcript format; seen:"
FIXTURES = Path(__file__).parents[2] / "fixtures" / "transcripts"


def detected(data: bytes) -> str:
    reading = read(data, name="x")
    reading.drain()
    return reading.format


def test_names_play_no_part(tmp_path: Path) -> None:
    for path in sorted(FIXTURES.iterdir()):
        golden = FIXTURES / "expected" / f"{path.name}.json"
        if not path.is_file() or not golden.exists():
            continue
        disguised = tmp_path / "photo.png"
        disguised.write_bytes(path.read_bytes())
        reading = read(disguised)
        reading.drain()
        assert reading.format == json.loads(golden.read_text(encoding="utf-8"))["format"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "x: is empty"),
        (b"  \n\n ", "x: is empty"),
        (b"\xef\xbb\xbf", "x: is empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "x: is a PNG image, not a transcript"),
        (b"%PDF-1.7\n", "x: is a PDF document, not a transcript"),
        (b"\x1f\x8b\x08\x00\x00", "x: is a gzip archive, not a transcript"),
        (b"\x00\x01\x02\x03", "x: is binary, not a transcript"),
        (b'{"a": 1', "x: the JSON ends early, at line 1: the file is cut off"),
        (b'[{"mapping": {}}, {"mapping"', "x: the JSON ends early, at line 1: the file is cut off"),
        (b'{\n "messages": [\n  {"role": "user"', "x: the JSON ends early, at line 3: the file is cut off"),
        (b'[{"mapping": {}} oops]', "x: the JSON is malformed at line 1: expected , or ] after item 0"),
        (b'{"a": 1}', "x: no known transcript format; seen: one JSON object with the keys a"),
        (b"[]", "x: no known transcript format; seen: a JSON list without items"),
        (b'["a", 2]', "x: no known transcript format; seen: a JSON list of str, not of objects"),
        (
            b'[{"instruction": "a", "output": "b"}]',
            f"{NONE} Alpaca training rows (instruction, output), which nobody said to anybody",
        ),
        (
            b'{"prompt": "a", "completion": "b"}\n{"prompt": "a", "completion": "b"}\n',
            f"{NONE} training rows (prompt, completion), which nobody said to anybody",
        ),
        (
            b"just some prose\nwithout speakers\n",
            f'{NONE} text that begins "just some prose", without lines of "Name: what they said"',
        ),
        (
            b"# A design\n\nSome words.\n",
            f'{NONE} Markdown that begins "# A design" {AS_MEMORY}',
        ),
        (b"PK\x03\x04broken", "x: the zip archive is damaged or locked: File is not a zip file"),
    ],
)
def test_refusals(data: bytes, message: str) -> None:
    with pytest.raises(InputUnreadable) as caught:
        read(data, name="x").drain()
    assert caught.value.message == message
    assert caught.value.exit_code == 3


def test_a_tie_is_refused_and_named() -> None:
    lines = b'{"role": "user", "content": "a"}\n{"text": "b"}\n'
    with pytest.raises(InputUnreadable, match="could be native and messages alike") as caught:
        read(lines, name="x")
    assert caught.value.hint == "say which with --format native"


def test_the_majority_of_lines_decides() -> None:
    lines = b'{"role": "user", "content": "a"}\n{"text": "b"}\n{"text": "c"}\n'
    reading = read(lines, name="x")
    assert [turn.text for turn in reading.turns] == ["b", "c"]
    assert reading.format == "native"
    assert reading.skipped == {"malformed: no text": 1}


def test_a_format_can_be_forced(tmp_path: Path) -> None:
    path = tmp_path / "NOTES.md"
    path.write_text("# Notes\n\nUse tabs.\n", encoding="utf-8")
    reading = read(path, format="claude-memory")
    assert [(turn.provenance, turn.role) for turn in reading.turns] == [("profile", "instructions")]
    with pytest.raises(UsageError, match="unknown format 'word'"):
        read(path, format="word")


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(InputUnreadable, match="does not exist"):
        read(tmp_path / "none.jsonl")
    with pytest.raises(InputUnreadable, match="is a directory"):
        read(tmp_path)


def test_a_deleted_session_is_never_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.deleted.2026-01-01"
    path.write_text('{"text": "gone"}\n', encoding="utf-8")
    with pytest.raises(InputUnreadable, match="a deleted session is never read"):
        read(path)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_byte_order_marks(encoding: str) -> None:
    text = '{"text": "Olá, vivo em Évora."}\n'
    data = text.encode(encoding)
    if encoding == "utf-16-le":
        data = b"\xff\xfe" + data
    reading = read(data, name="x")
    assert [turn.text for turn in reading.turns] == ["Olá, vivo em Évora."]


def test_json_in_a_json_string_is_decoded_again() -> None:
    inner = json.dumps([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}])
    assert detected(json.dumps(json.dumps(inner)).encode()) == "messages"


def test_every_reader_has_its_own_name_and_says_what_it_takes() -> None:
    assert len({reader.name for reader in READERS}) == len(READERS)
    assert all(reader.accepts and reader.version >= 1 for reader in READERS)


def test_every_reader_is_documented() -> None:
    page = (Path(__file__).parents[2] / "nocturne" / "formats" / "FORMATS.md").read_text(encoding="utf-8")
    rows = [
        line.split("`")[1] for line in page.splitlines() if line.startswith("| `") and "--format" not in line
    ]
    assert rows == [reader.name for reader in READERS]
