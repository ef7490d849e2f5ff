"""``nocturne bench honesty``: rules and a model over the wire in one table, and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nocturne.passes import wire
from tests.e2e.conftest import Run, run
from tests.e2e.test_servers import keys_of, pass_of, reply
from tests.llm.serving import Asked, Said, chat, prose, serving

__all__ = ["run"]

MERGED = "The user owns a canoe, a tent and a yacht."


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def candidates(asked: Asked) -> list[dict[str, object]]:
    lines = asked.user.splitlines()
    if "<candidates>" not in lines:
        return []
    return [
        json.loads(line) for line in lines[lines.index("<candidates>") + 1 : lines.index("</candidates>")]
    ]


def eager(asked: Asked) -> Said:
    """Says yes to every pair, words merges of its own, and breaks one entry."""
    name = pass_of(asked)
    if name == "dedupe":
        return reply(asked, drop=[{**pair, "reason": "same"} for pair in candidates(asked)])
    if name == "merge":
        entries = [
            {"intoId": group["intoId"], "fromIds": group["fromIds"], "mergedText": MERGED, "reason": "list"}
            for group in candidates(asked)
        ]
        return reply(asked, merge=[*entries, {"intoId": 3}])
    assert set(keys_of(asked)) == set(wire.SHAPES[name])
    return reply(asked)


def words(url: str) -> list[str]:
    return ["--provider", "openai", "--model", "tiny", "--base-url", url]


def test_a_model_is_measured_beside_the_rules(run: Run) -> None:
    with serving(eager) as server:
        found = run("bench", "honesty", *words(server.url), "--json").data
        assert server.posts
    rules, model = found["scores"]
    assert (rules["proposer"], model["proposer"]) == ("rules", "openai:tiny")
    assert [part["pass"] for part in model["parts"]] == [part["pass"] for part in rules["parts"]]
    dedupe, _, merge = model["parts"][:3]
    # Those that were refused were told once, and proposed again all the same.
    assert dedupe["tasks"] == 24
    assert dedupe["again"] > 0 == dedupe["mended"]
    assert (dedupe["missed"], dedupe["landed"]) == (0, {})
    assert dedupe["against"] == sum(dedupe["refused"].values())
    assert merge["accepted"] == 0 < merge["missed"]
    assert merge["malformed"] == 2
    assert "N101" in merge["refused"]
    assert model["total"]["tokens_in"] == sum(part["tokens_in"] for part in model["parts"]) > 0
    assert not Path("a.db").exists()


def test_the_table_shows_each_proposer_and_what_was_refused(run: Run) -> None:
    with serving(eager) as server:
        done = run("bench", "honesty", *words(server.url))
    assert "rules" in done.out
    assert "openai:tiny" in done.out
    assert "refused N203 polarity differs" in done.out
    assert "0 wrong ones" in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_a_model_that_only_chats_is_told_to_have_failed(run: Run) -> None:
    with serving(prose) as server:
        done = run("bench", "honesty", *words(server.url), code=4)
    assert "nothing could be had from it" in done.out
    assert "failed dedupe" in done.out


def test_with_nothing_configured_only_the_rules_are_measured_and_nobody_is_asked(run: Run) -> None:
    with serving(lambda asked: chat("{}", asked)) as server:
        found = run("bench", "honesty", "--json", OPENAI_API_KEY="sk-x", OPENAI_BASE_URL=server.url).data
        assert server.asked == []
    assert [score["proposer"] for score in found["scores"]] == ["rules"]
    assert found["scores"][0]["total"]["landed"] == {}


def test_the_configured_provider_is_measured_without_being_named(run: Run) -> None:
    with serving(eager) as server:
        text = f'[provider]\nname = "openai"\nmodel = "tiny"\nbase_url = "{server.url}"\n'
        Path("nocturne.toml").write_text(text, encoding="utf-8")
        found = run("bench", "honesty", "--json").data
        asked = len(server.posts)
        alone = run("bench", "honesty", "--provider", "rules", "--json").data
        assert len(server.posts) == asked > 0
    assert [score["proposer"] for score in found["scores"]] == ["rules", "openai:tiny"]
    assert [score["proposer"] for score in alone["scores"]] == ["rules"]
    assert found["tasks"] == alone["tasks"]
