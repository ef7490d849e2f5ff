"""Recall of evidence turns by plain BM25: raw turns, facts before the sleep, facts after it.

    NOCTURNE_CORPUS=/path/to/corpus python -m tests.evaluate_recall [--top 10] [--refused 20]

Nothing of the product ranks here: the retriever is a plain BM25 (k1 1.2, b 0.75), so that only what was stored
differs between the arms. A fact counts for the turns that it cites. The facts are those of a real store: the
transcript is written as native JSON lines, ingested, and slept on one day after its last turn.
"""

# ruff: noqa: T201 — its output is what it is for

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nocturne.core.facts import DAY, Fact, Provenance, Turn
from nocturne.core.verdicts import Refused
from nocturne.memory import Memory

WORD = re.compile(r"\w+(?:['’]\w+)?")
STOP = frozenset(
    WORD.findall(
        """a an the of in on at to for from with by and or but is are was were be been being am do does did have has had
    i you he she it we they me him her us them my your his its our their this that these those what which who whom
    when where why how as so if then than there here will would can could should not no"""
    )
)
K1, B = 1.2, 0.75
COVERED = 0.8


@dataclass(frozen=True)
class Document:
    """What is indexed: a turn or a fact, and the turns that it stands for."""

    text: str
    turns: tuple[str, ...]


@dataclass(frozen=True)
class Question:
    """What is asked, and the turns that hold the answer."""

    text: str
    evidence: frozenset[str]


@dataclass(frozen=True)
class Conversation:
    """One person's or pair's whole history. Every turn has a native id."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...] = ()
    points: tuple[Mapping[str, Any], ...] = ()


@dataclass
class Arms:
    """What one store held before and after its night, and what the gates and passes did."""

    before: list[Document] = field(default_factory=list)
    after: list[Document] = field(default_factory=list)
    sessions: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    proposed: int = 0
    accepted: int = 0
    refusals: Counter[str] = field(default_factory=Counter)
    passes: list[str] = field(default_factory=list)


def words(text: str) -> list[str]:
    """Lower-cased words without stopwords, one plural or possessive ``s`` dropped."""
    found = []
    for match in WORD.finditer(text.lower().replace("’", "'")):
        word = match[0].removesuffix("'s").replace("'", "")
        if word in STOP:
            continue
        if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us")):
            word = word[:-1]
        found.append(word)
    return found


class Bm25:
    """Plain Okapi BM25 over a list of documents."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        self.lengths: list[int] = []
        self.postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, document in enumerate(documents):
            counts = Counter(words(document.text))
            self.lengths.append(sum(counts.values()))
            for word, count in counts.items():
                self.postings[word].append((number, count))
        self.mean = sum(self.lengths) / max(1, len(self.lengths))

    def turns(self, query: str, top: int) -> set[str]:
        """The turns of the ``top`` best documents."""
        scores: dict[int, float] = defaultdict(float)
        for word in set(words(query)):
            rows = self.postings.get(word, [])
            weight = math.log(1 + (len(self.documents) - len(rows) + 0.5) / (len(rows) + 0.5))
            for number, count in rows:
                norm = K1 * (1 - B + B * self.lengths[number] / self.mean)
                scores[number] += weight * count * (K1 + 1) / (count + norm)
        ranked = sorted(scores, key=lambda number: (-scores[number], number))
        return {turn for number in ranked[:top] for turn in self.documents[number].turns}


def recall(documents: Sequence[Document], questions: Sequence[Question], top: int) -> float:
    """The sum over questions of the share of their evidence turns among those found."""
    index = Bm25(documents)
    return sum(len(q.evidence & index.turns(q.text, top)) / len(q.evidence) for q in questions)


def _time(text: str, form: str) -> int:
    """Microseconds since the epoch of a time that is read as UTC."""
    return int(datetime.strptime(text, form).replace(tzinfo=UTC).timestamp()) * 1_000_000


def _turn(number: int, session: int, speaker: str | None, role: str, text: str, at: int) -> Turn:
    who: Provenance = "assistant" if role == "assistant" else "human"
    return Turn(number, 1, f"t{number}", 0, number, f"s{session}", speaker, who, text, at, role=role)


