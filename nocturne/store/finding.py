"""Which files of a folder are stores: told by their header, without opening a database."""

from __future__ import annotations

import os
from pathlib import Path

from nocturne.errors import InputUnreadable
from nocturne.store.connection import APPLICATION_ID, HEADER

_MARK = slice(68, 72)
"""Where a SQLite file's header keeps the application's id."""


def stores_in(folder: Path) -> list[Path]:
    """The stores that lie in the folder itself, in order of name; InputUnreadable where there is none."""
    try:
        with os.scandir(folder) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        raise InputUnreadable(
            f"{folder} cannot be read: {error.strerror}", hint="check who owns the folder"
        ) from error
    found = [folder / entry.name for entry in listed if _is_store(entry)]
    if not found:
        held = f"{len(listed)} other entries" if len(listed) != 1 else "one other entry"
        raise InputUnreadable(
            f"{folder} holds no nocturne store" + (f", only {held}" if listed else ": it is empty"),
            hint="Only ingest and init create a store; stores in folders below it are not looked for.",
        )
    return found


def _is_store(entry: os.DirEntry[str]) -> bool:
    try:
        if not entry.is_file():
            return False
        with Path(entry.path).open("rb") as file:
            head = file.read(_MARK.stop)
    except OSError:
        # What is named like a store and cannot be read is not passed over: opening it says why.
        return entry.name.endswith(".db")
    return head.startswith(HEADER) and head[_MARK] == APPLICATION_ID.to_bytes(4, "big")
