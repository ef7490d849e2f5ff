"""Goals 1 to 4: candidate pairs, beside the naive way and the packages that one would otherwise take."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nocturne.core import join
from tests.bench.child import Meter

FLOOR = Fraction(9, 10)
RUNS = 5


def load(path: str) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Row sizes and concatenated tokens of a made set."""
    with np.load(path) as held:
        return held["sizes"], held["tokens"]


def lists(path: str) -> list[list[int]]:
    """The rows as plain lists."""
    sizes, tokens = load(path)
    return [row.tolist() for row in np.split(tokens, np.cumsum(sizes)[:-1])]


def digest(pairs: NDArray[np.int64]) -> str:
    """A digest of pairs (n×2, left < right) that does not depend on their order."""
    return hashlib.sha256(np.unique(pairs, axis=0).tobytes()).hexdigest() if len(pairs) else "none"


def _pairs(found: join.Pairs, step: int) -> dict[str, Any]:
    pairs = np.stack([found.left, found.right], axis=1)
    pairs = pairs[pairs[:, 1] % step == 0]
    return {"pairs": len(pairs), "digest": digest(pairs)}


def ours(meter: Meter, path: str, step: int = 1) -> dict[str, Any]:
    """Our join, from stored token ids to pairs; told are those whose right row is a multiple of ``step``."""
    sizes, tokens = load(path)
    found = join.containment_join(join.ordered(sizes, tokens), FLOOR)
    for _ in range(RUNS):
        with meter.running():
            join.containment_join(join.ordered(sizes, tokens), FLOOR)
    return _pairs(found, step)


def joined(meter: Meter, path: str) -> dict[str, Any]:
    """Our join alone, over rows that stand in rank order as they are stored."""
    rows = join.ordered(*load(path))
    found = join.containment_join(rows, FLOOR)
    for _ in range(RUNS):
        with meter.running():
            join.containment_join(rows, FLOOR)
    return _pairs(found, 1)


def incremental(meter: Meter, path: str, new: int) -> dict[str, Any]:
    """Our join of ``new`` rows with all others, and the same pairs taken from the full join."""
    rows = join.ordered(*load(path))
    mask = np.zeros(len(rows), np.bool_)
    mask[np.random.default_rng(7).choice(len(rows), new, replace=False)] = True
    found = join.containment_join(rows, FLOOR, mask)
    for _ in range(RUNS):
        with meter.running():
            join.containment_join(rows, FLOOR, mask)
    full = join.containment_join(rows, FLOOR)
    held = mask[full.left] | mask[full.right]
    same = np.array_equal(full.left[held], found.left) and np.array_equal(full.right[held], found.right)
    return {**_pairs(found, 1), "same": bool(same)}


def naive(meter: Meter, path: str, step: int = 1) -> dict[str, Any]:
    """Every pair in turn; with ``step`` only every so many rows against all before them."""
    sets = [frozenset(row) for row in lists(path)]
    found = []
    with meter.running():
        for j in range(0, len(sets), step):
            b = sets[j]
            for i in range(j):
                a = sets[i]
                if len(a & b) / min(len(a), len(b)) >= 0.9:
                    found.append((i, j))
    return {"pairs": len(found), "digest": digest(np.array(found, np.int64))}


DUCKDB_PREFIX = """
CREATE TABLE prefix AS SELECT * FROM tokens WHERE place <= size - ceil(0.9 * size)
"""
DUCKDB_JOIN = """
WITH met AS (
    SELECT DISTINCT larger.row AS a, smaller.row AS b
    FROM prefix AS smaller JOIN tokens AS larger USING (token)
    WHERE larger.size > smaller.size OR (larger.size = smaller.size AND larger.row < smaller.row)
)
SELECT least(a, b), greatest(a, b)
FROM met JOIN tokens AS y ON y.row = b JOIN tokens AS x ON x.row = a AND x.token = y.token
GROUP BY a, b, y.size
HAVING count(*) >= 0.9 * y.size - 1e-9
"""


def duckdb_prefix(meter: Meter, path: str) -> dict[str, Any]:
    """The same prefix filter as SQL, its tables in memory and made beforehand; DuckDB uses all cores."""
    import duckdb

    rows = join.ordered(*load(path))
    sizes = np.diff(rows.starts)
    row = np.repeat(np.arange(len(rows)), sizes)
    entries = {
        "row": row.astype(np.int32),
        "token": rows.tokens,
        "place": (np.arange(len(rows.tokens)) - rows.starts[row]).astype(np.int32),
        "size": sizes[row].astype(np.int32),
    }
    with duckdb.connect() as base:
        base.register("entries", entries)
        base.execute("CREATE TABLE tokens AS SELECT * FROM entries")
        base.execute(DUCKDB_PREFIX)
        found = base.execute(DUCKDB_JOIN).fetchnumpy()
        for _ in range(RUNS):
            with meter.running():
                base.execute(DUCKDB_JOIN).fetchnumpy()
    pairs = np.stack([np.asarray(column, np.int64) for column in found.values()], axis=1)
    return {"pairs": len(pairs), "digest": digest(pairs)}


def datasketch_lsh(meter: Meter, path: str) -> dict[str, Any]:
    """MinHash LSH at a Jaccard of 0.5, candidates verified; ``recall`` is against the exact pairs."""
    from datasketch import MinHash, MinHashLSH

    held = lists(path)
    sets = [frozenset(row) for row in held]
    found = set()
    with meter.running():
        index = MinHashLSH(threshold=0.5, num_perm=128)
        for j, sketch in enumerate(MinHash.generator([[str(t).encode() for t in row] for row in held])):
            for i in index.query(sketch):
                if len(sets[i] & sets[j]) / min(len(sets[i]), len(sets[j])) >= 0.9:
                    found.add((i, j))
            index.insert(j, sketch)
    exact = join.containment_join(join.ordered(*load(path)), FLOOR)
    return {"pairs": len(found), "recall": len(found) / max(1, len(exact))}


def rapidfuzz_cdist(meter: Meter, path: str) -> dict[str, Any]:
    """``token_set_ratio`` of all pairs at 90 and above; ``precision`` against the exact pairs."""
    from rapidfuzz import fuzz, process

    texts = [" ".join(f"w{token}" for token in row) for row in lists(path)]
    with meter.running():
        scores = process.cdist(
            texts, texts, scorer=fuzz.token_set_ratio, score_cutoff=90, workers=-1, dtype=np.uint8
        )
        left, right = np.nonzero(np.triu(scores, 1))
    exact = join.containment_join(join.ordered(*load(path)), FLOOR)
    true = set(zip(exact.left.tolist(), exact.right.tolist(), strict=True))
    hits = sum(pair in true for pair in zip(left.tolist(), right.tolist(), strict=True))
    return {"pairs": len(left), "precision": hits / max(1, len(left)), "recall": hits / max(1, len(true))}
