from __future__ import annotations

from pathlib import Path

import pytest

from nocturne.app.lexicons import default_lexicon
from nocturne.core.text.analysis import analyse
from nocturne.core.text.measures import names

LEXICON = default_lexicon()
CASES = Path(__file__).parents[3] / "fixtures" / "text"


def rows(name: str) -> list[list[str]]:
    lines = (CASES / name).read_text(encoding="utf-8").splitlines()
    assert lines[0] == "kind\tlang\ta\tb"
    return [line.split("\t") for line in lines[1:]]


@pytest.mark.parametrize(("kind", "lang", "a", "b"), rows("same.tsv"))
def test_what_says_the_same_has_the_same_content(kind: str, lang: str, a: str, b: str) -> None:
    one, two = analyse(a, LEXICON), analyse(b, LEXICON)
    assert (one.lang, two.lang) == (lang, lang)
    assert one.content == two.content
    assert one.values == two.values
    assert names(a, LEXICON, [b]) == names(b, LEXICON, [a])


@pytest.mark.parametrize(("kind", "lang", "a", "b"), rows("other.tsv"))
def test_what_says_something_else_has_other_words(kind: str, lang: str, a: str, b: str) -> None:
    one, two = analyse(a, LEXICON), analyse(b, LEXICON)
    assert (one.lang, two.lang) == (lang, lang)
    assert one.words != two.words
    if kind not in ("contraction", "possessive", "subject"):
        assert one.content != two.content or one.values != two.values
