"""Join numbers with what belongs to them: units, money, days, months, years, hours.

The order of the steps is part of the measures: MEASURES.md, section "Quantities".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from nocturne.core.text.folding import fold
from nocturne.core.text.lexicon import Lexicon, Tongue
from nocturne.core.text.numerals import clock, shifted, unit_of
from nocturne.core.text.parts import Part, spanning

_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_YEAR_DIGITS = 4
_PIVOT = 70
_STAMP = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_DATE = re.compile(r"([0-9]{1,4})[/.]([0-9]{1,2})[/.]([0-9]{1,4})")
_COUNTED = frozenset({"number", "scaled", "range"})
TRIGGERS = frozenset({"number", "ordinal", "scaled", "range", "money", "stamp", "date", "clock"})


def iso(year: int | None, month: int, day: int | None) -> str | None:
    """``2026-03-15``, ``--03-15`` or ``2026-03``; None where the calendar has no such day."""
    if not 1 <= month <= 12 or (day is not None and not 1 <= day <= _LENGTHS[month - 1]):
        return None
    if year is None:
        return f"--{month:02}" + (f"-{day:02}" if day is not None else "")
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if day == 29 and month == 2 and not leap:
        return None
    return f"{year:04}-{month:02}" + (f"-{day:02}" if day is not None else "")


def numeric_date(surface: str, tongue: Tongue) -> str:
    """The ISO form of a date in digits, or the surface where day and month cannot be told apart."""
    match = _DATE.fullmatch(surface)
    if match is None:
        return surface
    one, two, three = match[1], match[2], match[3]
    if len(one) == _YEAR_DIGITS:
        return iso(int(one), int(two), int(three)) or surface
    year = int(three)
    if len(three) < _YEAR_DIGITS:
        year += 2000 if year < _PIVOT else 1900
    day_first = iso(year, int(two), int(one))
    month_first = iso(year, int(one), int(two))
    dotted = "." in surface
    if tongue.day_first or dotted:
        return day_first or month_first or surface
    if tongue.day_first is None and day_first and month_first and day_first != month_first:
        return surface
    return (month_first if tongue.day_first is False else day_first or month_first) or day_first or surface


class Quantities:
    """Joins the parts of one language's quantities."""

    def __init__(self, tongue: Tongue, lexicon: Lexicon) -> None:
        self.tongue = tongue
        self.lexicon = lexicon
        self._joiners = tongue.words("date_joiners")
        self._money = lexicon.data["currencies"]
        self._money_words = tongue.table("currencies")
        self._units = tongue.table("unspaced")

    def join(self, parts: Sequence[Part]) -> list[Part]:
        """The parts with every quantity in one part, kind ``literal``, ``clock`` or ``number``."""
        found: list[Part] = []
        rest = list(parts)
        i = 0
        while i < len(rest):
            part = rest[i]
            taken: tuple[Part, int] | None = None
            if part.kind in TRIGGERS or part.number or part.surface in self._money:
                taken = self._one(rest, i, found)
            if taken is None:
                found.append(part)
                i += 1
            else:
                joined, count = taken
                found.append(joined)
                i += count
        return found

    def _one(self, parts: list[Part], i: int, found: list[Part]) -> tuple[Part, int] | None:
        """Try each reading in its order; the first that holds is taken."""
        part = parts[i]
        if part.kind == "stamp":
            match = _STAMP.fullmatch(part.form)
            day = iso(int(match[1]), int(match[2]), int(match[3])) if match else None
            return part._replace(kind="literal", form=day or part.form), 1
        if part.kind == "date":
            return part._replace(kind="literal", form=numeric_date(part.form, self.tongue)), 1
        return (
            self._unspaced(parts, i, found)
            or self._date(parts, i)
            or self._amount(parts, i)
            or self._hour(parts, i)
            or self._measure(parts, i)
        )

    def _date(self, parts: Sequence[Part], i: int) -> tuple[Part, int] | None:
        """Day and month in either order, with or without a year; month and year."""
        day = _day(parts[i])
        if day is not None:
            at = self._over(parts, i + 1, dot=bool(self.tongue.data.get("day_dot")))
            month = _month(parts, at)
            if month is not None:
                return self._dated(parts, i, at, month, day)
        month = _month(parts, i)
        if month is None or parts[i].tied:
            return None
        if i + 1 < len(parts):
            day = _day(parts[i + 1])
            if day is not None and not self._is_counted(parts, i + 1):
                return self._dated(parts, i, i + 1, month, day)
        year, at = self._year(parts, i + 1)
        form = iso(year, month, None) if year is not None else None
        return None if form is None else (spanning("literal", form, parts[i], parts[at]), at - i + 1)

    def _dated(
        self, parts: Sequence[Part], i: int, last: int, month: int, day: int
    ) -> tuple[Part, int] | None:
        year, at = self._year(parts, last + 1)
        form = iso(year, month, day)
        if form is None and year is not None:
            year, at = None, last
            form = iso(None, month, day)
        if form is None:
            return None
        end = at if year is not None else last
        return spanning("literal", form, parts[i], parts[end]), end - i + 1

    def _year(self, parts: Sequence[Part], at: int) -> tuple[int | None, int]:
        """A number of four digits, after a comma or a joining word or neither, and where it stands."""
        if at < len(parts) and parts[at].kind == "mark" and parts[at].form == ",":
            at += 1
        else:
            at = self._over(parts, at, dot=False)
        if at < len(parts) and parts[at].kind == "number":
            digits = parts[at].number
            if len(digits) == _YEAR_DIGITS and digits.isdigit() and digits[0] in "12":
                return int(digits), at
        return None, at

    def _over(self, parts: Sequence[Part], at: int, *, dot: bool) -> int:
        """Past a joining word such as *of* or *de*, or past the dot of a German day."""
        if at < len(parts):
            part = parts[at]
            if (part.kind == "word" and part.form in self._joiners) or (dot and part.form == "."):
                return at + 1
        return at

    def _is_counted(self, parts: Sequence[Part], at: int) -> bool:
        """Whether a unit follows the number, which then is no day."""
        return at + 1 < len(parts) and self._unit(parts, at) is not None

    def _amount(self, parts: Sequence[Part], i: int) -> tuple[Part, int] | None:
        """A currency before or after its number."""
        part = parts[i]
        code = self._money.get(part.surface)
        if code is not None and part.kind in ("money", "word"):
            if i + 1 < len(parts) and parts[i + 1].kind in _COUNTED | {"literal"}:
                number, count = self._scaled(parts, i + 1)
                if number is not None:
                    return spanning("literal", f"{number} {code}", part, parts[i + count]), count + 1
            return None
        if part.kind not in _COUNTED:
            return None
        number, count = self._scaled(parts, i)
        at = i + count
        if number is None or at >= len(parts):
            return None
        code = self._money.get(parts[at].surface) or self._money_words.get(parts[at].form)
        if code is None or parts[at].kind not in ("money", "word"):
            return None
        return spanning("literal", f"{number} {code}", part, parts[at]), count + 1

    def _scaled(self, parts: Sequence[Part], at: int) -> tuple[str | None, int]:
        """The number at a place, multiplied by the *million* or *k* that follows, and how many parts it took."""
        part = parts[at]
        if part.kind == "scaled" or (part.kind == "literal" and part.number and at):
            tail = part.surface[-2:] if part.surface[-2:].isalpha() else part.surface[-1:]
            return shifted(part.number, self.lexicon.data["magnitudes"][tail]), 1
        if part.kind == "range":
            return part.form, 1
        if part.kind != "number":
            return None, 1
        if at + 1 < len(parts) and parts[at + 1].kind == "number":
            scale = self.tongue.table("scales").get(fold(parts[at + 1].surface))
            if scale is not None and parts[at + 1].number == str(scale) and part.surface[-1:].isdigit():
                return shifted(part.number, len(str(scale)) - 1), 2
        return part.number, 1

    def _hour(self, parts: Sequence[Part], i: int) -> tuple[Part, int] | None:
        """A number or time with *am*, *pm*, *o'clock*, *Uhr* behind it."""
        part = parts[i]
        if part.kind not in ("number", "clock") or i + 1 >= len(parts):
            return None
        word = parts[i + 1]
        half = self.tongue.table("clock_words").get(fold(word.surface)) if word.kind == "word" else None
        if half is None:
            return None
        numeric = part.surface if part.surface[:1].isdigit() else part.number
        time = (
            clock(numeric, half) if half != "hour" else clock(numeric if ":" in numeric else f"{numeric}:00")
        )
        if time is None:
            return None
        return spanning("clock", time, part, word, part.surface), 2

    def _measure(self, parts: Sequence[Part], i: int) -> tuple[Part, int] | None:
        """A number with its unit; a number with its *million*."""
        part = parts[i]
        if part.kind not in _COUNTED:
            return None
        number, count = self._scaled(parts, i)
        if number is None or part.kind == "scaled":
            return None
        at = i + count - 1
        unit = self._unit(parts, at)
        if unit is not None:
            return spanning("literal", f"{number} {unit}", part, parts[at + 1]), count + 1
        if count > 1:
            return Part("number", number, part.start, parts[at].end, part.tied, number, part.surface), count
        return None

    def _unit(self, parts: Sequence[Part], at: int) -> str | None:
        """The unit right after a number; one that begins a compound of its own does not count."""
        if at + 1 >= len(parts):
            return None
        unit = parts[at + 1]
        if unit.kind not in ("word", "operator", "literal", "ordinal") or not unit.surface:
            return None
        if at + 2 < len(parts) and parts[at + 2].tied and not unit.tied:
            return None
        return unit_of(unit.surface, self.tongue, self.lexicon) or self.tongue.table("units").get(unit.form)

    def _unspaced(self, parts: list[Part], i: int, found: list[Part]) -> tuple[Part, int] | None:
        """Years, months, days, hours and counters of Chinese and Japanese, which follow without a space."""
        if parts[i].kind not in ("number", "clock") or not self._units:
            return None
        sequence = _counted(parts, i)
        shape = "".join(mark for _, mark, _ in sequence)
        numbers = [number for number, _, _ in sequence]
        for marks, length in (("年月日", 3), ("年月", 2), ("月日", 2)):
            if shape.replace("号", "日").replace("號", "日").startswith(marks):
                year = numbers[0] if marks[0] == "年" else None
                month = numbers[1] if marks[0] == "年" else numbers[0]
                day = numbers[length - 1] if marks[-1] == "日" else None
                form = iso(year, month, day)
                if form is not None:
                    return self._consumed(parts, i, sequence[length - 1][2], 1, "literal", form)
        if shape[:1] == "年" and len(parts[i].number) == _YEAR_DIGITS:
            return self._consumed(parts, i, i + 1, 1, "number", parts[i].number)
        if shape[:1] in ("時", "点", "點") and numbers[0] < 24:
            return self._clock(parts, i, sequence, found)
        following = parts[i + 1] if i + 1 < len(parts) else None
        if following is not None and following.kind == "unspaced" and following.start == parts[i].end:
            for mark, unit in self._units.items():
                if following.form.startswith(mark):
                    form = f"{parts[i].number or parts[i].form} {unit}"
                    return self._consumed(parts, i, i + 1, len(mark), "literal", form)
        return None

    def _clock(
        self, parts: list[Part], i: int, sequence: Sequence[tuple[int, str, int]], found: list[Part]
    ) -> tuple[Part, int] | None:
        hour, minute, at, length = sequence[0][0], 0, sequence[0][2], 1
        if len(sequence) > 1 and sequence[1][1] == "分" and sequence[1][0] < 60:
            minute, at = sequence[1][0], sequence[1][2]
        elif parts[at].form[1:2] == "半":
            minute, length = 30, 2
        elif parts[at].form[1:2] in ("钟", "鐘"):
            length = 2
        for mark, shift in self.tongue.table("afternoon").items():
            if found and found[-1].kind == "unspaced" and found[-1].form.endswith(mark) and hour <= 12:
                before = found.pop()
                if before.form != mark:
                    found.append(before._replace(form=before.form[: -len(mark)], end=before.end - len(mark)))
                hour = hour % 12 + int(shift)
                break
        return self._consumed(parts, i, at, length, "clock", f"{hour:02}:{minute:02}")

    @staticmethod
    def _consumed(parts: list[Part], i: int, at: int, length: int, kind: str, form: str) -> tuple[Part, int]:
        """The joined part, with what the last run holds beyond the mark left standing for the next step."""
        last = parts[at]
        number = form if kind == "number" else ""
        joined = Part(kind, form, parts[i].start, last.start + length, parts[i].tied, number)
        if len(last.form) > length:
            parts[at] = last._replace(form=last.form[length:], start=last.start + length)
            return joined, at - i
        return joined, at - i + 1


def _counted(parts: Sequence[Part], i: int) -> list[tuple[int, str, int]]:
    """Number, mark and the mark's place, for as long as numbers and single marks follow one another."""
    found: list[tuple[int, str, int]] = []
    while i + 1 < len(parts) and parts[i].kind == "number" and parts[i].number.isdigit() and len(found) < 5:
        mark = parts[i + 1]
        if mark.kind != "unspaced":
            break
        found.append((int(parts[i].number), mark.form[0], i + 1))
        if len(mark.form) > 1:
            break
        i += 2
    return found


def _day(part: Part) -> int | None:
    if part.kind in ("number", "ordinal") and part.number.isdigit() and len(part.number) <= 2:
        day = int(part.number)
        return day if 1 <= day <= 31 else None
    return None


def _month(parts: Sequence[Part], at: int) -> int | None:
    if at < len(parts) and parts[at].kind == "word" and parts[at].number:
        return int(parts[at].number)
    return None
