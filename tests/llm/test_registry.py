"""Names to proposers; and nothing is contacted, or even loaded, that was not asked for."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from nocturne.app.asking import Asker
from nocturne.app.config import ProviderConfig
from nocturne.errors import UsageError
from nocturne.llm.anthropic import TOOL
from nocturne.llm.registry import make_proposer
from tests.llm.made import dedupe
from tests.llm.serving import Asked, Said, agreeable, serving


def test_a_configured_server_is_an_asker(tmp_path: Path) -> None:
    with serving(agreeable) as server:
        made = make_proposer(ProviderConfig("openai", "tiny", server.url, cache_dir=tmp_path))
        assert isinstance(made, Asker)
        assert server.asked == []
        assert len(list(made.propose("dedupe", dedupe()))) == 1
        made.close()
    asked = server.posts[0]
    assert asked.path == "/v1/chat/completions"
    assert "authorization" not in asked.headers
    assert made.name == "openai:tiny"


def test_anthropic_is_asked_with_one_forced_tool(tmp_path: Path) -> None:
    def uses(asked: Asked) -> Said:
        import json

        value = {
            "nonce": asked.nonce,
            "drop": [{"itemId": "m2", "duplicateOf": "m1", "reason": "same"}],
            "keep": [],
        }
        block = {"type": "tool_use", "id": "u", "name": TOOL, "input": value}
        usage = {"input_tokens": asked.tokens, "output_tokens": 30}
        body = {"type": "message", "content": [block], "stop_reason": "tool_use", "usage": usage}
        return Said(json.dumps(body).encode())

    with serving(uses) as server:
        base = server.url.removesuffix("/v1")
        made = make_proposer(
            ProviderConfig("anthropic", "claude-x", base, key="k-secret", cache_dir=tmp_path)
        )
        (reply,) = made.propose("dedupe", dedupe())
        assert isinstance(made, Asker)
        made.close()
    asked = server.posts[0]
    assert asked.path == "/v1/messages"
    assert asked.headers["x-api-key"] == "k-secret"
    assert asked.headers["anthropic-version"] == "2023-06-01"
    assert asked.payload["tool_choice"]["name"] == TOOL
    assert asked.payload["tools"][0]["input_schema"]["$defs"]["id"]["enum"] == ["m2", "m1"]
    assert '"itemId": "m2"' in reply
    assert made.usage.formats == {"tool→tool": 1}


def test_what_is_missing_is_named() -> None:
    config = ProviderConfig("openai", base_url="https://api.openai.com/v1", key_name="OPENAI_API_KEY")
    with pytest.raises(UsageError, match="needs a model"):
        make_proposer(config)
    with pytest.raises(UsageError, match=r"no key for api\.openai\.com") as caught:
        make_proposer(replace(config, model="m"))
    assert caught.value.hint == "set OPENAI_API_KEY in the environment"
    with pytest.raises(UsageError, match="in clear text"):
        make_proposer(replace(config, model="m", key="k", base_url="http://models.example/v1"))


def test_no_network_code_is_loaded_before_it_is_used() -> None:
    code = (
        "import sys\n"
        "import nocturne.llm.registry, nocturne.app.config, nocturne.app.asking\n"
        "print(sorted({'httpx', 'anyio', 'ssl', 'numpy', 'sklearn', 'xllamacpp'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert done.stdout.strip() == "[]", done.stderr
