"""Cut a cleaned text into pieces: code first, then literals, words and punctuation, stretch by stretch.

The expressions and their order are part of the measures: MEASURES.md, section "Pieces", repeats them. Every repeat
that can fail after it has begun is bounded, so that no text takes more than linear time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, chain, repeat
from typing import NamedTuple

from nocturne.core.text.memo import Memo

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
_SEGMENT = r"[A-Za-z0-9_.@%+~*-]{0,100}[A-Za-z0-9_%~*]"
_URL = r"(?:[A-Za-z][A-Za-z0-9+.-]{0,15}://|www\.)[^\s<>\"'`|]*[A-Za-z0-9_/#=&%+~-]"
_EMAIL = r"[A-Za-z0-9_.+%-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}"
_STAMP = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?"
    r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?(?![\w-])"
)
_DATE = (
    r"[0-9]{1,2}/[0-9]{1,2}/(?:[0-9]{4}|[0-9]{2})(?![\w/])|[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}(?!\w|\.[0-9])"
    r"|[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}(?![\w/])"
)
_RANGE = (
    r"(?<![\w.,-])[0-9]{1,20}(?:[.:][0-9]{1,20}){0,4}(?:-[0-9]{1,20}(?:[.:][0-9]{1,20}){0,4}){1,8}"
    r"(?![\w-])(?!\.[0-9])"
)
_VERSION = (
    r"[0-9]{1,20}(?:\.[0-9]{1,20}){2,8}[-+][A-Za-z0-9.]{0,60}[A-Za-z0-9]"
    r"|[0-9]{1,20}(?:\.[0-9]{1,20}){0,8}\.[xX*](?!\w)"
)
_NUMBER = (
    r"(?:(?<![\w)\]])[-+±])?(?:[0-9]+(?:[.,:][0-9]+)*|\.[0-9]+)(?:\^[-+]?[0-9a-z]+)?"
    rf"(?:{LETTER}(?:{LETTER}|[0-9_])*(?:\^[0-9])?)?"
)
_FLAG = r"(?<![\w-])(?:--[A-Za-z][A-Za-z0-9_-]*(?:=[^\s,;)]*[^\s,;).])?|-[A-Za-z]{1,4}(?![\w'-]))"

EXPRESSIONS: tuple[tuple[str, str], ...] = (
    ("plain", r"[A-Za-z]+(?=[,;!?)]|\.?\Z)"),
    ("url", _URL),
    ("email", _EMAIL),
    ("window", r"[A-Za-z]:\\[^\s\"'<>|*?]*[^\s\"'<>|*?.,;:!)]"),
    ("stamp", _STAMP),
    ("date", _DATE),
    ("path", rf"(?<![\w/.])(?:~|\.{{1,2}}|{_SEGMENT})?(?:/{_SEGMENT})+/?"),
    ("range", _RANGE),
    ("version", _VERSION),
    ("number", _NUMBER),
    ("flag", _FLAG),
    ("variable", r"\$\{[A-Za-z_][A-Za-z0-9_]{0,60}\}|\$[A-Za-z_][A-Za-z0-9_]*"),
    ("tag", r"(?<!\w)[@#][A-Za-z0-9_][A-Za-z0-9_-]*"),
    ("call", r"[A-Za-z_][A-Za-z0-9_.]{0,100}\(\)"),
    ("initials", r"(?<!\w)(?:[^\W\d_]\.){2,}"),
    ("dotted", r"[A-Za-z_][A-Za-z0-9_-]{0,60}(?:\.[A-Za-z0-9_][A-Za-z0-9_-]{0,60})+"),
    ("snake", r"(?=[A-Za-z0-9]{0,60}_{1,8}[A-Za-z0-9])(?:[A-Za-z0-9]+_+|_+[A-Za-z0-9])[A-Za-z0-9_]*"),
    ("mixed", r"[A-Za-z](?=[A-Za-z-]{0,60}[0-9])[A-Za-z0-9]*(?:-[A-Za-z0-9]+)*"),
    ("sharp", r"[A-Za-z](?:\+\+|#)(?!\w)"),
    ("joint", r"[A-Za-z]{1,20}&[A-Za-z]+"),
    ("money", r"(?:US|CA|AU|NZ|HK|R)?\$|[€£¥₹₽₩₪₺₫₴]"),
    ("unspaced", f"[{NO_SPACE}]+"),
    ("word", rf"{LETTER}+(?:'{LETTER}+)*(?:(?<=s)'\Z)?"),
    ("operator", r"<=|>=|!=|==|=>|->|<-|&&|\|\||[<>=+^~%±×÷≈√∞]|°[CF]?"),
    ("open", r"[“«„「『‹¿¡•]|(?:\A|(?<=[(\[{—/]))[\"']"),
    ("mark", r"\S"),
)
"""Names and expressions, tried in this order at every place of a stretch without spaces."""

_FIND = re.compile("|".join(f"(?P<{name}>{expression})" for name, expression in EXPRESSIONS)).finditer
_CODE = re.compile(r"```[^`]{1,2000}```|`[^`\n]{1,400}`")
_OUTER = re.compile(rf"{_CODE.pattern}|\n[ \t]*\n|\n(?=[ \t]*(?:[-*•+]|[0-9]{{1,3}}[.)])[ \t])")
WORDS = frozenset({"plain", "word"})
LITERALS = frozenset(
    {
        "url",
        "window",
        "path",
        "range",
        "version",
        "flag",
        "variable",
        "tag",
        "call",
        "dotted",
        "snake",
        "mixed",
    }
)


class Piece(NamedTuple):
    """A part of a stretch and its place in it; ``tied`` where only a hyphen is between it and the piece before."""

    kind: str
    surface: str
    start: int
    end: int
    tied: bool


class Cut:
    """A text in stretches: what stands between spaces, and code and breaks by themselves.

    Its pieces in one row are put together for those who must look beyond a stretch.
    """

    __slots__ = ("_bases", "_firsts", "_origins", "_pieces", "stretches", "text")

    def __init__(self, text: str, stretches: list[str], bases: list[int] | None = None) -> None:
        """``bases`` is where each stretch begins; without it one space stands between any two."""
        self.text = text
        self.stretches = stretches
        self._bases = bases
        self._pieces: list[Piece] | None = None
        self._firsts: list[int]
        self._origins: list[int]

    @property
    def bases(self) -> list[int]:
        """Where in the text each stretch begins."""
        if self._bases is None:
            self._bases = _bases_of(self.stretches, 0)
        return self._bases

    @property
    def pieces(self) -> list[Piece]:
        """The pieces of the text in order."""
        return self._lay_out() if self._pieces is None else self._pieces

    @property
    def firsts(self) -> list[int]:
        """For each stretch the index of its first piece, and behind them how many pieces there are."""
        if self._pieces is None:
            self._lay_out()
        return self._firsts

    def _lay_out(self) -> list[Piece]:
        within = list(map(pieces_of.__getitem__, self.stretches))
        sizes = list(map(len, within))
        self._pieces = list(chain.from_iterable(within))
        self._firsts = list(accumulate(sizes, initial=0))
        self._origins = list(chain.from_iterable(map(repeat, self.bases, sizes)))
        return self._pieces

    def span(self, first: int, last: int) -> tuple[int, int]:
        """The range of the text from one piece to the end of another."""
        pieces, origins = self.pieces, self._origins
        return origins[first] + pieces[first][2], origins[last] + pieces[last][3]


def cut(text: str) -> Cut:
    """A cleaned text in stretches."""
    if "`" not in text and "\n" not in text:
        return Cut(text, text.split(" "))
    stretches: list[str] = []
    bases: list[int] = []
    done = 0
    for match in _OUTER.finditer(text):
        _add(text[done : match.start()], done, stretches, bases)
        stretches.append(match.group())
        bases.append(match.start())
        done = match.end()
    _add(text[done:], done, stretches, bases)
    return Cut(text, stretches, bases)


def _add(text: str, base: int, stretches: list[str], bases: list[int]) -> None:
    """Add what stands between spaces or line ends."""
    between = text.replace("\n", " ").split(" ")
    stretches += between
    bases += _bases_of(between, base)


def _bases_of(stretches: Sequence[str], base: int) -> list[int]:
    """Where each of several stretches begins, with one character between any two."""
    return list(accumulate([len(stretch) + 1 for stretch in stretches[:-1]], initial=base))


def _cut_anew(stretch: str) -> tuple[Piece, ...]:
    """The pieces of a stretch.

    What begins with a line end is a break: all other line ends were taken for spaces. No stretch between spaces is
    code as a whole: it would have been found as such.
    """
    kind = _simple(stretch)
    return (Piece(kind, stretch, 0, len(stretch), tied=False),) if kind else _cut_stretch(stretch)


def _simple(stretch: str) -> str:
    """The kind of a stretch that is one piece at first sight."""
    if stretch.isascii() and stretch.isalpha():
        return "plain"
    if stretch.isascii() and stretch.isdigit():
        return "number"
    if stretch.startswith("\n"):
        return "break"
    return "code" if stretch.startswith("`") and _CODE.fullmatch(stretch) else ""


def _cut_stretch(stretch: str) -> tuple[Piece, ...]:
    """The pieces of one stretch; a hyphen inside a compound is no piece, it ties its neighbours."""
    found: list[Piece] = []
    hyphen = -1
    for match in _FIND(stretch):
        start, end = match.span()
        kind = match.lastgroup or "mark"
        if kind == "mark" and found and stretch[start] == "-" and _is_inside(stretch, found[-1], start, end):
            hyphen = end
            continue
        found.append(Piece(kind, match.group(), start, end, start == hyphen))
    return tuple(found)


def _is_inside(stretch: str, before: Piece, start: int, end: int) -> bool:
    """Whether a hyphen has a piece right before it and a letter or digit right behind it."""
    return before.end == start and before.kind != "mark" and end < len(stretch) and stretch[end].isalnum()


pieces_of = Memo(_cut_anew, 65_536)
"""The pieces of a stretch by its text."""
