"""Where the files that come with nocturne are: its policies and its demonstration conversation.

In a wheel they lie beside the code as package data; in a checkout they are the folders at its root.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import nocturne
from nocturne.errors import InputUnreadable

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


def beside_the_code(*place: str) -> bytes:
    """A file of the package, read by whatever loaded its code; OSError where it is not there.

    ``importlib.resources`` would take longer to load than a lexicon takes to read.
    """
    loader: Any = nocturne.__loader__
    found: bytes = loader.get_data(os.path.join(nocturne.__path__[0], *place))  # noqa: PTH118 - a loader takes text
    return found


def shipped(name: str) -> Traversable:
    """The folder ``policies`` or ``demo`` as it was shipped."""
    from importlib.resources import files

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
