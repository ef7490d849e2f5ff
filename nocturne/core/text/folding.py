"""Bring written characters to one spelling before anything is read, and say where each one stood.

What this step does, character by character and in which order, is fixed in MEASURES.md, section "Cleaning".
"""

from __future__ import annotations

import re
import unicodedata

LIMIT = 20_000
"""Code points of a text that are read; the rest is not judged."""

Places = list[int] | None
"""For each cleaned character the index of the first original one it came from, plus the end; None: the same."""

_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", "0123456789+-=()ni")
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎", "0123456789+-=()")
_RAISED_RUN = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ]+")
_LOWERED_RUN = re.compile("[₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎]+")
_TABLE = {
    ord(seen): meant
    for meant, many in {
        "'": "\u2018\u2019\u201b\u02bc\u2032\u00b4\uff07\u02b9",
        "-": "\u2010\u2011\u2212\ufe63\uff0d",
        "\u2014": "\u2013\u2015\u2012",
        ">=": "\u2265\u2a7e",
        "<=": "\u2264\u2a7d",
        "!=": "\u2260",
        "->": "\u2192",
        "<-": "\u2190",
        "=>": "\u21d2",
        "...": "\u2026",
        "\u03bc": "\u00b5",
        "е": "ё",
        "Е": "Ё",
        "ß": "\u1e9e",
    }.items()
    for seen in many
}
_ARABIC_MARKS = re.compile("[\u0610-\u061a\u064b-\u0650\u0652-\u065f\u0670\u06d6-\u06ed]")
SHADDA = "\u0651"
"""The Arabic sign of a doubled consonant: most leave it out, and some words differ by nothing else."""
_SPACED_GROUP = re.compile("(?<=[0-9])[\u00a0\u202f\u2009](?=[0-9]{3}(?![0-9]))")
_DIGIT_DASH = re.compile("(?<=[0-9])\u2014(?=[0-9])")
_RUN = re.compile(r"\S+")
_ODD_ASCII = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\t\r]")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")
_SEEN = "\xad\x85\t\n\r\x0b\x0c"
_UNSEEN = frozenset({"Cf", "Cc", "Co", "Cn", "Cs"})
_JOINERS = "\u200c\u200d"
_DIRECTIONS = "\u200e\u200f\u061c\u202a\u202b\u202c\u2066\u2067\u2068\u2069"
_LINES = ("\n", "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\r")


def fold(word: str) -> str:
    """The casefolded word, with ß kept: *Maßen* is not *Massen*."""
    if "ß" in word:
        return "ß".join(part.casefold() for part in word.split("ß"))
    return word.casefold()


def spell(text: str) -> str:
    """The cleaned form of a stretch of text, spaces and all, without its places."""
    text = unicodedata.normalize("NFC", text)
    text = _SPACED_GROUP.sub("", text)
    text = _RAISED_RUN.sub(lambda run: "^" + run.group().translate(_RAISED), text)
    text = _LOWERED_RUN.sub(lambda run: "_" + run.group().translate(_LOWERED), text)
    text = "".join([_character(c) if c > "~" or c < " " else c for c in text])
    text = unicodedata.normalize("NFC", text)
    text = _ARABIC_MARKS.sub("", text)
    return _DIGIT_DASH.sub("-", text)


def _character(char: str) -> str:
    if char in _LINES:
        return "\n"
    meant = _TABLE.get(ord(char))
    if meant is not None:
        return meant
    category = unicodedata.category(char)
    if category in ("Cf", "Cc", "Cs", "Co", "Cn"):
        return " " if char == "\t" else ""
    if category == "Zs":
        return " "
    if char in "\u0640\u034f" or "\ufe00" <= char <= "\ufe0f":
        return ""
    if category == "Nd":
        return str(unicodedata.decimal(char))
    if unicodedata.decomposition(char).startswith("<fraction>"):
        return " " + unicodedata.normalize("NFKC", char).replace("\u2044", "/")
    return unicodedata.normalize("NFKC", char).translate(_TABLE)


def hides(text: str) -> bool:
    """Whether characters that nobody sees stand where they have no use: inside words, or as tags and controls."""
    if text.isascii():
        return not text.isprintable() and _CONTROLS.search(text) is not None
    leftwards = _RIGHT_TO_LEFT.search(text) is not None
    for at, char in enumerate(text):
        if char in _SEEN or " " <= char <= "~" or unicodedata.category(char) not in _UNSEEN:
            continue
        if char in _JOINERS and at and not text[at - 1].isascii():
            continue
        if not ((char == "\ufeff" and at == 0) or (char in _DIRECTIONS and leftwards)):
            return True
    return False


def clean(text: str) -> tuple[str, Places]:
    """The text as the lexer reads it, and where its characters stood."""
    text = text[:LIMIT]
    if text.isascii() and (text.isprintable() or not _ODD_ASCII.search(text)):
        return text, None
    spelled = spell(text)
    if len(spelled) == len(text) and _same_places(text, spelled):
        return spelled, None
    return _placed(text, spelled)


def _same_places(text: str, spelled: str) -> bool:
    """Whether spaces and line ends stand where they stood: then equal length means equal places."""
    return [i for i, c in enumerate(spelled) if c in " \n"] == [i for i, c in enumerate(text) if c.isspace()]


def _placed(text: str, spelled: str) -> tuple[str, Places]:
    """Places by character where the pieces add up to the whole, else by nearest share of the length."""
    parts: list[str] = []
    places: list[int] = []
    for at, stretch in _clusters(text):
        part = spell(stretch)
        parts.append(part)
        places.extend([at] * len(part))
    places.append(len(text))
    if "".join(parts) == spelled:
        return spelled, places
    share = len(text) / max(1, len(spelled))
    return spelled, [min(len(text), int(i * share)) for i in range(len(spelled))] + [len(text)]


def _clusters(text: str) -> list[tuple[int, str]]:
    """Stretches that composition and runs of raised digits do not cross, with where they begin."""
    found: list[tuple[int, str]] = []
    start = 0
    for i in range(1, len(text) + 1):
        if i == len(text) or not _clings(text[i - 1], text[i]):
            found.append((start, text[start:i]))
            start = i
    return found


def _clings(before: str, char: str) -> bool:
    if char <= "~":
        return False
    if unicodedata.combining(char) or "\u1160" <= char <= "\u11ff" or unicodedata.category(char) == "Mc":
        return True
    return bool(
        (_RAISED_RUN.match(char) and _RAISED_RUN.match(before))
        or (_LOWERED_RUN.match(char) and _LOWERED_RUN.match(before))
    )
