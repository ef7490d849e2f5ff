"""Statements in other languages: kept word for word, found by closed-class cues of the first person.

Nothing is rewritten: whoever speaks is named in the proposal's subject, and the text stays as it was said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import cast

from nocturne.core.facts import Category
from nocturne.llm.rules.cues import load
from nocturne.llm.rules.english import Draft
from nocturne.llm.rules.prose import Sentence

FILE = "tongues.json"
LATIN = ("es", "de", "fr", "pt", "it", "nl")
UNSPACED = ("zh", "ja", "th")
STOPS = {"hi": "।", "zh": "。", "ja": "。", "th": ""}
KINDS = ("decisions", "identity", "preferences", "commitments", "opinion", "event")
NEVER = r"(?!x)x"
MARKS = " ,;:，、；：."
SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
)


@dataclass(frozen=True, slots=True)
class Tongue:
    """One language's cues as compiled patterns."""

    first: re.Pattern[str]
    refuse: re.Pattern[str]
    standing: re.Pattern[str]
    filler: re.Pattern[str]
    split: re.Pattern[str]
    kinds: tuple[tuple[Category, re.Pattern[str]], ...]
    attributes: tuple[tuple[str, re.Pattern[str]], ...]


def _compiled(row: str, *, whole: bool) -> re.Pattern[str]:
    """A pattern over a ``|`` list; whole words where the script has spaces."""
    if not row:
        return re.compile(NEVER)
    return re.compile(rf"(?<!\w)(?:{row})(?!\w)" if whole else f"(?:{row})", re.IGNORECASE)


@cache
def tongue(code: str) -> Tongue | None:
    """A language of the closed list, compiled once."""
    row: dict[str, str] | None = load(FILE).get(code)
    if row is None:
        return None
    whole = code not in UNSPACED
    after = r"(?!\w)[\s,!，、。.؛،:]*" if whole else r"[\s,，、]+"
    filler = rf"\A(?:{row['filler']}){after}"
    return Tongue(
        _compiled(row["first"], whole=whole),
        _compiled(row["refuse"], whole=False),
        _compiled(row["standing"], whole=whole),
        re.compile(filler, re.IGNORECASE),
        re.compile(row.get("split") or NEVER, re.IGNORECASE),
        tuple((cast("Category", kind), _compiled(row[kind], whole=whole)) for kind in KINDS if kind in row),
        tuple((name[1:], _compiled(cue, whole=whole)) for name, cue in row.items() if name.startswith("@")),
    )


@cache
def _function_words() -> dict[str, tuple[str, ...]]:
    """Every function word of a Latin-script language with the languages that have it."""
    found: dict[str, list[str]] = {}
    for code in ("en", *LATIN):
        for word in load(FILE)[code]["known"].split("|"):
            found.setdefault(word, []).append(code)
    return {word: tuple(codes) for word, codes in found.items()}


def language(sentence: Sentence, text: str) -> str:
    """The language of a sentence by script, then by its function words; English where nothing else shows."""
    if not text.isascii():
        letters = sum(character.isalpha() for character in text)
        for code, script in SCRIPTS:
            if letters and len(script.findall(text)) * 3 > letters:
                return code
    known = _function_words()
    seen = [code for token in sentence.tokens if token.low in known for code in known[token.low]]
    english = seen.count("en")
    if 2 * english >= len(seen):
        return "en"
    best = max(LATIN, key=seen.count)
    return best if seen.count(best) > english else "en"


def facts(sentence: Sentence, text: str, code: str) -> Iterator[Draft]:
    """The statements of one sentence in ``code``'s language, each a verbatim stretch of the turn."""
    found = tongue(code)
    if found is None:
        return
    end = sentence.tokens[-1].end
    whole = text[sentence.start : end]
    asked = not set("?？؟").isdisjoint(sentence.mark) or "¿" in whole
    if asked or found.refuse.search(whole):
        return
    for start, stop in _pieces(whole, found):
        begin = start + _fillers(whole[start:stop], found)
        piece = whole[begin:stop]
        if not _states(piece, found, code):
            continue
        shown = piece.strip(MARKS)
        yield Draft(
            shown[0].upper() + shown[1:] + STOPS.get(code, "."),
            sentence.start + begin,
            sentence.start + begin + len(piece.rstrip()),
            piece.lower(),
            _kind(piece, found),
            next((name for name, cue in found.attributes if cue.search(piece)), None),
        )


def _fillers(piece: str, found: Tongue) -> int:
    """How many characters of greetings and connectives open the piece."""
    count = 0
    while (front := found.filler.match(piece[count:])) is not None and front.end() > 0:
        count += front.end()
    return count


def _states(piece: str, found: Tongue, code: str) -> bool:
    letters = sum(character.isalpha() for character in piece)
    if letters < (3 if code in UNSPACED else 6) or len(piece) > 600:
        return False
    return found.first.search(piece) is not None or found.standing.search(piece) is not None


def _kind(piece: str, found: Tongue) -> Category:
    named = next((kind for kind, cue in found.kinds if cue.search(piece)), None)
    return named or ("preferences" if found.standing.search(piece) else "fact")


def _pieces(whole: str, found: Tongue) -> Iterator[tuple[int, int]]:
    """Clauses by the language's coordinators, only where the next one shows a first person of its own."""
    at = 0
    for match in found.split.finditer(whole):
        if found.first.search(whole, at, match.start()) and found.first.match(whole, match.end()):
            yield at, match.start()
            at = match.end()
    yield at, len(whole)
