"""A top-level JSON list, decoded one item at a time however large the file is."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from typing import Any

from nocturne.errors import InputUnreadable
from nocturne.formats.source import CHUNK, Record, Source

_DECODER = json.JSONDecoder()
_CUT_OFF = "export or copy it again"


def items(source: Source) -> Iterator[Record]:
    """The items of a top-level JSON list, decoded one at a time."""
    reader = _Window(source)
    reader.skip("[")
    index = 0
    if reader.next_char() == "]":
        reader.advance(1)
    else:
        while True:
            offset, value = reader.value()
            yield Record(offset, f"[{index}]", value)
            index += 1
            char = reader.next_char()
            if char not in (",", "]"):
                raise reader.broken(f"expected , or ] after item {index - 1}")
            reader.advance(1)
            if char == "]":
                break
    if reader.next_char():
        raise reader.broken("more text follows the end of the JSON list")


class _Window:
    """A sliding window of decoded text over a source, which knows the byte offset of its start."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._stream = source.stream()
        self._stream.seek(source.bom)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = ""
        self._at = 0
        self._offset = source.bom
        self._line = 1
        self._end = False

    def value(self) -> tuple[int, Any]:
        """The byte offset and the value of the JSON that begins here."""
        self.next_char()
        step = CHUNK
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                unfinished = error.msg.startswith("Unterminated string") or error.pos >= len(self._text) - 12
                if self._end or not unfinished:
                    raise self._failed(error) from error
            except (ValueError, RecursionError) as error:
                raise self.broken(f"a value cannot be read ({error})") from error
            else:
                if end < len(self._text) or self._end:
                    offset = self._offset
                    self._move(end - self._at)
                    return offset, value
            self._fill(step)
            step *= 2

    def next_char(self) -> str:
        """The next character that is not white space, not taken; empty at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in " \t\r\n":
                stop = self._at
                while stop < len(self._text) and self._text[stop] in " \t\r\n":
                    stop += 1
                self._move(stop - self._at)
            if self._at < len(self._text):
                return self._text[self._at]
            if self._end:
                return ""
            self._fill(CHUNK)

    def skip(self, char: str) -> None:
        """Take one expected character."""
        if self.next_char() != char:
            raise self.broken(f"expected {char}")
        self._move(1)

    def advance(self, count: int) -> None:
        """Take characters already looked at."""
        self._move(count)

    def broken(self, what: str) -> InputUnreadable:
        """The error for text that is no JSON list."""
        if self._end and self._at >= len(self._text):
            return self._source.refuse(
                f"the JSON ends early, at line {self._line}: the file is cut off", _CUT_OFF
            )
        return self._source.refuse(f"the JSON is malformed at line {self._line}: {what}")

    def _failed(self, error: json.JSONDecodeError) -> InputUnreadable:
        line = self._line + self._text.count("\n", self._at, error.pos)
        if self._end and (error.msg.startswith("Unterminated string") or error.pos >= len(self._text) - 1):
            return self._source.refuse(f"the JSON ends early, at line {line}: the file is cut off", _CUT_OFF)
        return self._source.refuse(f"the JSON is malformed at line {line}: {error.msg}")

    def _move(self, count: int) -> None:
        taken = self._text[self._at : self._at + count]
        self._line += taken.count("\n")
        # A replaced byte counts three here and one in the file: offsets behind damage are near, not exact.
        self._offset += len(taken) if taken.isascii() else len(taken.encode("utf-8", "surrogatepass"))
        self._at += count

    def _fill(self, count: int) -> None:
        chunk = self._stream.read(count)
        self._end = not chunk
        self._text = self._text[self._at :] + self._decoder.decode(chunk, final=self._end)
        self._at = 0
