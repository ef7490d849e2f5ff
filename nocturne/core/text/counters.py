"""Years, months, days, hours and counters of Chinese and Japanese, which follow their number without a space."""

from __future__ import annotations

from collections.abc import Sequence

from nocturne.core.text.dates import iso
from nocturne.core.text.lexicon import Tongue
from nocturne.core.text.parts import Joined, Line, Part, number_part

_YEAR_DIGITS = 4
_HOURS, _MINUTES, _NOON = 24, 60, 12
_MOST = 5
_LONGEST = 9
_SHAPES = (("年月日", 3), ("年月", 2), ("月日", 2))
_DAYS = str.maketrans("号號", "日日")


class Counters:
    """The counters of one language: marks to units, and the words that make an hour one of the afternoon."""

    def __init__(self, tongue: Tongue) -> None:
        self._units = tongue.table("unspaced")
        self._afternoon = tongue.table("afternoon")

    def join(self, line: Line, i: int, found: Line) -> Joined | None:
        """The quantity that begins at a number, or None. ``found`` is what was read before it."""
        parts = line.parts
        if parts[i].kind != "number":
            return None
        sequence = _counted(parts, i)
        shape = "".join(mark for _, mark, _ in sequence).translate(_DAYS)
        numbers = [number for number, _, _ in sequence]
        for marks, length in _SHAPES:
            if shape.startswith(marks):
                year = numbers[0] if marks[0] == "年" else None
                month = numbers[1] if marks[0] == "年" else numbers[0]
                form = iso(year, month, numbers[length - 1] if marks[-1] == "日" else None)
                if form is not None:
                    return _consumed(line, i, sequence[length - 1][2], 1, ("literal", form))
        if shape[:1] == "年" and len(parts[i].number) == _YEAR_DIGITS:
            return _consumed(line, i, i + 1, 1, ("number", parts[i].number))
        if shape[:1] in ("時", "时", "点", "點") and numbers[0] < _HOURS:
            return self._clock(line, i, sequence, found)
        following = parts[i + 1] if i + 1 < len(parts) else None
        if following is not None and following.kind == "unspaced":
            for mark, unit in self._units.items():
                if following.form.startswith(mark):
                    return _consumed(line, i, i + 1, len(mark), ("literal", f"{parts[i].number} {unit}"))
        return None

    def _clock(self, line: Line, i: int, sequence: Sequence[tuple[int, str, int]], found: Line) -> Joined:
        """An hour with its minutes or its half, moved by the *afternoon* that stands before it."""
        parts = line.parts
        hour, minute, at, length = sequence[0][0], 0, sequence[0][2], 1
        behind = parts[at].form[1:2]
        if len(sequence) > 1 and sequence[1][1] == "分" and sequence[1][0] < _MINUTES:
            minute, at = sequence[1][0], sequence[1][2]
        elif behind == "半":
            minute, length = 30, 2
        elif behind in ("钟", "鐘", "整"):
            length = 2
        for mark, shift in self._afternoon.items():
            if found.parts and found.parts[-1].kind == "unspaced" and found.parts[-1].form.endswith(mark):
                if hour <= _NOON:
                    _take_back(found, len(mark))
                    hour = hour % _NOON + int(shift)
                break
        return _consumed(line, i, at, length, ("clock", f"{hour:02}:{minute:02}"))


def _take_back(found: Line, length: int) -> None:
    """Drop the last characters of what was read before."""
    before, start, end = found.parts.pop(), found.starts.pop(), found.ends.pop()
    if len(before.form) > length:
        found.add(before._replace(form=before.form[:-length]), (start, end - length))


def _consumed(line: Line, i: int, at: int, length: int, read: tuple[str, str]) -> Joined:
    """The joined part; what the last run holds beyond the mark is left standing for the next step."""
    kind, form = read
    surface, tied = line.parts[i].surface, line.parts[i].tied
    part = number_part(form, surface, tied=tied) if kind == "number" else Part(kind, form, surface=surface, tied=tied)
    start, last_start, last_end = line.starts[i], line.starts[at], line.ends[at]
    rest = line.parts[at].form[length:]
    if not rest:
        return Joined(part, (start, last_end), at - i + 1)
    line.parts[at] = line.parts[at]._replace(form=rest)
    line.starts[at] = last_start + length
    return Joined(part, (start, last_start + length), at - i)


def _counted(parts: Sequence[Part], i: int) -> list[tuple[int, str, int]]:
    """Number, mark and the mark's place, for as long as numbers and single marks follow one another."""
    found: list[tuple[int, str, int]] = []
    while i + 1 < len(parts) and parts[i].kind == "number" and len(found) < _MOST:
        if not parts[i].number.isdigit() or len(parts[i].number) > _LONGEST:
            break
        mark = parts[i + 1]
        if mark.kind != "unspaced":
            break
        found.append((int(parts[i].number), mark.form[0], i + 1))
        if len(mark.form) > 1:
            break
        i += 2
    return found
