"""Which format a source is in, by its content and never by its name; no match or a tie is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from nocturne.errors import InputUnreadable
from nocturne.formats.json_list import items
from nocturne.formats.reading import Reader
from nocturne.formats.source import Source, decode_json

VOTERS = 50
_ITEMS = 5
_SHARE = 4
_TRAINING_KEYS = (
    ({"instruction", "output"}, "Alpaca training rows (instruction, output)"),
    ({"prompt", "completion"}, "training rows (prompt, completion)"),
    ({"prompt", "chosen", "rejected"}, "preference-training rows (prompt, chosen, rejected)"),
    ({"question", "answer"}, "question-and-answer rows"),
)


class NoFormat(InputUnreadable):
    """A file that is whole and no transcript."""


def detect(source: Source, readers: Sequence[Reader]) -> Reader:
    """The one reader that claims the source, else ``InputUnreadable`` saying what was seen."""
    if source.shape == "sqlite":
        tables = source.tables()
        claimed = [reader for reader in readers if reader.claims_tables(tables)]
        return _only(source, claimed, readers, f"a SQLite database with the tables {_listed(tables)}")
    if source.shape == "text":
        text = source.head.decode("utf-8", "replace").removeprefix("\ufeff")
        if len(source.head) < source.size:
            text = text.rpartition("\n")[0]
        claimed = [reader for reader in readers if reader.claims_text(text)]
        return _only(source, claimed, readers, _text_seen(text))
    return _by_vote(source, readers)


def sample(source: Source) -> list[Any]:
    """The first values of a JSON source: 50 parseable lines, five items of a list, or the one document."""
    if source.shape == "array":
        return [record.value for record in islice(items(source), _ITEMS)]
    if source.shape == "document":
        return [source.document()]
    values: list[Any] = []
    for _, _, line in source.lines():
        try:
            value = decode_json(line.decode("utf-8", "replace").removeprefix("\ufeff"))
        except ValueError:
            continue
        if isinstance(value, dict):
            values.append(value)
        if len(values) == VOTERS:
            break
    return values


def accepted(readers: Iterable[Reader]) -> str:
    """The hint that names every format."""
    return "accepted: " + ", ".join(reader.name for reader in readers) + "; --format NAME forces one"


def _by_vote(source: Source, readers: Sequence[Reader]) -> Reader:
    values = sample(source)
    objects = [value for value in values if isinstance(value, dict)]
    votes: Counter[str] = Counter()
    for value in objects:
        votes.update(reader.name for reader in readers if reader.claims(value))
    best = max(votes.values(), default=0)
    if best * _SHARE < len(objects):
        best = 0
    claimed = [reader for reader in readers if best and votes[reader.name] == best]
    return _only(source, claimed, readers, _json_seen(source, values, objects))


def _only(source: Source, claimed: Sequence[Reader], readers: Sequence[Reader], seen: str) -> Reader:
    if len(claimed) == 1:
        return claimed[0]
    if not claimed:
        raise NoFormat(f"{source.name}: no known transcript format; seen: {seen}", hint=accepted(readers))
    names = " and ".join(reader.name for reader in claimed)
    raise InputUnreadable(
        f"{source.name}: could be {names} alike; seen: {seen}",
        hint=f"say which with --format {claimed[0].name}",
    )


def _json_seen(source: Source, values: Sequence[Any], objects: Sequence[Mapping[str, Any]]) -> str:
    what = {"array": "a JSON list", "document": "a JSON object", "lines": "JSON lines"}[source.shape]
    if not values:
        return f"{what} without items" if source.shape == "array" else f"{what}, none of them an object"
    if not objects:
        return f"{what} of {type(values[0]).__name__}, not of objects"
    keys = set(objects[0])
    for training, name in _TRAINING_KEYS:
        if training <= keys:
            return f"{name}, which nobody said to anybody"
    if source.shape == "lines" and len(objects) == 1:
        what = "one JSON object"
    return f"{what} with the keys {_listed(keys)}"


def _text_seen(text: str) -> str:
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    shown = "".join(char if char.isprintable() else "·" for char in first[:60])
    if first.startswith(("---", "#", "- ", "* ")):
        return f'Markdown that begins "{shown}" (--format claude-memory reads it as instructions or memory)'
    return f'text that begins "{shown}", without lines of "Name: what they said"'


def _listed(names: Iterable[str]) -> str:
    ordered = sorted("".join(c for c in str(name)[:40] if c.isprintable()) for name in names)
    if not ordered:
        return "(none)"
    return ", ".join(ordered[:8]) + (f" and {len(ordered) - 8} more" if len(ordered) > 8 else "")
