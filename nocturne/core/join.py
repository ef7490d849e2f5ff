"""Exact containment join over rows of token ids, in numpy: prefix filter, 64-bit signatures, verification.

Rows are ordered by set size descending, so that "the larger" is an index comparison. Tokens stand rarest
first in one order for all rows: a row of n tokens may miss at most n − ⌈floor·n⌉ of them, so it must share
one of its n − ⌈floor·n⌉ + 1 rarest with any row that contains it (prefix filter, after Bayardo, Ma &
Srikant 2007 and Xiao et al. 2008). A popcount over signatures rejects most of what is left; survivors are
counted token by token and held against the floor in whole numbers, as the gate does. Any fixed order is
exact; rarest first is fast.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from nocturne.core import crowds
from nocturne.core.contents import Chosen

Ints = NDArray[np.int64]
CHUNK = 1 << 18
"""Candidates looked at at once: what fits the second-level cache."""
ABREAST = 1 << 13
"""Pairs counted at once."""
TOGETHER = 1 << 20
"""Candidates of which those met twice are taken out before they are counted."""
WIDE = 1 << 12
"""Products of two rows' sizes above which a pair is counted by itself."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Token sets as compressed rows: row r is ``tokens[starts[r]:starts[r + 1]]``, ascending by rank."""

    starts: Ints
    tokens: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.starts) - 1


@dataclass(frozen=True, slots=True)
class Pairs:
    """Parallel arrays: two row numbers, ``left`` < ``right``, and how many tokens they share."""

    left: Ints
    right: Ints
    shared: Ints

    def __len__(self) -> int:
        return len(self.left)


def rows_of(sets: Sequence[Collection[int]], ranks: NDArray[np.int32] | None = None) -> Rows:
    """Rows of sets of token ids (repeats within one are dropped).

    ``ranks[id]`` is the token's place in a frozen order, lowest first; without it the order is rarest first
    among these very rows.
    """
    sizes = np.fromiter(map(len, sets), np.int64, len(sets))
    tokens = np.fromiter(chain.from_iterable(sets), np.int32, int(sizes.sum()))
    return ordered(sizes, tokens, ranks)


def rows_of_blobs(blobs: Iterable[bytes], ranks: NDArray[np.int32] | None = None) -> Rows:
    """Rows of stored blobs, each the little-endian 32-bit token ids of one fact."""
    held = list(blobs)
    sizes = np.fromiter(map(len, held), np.int64, len(held)) // 4
    return ordered(sizes, np.frombuffer(b"".join(held), "<i4").astype(np.int32, copy=False), ranks)


def rarest_first(counts: Ints) -> NDArray[np.int32]:
    """The rank of each token id in the order of ascending ``counts``; of equals the lowest id first."""
    ranks = np.empty(len(counts), np.int32)
    ranks[np.argsort(counts, kind="stable")] = np.arange(len(counts), dtype=np.int32)
    return ranks


def extended(ranks: NDArray[np.int32], size: int) -> NDArray[np.int32]:
    """A frozen order for ``size`` token ids: unseen ones are the rarest, so they come before all others.

    The order among the old ones stays as it is: what was joined before need not be joined again.
    """
    new = size - len(ranks)
    if new <= 0:
        return ranks
    return np.concatenate([ranks + np.int32(new), np.arange(new - 1, -1, -1, dtype=np.int32)])


def ordered(sizes: Ints, tokens: NDArray[np.int32], ranks: NDArray[np.int32] | None = None) -> Rows:
    """Rows from their sizes and their concatenated token ids, sorted by rank within each row."""
    if not len(tokens):
        return Rows(np.zeros(len(sizes) + 1, np.int64), tokens)
    if ranks is None:
        ranks = rarest_first(np.bincount(tokens))
    keys = np.repeat(np.arange(len(sizes), dtype=np.int64) << 32, sizes)
    keys |= ranks[tokens]
    keys.sort()
    repeats = np.flatnonzero(keys[1:] == keys[:-1])
    if len(repeats):
        keys = np.delete(keys, repeats)
        sizes = np.bincount(keys >> 32, minlength=len(sizes))
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    return Rows(starts, (keys & 0xFFFFFFFF).astype(np.int32))


