"""Auditable consolidation of AI agents' memory: the model proposes, the code applies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nocturne.memory import Memory, judge

__all__ = ["Memory", "judge"]


def __getattr__(name: str) -> Any:
    # Loaded on first use: the command line must start without the store and the gates.
    if name in __all__:
        from nocturne import memory

        return getattr(memory, name)
    raise AttributeError(f"module 'nocturne' has no attribute {name!r}")
