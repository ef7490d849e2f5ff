"""The page: what is in it, what is not, and that nothing of a store is ever markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from nocturne.app.chronicle import TAKEN_BACK, Asked, Chronicle, chronicle
from nocturne.core.acts import ERASED
from nocturne.core.facts import DAY
from nocturne.report.html.page import embedded, page
from nocturne.report.html.payload import payload
from nocturne.store import SqliteStore
from tests.app.making import LEXICON, POLICY, T0
from tests.report import telling
from tests.report.test_golden import held_against

GOLDEN = Path(__file__).parent / "golden"
NOW = T0 + 20 * DAY
MOST_BYTES = 5_000_000


def told(store: SqliteStore, upto: int | None = None) -> Chronicle:
    number = store.head().snapshot if upto is None else upto
    return chronicle(store, Asked(store.snapshot(number), NOW, POLICY, LEXICON))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteStore]:
    with telling.tale(tmp_path_factory.mktemp("tale")) as made:
        yield made


@pytest.fixture(scope="module")
def data(store: SqliteStore) -> dict[str, Any]:
    return payload(told(store), name="tale")


@pytest.fixture(scope="module")
def html(data: dict[str, Any]) -> str:
    return page(data)


def blocks(html: str, tag: str) -> list[str]:
    return re.findall(rf"<{tag}(?: [^>]*)?>(.*?)</{tag}>", html, re.DOTALL)


def test_the_data_of_a_small_store(data: dict[str, Any], request: pytest.FixtureRequest) -> None:
    # What is drawn at random stays out; everything else is the same on every machine.
    kept = {**data, "uuid": "", "head": [data["head"][0], ""]}
    lines = [f"{json.dumps(key)}: {_shown(value)}" for key, value in kept.items()]
    held_against(GOLDEN / "html.json", "{" + ",\n".join(lines) + "}\n", request)


def _shown(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], list | str):
        inner = ",\n ".join(json.dumps(each, ensure_ascii=False) for each in value)
        return f"[\n {inner}\n]"
    return json.dumps(value, ensure_ascii=False)


def test_data_reads_back_as_it_was_put_in(data: dict[str, Any], html: str) -> None:
    block = blocks(html, "script")[0]
    assert json.loads(block) == json.loads(json.dumps(data))


def test_data_can_neither_end_its_block_nor_open_a_comment() -> None:
    ugly = "</script><!-- <script> ]]> & \u2028 \u2029 {{style}}"
    text = embedded({"name": ugly})
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == {"name": ugly}


def test_a_placeholder_that_a_fact_says_stays_what_it_says() -> None:
    html = page({"name": "{{script}}", "texts": ["{{style}}", "{{data}}"]})
    assert blocks(html, "title") == ["{{script}} · nocturne"]
    assert json.loads(blocks(html, "script")[0])["texts"] == ["{{style}}", "{{data}}"]


def test_facts_that_hold_markup_are_in_the_data_alone(html: str) -> None:
    block = blocks(html, "script")[0]
    assert len(re.findall(r"<script", html)) == 2
    assert "document.title='ran'" in block
    assert "document.title='ran'" not in html.replace(block, "")
    assert "<img" not in html
    assert telling.ENDING.replace("\u2028", " ") in json.loads(block)["texts"]
    assert telling.HOSTILE in json.loads(block)["texts"]


def test_the_policy_lets_exactly_this_style_and_script_run(html: str) -> None:
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    assert found is not None
    rules = dict(rule.split(" ", 1) for rule in unescape(found[1]).split("; "))
    assert rules["default-src"] == "'none'"
    for tag, rule in (("style", "style-src"), ("script", "script-src")):
        digest = base64.b64encode(hashlib.sha256(blocks(html, tag)[-1].encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"
    assert "unsafe" not in found[1]


def test_nothing_is_asked_of_a_network(html: str) -> None:
    outside = html.replace(blocks(html, "script")[0], "")
    assert re.findall(r"\b(?:src|action|poster|srcset)=|@import|url\(|<link|<iframe|fetch\(", outside) == []
    assert re.findall(r'href="(?!#)', outside) == []
    assert set(re.findall(r"https?://[^\s'\"]+", outside)) == {"http://www.w3.org/2000/svg"}


def test_the_script_makes_no_markup(html: str) -> None:
    script = blocks(html, "script")[-1]
    banned = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser"
    assert re.findall(banned, script) == []


@pytest.mark.parametrize("upto", [None, 1, 12])
def test_what_was_taken_back_is_not_in_the_page(store: SqliteStore, upto: int | None) -> None:
    html = page(payload(told(store, upto), name="tale"))
    for words in (telling.SECRET, "48213", "locker", telling.GONE, "Orsolya", "Quince", "Between us"):
        assert words not in html, words
    assert telling.ASIDE in html


def test_taken_back_facts_still_stand_in_the_history(data: dict[str, Any]) -> None:
    assert data["withheld"] == [telling.CODE, telling.BET]
    texts = {id_: data["texts"][line["t"]] for _, id_, line in data["versions"] if "t" in line}
    assert texts[telling.CODE] == ERASED
    assert texts[telling.BET] == TAKEN_BACK
    assert texts[telling.PLAN] == telling.ASIDE


def test_quarantined_facts_are_marked(data: dict[str, Any]) -> None:
    (first, *_) = [line for _, id_, line in data["versions"] if id_ == telling.ODD]
    assert data["texts"][first["z"]] == "imperative"


def test_an_earlier_version_knows_nothing_of_what_came_later(store: SqliteStore) -> None:
    upto = store.snapshot(4)
    earlier = payload(told(store, 4), name="tale")
    assert [each[0] for each in earlier["snapshots"]] == [0, 1, 2, 3, 4]
    assert max(each[0] for each in earlier["versions"]) <= upto.seq
    assert max(each[0] for each in earlier["mutations"]) <= upto.seq


def test_every_text_stands_once(data: dict[str, Any]) -> None:
    assert [text for text in data["texts"] if data["texts"].count(text) > 1 and text != TAKEN_BACK] == []


def test_a_turn_that_also_says_what_was_taken_back_shows_its_cited_words_alone(tmp_path: Path) -> None:
    from tests.app.making import id_of, new_store, taken_back
    from tests.report.telling import ingested

    turn = "I paint boats, and I owe Zeno money."
    said = [(turn, "I paint boats", "fact"), (turn, "I owe Zeno money", "fact")]
    with new_store(tmp_path) as store:
        ingested(store, [(turn, said[0][1], "fact")], at=T0)
        before = page(payload(told(store), name="x"))
        assert "owe Zeno" in before
        ingested(store, [(turn + " Truly.", said[1][1], "fact")], at=T0 + DAY)
        taken_back(store, id_of(store, "owe Zeno"))
        found = payload(told(store), name="x")
    quotes = [[found["texts"][place] for place in quote[5:]] for quote in found["quotes"]]
    assert any(words == "I paint boats" for quote in quotes for words in quote)
    assert not [words for quote in quotes for words in quote if "Zeno" in words]


def test_the_command_writes_the_page_and_never_over_a_store(
    store: SqliteStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from nocturne.cli import main

    common = ("report", "--db", str(store.path), "--now", "2026-02-22")
    assert main.run((*common, "--html", "a.html", "--at", "s12", "--json")) == 0
    written = json.loads(capsys.readouterr().out)
    html = Path("a.html").read_text(encoding="utf-8")
    assert written == {
        "html": "a.html",
        "bytes": len(html.encode()),
        "upto": "s12",
        "facts": 14,
        "versions": 13,
    }
    assert json.loads(blocks(html, "script")[0])["upto"] == 12
    assert main.run((*common, "--html", "-")) == 0
    assert capsys.readouterr().out.startswith("<!doctype html>")
    before = store.path.read_bytes()
    assert main.run((*common, "--html", str(store.path))) == 2
    assert store.path.read_bytes() == before


@pytest.mark.slow
def test_ten_thousand_facts_stay_under_five_megabytes(tmp_path: Path) -> None:
    with telling.large(tmp_path, 10_000) as store:
        html = page(payload(told(store), name="large"))
        assert len(html.encode()) < MOST_BYTES
        assert store.size() > 8_000
