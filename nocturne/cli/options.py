"""Options that several commands share, said once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from nocturne.cli.parameters import Option
from nocturne.errors import UsageError

_DATABASE = b"SQLite format 3\0"
_SIDECARS = ("-wal", "-shm", "-journal")


def _not_a_store(path: Path | None) -> Path | None:
    """A file that a command may write anew: never a database, which one slip of the hand would destroy."""
    if path is None:
        return None
    logged = [path.with_name(path.name.removesuffix(end)) for end in _SIDECARS if path.name.endswith(end)]
    if any(_is_database(held) for held in (path, *logged)):
        raise UsageError(f"{path} belongs to a database, and would be overwritten", hint="name another file")
    return path


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_DATABASE)) == _DATABASE
    except OSError:
        # Nothing is there, or it cannot be read: writing says which.
        return False


PolicyOption = Annotated[
    str,
    Option("--policy", metavar="NAME|FILE", help="A shipped policy or a TOML file."),
]
ProviderOption = Annotated[
    str | None,
    Option(
        "--provider",
        metavar="NAME",
        help="Who proposes: rules, openai, anthropic, local or replay [nocturne.toml, else rules].",
        show_default=False,
        rich_help_panel="proposer",
    ),
]
ModelOption = Annotated[
    str | None,
    Option("--model", metavar="NAME", help="The provider's model.", rich_help_panel="proposer"),
]
BaseUrlOption = Annotated[
    str | None,
    Option(
        "--base-url",
        metavar="URL",
        help="Where an OpenAI-compatible server listens.",
        rich_help_panel="proposer",
    ),
]
JobsOption = Annotated[
    int | None,
    Option("--jobs", metavar="N", min=1, max=64, help="Requests at a time.", rich_help_panel="proposer"),
]
MaxTokensOption = Annotated[
    int | None,
    Option(
        "--max-tokens",
        metavar="N",
        min=1,
        help="Stop asking after so many tokens.",
        rich_help_panel="proposer",
    ),
]
MaxCallsOption = Annotated[
    int | None,
    Option(
        "--max-calls", metavar="N", min=1, help="Stop asking after so many calls.", rich_help_panel="proposer"
    ),
]
DeadlineOption = Annotated[
    float | None,
    Option(
        "--deadline",
        metavar="SECONDS",
        min=0.0,
        help="Stop asking after so long.",
        rich_help_panel="proposer",
    ),
]
RecordOption = Annotated[
    Path | None,
    Option(
        "--record",
        metavar="FILE",
        help="Write the model's replies to a file.",
        rich_help_panel="proposer",
        callback=_not_a_store,
    ),
]
ReplayOption = Annotated[
    Path | None,
    Option("--replay", metavar="FILE", help="Answer from recorded replies.", rich_help_panel="proposer"),
]
PlanOption = Annotated[
    Path | None,
    Option(
        "--plan",
        metavar="FILE",
        help="Save the judged plan for nocturne apply; implies --dry-run.",
        callback=_not_a_store,
    ),
]
OutOption = Annotated[
    Path | None,
    Option("--out", "-o", metavar="FILE", help="Write to a file.", show_default=False, callback=_not_a_store),
]
HtmlOption = Annotated[
    Path,
    Option(
        "--html",
        metavar="FILE",
        help="Where to write the page; - for stdout.",
        show_default=False,
        callback=_not_a_store,
    ),
]
