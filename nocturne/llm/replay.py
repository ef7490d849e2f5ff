"""Replies kept in a file and played back: for tests, for CI, and to look at a night again.

A file is JSON lines: a head, then one exchange a line. An exchange is found by what was asked (the pass and
the lines of data, candidates and refusals), never by when. Keys and headers are never part of it, and a
configured key that a server echoes is taken out.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nocturne.app.asking import Asked, RawReply, Usage
from nocturne.app.ports import Proposer
from nocturne.core.verdicts import Refused
from nocturne.errors import InputUnreadable, ProviderFailed
from nocturne.llm.prompting import candidate_lines, data_lines, line, refused_line
from nocturne.passes.briefs import Brief

HEAD = {"nocturne": "replies", "version": 1}
SHOWN_LINES = 3


def request_lines(pass_name: str, brief: Brief, refusals: Sequence[Refused] = ()) -> list[str]:
    """What is asked, one line an item: the same brief always gives the same lines."""
    lines = [f"pass {pass_name}"]
    lines += [f"data {line(entry)}" for entry in data_lines(brief)]
    lines += [f"candidate {line(entry)}" for entry in candidate_lines(brief)]
    lines += [f"refused {line(refused_line(refused, ''))}" for refused in refusals]
    return lines


def request_key(lines: Iterable[str]) -> str:
    """The hash that an exchange is found by."""
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


class Recorder:
    """Any proposer, with every exchange appended to a file as it ends."""

    def __init__(self, inner: Proposer, path: Path, *, secrets: tuple[str, ...] = ()) -> None:
        self.name = inner.name
        self._inner: Any = inner
        self._path = path
        self._secrets = secrets
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        except OSError as error:
            raise InputUnreadable(f"cannot record to {path}: {error.strerror}") from error
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(json.dumps(HEAD) + "\n")

    def propose(self, pass_name: str, brief: Brief) -> Iterator[str]:
        """The inner proposer's replies, kept."""
        yield from self._kept(request_lines(pass_name, brief), self._inner.propose(pass_name, brief))

    def repair(self, pass_name: str, brief: Brief, refusals: Sequence[Refused]) -> Iterator[str]:
        """The inner proposer's second try, kept; nothing where it has none."""
        again = getattr(self._inner, "repair", None)
        if again is None:
            return
        lines = request_lines(pass_name, brief, refusals)
        yield from self._kept(lines, again(pass_name, brief, refusals))

    def _kept(self, lines: list[str], replies: Iterable[str]) -> Iterator[str]:
        entry: dict[str, Any] = {"key": request_key(lines), "request": lines, "replies": []}
        try:
            for reply in replies:
                provenance = dict(getattr(reply, "provenance", {}))
                entry["replies"].append({"text": str(reply), "provenance": provenance})
                yield reply
        except ProviderFailed as error:
            entry["failed"] = {"message": error.message, "hint": error.hint}
            self._append(entry)
            raise
        asked = self.asked(lines[0].removeprefix("pass "))
        if asked is not None and (asked.unanswered or asked.failures):
            entry["unanswered"] = [list(unit) for unit in asked.unanswered]
            entry["failures"] = list(asked.failures)
            entry["stopped"] = asked.stopped
        self._append(entry)

    def _append(self, entry: Mapping[str, Any]) -> None:
        text = json.dumps(entry, sort_keys=True)
        for secret in self._secrets:
            text = text.replace(json.dumps(secret)[1:-1], "[secret]")
        with self._path.open("a", encoding="utf-8") as file:
            file.write(text + "\n")

    @property
    def usage(self) -> Usage:
        """The inner proposer's."""
        used = getattr(self._inner, "usage", None)
        return used if isinstance(used, Usage) else Usage()

    def asked(self, pass_name: str) -> Asked | None:
        """The inner proposer's."""
        how = getattr(self._inner, "asked", None)
        found = how(pass_name) if how is not None else None
        return found if isinstance(found, Asked) else None

    def close(self) -> None:
        """Close the inner proposer, where it can be."""
        shut = getattr(self._inner, "close", None)
        if shut is not None:
            shut()


