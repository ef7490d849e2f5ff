"""Our own family of replies, one a line in fixtures/replies, played by a real server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nocturne.errors import ProviderFailed
from nocturne.llm.outcomes import PLANS
from nocturne.passes import wire
from tests.llm.made import Waits, dedupe, proposer
from tests.llm.serving import Asked, Said, serving

FILE = Path(__file__).parents[2] / "fixtures" / "replies" / "family.jsonl"
ROWS: dict[str, Any] = {
    row["name"]: row for row in map(json.loads, FILE.read_text(encoding="utf-8").splitlines())
}
OK = sorted(name for name, row in ROWS.items() if "repairs" in row["expect"])
FAILED = sorted(set(ROWS) - set(OK))


def played(row: Any) -> Any:
    def behave(asked: Asked) -> Said:
        headers, status = row.get("headers", {}), row.get("status", 200)
        if "raw" in row:
            return Said(row["raw"].encode(), status, headers)
        body = row["body"] if "body" in row else _chat(row, asked)
        text = json.dumps(body).replace("{WORD}", asked.nonce or "")
        return Said(text.encode(), status, headers)

    return behave


def _chat(row: Any, asked: Asked) -> Any:
    content = None if row.get("null_content") else row.get("content")
    if "flood" in row:
        entry = {"itemId": "m2", "duplicateOf": "m1", "reason": "again"}
        content = json.dumps({"nonce": "{WORD}", "drop": [entry] * row["flood"]})
    usage = {"prompt_tokens": row.get("read", asked.tokens), "completion_tokens": 20}
    message = {"role": "assistant", "content": content, **row.get("message", {})}
    return {
        "choices": [{"index": 0, "message": message, "finish_reason": row.get("finish", "stop")}],
        "usage": row.get("usage", usage),
    }


def test_names_are_unique() -> None:
    assert len(ROWS) == len(FILE.read_text(encoding="utf-8").splitlines())


def test_every_kind_of_failure_is_played_somewhere() -> None:
    elsewhere = {"unreachable", "timeout", "disconnected", "too-large", "format-refused", "parameter-refused"}
    assert {ROWS[name]["expect"]["kind"] for name in FAILED} == set(PLANS) - elsewhere


@pytest.mark.parametrize("name", OK)
def test_usable(name: str, tmp_path: Path) -> None:
    with serving(played(ROWS[name])) as server:
        asker = proposer(server.url, cache=tmp_path)
        replies = list(asker.propose("dedupe", dedupe()))
        asker.close()
    assert [reply.provenance["repairs"] for reply in replies] == [ROWS[name]["expect"]["repairs"]]
    assert len(server.posts) == 1
    assert replies[0].isascii()
    assert all(type(entry).__name__ in ("Drop", "Keep") for entry in wire.parse("dedupe", replies[0]))
    how = asker.asked("dedupe")
    assert how is not None
    assert (how.answered, how.unanswered, how.failures) == (1, (), ())


@pytest.mark.parametrize("name", FAILED)
def test_failed(name: str, tmp_path: Path) -> None:
    expected = ROWS[name]["expect"]
    waits = Waits()
    with serving(played(ROWS[name])) as server:
        asker = proposer(server.url, cache=tmp_path, waits=waits)
        with pytest.raises(ProviderFailed) as caught:
            list(asker.propose("dedupe", dedupe()))
        how = asker.asked("dedupe")
        asker.close()
    assert f"{expected['kind']}:" in caught.value.message
    assert caught.value.exit_code == 4
    assert len(server.posts) == expected["calls"]
    assert how is not None
    assert how.unanswered == ((2, 1),)
    told = caught.value.message + how.failures[0]
    assert "abcdef" not in told  # no key, even where the server quotes one
    assert len(told) < 900
    assert all(0 <= seconds <= 30 for seconds in waits.seconds)
