"""Numbers as people write them: digits with what is glued to them, number words, kanji numerals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from nocturne.core.text.folding import fold
from nocturne.core.text.lexicon import Lexicon, Tongue
from nocturne.core.text.lexing import WORDS, Cut, Piece
from nocturne.core.text.parts import Line, Part, number_part

_SHAPE = re.compile(r"([-+±]?)(\.?[0-9][0-9.,:]*)(.*)", re.DOTALL)
_CLOCK = re.compile(r"([0-9]{1,2}):([0-5][0-9])(?::([0-5][0-9]))?")
_GROUPED = re.compile(r"[0-9]{1,3}(?:,[0-9]{2,3})*,[0-9]{3}(?:\.[0-9]+)?")
_DOT_GROUPED = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+|[0-9]{1,3}(?:\.[0-9]{3}){2,}")
_COMMA = re.compile(r"[0-9]+,[0-9]+")
_SIMPLE = re.compile(r"[0-9]*\.?[0-9]+")
_HOUR_TAIL = re.compile(r"h([0-5][0-9])")
_MAX_HOUR = 24
_KANJI = {c: n for n, c in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2}
_KANJI_UNIT = {"十": 10, "百": 100, "千": 1000}
_KANJI_LARGE = {"万": 10**4, "億": 10**8, "亿": 10**8}
_KANJI_RUN = re.compile("[〇零一二三四五六七八九两兩十百千万億亿]{1,12}")
_TEN, _HUNDRED = 10, 100
_MAX_WORDS = 12
_LONGEST_COMPOUND = 5


def clock(numeric: str, half: str = "") -> str | None:
    """``HH:MM`` or ``HH:MM:SS`` of a written time of day, with *am* or *pm* where that was said."""
    match = _CLOCK.fullmatch(numeric if ":" in numeric else numeric.replace(".", ":", 1) if half else numeric)
    if match is not None:
        hour, minute, second = int(match[1]), match[2], match[3]
    elif half and numeric.isdigit() and len(numeric) <= 2:
        hour, minute, second = int(numeric), "00", None
    else:
        return None
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "pm" else 0)
    if hour >= _MAX_HOUR:
        return None
    return f"{hour:02}:{minute}" + (f":{second}" if second else "")


def plain_number(numeric: str, tongue: Tongue) -> str | None:
    """The number's digits with one decimal point, or None where it is a version, an address or a riddle."""
    if _SIMPLE.fullmatch(numeric):
        return numeric
    if tongue.data.get("decimal_comma"):
        if _DOT_GROUPED.fullmatch(numeric):
            return numeric.replace(".", "").replace(",", ".")
        if _COMMA.fullmatch(numeric):
            return numeric.replace(",", ".")
    elif tongue.data.get("decimal_comma") is False and _GROUPED.fullmatch(numeric):
        return numeric.replace(",", "")
    return None


def unit_of(surface: str, tongue: Tongue, lexicon: Lexicon) -> str | None:
    """The unit that a symbol (exact) or a word (casefolded) stands for."""
    found = lexicon.data["units"].get(surface)
    if found is None:
        found = tongue.table("units").get(fold(surface))
    return found if found is None else str(found)


def numeric_part(piece: Piece, tongue: Tongue, lexicon: Lexicon) -> Part:
    """What a piece of digits is: a time, a number, a measure, an ordinal, or a literal."""
    kind, form, number = "literal", piece.surface, ""
    if form.isascii() and form.isdigit():
        return number_part(form, form, tied=piece.tied)
    match = _SHAPE.fullmatch(form)
    if match is not None:
        sign, numeric, tail = match[1], match[2], match[3]
        digits = plain_number(numeric, tongue)
        if not tail:
            time = None if sign else clock(numeric)
            if time is not None:
                kind, form = "clock", time
            elif digits is not None:
                return number_part(sign + digits, piece.surface, tied=piece.tied)
        else:
            reading = _Tailed(sign, numeric, digits, tail)
            kind, form, number = _tailed(reading, tongue, lexicon) or (kind, form, number)
    return Part(kind, form, surface=piece.surface, tied=piece.tied, number=number)


