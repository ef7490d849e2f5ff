"""When something happened, as far as its words and the moment they were said can tell. The text is not touched.

Weeks start on Monday. A date without a year takes the year that puts it nearest to the anchor on the side
that the tense asks for. Without an anchor a relative date resolves to nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class When:
    """The start of the period that is meant, ISO, and how wide it is (minute, day, week, month, season, year)."""

    at: str
    grain: str


def moment(micros: int) -> datetime:
    """Microseconds since the epoch as a UTC time."""
    return EPOCH + timedelta(microseconds=micros)


STAMP = re.compile(
    r"\A\s*[\[(](\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?\s?(?:Z|UTC|[+-]\d\d:?\d\d)?)?[\])]:?\s*"
)


def stamp(text: str) -> tuple[datetime | None, int]:
    """A date stamp that opens the turn, and where the text goes on after it."""
    match = STAMP.match(text)
    if match is None:
        return None, 0
    found = _day(int(match[1]), int(match[2]), int(match[3]))
    if found is None:
        return None, 0
    if match[4]:
        found = _clock(found, int(match[4]), int(match[5])) or found
    return found, match.end()


MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan enero janvier janeiro januar января январь",
            "february feb febrero février fevereiro februar февраля февраль",
            "march mar marzo mars março märz марта март",
            "april apr abril avril апреля апрель",
            "may mayo mai maio мая май",
            "june jun junio juin junho juni июня июнь",
            "july jul julio juillet julho juli июля июль",
            "august aug agosto août августа август",
            "september sep sept septiembre septembre setembro сентября сентябрь",
            "october oct octubre octobre outubro oktober октября октябрь",
            "november nov noviembre novembre novembro ноября ноябрь",
            "december dec diciembre décembre dezembro dezember декабря декабрь",
        ),
        start=1,
    )
    for name in names.split()
}
WEEKDAYS = {
    name: number
    for number, names in enumerate(
        (
            "monday mon lunes lundi segunda-feira segunda montag понедельник",
            "tuesday tue tues martes mardi terça-feira terça dienstag вторник",
            "wednesday wed miércoles mercredi quarta-feira quarta mittwoch среду среда",
            "thursday thu thurs jueves jeudi quinta-feira quinta donnerstag четверг",
            "friday fri viernes vendredi sexta-feira sexta freitag пятницу пятница",
            "saturday sat sábado samedi samstag субботу суббота",
            "sunday sun domingo dimanche sonntag воскресенье",
        )
    )
    for name in names.split()
}
NUMBERS = {
    word: number
    for number, words in (
        (1, "a an one un una une ein eine einem einer um uma один одну"),
        (2, "two couple dos deux zwei dois duas два две"),
        (3, "three tres trois drei três три"),
        (4, "four few cuatro quatre vier quatro четыре"),
        (5, "five cinco cinq fünf пять"),
        (6, "six seis sechs шесть"),
        (7, "seven siete sept sieben sete семь"),
        (8, "eight ocho huit acht oito восемь"),
        (9, "nine nueve neuf neun nove девять"),
        (10, "ten diez dix zehn dez десять"),
        (11, "eleven"),
        (12, "twelve doce douze zwölf doze"),
    )
    for word in words.split()
}
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
UNITS = {
    name: unit
    for unit, names in (
        ("minute", "minute minutes min mins"),
        ("hour", "hour hours hr hrs hora horas heure heures stunde stunden час часа часов"),
        ("day", "day days día días jour jours tag tage tagen dia dias день дня дней"),
        ("week", "week weeks weekend weekends semana semanas semaine semaines woche wochen неделю недели недель"),
        ("month", "month months mes meses mois monat monate monaten mês месяц месяца месяцев"),
        ("year", "year years yr yrs año años an ans année années jahr jahre jahren ano anos год года лет"),
    )
    for name in names.split()
}

_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY_NAME = "|".join(sorted(WEEKDAYS, key=len, reverse=True))
_UNIT = "|".join(sorted(UNITS, key=len, reverse=True))
_NUMBER = r"\d{1,3}|" + "|".join(sorted(NUMBERS, key=len, reverse=True))

RULES = re.compile(
    rf"""
    (?P<iso>\b(\d{{4}})-(\d\d)-(\d\d)\b)
  | (?P<hanzi>(?:(\d{{4}})年)?(\d{{1,2}})月(\d{{1,2}})[日号])
  | (?P<slash>\b(\d{{4}})/(\d{{1,2}})/(\d{{1,2}})\b)
  | (?P<dmy>\b(\d{{1,2}})(?:st|nd|rd|th|\.|º)?\s+(?:of\s+|de\s+)?({_MONTH})\b\.?(?:,?\s+(?:de\s+|of\s+)?(\d{{4}})\b)?)
  | (?P<mdy>\b({_MONTH})\.?\s+(?:the\s+)?(\d{{1,2}})(?:st|nd|rd|th)?\b(?!\s*(?:am|pm|:\d))(?:,?\s+(\d{{4}})\b)?)
  | (?P<my>\b(?:in|last|next|this|on|of|en|im|em|в|by|until|around|early|late)\s+(?:early\s+|late\s+|mid-?)?({_MONTH})\b(?!\s+(?:the\s+)?\d{{1,2}}(?:st|nd|rd|th)?\b)(?:,?\s+(?:de\s+)?(\d{{4}})\b)?)
  | (?P<ago>\b(?P<ago_n>{_NUMBER})(?:\s+of)?\s+(?P<ago_u>{_UNIT})\s+(?:ago|back|earlier|atrás|назад)\b)
  | (?P<hace>\b(?:hace|há|vor|il\s+y\s+a|через_)\s+(?P<hace_n>{_NUMBER})\s+(?P<hace_u>{_UNIT})\b)
  | (?P<within>\b(?:in|dentro\s+de|dans|daqui\s+a|через)\s+(?:about\s+|around\s+)?(?P<in_n>{_NUMBER})(?:\s+of)?\s+(?P<in_u>{_UNIT})(?:'s?\s+time)?\b)
  | (?P<fromnow>\b(?P<fn_n>{_NUMBER})\s+(?P<fn_u>{_UNIT})\s+from\s+now\b)
  | (?P<dayafter>\bday\s+after\s+tomorrow\b|\bpasado\s+mañana\b|\bübermorgen\b|\baprès-demain\b|послезавтра|后天|明後日)
  | (?P<daybefore>\bday\s+before\s+yesterday\b|\banteayer\b|\bvorgestern\b|\bavant-hier\b|\banteontem\b|позавчера|前天|一昨日)
  | (?P<yesterday>\b(?:yesterday|ayer|hier|ontem)\b|\bgestern\b|\bвчера\b|昨天|昨日|\bأمس\b|\bامبارح\b|कल\s+ही)
  | (?P<tomorrow>\b(?:tomorrow|tmrw|demain|amanhã)\b|\bmañana\b(?!\s+por)|\bmorgen\b|\bзавтра\b|明天|明日|\bغدا\b|\bغدًا\b)
  | (?P<lastnight>\b(?:last\s+night|anoche)\b)
  | (?P<today>\b(?:today|tonight|this\s+(?:morning|afternoon|evening)|hoy|heute|aujourd'hui|hoje)\b|\bсегодня\b|今天|今日|今朝|\bاليوم\b|\bआज\b)
  | (?P<weekend>\b(?P<we_d>last|this|next|this\s+past|past)\s+weekend\b)
  | (?P<lastday>\b(?:last|this\s+past|past)\s+(?P<ld>{_DAY_NAME})\b|\b(?P<ld2>{_DAY_NAME})\s+(?:pasado|dernier|passada|passado)\b|\b(?:letzten|letzte|прошлую|прошлый)\s+(?P<ld3>{_DAY_NAME})\b)
  | (?P<nextday>\b(?:next|coming)\s+(?P<nd>{_DAY_NAME})\b|\bpróximo\s+(?P<nd2>{_DAY_NAME})\b|\bnächsten\s+(?P<nd3>{_DAY_NAME})\b|\b(?P<nd4>{_DAY_NAME})\s+prochain\b)
  | (?P<lastunit>\b(?:last|past|previous)\s+(?P<lu>week|month|year)\b|\b(?:la\s+)?(?P<lu2>semana|mes|año|mês|ano|semaine|mois|année)\s+(?:pasad[oa]|passad[oa]|dernière?)\b|\b(?:letzte[nrs]?|прошл\w{{2,3}})\s+(?P<lu3>woche|monat|jahr|неделе|месяце|году)\b|(?P<lu4>上周|上个月|去年|先週|先月))
  | (?P<nextunit>\b(?:next|coming)\s+(?P<nu>week|month|year)\b|\b(?:la\s+)?(?:próxim[oa]\s+)?(?P<nu2>semana|mes|año|mês|ano)\s+(?:que\s+viene|que\s+vem)\b|\b(?P<nu3>semaine|mois|année)\s+prochaine?\b|\b(?:nächste[nrs]?|следующ\w{{2,3}})\s+(?P<nu4>woche|monat|jahr|неделе|месяце|году)\b|(?P<nu5>下周|下个月|明年|来週|来月|来年))
  | (?P<thisunit>\b(?:this|earlier\s+this|later\s+this)\s+(?P<tu>week|month|year)\b)
  | (?P<season>\b(?P<se_d>last|this|next)\s+(?P<se>spring|summer|autumn|fall|winter)\b)
  | (?P<bareday>\b(?:on|this|by|until|am|le|el|na|no|в|во)\s+(?P<bd>{_DAY_NAME})\b)
  | (?P<year>\b(?:in|en|em|im\s+Jahr|back\s+in|around|в)\s+((?:19|20)\d\d)\b(?!\s*(?:people|users|USD|dollars|items|lines|%)))
    """,
    re.VERBOSE | re.IGNORECASE,
)
TIME = re.compile(
    r"\b(?:at|by|um|a\s+las|à|às|в|for)\s+(\d{1,2})(?::(\d\d))?\s*(am|pm|a\.m\.|p\.m\.|uhr|h\b)?|\b(\d{1,2}):(\d\d)\s*(am|pm)?\b|\b(\d{1,2})\s*(am|pm)\b",
    re.IGNORECASE,
)
HINT = re.compile(
    r"\d|yester|tomor|today|tonight|last|next|this|ago|week|month|year|past|day\b|"
    r"janu|febr|march|april|\bmay\b|june|july|augu|septe|octob|novem|decem|"
    r"hoy|ayer|mañana|hace|hier|demain|aujourd|dernier|prochain|gestern|heute|morgen|letzt|nächst|vor\b|ontem|hoje|amanhã|passad|"
    r"próxim|вчера|завтра|сегодня|назад|прошл|следующ|через|[今昨明前后上下先来去後]|أمس|غد|اليوم|आज|कल|back\b|coming|weekend|enero|abril|agosto|em\b|en\b|im\b",
    re.IGNORECASE,
)
SKIP_BEFORE = re.compile(r"(?:since|desde|depuis|seit|с|until|till|from)\s+(?:early\s+|late\s+)?$", re.IGNORECASE)
FUTURE = re.compile(
    r"\b(?:will|'ll|going to|gonna|plan(?:s|ning)?|deadline|due|by|tomorrow|upcoming|next|scheduled|appointment|"
    r"must|need to|needs to|have to|has to|meeting|flight|exam|is on|are on|target)\b",
    re.IGNORECASE,
)


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


def _floor(time: datetime) -> datetime:
    return time.replace(hour=0, minute=0, second=0, microsecond=0)


def _shift(day: datetime, unit: str, count: int) -> datetime:
    if unit == "month":
        months = day.year * 12 + day.month - 1 + count
        year, month = divmod(months, 12)
        for last in (day.day, 30, 29, 28):
            found = _day(year, month + 1, last) if 1 <= year <= 9999 else None
            if found is not None:
                return found
        return day
    if unit == "year":
        return _shift(day, "month", 12 * count)
    days = count * 7 if unit == "week" else count
    return day + timedelta(days=days)


def _period(day: datetime, unit: str) -> datetime:
    if unit == "week":
        return day - timedelta(days=day.weekday())
    if unit == "month":
        return day.replace(day=1)
    return day.replace(month=1, day=1) if unit == "year" else day


def _number(word: str) -> int:
    return int(word) if word.isdigit() else NUMBERS[word.lower()]


def _near(anchor: datetime | None, month: int, day: int, future: bool) -> datetime | None:
    """The day of the year that lies on the side of the anchor which the tense asks for."""
    if anchor is None:
        return None
    found = [
        date
        for year in (anchor.year - 1, anchor.year, anchor.year + 1)
        if (date := _day(year, month, day)) is not None
    ]
    floor = _floor(anchor)
    side = [date for date in found if (date >= floor if future else date <= floor)]
    return min(side or found, key=lambda date: abs(date - floor)) if found else None


def _weekday(anchor: datetime, name: str, direction: int) -> datetime:
    gap = (WEEKDAYS[name.lower()] - anchor.weekday()) % 7
    if direction < 0:
        return anchor - timedelta(days=(7 - gap) if gap else 7)
    return anchor + timedelta(days=gap or (7 if direction > 0 else 0))


_KIND = {
    "semana": "week", "semaine": "week", "woche": "week", "неделе": "week", "上周": "week", "先週": "week",
    "下周": "week", "来週": "week", "mes": "month", "mês": "month", "mois": "month", "monat": "month",
    "месяце": "month", "上个月": "month", "先月": "month", "下个月": "month", "来月": "month",
    "año": "year", "ano": "year", "année": "year", "jahr": "year", "году": "year", "去年": "year",
    "明年": "year", "来年": "year",
}  # fmt: skip


def _kind(match: re.Match[str], *names: str) -> str:
    word = next(match[name] for name in names if match[name]).lower()
    return _KIND.get(word, word)


def _absolute(match: re.Match[str], anchor: datetime | None, future: bool) -> tuple[datetime | None, str] | None:
    if match["iso"] or match["slash"]:
        year, month, day = (int(part) for part in re.split(r"[-/]", match[0]))
        return _day(year, month, day), "day"
    if match["hanzi"]:
        parts = [int(part) for part in re.findall(r"\d+", match[0])]
        if len(parts) == 3:
            return _day(*parts), "day"
        return _near(anchor, parts[0], parts[1], future), "day"
    if match["dmy"] or match["mdy"]:
        words = re.findall(r"\w+", match[0].lower())
        month = next(MONTHS[word] for word in words if word in MONTHS)
        numbers = [int(digits[0]) for word in words if (digits := re.match(r"\d+", word))]
        day = numbers[0]
        if len(numbers) > 1:
            return _day(numbers[1], month, day), "day"
        return _near(anchor, month, day, future), "day"
    if match["my"]:
        words = re.findall(r"\w+", match[0].lower())
        month = next(MONTHS[word] for word in words if word in MONTHS)
        years = [int(word) for word in words if word.isdigit() and len(word) == 4]
        if years:
            return _day(years[0], month, 1), "month"
        if "may" in words and words[0] not in {"in", "last", "next", "this"}:
            return None, "month"
        return _near(anchor, month, 1, "last" not in words and (future or "next" in words)), "month"
    if match["year"]:
        return _day(int(match[0][-4:]), 1, 1), "year"
    return None


def _counted(match: re.Match[str], today: datetime) -> tuple[datetime, str] | None:
    for prefix, sign in (("ago", -1), ("hace", -1), ("in", 1), ("fn", 1)):
        if match[f"{prefix}_n"]:
            unit = UNITS[match[f"{prefix}_u"].lower()]
            if unit in {"minute", "hour"}:
                return today, "day"
            day = _shift(today, unit, sign * _number(match[f"{prefix}_n"]))
            return _period(day, unit), unit
    return None


_FIXED: dict[str, int] = {
    "dayafter": 2, "daybefore": -2, "yesterday": -1, "tomorrow": 1, "today": 0, "lastnight": -1,
}  # fmt: skip


def _relative(match: re.Match[str], anchor: datetime, future: bool) -> tuple[datetime, str] | None:
    today = _floor(anchor)
    for name, days in _FIXED.items():
        if match[name]:
            return today + timedelta(days=days), "day"
    if (counted := _counted(match, today)) is not None:
        return counted
    if match["weekend"]:
        saturday = today - timedelta(days=today.weekday()) + timedelta(days=5)
        step = {"next": 7, "this": 0}.get(match["we_d"].lower(), -7)
        if step < 0 and today.weekday() == 6:
            step = -7
        return saturday + timedelta(days=step), "day"
    if match["lastday"]:
        return _weekday(today, match["ld"] or match["ld2"] or match["ld3"], -1), "day"
    if match["nextday"]:
        return _weekday(today, match["nd"] or match["nd2"] or match["nd3"] or match["nd4"], 1), "day"
    if match["bareday"]:
        return _weekday(today, match["bd"], 0 if future else -1), "day"
    for name, groups, step in (
        ("lastunit", ("lu", "lu2", "lu3", "lu4"), -1),
        ("nextunit", ("nu", "nu2", "nu3", "nu4", "nu5"), 1),
        ("thisunit", ("tu",), 0),
    ):
        if match[name]:
            unit = _kind(match, *groups)
            return _period(_shift(_period(today, unit), unit, step), unit), unit
    if match["season"]:
        return _season(today, match["se"].lower(), match["se_d"].lower())
    return None


def _season(today: datetime, name: str, which: str) -> tuple[datetime, str]:
    start = today.replace(month=SEASONS[name], day=1)
    if which == "last" and _shift(start, "month", 3) > today:
        start = _shift(start, "year", -1)
    if which == "next" and start <= today:
        start = _shift(start, "year", 1)
    return start, "season"


def resolve(text: str, anchor: datetime | None) -> When | None:
    """The first time that the text names, or None where it names none or nothing anchors it."""
    if HINT.search(text) is None:
        return None
    future = FUTURE.search(text) is not None
    readers: tuple[Callable[[re.Match[str]], tuple[datetime | None, str] | None], ...] = (
        lambda match: _absolute(match, anchor, future),
        lambda match: _relative(match, anchor, future) if anchor is not None else None,
    )
    for match in RULES.finditer(text):
        if SKIP_BEFORE.search(text[max(0, match.start() - 16) : match.start()]):
            continue
        for reader in readers:
            found = reader(match)
            if found is not None and found[0] is not None:
                return _with_time(found[0], found[1], text)
    return None


def _with_time(day: datetime, grain: str, text: str) -> When:
    if grain == "day":
        for time in TIME.finditer(text):
            if time[1] is not None:
                hour, minute, half = int(time[1]), int(time[2] or 0), time[3] or ""
                if not time[2] and not half:
                    continue
            elif time[4] is not None:
                hour, minute, half = int(time[4]), int(time[5]), time[6] or ""
            else:
                hour, minute, half = int(time[7]), 0, time[8]
            at = _clock(day, hour, minute, half)
            if at is not None:
                return When(at.isoformat(), "minute")
    return When(day.isoformat(), grain)
