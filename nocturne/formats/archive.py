"""The members of a zip export, each as a source of its own."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator

from nocturne.errors import InputUnreadable
from nocturne.formats.source import CHUNK, Source

MEMBER_BYTES = 8 * 1024**3
"""A member that unpacks to more than this is refused: no chat export comes near, and a bomb does."""


def members(archive: Source) -> Iterator[Source]:
    """Every member that can be a transcript, in the order of names, each unpacked to a temporary file.

    Folders and what is plainly binary are passed over. Close each source after use.
    """
    try:
        with zipfile.ZipFile(archive.stream()) as zipped:
            for info in sorted(zipped.infolist(), key=lambda info: info.filename):
                if info.is_dir() or info.file_size == 0 or ".deleted" in info.filename:
                    continue
                opened = _unpack(archive, zipped, info)
                if opened is not None:
                    yield opened
    except (zipfile.BadZipFile, NotImplementedError, EOFError, RuntimeError) as error:
        raise archive.refuse(f"the zip archive is damaged or locked: {error}", "unpack it by hand") from error


def _unpack(archive: Source, zipped: zipfile.ZipFile, info: zipfile.ZipInfo) -> Source | None:
    if info.file_size > MEMBER_BYTES:
        raise archive.refuse(f"{info.filename} unpacks to {info.file_size} bytes, more than {MEMBER_BYTES}")
    with zipped.open(info) as packed:
        try:
            return Source.of_chunks(iter(lambda: packed.read(CHUNK), b""), info.filename)
        except InputUnreadable:
            return None
