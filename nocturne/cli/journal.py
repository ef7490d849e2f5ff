"""A proposer's journal in the store: raw replies are kept as they come, and found again by what was asked."""

from __future__ import annotations

from dataclasses import dataclass, field

from nocturne.store.side import Reply
from nocturne.store.store import SqliteStore


@dataclass
class StoreJournal:
    """See ``app.asking.Journal``. ``now`` is in microseconds since the epoch."""

    store: SqliteStore
    proposer: str
    now: int
    _kept: int = field(default=0, init=False)

    def get(self, key: str) -> str | None:
        """The last line kept under ``key``, in this run or an earlier one; what was purged is not there."""
        found = self.store.replies(request=key)
        return found[-1].text if found else None

    def put(self, key: str, line: str, *, pass_name: str) -> None:
        """Keep one line, in a small transaction of its own."""
        self._kept += 1
        head = self.store.head().hash
        self.store.journal(Reply(head, pass_name, self._kept, key, self.proposer, line, self.now))
