"""Which facts are worth a proposer's look: pairs that may be duplicates, and pairs that may become one fact.

Nominations are exact and complete at the floor, and decide nothing. Small sets are compared in plain Python,
so that a small sleep never loads numpy; larger ones go through ``core.join``.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from functools import lru_cache
from heapq import merge
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from nocturne.core.contents import Chosen, Contents, Row, gathered
from nocturne.core.facts import Block, Fact
from nocturne.core.table import by_id, shared

SMALL = 45_000
"""Up to so many set intersections (300 rows against each other) are cheaper than importing numpy."""

HOT = 100
"""Facts that share only words said in more facts of their group than this are not nominated for a merge."""

CROWD = 64
"""So many texts of one content set are all compared; beyond that their pairs would grow with the square."""

KEEPER_RANK: dict[Block, int] = {"human": 0, "persona": 0, "schemas": 0, "episodes": 1, "scratch": 2}

Triple = tuple[int, int, int]


class Nominee(NamedTuple):
    """``drop`` may say what ``keep`` says; ``equal`` where their content sets are the same."""

    drop: int
    keep: int
    similarity: Fraction
    equal: bool


class Neighbours(NamedTuple):
    """Two facts, the lower id first, that may be said in one text."""

    first: int
    second: int
    similarity: Fraction


def reaches(shared: int, size: int, floor: Fraction) -> bool:
    """The gate's comparison: shared/size ≥ floor, where ``size`` is that of the smaller set, not empty."""
    return size > 0 and shared * floor.denominator >= floor.numerator * size


def falling(measure: Fraction) -> float:
    """Sorts the greater first: exactly, because floats tell all quotients of numbers below 2²⁶ apart; and quickly."""
    return -(measure.numerator / measure.denominator)


def candidate_pairs(
    rows: Sequence[Collection[int]], floor: Fraction, new: AbstractSet[int] | None = None
) -> list[Triple]:
    """All pairs of rows of token ids with containment ≥ ``floor``: (i, j, shared), i < j, ascending.

    Exact; a token counts once a row; an empty row pairs with nothing. With ``new`` (row numbers) only the
    pairs that have a new row among them.
    """
    return list(_joined([frozenset(row) for row in rows], floor, new))


def _joined(
    sets: Sequence[AbstractSet[Hashable]], floor: Fraction, new: AbstractSet[int] | None
) -> Iterable[Triple]:
    """The pairs by the cheaper of the two ways."""
    firsts = range(len(sets)) if new is None else sorted(new)
    if len(firsts) * len(sets) // (2 if new is None else 1) <= SMALL:
        return _one_by_one(list(sets), floor, firsts, new)
    from nocturne.core import join

    rows = join.rows_of_words(sets)
    mask = None if new is None else join.marked(new, len(sets))
    return join.triples(join.containment_join(rows, floor, mask))


def _one_by_one(
    sets: Sequence[AbstractSet[Hashable]], floor: Fraction, firsts: Iterable[int], new: AbstractSet[int] | None
) -> list[Triple]:
    found = []
    for i in firsts:
        a = sets[i]
        # With every row first in turn, earlier ones have been met; so have new ones below a new row.
        for j in range(i + 1 if new is None else 0, len(sets)):
            b = sets[j]
            if new is not None and (j == i or (j < i and j in new)):
                continue
            if a and b and reaches(shared := len(a & b), min(len(a), len(b)), floor):
                found.append((min(i, j), max(i, j), shared))
    found.sort()
    return found


def keeper_key(fact: Fact) -> tuple[int, bool, int, int]:
    """Sorts the better keeper first: lasting blocks, then pinned, then earliest said, then lowest id."""
    said = fact.said_at if fact.said_at is not None else fact.recorded_at
    return (KEEPER_RANK[fact.block], not fact.pinned, said, fact.id)


def keeper(a: Fact, b: Fact, content: Mapping[int, frozenset[str]]) -> tuple[int, int]:
    """(keep, other): a proper superset keeps; where neither is one, ``keeper_key`` decides."""
    one, two = content[a.id], content[b.id]
    if one < two:
        return b.id, a.id
    if two < one:
        return a.id, b.id
    return (a.id, b.id) if keeper_key(a) < keeper_key(b) else (b.id, a.id)


