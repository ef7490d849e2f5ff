"""Cut a run of a script without spaces into subjects, particles and character bigrams."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from nocturne.core.text.lexicon import Tongue
from nocturne.core.text.parts import Line, Part

RunKind = Literal["subject", "word"]
_CLASSES = re.compile(
    "[\u3041-\u3096\u309d-\u309f]+|[\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff]+|[^\u3041-\u30ff\u31f0-\u31ff]+"
)


@lru_cache(maxsize=64)
def _splitter(tongue: Tongue) -> re.Pattern[str] | None:
    """One expression for the words that stand by themselves in a run, longest first."""
    words = set(tongue.subject) | tongue.words("particles") | tongue.words("plural_subject")
    if not words:
        return None
    return re.compile(
        "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))
    )


def cut_run(run: str, tongue: Tongue) -> Iterator[tuple[RunKind, str, int, int]]:
    """Kind, form, start and end of each token of a run."""
    splitter = _splitter(tongue)
    begun = 0
    if splitter is not None:
        for match in splitter.finditer(run):
            yield from _bigrams(run, begun, match.start())
            subject = tongue.subject.get(match.group())
            yield ("subject" if subject else "word", subject or match.group(), match.start(), match.end())
            begun = match.end()
    yield from _bigrams(run, begun, len(run))


def _bigrams(run: str, start: int, end: int) -> Iterator[tuple[RunKind, str, int, int]]:
    """Pairs of neighbours within each stretch of one class of letters; a single character stands alone."""
    for match in _CLASSES.finditer(run, start, end):
        first, last = match.span()
        if last - first == 1:
            yield ("word", run[first], first, last)
        for at in range(first, last - 1):
            yield ("word", run[at : at + 2], at, at + 2)


def with_runs_cut(line: Line, tongue: Tongue) -> Line:
    """The line with the tokens of every run in its place."""
    found = Line([], [], [])
    for part, start, end in zip(*line, strict=True):
        if part.kind != "unspaced":
            found.add(part, (start, end))
            continue
        for kind, form, first, last in cut_run(part.form, tongue):
            gram = "gram subject" if kind == "subject" else "gram"
            counts = kind == "word" and form not in tongue.stopwords
            found.add(Part(gram, form, stem=form, counts=counts), (start + first, start + last))
    return found
