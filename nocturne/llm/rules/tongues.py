"""Statements in other languages: kept word for word, found by closed-class cues of the first person.

Nothing is rewritten here: whoever speaks is named in the proposal's subject, and the text stays as it was said.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from nocturne.core.facts import Category
from nocturne.llm.rules.english import Draft
from nocturne.llm.rules.prose import Sentence
from nocturne.llm.rules.cues import load


@dataclass(frozen=True, slots=True)
class Tongue:
    """One language's cues as compiled patterns."""

    code: str
    first: re.Pattern[str]
    refuse: re.Pattern[str]
    standing: re.Pattern[str]
    filler: re.Pattern[str]
    split: re.Pattern[str]
    kinds: tuple[tuple[Category, re.Pattern[str]], ...]
    attributes: tuple[tuple[str, re.Pattern[str]], ...]


LATIN = ("es", "de", "fr", "pt", "it", "nl")
NEVER = r"(?!x)x"


def _words(row: str, *, whole: bool) -> re.Pattern[str]:
    """A pattern over a ``|`` list; whole words where the script has spaces."""
    if not row:
        return re.compile(NEVER)
    return re.compile(rf"(?<!\w)(?:{row})(?!\w)" if whole else f"(?:{row})", re.IGNORECASE)


@cache
def tongues() -> dict[str, Tongue]:
    """Every language of the closed list, compiled once."""
    rows: dict[str, dict[str, str]] = load("tongues.json")
    found = {}
    for code, row in rows.items():
        whole = code not in {"zh", "ja", "th"}
        found[code] = Tongue(
            code,
            _words(row["first"], whole=whole),
            _words(row["refuse"], whole=False),
            _words(row["standing"], whole=whole),
            re.compile(rf"\A(?:{row['filler']})[\s,!，、。.؛،:]*", re.IGNORECASE) if row.get("filler") else re.compile(NEVER),
            re.compile(row.get("split") or NEVER, re.IGNORECASE),
            tuple(
                (kind, _words(row[kind], whole=whole))
                for kind in ("decisions", "identity", "preferences", "commitments", "opinion", "event")
                if kind in row
            ),
            tuple(
                (name[1:], _words(cue, whole=whole)) for name, cue in row.items() if name.startswith("@")
            ),
        )
    return found


SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
)
ENGLISH = frozenset(
    "the i i'm and is to of my we it you that for with are was have not this be from use in at on has but no a so".split()
)


@cache
def _function_words() -> dict[str, tuple[str, ...]]:
    """Every function word of a Latin-script language with the languages that have it."""
    found: dict[str, list[str]] = {word: ["en"] for word in ENGLISH}
    rows: dict[str, dict[str, str]] = load("tongues.json")
    for code in LATIN:
        for word in rows[code]["known"].split("|"):
            found.setdefault(word, []).append(code)
    return {word: tuple(codes) for word, codes in found.items()}


def language(sentence: Sentence, text: str) -> str:
    """The language of a sentence by script, then by its function words; English where nothing else shows."""
    if not text.isascii():
        letters = sum(character.isalpha() for character in text)
        for code, script in SCRIPTS:
            if len(script.findall(text)) * 3 > letters:
                return code
    counts: Counter[str] = Counter()
    known = _function_words()
    for token in sentence.tokens:
        counts.update(known.get(token.low, ()))
    best, most = "en", counts["en"]
    for code in LATIN:
        if counts[code] > most:
            best, most = code, counts[code]
    return best


def facts(sentence: Sentence, text: str, code: str) -> Iterator[Draft]:
    """The statements of one sentence in ``code``'s language, each a verbatim stretch of the turn."""
    tongue = tongues().get(code)
    if tongue is None:
        return
    whole = text[sentence.start : sentence.tokens[-1].end]
    if _asks(sentence, whole, tongue) or tongue.refuse.search(whole):
        return
    for start, end in _pieces(whole, tongue):
        piece = whole[start:end]
        front = tongue.filler.match(piece)
        while front is not None and front.end() > 0:
            start += front.end()
            piece = whole[start:end]
            front = tongue.filler.match(piece)
        stated = tongue.first.search(piece) is not None or tongue.standing.search(piece) is not None
        letters = sum(character.isalpha() for character in piece)
        if not stated or letters < (3 if code in {"zh", "ja", "th"} else 6) or len(piece) > 600:
            continue
        kind: Category = next((kind for kind, cue in tongue.kinds if cue.search(piece)), "fact")
        if kind == "fact" and tongue.standing.search(piece):
            kind = "preferences"
        name = next((name for name, cue in tongue.attributes if cue.search(piece)), None)
        begin = sentence.start + start
        shown = piece.strip(" ,;:，、；：")
        shown = shown[:1].upper() + shown[1:]
        stop = "।" if code == "hi" else "。" if code in {"zh", "ja"} else "." if code != "th" else ""
        yield Draft(shown + stop, begin, begin + len(piece.rstrip()), piece.lower(), kind, name)


def _asks(sentence: Sentence, whole: str, tongue: Tongue) -> bool:
    return bool(set(sentence.mark) & set("?？؟")) or "¿" in whole


def _pieces(whole: str, tongue: Tongue) -> Iterator[tuple[int, int]]:
    """Clauses by the language's coordinators, only where the next one shows a first person of its own."""
    at = 0
    for match in tongue.split.finditer(whole):
        rest = whole[match.end() :]
        if match.start() > at and tongue.first.match(rest):
            yield at, match.start()
            at = match.end()
    yield at, len(whole)
