"""Canonical JSON, commitments, the chain's hash, and the state digest. ``store/SCHEMA.md`` states each one.

Every hash is SHA-256 over one domain byte and its content, shown as lower-case hex; the domain byte keeps a
hash of one kind from standing in for another.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

ENTRY = b"\x01"
TEXT = b"\x02"
LEAF = b"\x03"
STATE = b"\x04"
TURNS = b"\x05"
POLICY = b"\x06"
LEXICON = b"\x07"
RUNNING = b"\x08"
SECRET = b"\x09"
TOMBSTONE = b"\x0a"
TURN_KEY = b"\x0b"
MEMO = b"\x0c"

ZERO = "0" * 64
"""What stands before the first entry of a chain."""

LANES = 1024
_WIDTH = 2 * LANES
_SLOTS = LANES // 2
_LOW = int.from_bytes(b"\xff\xff\x00\x00" * _SLOTS, "little")
_CARRY = int.from_bytes(b"\x00\x00\x01\x00" * _SLOTS, "little")
_REDUCE_AFTER = 60_000
_WORTH_NUMPY = 1_000
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1


def plain(value: Any) -> Any:
    """The value in canonical JSON's types: a ratio becomes ``n/d``, a float its decimal, a truth 0 or 1."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item) for item in value), key=canonical)
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [plain(item) for item in value]
    raise TypeError(f"{type(value).__name__} has no place in canonical JSON")


def _check(value: Any) -> None:
    kind = type(value)
    if kind is str or value is None:
        return
    if kind is int:
        if not _SMALLEST <= value <= _LARGEST:
            raise ValueError(f"{value} does not fit 64 bits")
    elif kind is list:
        for item in value:
            _check(item)
    elif kind is dict:
        for key, item in value.items():
            if type(key) is not str:
                raise TypeError(f"the key {key!r} is not a string")
            _check(item)
    else:
        raise TypeError(f"{kind.__name__} has no place in canonical JSON")


_escape = json.encoder.encode_basestring


def encoder(
    other: Callable[[Any], Any],
    *,
    allow_nan: bool = False,
    sort_keys: bool = True,
    comma: str = ",",
    colon: str = ":",
) -> Callable[[Any], str]:
    """One encoder for good: ``JSONEncoder.encode`` makes its C part anew on every call, which costs half of it.

    ``other`` makes of what JSON does not know something that it does, or raises.
    """
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return json.JSONEncoder(
            ensure_ascii=False,
            sort_keys=sort_keys,
            separators=(comma, colon),
            allow_nan=allow_nan,
            check_circular=False,
            default=other,
        ).encode
    skip_keys = False
    parts = make(None, other, _escape, None, colon, comma, sort_keys, skip_keys, allow_nan)
    return lambda value: "".join(parts(value, 0))


def _refuse(value: Any) -> None:
    raise TypeError(f"{type(value).__name__} has no place in canonical JSON")


_encode = encoder(_refuse)
_encode_any = encoder(str, allow_nan=True)


def canonical(value: Any) -> str:
    """Sorted keys, no white space; strings, 64-bit integers, null, lists and objects only."""
    _check(value)
    return _encode(value)


def trusted(value: Any) -> str:
    """``canonical`` without the check of types, for values that code has built of checked parts."""
    return _encode(value)


def scalars(values: Sequence[str | int | None]) -> str:
    """``trusted`` for the members of an array, without its brackets; whatever a forged row holds is told somehow."""
    return _encode_any(values)[1:-1]


def _hash(domain: bytes, content: bytes) -> str:
    return hashlib.sha256(domain + content).hexdigest()


def entry_hash(body: str) -> str:
    """The hash of a ledger row's body, which itself holds its number and the hash before it."""
    return _hash(ENTRY, body.encode())


def commitment(salt: bytes, text: str) -> str:
    """What names a text everywhere but in the table of texts; says nothing about it once the salt is gone."""
    return _hash(TEXT, salt + text.encode())


def policy_digest(document: str) -> str:
    """The name of a policy's canonical JSON."""
    return _hash(POLICY, document.encode())


def lexicon_digest(document: str) -> str:
    """The name of a lexicon's canonical JSON."""
    return _hash(LEXICON, document.encode())


def secret_digest(secret: bytes) -> str:
    """What the first ledger row says of the store's own key."""
    return _hash(SECRET, secret)


def turns_digest(rows: Iterable[Sequence[Any]]) -> str:
    """One hash over the canonical rows of a batch of turns, a line each."""
    state = hashlib.sha256(TURNS)
    for row in rows:
        state.update(canonical(list(row)).encode())
        state.update(b"\n")
    return state.hexdigest()


