"""Supersessions that the rules proposer gets accepted, against labelled updates.

    NOCTURNE_CORPUS=/path/to/corpus python -m tests.evaluate_updates

Real stores: each conversation is ingested as native JSON lines and slept on with dedupe and contradict. A label
counts where the person's own words of both turns name the attribute; which these are was read, turn by turn, and is
written down below as turn ids. A supersession is true by a label or, where its pair of turns is in ``READ``, by
reading; any other is printed as unread and counts against precision.
"""

# ruff: noqa: T201 — its output is what it is for

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from nocturne.core.facts import DAY, Provenance, Turn
from nocturne.core.proposals import Contradict
from nocturne.memory import Memory
from tests.evaluate_recall import Conversation, halumem

MINUTE = 60_000_000


@dataclass(frozen=True)
class Label:
    """An update whose attribute both statements name: where it was said first, and where anew."""

    talk: str
    old: str
    new: tuple[str, ...]
    attribute: str


LABELS = (
    Label("5c005ed8", "t15", ("t49",), "job"),
    Label("5c005ed8", "t15", ("t51",), "monthly income"),
    Label("5c005ed8", "t23", ("t313",), "plain t-shirts"),
    Label("5c005ed8", "t23", ("t917", "t919", "t923"), "cargo pants"),
    Label("5c005ed8", "t35", ("t505", "t507"), "sodas"),
    Label("5c005ed8", "t39", ("t655", "t657", "t659", "t661"), "romance novels"),
    Label("5c005ed8", "t47", ("t811", "t815"), "first-person shooters"),
    Label("beam1", "148", ("182",), "commits merged"),
    Label("beam2", "114", ("128",), "test coverage"),
)
READ = {("5c005ed8", "t49", "t841")}
"""True updates that no label names, by reading: promoted again."""


def beam(corpus: Path) -> Iterator[tuple[Conversation, int]]:
    """The chats, and how many updates each labels; turns are a minute apart after the last date they name."""
    for number in ("1", "2"):
        place = corpus / "datasets" / "beam_100k" / number
        chat = json.loads((place / "chat.json").read_text(encoding="utf-8"))
        labels = json.loads((place / "probing_questions.json").read_text(encoding="utf-8"))
        turns: list[Turn] = []
        at = 0
        for batch in chat:
            for session, rows in enumerate(batch["turns"]):
                for row in rows:
                    if row.get("time_anchor"):
                        day = datetime.strptime(row["time_anchor"], "%B-%d-%Y").replace(tzinfo=UTC)
                        at = max(at, int(day.timestamp()) * 1_000_000)
                    at += MINUTE
                    who: Provenance = "assistant" if row["role"] == "assistant" else "human"
                    text = row["content"].split(" ->-> ")[0]
                    name = f"s{batch['batch_number']}-{session}"
                    place_ = len(turns) + 1
                    turns.append(
                        Turn(
                            place_, 1, str(row["id"]), 0, place_, name, None, who, text, at, role=row["role"]
                        )
                    )
        yield Conversation(f"beam{number}", tuple(turns)), len(labels["knowledge_update"])


def superseded(talk: Conversation, place: Path) -> list[tuple[tuple[str, ...], tuple[str, ...], str, str]]:
    """Every accepted supersession: the turns of the old and of the new fact, and both texts."""
    file = place / f"{talk.name}.jsonl"
    with file.open("w", encoding="utf-8") as out:
        for turn in talk.turns:
            said = datetime.fromtimestamp((turn.said_at or 0) // 1_000_000, tz=UTC).isoformat()
            row = {
                "session": turn.session,
                "id": turn.native_id,
                "role": turn.role,
                "text": turn.text,
                "time": said,
            }
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    now = max(turn.said_at or 0 for turn in talk.turns) + DAY
    found = []
    with Memory(place / f"{talk.name}.db", clock=lambda: now) as memory:
        memory.ingest(file)
        night = memory.sleep(only=["dedupe", "contradict"])
        store = memory._store
        for ruling in (ruling for part in night.passes for ruling in part.rulings if ruling.accepted):
            proposal = ruling.verdict.proposal
            if isinstance(proposal, Contradict):
                facts = store.facts([proposal.old, proposal.new])
                turns = store.turns({span.turn for fact in facts.values() for span in fact.sources})
                cited = {
                    id_: tuple(turns[span.turn].native_id or "" for span in fact.sources)
                    for id_, fact in facts.items()
                }
                old, new = proposal.old, proposal.new
                found.append((cited[old], cited[new], facts[old].text, facts[new].text))
    return found


def _label(talk: str, old: tuple[str, ...], new: tuple[str, ...]) -> Label | None:
    return next(
        (label for label in LABELS if label.talk == talk and label.old in old and set(label.new) & set(new)),
        None,
    )


def main() -> int:
    """Print every accepted supersession with its verdict, then both figures."""
    root = os.environ.get("NOCTURNE_CORPUS")
    if not root:
        print("set NOCTURNE_CORPUS to the corpus to evaluate", file=sys.stderr)
        return 2
    corpus = Path(root)
    talks = list(beam(corpus))
    talks += [
        (talk, sum(str(point["is_update"]) == "True" for point in talk.points)) for talk in halumem(corpus)
    ]
    labelled = sum(count for _, count in talks)
    accepted = true = 0
    found: set[Label] = set()
    with tempfile.TemporaryDirectory() as place:
        for talk, _ in talks:
            for old, new, before, after in superseded(talk, Path(place)):
                label = _label(talk.name, old, new)
                read = any((talk.name, one, two) in READ for one in old for two in new)
                verdict = f"label: {label.attribute}" if label else "read: true" if read else "UNREAD"
                accepted += 1
                true += label is not None or read
                if label is not None:
                    found.add(label)
                print(f"{talk.name}  {verdict}\n    {before}\n    {after}")
    summary: Mapping[str, str] = {
        "accepted supersessions": str(accepted),
        "true by label or reading": f"{true} ({true / accepted:.0%}, bar 95%)" if accepted else "none",
        "labelled updates": str(labelled),
        "of these both statements name the attribute": str(len(LABELS)),
        "of these found": f"{len(found)} ({len(found) / len(LABELS):.0%}, bar 30%)",
    }
    print()
    for name, figure in summary.items():
        print(f"{name:<46}{figure}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
