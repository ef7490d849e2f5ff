"""Recall of evidence turns by plain BM25: raw turns, facts before the sleep, facts after it.

    NOCTURNE_CORPUS=/path/to/corpus python -m tests.evaluate_recall [--top 10] [--store FILE]

Nothing of the product ranks here: the retriever is a plain BM25 (k1 1.2, b 0.75), so that only what was stored
differs between the arms. A fact counts for the turns that it cites; a turn's rank is that of its best fact.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nocturne.core.facts import Turn
from nocturne.llm.rules import RulesProposer
from nocturne.passes.briefs import EncodeBrief

WORD = re.compile(r"\w+(?:['’]\w+)?")
STOP = frozenset(
    "a an the of in on at to for from with by and or but is are was were be been being am do does did have has had i you "
    "he she it we they me him her us them my your his its our their this that these those what which who whom when where "
    "why how as so if then than there here will would can could should not no".split()  # noqa: SIM905
)
K1, B = 1.2, 0.75


@dataclass(frozen=True)
class Document:
    """What is indexed: a turn or a fact, and the turns that it stands for."""

    text: str
    turns: tuple[int, ...]


@dataclass(frozen=True)
class Question:
    """What is asked, and the turns that hold the answer."""

    text: str
    evidence: frozenset[int]


@dataclass(frozen=True)
class Conversation:
    """One person's or pair's whole history."""

    name: str
    turns: tuple[Turn, ...]
    speakers: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    points: tuple[Mapping[str, Any], ...] = ()


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

    def turns(self, query: str, top: int) -> list[int]:
        """The first ``top`` turns, best first, each once."""
        scores: dict[int, float] = defaultdict(float)
        for word in set(words(query)):
            rows = self.postings.get(word, [])
            weight = math.log(1 + (len(self.documents) - len(rows) + 0.5) / (len(rows) + 0.5))
            for number, count in rows:
                norm = K1 * (1 - B + B * self.lengths[number] / self.mean)
                scores[number] += weight * count * (K1 + 1) / (count + norm)
        ranked = sorted(scores, key=lambda number: (-scores[number], number))
        found: list[int] = []
        for number in ranked[:top]:
            found.extend(turn for turn in self.documents[number].turns if turn not in found)
        return found


def recall(documents: Sequence[Document], questions: Sequence[Question], top: int) -> float:
    """Mean share of a question's evidence turns among those of the first ``top`` documents."""
    index = Bm25(documents)
    shares = [len(q.evidence & set(index.turns(q.text, top))) / len(q.evidence) for q in questions]
    return sum(shares) / max(1, len(shares))


def micros(moment: datetime) -> int:
    """Microseconds since the epoch of a naive UTC time."""
    return int(moment.replace(tzinfo=UTC).timestamp()) * 1_000_000


def locomo(corpus: Path) -> Iterator[Conversation]:
    """Dialogues of two named speakers with labelled evidence turns."""
    for path in sorted((corpus / "datasets" / "locomo").glob("*.json")):
        for sample in json.loads(path.read_text(encoding="utf-8")):
            talk = sample["conversation"]
            turns: list[Turn] = []
            numbers: dict[str, int] = {}
            session = 1
            while f"session_{session}" in talk:
                at = micros(datetime.strptime(talk[f"session_{session}_date_time"], "%I:%M %p on %d %B, %Y"))
                for row in talk[f"session_{session}"]:
                    id_ = len(turns) + 1
                    numbers[row["dia_id"]] = id_
                    turns.append(
                        Turn(id_, 1, row["dia_id"], 0, id_, f"s{session}", row["speaker"], "human", row["text"], at)
                    )
                session += 1
            questions = []
            for row in sample["qa"]:
                evidence = frozenset(numbers[native] for native in row.get("evidence", []) if native in numbers)
                if evidence and row.get("category") != 5:
                    questions.append(Question(str(row["question"]), evidence))
            yield Conversation(
                str(sample.get("sample_id", "locomo")),
                tuple(turns),
                (talk["speaker_a"], talk["speaker_b"]),
                tuple(questions),
            )


