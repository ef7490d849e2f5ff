"""What makes a turn the same turn again: a native id that is unique everywhere, else the talk before it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from nocturne.core.facts import Turn

_OPEN_SESSIONS = 256
# A random id: a UUID, or a long word of letters and digits behind an optional prefix ("msg_01GkQ…").
_RANDOM = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:[a-z]+[_-])?(?=[A-Za-z]*\d)[0-9A-Za-z]{20,}",
    re.IGNORECASE,
)


def is_unique_id(native_id: str | None) -> bool:
    """Whether the id is random enough never to name two turns; a part's ``#suffix`` is not looked at."""
    return native_id is not None and _RANDOM.fullmatch(native_id.split("#", 1)[0]) is not None


def turn_key(turn: Turn, previous_key: str = "", *, own_sessions: bool = False) -> str:
    """The turn's key: 64 hex digits. ``previous_key`` is the key of the turn before it in its session.

    The session's name and the time are left out, so that a resumed session that replays its prefix under a
    new id, or a fork that copies it with new times, gets the same keys. Where sessions are named by whoever
    wrote the file and never replayed (``own_sessions``), both count. Give it the turn as it is stored, with
    its secrets already replaced: no hash of a secret is kept.
    """
    if is_unique_id(turn.native_id):
        return _digest("id", turn.native_id or "")
    tool = turn.tool
    return _digest(
        "chain",
        previous_key,
        *((turn.session or "", str(turn.said_at)) if own_sessions else ()),
        turn.native_id or "",
        turn.provenance,
        turn.role or "",
        turn.speaker or "",
        turn.text,
        "" if tool is None else "\x1f".join((tool.name or "", tool.payload or "", tool.outcome or "")),
    )


def _digest(*parts: str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


class KeyChain:
    """Keys for one source's turns in the order read; ``state`` resumes where the next ingest begins."""

    def __init__(self, state: Mapping[str, Any] | None = None, *, own_sessions: bool = False) -> None:
        self._last: dict[str, str] = {str(k): str(v) for k, v in (state or {}).items()}
        self._own_sessions = own_sessions

    def key(self, turn: Turn) -> str:
        """The key of the next turn."""
        session = turn.session or ""
        key = turn_key(turn, self._last.pop(session, ""), own_sessions=self._own_sessions)
        self._last[session] = key
        if len(self._last) > _OPEN_SESSIONS:
            del self._last[next(iter(self._last))]
        return key

    def state(self) -> dict[str, str]:
        """The last key of each of the latest 256 sessions: JSON-safe."""
        return dict(self._last)
