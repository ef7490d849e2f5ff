from __future__ import annotations

import hashlib
import hmac
import json
import struct
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nocturne.core import digest as d

scalars = st.none() | st.text(st.characters(exclude_categories=["Cs"])) | st.integers(-(2**63), 2**63 - 1)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)
leaves = st.lists(st.binary(min_size=1, max_size=40), max_size=12)


@given(values)
def test_canonical_json_is_json_and_one_form(value: object) -> None:
    text = d.canonical(value)
    assert json.loads(text) == value
    assert d.canonical(json.loads(text)) == text
    assert text == json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


@given(st.lists(scalars, max_size=8))
def test_scalars_are_the_inside_of_the_array(value: list[object]) -> None:
    assert f"[{d.scalars(value)}]" == d.canonical(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value", [1.5, True, [0.1], {"a": False}, {1: "a"}, b"x", (1,), 2**63, {"a": {1, 2}}]
)
def test_what_has_no_place_in_canonical_json(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        d.canonical(value)


def test_plain_brings_what_measures_give_into_place() -> None:
    given_value = {
        "similarity": Fraction(4, 6),
        "kept": True,
        "limit": 0.9,
        "ids": (3, 1),
        "lost": {"b", "a"},
    }
    assert d.canonical(d.plain(given_value)) == (
        '{"ids":[3,1],"kept":1,"limit":"0.9","lost":["a","b"],"similarity":"2/3"}'
    )
    with pytest.raises(TypeError, match="bytes"):
        d.plain({"a": b"x"})


def test_every_hash_as_the_schema_page_states_it() -> None:
    assert d.entry_hash("[1]") == hashlib.sha256(b"\x01[1]").hexdigest()
    assert d.commitment(b"s" * 16, "né") == hashlib.sha256(b"\x02" + b"s" * 16 + "né".encode()).hexdigest()
    assert d.leaf(7, '{"a":1}', [(4, 0, 2), (3, 1, 2)]) == b'\x03[7,{"a":1},[[3,1,2],[4,0,2]]]'
    assert d.leaf(7, "{}", []) == b"\x03[7,{},[]]"
    assert d.turns_digest([[1, "a"], [2, None]]) == hashlib.sha256(b'\x05[1,"a"]\n[2,null]\n').hexdigest()
    assert d.policy_digest("{}") == hashlib.sha256(b"\x06{}").hexdigest()
    assert d.lexicon_digest("{}") == hashlib.sha256(b"\x07{}").hexdigest()
    assert (
        d.running_hash(d.ZERO, ["accesses", 1])
        == hashlib.sha256(b"\x08" + bytes(32) + b'["accesses",1]').hexdigest()
    )
    assert d.secret_digest(b"k" * 32) == hashlib.sha256(b"\x09" + b"k" * 32).hexdigest()
    assert (
        d.keyed(b"k", d.TOMBSTONE, ["a", "b"]) == hmac.new(b"k", b'\x0a["a","b"]', hashlib.sha256).hexdigest()
    )


def slow(added: list[bytes], removed: list[bytes]) -> str:
    """The state digest, lane by lane."""
    lanes = [0] * 1024
    for sign, items in ((1, added), (-1, removed)):
        for item in items:
            for place, lane in enumerate(struct.unpack("<1024H", hashlib.shake_128(item).digest(2048))):
                lanes[place] = (lanes[place] + sign * lane) % 65536
    return hashlib.sha256(b"\x04" + struct.pack("<1024H", *lanes)).hexdigest()


def digest_of(items: list[bytes], without: list[bytes] | None = None) -> str:
    state = d.LtHash()
    for item in items:
        state.add(item)
    for item in without or []:
        state.remove(item)
    return state.digest()


@settings(max_examples=25)
@given(leaves, leaves)
def test_lanes_are_added_and_subtracted_modulo_their_width(added: list[bytes], removed: list[bytes]) -> None:
    assert digest_of(added, removed) == slow(added, removed)


@given(leaves, st.randoms())
def test_the_digest_knows_no_order(items: list[bytes], random) -> None:  # type: ignore[no-untyped-def]
    mixed = list(items)
    random.shuffle(mixed)
    assert digest_of(mixed) == digest_of(items)


@given(leaves, leaves)
def test_what_is_added_and_taken_out_leaves_no_trace(items: list[bytes], others: list[bytes]) -> None:
    assert digest_of(items + others, others) == digest_of(items)


@given(st.lists(st.binary(min_size=1, max_size=20), min_size=1, max_size=6, unique=True))
def test_a_leaf_more_or_twice_is_another_digest(items: list[bytes]) -> None:
    assert digest_of(items[1:]) != digest_of(items)
    assert digest_of([*items, items[0]]) != digest_of(items)


@given(leaves, leaves)
def test_lanes_kept_and_read_back_go_on_where_they_were(first: list[bytes], second: list[bytes]) -> None:
    state = d.LtHash()
    for item in first:
        state.add(item)
    again = d.LtHash(state.lanes())
    for item in second:
        again.add(item)
    assert again.digest() == digest_of(first + second)


def test_lanes_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match="not 2048"):
        d.LtHash(b"abc")


def test_a_great_many_at_once_are_the_same_as_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    items = [b"leaf %d" % number for number in range(2_500)]
    gone = items[:1_200]
    bulk = digest_of(items, gone)
    monkeypatch.setattr(d, "_WORTH_NUMPY", 10**9)
    assert digest_of(items, gone) == bulk == digest_of(items[1_200:])


def test_slots_are_reduced_before_they_overflow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(d, "_REDUCE_AFTER", 3)
    items = [b"%d" % number for number in range(20)]
    assert digest_of(items, items[:7]) == slow(items, items[:7])
