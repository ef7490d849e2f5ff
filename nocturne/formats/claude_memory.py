"""Memory that an agent keeps in Markdown: ``MEMORY.md`` and its topic files, and ``CLAUDE.md``.

An index is lines of ``- [Title](file.md) — hook``. A topic file has front matter of two generations, at times
no valid YAML (an unquoted colon), so it is read leniently. Instructions are a source of their own kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from nocturne.core.artefacts import EXPORT_OPEN
from nocturne.core.facts import Turn
from nocturne.formats.reading import Context, Reader, Records

_INDEX_LINE = re.compile(
    r"\s*[-*]\s+\[(?P<title>[^\]\n]+)\]\((?P<file>[^)\s]+\.md)\)"
    r"\s*(?:[—–:-]+\s*(?P<hook>.*))?"
)
_KEY = re.compile(r"(?P<indent>\s*)(?P<key>[A-Za-z_][\w-]*)\s*:(?:\s+(?P<value>.*))?")
_MATTER_KEYS = frozenset({"name", "description", "type", "metadata", "originSessionId"})
_INSTRUCTIONS = re.compile(
    r"#\s*(?:CLAUDE|AGENTS|GEMINI)\.md\b"
    r"|This file provides guidance to (?:Claude Code|AI coding agents|agents)",
    re.IGNORECASE,
)


def _claims_text(head: str) -> bool:
    if head.lstrip().startswith(EXPORT_OPEN):
        return True
    matter, _ = front_matter(head)
    if len(_MATTER_KEYS & matter.keys()) >= 2:
        return True
    bullets = [line for line in head.splitlines() if line.lstrip().startswith(("- ", "* "))]
    entries = [line for line in bullets if _INDEX_LINE.match(line)]
    if entries and len(entries) * 2 >= len(bullets):
        return True
    return _INSTRUCTIONS.search(head[:2000]) is not None


def front_matter(text: str) -> tuple[dict[str, str], str]:
    """The keys and values before the body, nested ones by their own name, and the body."""
    lines = text.lstrip("\ufeff").split("\n")
    if not lines or lines[0].strip() != "---":
        return {}, text
    values: dict[str, str] = {}
    last = ""
    for number, line in enumerate(lines[1:], start=1):
        if line.strip() in ("---", "..."):
            return values, "\n".join(lines[number + 1 :]).strip("\n")
        match = _KEY.match(line)
        if match is not None:
            last = match["key"]
            values[last] = (match["value"] or "").strip().strip("\"'")
        elif last and line.strip():
            values[last] = f"{values[last]} {line.strip()}".strip()
    return {}, text


def _read(records: Records, context: Context) -> Iterator[Turn]:
    lines: list[str] = []
    for record in records:
        if not lines:
            context.record = record
        lines.append(record.value if isinstance(record.value, str) else "")
    text = "\n".join(lines)
    if text.lstrip("\ufeff").lstrip().startswith(EXPORT_OPEN):
        context.skip("own export: already memory, not something said")
        yield context.turn(text, "injected", role="own-export")
        return
    matter, body = front_matter(text)
    if matter:
        yield from _topic(matter, body, context)
        return
    entries = [match for match in map(_INDEX_LINE.fullmatch, lines) if match is not None]
    if entries and _INSTRUCTIONS.search(text[:2000]) is None:
        for match in entries:
            hook = f"{match['title']} — {match['hook']}" if match["hook"] else match["title"]
            yield context.turn(
                hook, "derived-summary", native_id=match["file"], session=context.session, role="memory-index"
            )
        for line in lines:
            if line.strip() and not line.lstrip().startswith("#") and _INDEX_LINE.fullmatch(line) is None:
                context.skip("line of an index that names no file")
        return
    if text.strip():
        yield context.turn(text.strip("\ufeff\n"), "profile", session=context.session, role="instructions")
    else:
        context.skip("empty text")


def _topic(matter: dict[str, str], body: str, context: Context) -> Iterator[Turn]:
    """One topic: what the agent noted, under the name that the file gives itself."""
    text = body.strip() or matter.get("description", "")
    if not text:
        context.skip("empty text")
        return
    kind = matter.get("type")
    yield context.turn(
        text,
        "derived-summary",
        native_id=matter.get("name"),
        session=matter.get("originSessionId") or context.session,
        said_at=context.time(matter.get("modified") or matter.get("updated")),
        role=f"memory:{kind}" if kind else "memory",
    )


READER = Reader(
    name="claude-memory",
    version=1,
    accepts="MEMORY.md indexes, memory topics with front matter, CLAUDE.md instructions",
    read=_read,
    claims_text=_claims_text,
)
