"""Exceptions for the outside world: a bad file, a locked store, a provider that is down.

A gate never raises one of these to say "refused"; refusals are values (core.verdicts).
"""

from __future__ import annotations


class NocturneError(Exception):
    """Something outside went wrong: what, where, and what to do next."""

    exit_code = 5

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class CheckFailed(NocturneError):
    """A check that the person asked for did not hold."""

    exit_code = 1


class UsageError(NocturneError):
    """The command's words or its configuration are off."""

    exit_code = 2


class InputUnreadable(NocturneError):
    """A file, stream or store path cannot be read as what it should be."""

    exit_code = 3


class ProviderFailed(NocturneError):
    """The model provider could not be reached or gave nothing usable."""

    exit_code = 4


class StoreDamaged(NocturneError):
    """The database is not a whole nocturne store, or is of a newer version."""

    exit_code = 5


class StoreLocked(NocturneError):
    """Another process holds the store's write lock."""

    exit_code = 5


class StoreWriteFailed(NocturneError):
    """The disk is full or refused the write; the step was undone."""

    exit_code = 5
