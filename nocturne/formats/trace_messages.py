"""The messages inside a trace's inputs and outputs, which are strings in strings as often as not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from nocturne.formats.langchain import as_message
from nocturne.formats.reading import as_text
from nocturne.formats.source import decode_json

_DEPTH = 4
_ROLE_LINE = re.compile(r"(?:\A|\n)(system|user|assistant|tool):[ \t]", re.IGNORECASE)
_ROLES = {"model": "assistant", "human": "user", "ai": "assistant"}


def messages_in(value: Any, default: str, depth: int = 0) -> list[dict[str, Any]]:
    """The messages of a payload as ``{role, content, …}``; bare text is said by ``default``."""
    if depth > _DEPTH or value is None:
        return []
    if isinstance(value, str):
        return _from_text(value, default, depth)
    if isinstance(value, list):
        return [message for one in value for message in messages_in(one, default, depth + 1)]
    if not isinstance(value, dict):
        return []
    message = as_message(value) or _parts_message(value, default)
    if message is not None:
        return [message]
    if isinstance(value.get("role"), str) and ("content" in value or "tool_calls" in value):
        role = value["role"].lower()
        return [{**value, "role": _ROLES.get(role, role), "id": None}]
    return list(_from_fields(value, default, depth))


def flat_text(value: Any, depth: int = 0) -> str:
    """All words of a payload in one string, for comparing."""
    if depth > _DEPTH * 3:
        return ""
    if isinstance(value, str):
        decoded = _decoded(value)
        return flat_text(decoded, depth + 1) if decoded is not None else " ".join(value.split())
    if isinstance(value, list):
        return " ".join(text for text in (flat_text(one, depth + 1) for one in value) if text)
    if isinstance(value, dict):
        return flat_text([one for key, one in value.items() if key not in ("type", "role")], depth + 1)
    return ""


def _decoded(text: str) -> Any:
    if text.lstrip()[:1] not in ("{", "[", '"'):
        return None
    try:
        return decode_json(text)
    except ValueError:
        return None


def _from_text(text: str, default: str, depth: int) -> list[dict[str, Any]]:
    decoded = _decoded(text)
    if isinstance(decoded, dict | list | str):
        return messages_in(decoded, default, depth + 1)
    starts = list(_ROLE_LINE.finditer(text))
    if starts and starts[0].start() == 0:
        ends = [start.start() for start in starts[1:]] + [len(text)]
        return [
            {"role": start.group(1).lower(), "content": text[start.end() : end].strip()}
            for start, end in zip(starts, ends, strict=True)
        ]
    return [{"role": default, "content": text}] if text.strip() else []


def _from_fields(value: Mapping[str, Any], default: str, depth: int) -> Iterator[dict[str, Any]]:
    """A payload that holds its messages under one of the usual names."""
    for key in ("system", "system_instruction"):
        if isinstance(value.get(key), str) and value[key].strip():
            yield {"role": "system", "content": value[key]}
    if isinstance(value.get("content"), dict):
        yield from messages_in(value["content"], default, depth + 1)
        return
    for key in (
        "messages",
        "new_message",
        "contents",
        "prompt",
        "input",
        "question",
        "args",
        "output",
        "text",
    ):
        if value.get(key):
            yield from messages_in(value[key], default, depth + 1)
            return
    if isinstance(value.get("content"), str | list) and value["content"] not in ("", "role"):
        yield {"role": default, "content": value["content"]}
    elif isinstance(value.get("toolName"), str):
        yield {"role": "assistant", "content": None, "tool_calls": [{**value, "id": value.get("toolCallId")}]}


def _parts_message(value: Mapping[str, Any], default: str) -> dict[str, Any] | None:
    """A message in parts, as OpenTelemetry and Gemini write them."""
    parts = value.get("parts")
    if not isinstance(parts, list):
        return None
    role = str(value.get("role") or default).lower()
    blocks = [block for part in parts if (block := _block(part)) is not None]
    return {"role": _ROLES.get(role, role), "content": blocks, "name": value.get("name")}


def _block(part: Any) -> dict[str, Any] | None:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if not isinstance(part, dict):
        return None
    call, answer = part.get("function_call"), part.get("function_response")
    if isinstance(call, dict):
        return {"type": "tool_use", "name": call.get("name"), "id": call.get("id"), "input": call.get("args")}
    if isinstance(answer, dict):
        content = as_text(answer.get("response"))
        return {
            "type": "tool_result",
            "name": answer.get("name"),
            "tool_use_id": answer.get("id"),
            "content": content,
        }
    if part.get("type") == "tool_call_response":
        content = as_text(part.get("response", part.get("result")))
        return {"type": "tool_result", "tool_use_id": part.get("id"), "content": content}
    if part.get("type") in ("thinking", "reasoning"):
        return {"type": "thinking", "thinking": part.get("content")}
    if "type" not in part and isinstance(part.get("text"), str):
        return {"type": "text", "text": part["text"]}
    return dict(part)
