"""Attitudes that turned, and pairs in which both can stay."""

from __future__ import annotations

import pytest

from nocturne.app.lexicons import default_lexicon
from nocturne.app.policies import load
from nocturne.core.meaning import Fails, Holds, Said, clash_key, judge_contradict

LEXICON = default_lexicon()


def judged(old: str, new: str) -> Holds | Fails:
    return judge_contradict(
        Said(old, said_at=1),
        Said(new, said_at=2),
        lexicon=LEXICON,
        single_valued=load("default").contradict.single_valued,
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "I don't like to drink herbal tea, because it is bland.",
            "I'm quite excited to explore more herbal tea.",
        ),
        (
            "I do not like to wear wool hats.",
            "I am really excited about incorporating these stylish wool hats.",
        ),
        (
            "I don't like board games.",
            "I was initially skeptical about board games, but Ines changed my mind.",
        ),
        ("I love tinned fish.", "I dislike tinned fish."),
        ("I enjoy opera.", "I hate opera."),
        ("I don't like to play badminton.", "I love badminton."),
    ],
)
def test_a_later_opposite_attitude_ends_the_earlier(old: str, new: str) -> None:
    assert isinstance(judged(old, new), Holds)
    assert set(clash_key(Said(old), lexicon=LEXICON)) & set(clash_key(Said(new), lexicon=LEXICON))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I don't like watching football.", "I love playing football."),
        ("I don't like cats.", "I'm excited about my sister's cats."),
        ("I don't like jazz.", "I'm excited about this jazz concert."),
        ("I like tea.", "I like coffee."),
        ("I like tea.", "I don't like coffee."),
        ("I like rye bread.", "My sister hates rye bread."),
        ("I like board games.", "I was skeptical about board games."),
        ("I don't like board games.", "I would be excited about board games if they were shorter."),
        ("I don't like opera.", "Do I love opera?"),
        ("I like old maps.", "I love old maps."),
    ],
)
def test_both_can_stay(old: str, new: str) -> None:
    assert isinstance(judged(old, new), Fails)


@pytest.mark.parametrize(
    ("old", "new", "before", "after"),
    [
        ("I work as a clerk.", "I have just been promoted to head clerk at Halden.", "clerk", "head clerk"),
        ("I work as a clerk.", "I recently got promoted to head clerk.", "clerk", "head clerk"),
    ],
)
def test_a_promotion_is_a_new_job(old: str, new: str, before: str, after: str) -> None:
    found = judged(old, new)
    assert isinstance(found, Holds)
    assert (found.evidence["before"], found.evidence["after"]) == (before, after)