def locomo(corpus: Path) -> Iterator[Conversation]:
    """Dialogues of two named speakers with labelled evidence turns."""
    for path in sorted((corpus / "datasets" / "locomo").glob("*.json")):
        for sample in json.loads(path.read_text(encoding="utf-8")):
            talk, session = sample["conversation"], 1
            turns: list[Turn] = []
            native: dict[str, str] = {}
            while f"session_{session}" in talk:
                at = _time(talk[f"session_{session}_date_time"], "%I:%M %p on %d %B, %Y")
                for row in talk[f"session_{session}"]:
                    turns.append(_turn(len(turns) + 1, session, row["speaker"], "user", row["text"], at))
                    native[row["dia_id"]] = turns[-1].native_id or ""
                session += 1
            questions = [
                Question(str(row["question"]), evidence)
                for row in sample["qa"]
                if row.get("category") != 5
                and (evidence := frozenset(native[id_] for id_ in row.get("evidence", []) if id_ in native))
            ]
            yield Conversation(str(sample.get("sample_id", path.stem)), tuple(turns), tuple(questions))


def halumem(corpus: Path) -> Iterator[Conversation]:
    """A person and an assistant, with what should be remembered of each session and what should not."""
    for path in sorted((corpus / "datasets" / "halumem").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield _halumem(json.loads(line))


def _halumem(sample: Mapping[str, Any]) -> Conversation:
    names = frozenset(words(sample["persona_info"].partition("Name:")[2].partition(";")[0]))
    turns: list[Turn] = []
    points: list[Mapping[str, Any]] = []
    where: dict[str, set[str]] = defaultdict(set)
    for number, session in enumerate(sample["sessions"]):
        first = len(turns)
        for row in session["dialogue"]:
            at = _time(row["timestamp"], "%b %d, %Y, %H:%M:%S")
            turns.append(_turn(len(turns) + 1, number, None, row["role"], row["content"], at))
        for point in session["memory_points"]:
            points.append({**point, "session": f"s{number}", "names": names})
            best = _saying(point["memory_content"], turns[first:], names)
            if best is not None and point["memory_source"] != "interference":
                where[point["memory_content"]].add(best)
    questions = [
        Question(row["question"], evidence)
        for session in sample["sessions"]
        for row in session.get("questions", [])
        if (evidence := frozenset(t for item in row["evidence"] for t in where[item["memory_content"]]))
    ]
    return Conversation(str(sample["uuid"])[:8], tuple(turns), tuple(questions), tuple(points))


def _saying(content: str, turns: Iterable[Turn], names: frozenset[str]) -> str | None:
    """The person's turn that shares most words with a labelled memory, if it shares half of them."""
    wanted = set(words(content)) - names
    best, most = None, 0
    for turn in turns:
        shared = len(wanted & set(words(turn.text)))
        if turn.provenance == "human" and shared > most:
            best, most = turn.native_id, shared
    return best if most * 2 >= len(wanted) else None


def raw(talk: Conversation) -> list[Document]:
    """Every turn as it was said, with its speaker."""
    return [
        Document(f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text, (turn.native_id or "",))
        for turn in talk.turns
    ]


def documents(facts: Iterable[Fact], turns: Mapping[int, Turn]) -> list[Document]:
    """Facts as documents; a named speaker whom the text leaves out ("We …") is set before it, as with raw turns."""
    found = []
    for fact in facts:
        name = fact.speaker if fact.speaker and fact.speaker not in fact.text else None
        cited = tuple(turns[span.turn].native_id or "" for span in fact.sources)
        found.append(Document(f"{name}: {fact.text}" if name else fact.text, cited))
    return found


def held(store_path: Path) -> tuple[list[Fact], dict[int, Turn]]:
    """The active facts of a store, and the turns that they cite."""
    from nocturne.store import open_store

    with open_store(store_path, mode="readonly") as store:
        facts = list(store.state().facts.values())
        return facts, store.turns({span.turn for fact in facts for span in fact.sources})


def arms(talk: Conversation, place: Path) -> Arms:
    """Ingest a conversation into a new store and sleep once, one day after its last turn."""
    transcript, path = place / f"{talk.name}.jsonl", place / f"{talk.name}.db"
    with transcript.open("w", encoding="utf-8") as out:
        for turn in talk.turns:
            said = datetime.fromtimestamp((turn.said_at or 0) // 1_000_000, tz=UTC)
            row = {"session": turn.session, "id": turn.native_id, "speaker": turn.speaker, "role": turn.role}
            row |= {"text": turn.text, "time": said.isoformat()}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    now = max(turn.said_at or 0 for turn in talk.turns) + DAY
    found = Arms()
    with Memory(path, clock=lambda: now) as memory:
        report = memory.ingest(transcript)
        found.proposed, found.accepted, found.refusals = report.proposed, report.accepted, report.refusals
    facts, turns = held(path)
    found.before = documents(facts, turns)
    for fact in facts:
        found.sessions[turns[fact.sources[0].turn].session or ""].append(fact.text)
    with Memory(path, clock=lambda: now) as memory:
        night = memory.sleep()
    found.after = documents(*held(path))
    for part in night.passes:
        refused = sum(isinstance(ruling.verdict, Refused) for ruling in part.rulings)
        found.passes.append(f"{part.name} {len(part.rulings) - refused}/{len(part.rulings)}")
    return found


def covered(point: str, facts: Sequence[str], names: frozenset[str]) -> tuple[bool, bool]:
    """Whether one fact, or all of the session together, hold 0.8 of a labelled memory's words but for the name."""
    wanted = set(words(point)) - names
    if not wanted:
        return False, False
    sets = [set(words(fact)) for fact in facts]
    one = max((len(wanted & found) / len(wanted) for found in sets), default=0.0)
    return one >= COVERED, len(wanted & set().union(*sets)) / len(wanted) >= COVERED


def report(name: str, talks: Sequence[Conversation], stored: Sequence[Arms], top: int) -> None:
    """The arms of one data set, one line each."""
    asked = sum(len(talk.questions) for talk in talks)
    proposed, accepted = sum(arm.proposed for arm in stored), sum(arm.accepted for arm in stored)
    refusals = sum((arm.refusals for arm in stored), Counter[str]())
    print(f"{name}: {asked} questions, {sum(len(talk.turns) for talk in talks)} turns, top {top}")
    print(f"  proposed {proposed}, accepted {accepted} ({accepted / max(1, proposed):.1%}), refused {dict(refusals)}")
    for arm in stored:
        print(f"  night, accepted of ruled: {', '.join(arm.passes)}")
    base = 0.0
    for label, sets in (
        ("raw turns", [raw(talk) for talk in talks]),
        ("facts before the sleep", [arm.before for arm in stored]),
        ("facts after the sleep", [arm.after for arm in stored]),
    ):
        hits = sum(recall(found, talk.questions, top) for found, talk in zip(sets, talks, strict=True))
        value = hits / max(1, asked)
        base = base or value
        size = sum(len(found) for found in sets)
        print(f"  {label:<24} recall {value:.3f}  ({value / base:.0%} of raw turns)  documents {size}")


def points(talks: Sequence[Conversation], stored: Sequence[Arms]) -> None:
    """How many labelled memories are covered, and how many interference points were stored."""
    counts: Counter[str] = Counter()
    for talk, arm in zip(talks, stored, strict=True):
        for point in talk.points:
            kind = "interference" if point["memory_source"] == "interference" else "memory"
            one, union = covered(point["memory_content"], arm.sessions[point["session"]], point["names"])
            counts[kind] += 1
            counts[f"{kind} one"] += one
            counts[f"{kind} union"] += union
    for kind, verb in (("memory", "covered"), ("interference", "wrongly stored")):
        total = max(1, counts[kind])
        print(
            f"  {kind} points {counts[kind]}: {verb} by one fact {counts[f'{kind} one'] / total:.1%}, "
            f"by the session's facts together {counts[f'{kind} union'] / total:.1%}"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print every arm; 0 where the data was there, 2 where it was not."""
    parser = argparse.ArgumentParser(prog="python -m tests.evaluate_recall", description="Recall in three arms.")
    parser.add_argument("--top", type=int, default=10, help="documents that a query may return")
    options = parser.parse_args(arguments)
    root = os.environ.get("NOCTURNE_CORPUS")
    if not root:
        print("set NOCTURNE_CORPUS to the corpus to evaluate", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as place:
        for name, read in (("locomo", locomo), ("halumem", halumem)):
            talks = list(read(Path(root)))
            stored = [arms(talk, Path(place)) for talk in talks]
            report(name, talks, stored, options.top)
            if any(talk.points for talk in talks):
                points(talks, stored)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
