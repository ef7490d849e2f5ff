"""Every canned reply of the corpus, played by a real server, must come to what the corpus says."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from nocturne.core.proposals import Drop
from nocturne.core.verdicts import Refused
from nocturne.errors import ProviderFailed
from nocturne.passes import wire
from tests.llm.made import Waits, dedupe, forget, proposer
from tests.llm.serving import Asked, Said, serving

pytestmark = pytest.mark.corpus

USABLE: dict[str, list[str]] = {
    "think_block_inline": ["think block"],
    "markdown_fence": ["fence"],
    "prose_with_braces": ["text around the object"],
    "anthropic_compat_ignores_format": ["fence"],
    "content_parts_list": [],
    "number_as_string": [],
    "lone_surrogate": [],
    "ids_not_offered": [],
}
FAILED: dict[str, tuple[str, int]] = {
    # the kind, and how often the server was asked in all
    "lmstudio_rejects_text": ("format-refused", 3),
    "schema_silently_not_enforced": ("prose", 2),
    "reasoning_content_field": ("reasoning-only", 1),
    "truncated_length": ("cut", 2),
    "truncated_but_stop": ("broken-json", 2),
    "duplicate_keys": ("illegal-json", 1),
    "huge_int": ("illegal-json", 1),
    "empty_content": ("empty", 2),
    "choices_empty": ("no-choices", 2),
    "not_json_html": ("not-json", 3),
    "rate_429_seconds": ("rate-limited", 3),
    "rate_429_date": ("rate-limited", 3),
    "quota_429": ("quota", 1),
    "auth_401": ("auth", 1),
    "ollama_silent_truncation": ("prompt-cut", 1),
    "vllm_guided_json_removed": ("format-refused", 3),
    "stream_cut": ("streamed", 1),
    "abandoned_request": ("timeout", 2),
}


def rows(corpus: Path) -> dict[str, Any]:
    lines = (corpus / "cases" / "provider_replies.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["name"]: row for row in map(json.loads, lines)}


def played(row: Any) -> Any:
    """The row as a healthy server would send it: with this request's check word, and its true size."""

    def behave(asked: Asked) -> Said:
        headers = dict(row["headers"])
        if row["raw"] is not None:
            return Said(row["raw"].encode(), row["status"], headers)
        if row["body"].get("__simulate__") == "timeout":
            return Said(b"{}", wait=0.6)
        text = json.dumps(row["body"])
        for key in ("drop", "forget"):
            text = text.replace(f'{{\\"{key}\\"', f'{{\\"nonce\\":\\"{asked.nonce}\\",\\"{key}\\"')
        text = text.replace('"prompt_tokens": 100', f'"prompt_tokens": {asked.tokens}')
        return Said(text.encode(), row["status"], headers)

    return behave


def test_every_row_is_expected(corpus: Path) -> None:
    assert set(rows(corpus)) == set(USABLE) | set(FAILED)


@pytest.mark.parametrize("name", sorted(USABLE))
def test_usable(corpus: Path, name: str, tmp_path: Path) -> None:
    row = rows(corpus)[name]
    pass_name = "forget" if "forget" in json.dumps(row["body"]) else "dedupe"
    brief = forget() if pass_name == "forget" else dedupe()
    with serving(played(row)) as server:
        asker = proposer(server.url, cache=tmp_path)
        replies = list(asker.propose(pass_name, brief))
        asker.close()
    assert [reply.provenance["repairs"] for reply in replies] == [USABLE[name]]
    assert len(server.posts) == 1
    entries = wire.parse(pass_name, replies[0])
    if name == "number_as_string":
        assert isinstance(entries[0], Refused)
        assert entries[0].code == "N001"
    elif name == "lone_surrogate":
        assert isinstance(entries[0], Refused)
        assert "not valid Unicode" in entries[0].evidence["found"]
        json.dumps(entries[0].evidence).encode()
        entries[0].evidence["raw"].encode()
    elif name == "ids_not_offered":
        assert entries == [Drop(fact=999, duplicate_of=1, reason="x")]  # a gate's matter, not the reader's
    else:
        assert entries == [Drop(fact=2, duplicate_of=1, reason="same fact")]


@pytest.mark.parametrize("name", sorted(FAILED))
def test_failed(corpus: Path, name: str, tmp_path: Path) -> None:
    row = rows(corpus)[name]
    kind, calls = FAILED[name]
    waits = Waits()
    brief = dedupe(words=9000) if name == "ollama_silent_truncation" else dedupe()
    wall = 1_792_567_660.0  # 20 seconds before the date that a row tells us to wait for
    patience = 0.3 if name == "abandoned_request" else 10.0
    with serving(played(row)) as server:
        asker = proposer(
            server.url, cache=tmp_path, waits=waits, wall=wall, timeout=patience, key="sk-demo-0000"
        )
        with pytest.raises(ProviderFailed) as caught:
            list(asker.propose("dedupe", brief))
        how = asker.asked("dedupe")
        asker.close()
    assert f"{kind}:" in caught.value.message
    assert len(server.posts) == calls
    assert how is not None
    assert how.unanswered == ((2, 1),)
    assert how.failures[0].startswith(f"{kind}:")
    everything = caught.value.message + str(caught.value.hint) + repr(how)
    assert "sk-demo" not in everything
    formats = [asked.payload.get("response_format", {}).get("type") for asked in server.posts]
    assert "text" not in formats
    assert not any("guided_json" in asked.payload for asked in server.posts)
    assert not any(asked.payload.get("stream") for asked in server.posts)
    if kind == "format-refused":
        assert formats == ["json_schema", "json_object", None]
    if name == "rate_429_seconds":
        assert waits.seconds == [3.0, 3.0]
    if name == "rate_429_date":
        assert waits.seconds == [20.0, 20.0]
    if kind == "timeout":
        assert waits.seconds[0] >= 5.0
    if name == "truncated_length":
        assert server.posts[1].payload["max_tokens"] == 2 * server.posts[0].payload["max_tokens"]
    if name == "reasoning_content_field":
        assert caught.value.hint is not None
        assert "reasoning parser" in caught.value.hint


def test_no_row_is_read_as_no_proposals(corpus: Path, tmp_path: Path) -> None:
    """The one thing that must never happen: a failure that looks like an answer."""
    started = time.monotonic()
    for name in FAILED:
        with serving(played(rows(corpus)[name])) as server:
            asker = proposer(server.url, cache=tmp_path / name, timeout=0.3)
            brief = dedupe(words=9000) if name == "ollama_silent_truncation" else dedupe()
            with pytest.raises(ProviderFailed):
                list(asker.propose("dedupe", brief))
            asker.close()
    assert time.monotonic() - started < 30