@lru_cache(maxsize=4_096)
def _measure(shared: int, size: int) -> Fraction:
    """The quotient: few sizes make few of them, and a million pairs can hold the same ones."""
    return Fraction(shared, size)


def nominate_pairs(
    facts: Iterable[Fact] | Mapping[int, Fact],
    content: Mapping[int, frozenset[str]],
    floor: Fraction,
    *,
    fresh: AbstractSet[int] | None = None,
    schemas: bool = True,
) -> list[Nominee]:
    """Pairs of active facts with containment ≥ ``floor``, in the keeper's order; by drop, best first.

    With ``fresh`` only the pairs that have a fresh fact among them. Of facts that are the same but for
    their place and record (``_Same``) only the best keeper meets other facts and each of the rest meets
    that keeper alone: other pairs would say nothing new and grow with the square. Of more than ``CROWD``
    texts with one content set the best so many meet all others, the rest meet only those. Schemas meet
    only schemas, because they are made of their members' words, or are left out; namespaces never meet.
    """
    held, table = gathered(content), by_id(facts)
    rooms: dict[Hashable, array[int]] = defaultdict(_no_ids)
    for id_, room in shared(table, _room):
        if room is not None and (schemas or not room[1]):
            rooms[room].append(id_)
    found: list[Nominee] = []
    for members in rooms.values():
        heads, rows = _no_ids(), list[Row]()
        for row, same in _of_one_content(members, held):
            best, told = _best(same, table, fresh)
            heads.extend(best)
            rows += [row] * len(best)
            found += [Nominee(drop, keep, Fraction(1), equal=True) for drop, keep in told]
        sets = Chosen(held.words, rows)
        for i, j, common in _joined(sets, floor, _rows(heads, fresh)):
            keep_id, drop_id = keeper(table[heads[i]], table[heads[j]], held)
            similarity = _measure(common, min(sets.size(i), sets.size(j)))
            found.append(Nominee(drop_id, keep_id, similarity, sets.rows[i] == sets.rows[j]))
    by_drop = attrgetter("drop")
    found.sort(key=by_drop)
    # Keys for all pairs at once would be several times as large as the pairs.
    return [
        pair
        for _, same_drop in groupby(found, by_drop)
        for pair in sorted(
            same_drop, key=lambda pair: (falling(pair.similarity), keeper_key(table[pair.keep]))
        )
    ]


def _no_ids() -> array[int]:
    return array("q")


def _room(fact: Fact) -> tuple[str, bool] | None:
    """Whom an active fact may meet."""
    return (fact.namespace, fact.block == "schemas") if fact.active else None


def _of_one_content(members: Iterable[int], held: Contents[int]) -> Iterator[tuple[Row, list[int]]]:
    """Each content set that is not empty, with its facts. Most are alone: lists of all would outweigh the contents."""
    first: dict[Row, int] = {}
    more: dict[Row, list[int]] = defaultdict(list)
    for id_ in members:
        row = held.rows[id_]
        if row and first.setdefault(row, id_) != id_:
            more[row].append(id_)
    for row, id_ in first.items():
        yield row, [id_, *more.get(row, ())]


def _best(
    same: Sequence[int], table: Mapping[int, Fact], fresh: AbstractSet[int] | None
) -> tuple[Sequence[int], list[tuple[int, int]]]:
    """Of facts of one content set those that meet all others; and which of the rest (drop, keep) meet only them."""
    if len(same) == 1:
        return same, []
    groups: dict[_Same, list[Fact]] = defaultdict(list)
    for id_ in same:
        fact = table[id_]
        groups[_Same.of(fact)].append(fact)
    told: list[tuple[int, int]] = []
    heads = []
    for group in groups.values():
        head = min(group, key=keeper_key)
        heads.append(head)
        told += _told([head], group, fresh)
    if len(heads) > CROWD:
        heads.sort(key=keeper_key)
        told += _told(heads[:CROWD], heads[CROWD:], fresh)
    return [head.id for head in heads[:CROWD]], told


