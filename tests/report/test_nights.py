"""The page of many nights, at any width and with names of any length."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from nocturne.app.nights import Nights, StoreNight
from nocturne.report.data import nights as data
from nocturne.report.data import sleep as sleep_data
from nocturne.report.text import nights as text
from tests.report import samples

LONG = "/srv/agents/" + "support-" * 12 + "/memory.db"
TOLD = Nights(
    (
        StoreNight("a.db", 0, sleep_data.sleep(samples.SLEEP)),
        StoreNight("quiet.db", 0, sleep_data.sleep(samples.QUIET)),
        StoreNight("dry.db", 0, sleep_data.sleep(samples.DRY)),
        StoreNight("held.db", 1, sleep_data.sleep(samples.HELD_BACK)),
        StoreNight(LONG, 5, None, f"{LONG} is locked by another process", "wait until it ends"),
        StoreNight("\x1b[31m記憶.db", 130, None, "stopped before it began"),
    )
)


@pytest.mark.parametrize("width", [40, 80, 100])
def test_no_line_is_wider_than_the_page(width: int) -> None:
    room = text.column([night.db for night in TOLD.stores], width)
    pages = [text.one(night, room=room, width=width) for night in TOLD.stores]
    pages += [text.summary(TOLD, seconds=75.0, width=width)]
    pages += [text.working([LONG, "a.db"], done=1, of=6, width=width)]
    for page in pages:
        assert "\x1b" not in page.plain
        assert all(cell_len(line.plain) <= width for line in page.lines)
    assert LONG in "".join(pages[4].plain.split())


def test_a_night_in_a_few_words() -> None:
    words = [text.happened(night) for night in TOLD.stores]
    assert words[1] == "unchanged since s18, 3 facts active"
    assert words[2].startswith("dry run: ")
    assert "was refused whole: loss budget (--allow-loss lets it)" in words[3]
    assert words[4].startswith("error: /srv/")
    assert words[5] == "stopped before it began"


def test_the_sum_of_them() -> None:
    (line,) = text.summary(TOLD, seconds=75.0, width=100).lines
    said = "6 stores in 1 min 15 s: 3 done, 1 with exit 1, 1 with exit 5, 1 with exit 130 exit 130"
    assert " ".join(line.plain.split()) == said
    shape = data.nights(TOLD)
    assert shape["exit"] == 130
    assert [entry["exit_code"] for entry in shape["stores"]] == [0, 0, 0, 1, 5, 130]
    assert shape["stores"][4]["error"]["hint"] == "wait until it ends"
    assert shape["stores"][0]["error"] is None
