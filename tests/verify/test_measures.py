"""verify.py reads texts as the product does, from the page and the stored lexicon alone."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nocturne.app.lexicons import default_lexicon
from nocturne.core.digest import canonical, plain
from nocturne.core.text import measures
from nocturne.core.text.analysis import analyse
from tests.verify.loaded import verify

LEXICON = default_lexicon()
STORED = verify.Lexicon(json.loads(canonical(plain(LEXICON.to_json()))))
ROOT = Path(__file__).parents[2]
WRITTEN = (
    "3 3rd 21st 5pm 5:30 1,200.50 1.200,50 3k 2.5m $ € £5 USD EUR km % 5mg mg 2024 1999 "
    "May March Jan john John's Ana O'Brien it's I'd haven't - -- — – ... . , ! ? : ; ( ) "
    "\" ' “ ” « » `code` x_y a.b.c foo() @me #12 C++ c# R&D AT&T U.S. e.g. /usr/bin ~/x "
    "https://a.b/c?d=1 a@b.co 1.2.3 v1.2 1.x -v --flag=3 $HOME 10-20 2024-03-05 "
    "2024-02-30 3/4/2024 13/4/24 4.5.2023 2024/5/6 14:30 25:00 ten twenty one hundred "
    "thousand and million first half user user's é ß Straße İ ı ñ ½ x² 10³ H₂O № ﬁ １２ ٣ "
    "二十三 年 月 日 三 十 時 半 分 今天 下午 我 私は 小时 Москва я года мая مرحبا أنا नमस्ते मैं สวัสดี 안녕 "
    "GPT-4 iPhone eBay McDonald NASA x>5 <= -> & ♥ 😀 been going to better done by was "
    "written is re-use twenty-four one-time state-of-the-art quatre-vingt-dix l'eau "
    "d'accord aujourd'hui 30 February 31 April"
)
PIECES = WRITTEN.split()
SPACES = (" ",) * 8 + ("", "-", ", ", ". ", "  ", "/", "\n", "\n- ", "\t", "\u00a0", "\u200d")


def differences(text: str) -> list[tuple[str, object, object]]:
    """Where the two readings of a text differ."""
    ours, theirs = verify.analysed(text, STORED), analyse(text, LEXICON)
    pairs = (
        ("tokens", ours.tokens, theirs.words),
        ("content", ours.content, theirs.content),
        ("values", ours.values, theirs.values),
        ("vocabulary", ours.vocabulary, theirs.vocabulary),
        ("names", ours.names, theirs.names),
        ("initials", ours.initials, theirs.initials),
    )
    return [(text[:200], one, two) for _, one, two in pairs if one != two]


def words_of_the_lexicon() -> list[str]:
    found: set[str] = set()

    def walk(value: Any) -> None:
        if isinstance(value, str):
            found.update(value.split())
        elif isinstance(value, dict):
            for key, item in value.items():
                walk(key)
                walk(item)
        elif isinstance(value, list):
            for item in value:
                walk(item)

    walk(STORED.held["languages"])
    return sorted(found)


VOCABULARY = words_of_the_lexicon()


def texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)


def texts_of(path: Path, most: int) -> Iterator[str]:
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines):
            if number >= most:
                return
            try:
                yield from texts_in(json.loads(line))
            except ValueError:
                yield from line.rstrip("\n").split("\t")


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=80))
def test_any_text(text: str) -> None:
    assert differences(text) == []


@pytest.mark.parametrize("seed", range(4))
def test_texts_of_every_language_and_every_kind_of_piece(seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(800):
        parts = []
        for _ in range(dice.randint(1, 12)):
            word = dice.choice(PIECES if dice.random() < 0.5 else VOCABULARY)
            word = word[:1].upper() + word[1:] if dice.random() < 0.3 else word
            parts += [word.upper() if dice.random() < 0.03 else word, dice.choice(SPACES)]
        assert differences("".join(parts)) == []


@pytest.mark.parametrize("folder", ["fixtures", "README.md"])
def test_texts_of_this_repository(folder: str) -> None:
    place = ROOT / folder
    files = [place] if place.is_file() else sorted(path for path in place.rglob("*.*") if path.is_file())
    found = [wrong for path in files for text in texts_of(path, 400) for wrong in differences(text)]
    assert found == []


@pytest.mark.corpus
def test_texts_of_the_corpus(corpus: Path) -> None:
    files = sorted(
        path
        for name in ("pairs", "cases", "datasets")
        for path in (corpus / name).rglob("*")
        if path.suffix in (".tsv", ".jsonl", ".json", ".txt") and path.is_file()
    )
    assert files
    seen = 0
    wrong: list[object] = []
    for path in files:
        whole = path.suffix == ".json"
        texts = texts_in(json.loads(path.read_text(encoding="utf-8"))) if whole else texts_of(path, 250)
        for number, text in enumerate(texts):
            if number >= 400:
                break
            seen += 1
            wrong += differences(text)
    assert seen > 1_000
    assert wrong[:5] == []


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from([*PIECES, *VOCABULARY[::37]]), max_size=9), st.randoms())
def test_similarity_and_names_beside_a_context(words: list[str], dice: random.Random) -> None:
    one = " ".join(words)
    dice.shuffle(words)
    two = ". ".join(words[: len(words) // 2 + 1])
    assert verify.similarity(one, two, STORED) == measures.similarity(one, two, LEXICON)
    wanted = {measures.fold(name) for name in measures.names(one, LEXICON, [two])}
    assert verify.names_of(one, STORED, [two]) == wanted


def test_the_table_of_the_gates() -> None:
    cases = (
        ("I live in Turku and read at night.", "User lives in Turku and reads at night.", 1),
        ("I live in Turku and read at night.", "I live in Vaasa and read at night.", Fraction(3, 4)),
        ("My stack is Airflow and Postgres.", "My stack is Airflow and Kubernetes.", Fraction(2, 3)),
        ("the and of", "I live in Lisbon.", None),
    )
    for one, two, share in cases:
        assert verify.similarity(one, two, STORED) == share


def test_a_long_text_is_read_up_to_its_limit() -> None:
    text = "one small word " * 2_000
    assert differences(text) == []
