"""ChatGPT exports: ``conversations.json``, its shards, or the zip they come in.

Each conversation is a tree. The path from ``current_node`` to the root is what the person saw; what lies on
other branches is kept off the active path.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nocturne.core.facts import Outcome, Provenance, ToolCall, Turn
from nocturne.formats.content import first_text
from nocturne.formats.reading import Context, Reader, Records, as_id, as_text, call, objects, result

_THOUGHTS = frozenset({"thoughts", "reasoning_recap"})
_CONTEXTS: dict[str, tuple[Provenance, tuple[str, ...]]] = {
    "user_editable_context": ("profile", ("user_profile", "user_instructions")),
    "model_editable_context": ("injected", ("model_set_context", "repository")),
}


def _claims(value: Mapping[str, Any]) -> bool:
    mapping = value.get("mapping")
    if not isinstance(mapping, dict):
        return False
    return all(
        isinstance(node, dict) and ("message" in node or "children" in node) for node in mapping.values()
    )


def _read(records: Records, context: Context) -> Iterator[Turn]:
    for conversation in objects(records, context):
        mapping = conversation.get("mapping")
        if not isinstance(mapping, dict):
            context.skip("malformed: conversation without mapping")
        elif conversation.get("is_do_not_remember") is True:
            context.skip("conversation marked do not remember")
        else:
            yield from _conversation(conversation, mapping, context)


def _conversation(
    conversation: Mapping[str, Any], mapping: Mapping[str, Any], context: Context
) -> Iterator[Turn]:
    nodes = {key: node for key, node in mapping.items() if isinstance(node, dict)}
    for key in mapping.keys() - nodes.keys():
        context.skip("malformed: node", f" {key}")
    session = first_text((conversation.get("conversation_id"), conversation.get("id")))
    session = session or f"{context.session}{context.record.where}"
    path = _active_path(conversation, nodes)
    on_path = frozenset(path)
    for key in (*path, *(key for key in nodes if key not in on_path)):
        message = nodes[key].get("message")
        if not isinstance(message, dict):
            if message is not None:
                context.skip("malformed: message is not an object", f" {key}")
            continue
        turn = _turn(key, message, session, context, active=key in on_path)
        if turn is not None:
            yield turn


def _active_path(conversation: Mapping[str, Any], nodes: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The node keys from the root to ``current_node``, else to the newest leaf."""
    at = conversation.get("current_node")
    if not isinstance(at, str) or at not in nodes:
        at = _newest_leaf(nodes)
    path: dict[str, None] = {}
    while isinstance(at, str) and at in nodes and at not in path:
        path[at] = None
        at = nodes[at].get("parent")
    return list(reversed(path))


def _newest_leaf(nodes: Mapping[str, Mapping[str, Any]]) -> str | None:
    parents = {node.get("parent") for node in nodes.values() if isinstance(node.get("parent"), str)}
    best: tuple[float, int] | None = None
    newest: str | None = None
    for order, (key, node) in enumerate(nodes.items()):
        message = node.get("message")
        if key in parents or not isinstance(message, dict):
            continue
        time = message.get("create_time")
        age = float(time) if isinstance(time, int | float) else float("-inf")
        if best is None or (age, order) > best:
            best, newest = (age, order), key
    return newest if newest is not None else next(reversed(list(nodes)), None)


def _turn(
    key: str, message: Mapping[str, Any], session: str, context: Context, *, active: bool
) -> Turn | None:
    author = message.get("author")
    role = author.get("role") if isinstance(author, dict) else None
    name = author.get("name") if isinstance(author, dict) else None
    content = message.get("content")
    metadata = message.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    if not isinstance(content, dict):
        context.skip("malformed: message without content", f" {key}")
        return None
    kind = as_id(content.get("content_type")) or "text"
    profile = kind in _CONTEXTS or metadata.get("is_user_system_message") is True
    if not profile and metadata.get("is_visually_hidden_from_conversation") is True:
        context.skip("hidden message", f" {key}")
        return None
    if message.get("weight") == 0 and not profile:
        context.skip("message of weight 0", f" {key}")
        return None
    text = _context_text(kind, content, metadata) if profile else _text(kind, content, context, key)
    classed = _classify(message, kind, text, profile=profile)
    if classed is None:
        context.skip(f"unknown role: {role}", f" {key}")
        return None
    provenance, tool = classed
    if not text.strip() and tool is None:
        context.skip(f"empty text: {role}", f" {key}")
        return None
    return context.turn(
        tool.name or "tool" if tool is not None and tool.payload is not None else text,
        provenance,
        native_id=as_id(message.get("id")) or key,
        session=session,
        speaker=name if role == "user" else None,
        said_at=context.time(message.get("create_time")),
        role=role,
        tool=tool,
        active_path=active,
    )