class _Tailed(NamedTuple):
    """Digits with letters glued to them: *-5mg*, *3pm*, *21st*; ``digits`` is None where they are no one number."""

    sign: str
    numeric: str
    digits: str | None
    tail: str


def _tailed(reading: _Tailed, tongue: Tongue, lexicon: Lexicon) -> tuple[str, str, str] | None:
    sign, numeric, digits, tail = reading
    half = tongue.table("clock_words").get(fold(tail))
    if half in ("am", "pm") and not sign:
        time = clock(numeric, half)
        if time is not None:
            return ("clock", time, "")
    hour = _HOUR_TAIL.fullmatch(tail)
    if hour is not None and not sign:
        time = clock(f"{numeric}:{hour[1]}")
        if time is not None:
            return ("clock", time, "")
    if digits is None:
        return None
    unit = unit_of(tail, tongue, lexicon)
    if unit is not None:
        return (
            "literal",
            f"{sign}{digits} {unit}",
            sign + digits if tail in lexicon.data["magnitudes"] else "",
        )
    if fold(tail) in tongue.words("ordinal_suffixes") and not sign and digits.isdigit():
        form = f"{digits}{fold(tail)}"
        return ("ordinal", str(tongue.table("ordinals").get(form, form)), digits)
    if tail in lexicon.data["currencies"]:
        return ("literal", f"{sign}{digits} {lexicon.data['currencies'][tail]}", "")
    if tail in lexicon.data["magnitudes"]:
        return ("scaled", f"{sign}{digits}{tail}", sign + digits)
    return None


def shifted(digits: str, places: int) -> str:
    """A decimal number times a power of ten, without rounding."""
    whole, _, fraction = digits.partition(".")
    moved = whole + fraction[:places].ljust(places, "0")
    rest = fraction[places:]
    sign = moved[:1] if moved[:1] in "+-±" else ""
    moved = moved[len(sign) :].lstrip("0") or "0"
    return sign + moved + (f".{rest}" if rest else "")


def word_number(text: Cut, i: int, tongue: Tongue, line: Line) -> int:
    """Read the number words from ``i`` on as one number or ordinal; how many pieces were taken."""
    cut = text.pieces
    first = cut[i]
    for length in range(_LONGEST_COMPOUND, 1, -1):
        if i + length <= len(cut) and all(cut[i + n].tied for n in range(1, length)):
            compound = tongue.table("numbers").get("-".join(_joined(cut, i + n) for n in range(length)))
            if compound is not None:
                value = str(compound)
                line.add(number_part(value, first.surface, tied=first.tied), text.span(i, i + length - 1))
                return length
    single = tongue.table("numbers").get(fold(first.surface))
    if single is not None and not _goes_on(cut, i + 1, tongue):
        value = str(single)
        line.add(number_part(value, first.surface, tied=first.tied), text.span(i, i))
        return 1
    ordinals = tongue.table("ordinals")
    for length in (2, 1):
        if length == 2 and not (i + 1 < len(cut) and cut[i + 1].tied):
            continue
        ordinal = ordinals.get("-".join(_joined(cut, i + n) for n in range(length)))
        if ordinal is not None:
            form = str(ordinal)
            digits = "".join(c for c in form if c.isdigit())
            part = Part("ordinal", form, form, surface=first.surface, tied=first.tied, number=digits)
            line.add(part, text.span(i, i + length - 1))
            return length
    total, current, taken = _sum(cut, i, tongue)
    if taken:
        value = str(total + (current or 0))
        line.add(number_part(value, first.surface, tied=first.tied), text.span(i, i + taken - 1))
    return taken


def _goes_on(cut: Sequence[Piece], at: int, tongue: Tongue) -> bool:
    """Whether the next piece may belong to the same number."""
    if at >= len(cut):
        return False
    word = _joined(cut, at)
    return cut[at].tied or word in tongue.counting or word in tongue.words("number_joiners")


