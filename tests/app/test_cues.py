from __future__ import annotations

from nocturne.app.cues import LISTS, cues
from nocturne.app.lexicons import ORDER
from nocturne.core.codes import CODES


def test_the_words_of_polarity_are_there_in_every_language() -> None:
    lists = dict(cues("N203"))
    assert list(lists) == [f"{language} negation" for language in ORDER]
    assert {"not", "never", "without"} <= set(lists["en negation"])


def test_every_listed_code_exists_and_has_words() -> None:
    known = {entry.code for entry in CODES}
    for code in LISTS:
        assert code in known
        assert cues(code)


def test_a_code_that_looks_at_no_list_has_none() -> None:
    assert cues("N301") == []
