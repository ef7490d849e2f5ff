"""Where the files that come with nocturne are: its policies and its demonstration conversation.

In a wheel they lie beside the code as package data; in a checkout they are the folders at its root.
"""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable

from nocturne.errors import InputUnreadable


def shipped(name: str) -> Traversable:
    """The folder ``policies`` or ``demo`` as it was shipped."""
    packed = files("nocturne") / "data" / name
    if packed.is_dir():
        return packed
    root = files("nocturne") / ".."
    for folder in (root / name, root / "fixtures" / name):
        if folder.is_dir():
            return folder
    raise InputUnreadable(
        f"the folder {name} that comes with nocturne is not where it was installed",
        hint="pip install --force-reinstall nocturne-cli",
    )
