"""OpenClaw and pi sessions: ``{type: session}``, then messages, compactions, branch summaries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nocturne.core.facts import Turn
from nocturne.formats.conversation import Conversation
from nocturne.formats.envelopes import Envelopes
from nocturne.formats.reading import Context, Reader, Records, as_id, objects, word

_NOISE = frozenset(
    {"model_change", "thinking_level_change", "custom", "session_info", "label", "compact", "leaf", "bash"}
)
_SUMMARIES = frozenset({"compaction", "branch_summary"})
_ENVELOPES = Envelopes(
    blocks=("system-reminder", "file", "skill"),
    prefixes=(
        r"\[(?:Telegram|WhatsApp|Discord|Slack|Signal|iMessage|WebChat|Matrix|Teams|LINE|IRC)\b[^\]\n]*\]",
        r"[A-Z][\w ]{2,40} \(untrusted[^)\n]*\):\s*```json\n.*?\n```",
    ),
    heads=(r"/[a-z][\w:-]*\s*\Z", r"\[media attached", r"System:\s*\[\d{4}-"),
)
_MARKS = frozenset({"cwd", "version"})
_BEGINNINGS = frozenset({"session", "session_start"})


def _claims(value: Mapping[str, Any]) -> bool:
    kind = word(value.get("type"))
    if kind == "message":
        message = value.get("message")
        return isinstance(message, dict) and isinstance(message.get("role"), str)
    if kind in _BEGINNINGS:
        return bool(_MARKS & value.keys())
    if kind in _SUMMARIES:
        return isinstance(value.get("summary"), str)
    return (kind in _NOISE and "timestamp" in value) or kind == "custom_message"


def _read(records: Records, context: Context) -> Iterator[Turn]:
    conversation: Conversation | None = None
    for value in objects(records, context):
        kind = word(value.get("type"))
        if kind in _BEGINNINGS:
            context.state["session"] = as_id(value.get("id")) or context.session
            conversation = None
            context.skip("not conversation: session")
            continue
        session = context.state.get("session") or context.session
        if kind == "message" and isinstance(value.get("message"), dict):
            conversation = conversation or Conversation(context, session, envelopes=_ENVELOPES)
            yield from conversation.message(
                value["message"], native_id=value.get("id"), said_at=context.time(value.get("timestamp"))
            )
        elif kind in _SUMMARIES or kind == "custom_message":
            yield from _aside(value, session, context)
        elif kind in _NOISE:
            context.skip(f"not conversation: {kind}")
        else:
            context.skip(f"unknown type: {kind if isinstance(kind, str) else '(none)'}")


def _aside(value: Mapping[str, Any], session: str, context: Context) -> Iterator[Turn]:
    """A summary of earlier talk, or a message that an extension put in."""
    kind = word(value.get("type"))
    text = value.get("content" if kind == "custom_message" else "summary")
    if not isinstance(text, str) or not text.strip():
        context.skip(f"empty text: {kind}")
        return
    yield context.turn(
        text,
        "injected" if kind == "custom_message" else "derived-summary",
        native_id=value.get("id"),
        session=session,
        said_at=context.time(value.get("timestamp")),
        role=kind,
    )


READER = Reader(
    name="openclaw",
    version=1,
    accepts="OpenClaw and pi sessions (JSON lines of session, message, compaction)",
    read=_read,
    claims=_claims,
    resumable=True,
)
