"""Times as transcripts write them, to microseconds since the epoch, UTC."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from nocturne.core.instants import micros

_ISO = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})"
    r"(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|UTC|[+-]\d{2}:?(?:\d{2})?)?)?",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"-?\d{1,19}(?:\.\d+)?")
_ANCHOR = re.compile(
    r"\s*\[(\d{4}-\d{2}-\d{2}(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:Z|UTC|[+-]\d{2}:?\d{2})?)?)\]\s"
)


def parse_time(value: Any, tz: tzinfo) -> tuple[int | None, bool]:
    """The time in microseconds, or None where the value is none; and whether its zone was assumed.

    Takes ISO 8601 text, and seconds, milliseconds, microseconds or nanoseconds since the epoch, told apart by
    their size. ``tz`` is the zone assumed.
    """
    if isinstance(value, bool) or value is None:
        return None, False
    if isinstance(value, int | float):
        return _from_number(value), False
    if not isinstance(value, str):
        return None, False
    text = value.strip()
    if _DIGITS.fullmatch(text):
        return (_from_number(float(text) if "." in text else int(text)), False)
    match = _ISO.fullmatch(text)
    if match is None:
        return None, False
    return _from_iso(match, tz)


def leading_time(text: str, tz: tzinfo) -> int | None:
    """The time in brackets before a text's first word, as in ``[2026-08-31T15:14Z] Post it``."""
    match = _ANCHOR.match(text)
    return parse_time(match.group(1), tz)[0] if match else None


def _from_number(value: float) -> int | None:
    if not math.isfinite(value):
        return None
    size = abs(value)
    for limit, per_second in ((1e11, 1), (1e14, 10**3), (1e17, 10**6), (1e20, 10**9)):
        if size < limit:
            if isinstance(value, int):
                return value * 1_000_000 // per_second
            return round(value * 1e6 / per_second)
    return None


def _from_iso(match: re.Match[str], tz: tzinfo) -> tuple[int | None, bool]:
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    nanos = (fraction or "").ljust(9, "0")
    leap = second == "60"
    try:
        clock = (int(hour or 0), int(minute or 0), 59 if leap else int(second or 0))
        moment = datetime(int(year), int(month), int(day), *clock, tzinfo=UTC)
        if zone is None:
            return micros(moment.replace(tzinfo=tz)) + int(nanos[:6]), True
        offset = timedelta(0)
        if zone.upper() not in ("Z", "UTC"):
            digits = zone[1:].replace(":", "").ljust(4, "0")
            offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
            if offset >= timedelta(hours=24):
                return None, False
            offset = -offset if zone[0] == "-" else offset
        base = micros(moment) - offset // timedelta(microseconds=1)
        return base + int(nanos[:6]), False
    except (ValueError, OverflowError):
        return None, False