class Replay:
    """A proposer that has it all from a file. What is not there is an error, never an empty answer."""

    def __init__(self, path: Path) -> None:
        self.name = f"replay:{path.name}"
        self._path = path
        self._asked: dict[str, Asked] = {}
        self._entries: dict[str, deque[Mapping[str, Any]]] = defaultdict(deque)
        self._requests: list[list[str]] = []
        self._read = self._written = self._calls = 0
        for entry in _entries(path):
            self._entries[entry["key"]].append(entry)
            self._requests.append(entry["request"])

    def propose(self, pass_name: str, brief: Brief) -> Iterator[RawReply]:
        """The kept replies to this brief; ProviderFailed where there are none, or it failed then too."""
        yield from self._play(pass_name, request_lines(pass_name, brief))

    def repair(self, pass_name: str, brief: Brief, refusals: Sequence[Refused]) -> Iterator[RawReply]:
        """The kept second try. Unlike a brief's, its absence is no error: it may not have been asked for."""
        lines = request_lines(pass_name, brief, refusals)
        if request_key(lines) in self._entries:
            yield from self._play(pass_name, lines)

    def _play(self, pass_name: str, lines: list[str]) -> Iterator[RawReply]:
        entries = self._entries.get(request_key(lines))
        if not entries:
            raise self._miss(pass_name, lines)
        entry = entries.popleft() if len(entries) > 1 else entries[0]
        units = tuple(tuple(unit) for unit in entry.get("unanswered", []))
        self._asked[pass_name] = Asked(
            pass_name=pass_name,
            units=sum(1 for text in lines if text.startswith(("candidate ", "data "))),
            unanswered=units,
            failures=tuple(entry.get("failures", [])),
            stopped=entry.get("stopped"),
            replies=len(entry["replies"]),
        )
        for kept in entry["replies"]:
            provenance = kept.get("provenance") or {}
            self._calls += 1
            self._read += provenance.get("tokens_in", 0)
            self._written += provenance.get("tokens_out", 0)
            yield RawReply(kept["text"], {**provenance, "replayed": self._path.name})
        failed = entry.get("failed")
        if failed is not None:
            raise ProviderFailed(str(failed.get("message")), hint=failed.get("hint"))

    def _miss(self, pass_name: str, lines: list[str]) -> ProviderFailed:
        same = [kept for kept in self._requests if kept and kept[0] == lines[0]]
        hint = "record it anew with --record FILE, from the same transcripts, policy and --now"
        if not same:
            return ProviderFailed(f"{self._path} holds no reply for {pass_name}", hint=hint)
        nearest = max(same, key=lambda kept: len(set(kept) & set(lines)))
        asked, recorded = set(lines), set(nearest)
        gone = [f"- {text}" for text in nearest if text not in asked]
        come = [f"+ {text}" for text in lines if text not in recorded]
        changes = gone[:SHOWN_LINES] + come[:SHOWN_LINES]
        told = "\n".join(f"  {text if len(text) <= 160 else text[:159] + '…'}" for text in changes)
        left = len(gone) + len(come) - len(changes)
        more = f"\n  and {left} more" if left else ""
        if not changes:
            told = "  the same lines in another order"
        return ProviderFailed(
            f"{self._path} holds no reply for this {pass_name}; "
            f"against the nearest (- recorded, + asked):\n{told}{more}",
            hint=hint,
        )

    @property
    def count(self) -> int:
        """How many exchanges the file holds."""
        return len(self._requests)

    @property
    def usage(self) -> Usage:
        """What the recorded calls took then."""
        return Usage(calls=self._calls, tokens_in=self._read, tokens_out=self._written)

    def asked(self, pass_name: str) -> Asked | None:
        """How asking went then."""
        return self._asked.get(pass_name)

    def close(self) -> None:
        """Nothing is open."""


def _entries(path: Path) -> Iterator[dict[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputUnreadable(
            f"{path} cannot be read: {error}", hint="it is written by --record FILE"
        ) from error
    rows = [row for row in text.splitlines() if row.strip()]
    for number, row in enumerate(rows, start=1):
        try:
            entry = json.loads(row)
        except ValueError as error:
            raise InputUnreadable(f"{path}:{number} is not JSON: {error}") from error
        if number == 1:
            if entry != HEAD:
                raise InputUnreadable(
                    f"{path} is not a file of recorded replies", hint="it is written by --record FILE"
                )
            continue
        if not _is_exchange(entry):
            raise InputUnreadable(f"{path}:{number} is not an exchange")
        yield entry
    if not rows:
        raise InputUnreadable(f"{path} is empty", hint="it is written by --record FILE")


def _is_exchange(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and isinstance(entry.get("key"), str)
        and isinstance(entry.get("request"), list)
        and isinstance(entry.get("replies"), list)
        and all(isinstance(kept, dict) and isinstance(kept.get("text"), str) for kept in entry["replies"])
    )
