"""Logs of MCP servers, ``<ISO time> [server] [info] Message from client: {…}``: calls and results only."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from nocturne.core.facts import Outcome, Turn
from nocturne.formats.content import joined_text
from nocturne.formats.reading import Context, Reader, Records, as_id, as_text, call, result

_DECODER = json.JSONDecoder()
_LINE = re.compile(
    r"(?P<time>\d{4}-\d{2}-\d{2}T[\d:.]+Z?)\s+\[(?P<server>[^\]]+)\]\s+\[\w+\]\s+"
    r"Message from (?P<side>client|server):\s*(?P<body>\{.*)"
)


def _claims_text(head: str) -> bool:
    return any(_LINE.match(line) for line in head.splitlines()[:200])


def _read(records: Records, context: Context) -> Iterator[Turn]:
    called: dict[str, str] = {}
    for record in records:
        context.record = record
        line = record.value if isinstance(record.value, str) else ""
        if not line.strip():
            continue
        match = _LINE.match(line)
        if match is None:
            context.skip("not a message")
            continue
        body = match["body"]
        try:
            message, _ = _DECODER.raw_decode(body)
        except (ValueError, RecursionError):
            context.skip("malformed: not JSON")
            continue
        turn = _turn(message, match, called, context) if isinstance(message, dict) else None
        if turn is None:
            method = message.get("method") if isinstance(message, dict) else None
            context.skip(f"not conversation: {method if isinstance(method, str) else 'reply'}")
        else:
            yield turn


def _turn(
    message: Mapping[str, Any], match: re.Match[str], called: dict[str, str], context: Context
) -> Turn | None:
    identity = as_id(message.get("id"))
    said_at = context.time(match["time"])
    server = match["server"]
    if message.get("method") == "tools/call" and isinstance(message.get("params"), dict):
        params = message["params"]
        name = as_id(params.get("name")) or "tool"
        if identity is not None:
            called[identity] = name
        return context.turn(
            name,
            "tool",
            session=server,
            said_at=said_at,
            role="client",
            tool=call(name, identity, params.get("arguments")),
        )
    if identity is None or identity not in called or match["side"] != "server":
        return None
    error, answer = message.get("error"), message.get("result")
    text = as_text(error) if error is not None else ""
    if isinstance(answer, dict):
        text, _ = joined_text(answer.get("content"))
    failed = error is not None or (isinstance(answer, dict) and answer.get("isError") is True)
    outcome: Outcome = "error" if failed else "ok"
    return context.turn(
        text,
        "tool",
        session=server,
        said_at=said_at,
        role="server",
        tool=result(called.pop(identity), identity, outcome),
    )


READER = Reader(
    name="mcp-log",
    version=1,
    accepts="MCP server logs (ISO [server] [info] Message from client: {jsonrpc})",
    read=_read,
    claims_text=_claims_text,
)
