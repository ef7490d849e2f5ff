"""Schemas through whole nights: made once, grown, measured again, let go; the record holds at every step."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nocturne.app.auditing import audit
from nocturne.app.lexicons import default_lexicon
from nocturne.app.listing import Listed, with_evidence
from nocturne.core.facts import DAY, Fact
from nocturne.core.policy import Policy
from nocturne.core.strength import centrality_factor
from nocturne.memory import Memory
from nocturne.report.data.facts import listed
from nocturne.report.text.facts import show

START = 1_767_225_600_000_000
RUNS = ["alone", "in the rain", "with Ngozi", "at dusk", "without shoes"]
REST = [
    "I baked rye bread. My boat leaks. I planted three pear trees.",
    "I mended the gate. I wrote to Ines. I sold the green bicycle. I lost a glove at the station. The oven broke.",
    "I read a long novel about lighthouses. I met Tomas at the market.",
]


class House:
    """A memory that hears a line a session, three days apart, and sleeps when it is told to."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.now = START
        self.heard = 0
        self.memory = Memory(place / "h.db", policy=Policy(loss_budget=1.0), clock=lambda: self.now)

    def hear(self, *texts: str) -> None:
        file = self.place / f"{self.heard}.jsonl"
        with file.open("w", encoding="utf-8") as out:
            for text in texts:
                self.heard += 1
                self.now += 3 * DAY
                time = datetime.fromtimestamp(self.now // 1_000_000, tz=UTC).isoformat()
                row = {
                    "session": f"s{self.heard}",
                    "id": f"t{self.heard}",
                    "role": "user",
                    "text": text,
                    "time": time,
                }
                out.write(json.dumps(row) + "\n")
        self.memory.ingest(file)

    def sleep(self) -> dict[str, list[str]]:
        """The rules under which each pass accepted or refused."""
        self.now += DAY
        report = self.memory.sleep()
        return {
            part.name: [str(getattr(r.verdict, "rule", getattr(r.verdict, "code", ""))) for r in part.rulings]
            for part in report.passes
            if part.rulings
        }

    def audited(self) -> list[str]:
        """What an audit of the record finds."""
        return [str(each) for each in audit(self.memory._store, lexicon=default_lexicon()).problems]

    def schemas(self) -> list[Fact]:
        return self.memory.get_block("schemas")

    def evidence(self, schema: int) -> list[str]:
        """The words after the shared ones of the evidence as last measured."""
        rows = [(seq, link) for seq, link in self.memory._store.lineage([schema]) if link.role == "evidence"]
        last = max(seq for seq, _ in rows)
        facts = [self.memory._store.fact(link.parent) for seq, link in rows if seq == last]
        return sorted(fact.text.partition("path ")[2].rstrip(".") for fact in facts if fact is not None)

    def forget(self, words: str) -> None:
        kept = [fact for fact in self.memory.get_block("episodes") if words not in fact.text]
        self.memory.replace("episodes", kept)


@pytest.fixture
def house(tmp_path: Path) -> House:
    made = House(tmp_path)
    made.hear(*(f"I went running along the old river path {how}." for how in RUNS[:3]), *REST)
    return made


def run_text(how: str) -> str:
    return f"I went running along the old river path {how}."


def test_a_cluster_becomes_one_schema_and_the_next_night_is_quiet(house: House) -> None:
    assert house.sleep()["schematise"] == ["schema"]
    (schema,) = house.schemas()
    assert schema.text == "The user went running along the old river path."
    assert (schema.layer, schema.block) == ("semantic", "schemas")
    assert house.evidence(schema.id) == sorted(RUNS[:3])
    assert house.sleep() == {}
    assert house.audited() == []


def test_members_stay_and_fade_by_how_typical_they_are(house: House) -> None:
    house.sleep()
    rows = house.memory._store.activations()
    runs = [fact for fact in house.memory.get_block("episodes") if "running" in fact.text]
    assert {fact.id for fact in runs} == set(rows)
    factors = {fact.text: rows[fact.id].base / 1_000_000 for fact in runs}
    assert all(centrality_factor(1.0) <= factor <= centrality_factor(0.5) for factor in factors.values())


def test_a_cluster_that_grows_extends_its_schema(house: House) -> None:
    house.sleep()
    (before,) = house.schemas()
    house.hear(run_text(RUNS[3]))
    assert house.sleep()["schematise"] == ["schema:measured-again"]
    (after,) = house.schemas()
    assert (after.id, after.text) == (before.id, before.text)
    assert len(after.sources) == 4
    assert house.evidence(after.id) == sorted(RUNS[:4])
    assert house.sleep() == {}
    assert house.audited() == []


def test_a_schema_that_loses_evidence_is_measured_again_then_let_go(house: House) -> None:
    house.hear(run_text(RUNS[3]))
    house.sleep()
    (schema,) = house.schemas()
    assert len(schema.sources) == 4
    house.forget("Ngozi")
    assert house.sleep()["schematise"] == ["schema:measured-again"]
    (schema,) = house.schemas()
    assert len(schema.sources) == 3
    assert "with Ngozi" not in house.evidence(schema.id)
    assert house.sleep() == {}
    house.forget("dusk")
    assert house.sleep()["forget"] == ["forget:evidence"]
    assert house.schemas() == []
    assert house.sleep() == {}
    assert house.audited() == []


def test_evidence_that_was_merged_away_is_not_lost(house: House) -> None:
    house.hear(run_text(RUNS[3]), run_text(RUNS[3]))
    house.sleep()
    (schema,) = house.schemas()
    assert len(house.evidence(schema.id)) == 4
    house.hear(run_text(RUNS[3]))
    assert "forget" not in house.sleep()
    assert [fact.id for fact in house.schemas()] == [schema.id]
    assert house.sleep() == {}


def test_the_same_pattern_is_never_stated_twice(house: House) -> None:
    house.sleep()
    for how in RUNS[3:]:
        house.hear(run_text(how))
        house.sleep()
    assert len(house.schemas()) == 1


def test_a_schema_outlives_episodes_that_only_grew_old(house: House) -> None:
    house.sleep()
    house.now += 40 * DAY
    house.hear(run_text(RUNS[3]))
    house.now += 15 * DAY
    assert "forget:stale" in house.sleep()["forget"]
    left = [fact.text for fact in house.memory.get_block("episodes") if "running" in fact.text]
    assert left == ["The user went running along the old river path at dusk."]
    assert len(house.schemas()) == 1
    house.forget("dusk")
    assert "forget:evidence" not in house.sleep().get("forget", [])
    assert len(house.schemas()) == 1
    assert house.audited() == []


def test_a_schema_shows_its_evidence(house: House) -> None:
    house.sleep()
    (schema,) = house.schemas()
    line = with_evidence(house.memory._store, Listed(schema, 1.0, stale=False, faded=False))
    assert len(line.evidence) == 3
    assert line.sessions == 3
    assert "(3 facts of 3 sessions)" in show(line).plain
    assert listed(line)["sessions"] == 3
