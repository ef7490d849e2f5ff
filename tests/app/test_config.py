"""Flags over environment over file; keys from the environment alone, and only to whom they belong."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from nocturne.app.config import Limits, ProviderConfig, load, user_dir
from nocturne.errors import InputUnreadable, NocturneError, UsageError

FILE = """
[provider]
name = "openai"
model = "file-model"
base_url = "http://localhost:1234/v1"
jobs = 2
timeout = 30
context_tokens = 4096

[limits]
max_calls = 10
deadline = 600

[prices.file-model]
input = 0.15
output = 0.6
"""


def config(
    folder: Path, text: str | None = None, environ: dict[str, str] | None = None, **flags: Any
) -> ProviderConfig:
    if text is not None:
        (folder / "nocturne.toml").write_text(text)
    return load(folder, {"HOME": str(folder / "home"), **(environ or {})}, **flags)


def test_with_nothing_configured_the_rules_propose(tmp_path: Path) -> None:
    made = config(tmp_path)
    assert (made.provider, made.base_url, made.key, made.chosen_by) == ("rules", None, None, "default")


def test_a_key_alone_configures_nothing(tmp_path: Path) -> None:
    made = config(
        tmp_path, environ={"OPENAI_API_KEY": "sk-a", "OPENAI_BASE_URL": "https://api.openai.com/v1"}
    )
    assert (made.provider, made.base_url, made.key) == ("rules", None, None)


def test_the_file_is_read(tmp_path: Path) -> None:
    made = config(tmp_path, FILE)
    assert (made.provider, made.model, made.base_url) == ("openai", "file-model", "http://localhost:1234/v1")
    assert (made.jobs, made.timeout, made.context_tokens, made.retries) == (2, 30.0, 4096, 2)
    assert made.limits == Limits(None, 10, 600.0)
    assert made.prices["file-model"].read == Fraction(15, 100)
    assert made.chosen_by == str(tmp_path / "nocturne.toml")


def test_environment_over_file_and_flags_over_both(tmp_path: Path) -> None:
    environ = {"NOCTURNE_MODEL": "env-model", "NOCTURNE_JOBS": "8"}
    made = config(tmp_path, FILE, environ)
    assert (made.model, made.jobs, made.base_url) == ("env-model", 8, "http://localhost:1234/v1")
    made = config(tmp_path, FILE, environ, model="flag-model", limits=Limits(max_calls=1))
    assert (made.model, made.limits.max_calls, made.limits.deadline) == ("flag-model", 1, 600.0)


def test_another_provider_does_not_inherit_the_first_one_s_model_and_address(tmp_path: Path) -> None:
    made = config(tmp_path, FILE, provider="anthropic", model="claude")
    assert (made.model, made.base_url) == ("claude", "https://api.anthropic.com")
    assert config(tmp_path, FILE, provider="rules").model is None
    assert config(tmp_path, FILE, {"NOCTURNE_PROVIDER": "local"}).base_url is None


def test_the_user_s_own_file_counts_where_the_folder_has_none(tmp_path: Path) -> None:
    home = tmp_path / "conf" / "nocturne"
    home.mkdir(parents=True)
    (home / "nocturne.toml").write_text('[provider]\nname = "local"\n')
    environ = {"XDG_CONFIG_HOME": str(tmp_path / "conf")}
    assert config(tmp_path, None, environ).provider == "local"
    assert config(tmp_path, FILE, environ).provider == "openai"
    named = {**environ, "NOCTURNE_CONFIG": str(home / "nocturne.toml")}
    assert config(tmp_path, FILE, named).provider == "local"


def test_replay_is_chosen_by_its_file(tmp_path: Path) -> None:
    made = config(tmp_path, replay=Path("kept.jsonl"))
    assert (made.provider, made.replay) == ("replay", Path("kept.jsonl"))


@pytest.mark.parametrize(
    ("provider", "environ", "flags", "key"),
    [
        ("openai", {"OPENAI_API_KEY": "vendor"}, {}, "vendor"),
        ("openai", {"OPENAI_API_KEY": "vendor"}, {"base_url": "https://elsewhere.example/v1"}, None),
        (
            "openai",
            {"OPENAI_API_KEY": "vendor"},
            {"base_url": "https://api.openai.com.evil.example/v1"},
            None,
        ),
        ("openai", {"OPENAI_API_KEY": "vendor", "OPENAI_BASE_URL": "https://own.example/v1"}, {}, "vendor"),
        ("openai", {"OPENROUTER_API_KEY": "router"}, {"base_url": "https://openrouter.ai/api/v1"}, "router"),
        ("openai", {"ANTHROPIC_API_KEY": "other"}, {}, None),
        ("anthropic", {"ANTHROPIC_API_KEY": "vendor"}, {}, "vendor"),
        ("openai", {"NOCTURNE_API_KEY": "own", "OPENAI_API_KEY": "vendor"}, {}, "own"),
        ("openai", {"NOCTURNE_API_KEY": "own"}, {"base_url": "https://elsewhere.example/v1"}, "own"),
        ("local", {"NOCTURNE_API_KEY": "own"}, {}, None),
        ("rules", {"OPENAI_API_KEY": "vendor"}, {}, None),
    ],
)
def test_keys_go_only_where_they_belong(
    tmp_path: Path, provider: str, environ: dict[str, str], flags: dict[str, str], key: str | None
) -> None:
    assert config(tmp_path, None, environ, provider=provider, **flags).key == key


def test_a_key_is_never_shown(tmp_path: Path) -> None:
    made = config(tmp_path, None, {"NOCTURNE_API_KEY": "very-secret"}, provider="openai")
    assert made.key == "very-secret"
    assert "very-secret" not in repr(made)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[provider]\nname = 'gpt'\n", "provider.name is 'gpt'"),
        ("[provider]\njobs = 0\n", "provider.jobs is 0"),
        ("[provider]\njob = 2\n", "provider.job is not a key"),
        ("[provider]\napi_key = 'sk-x'\n", "keys are read from the environment alone"),
        ("[limits]\nmax_calls = -1\n", "limits.max_calls is -1"),
        ("[prices.m]\ninput = 1\n", "prices.m.output"),
        ("provider\n", "is not TOML"),
    ],
)
def test_mistakes_in_the_file_are_named(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        config(tmp_path, text)
    assert told in caught.value.message
    assert "sk-x" not in str(caught.value.message)


@pytest.mark.parametrize(
    ("environ", "flags", "told"),
    [
        ({}, {"provider": "gpt"}, "no provider is called gpt"),
        ({"NOCTURNE_JOBS": "many"}, {}, "provider.jobs is 'many'"),
        ({}, {"provider": "openai", "base_url": "localhost:1234"}, "is not a base URL"),
        ({}, {"provider": "openai", "base_url": "http://h:99999/v1"}, "is not a base URL"),
        ({}, {"provider": "openai", "base_url": "https://me:pw@h.example/v1"}, "holds a password"),
        ({}, {"provider": "openai", "base_url": "https://h.example/v1?key=1"}, "holds a password or a query"),
    ],
)
def test_mistakes_in_words_are_named(
    tmp_path: Path, environ: dict[str, str], flags: dict[str, str], told: str
) -> None:
    with pytest.raises(UsageError) as caught:
        config(tmp_path, None, environ, **flags)
    assert told in caught.value.message


def test_a_named_file_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(InputUnreadable):
        config(tmp_path, None, {"NOCTURNE_CONFIG": str(tmp_path / "none.toml")})
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(NocturneError):
        config(tmp_path, None, {"NOCTURNE_CONFIG": str(tmp_path / "bytes.toml")})


def test_user_directories_follow_xdg(tmp_path: Path) -> None:
    assert user_dir({"HOME": "/h"}, "cache") == Path("/h/.cache/nocturne")
    assert user_dir({"HOME": "/h", "XDG_DATA_HOME": "/d"}, "data") == Path("/d/nocturne")
    assert user_dir({"HOME": "/h", "XDG_CACHE_HOME": "relative"}, "cache") == Path("/h/.cache/nocturne")


def test_a_dry_run_writes_no_cache(tmp_path: Path) -> None:
    assert config(tmp_path).writes_cache
    assert not config(tmp_path, dry_run=True).writes_cache
