"""Policies by name and by file: what holds, and how each mistake is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from nocturne.app import policies
from nocturne.core.policy import Policy
from nocturne.errors import InputUnreadable, UsageError


def write(text: str) -> str:
    path = Path("mine.toml")
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_the_shipped_default_is_the_default() -> None:
    written, problems = policies.inspect("default")
    assert (written, problems) == (Policy(), ())
    assert written is not None
    assert written.document() == policies.load("default").document() == Policy().document()


def test_each_shipped_policy_holds_and_bears_its_name() -> None:
    assert policies.names() == ("default", "strict", "tiny", "archive")
    for name in policies.names():
        assert policies.load(name).name == name


def test_the_shipped_policies_are_as_decided() -> None:
    strict, tiny, archive = (policies.load(name) for name in ("strict", "tiny", "archive"))
    assert (strict.merge.model_text, strict.promote.independent_sources, strict.loss_budget) == (
        False,
        2,
        0.05,
    )
    assert (tiny.forget.capacity, tiny.loss_budget) == (6, 1.0)
    assert "forget" not in archive.passes
    assert archive.forget.stale_days is None
    assert archive.sentence().startswith("forget nothing")


def test_a_file_takes_its_name_from_its_stem() -> None:
    policy = policies.load(write("[forget]\nstale_days = 30\n"))
    assert (policy.name, policy.forget.stale_days) == ("mine", 30)


def test_never_switches_a_limit_off() -> None:
    assert policies.load(write('[forget]\nstale_days = "never"\n')).forget.stale_days is None


@pytest.mark.parametrize(
    ("text", "key", "says"),
    [
        ("loss_budget = 2", "loss_budget", "a number from 0 to 1"),
        (
            'passes = ["dedupe", "dream"]',
            "passes.1",
            "dedupe, contradict, merge, promote, schematise, forget",
        ),
        ("[forget]\nstale_day = 3", "forget.stale_day", "did you mean stale_days?"),
        ("[forget]\nstale_days = 0", "forget.stale_days", 'a whole number from 1 to 36500 or "never"'),
        ("[forget]\ncapacity = 0", "forget.capacity", 'a whole number from 1 or "never"'),
        ('[forget]\nprotected = ["identty"]', "forget.protected.0", "identity, preferences"),
        ("[dedupe]\nfloor = 0.5", "dedupe.floor", "a number above 0.5 and up to 1"),
        ('[merge]\nmodel_text = "perhaps"', "merge.model_text", "true or false"),
        ("[boosts.chatt]\nidentity = 1.0", "boosts.chatt", "decision, research, tasks, chat"),
        ("[boosts.chat]\nidentityy = 1.0", "boosts.chat.identityy", "identity, preferences"),
        ("[boosts.chat]\nidentity = 0", "boosts.chat.identity", "above 0 and up to 10"),
        ('[strength]\nlaw = "cubic"', "strength.law", "hyperbolic, exponential, linear, none"),
        ('forget = "nothing"', "forget", "a table"),
        ("= 3", "the file", "line 1"),
    ],
)
def test_a_mistake_is_named_with_its_key_and_what_may_stand_there(text: str, key: str, says: str) -> None:
    policy, problems = policies.inspect(write(text))
    assert policy is None
    assert [problem.key for problem in problems] == [key]
    assert says in problems[0].allowed


def test_every_mistake_is_told_at_once() -> None:
    _, problems = policies.inspect(write("loss_budget = 2\npases = 1\n[merge]\nfloor = -1\n"))
    assert {problem.key for problem in problems} == {"loss_budget", "pases", "merge.floor"}


def test_load_says_the_first_mistake_and_where_to_see_the_rest() -> None:
    with pytest.raises(UsageError, match=r"mine.toml: .*\(and 1 more\)") as caught:
        policies.load(write("loss_budget = 2\npases = 1\n"))
    assert caught.value.hint == "nocturne policy check mine.toml"


def test_an_unknown_name_is_met_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="no policy called strickt") as caught:
        policies.load("strickt")
    assert caught.value.hint is not None
    assert "did you mean strict?" in caught.value.hint


def test_a_file_that_is_not_there_is_unreadable_input() -> None:
    with pytest.raises(InputUnreadable, match="does not exist"):
        policies.load("nowhere/mine.toml")


def test_a_file_that_is_not_text_is_unreadable_input() -> None:
    Path("mine.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputUnreadable, match="not UTF-8"):
        policies.load("mine.toml")


def test_settings_cover_every_key_and_say_what_differs() -> None:
    changed = {s.key for s in policies.settings(policies.load("tiny")) if not s.is_default}
    assert changed == {"name", "loss_budget", "forget.capacity"}
    assert all(s.allowed != "allowed: a table" for s in policies.settings(Policy()))
