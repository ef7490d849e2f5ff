"""Message content as the vendors' interfaces shape it: a string, or a list of typed blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from nocturne.formats.reading import as_text

TEXT_KINDS = frozenset({"text", "input_text", "output_text", "refusal"})


def blocks_of(content: Any) -> list[Mapping[str, Any]] | None:
    """The blocks of a content; bare strings become text blocks, and None is no content at all."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if isinstance(content, dict):
        return [content]
    if not isinstance(content, list):
        return None
    return [
        block if isinstance(block, dict) else {"type": "text", "text": as_text(block)}
        for block in content
        if block is not None
    ]


def joined_text(content: Any) -> tuple[str, list[str]]:
    """The text of a tool's output, and the kinds of the blocks that hold none."""
    texts: list[str] = []
    left_out: list[str] = []
    for block in blocks_of(content) or ():
        text = block_text(block)
        if text is not None:
            texts.append(text)
        elif "type" in block:
            left_out.append(str(block["type"]))
        else:
            texts.append(as_text(block))
    return "\n".join(text for text in texts if text), left_out


def block_text(block: Mapping[str, Any]) -> str | None:
    """A text block's words, under whichever key they stand; None for other blocks."""
    kind = block.get("type", "text")
    if not isinstance(kind, str) or kind not in TEXT_KINDS:
        return None
    return next((words for words in (block.get(key) for key in _WORD_KEYS) if isinstance(words, str)), None)


_WORD_KEYS = ("text", "value", "content", "refusal")


def first_text(values: Iterable[Any]) -> str:
    """The first value that is a string with something in it."""
    return next((value for value in values if isinstance(value, str) and value.strip()), "")
