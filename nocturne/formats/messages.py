"""Message dumps: OpenAI and Anthropic ``messages``, ShareGPT ``conversations``, Chatbot UI's ``history``.

A whole file, a list, or one conversation a line; or one message a line or item. None has times of its own as
a rule: a turn's place in its conversation is all there is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nocturne.core.facts import Turn
from nocturne.formats.content import blocks_of
from nocturne.formats.conversation import Conversation
from nocturne.formats.envelopes import COMMON
from nocturne.formats.reading import Context, Reader, Records, as_id, objects, word

_LISTS = ("messages", "conversations", "conversation", "items")
_RESPONSES_ITEMS = frozenset({"input_text", "output_text"})


def _claims(value: Mapping[str, Any]) -> bool:
    if _is_message(value):
        kinds = [word(block.get("type")) for block in blocks_of(value.get("content")) or ()]
        rollout = value.get("type") == "message" and any(kind in _RESPONSES_ITEMS for kind in kinds)
        return value.get("type") in (None, "text", "message") and not rollout and "sessionId" not in value
    history = value.get("history")
    if isinstance(history, list) and "version" in value:
        return all(isinstance(chat, dict) and "messages" in chat for chat in history)
    messages = _messages(value)
    first = messages[:5] if messages else []
    return sum(map(_is_message, first)) * 2 > len(first)


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("from"), str):
        return "value" in value
    return isinstance(value.get("role"), str) and bool(
        {"content", "tool_calls", "function_call"} & value.keys()
    )


def _messages(value: Mapping[str, Any]) -> list[Any] | None:
    return next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)


def _read(records: Records, context: Context) -> Iterator[Turn]:
    loose = Conversation(context, context.session, envelopes=COMMON)
    count = int(context.state.get("conversations", 0))
    for value in objects(records, context):
        if _is_message(value):
            yield from loose.message(value)
            continue
        chats = value.get("history") if "messages" not in value else None
        for chat in chats if isinstance(chats, list) else [value]:
            messages = _messages(chat) if isinstance(chat, dict) else None
            if messages is None:
                kind = chat.get("type") if isinstance(chat, dict) else None
                context.skip(f"unknown type: {kind}" if isinstance(kind, str) else "malformed: no messages")
                continue
            named = as_id(chat.get("id")) or as_id(chat.get("conversation_id")) or as_id(chat.get("session"))
            conversation = Conversation(context, named or f"{context.session}:{count}", envelopes=COMMON)
            count += 1
            context.state["conversations"] = count
            if isinstance(chat.get("system"), str):
                yield from conversation.message({"role": "system", "content": chat["system"]})
            for place, message in enumerate(messages):
                if isinstance(message, dict):
                    yield from conversation.message(message)
                else:
                    context.skip("malformed: message is not an object", f" message {place}")


READER = Reader(
    name="messages",
    version=1,
    accepts='message dumps: {"messages": [{role, content}]}, ShareGPT {"conversations": [{from, value}]}, '
    "Chatbot UI history, or one message a line",
    read=_read,
    claims=_claims,
    resumable=True,
)
