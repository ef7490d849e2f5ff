from __future__ import annotations

import json
import re
from importlib.resources import files

from nocturne.app.lexicons import ORDER, default_lexicon
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.text.lexing import EXPRESSIONS
from nocturne.core.text.measures import MEASURES_VERSION, canonical

PAGE = (files("nocturne") / "core" / "MEASURES.md").read_text(encoding="utf-8")
LEXICON = default_lexicon()


def test_the_page_is_of_this_version() -> None:
    assert PAGE.startswith(f"# The measures, version {MEASURES_VERSION}\n")


def test_the_page_repeats_every_expression() -> None:
    lines = re.findall(r'^\("(\w+)", r"""(.*)"""\),$', PAGE, re.MULTILINE)
    shown = tuple((name, body.encode().decode("raw_unicode_escape")) for name, body in lines)
    plain = tuple(
        (name, re.sub(r"\\x([0-9a-f]{2})", lambda m: chr(int(m[1], 16)), body)) for name, body in shown
    )
    assert plain == EXPRESSIONS


def test_a_lexicon_survives_its_json() -> None:
    again = Lexicon.from_json(json.loads(json.dumps(LEXICON.to_json())))
    for text in ("My aunt's moving to Oslo on 3 May.", "Der Zug fährt um 14 Uhr.", "三月九日に会います。"):
        assert canonical(text, again) == canonical(text, LEXICON)


def test_every_language_has_its_lists_and_their_source() -> None:
    assert tuple(LEXICON.tongues) == ORDER
    for tongue in LEXICON.tongues.values():
        assert tongue.data["source"]
        for kind in (
            "stopwords",
            "modals",
            "hedges",
            "quantifiers",
            "connectives",
            "directions",
            "change_cues",
            "kin",
        ):
            assert tongue.entries(kind), (tongue.language, kind)
        assert tongue.negation
        assert not tongue.negation & tongue.stopwords, (tongue.language, tongue.negation & tongue.stopwords)
        assert not tongue.words("modals") & tongue.stopwords, (
            tongue.language,
            tongue.words("modals") & tongue.stopwords,
        )
        quantifiers = tongue.words("quantifiers") & tongue.stopwords
        assert not quantifiers, (tongue.language, quantifiers)
