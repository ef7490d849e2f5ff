"""When something happened, as far as its words and the moment they were said can tell.

The text is not touched. Weeks start on Monday. A date without a year takes the year that puts it nearest to
the anchor on the side that the tense asks for. Without an anchor a relative date resolves to nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from nocturne.llm.rules.cues import load

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DATA = load("dates.json")


@dataclass(frozen=True, slots=True)
class When:
    """The start of the period that is meant, ISO, and its width: minute, day, week, month, season or year."""

    at: str
    grain: str


def moment(micros: int) -> datetime:
    """Microseconds since the epoch as a UTC time."""
    return EPOCH + timedelta(microseconds=micros)


def _numbered(rows: list[str], first: int) -> dict[str, int]:
    return {name: number for number, row in enumerate(rows, start=first) for name in row.split()}


MONTHS = _numbered(DATA["months"], 1)
WEEKDAYS = _numbered(DATA["weekdays"], 0)
NUMBERS = {word: int(number) for number, row in DATA["numbers"].items() for word in row.split()}
SEASONS: Mapping[str, int] = DATA["seasons"]
UNITS = {word: unit for unit, row in DATA["units"].items() for word in row.split()}
KINDS = {word: unit for unit, row in DATA["kinds"].items() for word in row.split()}
FIXED: Mapping[str, int] = {
    "dayafter": 2,
    "daybefore": -2,
    "yesterday": -1,
    "tomorrow": 1,
    "today": 0,
    "lastnight": -1,
}


def _any(names: Mapping[str, object]) -> str:
    return "|".join(sorted(names, key=len, reverse=True))


def _rules() -> re.Pattern[str]:
    parts = {
        "MONTH": _any(MONTHS),
        "DAY": _any(WEEKDAYS),
        "UNIT": _any(UNITS),
        "N": rf"\d{{1,3}}|{_any(NUMBERS)}",
        **DATA["parts"],
    }
    rows = []
    for name, alternatives in DATA["rules"].items():
        body = "|".join(alternatives)
        for part, source in parts.items():
            body = body.replace(f"<{part}>", source)
        rows.append(f"(?P<{name}>{body})")
    return re.compile("|".join(rows), re.IGNORECASE)


RULES = _rules()
STAMP = re.compile(
    r"\A\s*[\[(](\d{4})-(\d\d)-(\d\d)"
    r"(?:[T ](\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?\s?(?:Z|UTC|[+-]\d\d:?\d\d)?)?[\])]:?\s*"
)
TIME = re.compile(
    r"\b(?:at|by|um|a\s+las|à|às|в|for)\s+(\d{1,2})(?::(\d\d))?\s*(am|pm|a\.m\.|p\.m\.|uhr|h\b)?"
    r"|\b(\d{1,2}):(\d\d)\s*(am|pm)?\b|\b(\d{1,2})\s*(am|pm)\b",
    re.IGNORECASE,
)
HINTS = frozenset(WEEKDAYS) | frozenset(MONTHS) | frozenset(DATA["hints"].split())
UNSPACED = re.compile(r"[今昨明前后後上下先来去][天日周週月年朝]|上个月|下个月|月\d|\d月")
SKIP_BEFORE = re.compile(
    r"(?:since|desde|depuis|seit|с|until|till|from)\s+(?:early\s+|late\s+)?$", re.IGNORECASE
)
FUTURE = re.compile(rf"\b(?:{'|'.join(DATA['future'])})\b", re.IGNORECASE)
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def stamp(text: str) -> tuple[datetime | None, int]:
    """A date stamp that opens the turn, and where the text goes on after it."""
    match = STAMP.match(text)
    found = _day(int(match[1]), int(match[2]), int(match[3])) if match is not None else None
    if match is None or found is None:
        return None, 0
    if match[4]:
        found = _clock(found, int(match[4]), int(match[5])) or found
    return found, match.end()


def _day(year: int, month: int, day: int) -> datetime | None:
    try:
        return datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        return None


def _clock(day: datetime, hour: int, minute: int, half: str = "") -> datetime | None:
    half = half.lower().replace(".", "")
    if half == "pm" and hour < 12:
        hour += 12
    if half == "am" and hour == 12:
        hour = 0
    return day.replace(hour=hour, minute=minute) if hour < 24 and minute < 60 else None


def _shift(day: datetime, unit: str, count: int) -> datetime:
    """The day ``count`` units away; of a shorter month, its last day."""
    if unit == "year":
        unit, count = "month", 12 * count
    if unit != "month":
        return day + timedelta(days=count * 7 if unit == "week" else count)
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    days = (found for last in (day.day, 30, 29, 28) if (found := _day(year, month + 1, last)) is not None)
    return next(days, day)


def _period(day: datetime, unit: str) -> datetime:
    """The start of the week, month or year that holds the day."""
    if unit == "week":
        return day - timedelta(days=day.weekday())
    if unit == "month":
        return day.replace(day=1)
    return day.replace(month=1, day=1) if unit == "year" else day


def _number(word: str) -> int:
    return int(word) if word.isdigit() else NUMBERS[word.lower()]


@dataclass(frozen=True, slots=True)
class _Anchor:
    """The day on which it was said, and whether what was said looks ahead."""

    today: datetime | None
    ahead: bool

    def near(self, month: int, day: int) -> datetime | None:
        """The day of the year on the side of the anchor that the tense asks for."""
        if self.today is None:
            return None
        years = (self.today.year - 1, self.today.year, self.today.year + 1)
        found = [date for year in years if (date := _day(year, month, day)) is not None]
        side = [date for date in found if (date >= self.today if self.ahead else date <= self.today)]
        return min(side or found, key=lambda date: abs(date - self.today), default=None)  # type: ignore[operator]


def _weekday(today: datetime, name: str, direction: int) -> datetime:
    """The weekday strictly before, strictly after, or on or after today."""
    gap = (WEEKDAYS[name.lower()] - today.weekday()) % 7
    if direction < 0:
        return today - timedelta(days=(7 - gap) if gap else 7)
    return today + timedelta(days=gap or (7 if direction > 0 else 0))


Found = tuple[datetime | None, str] | None


def _absolute(match: re.Match[str], anchor: _Anchor) -> Found:
    """A date by its numbers and month names."""
    numbers = [int(part) for part in re.findall(r"\d+", match[0])]
    if match["iso"] or match["slash"]:
        return _day(*numbers[:3]), "day"
    if match["hanzi"]:
        return (_day(*numbers[:3]) if len(numbers) == 3 else anchor.near(*numbers[:2])), "day"
    if match["year"]:
        return _day(numbers[-1], 1, 1), "year"
    if not (match["dmy"] or match["mdy"] or match["my"]):
        return None
    words = [word.lower() for word in WORD.findall(match[0])]
    month = next(MONTHS[word] for word in words if word in MONTHS)
    if match["my"]:
        return _month(words, month, numbers, anchor)
    if len(numbers) > 1:
        return _day(numbers[1], month, numbers[0]), "day"
    return anchor.near(month, numbers[0]), "day"


def _month(words: list[str], month: int, years: list[int], anchor: _Anchor) -> Found:
    if years:
        return _day(years[-1], month, 1), "month"
    if "may" in words and words[0] not in {"in", "last", "next", "this"}:
        return None
    ahead = "last" not in words and (anchor.ahead or "next" in words)
    return _Anchor(anchor.today, ahead).near(month, 1), "month"


def _counted(match: re.Match[str], today: datetime) -> Found:
    """"Two weeks ago", "in three days"."""
    for prefix, sign in (("ago", -1), ("hace", -1), ("in", 1), ("fn", 1)):
        if match[f"{prefix}_n"]:
            unit = UNITS[match[f"{prefix}_u"].lower()]
            if unit in {"minute", "hour"}:
                return today, "day"
            return _period(_shift(today, unit, sign * _number(match[f"{prefix}_n"])), unit), unit
    return None


def _first(match: re.Match[str], *names: str) -> str | None:
    return next((match[name].lower() for name in names if match[name]), None)


def _named_day(match: re.Match[str], today: datetime, *, ahead: bool) -> Found:
    """A day by its name, or by its distance in days."""
    for name, days in FIXED.items():
        if match[name]:
            return today + timedelta(days=days), "day"
    for names, direction in (
        (("ld", "ld2", "ld3"), -1),
        (("nd", "nd2", "nd3", "nd4"), 1),
        (("bd",), 0 if ahead else -1),
    ):
        if (word := _first(match, *names)) is not None:
            return _weekday(today, word, direction), "day"
    return None


def _span(match: re.Match[str], today: datetime) -> Found:
    """A week, month, year, weekend or season beside the anchor's own."""
    for names, step in (
        (("lu", "lu2", "lu3", "lu4"), -1),
        (("nu", "nu2", "nu3", "nu4", "nu5"), 1),
        (("tu",), 0),
    ):
        if (word := _first(match, *names)) is not None:
            unit = KINDS.get(word, word)
            return _period(_shift(_period(today, unit), unit, step), unit), unit
    if (which := _first(match, "we_d")) is not None:
        saturday = _period(today, "week") + timedelta(days=5)
        return saturday + timedelta(days={"next": 7, "this": 0}.get(which, -7)), "day"
    if (which := _first(match, "se_d")) is not None:
        start = today.replace(month=SEASONS[match["se"].lower()], day=1)
        if which == "last" and _shift(start, "month", 3) > today:
            start = _shift(start, "year", -1)
        if which == "next" and start <= today:
            start = _shift(start, "year", 1)
        return start, "season"
    return None


