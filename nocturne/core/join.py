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
from nocturne.core.entries import Ints, Owners, counted, ends_of, lots, run, stretches

Shorts = NDArray[np.int32]
CHUNK = 1 << 18
"""Candidates looked at at once: what fits the second-level cache."""
ABREAST = 1 << 13
"""Pairs counted at once."""
TOGETHER = 1 << 18
"""Candidates of which those met twice are taken out before they are counted."""
WIDE = 1 << 12
"""Products of two rows' sizes above which a pair is counted by itself."""
AGAIN = 0x85EBCA6B
"""The factor of a second signature: what passes the first by chance seldom passes both."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Token sets as compressed rows: row r is ``tokens[starts[r]:starts[r + 1]]``, ascending by rank."""

    starts: Ints
    tokens: Shorts

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


def rows_of(sets: Sequence[Collection[int]], ranks: Shorts | None = None) -> Rows:
    """Rows of sets of token ids (repeats within one are dropped).

    ``ranks[id]`` is the token's place in a frozen order, lowest first; without it the order is rarest first
    among these very rows.
    """
    sizes = np.fromiter(map(len, sets), np.int64, len(sets))
    tokens = np.fromiter(chain.from_iterable(sets), np.int32, int(sizes.sum()))
    return ordered(sizes, tokens, ranks)


def rows_of_blobs(blobs: Iterable[bytes], ranks: Shorts | None = None) -> Rows:
    """Rows of stored blobs, each the little-endian 32-bit token ids of one fact."""
    held = list(blobs)
    sizes = np.fromiter(map(len, held), np.int64, len(held)) // 4
    return ordered(sizes, np.frombuffer(b"".join(held), "<i4").astype(np.int32, copy=False), ranks)


def rarest_first(counts: Ints) -> Shorts:
    """The rank of each token id in the order of ascending ``counts``; of equals the lowest id first."""
    ranks = np.empty(len(counts), np.int32)
    ranks[np.argsort(counts, kind="stable")] = np.arange(len(counts), dtype=np.int32)
    return ranks


def extended(ranks: Shorts, size: int) -> Shorts:
    """A frozen order for ``size`` token ids: unseen ones are the rarest, so they come before all others.

    The order among the old ones stays as it is: what was joined before need not be joined again.
    """
    new = size - len(ranks)
    if new <= 0:
        return ranks
    return np.concatenate([ranks + np.int32(new), np.arange(new - 1, -1, -1, dtype=np.int32)])


def ordered(sizes: Ints, tokens: Shorts, ranks: Shorts | None = None) -> Rows:
    """Rows from their sizes and their concatenated token ids, sorted by rank within each row."""
    if not len(tokens):
        return Rows(np.zeros(len(sizes) + 1, np.int64), tokens)
    if ranks is None:
        ranks = rarest_first(counted(tokens))
    starts = ends_of(sizes)
    kept = np.empty(len(sizes), np.int64)
    found = np.empty(len(tokens), np.int32)
    filled = 0
    for at, upto in stretches(starts):
        keys = np.repeat(np.arange(upto - at, dtype=np.int64) << 32, sizes[at:upto])
        keys |= ranks[tokens[starts[at] : starts[upto]]]
        keys.sort()
        kept[at:upto] = sizes[at:upto]
        repeats = np.flatnonzero(keys[1:] == keys[:-1])
        if len(repeats):
            keys = np.delete(keys, repeats)
            kept[at:upto] = np.bincount(keys >> 32, minlength=upto - at)
        found[filled : filled + len(keys)] = keys & 0xFFFFFFFF
        filled += len(keys)
    return Rows(ends_of(kept), found[:filled])


def containment_join(rows: Rows, floor: Fraction, new: NDArray[np.bool_] | None = None) -> Pairs:
    """All pairs of rows with containment ≥ ``floor``, ascending; with ``new``, those that have a new row."""
    if new is not None:
        return verified(rows, floor, _meeting(rows, floor, new, None))
    plan = _Plan.of(rows, floor)
    found: list[Iterator[tuple[Ints, Ints]]] = []
    rare = plan.rare
    crowded = crowds.crowd(rows.starts, rows.tokens, plan.order, plan.places)
    if crowded is not None:
        sizes = _sizes(rows)[plan.order]
        found.append(plan.signed(*pairs) for pairs in crowded.candidates(sizes, plan.missing))
        rare = rare.copy()
        rare[crowded.places] = -1
    found.append(plan.candidates(rare))
    return verified(rows, floor, plan.rows_at(chain.from_iterable(found)))


