"""The plain reader against Typer: what it reads it reads the same, and what is open to doubt it leaves alone."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nocturne.cli import commands, main
from nocturne.cli.parameters import NEEDED, Parameter, parameters
from nocturne.cli.plain import understood
from nocturne.cli.shell import COMMON
from nocturne.cli.table import COMMANDS
from nocturne.errors import UsageError
from tests.e2e.conftest import Run, _nights, run, slept

__all__ = ["_nights", "run", "slept"]

Read = tuple[str, dict[str, Any], dict[str, Any]]


def _name(ran: Callable[..., Any]) -> str:
    return f"{ran.__module__}.{ran.__name__}"


def _alike(told: Mapping[str, Any]) -> dict[str, Any]:
    """Nothing given and an empty list are one to every command."""
    return {name: value or None if value == [] else value for name, value in told.items()}


def _standing(before: Mapping[str, Any]) -> dict[str, Any]:
    """The common options before a command that were given at all."""
    return {name: before[name] for name in COMMON if before.get(name)}


@contextmanager
def _caught() -> Iterator[list[Read]]:
    caught: list[Read] = []

    def perform(
        ran: Callable[..., Any], told: Mapping[str, Any], *, before: Mapping[str, Any], **_: Any
    ) -> int:
        caught.append((_name(ran), _alike(told), _standing(before)))
        return 0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(commands, "perform", perform)
        yield caught


def by_typer(argv: list[str]) -> Read | str:
    """What Typer makes of the line; the error's name where it makes nothing."""
    with _caught() as caught:
        try:
            commands.app(argv, prog_name="nocturne", standalone_mode=False, obj=argv)
        except Exception as error:  # noqa: BLE001 - whatever it says, it does not call a command
            return type(error).__name__
    return caught[0] if caught else "nothing"


def by_hand(argv: list[str]) -> Read | str | None:
    """What the plain reader makes of it; None where it leaves the line to Typer."""
    try:
        call = understood(argv)
    except UsageError as error:
        return type(error).__name__
    return None if call is None else (_name(call.run), _alike(call.told), _standing(call.before))


def runs() -> dict[tuple[str, ...], tuple[Callable[..., Any], bool]]:
    """Every command and action by its words, and whether it takes several stores."""
    found: dict[tuple[str, ...], tuple[Callable[..., Any], bool]] = {}
    for entry in COMMANDS:
        module = import_module(entry.module)
        if actions := getattr(module, "ACTIONS", None):
            found |= {(entry.name, name): (ran, False) for name, ran in actions}
        else:
            found[entry.name,] = (module.run, getattr(module, "SEVERAL_STORES", False))
    return found


RUNS = runs()
WORDS = st.one_of(
    st.sampled_from(
        [
            "where does Dana live",
            "m12",
            "s3",
            "latest",
            "5",
            "0",
            "007",
            "10000",
            "-3",
            "2.5",
            "1e3",
            " 7",
            "٣",
            "+4",
        ]
    ),
    st.sampled_from(
        ["-", "--", "", "--db", "-q", "--top", "--json", "--help", "-h", "-n5", "-qn", "--jso", "x=y"]
    ),
    st.sampled_from(
        ["chat", "Chat", "json", "default", "a.txt", "no/such", "été", "日本", "\udcff", "a\tb", "'"]
    ),
    st.text(max_size=8).filter(lambda text: "\0" not in text),
)


COMMONLY = st.sampled_from(["--db", "a.db", "--db=a.db", "--json", "-q", "--quiet", "--now", "2026-01-02"])


def _fitting(parameter: Parameter) -> st.SearchStrategy[str]:
    what = parameter.what
    inner = [each for each in (what, *get_args(what)) if get_origin(each) is Literal]
    if inner:
        return st.sampled_from(get_args(inner[0]))
    if int in (what, *get_args(what)) or float in (what, *get_args(what)):
        return st.integers(0, 80).map(str)
    return st.sampled_from(["m12", "default", "a.db", "2026-01-02", "night.json", "where is it"])


