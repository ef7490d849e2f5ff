"""Codex CLI rollouts, three generations: bare items, ``{timestamp, type, payload}``, and completed items.

What was said stands in two layers, response items and events; some versions write both and some only one.
Their union is taken: a text is given as often in a turn as the layer that has it most often. ``compacted``
repeats old messages and never adds any.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from nocturne.core.facts import Outcome, Provenance, ToolCall, Turn
from nocturne.formats.content import blocks_of, first_text, joined_text
from nocturne.formats.reading import Context, Reader, Records, as_id, as_text, call, objects, result, word
from nocturne.formats.source import decode_json

_ENVELOPE_TYPES = frozenset(
    {
        "session_meta",
        "turn_context",
        "response_item",
        "event_msg",
        "compacted",
        "world_state",
        "inter_agent_communication_metadata",
    }
)
_BARE_TYPES = frozenset(
    {"message", "reasoning", "function_call", "function_call_output", "local_shell_call", "custom_tool_call"}
)
_CALLS = frozenset(
    {
        "function_call",
        "custom_tool_call",
        "local_shell_call",
        "web_search_call",
        "tool_search_call",
        "image_generation_call",
        "mcp_call",
    }
)
_OUTPUTS = frozenset(
    {"function_call_output", "custom_tool_call_output", "tool_search_output", "local_shell_call_output"}
)
_TAGS = (
    "environment_context|user_instructions|INSTRUCTIONS|turn_aborted|skill|skills_instructions|goal_context|"
    "subagent_notification|collaboration_mode|apps_instructions|plugins_instructions|user_shell_command|"
    "permissions instructions|codex_internal_context|ide_context|user_action|memories"
)
_LEADING = re.compile(
    rf"\s*(?:<(?P<tag>{_TAGS})(?:\s[^<>]*)?>.*?</(?P=tag)>"
    r"|# AGENTS\.md instructions[^\n]*(?:.*?</INSTRUCTIONS>|.*\Z)"
    r"|# (?:Context from my IDE setup|Files mentioned by the user|In app browser|Selected text)\b.*?"
    r"(?:(?:\n|\A)#{1,3} My request for Codex:[ \t]*|\Z))",
    re.DOTALL,
)
_EXIT = re.compile(r"(?:Process exited with code|exit code:?|Exit code:?)\s*(-?\d+)")
_ABORTED = re.compile(r"\s*(?:aborted by (?:the )?user|\[?command (?:was )?interrupted)", re.IGNORECASE)


def _claims(value: Mapping[str, Any]) -> bool:
    kind = word(value.get("type"))
    if isinstance(value.get("payload"), dict):
        return kind in _ENVELOPE_TYPES
    if "record_type" in value:
        return True
    if kind is None:
        return {"id", "timestamp", "instructions"} <= value.keys()
    if kind == "message":
        blocks = blocks_of(value.get("content")) or []
        return any(block.get("type") in ("input_text", "output_text") for block in blocks)
    return kind in _BARE_TYPES and bool({"call_id", "summary", "encrypted_content"} & value.keys())


def _read(records: Records, context: Context) -> Iterator[Turn]:
    rollout = _Rollout(context)
    for value in objects(records, context):
        yield from rollout.line(value)


class _Rollout:
    """One rollout: its session, the turn in progress, and what that turn's layers have said."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._session: str | None = None
        self._subagent = False
        self._turn_id: str | None = None
        self._layers: dict[str, Counter[tuple[str, str]]] = {}
        self._given: Counter[tuple[str, str]] = Counter()
        self._tools: dict[str, str] = {}
        self._at: int | None = None

    def line(self, value: Mapping[str, Any]) -> Iterator[Turn]:
        """The turns of one line."""
        kind, payload = word(value.get("type")), value.get("payload")
        self._at = self._context.time(value.get("timestamp")) if "payload" in value else None
        if not isinstance(payload, dict):
            yield from self._bare(value)
        elif kind == "session_meta":
            self._begin(payload)
        elif kind == "turn_context":
            self._enter(payload)
            self._context.skip("not conversation: turn_context")
        elif kind == "response_item":
            yield from self._item(payload)
        elif kind == "event_msg":
            yield from self._event(payload)
        elif kind == "compacted":
            yield from self._compacted(payload)
        elif kind in _ENVELOPE_TYPES:
            self._context.skip(f"not conversation: {kind}")
        else:
            self._context.skip(f"unknown type: {kind}")

    def _bare(self, value: Mapping[str, Any]) -> Iterator[Turn]:
        """A line of the first generation: header, state record, or an item without envelope and time."""
        if "record_type" in value:
            self._context.skip("not conversation: state")
        elif value.get("type") is None and "instructions" in value:
            self._begin(value)
        elif word(value.get("type")) in _BARE_TYPES | _CALLS | _OUTPUTS:
            yield from self._item(value)
        else:
            kind = word(value.get("type"))
            self._context.skip(f"unknown type: {kind if isinstance(kind, str) else '(none)'}")

    def _begin(self, payload: Mapping[str, Any]) -> None:
        """The session's name; a fork's copied history brings its parent's, which is not this session's."""
        if self._session is None:
            self._session = as_id(payload.get("id")) or as_id(payload.get("session_id"))
            source = payload.get("source")
            self._subagent = isinstance(source, dict) and "subagent" in source
        self._context.skip("not conversation: session_meta")

    def _enter(self, payload: Mapping[str, Any]) -> None:
        turn = as_id(payload.get("turn_id"))
        if turn is not None and turn != self._turn_id:
            self._turn_id = turn
            self._layers.clear()
            self._given.clear()

    def _item(self, item: Mapping[str, Any]) -> Iterator[Turn]:
        kind = word(item.get("type"))
        if kind == "message":
            yield from self._message("item", item.get("role"), item.get("content"), item.get("id"))
        elif kind == "agent_message":
            text, _ = joined_text(item.get("content"))
            yield from self._say("item", "subagent", text, item.get("id"), role="agent")
        elif kind == "reasoning":
            texts = [joined_text(item.get(key))[0] for key in ("summary", "content")]
            yield from self._think("item", "\n\n".join(text for text in texts if text), item.get("id"))
        elif kind in _CALLS:
            yield self._call(item)
        elif kind in _OUTPUTS:
            yield self._output(item)
        else:
            self._context.skip(f"not conversation: {kind}")

    def _event(self, event: Mapping[str, Any]) -> Iterator[Turn]:
        kind = word(event.get("type"))
        if kind == "task_started":
            self._enter(event)
        if kind == "user_message":
            yield from self._message("event", "user", event.get("message"), None)
        elif kind == "agent_message":
            yield from self._message("event", "assistant", event.get("message"), None)
        elif kind in ("agent_reasoning", "agent_reasoning_raw_content"):
            yield from self._think("event", as_text(event.get("text")), None)
        elif kind == "item_completed" and isinstance(event.get("item"), dict):
            item = event["item"]
            role = {"UserMessage": "user", "AgentMessage": "assistant"}.get(str(item.get("type")))
            if role is None:
                self._context.skip(f"not conversation: item {item.get('type')}")
            else:
                blocks = blocks_of(item.get("content")) or []
                texts = [block["text"] for block in blocks if isinstance(block.get("text"), str)]
                yield from self._message("completed", role, "\n".join(texts), None)
        else:
            self._context.skip(f"not conversation: {kind}")

    def _compacted(self, payload: Mapping[str, Any]) -> Iterator[Turn]:
        history = payload.get("replacement_history")
        for _ in history if isinstance(history, list) else ():
            self._context.skip("old message repeated by compaction")
        text = first_text((payload.get("message"),))
        if text:
            yield self._turn(text, "derived-summary", "compacted")
        elif not history:
            self._context.skip("not conversation: compacted")

    def _message(self, layer: str, role: Any, content: Any, identity: Any) -> Iterator[Turn]:
        text, left_out = joined_text(content)
        for kind in left_out:
            self._context.skip(f"not conversation: {kind} block")
        if not text.strip():
            self._context.skip(f"empty text: {role}")
        elif role == "user":
            for provenance, piece in _pieces(text):
                speech: Provenance = "subagent" if self._subagent and provenance == "human" else provenance
                yield from self._say(layer, speech, piece, identity, role="user")
        elif role == "assistant":
            speech = "subagent" if self._subagent else "assistant"
            yield from self._say(layer, speech, text, identity, role="assistant")
        elif role in ("developer", "system"):
            yield from self._say(layer, "injected", text, identity, role=role)
        else:
            self._context.skip(f"unknown role: {role}")

    def _think(self, layer: str, text: str, identity: Any) -> Iterator[Turn]:
        if text.strip():
            yield from self._say(layer, "thinking", text, identity, role="assistant")
        else:
            self._context.skip("encrypted or empty reasoning")

    def _say(self, layer: str, provenance: Provenance, text: str, identity: Any, role: str) -> Iterator[Turn]:
        """Give a text unless another layer has already given this many of it in this turn."""
        key = (provenance, " ".join(text.split()))
        seen = self._layers.setdefault(layer, Counter())
        seen[key] += 1
        if seen[key] <= self._given[key]:
            self._context.skip("the same text in the other layer")
            return
        self._given[key] += 1
        yield self._turn(text, provenance, role, identity=identity)

    def _call(self, item: Mapping[str, Any]) -> Turn:
        kind = str(item.get("type"))
        name = as_id(item.get("name")) or kind.removesuffix("_call")
        identity = as_id(item.get("call_id")) or as_id(item.get("id"))
        if identity:
            self._tools[identity] = name
        arguments = next((item[key] for key in ("arguments", "input", "action") if key in item), None)
        return self._turn(name, "tool", "assistant", tool=call(name, identity, arguments))

    def _output(self, item: Mapping[str, Any]) -> Turn:
        identity = as_id(item.get("call_id"))
        output = item.get("output")
        packed: Any = None
        if isinstance(output, str) and output.startswith("{"):
            try:
                packed = decode_json(output)
            except ValueError:
                packed = None
        if isinstance(packed, dict) and isinstance(packed.get("output"), str):
            text = packed["output"]
        else:
            text, left_out = joined_text(output)
            for kind in left_out:
                self._context.skip(f"not conversation: {kind} block")
        name = self._tools.get(identity) if identity else None
        return self._turn(text, "tool", "tool", tool=result(name, identity, _outcome(item, packed, text)))

    def _turn(
        self,
        text: str,
        provenance: Provenance,
        role: str,
        *,
        identity: Any = None,
        tool: ToolCall | None = None,
    ) -> Turn:
        return self._context.turn(
            text,
            provenance,
            native_id=identity,
            session=self._session or self._context.session,
            said_at=self._at,
            role=role,
            tool=tool,
        )


def _pieces(text: str) -> Iterator[tuple[Provenance, str]]:
    """The leading envelopes, and what was typed after them."""
    at = 0
    while (match := _LEADING.match(text, at)) is not None and match.end() > at:
        yield "injected", match.group().strip()
        at = match.end()
    rest = text[at:].strip()
    if rest:
        yield "human", rest


def _outcome(item: Mapping[str, Any], packed: Any, text: str) -> Outcome:
    """How the call went, by its exit code, where the output tells."""
    if _ABORTED.match(text):
        return "interrupted"
    metadata = packed.get("metadata") if isinstance(packed, dict) else None
    code = metadata.get("exit_code") if isinstance(metadata, dict) else None
    if code is None:
        head = _EXIT.search(text[:300])
        code = int(head.group(1)[:9]) if head else 0
    output = item.get("output")
    failed = item.get("success") is False or (isinstance(output, dict) and output.get("success") is False)
    return "error" if failed or code not in (0, None) else "ok"


READER = Reader(
    name="codex",
    version=1,
    accepts="Codex CLI rollouts (JSON lines of {timestamp, type, payload}, or the older bare items)",
    read=_read,
    claims=_claims,
)