def nearest(
    sets: Sequence[AbstractSet[Hashable]], low: Fraction, new: AbstractSet[int] | None, most: int, hot: int
) -> Pairs:
    """Pairs with containment ≥ ``low`` that share a token of at most ``hot`` rows; the ``most`` best a (new) row.

    The rarest token that two rows share is among the smaller one's rarest n − ⌈low·n⌉ + 1, so hot tokens
    can be left out of both sides of the filter without losing any pair that shares a cooler one.
    """
    rows = rows_of_words(sets)
    cool = counted(rows.tokens) <= hot
    fresh = None if new is None else marked(new, len(rows))
    if fresh is None:
        plan = _Plan.of(rows, low)
        found = plan.rows_at(plan.candidates(plan.rare, cool))
    else:
        found = _meeting(rows, low, fresh, cool)
    sizes = _sizes(rows)
    best, waiting, count = _NO_PAIRS, [], 0
    for pairs in _reaching(rows, low, found):
        waiting.append(pairs)
        count += len(pairs)
        # What is among the nearest of all is among the nearest of any part: the rest need not be kept.
        if count > len(best) + TOGETHER:
            best, waiting, count = _nearest(_together(best, *waiting), sizes, fresh, most), [], 0
    return _nearest(_together(best, *waiting), sizes, fresh, most)


def _nearest(pairs: Pairs, sizes: Shorts, fresh: NDArray[np.bool_] | None, most: int) -> Pairs:
    """Of ascending pairs those among the ``most`` nearest of one of their rows, which is fresh, where some are."""
    left, right = pairs.left, pairs.right
    distance = -pairs.shared / np.minimum(sizes[left], sizes[right])
    count = np.bincount(left, minlength=len(sizes)) + np.bincount(right, minlength=len(sizes))
    if fresh is not None:
        count *= fresh
    kept = np.zeros(len(pairs), np.bool_)
    for first, end in stretches(ends_of(count)):
        ours = np.arange(*np.searchsorted(left, (first, end)))
        theirs = np.flatnonzero((right >= first) & (right < end))
        spot = np.concatenate([ours, theirs])
        own, other = np.concatenate([left[ours], right[theirs]]), np.concatenate([right[ours], left[theirs]])
        sorting = np.lexsort((other, distance[spot], own))
        if fresh is not None:
            sorting = sorting[fresh[own[sorting]]]
        ranked = own[sorting]
        place = np.arange(len(ranked)) - np.searchsorted(ranked, ranked)
        kept[spot[sorting[place < most]]] = True
    return Pairs(left[kept], right[kept], pairs.shared[kept])


def _meeting(
    rows: Rows, floor: Fraction, new: NDArray[np.bool_], cool: NDArray[np.bool_] | None
) -> Iterator[tuple[Ints, Ints]]:
    """Candidates (larger, smaller) with a new row among them, at the cost of two looks at every entry.

    New rows probe all entries for rows at least their size; the rarest tokens of all rows probe the new rows
    for larger ones. Where ``cool`` is given (by token) only cool tokens count.
    """
    starts, tokens, sizes = rows.starts, rows.tokens, _sizes(rows)
    missing = _missing(sizes, floor)
    allowed = np.ones(int(tokens.max(initial=-1)) + 1, np.bool_) if cool is None else cool
    fresh = np.flatnonzero(new & (sizes > 0))
    for at, upto in stretches(ends_of(sizes[fresh])):
        some = fresh[at:upto]
        entries = run(starts[some], sizes[some])
        posting = _by_token(rows, entries[allowed[tokens[entries]]])
        entries = run(starts[some], missing[some] + 1)
        probe = _by_token(rows, entries[allowed[tokens[entries]]])
        ours = _met_by_lots(rows, probe, _among(probe[0], len(allowed)))
        wanted = _among(posting[0], len(allowed))
        theirs = (_met(each, posting) for each in _rarest(rows, sizes, missing, wanted))
        for smaller, larger in chain(ours, chain.from_iterable(theirs)):
            apart = (smaller != larger) & (sizes[larger] >= sizes[smaller])
            yield larger[apart], smaller[apart]


_Held = tuple[Shorts, Ints]
"""The tokens of some entries, and the rows in which they stand."""


def _by_token(rows: Rows, entries: Ints) -> _Held:
    """Ascending entries, by token."""
    tokens, owner = rows.tokens[entries], np.searchsorted(rows.starts, entries, side="right") - 1
    sorting = np.argsort(tokens, kind="stable")
    return tokens[sorting], owner[sorting]


def _rarest(rows: Rows, sizes: Shorts, missing: Shorts, wanted: NDArray[np.bool_]) -> Iterator[_Held]:
    """The entries of wanted tokens that are rare to their rows, of each row one at a time."""
    for column in range(int(missing.max()) + 1):
        owner = np.flatnonzero((missing >= column) & (sizes > column))
        tokens = rows.tokens[rows.starts[owner] + column]
        held = wanted[tokens]
        yield tokens[held], owner[held]