def _readings(match: re.Match[str], anchor: _Anchor) -> Iterator[Found]:
    yield _absolute(match, anchor)
    if anchor.today is not None:
        yield _counted(match, anchor.today)
        yield _named_day(match, anchor.today, ahead=anchor.ahead)
        yield _span(match, anchor.today)


def hints(text: str) -> bool:
    """Whether the text can name a time at all: a digit, or a word of the closed list."""
    if any(character.isdigit() for character in text) or UNSPACED.search(text) is not None:
        return True
    return not HINTS.isdisjoint(word.lower() for word in WORD.findall(text))


def resolve(text: str, said: datetime | None) -> When | None:
    """The first time that the text names, or None where it names none or nothing anchors it."""
    if not hints(text):
        return None
    today = said.replace(hour=0, minute=0, second=0, microsecond=0) if said is not None else None
    anchor = _Anchor(today, FUTURE.search(text) is not None)
    for match in RULES.finditer(text):
        if SKIP_BEFORE.search(text[max(0, match.start() - 16) : match.start()]):
            continue
        for found in _readings(match, anchor):
            if found is not None and found[0] is not None:
                return _with_time(found[0], found[1], text)
    return None


def _with_time(day: datetime, grain: str, text: str) -> When:
    """The day with its clock time, where the text gives one."""
    for time in TIME.finditer(text) if grain == "day" else ():
        hour, minute, half = _time(time)
        if hour is not None and (at := _clock(day, hour, minute, half)) is not None:
            return When(at.isoformat(), "minute")
    return When(day.isoformat(), grain)


def _time(match: re.Match[str]) -> tuple[int | None, int, str]:
    if match[1] is not None:
        half = match[3] or ""
        return (int(match[1]) if match[2] or half else None), int(match[2] or 0), half
    if match[4] is not None:
        return int(match[4]), int(match[5]), match[6] or ""
    return int(match[7]), 0, match[8]

