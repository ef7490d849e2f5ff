"""Recall of evidence turns by the product's own retriever, before and after a night of all six passes.

NOCTURNE_CORPUS=/path/to/corpus python -m tests.evaluate_product_recall
"""

# ruff: noqa: T201 — its output is what it is for

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from nocturne.app.lexicons import default_lexicon
from nocturne.app.recall import Query, Retriever, native_ids
from nocturne.core.facts import DAY
from nocturne.memory import Memory
from tests.evaluate_recall import Conversation, halumem, locomo

TOPS = (5, 10, 20)


def found(talk: Conversation, place: Path) -> Counter[tuple[str, int]]:
    """The summed share of evidence found, by arm and number of hits."""
    transcript = place / "t.jsonl"
    with transcript.open("w", encoding="utf-8") as out:
        for turn in talk.turns:
            said = datetime.fromtimestamp((turn.said_at or 0) // 1_000_000, tz=UTC).isoformat()
            row = {"session": turn.session, "id": turn.native_id, "speaker": turn.speaker, "role": turn.role}
            out.write(json.dumps({**row, "text": turn.text, "time": said}, ensure_ascii=False) + "\n")
    now = max(turn.said_at or 0 for turn in talk.turns) + DAY
    shares: Counter[tuple[str, int]] = Counter()
    with Memory(place / "m.db", clock=lambda: now) as memory:
        memory.ingest(transcript)
        for arm in ("before the sleep", "after the sleep"):
            if arm == "after the sleep":
                memory.sleep()
            store = memory._store
            reader = Retriever(store, policy=memory.policy, lexicon=default_lexicon(), now=now)
            for top in TOPS:
                for question in talk.questions:
                    hits = reader.find(Query(question.text, top=top)).hits
                    turns = {
                        id_ for ids in native_ids(store, [hit.fact for hit in hits]).values() for id_ in ids
                    }
                    shares[arm, top] += len(question.evidence & turns) / len(question.evidence)  # type: ignore[assignment]  # a sum of shares
    return shares


def main() -> int:
    """Print both arms of every data set."""
    root = os.environ.get("NOCTURNE_CORPUS")
    if not root:
        print("set NOCTURNE_CORPUS to the corpus to evaluate", file=sys.stderr)
        return 2
    for name, read in (("locomo", locomo), ("halumem", halumem)):
        shares: Counter[tuple[str, int]] = Counter()
        asked = 0
        for talk in read(Path(root)):
            with tempfile.TemporaryDirectory() as place:
                shares.update(found(talk, Path(place)))
            asked += len(talk.questions)
        print(f"{name}: {asked} questions")
        for arm in ("before the sleep", "after the sleep"):
            print(f"  {arm:<18}" + "".join(f"  top {top} {shares[arm, top] / asked:.4f}" for top in TOPS))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
