"""Real transcripts: every file has its format or its reason, and people's turns are told from the rest."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from nocturne.core.artefacts import cut_turn
from nocturne.core.facts import Turn
from nocturne.core.sanitise import clean_turn
from nocturne.core.secrets import redact_turn
from nocturne.errors import InputUnreadable
from nocturne.formats import discover, read

pytestmark = pytest.mark.corpus

FORMATS = {
    "claude_code": "claude-code",
    "chatgpt": "chatgpt",
    "claude_ai": "claude-ai",
    "codex": "codex",
    "gemini_cli": "gemini-cli",
    "letta_af": "letta",
    "messages_generic": "messages",
    "openclaw_pi": "openclaw",
    "traces": "traces",
    "memory_stores": "mem0",
    "cline_roo": "cline",
    "cursor": "cursor",
}
OTHERWISE = {
    "invalid_unicode.json": "claude-ai",
    "session_branch.jsonl": "messages",
    "sweagent_ctf.traj": "swe-agent",
    "sweagent_pydicom.traj": "swe-agent",
    "cline_sdk_session.messages.json": "messages",
}
REFUSED = {"test-store.db"}
PEOPLE = {
    "v1_0_real_session_a.jsonl": 1,
    "v2_1_sdk_claude_p.jsonl": 1,
    "short.jsonl": 1,
    "tool_heavy.jsonl": 2,
    "4d5611e5_around_boundary.jsonl": 0,
    "fa812bfe_around_boundary.jsonl": 0,
    "agent-acompact-70d8e7.jsonl": 0,
    "edge_cases.jsonl": 4,
    "hook_attachments.jsonl": 1,
    "memory_sidechain.jsonl": 1,
    "sidechain.jsonl": 0,
    "vibe_claude-code-edge-cases.jsonl": 1,
    "vibe_claude-code-real-world-edges.jsonl": 1,
    "librechat_tree_branches.json": 5,
    "openwebui_2025_06_user_context.json": 5,
    "polylogue_native_v1.json": 1,
    "sharegpt_fastchat_dummy.json": 1000,
    "v0_128_desktop_2026_05.jsonl": 3,
    "v0_40_vscode.jsonl": 1,
    "turn-2.jsonl": 2,
    "pi_v1_large_session.jsonl": 5,
    "langfuse_google-adk-2025-08-28.json": 1,
}


def every_file(corpus: Path) -> list[Path]:
    return [path for path in sorted((corpus / "samples").rglob("*")) if path.is_file()]


def test_every_file_has_its_format(corpus: Path) -> None:
    wrong = {}
    for path in every_file(corpus):
        folder = path.relative_to(corpus / "samples").parts[0]
        if folder not in FORMATS or path.name in REFUSED:
            continue
        reading = read(path)
        reading.drain()
        if reading.format != OTHERWISE.get(path.name, FORMATS[folder]):
            wrong[path.name] = reading.format
    assert wrong == {}


def test_every_other_file_is_refused_with_a_reason(corpus: Path) -> None:
    for path in every_file(corpus):
        refused: InputUnreadable | None = None
        try:
            read(path).drain()
        except InputUnreadable as error:
            refused = error
        if refused is not None:
            assert refused.message.startswith(f"{path.name}: ")
            assert refused.hint


def test_no_line_disappears(corpus: Path) -> None:
    for path in every_file(corpus):
        if path.suffix != ".jsonl" or "claude_code" not in path.parts:
            continue
        reading = read(path)
        offsets = {turn.offset for turn in reading.turns}
        lines = sum(1 for line in path.read_bytes().splitlines() if line.strip())
        merged = lines - len(offsets) - sum(reading.skipped.values())
        assert merged <= lines // 3


@pytest.mark.parametrize("name", sorted(PEOPLE))
def test_how_many_turns_are_a_persons(name: str, corpus: Path) -> None:
    path = next((corpus / "samples").rglob(name))
    turns = read(path).drain()
    assert sum(turn.provenance == "human" for turn in turns) == PEOPLE[name]


def test_few_user_lines_of_real_sessions_are_a_persons(corpus: Path) -> None:
    people = lines = 0
    for path in sorted((corpus / "samples/claude_code").rglob("*.jsonl")):
        if "shapes" in path.parts:
            continue
        people += sum(turn.provenance == "human" for turn in read(path).turns)
        for line in path.read_text(encoding="utf-8").splitlines():
            lines += json.loads(line).get("type") == "user"
    assert 0.01 <= people / lines <= 0.08


def test_nothing_unsafe_passes_the_cleaning(corpus: Path) -> None:
    kinds: Counter[str] = Counter()
    for path in discover(corpus / "samples"):
        for turn in read(path).turns:
            kept, counts = stored(turn)
            kinds.update(counts)
            kept.text.encode("utf-8")
            assert "\x00" not in kept.text
            assert redact_turn(kept)[1].total() == 0
    assert kinds["control-character"] > 0


def stored(turn: Turn) -> tuple[Turn, Counter[str]]:
    turn, counts = clean_turn(turn, max_chars=200_000)
    turn, cuts = cut_turn(turn)
    turn, secrets = redact_turn(turn)
    return turn, counts + cuts + secrets


def test_times_lie_in_the_years_of_such_tools(corpus: Path) -> None:
    early, late = 1_577_836_800_000_000, 1_893_456_000_000_000
    for path in discover(corpus / "samples"):
        for turn in read(path).turns:
            assert turn.said_at is None or early < turn.said_at < late