def containment_join(rows: Rows, floor: Fraction, new: NDArray[np.bool_] | None = None) -> Pairs:
    """All pairs of rows with containment ≥ ``floor``, ascending; with ``new``, those that have a new row."""
    if new is not None:
        return verified(rows, floor, _meeting(rows, floor, new, None))
    plan = _Plan.of(rows, floor)
    found: list[Iterator[tuple[Ints, Ints]]] = []
    probing = plan.probes
    crowded = crowds.crowd(rows.starts, rows.tokens, plan.order)
    if crowded is not None:
        found.append(plan.signed(*pairs) for pairs in crowded.candidates(plan.sizes, plan.missing))
        probing = probing & ~marked(crowded.places, len(rows))[plan.place]
    found.append(plan.candidates(probing))
    return verified(rows, floor, plan.rows_at(chain.from_iterable(found)))


def nearest(
    sets: Sequence[AbstractSet[Hashable]], low: Fraction, new: AbstractSet[int] | None, most: int, hot: int
) -> Pairs:
    """Pairs with containment ≥ ``low`` that share a token of at most ``hot`` rows; the ``most`` best a (new) row.

    The rarest token that two rows share is among the smaller one's rarest n − ⌈low·n⌉ + 1, so hot tokens
    can be left out of both sides of the filter without losing any pair that shares a cooler one.
    """
    rows = rows_of_words(sets)
    cool = np.bincount(rows.tokens, minlength=1) <= hot
    if new is None:
        plan = _Plan.of(rows, low)
        held = cool[rows.tokens]
        found = plan.rows_at(plan.candidates(plan.probes & held, held))
    else:
        found = _meeting(rows, low, marked(new, len(rows)), cool)
    pairs = verified(rows, low, found)
    sizes = np.diff(rows.starts)
    distance = -pairs.shared / np.minimum(sizes[pairs.left], sizes[pairs.right])
    kept = np.zeros(len(pairs), np.bool_)
    own, other = np.concatenate([pairs.left, pairs.right]), np.concatenate([pairs.right, pairs.left])
    sorting = np.lexsort((other, np.concatenate([distance, distance]), own))
    if new is not None:
        sorting = sorting[marked(new, len(rows))[own[sorting]]]
    ranked = own[sorting]
    place = np.arange(len(ranked)) - np.searchsorted(ranked, ranked)
    if len(pairs):
        kept[sorting[place < most] % len(pairs)] = True
    return Pairs(pairs.left[kept], pairs.right[kept], pairs.shared[kept])


def _meeting(
    rows: Rows, floor: Fraction, new: NDArray[np.bool_], cool: NDArray[np.bool_] | None
) -> Iterator[tuple[Ints, Ints]]:
    """Candidates (larger, smaller) with a new row among them, at the cost of two looks at every entry.

    New rows probe all entries for rows at least their size; the rarest tokens of all rows probe the new rows
    for larger ones. Where ``cool`` is given (by token) only cool tokens count.
    """
    starts, tokens = rows.starts, rows.tokens
    sizes = np.diff(starts)
    missing = _missing(sizes, floor)
    fresh = np.flatnonzero(new & (sizes > 0))
    if not len(fresh):
        return
    allowed = np.ones(int(tokens.max()) + 1, np.bool_) if cool is None else cool
    entries = _run(starts[fresh], sizes[fresh])
    entries = entries[allowed[tokens[entries]]]
    probes = _run(starts[fresh], missing[fresh] + 1)
    probes = probes[allowed[tokens[probes]]]
    posted = np.flatnonzero(_among(tokens[probes], len(allowed))[tokens])
    wanted = _among(tokens[entries], len(allowed))
    theirs = [np.zeros(0, np.int64)]
    for column in range(int(missing.max()) + 1):
        spot = starts[:-1][(missing >= column) & (sizes > column)] + column
        theirs.append(spot[wanted[tokens[spot]]])
    for probe, posting in ((probes, posted), (np.concatenate(theirs), entries)):
        for smaller, larger in _met(rows, probe, posting):
            apart = (smaller != larger) & (sizes[larger] >= sizes[smaller])
            yield larger[apart], smaller[apart]


