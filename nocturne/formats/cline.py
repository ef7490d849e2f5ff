"""Cline, Roo and Kilo: ``ui_messages.json``, the list of what their panel asked and said.

Their ``api_conversation_history.json`` is a message dump and is read as one. Partial messages are skipped:
the whole one follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nocturne.core.facts import Provenance, ToolCall, Turn
from nocturne.formats.content import first_text
from nocturne.formats.reading import Context, Reader, Records, call, objects, result
from nocturne.formats.source import decode_json

_SPEECH: dict[tuple[str, str], Provenance] = {
    ("say", "user_feedback"): "human",
    ("say", "text"): "assistant",
    ("say", "completion_result"): "assistant",
    ("ask", "completion_result"): "assistant",
    ("ask", "followup"): "assistant",
    ("ask", "plan_mode_respond"): "assistant",
    ("say", "reasoning"): "thinking",
    ("say", "user_feedback_diff"): "injected",
    ("say", "condense_context"): "derived-summary",
    ("say", "subtask_result"): "subagent",
}
_CALLS = frozenset(
    {"tool", "command", "browser_action", "browser_action_launch", "use_mcp_server", "mcp_server"}
)
_RESULTS = frozenset({"command_output", "browser_action_result", "mcp_server_response"})
_ERRORS = frozenset({"error", "diff_error", "rooignore_error", "clineignore_error"})


def _claims(value: Mapping[str, Any]) -> bool:
    kind = value.get("type")
    return (
        isinstance(kind, str)
        and kind in ("say", "ask")
        and isinstance(value.get(kind), str)
        and "ts" in value
    )


def _read(records: Records, context: Context) -> Iterator[Turn]:
    opened = False
    for value in objects(records, context):
        kind = value.get("type")
        what = value.get(kind) if isinstance(kind, str) and kind in ("say", "ask") else None
        if not isinstance(kind, str) or not isinstance(what, str):
            context.skip("malformed: neither say nor ask")
            continue
        if value.get("partial") is True:
            context.skip("partial message")
            continue
        text = value.get("text")
        if not isinstance(text, str) or not text.strip():
            context.skip(f"empty text: {what}")
            continue
        provenance = _SPEECH.get((kind, what))
        if kind == "say" and what == "text" and not opened:
            provenance = "human"
        opened = opened or provenance == "human"
        tool: ToolCall | None = None
        if what in _CALLS:
            provenance, tool, text = "tool", call(what, None, text), what
        elif what in _RESULTS or what in _ERRORS:
            provenance, tool = "tool", result(what, None, "error" if what in _ERRORS else "ok")
        if provenance is None:
            context.skip(f"not conversation: {what}")
            continue
        yield context.turn(
            _question(text) if kind == "ask" and tool is None else text,
            provenance,
            session=context.session,
            said_at=context.time(value.get("ts")),
            role=what,
            tool=tool,
        )


def _question(text: str) -> str:
    """The question of an ask whose text is JSON."""
    if text.lstrip().startswith("{"):
        try:
            packed = decode_json(text)
        except ValueError:
            return text
        if isinstance(packed, dict):
            return first_text((packed.get("question"), packed.get("response"))) or text
    return text


READER = Reader(
    name="cline",
    version=1,
    accepts="Cline, Roo and Kilo ui_messages.json (list of {ts, type, say|ask, text})",
    read=_read,
    claims=_claims,
)