def _among(chosen: Shorts, size: int) -> NDArray[np.bool_]:
    mask = np.zeros(size, np.bool_)
    mask[chosen] = True
    return mask


def _met_by_lots(rows: Rows, probe: _Held, posted: NDArray[np.bool_]) -> Iterator[tuple[Ints, Ints]]:
    """What ``_met`` gives for all entries of the posted tokens; the probe stands by token."""
    tokens, owner = probe
    for lot in lots(rows.tokens, posted):
        posting = _by_token(rows, lot)
        if len(lot):
            first, last = posting[0][[0, -1]]
            own = slice(np.searchsorted(tokens, first), np.searchsorted(tokens, last, side="right"))
            yield from _met((tokens[own], owner[own]), posting)


def _met(probe: _Held, posting: _Held) -> Iterator[tuple[Ints, Ints]]:
    """Row numbers (of the probe, of the posting, which stands by token) for each two entries of one token."""
    tokens, owner = probe
    first = np.searchsorted(posting[0], tokens)
    count = np.searchsorted(posting[0], tokens, side="right") - first
    busy = np.flatnonzero(count)
    owner, first, count = owner[busy], first[busy], count[busy]
    for at, upto, spot in expanded(first, count):
        yield np.repeat(owner[at:upto], count[at:upto]), posting[1][spot]


def rows_of_words(sets: Sequence[AbstractSet[Hashable]]) -> Rows:
    """Rows of sets of any tokens."""
    sizes, tokens, _ = numbered(sets)
    return ordered(sizes, tokens)


def numbered(
    sets: Sequence[AbstractSet[Hashable]],
) -> tuple[Ints, Shorts, Sequence[Hashable]]:
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


def triples(pairs: Pairs) -> Iterator[tuple[int, int, int]]:
    """The pairs as plain Python numbers."""
    for at in range(0, len(pairs), ABREAST):
        left, right, shared = (
            part[at : at + ABREAST].tolist() for part in (pairs.left, pairs.right, pairs.shared)
        )
        yield from zip(left, right, shared, strict=True)


@dataclass(frozen=True, slots=True)
class _Plan:
    """Rows by place (size descending): the last entry that is rare to each, and how many tokens it may miss."""

    rows: Rows
    order: Shorts
    places: Owners
    rare: Ints
    missing: Shorts
    signatures: NDArray[np.uint64]

    @classmethod
    def of(cls, rows: Rows, floor: Fraction) -> _Plan:
        sizes = _sizes(rows)
        order = _largest_first(sizes).astype(np.int32)
        places = np.empty(len(order), np.int32)
        places[order] = np.arange(len(order), dtype=np.int32)
        missing = _missing(sizes, floor)
        return cls(
            rows,
            order,
            Owners.of(rows.starts, places),
            (rows.starts[:-1] + missing)[order],
            missing[order],
            signatures(rows.starts, rows.tokens)[order],
        )

    def rows_at(self, found: Iterable[tuple[Ints, Ints]]) -> Iterator[tuple[Ints, Ints]]:
        """Places as row numbers."""
        for larger, smaller in found:
            yield self.order[larger].astype(np.int64), self.order[smaller].astype(np.int64)

    def candidates(self, rare: Ints, posted: NDArray[np.bool_] | None = None) -> Iterator[tuple[Ints, Ints]]:
        """Places (larger, smaller) that share a token that is rare to the smaller one, and pass the popcount.

        ``rare`` is as the plan's, or −1 where a row does not probe; ``posted`` marks the tokens that count, without
        it all do.
        """
        tokens = self.rows.tokens
        wanted = self._probed(rare)
        if posted is not None:
            wanted &= posted
        for entries in lots(tokens, wanted):
            places = self.places[entries]
            posting = (tokens[entries].astype(np.int64) << 32) | places
            probe = np.sort(posting[entries <= rare[places]])
            posting.sort()
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

    def _probed(self, rare: Ints) -> NDArray[np.bool_]:
        """The tokens of the rare entries."""
        starts, tokens = self.rows.starts, self.rows.tokens
        found = np.zeros(int(tokens.max(initial=-1)) + 1, np.bool_)
        upto = np.empty(len(self.rows), np.int64)
        upto[self.order] = rare + 1
        count = np.clip(upto - starts[:-1], 0, np.diff(starts))
        for at, end in stretches(ends_of(count)):
            found[tokens[run(starts[at:end], count[at:end])]] = True
        return found

    def signed(self, larger: Ints, smaller: Ints) -> tuple[Ints, Ints]:
        """Those of the candidates that pass the popcount."""
        lacking = popcount(self.signatures[smaller] & ~self.signatures[larger])
        live = np.flatnonzero(lacking <= self.missing[smaller])
        return larger[live], smaller[live]


