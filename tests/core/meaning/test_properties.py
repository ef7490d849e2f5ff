"""What holds for every text: no gate errs, spellings judge alike, negations are never lost, nothing verbatim goes."""

from __future__ import annotations

import time
import unicodedata
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nocturne.app.lexicons import default_lexicon
from nocturne.core.meaning import (
    Fails,
    Finding,
    Holds,
    Said,
    attribute_of,
    clash_key,
    compose_merge,
    judge_contradict,
    judge_drop,
    judge_encode,
    judge_merge,
    judge_schema,
)
from nocturne.core.meaning.forms import forms, lacks
from nocturne.core.meaning.grammar import grammar_of
from nocturne.core.meaning.moves import bare
from nocturne.core.text.measures import content, coverage, names, similarity, values
from tests.core.meaning.held_out import Pair, pairs

FLOOR = Fraction(9, 10)
QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
SAME = [pair for pair in pairs() if pair.same]
_ODD_CHARACTERS = "aI n'tüé,.;:?!\"()—不我好は。5°−­\u200b\u202e \n"
ODD = st.text(max_size=80) | st.text(alphabet=_ODD_CHARACTERS, max_size=60)


def drop(first: str, second: str) -> Finding:
    return judge_drop(Said(first), Said(second), floor=FLOOR, lexicon=default_lexicon())


@QUICK
@given(ODD, ODD, st.none() | st.text(max_size=12))
def test_no_gate_errs_on_any_text(first: str, second: str, speaker: str | None) -> None:
    lexicon = default_lexicon()
    one, two = Said(first, speaker=speaker, said_at=1), Said(second, speaker=speaker, said_at=2)
    found = [
        judge_drop(one, two, floor=FLOOR, lexicon=lexicon),
        judge_merge([one, two], f"{first} {second}", lexicon=lexicon, single_valued=("home",)),
        judge_encode([one], second, lexicon=lexicon),
        judge_contradict(one, two, lexicon=lexicon, single_valued=("home",)),
        judge_schema([one, two, one], second, lexicon=lexicon, min_members=3, min_sessions=0),
    ]
    assert not [item for item in found if isinstance(item, Fails) and item.code == "N013"]
    clash_key(one, lexicon=lexicon)
    attribute_of(first, lexicon, speaker)
    compose_merge([one, two], lexicon=lexicon)


@pytest.mark.parametrize("pair", SAME, ids=lambda pair: f"{pair.kind}-{pair.language}")
def test_composed_and_decomposed_spellings_judge_alike(pair: Pair) -> None:
    lexicon = default_lexicon()
    for form in ("NFC", "NFD"):
        spelled = [unicodedata.normalize(form, text) for text in (*pair.sources, pair.text)]
        plain = judge_merge([Said(text) for text in pair.sources], pair.text, lexicon=lexicon)
        other = judge_merge([Said(text) for text in spelled[:-1]], spelled[-1], lexicon=lexicon)
        assert type(plain) is type(other)


@QUICK
@given(st.sampled_from([pair for pair in SAME if pair.language == "en"]), st.data())
def test_a_negation_added_to_one_side_is_never_accepted(pair: Pair, data: st.DataObject) -> None:
    words = pair.text.split(" ")
    at = data.draw(st.integers(1, max(1, len(words) - 1)))
    cue = data.draw(st.sampled_from(["not", "never", "no"]))
    changed = " ".join([*words[:at], cue, *words[at:]])
    sources = [Said(source) for source in pair.sources]
    assert isinstance(judge_merge(sources, changed, lexicon=default_lexicon()), Fails), changed
    if len(sources) == 1 and len(pair.text) <= len(pair.sources[0]) + 12:
        assert isinstance(drop(pair.sources[0], changed), Fails), changed


def accepted_drops() -> list[tuple[str, str]]:
    found = [(pair.sources[0], pair.text) for pair in SAME if len(pair.sources) == 1]
    return [each for each in found if isinstance(drop(*each), Holds)]


