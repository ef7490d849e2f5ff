from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nocturne.app.lexicons import default_lexicon
from nocturne.core.text.analysis import analyse
from nocturne.core.text.folding import LIMIT, clean, spell
from nocturne.core.text.lexing import cut
from nocturne.core.text.measures import coverage, names, similarity, stem, values
from nocturne.core.text.memo import Memo
from nocturne.core.text.parts import MAY_BE_LEFT_OUT, Line
from nocturne.core.text.wording import Wording, speaker_words

LEXICON = default_lexicon()
raw = analyse.__wrapped__

LETTERS = st.text(
    alphabet=st.characters(codec="utf-8")
    | st.sampled_from("0123456789-.,:/'`\"\n @#$€%+_()年月日時的我はないعمо ёe\u0301\u200b")
)
FRAGMENTS = (
    "The user's I'm don't 15 March 2026 2:15 p.m. €40 5mg 30 s v1.2.3 `x y` ~/.a/b --dry-run user twenty-four hour "
    'two hundred and five U.S. Dr. Ana\'s JavaScript is called by 6-8 10k million 3,5 1,200 I am; "Ben" 我在3月 '
    "三人 ёлка مَدرسة तीन ²¹⁰ ½ − ９ http://a.b/c a@b.cd x>=5 &"
)
WRITTEN = st.lists(st.sampled_from(FRAGMENTS.split(" ")), max_size=14).map(" ".join)


@given(LETTERS | WRITTEN)
@settings(max_examples=400, deadline=None)
def test_any_text_is_analysed_and_its_ranges_hold(text: str) -> None:
    read = analyse(text, LEXICON)
    for token in read.tokens:
        assert 0 <= token.start <= token.end <= len(text)
        assert token.form
        assert token.stem
    assert [t.form for t in read.tokens if t.kind != "punct"] == list(read.words)
    flat = [at for first, last in read.sentences for at in range(first, last)]
    assert flat == list(range(len(read.tokens)))
    assert read.content <= read.vocabulary
    assert read.values <= frozenset(read.words)
    starts = [token.start for token in read.tokens]
    assert starts == sorted(starts)


@given(LETTERS | WRITTEN)
@settings(max_examples=300, deadline=None)
def test_composed_and_decomposed_spellings_read_alike(text: str) -> None:
    composed = analyse(unicodedata.normalize("NFC", text), LEXICON)
    apart = analyse(unicodedata.normalize("NFD", text), LEXICON)
    if len(unicodedata.normalize("NFD", text)) <= LIMIT:
        assert composed.words == apart.words
        assert composed.names == apart.names
        assert composed.content == apart.content


@given(LETTERS)
@settings(max_examples=300, deadline=None)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    once = spell(text)
    assert spell(once) == once


@given(st.text(max_size=30), st.sampled_from(["en", "es", "fr", "de", "ru", "und"]))
@settings(max_examples=400, deadline=None)
def test_a_stem_is_its_own_stem(word: str, language: str) -> None:
    once = stem(word, LEXICON, language)
    assert stem(once, LEXICON, language) == once


def test_every_listed_stem_is_its_own_stem() -> None:
    for language, tongue in LEXICON.tongues.items():
        for word in (*tongue.table("stems"), *tongue.table("agreement"), *tongue.markers):
            once = stem(word, LEXICON, language)
            assert stem(once, LEXICON, language) == once, (language, word)


@given(WRITTEN, WRITTEN)
@settings(max_examples=150, deadline=None)
def test_measures_stay_within_their_bounds(a: str, b: str) -> None:
    score = similarity(a, b, LEXICON)
    assert score is None or 0 <= score <= 1
    assert score == similarity(b, a, LEXICON)
    own = coverage(a, [a, b], LEXICON)
    assert own.missing == ()
    assert names(a, LEXICON) <= names(a, LEXICON, [b])
    assert values(a, LEXICON) == values("  " + a + " ", LEXICON)


