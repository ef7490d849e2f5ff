"""Every labelled pair of the corpus through the drop and merge gates, beside the purely lexical rules.

``python -m tests.gauntlet [--json] [--show N] [--file NAME]``; NOCTURNE_CORPUS is the folder that holds
``pairs/``. A REFUSE row counts as accepted where either gate accepts, an ACCEPT row as kept where either does.
In files of entailment labels the text may say less than its source: there a refusal for loss is right and is
counted apart.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, TextIO

from nocturne.app.lexicons import default_lexicon
from nocturne.core import codes
from nocturne.core.meaning import Fails, Said, judge_drop, judge_merge
from nocturne.core.text.measures import content
from tests import seedrules

FLOOR = Fraction(9, 10)
LOSSLESS = ("restatements", "hand_written_meaning_changes")
LOSS = frozenset({"N202", "N221"})
DROP_ONLY = "drop gate only"


@dataclass(frozen=True)
class Row:
    file: str
    category: str
    language: str
    expected: str
    sources: tuple[str, ...]
    text: str
    drop_only: bool


@dataclass(frozen=True)
class Outcome:
    accepted: bool
    codes: tuple[str, ...]
    messages: tuple[str, ...]


@dataclass
class Tally:
    refuse: int = 0
    let_through: int = 0
    accept: int = 0
    kept: int = 0
    for_loss: int = 0
    seed_let_through: int = 0
    seed_kept: int = 0
    wrong: list[dict[str, Any]] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        for name in ("refuse", "let_through", "accept", "kept", "for_loss", "seed_let_through", "seed_kept"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.wrong.extend(other.wrong)


def rows(folder: Path, only: str | None = None) -> Iterator[Row]:
    """Every row of every pair file, read by header; ``restatements`` is written without quoting."""
    for path in sorted(folder.glob("*.tsv")):
        if only and only not in path.stem:
            continue
        plain = path.stem == "restatements"
        with path.open(encoding="utf-8", newline="") as handle:
            table = csv.DictReader(
                handle, delimiter="\t", quoting=csv.QUOTE_NONE if plain else csv.QUOTE_MINIMAL
            )
            for entry in table:
                yield Row(
                    path.stem,
                    entry["category"],
                    entry.get("lang") or ("id" if path.stem.startswith("paws_indonesian") else "en"),
                    entry["expected"].strip().upper(),
                    tuple(entry["sources"].split(" ||| ")),
                    entry["text"],
                    DROP_ONLY in (entry.get("why") or ""),
                )


def judged(row: Row) -> Outcome:
    """The row through both gates (drop every source, keep the text; merge the sources into the text)."""
    lexicon = default_lexicon()
    sources = [Said(source) for source in row.sources]
    drops = [judge_drop(source, Said(row.text), floor=FLOOR, lexicon=lexicon) for source in sources]
    refused = [found for found in drops if isinstance(found, Fails)][:1]
    accepted = not refused
    if not row.drop_only:
        merged = judge_merge(sources, row.text, lexicon=lexicon)
        if isinstance(merged, Fails):
            refused.append(merged)
        else:
            accepted = True
    return Outcome(
        accepted,
        tuple(found.code for found in refused),
        tuple(codes.message(found.code, found.evidence) for found in refused),
    )


def _for_loss(row: Row, outcome: Outcome) -> bool:
    """Whether the refusal is for what the text leaves out, so that it is right in a row that allows loss."""
    if LOSS & set(outcome.codes):
        return True
    lexicon = default_lexicon()
    said = frozenset().union(*(content(source, lexicon) for source in row.sources))
    return content(row.text, lexicon) < said


def measure(found: Iterator[Row]) -> dict[tuple[str, str], Tally]:
    """The tally of each file and category."""
    tallies: dict[tuple[str, str], Tally] = defaultdict(Tally)
    for row in found:
        if row.expected not in ("ACCEPT", "REFUSE"):
            continue
        tally, outcome = tallies[row.file, row.category], judged(row)
        seed = seedrules.accepts(row.sources, row.text)
        if row.expected == "REFUSE":
            tally.refuse += 1
            tally.let_through += outcome.accepted
            tally.seed_let_through += seed
            bad = outcome.accepted
        else:
            tally.accept += 1
            tally.kept += outcome.accepted
            tally.seed_kept += seed
            lossy = row.file not in LOSSLESS and not outcome.accepted and _for_loss(row, outcome)
            tally.for_loss += lossy
            bad = not outcome.accepted and not lossy
        if bad:
            tally.wrong.append(
                {
                    "file": row.file,
                    "category": row.category,
                    "language": row.language,
                    "expected": row.expected,
                    "sources": list(row.sources),
                    "text": row.text,
                    "codes": list(outcome.codes),
                    "messages": list(outcome.messages),
                }
            )
    return dict(tallies)


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} {100 * part / whole:5.1f}%" if whole else "–"


def _line(name: str, tally: Tally) -> str:
    judged_accepts = tally.accept - tally.for_loss
    return (
        f"{name:<44} {_share(tally.let_through, tally.refuse):>16}"
        f" {_share(tally.seed_let_through, tally.refuse):>16}"
        f" {_share(judged_accepts - tally.kept, judged_accepts):>16} {tally.for_loss:>5}"
        f" {_share(tally.accept - tally.seed_kept, tally.accept):>16}"
    )


def table(tallies: dict[tuple[str, str], Tally], *, categories: bool) -> list[str]:
    """The table: per file (and category), then the lossless files together, then all."""
    head = (
        f"{'file / category':<44} {'changes let in':>16} {'lexical rules':>16}"
        f" {'same, refused':>16} {'loss':>5} {'lexical rules':>16}"
    )
    lines = [head, "-" * len(head)]
    files: dict[str, Tally] = defaultdict(Tally)
    for (file, _), tally in tallies.items():
        files[file].add(tally)
    for file, total in files.items():
        lines.append(_line(file, total))
        if categories:
            lines += [_line(f"  {name}", tally) for (of, name), tally in tallies.items() if of == file]
    lossless, everything = Tally(), Tally()
    for file, total in files.items():
        everything.add(total)
        if file in LOSSLESS:
            lossless.add(total)
    lines += ["-" * len(head), _line("lossless files", lossless), _line("all files", everything)]
    return lines


def say(text: str = "", *, to: TextIO | None = None) -> None:
    """Writes a line."""
    (to or sys.stdout).write(f"{text}\n")


def main(words: list[str]) -> int:
    """Prints the table; 1 where the corpus cannot be found."""
    parser = argparse.ArgumentParser(prog="python -m tests.gauntlet")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--show", type=int, default=5, help="worst examples a file")
    parser.add_argument("--file", default=None, help="only files whose name contains this")
    asked = parser.parse_args(words)
    corpus = os.environ.get("NOCTURNE_CORPUS")
    folder = Path(corpus) / "pairs" if corpus else None
    if folder is None or not folder.is_dir():
        say("gauntlet: set NOCTURNE_CORPUS to the folder that holds pairs/", to=sys.stderr)
        return 1
    tallies = measure(rows(folder, asked.file))
    if asked.json:
        found = [
            {"file": file, "category": category, **vars(tally)} for (file, category), tally in tallies.items()
        ]
        say(json.dumps(found, ensure_ascii=False, indent=1))
        return 0
    say("\n".join(table(tallies, categories=True)))
    shown: dict[tuple[str, str], int] = defaultdict(int)
    for tally in tallies.values():
        for wrong in tally.wrong:
            key = wrong["file"], wrong["expected"]
            shown[key] += 1
            if shown[key] <= asked.show:
                what = "let in" if wrong["expected"] == "REFUSE" else f"refused {' '.join(wrong['codes'])}"
                say(f"\n{wrong['file']} · {wrong['category']} · {wrong['language']} · {what}")
                say("  " + " ||| ".join(wrong["sources"]) + f"\n  {wrong['text']}")
                if wrong["expected"] == "ACCEPT":
                    say("  " + " · ".join(wrong["messages"]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
