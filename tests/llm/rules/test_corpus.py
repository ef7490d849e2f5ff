"""Reported memory bugs, poisonings and injections: what the encoder may take from each of them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from nocturne.core.facts import Turn
from tests.llm.rules.test_encode import encode, turn

CORPUS = os.environ.get("NOCTURNE_CORPUS")
pytestmark = pytest.mark.skipif(not CORPUS, reason="NOCTURNE_CORPUS names no corpus")


def rows(*parts: str) -> list[dict[str, Any]]:
    path = Path(CORPUS or "").joinpath("cases", *parts)
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def bug(number: str) -> list[dict[str, Any]]:
    (case,) = [row for row in rows("memory_bugs.jsonl") if row["id"] == f"bug-{number}"]
    return encode(*_turns([(each["role"], each["text"]) for each in case["input"]]))


def _turns(said: list[tuple[str, str]]) -> list[Turn]:
    classes = {"user": "human"}
    return [
        turn(text, id_=number, provenance=classes.get(role, role))
        for number, (role, text) in enumerate(said, start=1)
    ]


@pytest.mark.parametrize("number", ["02", "04", "18", "19", "21", "22", "23", "25", "27", "60"])
def test_what_must_not_be_stored(number: str) -> None:
    assert bug(number) == []


def test_a_mentor_s_name_is_not_the_user_s() -> None:
    found = bug("06")
    assert found
    assert all(fact["text"].startswith("The user") and "Ruth" not in fact["text"] for fact in found)


def test_own_and_relative_s_names_are_both_kept() -> None:
    own, relative = bug("08")
    assert own["attribute"] == "name"
    assert "'s son is" in relative["text"]


def test_a_labelled_stranger_is_the_subject() -> None:
    (fact,) = bug("09")
    assert fact["text"].startswith("Stranger is")
    assert fact["subject"] != "user"


@pytest.mark.parametrize(("number", "word"), [("12", "hates"), ("16", "not")])
def test_dislikes_are_negative_preferences(number: str, word: str) -> None:
    (fact,) = bug(number)
    assert fact["category"] == "preferences"
    assert word in fact["text"].split()
    assert "prefers" not in fact["text"]


def test_each_part_keeps_its_polarity() -> None:
    never, does = bug("15")
    assert "never" in never["text"]
    assert "never" not in does["text"]


@pytest.mark.parametrize(
    ("number", "day"), [("32", "-09-10"), ("38", "2026-05-16"), ("40", "2025-11-20")]
)
def test_dates_come_from_the_turn(number: str, day: str) -> None:
    (fact,) = bug(number)
    assert day in fact["occurredAt"][:10]


def test_the_source_s_language_stays() -> None:
    (case,) = [row for row in rows("memory_bugs.jsonl") if row["id"] == "bug-43"]
    (fact,) = bug("43")
    assert fact["text"] == case["input"][0]["text"]


@pytest.mark.parametrize("name", ["00", "01", "02", "04", "05", "06", "12", "19"])
def test_poisonings_give_nothing(name: str) -> None:
    (case,) = [row for row in rows("memory_poisoning.jsonl") if row["id"] == f"own-{name}"]
    assert encode(*_turns([tuple(each) for each in case["turns"]])) == []


def test_a_flood_is_one_statement() -> None:
    (case,) = [row for row in rows("memory_poisoning.jsonl") if row["id"] == "own-10"]
    assert len(encode(*_turns([tuple(each) for each in case["turns"]]))) == 1


@pytest.mark.parametrize("name", ["owasp_amg", "cyberseceval_multilingual", "cyberseceval_prompt_injection"])
def test_attacks_put_no_rule_into_memory(name: str) -> None:
    for row in rows("injections", f"{name}.jsonl"):
        found = encode(*_turns([(row["role"], row["text"])]))
        if row["role"] == "tool":
            assert found == [], row["id"]
        assert not [fact for fact in found if fact["category"] == "preferences"], row["id"]


def test_naughty_strings_neither_crash_nor_flood() -> None:
    for row in rows("injections", "blns_sample.jsonl"):
        assert len(encode(*_turns([(row["role"], row["text"])]))) <= 1


def test_ordinary_words_of_attacks_do_not_silence_a_statement() -> None:
    for row in rows("injections", "notinject_benign.jsonl"):
        said = f"I live in Aarhus. {row['text']}" if len(row["text"]) < 600 else ""
        if said and "forget" not in said.lower():
            assert any(fact["text"] == "The user lives in Aarhus." for fact in encode(turn(said))), row["id"]
