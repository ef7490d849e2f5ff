"""Cut a cleaned text into pieces: literals first, then words, then punctuation.

The expressions and their order are part of the measures: MEASURES.md, section "Pieces", repeats them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

NO_SPACE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Characters of scripts that are written without spaces: Thai, Lao, Burmese, Khmer, kana and Han."""

_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0651\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962-\u0963"
    "\u0980-\u0dff\u0f71-\u0f84"
)
LETTER = f"(?:[^\\W\\d_{NO_SPACE}]|[{_MARKS}])"
_PLAIN = r"[A-Za-z]+(?=[ ,;!?)\n]|\.?(?:[ \n]|\Z))"
_SEGMENT = r"[A-Za-z0-9_.@%+~*-]*[A-Za-z0-9_%~*]"

EXPRESSIONS: tuple[tuple[str, str], ...] = (
    ("plain", _PLAIN),
    ("code", r"```[^`]{1,2000}```|`[^`\n]{1,400}`"),
    ("url", r"(?:[A-Za-z][A-Za-z0-9+.-]{0,15}://|www\.)[^\s<>\"'`|]*[A-Za-z0-9_/#=&%+~-]"),
    ("email", r"[A-Za-z0-9_.+%-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}"),
    ("window", r"[A-Za-z]:\\[^\s\"'<>|*?]*[^\s\"'<>|*?.,;:!)]"),
    (
        "stamp",
        r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?"
        r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?(?![\w-])",
    ),
    (
        "date",
        r"[0-9]{1,2}/[0-9]{1,2}/(?:[0-9]{4}|[0-9]{2})(?![\w/])|[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}(?!\w|\.[0-9])"
        r"|[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}(?![\w/])",
    ),
    ("path", rf"(?<![\w/.])(?:~|\.{{1,2}}|{_SEGMENT})?(?:/{_SEGMENT})+/?"),
    ("range", r"(?<![\w.,-])[0-9]+(?:[.:][0-9]+)*(?:-[0-9]+(?:[.:][0-9]+)*)+(?!\w)"),
    (
        "version",
        r"[0-9]+(?:\.[0-9]+){2,}[-+][A-Za-z0-9.]*[A-Za-z0-9]|[0-9]+(?:\.[0-9]+)*\.[xX*](?!\w)",
    ),
    (
        "number",
        rf"(?:(?<![\w)\]])[-+±])?(?:[0-9]+(?:[.,:][0-9]+)*|\.[0-9]+)(?:\^[-+]?[0-9a-z]+)?"
        rf"(?:{LETTER}(?:{LETTER}|[0-9_])*(?:\^[0-9])?)?",
    ),
    (
        "flag",
        r"(?<![\w-])(?:--[A-Za-z][A-Za-z0-9_-]*(?:=[^\s,;)]*[^\s,;).])?|-[A-Za-z]{1,4}(?![\w'-]))",
    ),
    ("variable", r"\$\{[A-Za-z_][A-Za-z0-9_]*\}|\$[A-Za-z_][A-Za-z0-9_]*"),
    ("tag", r"(?<!\w)[@#][A-Za-z0-9_][A-Za-z0-9_-]*"),
    ("call", r"[A-Za-z_][A-Za-z0-9_.]*\(\)"),
    ("initials", r"(?<!\w)(?:[^\W\d_]\.){2,}"),
    ("dotted", r"[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_][A-Za-z0-9_-]*)+"),
    ("snake", r"(?=[A-Za-z0-9]+_+[A-Za-z0-9]|__)[A-Za-z0-9_]*[A-Za-z0-9][A-Za-z0-9_]*"),
    ("mixed", r"[A-Za-z](?=[A-Za-z-]*[0-9])[A-Za-z0-9]*(?:-[A-Za-z0-9]+)*"),
    ("sharp", r"[A-Za-z](?:\+\+|#)(?!\w)"),
    ("joint", r"[A-Za-z]+&[A-Za-z]+"),
    ("money", r"(?:US|CA|AU|NZ|HK|R)?\$|[€£¥₹₽₩₪₺₫₴]"),
    ("unspaced", f"[{NO_SPACE}]+"),
    ("word", rf"{LETTER}+(?:'{LETTER}+)*(?:(?<=s)'(?= {LETTER}))?"),
    ("operator", r"<=|>=|!=|==|=>|->|<-|&&|\|\||[<>=+^~%±×÷≈√∞]|°[CF]?"),
    ("break", r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*•+]|[0-9]{1,3}[.)])[ \t])"),
    ("mark", r"\S"),
)
_LEX = re.compile("|".join(f"(?P<{name}>{expression})" for name, expression in EXPRESSIONS))
_FIND = _LEX.finditer
WORDS = frozenset({"plain", "word"})
LITERALS = frozenset(
    {"code", "url", "email", "window", "path", "range", "version", "flag", "variable", "tag", "call", "dotted",
     "snake", "mixed"}
)  # fmt: skip


class Piece(NamedTuple):
    """A stretch of the cleaned text; ``tied`` where a hyphen alone stands between it and the piece before."""

    kind: str
    surface: str
    start: int
    end: int
    tied: bool


def pieces(text: str) -> list[Piece]:
    """The pieces of a cleaned text in order; a hyphen inside a compound is no piece, it ties its neighbours."""
    found: list[Piece] = []
    hyphen = -1
    for match in _FIND(text):
        kind = match.lastgroup or "mark"
        start, end = match.span()
        if kind == "mark" and match.group() == "-" and found and found[-1].end == start and _opens(text, end):
            hyphen = end
            continue
        found.append(Piece(kind, match.group(), start, end, start == hyphen))
    return found


def _opens(text: str, at: int) -> bool:
    """Whether a letter or digit follows the hyphen at once."""
    return at < len(text) and text[at].isalnum()
