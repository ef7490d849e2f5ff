"""``nocturne gate``: the gates as a filter."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from math import isinf
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, cast

from nocturne.cli import options
from nocturne.cli.parameters import Option
from nocturne.cli.shell import Shell
from nocturne.core.digest import encoder

if TYPE_CHECKING:
    from io import BufferedReader

EXAMPLES = (
    ("nocturne gate < proposals.jsonl", "a verdict a line"),
    ("nocturne gate --fail-on-refused < proposals.jsonl", "exit 1 where one was refused"),
)


def run(
    shell: Shell,
    *,
    fail: Annotated[
        bool, Option("--fail-on-refused", help="Exit 1 where a proposal was refused or malformed.")
    ] = False,
    policy: options.PolicyOption = "default",
) -> int:
    """Judge proposals given as JSON lines on stdin, and print a verdict a line. No store is needed.

    The shapes are {"pass":"dedupe","drop":{"text":…},"keep":{…}} ·
    {"pass":"merge","sources":[{…},…],"text":…} · {"pass":"encode","turns":[{"role":…,"text":…},…],"text":…}
    · {"pass":"contradict","old":{…},"new":{…}} · {"pass":"schematise","members":[{…},…],"text":…}. A text
    may have a speaker, said_at, occurred_at and session; an id comes back. A verdict is
    {"id","pass","verdict","code","message","evidence"}, where verdict is accepted, refused or malformed.
    """
    from nocturne.app import policies
    from nocturne.app.bulk import uncollected
    from nocturne.app.judging import judge
    from nocturne.cli import wiring

    chosen = policies.load(policy)
    lexicon = wiring.lexicon()
    encode = encoder(str, sort_keys=False, comma=", ", colon=": ")
    held = True
    # What is remembered of a text would be looked through for cycles, and judging makes none.
    with uncollected():
        for lines in _batches(wiring.stdin()):
            told = []
            try:
                for line in lines:
                    verdict = judge(_decoded(line), lexicon=lexicon, policy=chosen)
                    held = held and verdict["verdict"] == "accepted"
                    told.append(encode(verdict) + "\n")
            finally:
                # Whoever sends a line and waits for its verdict has it before the next read can block. All in one,
                # since a stream that is not buffered makes a call of the system for each write.
                sys.stdout.write("".join(told))
                sys.stdout.flush()
    return 1 if fail and not held else 0


_CHUNK = 1 << 16


def _batches(stream: BinaryIO) -> Iterator[list[bytes]]:
    """The lines that are not blank, as many at a time as are there to be read."""
    read = cast("BufferedReader", stream).read1
    begun: list[bytes] = []
    while chunk := read(_CHUNK):
        whole, end, rest = chunk.rpartition(b"\n")
        if end:
            yield [line for line in (b"".join(begun) + whole).split(b"\n") if line.strip()]
            begun = []
        begun.append(rest)
    last = b"".join(begun)
    if last.strip():
        yield [last]


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if isinf(number):
        raise ValueError(f"{text} is larger than any number that can be told back")
    return number


_read = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite).decode


def _decoded(line: bytes) -> Any:
    """The line's value, or a text that is no object, for the judge to call malformed."""
    try:
        # Two ASCII characters at its head can only be those of UTF-8: an object begins so.
        encoding = "utf-8" if line.startswith(b'{"') else json.detect_encoding(line)
        return _read(line.decode(encoding, "surrogatepass"))
    except (ValueError, RecursionError) as error:
        return f"not JSON: {error}"
