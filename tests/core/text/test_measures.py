from __future__ import annotations

from fractions import Fraction

import pytest

from nocturne.app.lexicons import default_lexicon
from nocturne.core.text.measures import content, coverage, names, similarity, stem

LEXICON = default_lexicon()


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (
            "I live in Lisbon and work best in the morning.",
            "User lives in Lisbon and works best in the morning.",
            Fraction(1),
        ),
        ("The user keeps a bearded dragon.", "The user keeps a bearded dragon called Saffron.", Fraction(1)),
        (
            "I live in Lisbon and work best in the morning.",
            "I live in Porto and work best in the morning.",
            Fraction(4, 5),
        ),
        ("My stack is Airflow and Postgres.", "My stack is Airflow and Kubernetes.", Fraction(2, 3)),
    ],
)
def test_the_table_of_similarities(a: str, b: str, expected: Fraction) -> None:
    assert similarity(a, b, LEXICON) == expected
    assert similarity(b, a, LEXICON) == expected


def test_an_empty_set_is_not_comparable() -> None:
    assert similarity("", "I live in Porto.", LEXICON) is None
    assert similarity("It is what it is.", "It is what it is.", LEXICON) is None


def test_sources_keep_their_stopwords() -> None:
    covered = coverage("The user uses Python.", ["use Python"], LEXICON)
    assert covered.is_whole
    assert covered.share == 1


def test_what_is_missing_is_named() -> None:
    covered = coverage("The user moved to Kraków by train.", ["The user moved by train."], LEXICON)
    assert covered.missing == ("kraków",)
    assert (covered.covered, covered.total) == (2, 3)


@pytest.mark.parametrize(
    ("text", "context", "expected"),
    [
        ("Marco moved to Lisbon in March, said Ana.", (), {"Marco", "Lisbon", "March", "Ana"}),
        ("Lisbon is nice. The weather is warm.", (), set()),
        ("Lisbon is nice. The weather is warm.", ("We flew to Lisbon in May.",), {"Lisbon"}),
        ('Note: Ruth is here. "Ben left" - said she', (), set()),
        ("We use NATS and PostgreSQL, NOT kafka.", (), {"NATS", "PostgreSQL"}),
        ("Oluchi's team met Oluchi.", (), {"Oluchi"}),
    ],
)
def test_names(text: str, context: tuple[str, ...], expected: set[str]) -> None:
    assert names(text, LEXICON, context) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("Lisbon's", "lisbon"),
        ("camps", "camp"),
        ("business", "business"),
        ("gas", "gas"),
        ("news", "news"),
        ("arms", "arms"),
        ("status", "status"),
        ("does", "does"),
        ("teaches", "teach"),
        ("caches", "cache"),
        ("studies", "study"),
        ("movies", "movie"),
        ("users'", "user"),
    ],
)
def test_stems(word: str, expected: str) -> None:
    assert stem(word, LEXICON) == expected


def test_stopwords_go_before_stemming() -> None:
    assert content("does", LEXICON) == frozenset()
