"""What ``provider check`` says of servers that are well, and of servers that are not."""

from __future__ import annotations

import importlib.util
import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nocturne.app.config import ProviderConfig
from nocturne.app.probes import Checkup
from nocturne.llm.check import check
from nocturne.llm.ladder import FILE
from tests.llm.made import Waits
from tests.llm.serving import Asked, Behaviour, Said, agreeable, chat, serving


def with_models(behaviour: Behaviour, *models: dict[str, Any], status: int = 200) -> Behaviour:
    def behave(asked: Asked) -> Said:
        if asked.path.endswith("/models"):
            return Said(json.dumps({"object": "list", "data": list(models)}).encode(), status)
        return behaviour(asked)

    return behave


def examine(url: str, cache: Path, **other: Any) -> Checkup:
    config = ProviderConfig("openai", other.pop("model", "tiny"), url, cache_dir=cache, **other)
    return check(config, clock=Waits().clock())


def states(result: Checkup) -> dict[str, str]:
    return {probe.name: probe.state for probe in result.probes}


TINY_MODEL = {"id": "tiny", "meta": {"n_ctx": 8192}}


def test_a_good_server_is_ready_and_remembered(tmp_path: Path) -> None:
    with serving(with_models(agreeable, TINY_MODEL)) as server:
        result = examine(server.url, tmp_path)
        assert len(server.posts) == 1
    assert result.exit_code == 0
    assert set(states(result).values()) == {"ok"}
    assert list(states(result)) == ["reachable", "model", "format json_schema", "round trip", "context"]
    kept = json.loads((tmp_path / FILE).read_text())["servers"]
    assert [entry["format"] for entry in kept.values()] == ["json_schema"]
    trip = next(probe for probe in result.probes if probe.name == "round trip")
    assert "the model says drop" in trip.found


def test_nobody_there(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        result = examine(f"http://127.0.0.1:{taken.getsockname()[1]}/v1", tmp_path)
    assert result.exit_code == 4
    assert states(result) == {"reachable": "fail"}
    assert result.probes[0].fix == "start the server, or give its --base-url"


def test_a_wrong_key_is_found_at_the_list_of_models(tmp_path: Path) -> None:
    with serving(lambda _: Said(b'{"error":{"message":"bad key sk-abcdefgh"}}', 401)) as server:
        result = examine(server.url, tmp_path, key="sk-abcdefgh")
        assert server.posts == []
    assert states(result) == {"reachable": "fail"}
    assert "abcdefgh" not in repr(result)


def test_a_model_that_is_not_there_is_met_with_those_that_are(tmp_path: Path) -> None:
    missing = Said(b'{"error":{"message":"model \'tinny\' not found"}}', 404)
    with serving(with_models(lambda _: missing, TINY_MODEL, {"id": "large"})) as server:
        result = examine(server.url, tmp_path, model="tinny")
    assert states(result) == {"reachable": "ok", "model": "warn", "round trip": "fail"}
    assert "tiny" in str(result.probes[1].fix)


def test_what_is_requested_is_told_from_what_is_honoured(tmp_path: Path) -> None:
    def fenced_unless_object(asked: Asked) -> Said:
        said = agreeable(asked)
        if asked.payload.get("response_format", {}).get("type") == "json_object":
            return said
        content = json.loads(said.body)["choices"][0]["message"]["content"]  # type: ignore[arg-type]
        return chat(f"```json\n{content}\n```", asked)

    with serving(with_models(fenced_unless_object, TINY_MODEL)) as server:
        result = examine(server.url, tmp_path)
    found = states(result)
    assert found["format json_schema"] == "warn"
    assert found["format json_object"] == "ok"
    assert "format none" not in found
    kept = json.loads((tmp_path / FILE).read_text())["servers"]
    assert [entry["format"] for entry in kept.values()] == ["json_object"]


def test_a_model_that_cannot_keep_to_json_is_not_ready(tmp_path: Path) -> None:
    with serving(with_models(lambda asked: chat("They are the same.", asked), TINY_MODEL)) as server:
        result = examine(server.url, tmp_path)
    assert result.exit_code == 4
    assert states(result)["round trip"] == "fail"
    assert not (tmp_path / FILE).exists()


def test_a_short_context_is_named_with_the_setting(tmp_path: Path) -> None:
    with serving(with_models(agreeable, {"id": "tiny", "max_model_len": 2048})) as server:
        result = examine(server.url, tmp_path)
    assert result.exit_code == 4
    assert result.probes[-1].fix == "context_tokens = 2048 in nocturne.toml, or give the server more"
    with serving(with_models(agreeable, {"id": "tiny", "max_model_len": 2048})) as server:
        assert examine(server.url, tmp_path, context_tokens=2048).exit_code == 0


def cutting(window: int) -> Callable[[Asked], Said]:
    def cut(asked: Asked) -> Said:
        said = agreeable(asked)
        body = json.loads(said.body)  # type: ignore[arg-type]
        body["usage"]["prompt_tokens"] = min(window, asked.tokens)
        return Said(json.dumps(body).encode())

    return cut


def test_a_server_that_cuts_in_silence_is_caught_by_a_long_prompt(tmp_path: Path) -> None:
    with serving(with_models(cutting(2048), {"id": "tiny"})) as server:
        result = examine(server.url, tmp_path)
    context = result.probes[-1]
    assert (context.name, context.state) == ("context", "fail")
    assert "OLLAMA_CONTEXT_LENGTH" in str(context.fix)
    with serving(with_models(cutting(9000), {"id": "tiny"})) as server:
        assert states(examine(server.url, tmp_path))["context"] == "ok"


def test_a_server_without_a_list_of_models_can_still_be_ready(tmp_path: Path) -> None:
    with serving(with_models(agreeable, status=404)) as server:
        result = examine(server.url, tmp_path)
    assert result.exit_code == 0
    assert states(result)["model"] == "warn"


def test_missing_words_are_a_finding_not_a_crash(tmp_path: Path) -> None:
    result = check(ProviderConfig("openai", None, "http://127.0.0.1:9/v1", cache_dir=tmp_path))
    assert states(result) == {"configured": "fail"}
    assert "--model" in str(result.probes[0].fix)


def test_rules_need_nothing_and_a_file_of_replies_needs_to_be_one(tmp_path: Path) -> None:
    assert check(ProviderConfig("rules")).exit_code == 0
    assert check(ProviderConfig("replay")).exit_code == 4
    assert check(ProviderConfig("replay", replay=tmp_path / "none")).exit_code == 4
    kept = tmp_path / "kept.jsonl"
    kept.write_text('{"nocturne": "replies", "version": 1}\n')
    assert check(ProviderConfig("replay", replay=kept)).exit_code == 0


def test_local_without_engine_or_model_says_how_to_get_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    result = check(ProviderConfig("local", data_dir=tmp_path))
    assert states(result) == {"engine": "fail"}
    assert "nocturne-cli[local]" in str(result.probes[0].fix)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: object())
    result = check(ProviderConfig("local", data_dir=tmp_path))
    assert states(result) == {"engine": "ok", "model file": "fail"}
    assert result.probes[1].fix == "nocturne provider fetch-local"
