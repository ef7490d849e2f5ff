"""Memory that was recalled, exported or injected, and must never be taken for something that was said.

Whatever this product writes for others to read is fenced with the markers below; ``cut`` takes such blocks,
and those of other memory systems, out of a turn before the encoder sees it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from nocturne.core.facts import Turn

EXPORT_OPEN = "<!-- nocturne:export"
EXPORT_CLOSE = "<!-- /nocturne:export -->"
EXPORT_KEY = "nocturne"
"""Every JSON object that an export writes carries this key (value: the export's kind); readers skip it."""

OWN = "own-export"
RECALLED = "recalled-memory"
METADATA = "memory-metadata"

_TAGS = (
    "recalled[-_ ]memor(?:y|ies)|relevant[-_ ]memor(?:y|ies)|retrieved[-_ ]memor(?:y|ies)|"
    "user[-_]memor(?:y|ies)|agent[-_]memor(?:y|ies)|saved[-_]memor(?:y|ies)|memories|"
    "memory[-_](?:context|blocks?|index|recall|reminder|metadata)|"
    "(?:[a-z0-9]+[-_])(?:memory|memories|memory[-_]context)|(?:claude[-_]mem|supermemory|hindsight)[-_]context"
)
_OWN_BLOCK = re.compile(
    r"^[ \t>]*<!--[ \t]*nocturne:export\b.*?(?:<!--[ \t]*/nocturne:export[ \t]*-->[ \t]*\n?|\Z)",
    re.DOTALL | re.MULTILINE,
)
_TAGGED_BLOCK = re.compile(
    rf"<(?P<tag>{_TAGS})(?:\s[^<>]*)?>.*?</(?P=tag)\s*>[ \t]*\n?", re.DOTALL | re.IGNORECASE
)
_OPEN_TAG_LINE = re.compile(
    rf"^[ \t]*<(?:{_TAGS})(?:\s[^<>]*)?>[ \t]*(?:\n|\Z).*\Z", re.DOTALL | re.IGNORECASE | re.MULTILINE
)
_BRACKETED = re.compile(
    r"^[ \t]*\[(?P<tag>(?:recalled|relevant|retrieved|injected)[ -]memor(?:y|ies)(?:[ -]context)?"
    r"|memory[ -]context)\]"
    r"(?:(?:.*?\[/(?P=tag)\][ \t]*\n?)|(?:[^\n]+|\n(?!\n))*\n*)",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
_METADATA_LINE = re.compile(
    r"^[ \t]*[-*]?[ \t]*Candidate:.*\b(?:confidence|evidence|recalls)[:=].*(?:\n|\Z)",
    re.MULTILINE | re.IGNORECASE,
)
_RULES = (
    (OWN, _OWN_BLOCK),
    (RECALLED, _TAGGED_BLOCK),
    (RECALLED, _OPEN_TAG_LINE),
    (RECALLED, _BRACKETED),
    (METADATA, _METADATA_LINE),
)
_HINT = re.compile(r"nocturne:export|memor(?:y|ies)|[-_]context|\bCandidate:", re.IGNORECASE)


def fence(body: str, *, kind: str, head: str) -> str:
    """A Markdown export between the markers; ``kind`` and ``head`` must not hold ``--``."""
    return f"{EXPORT_OPEN} {kind} head={head} -->\n{body.rstrip()}\n{EXPORT_CLOSE}\n"


def cut(text: str) -> tuple[str, Counter[str]]:
    """The text without recalled or exported blocks, and how many of each kind were taken out.

    A block of ours without its end runs to the end of the text, and so does another system's whose opening
    tag stands alone on its line; a tag merely named inside a sentence stays.
    """
    counts: Counter[str] = Counter()
    if not _HINT.search(text):
        return text, counts
    for kind, pattern in _RULES:
        text, found = pattern.subn("", text)
        if found:
            counts[kind] += found
    return (text.strip() if counts else text), counts


def cut_turn(turn: Turn) -> tuple[Turn, Counter[str]]:
    """The turn without recalled blocks; one that held nothing else keeps its text and becomes ``injected``.

    Turns that support nothing anyway (tool output, injected text, summaries) are returned as they are.
    """
    if turn.provenance not in ("human", "assistant", "profile"):
        return turn, Counter()
    text, counts = cut(turn.text)
    if not counts:
        return turn, counts
    if not text:
        return replace(turn, provenance="injected"), counts
    return replace(turn, text=text), counts


def is_own_export(record: Mapping[str, Any]) -> bool:
    """Whether a JSON object was written by this product's export."""
    return EXPORT_KEY in record
