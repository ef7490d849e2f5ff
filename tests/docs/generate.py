"""The generated parts of the documents: ``<!-- generated: NAME ARGS -->`` … ``<!-- end -->``."""

from __future__ import annotations

import ast
import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from nocturne.app import policies
from nocturne.cli import main
from nocturne.cli.help import EXIT_CODES
from nocturne.cli.table import COMMANDS
from nocturne.core.codes import CODES

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ("README.md", "nocturne/cli/COMMANDS.md", "nocturne/report/JSON.md")

_PART = re.compile(r"(<!-- generated: ([^\n]*?) -->\n).*?(<!-- end -->)", re.DOTALL)


def renewed(text: str) -> str:
    """The document with every generated part made anew."""

    def part(found: re.Match[str]) -> str:
        name, *args = found[2].split()
        return f"{found[1]}{PARTS[name](*args)}{found[3]}"

    return _PART.sub(part, text)


def nocturne(*words: str, given: str = "") -> str:
    """What the command prints on stdout, in 80 columns and without colour."""
    streams = sys.stdin, sys.stdout
    sys.stdin = io.TextIOWrapper(io.BytesIO(given.encode()), encoding="utf-8")
    sys.stdout = said = io.StringIO()
    try:
        code = main.run(words)
    finally:
        sys.stdin, sys.stdout = streams
    if code:
        raise RuntimeError(f"nocturne {' '.join(words)} ended {code}")
    return said.getvalue()


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NOCTURNE_")}
    return {**kept, "NO_COLOR": "1", "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"}


def _block(text: str, language: str = "") -> str:
    return f"```{language}\n{text.strip()}\n```\n"


def _commands() -> str:
    rows = ["| group | command | what it does |\n|---|---|---|\n"]
    shown = ""
    for entry in COMMANDS:
        group = entry.panel if entry.panel != shown else ""
        shown = entry.panel
        rows.append(f"| {group} | `nocturne {entry.name}` | {entry.line} |\n")
    return "".join(rows)


def _help() -> str:
    return "\n".join(
        f"## nocturne {entry.name}\n\n{_block(nocturne(entry.name, '--help'))}" for entry in COMMANDS
    )


def _exit_codes() -> str:
    rows = (f"| {code} | {what} |\n" for code, what in EXIT_CODES)
    return "| exit code | meaning |\n|---|---|\n" + "".join(rows)


def _policies() -> str:
    rows = (f"| `{name}` | {policies.load(name).sentence()} |\n" for name in policies.names())
    return "| policy | in one sentence |\n|---|---|\n" + "".join(rows)


def _demo(*wanted: str) -> str:
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run(
            ["bash", str(ROOT / "fixtures" / "demo" / "run.sh"), f"{place}/demo"],
            capture_output=True,
            text=True,
            check=True,
            env={**_environment(), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        )
    # What the machine's speed decides is not what the document claims.
    out = re.sub(r"\bin \d+(\.\d+)? s\b", "in 0.1 s", done.stdout)
    runs = re.split(r"^(?=\$ )", out, flags=re.MULTILINE)
    return _block("".join(run for run in runs if run.startswith("$ ") and _verb(run) in wanted))


def _verb(run: str) -> str:
    return run.split("\n", 1)[0].removeprefix("$ nocturne ").replace(" --dry-run", "-dry-run").split()[0]


def _codes() -> str:
    rows = (
        f"| {entry.code} | {entry.title} | {entry.why} | {', '.join(entry.passes)} |\n" for entry in CODES
    )
    return "| code | refused | because | in |\n|---|---|---|---|\n" + "".join(rows)


def _gate() -> str:
    line = '{"pass":"dedupe","drop":{"text":"I do not eat meat."},"keep":{"text":"I eat meat."}}\n'
    return _block(nocturne("gate", given=line), "json")


def _library() -> str:
    return _block((ROOT / "tests" / "docs" / "example.py").read_text(encoding="utf-8"), "python")


def _shapes() -> str:
    parts = []
    for path in sorted((ROOT / "nocturne" / "report" / "data").glob("*.py")):
        if path.stem == "__init__":
            continue
        said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        title, _, rest = said.partition("\n\n")
        text = rest or title
        parts.append(
            f"## {path.stem}\n\n" + (f"{title}\n\n" if rest else "") + text.replace("``", "`") + "\n"
        )
    return "\n".join(parts)


PARTS: dict[str, Callable[..., str]] = {
    "commands": _commands,
    "help": _help,
    "exit-codes": _exit_codes,
    "policies": _policies,
    "demo": _demo,
    "codes": _codes,
    "gate": _gate,
    "library": _library,
    "shapes": _shapes,
}
