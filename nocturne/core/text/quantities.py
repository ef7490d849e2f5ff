"""Join numbers with what belongs to them: units, money, days, months, years, hours.

The order of the steps is part of the measures: MEASURES.md, section "Quantities".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nocturne.core.text.counters import Counters
from nocturne.core.text.dates import iso, numeric_date, stamped_date
from nocturne.core.text.folding import fold
from nocturne.core.text.lexicon import Lexicon, Tongue
from nocturne.core.text.memo import LONGEST_KEPT
from nocturne.core.text.numerals import clock, shifted, unit_of
from nocturne.core.text.parts import QUANTITY, Joined, Line, Part, number_part

_YEAR_DIGITS = 4
_MEMO = 50_000
_COUNTED = frozenset({"number", "scaled", "range"})
TRIGGERS = frozenset({"number", "ordinal", "scaled", "range", "money", "stamp", "date", "clock"})
Reading = tuple[str, str, int]
"""Kind and form of what was read, and over how many parts."""


class Quantities:
    """Joins the parts of one language's quantities."""

    def __init__(self, tongue: Tongue, lexicon: Lexicon) -> None:
        self.tongue = tongue
        self.lexicon = lexicon
        self._joiners = tongue.words("date_joiners")
        self._money = lexicon.data["currencies"]
        self._money_words = tongue.table("currencies")
        self._day_dot = bool(tongue.data.get("day_dot"))
        self._idle: dict[str, bool] = {}
        self._counters = Counters(tongue) if tongue.table("unspaced") else None

    def hot(
        self, parts: Sequence[Part], kinds: Sequence[str], notes: Sequence[int], noted: Iterable[int]
    ) -> list[int]:
        """At which of the places with a note a quantity, or a part of one that must change, may begin."""
        found = []
        for i in noted:
            if notes[i] & QUANTITY:
                kind = kinds[i]
                if kind == "number":
                    begins = not self._stands_alone(parts, kinds, i + 1)
                elif kind in TRIGGERS:
                    begins = True
                else:
                    part = parts[i]
                    begins = part.surface in self._money or (
                        part.number != "" and not self._is_undated(parts, kinds, i + 1)
                    )
                if begins:
                    found.append(i)
        return found

    def _is_undated(self, parts: Sequence[Part], kinds: Sequence[str], after: int) -> bool:
        """Whether a month is followed by nothing that can be its day or year, or lead to them: most are."""
        if after >= len(kinds):
            return True
        kind = kinds[after]
        if kind == "word":
            return parts[after].form not in self._joiners
        return kind == "mark" and parts[after].form != ","

    def join(self, line: Line, hot: Sequence[int]) -> Line:
        """The parts with every quantity in one part, kind ``literal``, ``clock`` or ``number``.

        ``hot`` are the places where one may begin.
        """
        if not hot:
            return line
        parts = line.parts
        found = Line([], [], [])
        done = 0
        for i in hot:
            if i < done:
                continue
            if self._counters is not None and i > done:
                # Counters look back on what was read before them.
                found.extend(line, done, i)
                done = i
            joined = self._one(line, i, found)
            if joined is not None:
                found.extend(line, done, i)
                found.add(joined.part, joined.span)
                done = i + joined.taken
        if not done:
            return line
        found.extend(line, done, len(parts))
        return found

    def _stands_alone(self, parts: Sequence[Part], kinds: Sequence[str], after: int) -> bool:
        """Whether a number is followed by a word that no quantity goes on with, or by a mark: most are."""
        if after >= len(kinds):
            return True
        kind = kinds[after]
        if kind == "mark":
            return not self._day_dot or parts[after].form != "."
        if kind != "word":
            return False
        following = parts[after]
        if following.number:
            return False
        surface = following.surface
        known = self._idle.get(surface)
        if known is None:
            known = self._is_idle(surface, following.form)
            if len(self._idle) < _MEMO and len(surface) <= LONGEST_KEPT:
                self._idle[surface] = known
        return known

    def _is_idle(self, surface: str, form: str) -> bool:
        table, folded = self.tongue.table, fold(surface)
        if form in self._joiners or surface in self._money:
            return False
        if any(
            folded in table(kind) or form in table(kind) for kind in ("currencies", "clock_words", "scales")
        ):
            return False
        return unit_of(surface, self.tongue, self.lexicon) is None and form not in table("units")

    def _one(self, line: Line, i: int, found: Line) -> Joined | None:
        """Try each reading in its order; the first that holds is taken."""
        part = line.parts[i]
        if part.kind in ("stamp", "date"):
            form = stamped_date(part.form) if part.kind == "stamp" else numeric_date(part.form, self.tongue)
            return Joined(part._replace(kind="literal", form=form), (line.starts[i], line.ends[i]), 1)
        if self._counters is not None:
            joined = self._counters.join(line, i, found)
            if joined is not None:
                return joined
        read = (
            self._date(line.parts, i)
            or self._amount(line.parts, i)
            or self._hour(line.parts, i)
            or self._measure(line.parts, i)
        )
        if read is None:
            return None
        kind, form, taken = read
        last = i + taken - 1
        if kind == "number":
            made = number_part(form, part.surface, tied=part.tied)
        else:
            made = Part(kind, form, surface=part.surface, tied=part.tied)
        return Joined(made, (line.starts[i], line.ends[last]), taken)

    def _date(self, parts: Sequence[Part], i: int) -> Reading | None:
        """Day and month in either order, with or without a year; month and year."""
        day = _day(parts[i])
        if day is not None:
            at = self._over(parts, i + 1, dot=self._day_dot)
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
        return None if form is None else ("literal", form, at - i + 1)

    def _dated(self, parts: Sequence[Part], i: int, last: int, month: int, day: int) -> Reading | None:
        year, at = self._year(parts, last + 1)
        form = iso(year, month, day)
        if form is None and year is not None:
            year, at = None, last
            form = iso(None, month, day)
        if form is None:
            return None
        end = at if year is not None else last
        return "literal", form, end - i + 1

    def _year(self, parts: Sequence[Part], at: int) -> tuple[int | None, int]:
        """A number of four digits, after a comma or a joining word or neither, and where it stands."""
        if at < len(parts) and parts[at].kind == "mark" and parts[at].form == ",":
            at += 1
        else:
            at = self._over(parts, at, dot=False)
        if at < len(parts) and parts[at].kind == "number":
            digits = parts[at].number
            if len(digits) == _YEAR_DIGITS and digits.isdigit() and digits[0] in "12":
                year_word = parts[at + 1].form if at + 1 < len(parts) else ""
                return int(digits), at + 1 if year_word in self.tongue.words("date_suffixes") else at
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

    def _amount(self, parts: Sequence[Part], i: int) -> Reading | None:
        """A currency before or after its number."""
        part = parts[i]
        code = self._money.get(part.surface)
        if code is not None and part.kind in ("money", "word"):
            if i + 1 < len(parts) and parts[i + 1].kind in _COUNTED | {"literal"}:
                number, count = self._scaled(parts, i + 1)
                if number is not None:
                    return "literal", f"{number} {code}", count + 1
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
        return "literal", f"{number} {code}", count + 1

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

    def _hour(self, parts: Sequence[Part], i: int) -> Reading | None:
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
        return "clock", time, 2

    def _measure(self, parts: Sequence[Part], i: int) -> Reading | None:
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
            return "literal", f"{number} {unit}", count + 1
        if count > 1:
            return "number", number, count
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


def _day(part: Part) -> int | None:
    if part.kind in ("number", "ordinal") and part.number.isdigit() and len(part.number) <= 2:
        day = int(part.number)
        return day if 1 <= day <= 31 else None
    return None


def _month(parts: Sequence[Part], at: int) -> int | None:
    if at < len(parts) and parts[at].kind == "word" and parts[at].number:
        return int(parts[at].number)
    return None