@pytest.mark.parametrize(
    "hostile",
    [
        "a" * LIMIT,
        "a-" * (LIMIT // 2),
        "a." * (LIMIT // 2),
        "_" * LIMIT,
        "/" * LIMIT,
        "a/" * (LIMIT // 2),
        "1-" * (LIMIT // 2) + "x",
        "1." * (LIMIT // 2) + "x",
        "`" * LIMIT,
        "`a" * (LIMIT // 2),
        "www." * (LIMIT // 4),
        "'" * LIMIT,
        "a'" * (LIMIT // 2),
        "@" * LIMIT,
        "\n" * LIMIT,
        "twenty " * (LIMIT // 7),
        "the user " * (LIMIT // 9),
        "十" * LIMIT,
        "我" * LIMIT,
        "e\u0301" * (LIMIT // 2),
        "\u0301" * LIMIT,
        "¹" * LIMIT,
        "15 March " * (LIMIT // 9),
        "is called by " * (LIMIT // 13),
        "$1m " * (LIMIT // 4),
        "年1月" * (LIMIT // 3),
        "9" * 5000 + "年1月",
        "9" * 5000 + " million",
        "$" + "9" * 5000 + "m",
    ],
    ids=range(29),
)
def test_hostile_texts_take_linear_time(hostile: str) -> None:
    def spent(text: str) -> float:
        def once() -> float:
            begun = time.process_time()
            raw(text, LEXICON)
            return time.process_time() - begun

        return min(once() for _ in range(2))

    raw(hostile, LEXICON)
    whole = spent(hostile)
    if whole >= 1.5:
        # A busy machine is slow in all it does: what is linear still takes half as long for half the text.
        half = spent(hostile[: len(hostile) // 2])
        assert whole < 3 * half, f"{whole:.2f} s for {len(hostile)} characters, {half:.2f} s for half of them"


def test_what_is_beyond_the_limit_is_not_judged() -> None:
    read = analyse("word " * LIMIT, LEXICON)
    assert not read.judged
    assert analyse("The cat sleeps.", LEXICON).judged


@given(LETTERS | WRITTEN, st.sampled_from([None, "Ana", "Marie Curie"]))
@settings(max_examples=150, deadline=None)
def test_what_is_remembered_of_stretches_reads_as_piece_by_piece(text: str, speaker: str | None) -> None:
    """Every stretch that is kept ready becomes what it becomes where each piece is read beside its neighbours."""
    cleaned, _ = clean(text)
    for tongue in (LEXICON.of("en"), LEXICON.of("fr"), LEXICON.of("ar"), LEXICON.nobody):
        wording = Wording(tongue, LEXICON)
        who = speaker_words(speaker)
        whole, slowly = cut(cleaned), Line([], [], [])
        at = 0
        while at < len(whole.stretches):
            at += wording.in_context(whole, at, slowly, who)
        ready = wording.read(cut(cleaned), who)
        assert ready[1:] == slowly[1:]
        assert [part._replace(written="") for part in ready.parts] == [
            part._replace(written="") for part in slowly.parts
        ]
        assert wording.parts(cut(cleaned), who) == ready.parts
        for part, start, end in zip(*ready, strict=True):
            assert part.written == cleaned[start:end]


@given(LETTERS | WRITTEN, st.sampled_from([None, "Ana", "Marie Curie"]))
@settings(max_examples=150, deadline=None)
def test_a_token_is_written_as_its_range_says(text: str, speaker: str | None) -> None:
    """What is kept of a part, and the ranges that are only made when they are asked for, agree."""
    read = analyse(text, LEXICON, speaker)
    surfaces = [read.surface(at) for at in range(len(read.forms))]
    assert surfaces == [text[start:end] for start, end in zip(read.starts, read.ends, strict=True)]
    assert surfaces == [token.surface for token in read.tokens]


@given(LETTERS | WRITTEN)
@settings(max_examples=150, deadline=None)
def test_what_does_not_bend_is_taken_as_it_is(text: str) -> None:
    """The gates look only at tokens that bend: the rest is no mark, no subject, and nothing that may be left out."""
    read = analyse(text, LEXICON)
    for at in set(range(len(read.forms))) - set(read.bending):
        assert read.kinds[at] not in ("punct", "subject")
        if read.kinds[at] == "word":
            assert read.forms[at] not in MAY_BE_LEFT_OUT
            assert not read.forms[at].endswith("s")


def test_memories_stay_bounded_however_many_words_come() -> None:
    memo = Memo(str.upper, room=100)
    for number in range(1_000):
        assert memo[f"w{number}"] == f"W{number}"
        assert len(memo) <= 100
    assert memo["x" * 65] == "X" * 65
    assert "x" * 65 not in memo
