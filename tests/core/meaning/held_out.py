"""Our own restatements and their near-miss twins: ``python -m tests.core.meaning.held_out`` prints both rates."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from nocturne.app.lexicons import default_lexicon
from nocturne.core.meaning import Fails, Said, judge_drop, judge_merge

FOLDER = Path(__file__).resolve().parents[3] / "fixtures" / "gates"
FILES = ("restatements.jsonl", "restatements_more.jsonl", "languages.jsonl")


@dataclass(frozen=True)
class Pair:
    kind: str
    language: str
    sources: tuple[str, ...]
    text: str
    same: bool
    drop_only: bool
    code: str | None = None


def pairs() -> Iterator[Pair]:
    for name in FILES:
        path = FOLDER / name
        if not path.exists():
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            entry: dict[str, Any] = json.loads(line)
            base = (entry["kind"], entry["lang"], tuple(entry["sources"]))
            drop_only = bool(entry.get("drop_only"))
            for text in entry["same"]:
                yield Pair(*base, text, True, drop_only)
            for text, code in entry["changed"]:
                yield Pair(*base, text, False, drop_only, code)


def judged(pair: Pair) -> tuple[bool, list[str]]:
    """Whether either gate accepts, and the codes of those that do not."""
    lexicon = default_lexicon()
    sources = [Said(source) for source in pair.sources]
    found = [
        judge_drop(source, Said(pair.text), floor=Fraction(9, 10), lexicon=lexicon) for source in sources
    ]
    codes = [item.code for item in found if isinstance(item, Fails)]
    accepted = not codes
    if not pair.drop_only:
        merged = judge_merge(sources, pair.text, lexicon=lexicon)
        if isinstance(merged, Fails):
            codes.append(merged.code)
        else:
            accepted = True
    return accepted, codes


def say(*parts: object) -> None:
    sys.stdout.write(" ".join(map(str, parts)) + "\n")


def main() -> None:
    counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for pair in pairs():
        accepted, codes = judged(pair)
        for key in ((pair.kind, ""), ("all", ""), ("all", pair.language)):
            row = counts[key]
            row[0 if pair.same else 2] += 1
            row[1 if pair.same else 3] += accepted != pair.same
        if accepted != pair.same:
            what = "let in  " if accepted else "refused "
            say(what, pair.kind, pair.language, " + ".join(pair.sources), "=>", pair.text, codes)
        elif not pair.same and pair.code not in codes:
            say(
                "code    ",
                pair.kind,
                pair.language,
                " + ".join(pair.sources),
                "=>",
                pair.text,
                codes,
                pair.code,
            )
    for (kind, language), (same, lost, changed, let_in) in sorted(counts.items()):
        say(f"{kind:<26} {language:<3} same refused {lost}/{same}   changes let in {let_in}/{changed}")


if __name__ == "__main__":
    main()
