"""Claude.ai exports: ``conversations.json`` with ``chat_messages``, and ``memories.json``.

Content blocks come first, ``text`` where there are none. Long pastes stand only in attachments; attached
documents are injected, nobody's words. Newer exports branch by ``parent_message_uuid``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nocturne.core.facts import Turn
from nocturne.formats.conversation import Conversation
from nocturne.formats.reading import Context, Reader, Records, as_id, objects

_ROOT = "00000000-0000-4000-8000-000000000000"
_SENDERS = {"human": "user", "assistant": "assistant"}


def _claims(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("chat_messages"), list) or (
        "conversations_memory" in value and isinstance(value["conversations_memory"], str | type(None))
    )


def _read(records: Records, context: Context) -> Iterator[Turn]:
    for value in objects(records, context):
        messages = value.get("chat_messages")
        if isinstance(messages, list):
            yield from _conversation(value, messages, context)
        elif "conversations_memory" in value:
            yield from _memories(value, context)
        else:
            context.skip("malformed: conversation without chat_messages")


def _conversation(value: Mapping[str, Any], messages: list[Any], context: Context) -> Iterator[Turn]:
    session = as_id(value.get("uuid")) or as_id(value.get("conversation_id"))
    conversation = Conversation(context, session or f"{context.session}{context.record.where}")
    active = _active(value, messages)
    for place, message in enumerate(messages):
        if not isinstance(message, dict):
            context.skip("malformed: message is not an object", f" message {place}")
            continue
        sender = message.get("sender")
        role = _SENDERS.get(sender) if isinstance(sender, str) else None
        if role is None:
            context.skip(f"unknown role: {sender}", f" message {place}")
            continue
        content, attached = _content(message, context)
        said_at = context.time(message.get("created_at"))
        on_path = active is None or as_id(message.get("uuid")) in active
        for number, text in enumerate(attached):
            yield context.turn(
                text,
                "injected",
                native_id=f"{as_id(message.get('uuid'))}#attachment{number}",
                session=conversation.session,
                said_at=said_at,
                role="attachment",
                active_path=on_path,
            )
        if not content and not attached:
            context.skip(f"empty text: {role}", f" message {place}")
            continue
        if content:
            yield from conversation.message(
                {"role": role, "content": content},
                native_id=message.get("uuid"),
                said_at=said_at,
                active_path=on_path,
            )


def _active(value: Mapping[str, Any], messages: list[Any]) -> set[str] | None:
    """The uuids on the way from the current leaf to the root; None where the export does not branch."""
    parents = {
        message["uuid"]: message.get("parent_message_uuid")
        for message in messages
        if isinstance(message, dict) and isinstance(message.get("uuid"), str)
    }
    named = [parent for parent in parents.values() if isinstance(parent, str)]
    if len(named) == len(set(named)) or not any(parent in parents for parent in named):
        return None
    leaf = value.get("current_leaf_message_uuid")
    if not isinstance(leaf, str) or leaf not in parents:
        leaf = next(reversed(list(parents)))
    path: set[str] = set()
    while isinstance(leaf, str) and leaf in parents and leaf not in path and leaf != _ROOT:
        path.add(leaf)
        leaf = parents[leaf]
    return path


def _content(message: Mapping[str, Any], context: Context) -> tuple[list[Any], list[str]]:
    """The blocks worth reading with long pastes behind them, and the texts of attached documents."""
    blocks = message.get("content")
    kept = [block for block in blocks if block] if isinstance(blocks, list) else []
    spoken = [block for block in kept if not isinstance(block, dict) or block.get("type") != "token_budget"]
    has_words = any(isinstance(one, str) or (isinstance(one, dict) and one.get("text")) for one in spoken)
    text = message.get("text")
    if not has_words and isinstance(text, str) and text.strip():
        spoken.append({"type": "text", "text": text})
    attached: list[str] = []
    attachments = message.get("attachments")
    for attachment in attachments if isinstance(attachments, list) else ():
        pasted = attachment.get("extracted_content") if isinstance(attachment, dict) else None
        if not isinstance(pasted, str) or not pasted.strip():
            context.skip("not conversation: attachment without text")
        elif str(attachment.get("file_name") or "paste").lower().startswith("paste"):
            spoken.append({"type": "text", "text": pasted})
        else:
            attached.append(pasted)
    files = message.get("files")
    for _ in files if isinstance(files, list) else ():
        context.skip("not conversation: attached file")
    return spoken, attached


def _memories(value: Mapping[str, Any], context: Context) -> Iterator[Turn]:
    """Markdown that the assistant keeps about the person: a summary, not their words."""
    texts: list[tuple[str, Any]] = [("memories", value.get("conversations_memory"))]
    projects = value.get("project_memories")
    if isinstance(projects, dict):
        texts.extend((f"memories:{key}", text) for key, text in projects.items())
    for session, text in texts:
        if isinstance(text, str) and text.strip():
            yield context.turn(text, "derived-summary", session=session, role="memory")
        else:
            context.skip("empty text: memory")


READER = Reader(
    name="claude-ai",
    version=1,
    accepts="Claude.ai exports (conversations.json with chat_messages, memories.json)",
    read=_read,
    claims=_claims,
)
