from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from nocturne.report.line import Line
from nocturne.report.page import Page, cells, clean, clip, fold


def test_controls_are_shown_not_obeyed() -> None:
    assert clean("a\x1b[31mb") == "a\\x1b[31mb"
    assert clean("user\u202egnp.exe") == "user\\u202egnp.exe"
    assert clean("two\nlines\tand a tab") == "two lines and a tab"
    assert clean("bell\x07") == "bell\\x07"


def test_joiners_that_scripts_need_stay() -> None:
    assert clean("👩\u200d💻 می\u200cخواهم") == "👩\u200d💻 می\u200cخواهم"


def test_square_brackets_are_text() -> None:
    page = Page(40)
    page.line("[bold]not markup[/bold]")
    assert page.plain == "[bold]not markup[/bold]\n"


@given(st.text(max_size=300), st.integers(20, 100))
def test_no_line_is_wider_than_the_page(text: str, width: int) -> None:
    page = Page(width)
    page.line(("m17 ", "cyan"), text, indent=2, hang=7)
    page.table([("m1", text), ("m204", text)])
    page.apart([text], ["episodes"])
    assert all(cell_len(line.plain) <= width for line in page.lines)


@given(st.text(alphabet="ab 漢字é", max_size=200), st.integers(4, 40))
def test_folding_keeps_every_character_but_the_breaks(text: str, room: int) -> None:
    lines = fold(text, room, room)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(cell_len(line) <= max(room, 2) for line in lines)


def test_clipping_shows_that_something_is_missing() -> None:
    assert clip("abcdef", 4) == "abc…"
    assert clip("漢字漢字", 5) == "漢字…"
    assert clip("abc", 4) == "abc"


def test_a_long_last_column_is_folded_under_itself() -> None:
    page = Page(20)
    page.table([("m1", "one two three four five")])
    assert page.plain == "  m1  one two three\n      four five\n"


@given(st.text(max_size=60))
def test_cells_are_counted_as_rich_counts_them(text: str) -> None:
    assert cells(text) == cell_len(text)


def test_every_character_that_is_taken_for_narrow_is() -> None:
    assert {char for char in map(chr, range(0x11000)) if cells(char) != cell_len(char)} == set()


STYLED = st.lists(
    st.tuples(st.text("ab \u00e9", max_size=6), st.sampled_from(["", "bold", "dim", "red"])), max_size=5
)


def drawn(text: Text) -> str:
    out = io.StringIO()
    Console(file=out, force_terminal=True, color_system="standard", width=200).print(text, soft_wrap=True)
    return out.getvalue()


@given(STYLED, STYLED, st.integers(0, 12), st.integers(0, 12))
def test_a_line_is_drawn_as_the_same_text_of_richs(
    one: list[tuple[str, str]], two: list[tuple[str, str]], start: int, stop: int
) -> None:
    start, stop = sorted((start, stop))
    line, text = Line(["  ", *one]), Text("  ").append_text(Text.assemble(*one))
    assert drawn(line.rich()) == drawn(text)
    assert drawn(line.between(start, stop).rich()) == drawn(text[start:stop])
    assert drawn(Line(["x"], "dim").add(Line(two)).rich()) == drawn(
        Text("x", "dim").append_text(Text.assemble(*two))
    )
    assert line.plain == text.plain