@st.composite
def lines(draw: st.DrawFn) -> list[str]:
    """A command line, mostly of declared options and fitting values, here and there of anything."""
    name = draw(st.sampled_from(sorted(RUNS)))
    ran, several = RUNS[name]
    argv: list[str] = []
    for parameter in draw(st.lists(st.sampled_from(parameters(ran, several=several)), max_size=5)):
        what, told = parameter.what, parameter.told
        value = draw(st.one_of(_fitting(parameter), _fitting(parameter), _fitting(parameter), WORDS))
        if not told.is_option:
            argv.append(value)
            continue
        option = draw(st.sampled_from(told.names))
        if what is bool:
            argv.append(option)
        elif draw(st.booleans()) and option.startswith("--"):
            argv.append(f"{option}={value}")
        else:
            argv += [option, value]
    if draw(st.integers(0, 5)) == 0:
        argv.insert(draw(st.integers(0, len(argv))), draw(WORDS))
    if draw(st.integers(0, 9)) == 0:
        return [draw(WORDS), *name, *argv]
    if draw(st.integers(0, 3)) == 0:
        return [*draw(st.lists(st.one_of(COMMONLY, WORDS), max_size=4)), *name, *argv]
    return [*name, *argv]


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines())
def test_what_is_read_plainly_is_what_typer_reads(argv: list[str]) -> None:
    plainly = by_hand(argv)
    if plainly is not None:
        assert plainly == by_typer(argv)


@pytest.mark.parametrize("name", sorted(RUNS))
def test_a_command_with_nothing_but_its_arguments_is_read_plainly(name: tuple[str, ...]) -> None:
    ran, several = RUNS[name]
    needed = [each for each in parameters(ran, several=several) if each.default is NEEDED]
    argv = [*name]
    for parameter in needed:
        what, told = parameter.what, parameter.told
        value = get_args(what)[0] if get_origin(what) is Literal else "m12"
        argv += [told.names[0], value] if told.is_option else [value]
    assert by_hand(argv) == by_typer(argv)
    assert by_hand(argv) is not None


def test_the_examples_of_recall_are_all_read_plainly() -> None:
    for line, _ in import_module("nocturne.cli.recall").EXAMPLES:
        argv = shlex.split(line.split(" < ")[0])[1:]
        assert by_hand(argv) == by_typer(argv)
        assert by_hand(argv) is not None


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["--help"],
        ["recall", "--help"],
        ["recall", "-h"],
        ["--jso", "recall", "port"],
        ["recal", "port"],
        ["recall", "port", "--jso"],
        ["--db", "recall", "port"],
        ["--db", "a.db", "--db"],
        ["--version", "recall", "port"],
        ["--db=a.db"],
        ["recall", "port", "--top"],
        ["recall", "port", "--top", "0"],
        ["recall", "port", "--top", "1001"],
        ["recall", "port", "--top", "five"],
        ["recall", "port", "--top", "-5"],
        ["recall", "port", "--top", "2", "--top", "3"],
        ["recall", "port", "--json=yes"],
        ["recall", "port", "--intent", "Chat"],
        ["recall", "port", "more"],
        ["recall", ""],
        ["recall", "--", "port"],
        ["recall", "--db", "--json"],
        ["recall", "\udcff"],
        ["why"],
        ["policy"],
        ["policy", "lst"],
    ],
)
def test_what_is_open_to_doubt_is_left_to_typer(argv: list[str]) -> None:
    assert understood(argv) is None


def test_common_options_before_a_command_are_read_plainly() -> None:
    call = understood(["--db", "a.db", "--json", "-q", "--now=2026-01-02", "recall", "port", "--top", "3"])
    assert call is not None
    assert call.before == {"db": ["a.db"], "as_json": True, "quiet": True, "now": "2026-01-02"}
    assert (call.told["query"], call.told["top"]) == ("port", 3)