def verified(rows: Rows, floor: Fraction, found: Iterable[tuple[Ints, Ints]]) -> Pairs:
    """Of candidate row numbers (larger, smaller) those that reach the floor, each once, ascending."""
    return _together(_NO_PAIRS, *_reaching(rows, floor, found))


def _reaching(rows: Rows, floor: Fraction, found: Iterable[tuple[Ints, Ints]]) -> Iterator[Pairs]:
    """Batches of those that reach the floor; one may stand in several of them."""
    sizes = _sizes(rows)
    missing = _missing(sizes, floor)
    least = sizes - missing
    marks, seen = None, 0
    for keys in batched((small << 32) | large for large, small in found):
        large, small = keys & 0xFFFFFFFF, keys >> 32
        seen += len(keys)
        if marks is None and seen > len(rows):
            # By then signing all rows anew is cheaper than counting on.
            marks = signatures(rows.starts, rows.tokens, AGAIN)
        if marks is not None:
            live = np.flatnonzero(popcount(marks[small] & ~marks[large]) <= missing[small])
            large, small = large[live], small[live]
        widest_first = _largest_first(sizes[small])
        large, small = large[widest_first], small[widest_first]
        shared = _shared(rows, sizes, large, small)
        enough = shared >= least[small]
        large, small = large[enough], small[enough]
        yield Pairs(np.minimum(large, small), np.maximum(large, small), shared[enough])


def _together(*parts: Pairs) -> Pairs:
    """All pairs, each once, ascending."""
    # A pair may have been met by more than one token; and of two rows of one size each may have probed the other.
    keys, at = np.unique(
        np.concatenate([(pairs.left << 32) | pairs.right for pairs in parts]), return_index=True
    )
    shared = np.concatenate([pairs.shared for pairs in parts])[at]
    return Pairs(keys >> 32, keys & 0xFFFFFFFF, shared)


_NO_PAIRS = Pairs(*(np.zeros(0, np.int64),) * 3)


def batched(blocks: Iterable[Ints]) -> Iterator[Ints]:
    """The blocks' keys, each once a batch of ``TOGETHER`` or so: a crowd of candidates never stands in memory."""
    waiting: list[Ints] = []
    count = 0
    for block in blocks:
        waiting.append(block)
        count += len(block)
        if count >= TOGETHER:
            keys = distinct(np.concatenate(waiting))
            waiting, count = [], 0
            yield keys
    if waiting:
        yield distinct(np.concatenate(waiting))


def _sizes(rows: Rows) -> Shorts:
    return np.diff(rows.starts).astype(np.int32)


def _largest_first(sizes: Shorts) -> Ints:
    """The order by descending size; numbers of 16 bits are sorted by radix, in a fraction of the time."""
    most = int(sizes.max(initial=0))
    short = np.uint16 if most < 1 << 16 else np.int64
    return np.argsort((most - sizes).astype(short), kind="stable")


def _missing(sizes: Shorts, floor: Fraction) -> Shorts:
    """How many tokens a row of each size may miss: n − ⌈floor·n⌉."""
    # A floor of many decimals takes whole numbers that sizes need not have.
    return sizes - (-(-floor.numerator * sizes.astype(np.int64) // floor.denominator)).astype(np.int32)


def _shared(rows: Rows, sizes: Shorts, large: Ints, small: Ints) -> Ints:
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


def _columns(rows: Rows, sizes: Shorts, chosen: Ints, width: int, filler: int) -> Shorts:
    """The rows' tokens, one array a column, ``width`` columns, filled up with ``filler``."""
    column = np.arange(width)[:, None]
    spot = np.minimum(rows.starts[chosen] + column, len(rows.tokens) - 1)
    block: Shorts = rows.tokens[spot]
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


def signatures(starts: Ints, tokens: Shorts, factor: int = 0x9E3779B1) -> NDArray[np.uint64]:
    """One bit of 64 for each token of a row, by a multiplicative hash of its rank."""
    found = np.zeros(len(starts) - 1, np.uint64)
    for at, upto in stretches(starts):
        some = tokens[starts[at] : starts[upto]].astype(np.uint32)
        bits = np.uint64(1) << ((some * np.uint32(factor)) >> np.uint32(26)).astype(np.uint64)
        first = starts[at:upto]
        filled = np.flatnonzero(first < starts[at + 1 : upto + 1])
        if len(filled):
            found[at + filled] = np.bitwise_or.reduceat(bits, first[filled] - first[0])
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
