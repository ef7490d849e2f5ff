"""Not of the thirteen: ``nocturne gate`` as a whole command, beside what reading and writing its JSON alone takes."""

from __future__ import annotations

import json
import subprocess
import tempfile
from itertools import pairwise
from typing import Any

from tests.bench.child import Meter, fastest
from tests.bench.startup import compiled, nocturne
from tests.bench.told import TAILS, told

RUNS = 3


def proposals(count: int) -> list[str]:
    """So many drops as lines: a sentence and the same with more to it, the other way round, or another sentence."""
    texts = [made.text for made in told(count + 1, seed=3, duplicates=0.0, swaps=0.0)]
    lines: list[str] = []
    for at, (text, other) in enumerate(pairwise(texts)):
        more = f"{text[:-1]} {TAILS[at % len(TAILS)]}."
        drop, keep = ((text, more), (more, text), (text, other), (text, text))[at % 4]
        lines.append(json.dumps({"pass": "dedupe", "drop": {"text": drop}, "keep": {"text": keep}, "id": at}))
    return lines


def filtered(meter: Meter, count: int) -> dict[str, Any]:
    """The fastest of some runs of the command over ``count`` proposals, start included, and what it said of them."""
    lines = proposals(count)
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as told_:
        given.write("".join(f"{line}\n" for line in lines).encode())
        for _ in range(RUNS):
            given.seek(0)
            told_.seek(0)
            with meter.running():
                subprocess.run([*nocturne(), "gate"], check=True, stdin=given, stdout=told_, env=compiled())
        told_.seek(0)
        verdicts = [json.loads(line) for line in told_]
    words = sum(len(json.loads(line)["drop"]["text"].split()) for line in lines)
    return {
        "accepted": sum(verdict["verdict"] == "accepted" for verdict in verdicts),
        "refused": sum(verdict["verdict"] == "refused" for verdict in verdicts),
        "words": words / count,
        "json": fastest(RUNS, lambda: [json.dumps(json.loads(line)) for line in lines])
        + fastest(RUNS, lambda: [json.dumps(verdict) for verdict in verdicts]),
    }
