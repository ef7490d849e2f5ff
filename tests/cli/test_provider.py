"""``nocturne provider`` as a person calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nocturne.cli import main
from tests.llm.serving import Said, agreeable, serving


def spoken(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = main.run(list(argv))
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture(autouse=True)
def _own_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CACHE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


def test_with_nothing_configured_nobody_is_asked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, err = spoken(capsys, "provider", "check")
    assert (code, err) == (0, "")
    assert "built in" in out
    assert not (tmp_path / "cache").exists()


def test_a_server_from_the_folder_s_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    def behave(asked: object) -> Said:
        path = getattr(asked, "path", "")
        if path.endswith("/models"):
            return Said(b'{"data": [{"id": "tiny", "meta": {"n_ctx": 8192}}]}')
        return agreeable(asked)  # type: ignore[arg-type]  # it is one

    with serving(behave) as server:
        Path("nocturne.toml").write_text(
            f'[provider]\nname = "openai"\nmodel = "tiny"\nbase_url = "{server.url}"\n'
        )
        code, out, err = spoken(capsys, "provider", "check", "--json")
    result = json.loads(out)
    assert code == 0
    assert result["ok"] is True
    assert [probe["state"] for probe in result["probes"]] == ["ok"] * 5
    assert "asking openai (configured by:" in err
    assert (tmp_path / "cache" / "nocturne" / "formats.json").is_file()


def test_not_ready_is_exit_4_with_the_fix(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--provider", "openai", "--base-url", "http://127.0.0.1:9/v1", "--model", "x")
    code, out, _ = spoken(capsys, "provider", "check", *words)
    assert code == 4
    assert "not ready" in out
    assert "→ start the server" in out


def test_a_word_that_is_no_provider_is_usage(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = spoken(capsys, "provider", "check", "--provider", "gpt")
    assert code == 2
    assert "hint:  providers: rules, openai, anthropic, local, replay" in err
