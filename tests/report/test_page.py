from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from nocturne.report.page import Page, clean, clip, fold


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