def test_what_a_drop_accepts_the_measures_confirm() -> None:
    lexicon = default_lexicon()
    accepted = accepted_drops()
    assert len(accepted) > 80
    for first, second in accepted:
        context = (first, second)
        assert content(first, lexicon) <= content(second, lexicon), context
        assert values(first, lexicon) <= values(second, lexicon), context
        measured = similarity(first, second, lexicon)
        assert measured is not None, context
        assert measured >= FLOOR, context
        kept = {name.casefold() for name in names(second, lexicon, context)}
        assert {name.casefold() for name in names(first, lexicon, context)} <= kept, context


def test_what_a_merge_accepts_the_measures_confirm() -> None:
    lexicon = default_lexicon()
    accepted = 0
    for pair in SAME:
        if isinstance(judge_merge([Said(text) for text in pair.sources], pair.text, lexicon=lexicon), Fails):
            continue
        accepted += 1
        held = frozenset().union(*(content(text, lexicon) for text in pair.sources))
        assert held == content(pair.text, lexicon)
        assert frozenset().union(*(values(text, lexicon) for text in pair.sources)) == values(
            pair.text, lexicon
        )
    assert accepted > 80


@QUICK
@given(st.sampled_from(SAME), st.randoms(use_true_random=False))
def test_a_merge_does_not_depend_on_the_order_of_its_sources(pair: Pair, shuffled: object) -> None:
    sources = [Said(text) for text in pair.sources]
    backward = list(reversed(sources))
    lexicon = default_lexicon()
    assert type(judge_merge(sources, pair.text, lexicon=lexicon)) is type(
        judge_merge(backward, pair.text, lexicon=lexicon)
    )


@QUICK
@given(st.sampled_from(SAME), st.sampled_from(SAME))
def test_a_composed_text_is_one_that_the_gate_accepts(one: Pair, two: Pair) -> None:
    lexicon = default_lexicon()
    sources = [Said(one.sources[0]), Said(two.sources[0])]
    text = compose_merge(sources, lexicon=lexicon)
    if text is not None:
        assert isinstance(judge_merge(sources, text, lexicon=lexicon), Holds)


def test_encoded_facts_are_covered_by_their_turn() -> None:
    lexicon = default_lexicon()
    for pair in SAME:
        if pair.language != "en" or len(pair.sources) > 1:
            continue
        if isinstance(judge_encode([Said(pair.sources[0])], pair.text, lexicon=lexicon), Holds):
            assert coverage(pair.text, [*pair.sources, "user"], lexicon).is_whole


def test_texts_of_a_million_characters_are_refused_at_once() -> None:
    long = "The user lives in Ghent and bakes bread. " * 25_000
    began = time.process_time()
    assert isinstance(drop(long, long + "x"), Fails)
    assert isinstance(judge_merge([Said(long)], long, lexicon=default_lexicon()), Fails)
    assert isinstance(
        judge_encode([Said(long)], "The user lives in Ghent.", lexicon=default_lexicon()), Fails
    )
    assert time.process_time() - began < 5


WORDS = (
    "§subj", "the", "was", "is", "by", "of", "with", "in", "near", "at", "for", "moved", "called",
    "§subj's", "house", "ana", "ana's", "summer", ",", ":", "it", "who", "whom", "which", "and", "not",
    "have", "been", "kept", "two-week", "#:3", "bedroom", "bedrooms", "under", "after", "to", "did", "do",
    "on", "my", "sister",
)  # fmt: skip


@QUICK
@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=14), st.integers(0, 2**40), st.integers(0, 2**40)
)
def test_what_lacks_a_preposition_has_no_form_that_says_the_other(
    said: list[str], order: int, take: int
) -> None:
    grammar = grammar_of(default_lexicon(), "en")
    source = tuple(said)
    claim = tuple(word for at, word in enumerate(said) if take >> at & 3)
    claim = claim[order % (len(claim) + 1) :] + claim[: order % (len(claim) + 1)]
    for one, two in (
        (source, claim),
        (claim, source),
        (source, (*source, "near")),
        ((*claim, "under"), claim),
    ):
        if lacks(one, two, grammar):
            forms_of_one = [sorted(bare(form)) for form in forms(one, grammar)]
            assert not [form for form in forms(two, grammar) if sorted(bare(form)) in forms_of_one]
