"""One conversation of role-and-content messages, in the shapes that the vendors' interfaces share.

Used by every reader whose messages are ``{role, content}`` with text, thoughts, calls and results in blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nocturne.core.facts import Outcome, Provenance, ToolCall, Turn
from nocturne.formats.content import block_text, blocks_of, first_text, joined_text
from nocturne.formats.envelopes import Envelopes
from nocturne.formats.reading import Context, as_id, call, result, word
from nocturne.formats.roles import provenance_of
from nocturne.formats.source import decode_json

_TIMES = ("timestamp", "created_at", "create_time", "createdAt", "time", "date", "ts")
_CALLS = frozenset({"tool_use", "tool_call", "function_call", "toolCall", "tool-call", "server_tool_use"})
_RESULTS = frozenset({"tool_result", "tool-result", "function_call_output", "toolResult"})
_SILENT = frozenset(
    {"image", "image_url", "input_image", "audio", "input_audio", "video", "file", "input_file", "document"}
)
_THOUGHTS = frozenset({"thinking", "reasoning", "redacted_thinking"})
_ROLES: dict[str, Provenance] = {"toolresult": "tool", "bashexecution": "tool"}


@dataclass(slots=True)
class _Message:
    """The message in hand and how many turns it gave so far."""

    body: Mapping[str, Any]
    role: Any
    native_id: str | None
    said_at: int | None
    active_path: bool
    given: int = 0


class Conversation:
    """One conversation's name, and the names of the tools called in it.

    ``envelopes`` tell injected openings from what a person typed; ``subagent`` says that nobody in it is a
    person.
    """

    def __init__(
        self, context: Context, session: str, *, envelopes: Envelopes | None = None, subagent: bool = False
    ) -> None:
        self._context = context
        self.session = session
        self._envelopes = envelopes
        self._subagent = subagent
        self._tools: dict[str, str] = {}

    def message(
        self,
        body: Mapping[str, Any],
        *,
        native_id: Any = None,
        said_at: int | None = None,
        active_path: bool = True,
    ) -> Iterator[Turn]:
        """The turns of one message: its thoughts, its words, its calls, its results.

        ``native_id`` and ``said_at`` stand in for those that the message lacks.
        """
        role = body.get("role", body.get("from"))
        provenance = _ROLES.get(role.lower()) if isinstance(role, str) else None
        provenance = provenance or provenance_of(role)
        if provenance is None:
            self._context.skip(f"unknown role: {role}")
            return
        if said_at is None:
            said_at = self._context.time(
                next((body[key] for key in _TIMES if body.get(key) is not None), None)
            )
        identity = as_id(native_id) or as_id(body.get("id")) or as_id(body.get("uuid"))
        message = _Message(body, role, identity, said_at, active_path)
        content = body["content"] if "content" in body else body.get("value")
        if role in ("function_call", "tool_call"):
            yield self._turn(message, as_id(body.get("name")) or "tool", "tool", call(None, None, content))
            return
        reasoning = body.get("reasoning_content") or body.get("reasoning")
        if isinstance(reasoning, str) and reasoning.strip():
            yield self._turn(message, reasoning, "thinking")
        if provenance == "tool":
            results = [one for one in blocks_of(content) or () if word(one.get("type")) in _RESULTS]
            for block in results:
                yield from self._other(message, block)
            if not results:
                yield self._result(message, content, body)
            return
        yield from self._blocks(message, content, provenance)
        yield from self._calls(message)

    def _blocks(self, message: _Message, content: Any, provenance: Provenance) -> Iterator[Turn]:
        blocks = blocks_of(content)
        if blocks is None:
            if content is not None:
                self._context.skip("malformed: content")
            elif not message.body.get("tool_calls") and not message.body.get("function_call"):
                self._context.skip(f"empty text: {provenance}")
            return
        words: list[str] = []
        after: list[Mapping[str, Any]] = []
        for block in blocks:
            text = block_text(block)
            kind = word(block.get("type"))
            if text is not None:
                words.append(text)
            elif kind in _THOUGHTS:
                yield from self._thought(message, block)
            elif kind in _RESULTS and provenance == "human":
                yield from self._other(message, block)
            else:
                after.append(block)
        said = "\n\n".join(text for text in words if text.strip())
        if said:
            yield from self._words(message, said, provenance)
        elif not after and not message.given and not message.body.get("tool_calls"):
            self._context.skip(f"empty text: {provenance}")
        for block in after:
            yield from self._other(message, block)

    def _words(self, message: _Message, text: str, provenance: Provenance) -> Iterator[Turn]:
        if self._subagent and provenance in ("human", "assistant"):
            provenance = "subagent"
        if provenance != "human" or self._envelopes is None:
            yield self._turn(message, text, provenance)
            return
        for injected, piece in self._envelopes.split(text):
            yield self._turn(message, piece, "injected" if injected else "human")

    def _thought(self, message: _Message, block: Mapping[str, Any]) -> Iterator[Turn]:
        text = first_text(map(block.get, ("thinking", "text", "value", "content", "reasoning")))
        if text:
            yield self._turn(message, text, "thinking")
        else:
            self._context.skip("empty text: thinking")

    def _other(self, message: _Message, block: Mapping[str, Any]) -> Iterator[Turn]:
        """The call or the result in a block that holds no words; pictures are counted."""
        kind = word(block.get("type"))
        if kind in _CALLS:
            yield self._called(message, block)
        elif kind in _RESULTS:
            yield self._result(message, block.get("content", block.get("output")), block)
        elif kind == "tool_calls":
            for one in blocks_of(block.get("value")) or ():
                yield self._called(message, one)
        elif kind in _SILENT:
            self._context.skip(f"not conversation: {kind} block")
        else:
            self._context.skip(f"unknown block: {kind}")

    def _calls(self, message: _Message) -> Iterator[Turn]:
        calls = message.body.get("tool_calls")
        for one in calls if isinstance(calls, list) else ():
            if isinstance(one, dict):
                yield self._called(message, one)
            else:
                self._context.skip("malformed: tool call")
        if isinstance(message.body.get("function_call"), dict):
            yield self._called(message, message.body["function_call"])

    def _called(self, message: _Message, block: Mapping[str, Any]) -> Turn:
        inner = block.get("function")
        inner = inner if isinstance(inner, dict) else _unpacked(block)
        name = as_id(inner.get("name")) or as_id(inner.get("toolName"))
        identity = as_id(block.get("id")) or as_id(block.get("call_id")) or as_id(block.get("toolCallId"))
        if name and identity:
            self._tools[identity] = name
        arguments = next((inner[key] for key in _ARGUMENTS if key in inner), None)
        return self._turn(message, name or "tool", "tool", call(name, identity, arguments))

    def _result(self, message: _Message, content: Any, holder: Mapping[str, Any]) -> Turn:
        text, left_out = joined_text(content)
        for kind in left_out:
            self._context.skip(f"not conversation: {kind} block")
        identity = next((as_id(holder[key]) for key in _CALL_IDS if holder.get(key) is not None), None)
        name = as_id(holder.get("name")) or as_id(holder.get("toolName"))
        name = name or (self._tools.get(identity) if identity else None)
        failed = holder.get("is_error") is True or holder.get("isError") is True
        outcome: Outcome = "error" if failed else "ok"
        return self._turn(message, text, "tool", result(name, identity, outcome))

    def _turn(
        self, message: _Message, text: str, provenance: Provenance, tool: ToolCall | None = None
    ) -> Turn:
        part = message.given
        message.given += 1
        identity = message.native_id
        return self._context.turn(
            text,
            provenance,
            native_id=identity if identity is None or not part else f"{identity}#{part}",
            session=self.session,
            speaker=message.body.get("name") if provenance == "human" else None,
            said_at=message.said_at,
            role=message.role,
            tool=tool,
            active_path=message.active_path,
        )


_ARGUMENTS = ("arguments", "input", "args", "text", "value")
_CALL_IDS = ("tool_use_id", "tool_call_id", "toolCallId", "call_id")


def _unpacked(block: Mapping[str, Any]) -> Mapping[str, Any]:
    """A call whose name and arguments are JSON inside a string."""
    packed = block.get("value")
    if isinstance(packed, str) and "name" not in block:
        try:
            value = decode_json(packed)
        except ValueError:
            return block
        if isinstance(value, dict):
            return value
    return block