class _Same(NamedTuple):
    """What a gate may look at besides content: facts that agree in all of it are judged alike."""

    text: str
    subject: str
    speaker: str | None
    occurred_at: int | None
    valid_from: int | None
    valid_until: int | None

    @classmethod
    def of(cls, fact: Fact) -> _Same:
        return cls(fact.text, fact.subject, fact.speaker, fact.occurred_at, fact.valid_from, fact.valid_until)


def _told(
    keepers: Sequence[Fact], others: Iterable[Fact], fresh: AbstractSet[int] | None
) -> Iterator[tuple[int, int]]:
    """Each of the others with each keeper."""
    for fact in others:
        for keep in keepers:
            if fact is not keep and (fresh is None or fact.id in fresh or keep.id in fresh):
                yield fact.id, keep.id


def _rows(ids: Iterable[int], fresh: AbstractSet[int] | None) -> AbstractSet[int] | None:
    return None if fresh is None else {row for row, id_ in enumerate(ids) if id_ in fresh}


def nominate_unions(
    companies: Iterable[tuple[int, Hashable]],
    content: Mapping[int, frozenset[str]],
    low: Fraction,
    *,
    per_fact: int = 3,
    fresh: AbstractSet[int] | None = None,
    hot: int = HOT,
) -> Iterator[Neighbours]:
    """Pairs of one company with containment ≥ ``low`` that are among the ``per_fact`` nearest of either fact.

    ``companies`` has facts with what two of them must have in common before a merge is worth a question.
    Near-linear by one rule that can be said: a pair must share a token that at most ``hot`` facts of its
    company hold. With ``fresh`` only the ``per_fact`` nearest of each fresh fact, so that questions follow what
    changed and not how much there is that resembles it. The nearest come first, of equals those of the lowest ids.
    """
    held = gathered(content)
    groups: dict[Hashable, array[int]] = defaultdict(_no_ids)
    for id_, company in companies:
        groups[company].append(id_)
    # A million facts have more than a million such pairs: of each only its ids are kept, by what they measure.
    found: dict[Fraction, list[array[int]]] = defaultdict(list)
    for ids in groups.values():
        members, sets = held.chosen(array("q", sorted(ids)))
        near: dict[Fraction, array[int]] = defaultdict(_no_ids)
        for i, j, common in _nearest(sets, low, _rows(members, fresh), per_fact, hot):
            near[_measure(common, min(sets.size(i), sets.size(j)))].extend((members[i], members[j]))
        for similarity, pairs in near.items():
            found[similarity].append(pairs)
    del groups
    for similarity in sorted(found, key=falling):
        for first, second in merge(*map(_by_two, found.pop(similarity))):
            yield Neighbours(first, second, similarity)


def _by_two(ids: Iterable[int]) -> Iterator[tuple[int, int]]:
    each = iter(ids)
    return zip(each, each, strict=True)


def _nearest(
    sets: Sequence[AbstractSet[str]], low: Fraction, new: AbstractSet[int] | None, most: int, hot: int
) -> Iterable[Triple]:
    firsts = range(len(sets)) if new is None else sorted(new)
    if len(firsts) * len(sets) // (2 if new is None else 1) > SMALL:
        from nocturne.core import join

        return join.triples(join.nearest(sets, low, new, most, hot))
    sets = list(sets)
    count = Counter(token for row in sets for token in row)
    pairs = [
        (i, j, shared)
        for i, j, shared in _one_by_one(sets, low, firsts, new)
        if any(count[token] <= hot for token in sets[i] & sets[j])
    ]
    near: dict[int, list[tuple[Fraction, int, Triple]]] = defaultdict(list)
    for pair in pairs:
        i, j, shared = pair
        distance = -Fraction(shared, min(len(sets[i]), len(sets[j])))
        for own, other in ((i, j), (j, i)):
            if new is None or own in new:
                near[own].append((distance, other, pair))
    return sorted({pair for ranked in near.values() for _, _, pair in sorted(ranked)[:most]})
