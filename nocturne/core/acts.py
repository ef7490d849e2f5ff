"""Deeds on the record that no proposal asked for: a restore, a purge, a text that may not come back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from nocturne.core.facts import Activation, Change, Link

if TYPE_CHECKING:
    from nocturne.core.verdicts import Origin

Cause = Literal["forget", "reject", "purge"]

ERASED = "[erased]"
"""What is read where a text was purged."""
PURGED = "[purged]"
"""What is stored where a transcript says again what was purged."""


@dataclass(frozen=True, slots=True)
class Tombstone:
    """A content that a person does not want back; ``key`` is an HMAC, so that it does not say what it was."""

    key: str
    cause: Cause
    fact: int | None = None


@dataclass(frozen=True, slots=True)
class Act:
    """One deed: ``kind`` names it (``restore``, ``purge``, ``tombstone`` …), ``rule`` why it stands.

    ``refs`` holds ids and words of ours only; whatever a person typed goes into ``reason`` or ``evidence``,
    which a purge can erase. ``buries`` and ``lifts`` are the tombstones that it sets and takes away.
    """

    kind: str
    pass_name: str = "person"
    origin: Origin = "person"
    rule: str | None = None
    fact: int | None = None
    refs: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    links: tuple[Link, ...] = ()
    activations: tuple[Activation, ...] = ()
    buries: tuple[Tombstone, ...] = ()
    lifts: tuple[str, ...] = ()
    memo: str | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)
