"""Spans as OpenTelemetry exports them, and the model calls that their attributes describe."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nocturne.formats.reading import Context, as_id
from nocturne.formats.trace_messages import messages_in

_FLAT = re.compile(r"llm\.(input|output)_messages\.(\d+)\.message\.(.+)")
_FLAT_CALL = re.compile(r"tool_calls\.(\d+)\.tool_call\.(.+)")
_MARKS = ("gen_ai.", "llm.", "openinference.")
_EVENTS = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_SESSIONS = ("gen_ai.conversation.id", "session.id", "langfuse.session.id", "thread.id")


@dataclass(frozen=True, slots=True)
class Call:
    """One model call: what went in, what came out, and when."""

    inputs: list[dict[str, Any]]
    outputs: list[dict[str, Any]]
    began: int | None
    ended: int | None
    session: str | None


def is_span(value: Mapping[str, Any]) -> bool:
    """Whether the object is an OTLP batch, or a span or log record with a model call's attributes."""
    if isinstance(value.get("resourceSpans"), list):
        return True
    attributes = _attributes(value)
    if any(str(key).startswith(_MARKS) for key in attributes):
        return True
    return value.get("_type") == "log" and "session.id" in attributes


def calls_of(value: Mapping[str, Any], context: Context) -> Iterator[Call]:
    """The model calls of a batch or of one span."""
    batches = value.get("resourceSpans")
    if not isinstance(batches, list):
        yield from _call(value, context)
        return
    for batch in batches:
        scopes = batch.get("scopeSpans") if isinstance(batch, dict) else None
        for scope in scopes if isinstance(scopes, list) else ():
            spans = scope.get("spans") if isinstance(scope, dict) else None
            for span in spans if isinstance(spans, list) else ():
                if isinstance(span, dict):
                    yield from _call(span, context)


def _attributes(value: Mapping[str, Any]) -> dict[str, Any]:
    raw = value.get("attributes", value.get("attrs"))
    if isinstance(raw, dict):
        return raw
    if not isinstance(raw, list):
        return {}
    pairs = [one for one in raw if isinstance(one, dict) and isinstance(one.get("key"), str)]
    return {one["key"]: _plain(one.get("value")) for one in pairs}


def _plain(value: Any) -> Any:
    """An OTLP value without its type's name."""
    if isinstance(value, dict) and len(value) == 1:
        kind, inner = next(iter(value.items()))
        if kind == "arrayValue" and isinstance(inner, dict):
            listed = inner.get("values")
            return [_plain(one) for one in listed] if isinstance(listed, list) else []
        return inner
    return value


def _call(span: Mapping[str, Any], context: Context) -> Iterator[Call]:
    attributes = _attributes(span)
    began = context.time(_first(span, ("startTimeUnixNano", "start_time", "startTime", "ts", "timestamp")))
    ended = context.time(_first(span, ("endTimeUnixNano", "end_time", "endTime")))
    session = next((as_id(attributes[key]) for key in _SESSIONS if attributes.get(key)), None)
    inputs = messages_in(attributes.get("gen_ai.system_instructions"), "system")
    inputs += messages_in(attributes.get("gen_ai.input.messages"), "user")
    outputs = messages_in(attributes.get("gen_ai.output.messages"), "assistant")
    inputs += _flat(attributes, "input")
    outputs += _flat(attributes, "output")
    if not inputs and not outputs:
        inputs, outputs = _from_events(span)
    if attributes.get("event.name") == "user_prompt" and isinstance(attributes.get("prompt"), str):
        inputs.append({"role": "user", "content": attributes["prompt"]})
    if inputs or outputs:
        yield Call(inputs, outputs, began, ended, session)


def _first(span: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((span[key] for key in keys if span.get(key) is not None), None)


def _flat(attributes: Mapping[str, Any], side: str) -> list[dict[str, Any]]:
    """OpenInference's flat names put back together."""
    messages: dict[int, dict[str, Any]] = defaultdict(dict)
    calls: dict[int, dict[int, dict[str, Any]]] = defaultdict(lambda: defaultdict(dict))
    for key, value in attributes.items():
        match = _FLAT.fullmatch(str(key))
        if match is None or match.group(1) != side or len(match.group(2)) > 6:
            continue
        number, name = int(match.group(2)), match.group(3)
        inner = _FLAT_CALL.fullmatch(name)
        if inner is None:
            messages[number][name] = value
        elif len(inner.group(1)) < 6:
            calls[number][int(inner.group(1))][inner.group(2)] = value
    for number, by_place in calls.items():
        messages[number]["tool_calls"] = [
            {
                "id": fields.get("id"),
                "name": fields.get("function.name"),
                "arguments": fields.get("function.arguments"),
            }
            for _, fields in sorted(by_place.items())
        ]
    return [message for _, message in sorted(messages.items()) if isinstance(message.get("role"), str)]


def _from_events(span: Mapping[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Older GenAI spans carry each message as an event."""
    inputs: list[dict[str, Any]] = []
    outputs: list[dict[str, Any]] = []
    events = span.get("events")
    for event in events if isinstance(events, list) else ():
        if not isinstance(event, dict):
            continue
        attributes = _attributes(event)
        role = _EVENTS.get(str(event.get("name")))
        if role is not None and attributes.get("content"):
            inputs.append({"role": role, "content": attributes["content"]})
        elif event.get("name") == "gen_ai.choice":
            outputs += messages_in(attributes.get("message", attributes.get("content")), "assistant")
    return inputs, outputs
