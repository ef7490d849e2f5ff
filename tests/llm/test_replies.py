"""Whatever a model writes comes to an outcome; nothing raises, nothing is guessed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nocturne.core.proposals import Drop
from nocturne.core.verdicts import Refused
from nocturne.llm.outcomes import PLANS, Expected, Failure, Tokens, Usable
from nocturne.llm.replies import chat_outcome, content_outcome, prompt_was_cut, scrub, tool_outcome
from nocturne.llm.statuses import Answer, read, retry_after
from nocturne.passes import wire

DEDUPE = Expected("dedupe", frozenset({"drop", "keep"}), units=3, estimate=100)
WITH_WORD = Expected("dedupe", frozenset({"drop", "keep"}), units=3, estimate=100, nonce="bcdfgh")

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["drop", "keep", "x"]), inner)
    ),
    max_leaves=8,
)
around = st.sampled_from(
    ["", "\n", "Here: ", "```json\n", "<think>", "</think>", "{", "}", '"', "\ufeff", ","]
)


@given(around, json_values, around)
def test_any_content_comes_to_an_outcome(before: str, value: Any, after: str) -> None:
    outcome = content_outcome(before + json.dumps(value) + after, DEDUPE)
    if isinstance(outcome, Usable):
        data = wire.load(outcome.text)
        assert set(data) <= {"drop", "keep"}
        assert set(data)
        assert all(isinstance(part, list) for part in data.values())
        assert outcome.text.isascii()
    else:
        assert outcome.kind in PLANS
        outcome.sentence().encode()


@given(st.text(max_size=200))
def test_any_text_comes_to_an_outcome(text: str) -> None:
    assert isinstance(content_outcome(text, DEDUPE), Usable | Failure)


@given(json_values)
def test_any_body_comes_to_an_outcome(body: Any) -> None:
    assert isinstance(chat_outcome(body, DEDUPE), Usable | Failure)
    assert isinstance(tool_outcome(body, "propose", DEDUPE), Usable | Failure)


@given(st.binary(max_size=200), st.sampled_from([200, 204, 301, 400, 401, 429, 500, 503, 599]))
def test_any_bytes_come_to_an_outcome(body: bytes, status: int) -> None:
    for strict in (False, True):
        found = read(Answer(status, {}, body), 0.0, strict=strict)
        if status != 200:
            assert isinstance(found, Failure)
        if isinstance(found, Failure):
            found.sentence().encode()


@given(st.text(alphabet='{}[]",:ab \n\\', max_size=60))
def test_brackets_are_never_closed_for_a_model(text: str) -> None:
    outcome = content_outcome('{"drop":[' + text, DEDUPE)
    if isinstance(outcome, Usable):
        assert {"]", "}"} <= set(text)


@pytest.mark.parametrize("depth", [50, 5_000, 200_000])
def test_deep_nesting_is_refused(depth: int) -> None:
    for text in ('{"drop":' + "[" * depth + "]" * depth + "}", 'so: {"drop":' + "[" * depth, '{"a":' * depth):
        outcome = content_outcome(text, DEDUPE)
        assert isinstance(outcome, Failure) or depth == 50
    found = read(Answer(200, {}, b"[" * depth), 0.0)
    assert isinstance(found, Failure)


def test_time_is_bounded_on_text_made_to_hurt() -> None:
    for text in (
        "{" * 300_000,
        '{"drop":' * 40_000,
        "{ " * 200_000 + '"drop"',
        ",]" * 100_000,
        "<think>" * 50_000,
    ):
        assert isinstance(content_outcome(text, DEDUPE), Failure)


def test_an_object_beyond_the_64th_brace_is_not_looked_for() -> None:
    outcome = content_outcome("{x} " * 64 + '{"drop":[]}', DEDUPE)
    assert isinstance(outcome, Failure)
    assert outcome.kind == "broken-json"


def test_half_a_surrogate_pair_spoils_its_entry_alone() -> None:
    entry = '{"itemId":"m2","duplicateOf":"m1","reason":"%s"}'
    outcome = content_outcome(
        '{"drop":[' + entry % r"bad \ud83c" + "," + entry % r"good \ud83c\udf3a" + "]}", DEDUPE
    )
    assert isinstance(outcome, Usable)
    spoilt, kept = wire.parse("dedupe", outcome.text)
    assert isinstance(spoilt, Refused)
    assert "not valid Unicode" in spoilt.evidence["found"]
    json.dumps(spoilt.evidence, ensure_ascii=False).encode()
    assert kept == Drop(fact=2, duplicate_of=1, reason="good \U0001f33a")


@pytest.mark.parametrize(
    "spoilt",
    [
        r'{"itemId":"m2","duplicateOf":"m1","reason":"\u0000"}',
        r'{"itemId":"m2","duplicateOf":"m1\u0000","reason":"same"}',
        r'{"itemId":"m2","duplicateOf":"m1","reason":"a\\\u0000b"}',
    ],
)
def test_a_nul_spoils_its_entry_alone(spoilt: str) -> None:
    kept = r'{"itemId":"m3","duplicateOf":"m1","reason":"written \\u0000"}'
    first, second = wire.parse("dedupe", '{"drop":[' + spoilt + "," + kept + "]}")
    assert isinstance(first, Refused)
    assert (first.code, "NUL" in first.evidence["found"]) == ("N001", True)
    assert "\0" not in str(first.evidence)
    assert second == Drop(fact=3, duplicate_of=1, reason="written \\u0000")


def test_a_reply_that_is_no_json_keeps_no_nul() -> None:
    (refused,) = wire.parse("dedupe", 'Here: \0 {"drop"')
    assert isinstance(refused, Refused)
    assert "\0" not in refused.evidence["raw"]


def test_the_check_word_is_taken_out() -> None:
    outcome = content_outcome('{"nonce":"bcdfgh","drop":[]}', WITH_WORD)
    assert isinstance(outcome, Usable)
    assert json.loads(outcome.text) == {"drop": []}
    unasked = content_outcome('{"nonce":"whatever","drop":[]}', DEDUPE)
    assert isinstance(unasked, Usable)
    assert json.loads(unasked.text) == {"drop": []}


@pytest.mark.parametrize(
    ("read_tokens", "written", "estimate", "cut"),
    [
        (1000, 20, 1000, False),
        (700, 20, 1000, False),  # the estimate is a guess
        (499, 20, 1000, True),
        (2050, 40, 8000, True),
        (4000, 96, 5000, True),  # together exactly a window of 4,096
        (4000, 96, 3900, False),  # the same by chance, but everything was read
        (2048, 0, 3000, True),
        (None, None, 9000, False),
    ],
)
def test_a_cut_prompt_is_seen_by_the_server_s_own_count(
    read_tokens: int | None, written: int | None, estimate: int, cut: bool
) -> None:
    expected = Expected("dedupe", frozenset({"drop"}), 1, estimate)
    failure = prompt_was_cut(Tokens(read_tokens, written), expected)
    assert (failure is not None) is cut
    if failure is not None:
        assert failure.kind == "prompt-cut"


def message(**other: Any) -> dict[str, Any]:
    return {
        "content": [],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 90, "output_tokens": 9},
        **other,
    }


def use(value: Any, name: str = "propose") -> dict[str, Any]:
    return {"type": "tool_use", "id": "u", "name": name, "input": value}


TEXT = {"type": "text", "text": 'I would say {"drop":[]} here.'}


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (message(content=[use({"drop": []})]), None),
        (message(content=[{"type": "text", "text": "Let me see."}, use({"drop": []})]), None),
        (message(content=[{"type": "thinking", "thinking": "{}"}, use({"keep": []})]), None),
        (message(content=[TEXT], stop_reason="end_turn"), None),
        (message(content=[]), "no-choices"),
        (message(content=[use({"drop": []}), use({"drop": []})]), "ambiguous"),
        (message(content=[use({"drop": []}, "other")]), "shape"),
        (message(content=[use("drop")]), "shape"),
        (message(content=[use({})]), "shape"),
        (message(content=[use({"drop": "all"})]), "shape"),
        (message(content=[use({"drop": []})], stop_reason="max_tokens"), "cut"),
        (message(content=[{"type": "text", "text": " "}], stop_reason="end_turn"), "empty"),
        (message(content=[{"type": "thinking", "thinking": '{"drop":[]}'}]), "empty"),
        (message(content=[TEXT], stop_reason="refusal"), "declined"),
        (message(content=[use({"drop": []})], usage={"input_tokens": 3}), "prompt-cut"),
        ([1], "not-json"),
    ],
)
def test_tool_replies(body: Any, kind: str | None) -> None:
    outcome = tool_outcome(body, "propose", DEDUPE)
    assert (outcome.kind if isinstance(outcome, Failure) else None) == kind


def test_cached_tokens_count_as_read() -> None:
    usage = {"input_tokens": 3, "cache_read_input_tokens": 900, "output_tokens": 5}
    outcome = tool_outcome(message(content=[use({"drop": []})], usage=usage), "propose", DEDUPE)
    assert isinstance(outcome, Usable)
    assert outcome.tokens == Tokens(903, 5)


def test_a_key_twice_in_a_tool_s_input_is_refused() -> None:
    body = b'{"content":[{"type":"tool_use","name":"propose","input":{"drop":[],"drop":[1]}}]}'
    found = read(Answer(200, {}, body), 0.0, strict=True)
    assert isinstance(found, Failure)
    assert found.kind == "illegal-json"


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("3", 3.0),
        (" 0.5 ", 0.5),
        ("-4", 0.0),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("", None),
        ("Wed, 21 Oct 2026 07:28:00 GMT", 60.0),
        ("Wed, 21 Oct 2026 07:28:00", 60.0),
        ("Wed, 21 Oct 2020 07:28:00 GMT", 0.0),
        ("Wed, 99 Oct 2026 07:28:00 GMT", None),
    ],
)
def test_retry_after(value: str | None, seconds: float | None) -> None:
    assert retry_after(value, 1_792_567_620.0) == seconds


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-proj-abcdefghij",
        "bad token Bearer abc.def.ghi",
        "key AIzaSyA-abcdefghijklmnop",
        "your key is hunter2hunter2",
    ],
)
def test_keys_are_taken_out(text: str) -> None:
    cleaned = scrub(text, ("hunter2hunter2",))
    assert "[secret]" in cleaned
    assert "abc" not in cleaned
    assert "hunter" not in cleaned


def test_ordinary_words_stay() -> None:
    text = "the sky is blue, api v2, key facts, skate"
    assert scrub(text, ("",)) == text
