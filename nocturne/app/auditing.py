"""``nocturne audit``: the record replayed, every accepted mutation measured anew, every active fact traced."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, Protocol

from pydantic import ValidationError

from nocturne.core.acts import ERASED
from nocturne.core.audit import Measured, Remeasure
from nocturne.core.digest import TOMBSTONE, keyed
from nocturne.core.facts import Turn
from nocturne.core.policy import Policy
from nocturne.core.record import Problem, Replayed
from nocturne.core.replay import Watch
from nocturne.core.text.lexicon import Lexicon
from nocturne.errors import UsageError

_HEAD = re.compile(r"[0-9a-fA-F]{8,64}")


class Audited(Protocol):
    """What an audit needs of a store."""

    def secret(self) -> bytes: ...
    def replayed(self, since: int | None = None, watch: Watch | None = None) -> Replayed: ...
    def entry_with(self, hash_: str) -> int | None: ...
    def word(self, hash_: str) -> str | None: ...
    def turns(self, ids: list[int]) -> Mapping[int, Turn]: ...
    def policies(self) -> Mapping[str, str]: ...
    def lexicons(self) -> Mapping[str, str]: ...
    def settings(self, upto: int) -> Mapping[int, tuple[str, str]]: ...
    def tombstone_keys(self) -> frozenset[str]: ...
    def problems(self) -> list[str]: ...
    def index_problems(self) -> list[str]: ...
    def meta_problems(self, replayed: Replayed) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit found.

    ``head_expected`` is what the chain was compared with, if anything, and ``head_at`` the entry that it is.
    """

    replayed: Replayed
    measured: Measured
    file: tuple[str, ...]
    index: tuple[str, ...]
    meta: tuple[str, ...]
    since: int | None
    head_expected: str | None = None
    head_at: int | None = None

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that does not hold."""
        found = [*self.replayed.problems, *self.measured.problems]
        found += [Problem("file", what) for what in self.file]
        found += [Problem("index", what) for what in self.index]
        found += [Problem("meta", what) for what in self.meta]
        if self.head_expected is not None and self.head_at is None:
            what = f"{self.head_expected} is no entry of it: it was cut off or rewritten"
            found.append(Problem("chain", what))
        return tuple(found)

    @property
    def exit_code(self) -> Literal[0, 1]:
        """1 where anything does not hold."""
        return 1 if self.problems else 0


def audit(
    store: Audited, *, lexicon: Lexicon, since: int | None = None, expect_head: str | None = None
) -> Audit:
    """Re-derive everything that is covered from the database itself. Reads only.

    ``expect_head`` is a hash that ``log --head`` printed once, or its first eight digits or more: the chain must
    still hold it, however far it has grown since.
    """
    if expect_head is not None and not _HEAD.fullmatch(expect_head):
        raise UsageError(
            f"{expect_head!r} is no head of a chain", hint="8 to 64 hex digits, as nocturne log --head prints them"
        )
    expected = expect_head.lower() if expect_head is not None else None

    @lru_cache(maxsize=50_000)
    def word(hash_: str) -> str | None:
        return store.word(hash_)

    @lru_cache(maxsize=50_000)
    def turn(id_: int) -> Turn | None:
        found = store.turns([id_]).get(id_)
        return None if found is None or found.text == ERASED else found

    watch = Remeasure(
        words=word,
        turn=turn,
        policies={digest: policy for digest, text in store.policies().items() if (policy := _policy(text))},
        lexicons={
            digest: lexicon_ for digest, text in store.lexicons().items() if (lexicon_ := _lexicon(text))
        },
        settings={} if since is None else store.settings(since),
    )
    replayed = store.replayed(since, watch)
    secret, known = store.secret(), store.tombstone_keys()
    watch.sweep(
        replayed.state,
        lexicon,
        lambda tokens: bool(known) and keyed(secret, TOMBSTONE, sorted(tokens)) in known,
    )
    watch.found.tombstones = len(known)
    return Audit(
        replayed,
        watch.found,
        tuple(store.problems()),
        tuple(store.index_problems()),
        tuple(store.meta_problems(replayed)),
        since,
        expected,
        store.entry_with(expected) if expected is not None else None,
    )


@lru_cache(maxsize=16)
def _policy(text: str) -> Policy | None:
    # The record keeps ratios as decimal strings, which the model reads as the numbers that a person wrote.
    try:
        return Policy.of(json.loads(text))
    except (ValueError, ValidationError):
        return None


@lru_cache(maxsize=4)
def _lexicon(text: str) -> Lexicon | None:
    # Kept between audits: every measure remembers what it measured by the lexicon's identity.
    # One that was altered is told by the replay; what was judged under it cannot be measured.
    try:
        return Lexicon.from_json(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
