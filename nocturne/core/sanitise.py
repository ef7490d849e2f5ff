"""What a turn's text may hold: characters that no store and no reader can carry are taken out and counted."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

from nocturne.core.facts import ToolCall, Turn

NUL = "nul"
SURROGATE = "lone-surrogate"
CONTROL = "control-character"
TAG = "tag-character"
TOO_LONG = "text-too-long"
ZERO_WIDTH = "zero-width"
BIDI = "bidi-control"

REMOVED = (NUL, SURROGATE, CONTROL, TAG, TOO_LONG)
"""Reasons under which something was taken out; ZERO_WIDTH and BIDI only note what stays."""

IDENTIFIER_CHARS = 400

# Emoji flags of regions are a black flag, tag letters and a cancel tag: the one lawful use of tag characters.
_FLAG = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,16}\U000e007f"
_FORBIDDEN = re.compile(
    f"(?P<flag>{_FLAG})"
    "|(?P<newline>\r\n?)"
    "|(?P<nul>\x00)"
    "|(?P<surrogate>[\ud800-\udfff])"
    "|(?P<control>[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f])"
    "|(?P<tag>[\U000e0000-\U000e007f])"
)
_SUSPECT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\U000e0000-\U000e007f]")
_ZERO_WIDTH = re.compile("[\u200b\u200c\u200d\u2060\ufeff\u00ad]")
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_REASON = {"nul": NUL, "surrogate": SURROGATE, "control": CONTROL, "tag": TAG}


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text fit to be stored, what was taken out or noted, and which code points those were."""

    text: str
    counts: Counter[str]
    code_points: tuple[str, ...] = ()


def clean(text: str, *, max_chars: int | None = None) -> Cleaned:
    """Take out NUL, lone surrogates, control and tag characters; keep newlines and tabs; cut at the limit.

    Every line end becomes a line feed, uncounted. Zero-width and bidi characters stay (Persian and emoji need
    them) and are noted. ``TOO_LONG`` counts the characters cut off.
    """
    counts: Counter[str] = Counter()
    seen: dict[str, None] = {}

    def drop(match: re.Match[str]) -> str:
        kind = match.lastgroup or ""
        if kind == "flag":
            return match.group()
        if kind == "newline":
            return "\n"
        counts[_REASON[kind]] += 1
        seen[f"U+{ord(match.group()):04X}"] = None
        return ""

    if _SUSPECT.search(text):
        text = _FORBIDDEN.sub(drop, text)
    if max_chars is not None and len(text) > max_chars:
        counts[TOO_LONG] += len(text) - max_chars
        text = text[:max_chars]
    if not text.isascii():
        for pattern, reason in ((_ZERO_WIDTH, ZERO_WIDTH), (_BIDI, BIDI)):
            found = pattern.findall(text)
            if found:
                counts[reason] += len(found)
                seen.update((f"U+{ord(one):04X}", None) for one in found)
    return Cleaned(text, counts, tuple(seen))


def identifier(text: str) -> str:
    """A name or id from outside on one line, without unsafe characters, at most 400 characters."""
    if text.isascii() and text.isprintable() and " " not in text and len(text) <= IDENTIFIER_CHARS:
        return text
    return " ".join(clean(text).text.split())[:IDENTIFIER_CHARS]


def clean_turn(turn: Turn, *, max_chars: int | None = None) -> tuple[Turn, Counter[str]]:
    """The turn with its text and its tool payload cleaned, and the counts of both."""
    body = clean(turn.text, max_chars=max_chars)
    counts = Counter(body.counts)
    tool = turn.tool
    if tool is not None and tool.payload is not None:
        payload = clean(tool.payload, max_chars=max_chars)
        counts.update(payload.counts)
        tool = ToolCall(tool.name, tool.call_id, payload.text, tool.outcome)
    if body.text == turn.text and tool == turn.tool:
        return turn, counts
    return replace(turn, text=body.text, tool=tool), counts