def _run(first: Ints, count: Ints) -> Ints:
    """All places of the runs at once, for runs that are known to be few."""
    ends = np.cumsum(count)
    places: Ints = np.arange(int(ends[-1])) + np.repeat(first - (ends - count), count)
    return places


def _among(chosen: NDArray[np.int32], size: int) -> NDArray[np.bool_]:
    mask = np.zeros(size, np.bool_)
    mask[chosen] = True
    return mask


def _met(rows: Rows, probe: Ints, posting: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Row numbers (of the probe, of the posting) for each two entries of one token."""
    posting = posting[np.argsort(rows.tokens[posting], kind="stable")]
    keys = rows.tokens[posting]
    first = np.searchsorted(keys, rows.tokens[probe])
    count = np.searchsorted(keys, rows.tokens[probe], side="right") - first
    busy = np.flatnonzero(count)
    owner = np.searchsorted(rows.starts, probe[busy], side="right") - 1
    others = np.searchsorted(rows.starts, posting, side="right") - 1
    first, count = first[busy], count[busy]
    for at, upto, spot in expanded(first, count):
        yield np.repeat(owner[at:upto], count[at:upto]), others[spot]


def rows_of_words(sets: Sequence[AbstractSet[Hashable]]) -> Rows:
    """Rows of sets of any tokens."""
    sizes, tokens, _ = numbered(sets)
    return ordered(sizes, tokens)


def numbered(
    sets: Sequence[AbstractSet[Hashable]],
) -> tuple[Ints, NDArray[np.int32], Sequence[Hashable]]:
    """How many tokens each set has, their numbers end to end, and the tokens by number.

    Contents have numbers already; other sets' tokens are numbered in the order of first sight.
    """
    if isinstance(sets, Chosen):
        sizes = np.fromiter(map(len, sets.rows), np.int64, len(sets)) // 4
        return sizes, np.frombuffer(b"".join(sets.rows), np.int32), sets.words.known
    known = list(dict.fromkeys(chain.from_iterable(sets)))
    ids = {token: number for number, token in enumerate(known)}
    sizes = np.fromiter(map(len, sets), np.int64, len(sets))
    tokens = map(ids.__getitem__, chain.from_iterable(sets))
    return sizes, np.fromiter(tokens, np.int32, int(sizes.sum())), known


def marked(rows: AbstractSet[int] | Ints, size: int) -> NDArray[np.bool_]:
    """A mask of ``size`` rows, true at those in ``rows``."""
    mask = np.zeros(size, np.bool_)
    mask[rows if isinstance(rows, np.ndarray) else list(rows)] = True
    return mask


def triples(pairs: Pairs) -> list[tuple[int, int, int]]:
    """The pairs as plain Python numbers."""
    return list(zip(pairs.left.tolist(), pairs.right.tolist(), pairs.shared.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class _Plan:
    """Rows by place (size descending), their entries, and how many tokens each row may miss."""

    rows: Rows
    order: Ints
    sizes: Ints
    missing: Ints
    place: NDArray[np.int32]
    probes: NDArray[np.bool_]
    signatures: NDArray[np.uint64]

    @classmethod
    def of(cls, rows: Rows, floor: Fraction) -> _Plan:
        sizes = np.diff(rows.starts)
        order = _largest_first(sizes)
        places = np.empty(len(order), np.int32)
        places[order] = np.arange(len(order), dtype=np.int32)
        missing = _missing(sizes, floor)
        column = np.arange(len(rows.tokens)) - np.repeat(rows.starts[:-1], sizes)
        return cls(
            rows,
            order,
            sizes[order],
            missing[order],
            np.repeat(places, sizes),
            column <= np.repeat(missing, sizes),
            signatures(rows.starts, rows.tokens)[order],
        )

    def rows_at(self, found: Iterable[tuple[Ints, Ints]]) -> Iterator[tuple[Ints, Ints]]:
        """Places as row numbers."""
        for larger, smaller in found:
            yield self.order[larger], self.order[smaller]

    def candidates(
        self, probing: NDArray[np.bool_], posted: NDArray[np.bool_] | None = None
    ) -> Iterator[tuple[Ints, Ints]]:
        """Places (larger, smaller) that share a probing and a posted entry's token and pass the popcount.

        ``posted`` marks the entries that count; without it all do.
        """
        tokens, place = self.rows.tokens, self.place
        chosen = np.flatnonzero(probing)
        if not len(chosen):
            return
        probe = np.sort((tokens[chosen].astype(np.int64) << 32) | place[chosen])
        wanted = np.zeros(int(tokens.max()) + 1, np.bool_)
        wanted[probe >> 32] = True
        kept = np.flatnonzero(wanted[tokens] if posted is None else wanted[tokens] & posted)
        posting = np.sort((tokens[kept].astype(np.int64) << 32) | place[kept])
        first = np.searchsorted(posting, probe & ~0xFFFFFFFF)
        count = np.searchsorted(posting, probe) - first
        busy = np.flatnonzero(count)
        smaller, first, count = (probe[busy] & 0xFFFFFFFF).astype(np.int64), first[busy], count[busy]
        larger = (posting & 0xFFFFFFFF).astype(np.int32)
        marks = self.signatures[larger]
        for at, upto, spot in expanded(first, count):
            own = np.repeat(smaller[at:upto], count[at:upto])
            lacking = popcount(self.signatures[own] & ~marks[spot])
            live = np.flatnonzero(lacking <= self.missing[own])
            if len(live):
                yield larger[spot[live]].astype(np.int64), own[live]

    def signed(self, larger: Ints, smaller: Ints) -> tuple[Ints, Ints]:
        """Those of the candidates that pass the popcount."""
        lacking = popcount(self.signatures[smaller] & ~self.signatures[larger])
        live = np.flatnonzero(lacking <= self.missing[smaller])
        return larger[live], smaller[live]


def verified(rows: Rows, floor: Fraction, found: Iterable[tuple[Ints, Ints]]) -> Pairs:
    """Of candidate row numbers (larger, smaller) those that reach the floor, each once, ascending."""
    sizes = np.diff(rows.starts)
    least = sizes - _missing(sizes, floor)
    none = np.zeros(0, np.int64)
    held = [(none, none)]
    for candidates in _batched((small << 32) | large for large, small in found):
        keys = distinct(candidates)
        large, small = keys & 0xFFFFFFFF, keys >> 32
        widest_first = _largest_first(sizes[small])
        large, small = large[widest_first], small[widest_first]
        shared = _shared(rows, sizes, large, small)
        enough = shared >= least[small]
        large, small = large[enough], small[enough]
        held.append(((np.minimum(large, small) << 32) | np.maximum(large, small), shared[enough]))
    keys, shared = (np.concatenate(part) for part in zip(*held, strict=True))
    # A pair may have been met by more than one token; and of two rows of one size each may have probed the other.
    keys, at = np.unique(keys, return_index=True)
    return Pairs(keys >> 32, keys & 0xFFFFFFFF, shared[at])


def _batched(blocks: Iterable[Ints]) -> Iterator[Ints]:
    """The blocks end to end, ``TOGETHER`` or so at a time, so that a crowd of candidates never stands in memory."""
    waiting: list[Ints] = []
    count = 0
    for block in blocks:
        waiting.append(block)
        count += len(block)
        if count >= TOGETHER:
            yield np.concatenate(waiting)
            waiting, count = [], 0
    if waiting:
        yield np.concatenate(waiting)


def _largest_first(sizes: Ints) -> Ints:
    """The order by descending size; numbers of 16 bits are sorted by radix, in a fraction of the time."""
    most = int(sizes.max(initial=0))
    short = np.uint16 if most < 1 << 16 else np.int64
    return np.argsort((most - sizes).astype(short), kind="stable")


def _missing(sizes: Ints, floor: Fraction) -> Ints:
    """How many tokens a row of each size may miss: n − ⌈floor·n⌉."""
    return sizes - -(-floor.numerator * sizes // floor.denominator)


def _shared(rows: Rows, sizes: Ints, large: Ints, small: Ints) -> Ints:
    """|A∩B| of each pair; pairs come by descending size of the smaller."""
    shared = np.zeros(len(large), np.int64)
    at = 0
    while at < len(large):
        upto = min(len(large), at + ABREAST)
        width, other = int(sizes[small[at]]), int(sizes[large[at:upto]].max())
        if width * other > WIDE:
            mine, theirs = (rows.tokens[rows.starts[r] : rows.starts[r + 1]] for r in (small[at], large[at]))
            shared[at] = len(np.intersect1d(mine, theirs, assume_unique=True))
            at += 1
            continue
        mine = _columns(rows, sizes, small[at:upto], width, -1)
        theirs = _columns(rows, sizes, large[at:upto], other, -2)
        count = np.zeros(upto - at, np.uint16)
        # A token stands once in a row, so every match of two columns is one more shared token.
        for column in mine:
            for against in theirs:
                count += column == against
        shared[at:upto] = count
        at = upto
    return shared


def _columns(rows: Rows, sizes: Ints, chosen: Ints, width: int, filler: int) -> NDArray[np.int32]:
    """The rows' tokens, one array a column, ``width`` columns, filled up with ``filler``."""
    column = np.arange(width)[:, None]
    spot = np.minimum(rows.starts[chosen] + column, len(rows.tokens) - 1)
    block: NDArray[np.int32] = rows.tokens[spot]
    block[column >= sizes[chosen]] = filler
    return block


def expanded(first: Ints, count: Ints) -> Iterator[tuple[int, int, Ints]]:
    """Runs of ``count`` places from ``first`` on, end to end, in blocks of ``CHUNK``: (from, to, places)."""
    ends = np.cumsum(count)
    at = 0
    while at < len(count):
        done = int(ends[at - 1]) if at else 0
        upto = max(at + 1, int(np.searchsorted(ends, done + CHUNK, side="right")))
        size = count[at:upto]
        shift = first[at:upto] - (ends[at:upto] - size - done)
        yield at, upto, np.arange(int(ends[upto - 1]) - done) + np.repeat(shift, size)
        at = upto


def distinct(keys: Ints) -> Ints:
    """The keys ascending, each once. ``np.unique`` hashes, which is six times slower here."""
    keys = np.sort(keys)
    found: Ints = keys[np.concatenate([np.ones(min(1, len(keys)), np.bool_), keys[1:] != keys[:-1]])]
    return found


def signatures(starts: Ints, tokens: NDArray[np.int32]) -> NDArray[np.uint64]:
    """One bit of 64 for each token of a row, by a multiplicative hash of its rank."""
    sizes = np.diff(starts)
    found = np.zeros(len(sizes), np.uint64)
    places = (tokens.astype(np.uint32) * np.uint32(2654435761)) >> np.uint32(26)
    bits = np.uint64(1) << places.astype(np.uint64)
    filled = np.flatnonzero(sizes)
    if len(filled):
        found[filled] = np.bitwise_or.reduceat(bits, starts[:-1][filled])
    return found


def popcount(words: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """How many bits are set in each word."""
    if hasattr(np, "bitwise_count"):
        return np.bitwise_count(words)
    words = words - ((words >> np.uint64(1)) & np.uint64(0x5555555555555555))
    words = (words & np.uint64(0x3333333333333333)) + (
        (words >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    words = (words + (words >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return ((words * np.uint64(0x0101010101010101)) >> np.uint64(56)).astype(np.uint8)
