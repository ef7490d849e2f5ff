"""The shell around every command: help, exit codes, streams, and no trace for a person to read."""

from __future__ import annotations

import io
import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from nocturne.cli import commands, main, shell
from nocturne.cli.table import COMMANDS
from nocturne.errors import StoreLocked, UsageError


def spoken(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = main.run(list(argv))
    out, err = capsys.readouterr()
    return code, out, err


def test_the_overview_names_every_command_and_every_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = spoken(capsys, "--help")
    assert (code, err) == (0, "")
    for entry in COMMANDS:
        assert f"  {entry.name} " in out
    for word in ("0 done", "1 a check", "2 usage", "3 input", "4 model provider", "5 store damaged"):
        assert word in out


@pytest.mark.parametrize("name", [entry.name for entry in COMMANDS])
def test_each_command_documents_itself_with_examples(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = spoken(capsys, name, "--help")
    assert code == 0
    assert "examples\n" in out
    assert "--db PATH" in out or "commands\n" in out
    assert all(len(line) <= 80 for line in out.splitlines())


@pytest.mark.parametrize("name", [entry.name for entry in COMMANDS])
def test_each_example_is_a_command_line_that_parses(name: str) -> None:
    examples = commands.build(next(entry for entry in COMMANDS if entry.name == name)).examples
    assert any(f"nocturne {name}" in line for line, _ in examples)
    for line, _ in examples:
        words = shlex.split(line.split("|")[-1].split(" < ")[0].split(" > ")[0])
        assert words[0] == "nocturne", line
        command = commands.build(next(entry for entry in COMMANDS if entry.name == words[1]))
        rest = words[2:]
        if inner := getattr(command, "commands", None):
            command = inner[rest.pop(0)]
        command.make_context(words[1], rest, resilient_parsing=False)


def test_the_overview_is_no_wider_than_eighty(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = spoken(capsys, "--help")
    assert max(len(line) for line in out.splitlines()) <= 80


def test_an_unknown_command_is_met_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = spoken(capsys, "polcy")
    assert (code, out) == (2, "")
    assert "Did you mean policy?" in err
    assert "hint:" in err


def test_an_unknown_option_says_where_help_is(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = spoken(capsys, "policy", "show", "--jso")
    assert code == 2
    assert "no such option: --jso" in err
    assert "nocturne policy show --help" in err


@pytest.mark.parametrize("argv", [("--json", "policy", "list"), ("policy", "list", "--json")])
def test_common_options_work_before_and_after_the_command(
    argv: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = spoken(capsys, *argv)
    assert (code, err) == (0, "")
    assert json.loads(out)[0]["name"] == "default"


def test_a_failed_check_exits_1(capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.toml").write_text("loss_budget = 2\n", encoding="utf-8")
    code, out, _ = spoken(capsys, "policy", "check", "bad.toml")
    assert code == 1
    assert "allowed: a number from 0 to 1" in out


def test_a_wrong_clock_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = spoken(capsys, "policy", "list", "--now", "tomorrow")
    assert code == 2
    assert "--now is 'tomorrow', which is not a date or time" in err


def raising(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail(*_: object, **__: object) -> int:
        raise error

    monkeypatch.setattr("nocturne.app.policies.names", fail)


def test_an_error_for_people_is_two_lines_and_its_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    raising(monkeypatch, StoreLocked("a.db is locked", hint="try again"))
    assert spoken(capsys, "policy", "list") == (5, "", "error: a.db is locked\nhint:  try again\n")


def test_an_unexpected_error_is_no_trace(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    raising(monkeypatch, ZeroDivisionError("by nought"))
    code, out, err = spoken(capsys, "policy", "list")
    assert (code, out) == (5, "")
    assert "unexpected ZeroDivisionError: by nought" in err
    assert "NOCTURNE_DEBUG=1" in err
    assert "Traceback" not in err


def test_the_trace_is_there_for_whoever_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    raising(monkeypatch, ZeroDivisionError("by nought"))
    monkeypatch.setenv("NOCTURNE_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        main.run(["policy", "list"])


def test_an_interruption_is_a_word_and_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    raising(monkeypatch, KeyboardInterrupt())
    code, out, err = spoken(capsys, "policy", "list")
    assert (code, out) == (130, "")
    assert err.startswith("stopped:")


def test_times_are_read_as_utc_where_they_name_no_zone() -> None:
    assert shell.micros("1970-01-02") == 86_400_000_000
    assert shell.micros("1970-01-01T01:00:00+01:00") == 0
    assert shell.micros("1970-01-01T00:00:00.000001Z") == 1
    with pytest.raises(UsageError):
        shell.micros("soon")


HEAVY = ("numpy", "sklearn", "httpx", "pydantic", "sqlite3")


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom nocturne.cli import main\n"
        "assert main.run(['--help']) == 0\n"
        f"print('LOADED', [name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.rstrip().endswith("LOADED []")


def test_a_closed_pipe_is_quiet() -> None:
    script = f"{sys.executable} -m nocturne.cli.main policy show default | head -n 1"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("policy default")
    assert done.stderr == ""


def test_a_reader_that_goes_away_is_no_failure() -> None:
    script = f"set -o pipefail; {sys.executable} -m nocturne.cli.main policy show default | true"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("forced", [None, "", "0", "1"])
@pytest.mark.parametrize("compatible", [None, "", "0", "1", "yes"])
@pytest.mark.parametrize("tty", [True, False])
def test_a_terminal_is_what_rich_takes_for_one(
    forced: str | None, compatible: str | None, tty: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: tty)
    for name, value in (("FORCE_COLOR", forced), ("TTY_COMPATIBLE", compatible)):
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)
    assert shell.styled(stream) == Console(file=stream).is_terminal


@pytest.mark.parametrize(
    "text", ["plain", "a\tb", "bell\x07", "two\nlines", "", "日本 été", "[bold]no markup[/bold]"]
)
def test_a_note_is_what_rich_would_have_written(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    one = shell.Shell(Path("a.db"), as_json=False, quiet=False, now=0, command="")
    one.note(text)
    noted = capsys.readouterr().err
    one.err.print(text, soft_wrap=True)
    assert noted == capsys.readouterr().err
