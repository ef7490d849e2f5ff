"""The built-in proposer: closed rules, no network, no key, the same answer every time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from nocturne.llm.rules.encode import Encoder
from nocturne.llm.rules.night import JUDGES
from nocturne.passes.briefs import EncodeBrief

BATCH = 2_000


class RulesProposer:
    """A proposer like any other: it hands in JSON in the wire's shapes, and the gates decide."""

    name = "rules"

    def propose(self, pass_name: str, brief: Any) -> Iterable[str]:
        """Raw JSON texts for one pass; none where the brief gives nothing to say."""
        if isinstance(brief, EncodeBrief):
            yield from _batches(("facts", entry) for entry in Encoder(brief).proposals())
        elif pass_name in JUDGES:
            yield from _batches(JUDGES[pass_name](brief))


def _batches(entries: Iterable[tuple[str, dict[str, Any]]]) -> Iterator[str]:
    """Entries by key as JSON texts that stay under the parser's limit for one reply."""
    held: dict[str, list[dict[str, Any]]] = {}
    count = 0
    for key, entry in entries:
        held.setdefault(key, []).append(entry)
        count += 1
        if count == BATCH:
            yield json.dumps(held, ensure_ascii=False)
            held, count = {}, 0
    if held:
        yield json.dumps(held, ensure_ascii=False)