def halumem(corpus: Path) -> Iterator[Conversation]:
    """A person and an assistant, with what should be remembered of each session and what should not."""
    for path in sorted((corpus / "datasets" / "halumem").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            sample = json.loads(line)
            names = frozenset(words(sample["persona_info"].partition("Name:")[2].partition(";")[0]))
            turns: list[Turn] = []
            points: list[Mapping[str, Any]] = []
            where: dict[str, set[int]] = {}
            asked: list[tuple[str, list[str]]] = []
            for number, session in enumerate(sample["sessions"]):
                first = len(turns)
                for row in session["dialogue"]:
                    id_ = len(turns) + 1
                    who = "human" if row["role"] == "user" else "assistant"
                    at = micros(datetime.strptime(row["timestamp"], "%b %d, %Y, %H:%M:%S"))
                    turns.append(
                        Turn(id_, 1, None, 0, id_, f"s{number}", None, who, row["content"], at)  # type: ignore[arg-type]
                    )
                said = [turn for turn in turns[first:] if turn.provenance == "human"]
                for point in session["memory_points"]:
                    points.append({**point, "session": f"s{number}", "names": names})
                    best = _saying(point["memory_content"], said, names)
                    if best is not None and point["memory_source"] != "interference":
                        where.setdefault(point["memory_content"], set()).add(best)
                for row in session.get("questions", []):
                    asked.append((row["question"], [item["memory_content"] for item in row["evidence"]]))
            questions = []
            for text, contents in asked:
                evidence = frozenset(turn for content in contents for turn in where.get(content, ()))
                if evidence:
                    questions.append(Question(text, evidence))
            yield Conversation(
                str(sample["uuid"])[:8], tuple(turns), (), tuple(questions), tuple(points)
            )


def _saying(content: str, turns: Iterable[Turn], names: frozenset[str]) -> int | None:
    """The turn that shares most words with a labelled memory, if it shares half of them."""
    wanted = set(words(content)) - names
    best, most = None, 0
    for turn in turns:
        shared = len(wanted & set(words(turn.text)))
        if shared > most:
            best, most = turn.id, shared
    return best if most * 2 >= len(wanted) else None


@dataclass
class Stored:
    """The facts of one arm with their sources and sessions."""

    facts: list[Document] = field(default_factory=list)
    sessions: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


def proposed(talk: Conversation) -> Stored:
    """What the rules proposer hands in for a conversation, before any gate."""
    turns = {turn.id: turn for turn in talk.turns}
    stored = Stored()
    for reply in RulesProposer().propose("encode", EncodeBrief(talk.turns, speakers=talk.speakers)):
        for entry in json.loads(reply)["facts"]:
            ids = tuple(int(id_[1:]) for id_ in entry["turnIds"])
            subject = "" if entry["subject"] in {"user", "assistant"} else entry["subject"]
            text = entry["text"] if subject in entry["text"] else f"{subject}: {entry['text']}"
            stored.facts.append(Document(text, ids))
            stored.sessions[turns[ids[0]].session or ""].append(entry["text"])
    return stored


def raw(talk: Conversation) -> list[Document]:
    """Every turn as it was said, with its speaker."""
    return [
        Document(f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text, (turn.id,)) for turn in talk.turns
    ]


def covered(point: str, facts: Sequence[str], names: frozenset[str]) -> tuple[bool, bool]:
    """Whether one fact, or all facts of the session together, hold at least 0.8 of a labelled memory's words."""
    wanted = set(words(point)) - names
    if not wanted:
        return False, False
    sets = [set(words(fact)) for fact in facts]
    one = max((len(wanted & found) / len(wanted) for found in sets), default=0.0)
    union = set().union(*sets) if sets else set()
    return one >= 0.8, len(wanted & union) / len(wanted) >= 0.8


def report(name: str, talks: Sequence[Conversation], top: int) -> None:
    """The arms of one data set, one line each."""
    weight = sum(len(talk.questions) for talk in talks)
    rows: dict[str, tuple[float, int]] = {}
    for label, documents in (
        ("raw turns", [raw(talk) for talk in talks]),
        ("facts before the sleep", [proposed(talk).facts for talk in talks]),
    ):
        value = sum(
            recall(found, talk.questions, top) * len(talk.questions)
            for found, talk in zip(documents, talks, strict=True)
        )
        rows[label] = (value / max(1, weight), sum(len(found) for found in documents))
    print(f"{name}: {weight} questions, {sum(len(talk.turns) for talk in talks)} turns, top {top}")
    base = rows["raw turns"][0]
    for label, (value, size) in rows.items():
        print(f"  {label:<24} recall {value:.3f}  ({value / base:.0%} of raw turns)  documents {size}")


def points(talks: Sequence[Conversation]) -> None:
    """How many labelled memories are covered, and how many interference points were stored."""
    counts: Counter[str] = Counter()
    for talk in talks:
        facts = proposed(talk).sessions
        for point in talk.points:
            kind = "interference" if point["memory_source"] == "interference" else "memory"
            one, union = covered(point["memory_content"], facts[point["session"]], point["names"])
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
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--top", type=int, default=10)
    options = parser.parse_args(arguments)
    root = os.environ.get("NOCTURNE_CORPUS")
    if not root:
        print("set NOCTURNE_CORPUS to the corpus to evaluate", file=sys.stderr)
        return 2
    corpus = Path(root)
    report("locomo", list(locomo(corpus)), options.top)
    talks = list(halumem(corpus))
    report("halumem", talks, options.top)
    points(talks)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
