"""Where the files that come with nocturne are: its policies and its demonstration conversation.

In a wheel they lie beside the code as package data; in a checkout they are the folders at its root.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from nocturne.errors import InputUnreadable

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_PACKAGE = Path(__file__).parent.parent


def beside_the_code(*place: str) -> bytes:
    """A file of the package, read by whatever loaded its code; OSError where it is not there.

    ``importlib.resources`` would take longer to load than a lexicon takes to read.
    """
    loader: Any = __spec__.loader
    found: bytes = loader.get_data(str(_PACKAGE.joinpath(*place)))
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
