"""Transcripts in: one reader a format, detection by content, and the account of what was left out.

``read`` gives the turns of one source; ``discover`` lists the transcripts below a directory. To add a format,
write a reader and name it in ``READERS``.
"""

from __future__ import annotations

from nocturne.formats.ingestion import READERS, read
from nocturne.formats.reading import Reader, Reading
from nocturne.formats.walk import Discovery, discover

__all__ = ["READERS", "Discovery", "Reader", "Reading", "discover", "read"]
