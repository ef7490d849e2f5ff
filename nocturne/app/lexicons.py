"""Load the lexicon that comes with nocturne."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from nocturne.app.shipped import beside_the_code
from nocturne.core.text.lexicon import Lexicon
from nocturne.errors import InputUnreadable

ORDER = ("en", "es", "pt", "fr", "de", "ru", "ar", "hi", "zh", "ja")
"""The languages that are judged, in the order in which they win a tie."""


def _read(name: str) -> Any:
    """One data file, parsed."""
    try:
        return json.loads(beside_the_code("core", "lexicons", f"{name}.json"))
    except (OSError, ValueError) as error:
        raise InputUnreadable(
            f"the lexicon {name}.json that comes with nocturne cannot be read: {error}",
            hint="pip install --force-reinstall nocturne-cli",
        ) from error


@lru_cache(maxsize=1)
def default_lexicon() -> Lexicon:
    """The lexicon of the ten languages, read once."""
    common = _read("common")
    return Lexicon.from_json(
        {**common, "order": list(ORDER), "languages": {name: _read(name) for name in ORDER}}
    )
