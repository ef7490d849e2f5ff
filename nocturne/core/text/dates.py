"""Days of the calendar in one form."""

from __future__ import annotations

import re

from nocturne.core.text.lexicon import Tongue

_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_YEAR_DIGITS = 4
_PIVOT = 70
_STAMP = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_DATE = re.compile(r"([0-9]{1,4})[/.]([0-9]{1,2})[/.]([0-9]{1,4})")


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


def stamped_date(surface: str) -> str:
    """A day written as ISO 8601 has it, or the surface where there is no such day or a time follows."""
    match = _STAMP.fullmatch(surface)
    return (iso(int(match[1]), int(match[2]), int(match[3])) if match else None) or surface
