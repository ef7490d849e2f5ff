from __future__ import annotations

import pytest

from nocturne.app.lexicons import default_lexicon
from nocturne.core.text.analysis import Analysis, analyse

LEXICON = default_lexicon()


def read(text: str, speaker: str | None = None) -> Analysis:
    return analyse(text, LEXICON, speaker)


def subjects(text: str, speaker: str | None = None) -> list[tuple[str, str]]:
    return [(token.surface, token.form) for token in read(text, speaker).tokens if token.kind == "subject"]


def test_a_token_covers_all_the_words_that_it_stands_for() -> None:
    text = "On 15 March 2026 the user’s twenty-four hens cost €40 a week."
    shown = {token.form: token.surface for token in read(text).tokens}
    assert shown["2026-03-15"] == "15 March 2026"
    assert shown["§subj's"] == "the user’s"
    assert shown["#:24"] == "twenty-four"
    assert shown["40 EUR"] == "€40"


def test_surfaces_are_found_behind_decomposed_letters_and_invisible_ones() -> None:
    text = "Jose\u0301 ke\u200beps 5\u00a0mg in Ma\u0301laga."
    shown = {token.form: token.surface for token in read(text).tokens}
    assert shown["josé"] == "Jose\u0301"
    assert shown["keeps"] == "ke\u200beps"
    assert shown["5 mg"] == "5\u00a0mg"
    assert shown["málaga"] == "Ma\u0301laga"


def test_the_speaker_is_the_subject_and_the_user_then_is_another() -> None:
    assert subjects("Marco said that I know Marco's cat.", "Marco") == [
        ("Marco", "§subj"),
        ("I", "§subj"),
        ("Marco's", "§subj's"),
    ]
    assert subjects("The user thanked me.", "Marco") == [("The user", "§user"), ("me", "§subj")]
    assert subjects("The user thanked me.") == [("The user", "§subj"), ("me", "§subj")]
    assert subjects("Ana Silva met Ana and Silva.", "Ana Silva") == [("Ana Silva", "§subj"), ("Ana", "§subj")]
    assert subjects("The user left.", "user") == [("The user", "§subj")]


@pytest.mark.parametrize(
    "text",
    [
        "The user interface is slow.",
        "Every user likes it.",
        "The user-facing API is slow.",
        "We like it.",
        "A user left.",
    ],
)
def test_who_is_not_the_subject(text: str) -> None:
    assert subjects(text) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("She's tired", ("she", "is", "tired")),
        ("She's been tired", ("she", "have", "been", "tired")),
        ("She'd gone", ("she", "had", "gone")),
        ("She'd go", ("she", "would", "go")),
        ("my dog's not well", ("§subj's", "dog", "is", "not", "well")),
        ("my dog's bowl", ("§subj's", "dog's", "bowl")),
        ("the users' bowls", ("the", "users'", "bowls")),
        ("my aunt's baking bread", ("§subj's", "aunt's", "baking", "bread")),
        ("I ain't late", ("§subj", "is", "not", "late")),
    ],
)
def test_contractions_are_decided_with_care(text: str, words: tuple[str, ...]) -> None:
    assert read(text).words == words


def test_sentences_end_where_they_should() -> None:
    found = read("Dr. Ito left at 2 p.m. sharp. J. Doe stayed! Is e.g. this one? Yes.")
    spoken = [" ".join(t.surface for t in found.tokens[a:b]) for a, b in found.sentences]
    assert spoken == ["Dr . Ito left at 2 p.m. sharp .", "J . Doe stayed !", "Is e.g. this one ?", "Yes ."]
    listed = read("Rules:\n- keep bees\n- sell honey")
    assert len(listed.sentences) == 3


def test_look_alike_letters_and_invisible_ones_are_flagged() -> None:
    assert read("The p\u0430ypal page").mixed == ("p\u0430ypal",)
    assert read("The paypal page").mixed == ()
    assert read("He does n\u200bot eat").hidden
    assert read("tea\U000e0041").hidden
    assert not read("नमस्\u200dते").hidden
    assert not read("\ufeffTea is good.").hidden


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("I keep two goats.", "en"),
        ("Ben quit.", "en"),
        ("Deploy: make ship-prod", "en"),
        ("Vivo en Granada con mi hermana.", "es"),
        ("Moro em Faro com a minha irmã.", "pt"),
        ("J'habite à Lille avec ma sœur.", "fr"),
        ("Ich wohne mit meiner Schwester in Kiel.", "de"),
        ("Я живу в Томске с сестрой.", "ru"),
        ("أعيش مع أختي في طنجة.", "ar"),
        ("मैं अपनी बहन के साथ रहती हूँ।", "hi"),
        ("我和妹妹住在青岛。", "zh"),
        ("妹と仙台に住んでいます。", "ja"),
        ("Saya tinggal di Bandung dengan adik saya.", "und"),
        ("Ik woon met mijn zus in Gent.", "und"),
        ("من با خواهرم زندگی می‌کنم.", "und"),
        ("Я живу у Львові з їхньою сестрою.", "und"),
        ("저는 여동생과 살아요.", "und"),
    ],
)
def test_languages_are_found_or_said_to_be_unknown(text: str, lang: str) -> None:
    found = read(text)
    assert found.lang == lang
    assert found.judged == (lang != "und")


def test_the_order_of_reading_changes_nothing() -> None:
    texts = [
        "The user has a little cat.",
        "Is an hour all of the time?",
        "Twenty four-hour days.",
        "Ana's is Ana'll.",
    ]
    raw = analyse.__wrapped__
    first = [raw(text, LEXICON) for text in texts]
    again = [raw(text, LEXICON) for text in reversed(texts)]
    assert first == again[::-1]
