"""Traces of model calls: Langfuse exports, OpenTelemetry GenAI spans, OpenInference spans.

Every call repeats the history before it; a message is given as often as the call that has it most often. A
call's ``user`` message is a person's only where the trace's own input, if it has one, says the same words.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from nocturne.core.facts import Turn
from nocturne.formats.conversation import Conversation
from nocturne.formats.reading import Context, Reader, Records, as_id, objects
from nocturne.formats.spans import Call, calls_of, is_span
from nocturne.formats.trace_messages import flat_text, messages_in


def _claims(value: Mapping[str, Any]) -> bool:
    if isinstance(value.get("trace"), dict) and isinstance(value.get("observations"), list):
        return True
    return is_span(value)


def _read(records: Records, context: Context) -> Iterator[Turn]:
    spans: dict[str, _Talk] = {}
    for value in objects(records, context):
        if isinstance(value.get("observations"), list):
            yield from _langfuse(value, context)
            continue
        calls = list(calls_of(value, context))
        if not calls:
            context.skip("span without messages")
        for one in calls:
            session = one.session or context.session
            talk = spans.setdefault(session, _Talk(context, session, None))
            yield from talk.call(one)


def _langfuse(value: Mapping[str, Any], context: Context) -> Iterator[Turn]:
    trace = value.get("trace")
    trace = trace if isinstance(trace, dict) else {}
    session = as_id(trace.get("sessionId")) or as_id(trace.get("id")) or context.session
    said = flat_text(trace.get("input"))
    talk = _Talk(context, session, said or None)
    began = context.time(trace.get("timestamp"))
    yield from talk.call(Call(messages_in(trace.get("input"), "user"), [], began, None, session))
    observations = [one for one in value["observations"] if isinstance(one, dict)]
    for one in sorted(observations, key=lambda one: str(one.get("startTime"))):
        if one.get("type") == "GENERATION":
            yield from talk.call(
                Call(
                    messages_in(one.get("input"), "user"),
                    messages_in(one.get("output"), "assistant"),
                    context.time(one.get("startTime")),
                    context.time(one.get("endTime")),
                    session,
                )
            )
        else:
            context.skip(f"not conversation: {one.get('type')}")
    yield from talk.call(Call([], messages_in(trace.get("output"), "assistant"), None, None, session))


class _Talk:
    """One session of calls and what of it was already given."""

    def __init__(self, context: Context, session: str, said: str | None) -> None:
        self._context = context
        self._conversation = Conversation(context, session)
        self._said = said
        self._given: Counter[str] = Counter()

    def call(self, one: Call) -> Iterator[Turn]:
        """What this call adds to the calls before it."""
        seen: Counter[str] = Counter()
        for messages, at in ((one.inputs, one.began), (one.outputs, one.ended)):
            for message in messages:
                key = _key(message)
                seen[key] += 1
                if seen[key] <= self._given[key]:
                    self._context.skip("the same message again")
                    continue
                self._given[key] += 1
                yield from self._conversation.message(self._classed(message), said_at=at)

    def _classed(self, message: dict[str, Any]) -> dict[str, Any]:
        """The message, its role ``system`` where a program and no person wrote it."""
        if message.get("role") == "user" and self._said is not None:
            content = message.get("content")
            blocks = content if isinstance(content, list) else []
            answers = [one for one in blocks if isinstance(one, dict) and one.get("type") == "tool_result"]
            text = "" if answers and len(answers) == len(blocks) else flat_text(content)
            mostly_said = self._said in text and len(self._said) * 2 >= len(text)
            if text and text not in self._said and not mostly_said:
                return {**message, "role": "system"}
        return message


def _key(message: Mapping[str, Any]) -> str:
    """What makes two messages of a history the same."""
    calls = message.get("tool_calls")
    parts = [str(message.get("role")), flat_text(message.get("content"))]
    if calls:
        parts.append(json.dumps(calls, sort_keys=True, default=str))
    return "\x1f".join(parts)


READER = Reader(
    name="traces",
    version=1,
    accepts="Langfuse trace exports, OpenTelemetry GenAI and OpenInference spans",
    read=_read,
    claims=_claims,
)
