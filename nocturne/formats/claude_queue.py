"""Prompts typed while Claude Code was working: queued, and taken out again to steer the running turn."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from nocturne.formats.reading import Context
from nocturne.formats.source import decode_json

_LONGEST = 1000
_MARK = b"queue-operation"


class PromptQueue:
    """The prompts that wait, in order; those of the part read in an earlier ingest are replayed."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._waiting: deque[str] = deque(maxlen=_LONGEST)
        self._replayed = context.begin == 0

    def take(self, value: Mapping[str, Any]) -> str | None:
        """The prompt that the operation hands to the agent; None where it hands none, empty where lost."""
        if not self._replayed:
            self._replayed = True
            self._replay()
        return self._apply(value)

    def _replay(self) -> None:
        """Do again what the lines before the cursor did, so that no prompt is kept outside the transcript."""
        for offset, _, line in self._context.source.lines():
            if offset >= self._context.begin:
                return
            if _MARK in line:
                try:
                    value = decode_json(line.decode("utf-8", "replace"))
                except ValueError:
                    continue
                if isinstance(value, dict) and value.get("type") == "queue-operation":
                    self._apply(value)

    def _apply(self, value: Mapping[str, Any]) -> str | None:
        operation, content = value.get("operation"), value.get("content")
        if operation == "enqueue" and isinstance(content, str):
            self._waiting.append(content)
        elif operation == "remove":
            oldest = self._waiting.popleft() if self._waiting else ""
            return content if isinstance(content, str) else oldest
        elif operation == "dequeue" and self._waiting:
            self._waiting.popleft()
        elif operation == "popAll":
            self._waiting.clear()
        return None
