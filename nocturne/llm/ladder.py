"""Which response format a server takes and keeps to, per base URL and model, remembered between runs.

A dry run reads what is remembered and writes nothing. ``nocturne provider check`` asks afresh.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nocturne.llm.transport import host_of

FILE = "formats.json"
_VERSION = 1


class Memory:
    """The file in the user's cache directory. A file that cannot be read counts as empty, and is said."""

    def __init__(self, folder: Path | None, *, writes: bool = True) -> None:
        self.path = folder / FILE if folder is not None else None
        self.writes = writes and folder is not None
        self.trouble: str | None = None

    def get(self, key: str) -> dict[str, Any]:
        """What is known of one server and model; empty where nothing is."""
        entry = self._load().get(key)
        return entry if isinstance(entry, dict) else {}

    def put(self, key: str, entry: dict[str, Any]) -> None:
        """Remember; the file is replaced whole, so that two runs cannot leave half of it."""
        if self.path is None or not self.writes:
            return
        entries = self._load() | {key: entry}
        text = json.dumps({"version": _VERSION, "servers": entries}, indent=1, sort_keys=True)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=FILE)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(name).replace(self.path)
        except OSError as error:
            self.trouble = f"cannot remember response formats in {self.path}: {error.strerror}"

    def _load(self) -> dict[str, Any]:
        if self.path is None:
            return {}
        try:
            data = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            self.trouble = f"{self.path} cannot be read ({error}); response formats are probed again"
            return {}
        if not isinstance(data, dict) or data.get("version") != _VERSION:
            return {}
        servers = data.get("servers")
        return servers if isinstance(servers, dict) else {}


class Ladder:
    """Formats from the strictest down, and where this server stands. Safe between threads."""

    def __init__(self, base_url: str, model: str, formats: Sequence[str], memory: Memory) -> None:
        digest = hashlib.sha256(f"{base_url}\x00{model}".encode()).hexdigest()[:16]
        self.key = f"{host_of(base_url)} {model} {digest}"
        self._formats = tuple(formats)
        self._memory = memory
        self._lock = threading.Lock()
        self._seen: Counter[str] = Counter()
        known = memory.get(self.key)
        form = known.get("format")
        self._place = self._formats.index(form) if form in self._formats else 0
        self.settled = form in self._formats
        kept = known.get("dropped")
        names = kept if isinstance(kept, list) else []
        self._dropped = frozenset(name for name in names if isinstance(name, str))

    @property
    def form(self) -> str:
        """What to ask for now."""
        return self._formats[self._place]

    @property
    def dropped(self) -> frozenset[str]:
        """Parameters that the server does not take."""
        return self._dropped

    def held(self, form: str, *, honoured: bool) -> None:
        """A usable reply came in ``form``; ``honoured`` where it was the bare object that was promised.

        A server that wraps the object does not enforce the format: the next one is tried from then on.
        """
        with self._lock:
            self._seen[f"{form}→{form if honoured else 'none'}"] += 1
            if self.settled or form != self.form:
                return
            if honoured or not self._step(form):
                self.settled = True
                self._remember()

    def broke(self, form: str) -> bool:
        """A reply did not keep to ``form``. True where another is to be tried: nothing is settled."""
        with self._lock:
            self._seen[f"{form}→none"] += 1
            return not self.settled and self._step(form)

    def refused(self, form: str) -> bool:
        """The server does not take ``form`` at all. True where another is to be tried."""
        with self._lock:
            self._seen[f"{form}→refused"] += 1
            moved = self._step(form)
            if moved:
                self.settled = False
            return moved

    def drop(self, parameter: str) -> bool:
        """The server does not take a parameter. True the first time."""
        with self._lock:
            if parameter in self._dropped:
                return False
            self._dropped |= {parameter}
            if self.settled:
                self._remember()
            return True

    def _step(self, form: str) -> bool:
        if form != self.form:
            return True  # another thread stepped down meanwhile
        if self._place + 1 == len(self._formats):
            return False
        self._place += 1
        return True

    def _remember(self) -> None:
        self._memory.put(self.key, {"format": self.form, "dropped": sorted(self._dropped)})

    def seen(self) -> dict[str, int]:
        """Replies by ``requested→honoured``."""
        with self._lock:
            return dict(sorted(self._seen.items()))
