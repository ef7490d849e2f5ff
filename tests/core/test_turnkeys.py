from __future__ import annotations

from dataclasses import replace

import pytest

from nocturne.core.facts import ToolCall, Turn
from nocturne.core.turnkeys import KeyChain, is_unique_id, turn_key

UUID = "0f8fad5b-d9cb-469f-a165-70867728950e"


def turn(text: str, **fields: object) -> Turn:
    plain = Turn(0, 0, None, 0, 0, "s1", None, "human", text, role="user")
    return replace(plain, **fields)  # type: ignore[arg-type]  # the table's rows are checked by the dataclass


@pytest.mark.parametrize(
    ("native_id", "unique"),
    [
        (UUID, True),
        (UUID.upper(), True),
        (f"{UUID}#2", True),
        ("msg_01GkQ7hTzXw3VbN5mR8sYpLc", True),
        ("1", False),
        ("message-12", False),
        ("a3", False),
        (None, False),
        ("", False),
        ("onlyletterswithoutanydigitinthem", False),
    ],
)
def test_which_ids_are_unique_everywhere(native_id: str | None, unique: bool) -> None:
    assert is_unique_id(native_id) is unique


def test_a_unique_id_alone_is_the_key() -> None:
    one = turn("a", native_id=UUID)
    assert turn_key(one) == turn_key(turn("b", native_id=UUID, session="s2"), "another")
    assert turn_key(one) != turn_key(turn("a", native_id=f"{UUID}#1"))


def test_a_replayed_prefix_has_the_same_keys_under_another_session_and_other_times() -> None:
    said = ["I use pnpm.", "Noted.", "And Vite."]
    first, second = KeyChain(), KeyChain()
    original = [first.key(turn(text, said_at=at)) for at, text in enumerate(said)]
    forked = [second.key(turn(text, session="s2", said_at=9 + at)) for at, text in enumerate(said)]
    assert forked == original
    assert second.key(turn("yes", session="s2")) != original[0]
    assert len(set(original)) == 3


def test_the_same_words_later_in_the_talk_are_another_turn() -> None:
    chain = KeyChain()
    assert len({chain.key(turn("yes")) for _ in range(5)}) == 5


def test_sessions_of_the_writers_own_are_never_replays() -> None:
    chain = KeyChain(own_sessions=True)
    keys = [
        chain.key(turn("I prefer tea.", session="may", said_at=1)),
        chain.key(turn("I prefer tea.", session="june", said_at=2)),
        chain.key(turn("I prefer tea.", session=None, said_at=3)),
        chain.key(turn("I prefer tea.", session=None, said_at=4)),
    ]
    assert len(set(keys)) == 4


def test_who_speaks_and_what_a_tool_did_are_part_of_the_key() -> None:
    variants = [
        turn("x"),
        turn("x", speaker="Ana"),
        turn("x", provenance="assistant"),
        turn("x", tool=ToolCall("sh", "c", "a", "ok")),
        turn("x", tool=ToolCall("sh", "c", "a", "error")),
        turn("x", native_id="1"),
    ]
    assert len({turn_key(one) for one in variants}) == len(variants)


def test_a_chain_goes_on_where_its_state_left_it() -> None:
    whole = KeyChain()
    expected = [whole.key(turn(str(n), session=f"s{n % 3}")) for n in range(30)]
    first = KeyChain()
    head = [first.key(turn(str(n), session=f"s{n % 3}")) for n in range(17)]
    second = KeyChain(first.state())
    tail = [second.key(turn(str(n), session=f"s{n % 3}")) for n in range(17, 30)]
    assert head + tail == expected


def test_the_state_stays_small() -> None:
    chain = KeyChain()
    for number in range(1000):
        chain.key(turn("hi", session=str(number)))
    assert len(chain.state()) <= 256


def test_lone_surrogates_do_not_break_a_key() -> None:
    assert len(turn_key(turn("\ud83d", native_id="\udc00"))) == 64
