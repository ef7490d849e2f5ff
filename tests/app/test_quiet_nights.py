"""Two named people over four sessions: the night after a night writes nothing, and what was findable still is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nocturne.app.lexicons import default_lexicon
from nocturne.app.recall import Query, Retriever, native_ids
from nocturne.core.facts import DAY
from nocturne.memory import Memory

START = 1_767_225_600_000_000
TALK = """
1 Mara I moved to Ghent in May. I teach pottery on Tuesdays.
1 Joost I work at Halden as a welder. My brother Pim lives in Leeds.
1 Mara I love goat cheese. I went swimming in the old quarry at dawn.
1 Joost I bought a blue canoe last week.
2 Mara I went swimming in the old quarry with Ines. I sold my scooter.
2 Joost I work at Kestrel now. I painted the blue canoe.
2 Mara I teach pottery on Tuesdays and glazing on Fridays.
2 Joost I don't like olives. I am learning the accordion.
3 Mara I went swimming in the old quarry in the rain. I prefer trains over planes.
3 Joost I broke my thumb at the workshop. I love goat cheese too.
3 Mara We decided to rent the mill because the cellar floods.
4 Joost I live in Delft. I practise the accordion every morning.
4 Mara I went swimming in the old quarry alone. I moved to Bruges last weekend.
4 Joost I am quite excited to explore more olives.
"""
ASKED = {
    "Where does Mara live now?": "t13",
    "What does Mara teach?": "t7",
    "Where does Joost work?": "t6",
    "What did they decide about the mill?": "t11",
    "Which instrument does Joost practise?": "t12",
    "Who broke a thumb?": "t10",
    "What colour is the canoe?": "t4",
    "Does Mara prefer trains?": "t9",
}


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    """The talk as JSON lines, a session every nine days."""
    file = tmp_path / "talk.jsonl"
    with file.open("w", encoding="utf-8") as out:
        for number, line in enumerate(TALK.strip().splitlines(), start=1):
            session, speaker, text = line.split(" ", 2)
            day = int(session) * 9 - 8
            row = {
                "session": f"s{session}",
                "id": f"t{number}",
                "speaker": speaker,
                "role": "user",
                "text": text,
            }
            out.write(json.dumps({**row, "time": f"2025-11-{day:02}T10:{number:02}:00+00:00"}) + "\n")
    return file


def findable(memory: Memory, now: int) -> set[str]:
    reader = Retriever(memory._store, policy=memory.policy, lexicon=default_lexicon(), now=now)
    found = set()
    for text, turn in ASKED.items():
        hits = reader.find(Query(text, top=5)).hits
        if any(turn in ids for ids in native_ids(memory._store, [hit.fact for hit in hits]).values()):
            found.add(text)
    return found


def test_the_second_night_writes_nothing_and_loses_nothing(transcript: Path, tmp_path: Path) -> None:
    now = [START - 30 * DAY]
    with Memory(tmp_path / "m.db", clock=lambda: now[0]) as memory:
        memory.ingest(transcript)
        before = findable(memory, now[0])
        first = memory.sleep()
        assert first.unchanged_since is None
        assert {part.name for part in first.passes} == set(memory.policy.passes)
        assert findable(memory, now[0]) >= before
        assert len(before) >= len(ASKED) - 2
        head = memory._store.head()
        for _ in range(3):
            assert memory.sleep().unchanged_since == head.snapshot
        assert memory._store.head() == head
        # A recall lies beside the chain: it gives the next night nothing to do.
        findable(memory, now[0])
        assert memory.sleep().unchanged_since == head.snapshot