def test_a_shell_that_asks_for_completions_is_left_to_typer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_NOCTURNE_COMPLETE", "complete_bash")
    assert understood(["recall", "port"]) is None


def test_an_unreadable_file_is_left_to_typer(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("turns.txt").write_text("hello\n", encoding="utf-8")
    assert understood(["recall", "port", "--context", "turns.txt"]) is not None
    monkeypatch.setattr("os.access", lambda *_: False)
    assert understood(["recall", "port", "--context", "turns.txt"]) is None


def test_a_check_of_a_value_is_made_on_both_ways() -> None:
    Path("store.db").write_bytes(b"SQLite format 3\0 and so on")
    argv = ["export", "--out", "store.db"]
    assert by_hand(argv) == by_typer(argv) == "UsageError"


LINES = (
    ["recall", "where does Dana live"],
    ["recall", "where does Dana live", "--json", "--read-only"],
    ["recall", "penicillin", "--explain", "--intent", "decision", "--top=2"],
    ["recall", "penicillin", "--at", "s1"],
    ["recall", "penicillin", "--at", "s99"],
    ["recall", "penicillin", "--as-of", "yesterday"],
    ["recall", "penicillin", "--policy", "strict"],
    ["recall", "penicillin", "--policy", "strickt"],
    ["recall", "penicillin", "--context", "none.txt"],
    ["recall", "zeppelin"],
    ["recall", "penicillin", "--db", "none.db"],
    ["recall", "penicillin", "--db", "a.db", "--db", "b.db"],
    ["recall", "penicillin", "--now", "soon"],
    ["recall", "penicillin", "--quiet"],
    ["log"],
    ["log", "-n", "1", "--json"],
    ["why", "m1"],
    ["why", "m999"],
    ["why", "first"],
    ["facts", "--block", "human"],
    ["policy", "show", "tiny"],
    ["explain", "N203"],
    ["doctor"],
)


@pytest.mark.parametrize("argv", LINES, ids=" ".join)
@pytest.mark.parametrize("colour", ["", "1"])
def test_both_ways_say_the_same_and_leave_the_same(
    argv: list[str], colour: str, run: Run, slept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert understood(argv) is not None
    monkeypatch.setenv("FORCE_COLOR", colour)
    before = slept.read_bytes()
    plainly = run(*argv, code=None)
    after = slept.read_bytes()
    slept.write_bytes(before)
    monkeypatch.setattr(main, "understood", lambda _: None)
    assert run(*argv, code=None) == plainly
    assert slept.read_bytes() == after
    assert ("\x1b[" in plainly.out) <= bool(colour)


HEAVY = (
    "typer",
    "rich",
    "pydantic",
    "numpy",
    "sklearn",
    "httpx",
    "importlib.metadata",
    "importlib.resources",
)


@pytest.mark.parametrize("argv", [["recall", "penicillin"], ["log"], ["why", "m1"]], ids=" ".join)
def test_a_plain_line_loads_none_of_what_it_does_without(argv: list[str], slept: Path) -> None:
    code = (
        "import sys\nfrom nocturne.cli import main\n"
        f"assert main.run({[*argv, '--db', str(slept)]!r}) == 0\n"
        f"print('LOADED', [name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.rstrip().endswith("LOADED []")


def test_an_interruption_ends_both_ways_alike(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for error in (KeyboardInterrupt, EOFError):

        def stop(*_: object, error: type[BaseException] = error) -> None:
            raise error

        monkeypatch.setattr("nocturne.app.policies.names", stop)
        ended = []
        for way in (main.understood, lambda _: None):
            monkeypatch.setattr(main, "understood", way)
            ended.append((main.run(["policy", "list"]), capsys.readouterr()))
        assert ended[0] == ended[1]
        assert ended[0][0] == 130
        monkeypatch.undo()