def running_hash(before: str, row: Sequence[Any]) -> str:
    """The next link of an append-only table's own chain."""
    return _hash(RUNNING, bytes.fromhex(before) + canonical(list(row)).encode())


def keyed(secret: bytes, domain: bytes, content: Any) -> str:
    """HMAC-SHA-256 under the store's key over a domain byte and canonical JSON."""
    import hmac

    return hmac.new(secret, domain + canonical(content).encode(), hashlib.sha256).hexdigest()


SEAL = 8
"""Bytes of a sealed key."""


def sealed_key(secret: bytes, parts: Sequence[str]) -> bytes:
    """BLAKE2b under the store's key: equal for equal parts, and telling nothing of them alone."""
    joined = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(joined, key=secret, digest_size=SEAL).digest()


def sealed_keys(secret: bytes, keys: Iterable[Sequence[str]]) -> bytes:
    """The sealed keys one after the other, as they are kept."""
    return b"".join([sealed_key(secret, key) for key in keys])


def sources_json(sources: Iterable[tuple[int, int, int]]) -> str:
    """A fact's sources, sorted, as its leaf has them."""
    return f"[{','.join([f'[{turn},{start},{stop}]' for turn, start, stop in sorted(sources)])}]"


def leaf_of(fact: int, columns: str, sources: str) -> bytes:
    """One fact as the state digest sees it: its number, its columns' and its sorted sources' canonical JSON."""
    return LEAF + f"[{fact},{columns},{sources}]".encode()


def leaf(fact: int, columns: str, sources: Iterable[tuple[int, int, int]]) -> bytes:
    """``leaf_of`` for sources that are not written out yet."""
    return leaf_of(fact, columns, sources_json(sources))


class LtHash:
    """A digest of a multiset of leaves, kept by addition: 1024 lanes of 16 bits, SHAKE-128 of each leaf.

    After Bellare and Micciancio. Even and odd lanes are held in 32-bit slots of two integers, so that one big
    addition adds every lane and a carry never reaches its neighbour.
    """

    __slots__ = ("_even", "_odd", "_steps", "_waiting")

    def __init__(self, lanes: bytes = bytes(_WIDTH)) -> None:
        if len(lanes) != _WIDTH:
            raise ValueError(f"{len(lanes)} bytes of lanes, not {_WIDTH}")
        value = int.from_bytes(lanes, "little")
        self._even = value & _LOW
        self._odd = (value >> 16) & _LOW
        self._steps = 0
        self._waiting: tuple[list[bytes], list[bytes]] = ([], [])

    def add(self, item: bytes) -> None:
        """Put one leaf in."""
        self._wait(0, item)

    def remove(self, item: bytes) -> None:
        """Take one leaf out."""
        self._wait(1, item)

    def _wait(self, side: int, item: bytes) -> None:
        waiting = self._waiting[side]
        waiting.append(item)
        if len(waiting) >= _WORTH_NUMPY:
            self._settle(side)

    def _settle(self, side: int) -> None:
        """Add up the leaves that wait; a great many at once are summed as a matrix of lanes."""
        waiting = self._waiting[side]
        if len(waiting) >= _WORTH_NUMPY:
            total = _summed(waiting)
            self._take(side, int.from_bytes(total, "little"))
        else:
            for item in waiting:
                self._take(side, int.from_bytes(hashlib.shake_128(item).digest(_WIDTH), "little"))
        waiting.clear()

    def _take(self, side: int, value: int) -> None:
        even, odd = value & _LOW, (value >> 16) & _LOW
        self._even += _CARRY - even if side else even
        self._odd += _CARRY - odd if side else odd
        self._steps += 1
        if self._steps >= _REDUCE_AFTER:
            self._reduce()

    def _reduce(self) -> None:
        self._even &= _LOW
        self._odd &= _LOW
        self._steps = 0

    def lanes(self) -> bytes:
        """The 2048 bytes, lane by lane, little-endian."""
        self._settle(0)
        self._settle(1)
        self._reduce()
        return (self._even | (self._odd << 16)).to_bytes(_WIDTH, "little")

    def digest(self) -> str:
        """SHA-256 of the lanes: the state digest."""
        return _hash(STATE, self.lanes())


def _summed(items: Sequence[bytes]) -> bytes:
    """The sum of the leaves' lanes, as bytes."""
    import numpy as np

    lanes = np.zeros(LANES, dtype="<u2")
    for start in range(0, len(items), _WORTH_NUMPY):
        block = b"".join(
            [hashlib.shake_128(item).digest(_WIDTH) for item in items[start : start + _WORTH_NUMPY]]
        )
        lanes += np.frombuffer(block, dtype="<u2").reshape(-1, LANES).sum(axis=0, dtype="<u2")
    return lanes.tobytes()