def _classify(
    message: Mapping[str, Any], kind: str, text: str, *, profile: bool
) -> tuple[Provenance, ToolCall | None] | None:
    author = message.get("author")
    author = author if isinstance(author, dict) else {}
    role = author.get("role")
    if profile:
        return _CONTEXTS[kind][0] if kind in _CONTEXTS else "profile", None
    if kind in _THOUGHTS:
        return "thinking", None
    if role == "tool" or kind.startswith("tether_") or kind in ("execution_output", "system_error"):
        return "tool", result(author.get("name"), None, _outcome(kind, message.get("metadata")))
    if role == "user":
        return "human", None
    if role == "assistant":
        recipient = message.get("recipient")
        if isinstance(recipient, str) and recipient != "all":
            return "tool", call(recipient, None, text)
        return "assistant", None
    return ("injected", None) if role == "system" else None


def _outcome(kind: str, metadata: Any) -> Outcome:
    if kind == "system_error":
        return "error"
    run = metadata.get("aggregate_result") if isinstance(metadata, dict) else None
    status = run.get("status") if isinstance(run, dict) else None
    if status in ("failed_with_in_kernel_exception", "failed", "error"):
        return "error"
    return "interrupted" if status in ("cancelled", "timeout", "interrupted") else "ok"


def _context_text(kind: str, content: Mapping[str, Any], metadata: Mapping[str, Any]) -> str:
    keys = _CONTEXTS[kind][1] if kind in _CONTEXTS else ()
    texts = [content[key] for key in keys if isinstance(content.get(key), str) and content[key].strip()]
    if not texts:
        data = metadata.get("user_context_message_data")
        texts = [text for text in data.values() if isinstance(text, str)] if isinstance(data, dict) else []
    if not texts and isinstance(content.get("parts"), list):
        texts = [part for part in content["parts"] if isinstance(part, str)]
    return "\n\n".join(texts)


def _text(kind: str, content: Mapping[str, Any], context: Context, key: str) -> str:
    if kind == "thoughts" and isinstance(content.get("thoughts"), list):
        return "\n\n".join(_thought(thought) for thought in content["thoughts"])
    if kind == "tether_quote":
        return "\n".join(text for text in map(content.get, ("title", "url", "text")) if isinstance(text, str))
    parts = content.get("parts")
    if not isinstance(parts, list):
        return first_text(content.get(one) for one in ("text", "result", "content", "summary"))
    texts: list[str] = []
    for part in parts:
        text = _part(part)
        if text is not None:
            texts.append(text)
        elif part is not None:
            shown = part.get("content_type") if isinstance(part, dict) else type(part).__name__
            context.skip(f"not conversation: {shown} part", f" {key}")
    return "\n".join(text for text in texts if text)


def _part(part: Any) -> str | None:
    """The words of one part: text, or what was said into a microphone; None for pictures and recordings."""
    if isinstance(part, str):
        return part
    if isinstance(part, dict) and part.get("content_type", "audio_transcription") == "audio_transcription":
        return part["text"] if isinstance(part.get("text"), str) else None
    return None


def _thought(thought: Any) -> str:
    if not isinstance(thought, dict):
        return as_text(thought)
    words = (thought.get("summary"), thought.get("content"))
    return "\n".join(text for text in words if isinstance(text, str) and text)


READER = Reader(
    name="chatgpt",
    version=1,
    accepts="ChatGPT exports (conversations.json, its shards, or the zip)",
    read=_read,
    claims=_claims,
)