def _sum(cut: Sequence[Piece], i: int, tongue: Tongue) -> tuple[int, int | None, int]:
    """Thousands so far, what is below them, and how many pieces belong to the number."""
    numbers, scales, joiners = tongue.table("numbers"), tongue.table("scales"), tongue.words("number_joiners")
    total, current, taken, least = 0, None, 0, 0
    at = i
    while at < min(len(cut), i + _MAX_WORDS):
        word = _joined(cut, at)
        if taken and _starts_compound(cut, at, tongue):
            break
        value, scale = numbers.get(word), scales.get(word)
        if value is None and at > i + taken:
            value = tongue.table("numbers_after").get(word)
        if value is not None and _fits(current, value):
            current = (current or 0) + value
        elif scale == _HUNDRED and (current is None or 0 < current < 2 * _TEN):
            current = (1 if current is None else current) * _HUNDRED
        elif scale is not None and scale > _HUNDRED and (not least or scale < least):
            total += (1 if current is None else current) * scale
            current, least = None, scale
        elif word in joiners and taken and _joins(cut, at, current, total, tongue):
            at += 1
            continue
        else:
            break
        at += 1
        taken = at - i
    return total, current, taken


def _joined(cut: Sequence[Piece], at: int) -> str:
    return fold(cut[at].surface) if at < len(cut) and cut[at].kind in WORDS else ""


def _starts_compound(cut: Sequence[Piece], at: int, tongue: Tongue) -> bool:
    """Whether a free word is tied to a word that is no number: the *four* of *twenty four-hour shifts*."""
    if cut[at].tied or at + 1 >= len(cut) or not cut[at + 1].tied:
        return False
    return _joined(cut, at + 1) not in tongue.table("numbers")


def _fits(current: int | None, value: int) -> bool:
    """Whether a number word may follow: units after tens, anything below a hundred after hundreds."""
    if current is None:
        return True
    if current % _HUNDRED == 0:
        return current > 0 and 0 < value < _HUNDRED
    return current % _HUNDRED >= 2 * _TEN and current % _TEN == 0 and 0 < value < _TEN


def _joins(cut: Sequence[Piece], at: int, current: int | None, total: int, tongue: Tongue) -> bool:
    """Whether *and*, *y*, *e*, *et* goes on with the number: after hundreds, or between tens and units."""
    word = _joined(cut, at + 1)
    value = tongue.table("numbers").get(word, tongue.table("numbers_after").get(word))
    if value is None:
        return False
    if current is None:
        return total > 0 and value < _HUNDRED
    if current % _HUNDRED == 0:
        return current > 0 and value < _HUNDRED
    return tongue.language != "en" and _fits(current, value)


def kanji_number(run: str) -> int | None:
    """The number of a run of kanji numerals, positional (二〇二六) or with its powers (千九百), or None."""
    if all(c in _KANJI for c in run):
        return int("".join(str(_KANJI[c]) for c in run))
    total, section, digit = 0, 0, -1
    for c in run:
        if c in _KANJI:
            if digit > 0:
                return None
            digit = _KANJI[c]
        elif c in _KANJI_UNIT:
            section += (digit if digit > 0 else 1) * _KANJI_UNIT[c]
            digit = -1
        else:
            section += max(digit, 0)
            total += max(section, 1) * _KANJI_LARGE[c]
            section, digit = 0, -1
    return total + section + max(digit, 0)


def numeral_segments(run: str, base: int, tongue: Tongue, line: Line) -> None:
    """Add an unspaced run with the numerals that stand before a counter taken out as numbers."""
    counters = tongue.words("counters")
    begun = 0
    for match in _KANJI_RUN.finditer(run) if counters else ():
        number = kanji_number(match.group())
        if number is None or run[match.end() : match.end() + 1] not in counters:
            continue
        if match.start() > begun:
            line.add(Part("unspaced", run[begun : match.start()]), (base + begun, base + match.start()))
        line.add(number_part(str(number), match.group()), (base + match.start(), base + match.end()))
        begun = match.end()
    if begun < len(run):
        line.add(Part("unspaced", run[begun:]), (base + begun, base + len(run)))
