"""What a large night does between its passes, so that none works beside what another one has left in memory."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any

from nocturne.passes.rulings import LARGE

_MANY = 1_000
"""Memos of fewer entries hold no texts of facts."""


def ease(facts: int, *, texts: bool = False) -> None:
    """Give freed memory back in a night over many facts; and forget what is remembered of ``texts`` that were read."""
    if facts < LARGE:
        return
    if texts:
        _forget_texts()
    trim = _trim()
    if trim is not None:
        trim(0)


def _forget_texts() -> None:
    for name, module in list(sys.modules.items()):
        if name.startswith("nocturne.core."):
            for held in list(vars(module).values()):
                if isinstance(held, type(_trim)) and (held.cache_parameters()["maxsize"] or 0) >= _MANY:
                    held.cache_clear()


@lru_cache(maxsize=1)
def _trim() -> Any:
    """The C library's way to give back what lies free between what is in use; None where it has none: glibc has it."""
    try:
        import ctypes

        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, ImportError, OSError, TypeError):
        return None
