"""The goals, each a generator of table rows; those that whole stores are measured for stand in ``wholes``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec

from tests.bench import clusters, filtering, gates, joins, sent, wholes
from tests.bench.child import measured
from tests.bench.outcome import Outcome, milliseconds, times
from tests.bench.sizes import Sizes


def exact_and_fast(sizes: Sizes) -> Iterator[Outcome]:
    """Goal 1: the pairs of the naive way, a thousand times as fast."""
    path, step = sizes.zipf(sizes.small), sizes.naive_step
    found = measured(joins.ours, path=path, step=step)
    plain = measured(joins.naive, path=path, step=step)
    seconds = plain["seconds"] * step
    same = found["digest"] == plain["digest"]
    told = "every row" if step == 1 else f"every {step}th row against all before it, times {step}"
    yield Outcome(
        1,
        f"pairs ≥ 0.9 among {sizes.small:,} facts",
        milliseconds(found["seconds"]),
        f"naive {milliseconds(seconds)}",
        times(seconds, found["seconds"]),
        "the same pairs, ≥ 1,000×",
        same and seconds >= 1_000 * found["seconds"],
        f"{found['pairs']:,} pairs, {'identical' if same else 'NOT identical'}; naive by {told}",
    )
    if find_spec("datasketch"):
        sketch = measured(joins.datasketch_lsh, path=path)
        yield Outcome(
            1,
            f"MinHash LSH 0.5 on {sizes.small:,} facts",
            milliseconds(found["seconds"]),
            f"datasketch {milliseconds(sketch['seconds'])}",
            times(sketch["seconds"], found["seconds"]),
            "for comparison",
            None,
            f"its recall {sketch['recall']:.3f}, ours 1",
        )
    if find_spec("rapidfuzz"):
        few = sizes.small // 10
        path = sizes.zipf(few)
        mine, fuzzy = measured(joins.ours, path=path), measured(joins.rapidfuzz_cdist, path=path)
        yield Outcome(
            1,
            f"token_set_ratio ≥ 90 on {few:,} facts",
            milliseconds(mine["seconds"]),
            f"rapidfuzz {milliseconds(fuzzy['seconds'])}",
            times(fuzzy["seconds"], mine["seconds"]),
            "for comparison",
            None,
            f"its precision {fuzzy['precision']:.3f}, recall {fuzzy['recall']:.3f}",
        )


def beats_the_best(sizes: Sizes) -> Iterator[Outcome]:
    """Goal 2: the join at 100,000 facts beside DuckDB's; its memory."""
    path = sizes.zipf(sizes.large)
    found = measured(joins.joined, path=path)
    yield Outcome(
        2,
        f"peak of the join of {sizes.large:,} facts",
        f"{found['peak_mb']:.0f} MB",
        "–",
        "–",
        "≤ 250 MB",
        found["peak_mb"] <= 250,
        f"the whole process; the join itself added {found['grown_mb']:.0f} MB",
    )
    reading = measured(gates.tokenised, count=2_000)["each"] * sizes.large
    yield Outcome(
        2,
        f"join of {sizes.large:,} facts",
        milliseconds(found["seconds"]),
        f"tokenising {milliseconds(reading)}",
        times(reading, found["seconds"]),
        "≥ 2×",
        reading >= 2 * found["seconds"],
        "tokenising by 2,000 sentences read for the first time",
    )
    if find_spec("duckdb"):
        peer = measured(joins.duckdb_prefix, path=path)
        same = found["digest"] == peer["digest"]
        yield Outcome(
            2,
            f"join of {sizes.large:,} facts",
            milliseconds(found["seconds"]),
            f"DuckDB {milliseconds(peer['seconds'])}",
            times(peer["seconds"], found["seconds"]),
            "≥ 5×",
            same and peer["seconds"] >= 5 * found["seconds"],
            f"{found['pairs']:,} pairs, {'identical' if same else 'NOT identical'}; DuckDB on all cores",
        )


def grows_gently(sizes: Sizes) -> Iterator[Outcome]:
    """Goal 3: ten times the facts, and the vocabulary that no prefix filter likes."""
    small, large = (measured(joins.joined, path=sizes.zipf(n)) for n in (sizes.small, sizes.large))
    yield Outcome(
        3,
        f"join of {sizes.large:,} facts against {sizes.small:,}",
        milliseconds(large["seconds"]),
        f"{milliseconds(small['seconds'])} at {sizes.small:,}",
        times(large["seconds"], small["seconds"]),
        "≤ 20×",
        large["seconds"] <= 20 * small["seconds"],
    )
    for count, zipf in ((sizes.small, small), (sizes.large, large)):
        hard = measured(joins.joined, path=sizes.crowd(count))
        yield Outcome(
            3,
            f"{count:,} facts over 100 tokens",
            milliseconds(hard["seconds"]),
            f"Zipf {milliseconds(zipf['seconds'])}",
            times(hard["seconds"], zipf["seconds"]),
            "≤ 20×",
            hard["seconds"] <= 20 * zipf["seconds"],
        )


def follows_what_is_new(sizes: Sizes) -> Iterator[Outcome]:
    """Goal 4, the join's part: 0.1% new facts cost an eighth of joining all again."""
    path, new = sizes.zipf(sizes.huge), sizes.huge // 1_000
    some, full = measured(joins.incremental, path=path, new=new), measured(joins.joined, path=path)
    yield Outcome(
        4,
        f"{new:,} new facts among {sizes.huge:,}",
        milliseconds(some["seconds"]),
        f"full join {milliseconds(full['seconds'])}",
        times(full["seconds"], some["seconds"]),
        "identical, ≥ 8×",
        some["same"] and full["seconds"] >= 8 * some["seconds"],
        f"{some['pairs']:,} pairs, {'identical' if some['same'] else 'NOT identical'}",
    )


def accepts_no_swap(sizes: Sizes) -> Iterator[Outcome]:
    """Goal 6: no name or value swap accepted, no true duplicate lost."""
    count = sizes.small // 2
    found = measured(gates.judged, count=count)
    yield Outcome(
        6,
        f"swaps of a name or value accepted among {count:,} sentences",
        f"{found['swaps_taken']:,} of {found['swaps']:,}",
        f"lexical rules {found['swaps_taken_by_rules']:,} of {found['swaps']:,}",
        "–",
        "0",
        found["swaps"] > 0 and found["swaps_taken"] == 0,
        f"nominated pairs at 0.9, all judged in {milliseconds(found['seconds'])}",
    )
    yield Outcome(
        6,
        "true duplicates lost in the same set",
        f"{found['lost']:,} of {found['duplicates']:,}",
        "–",
        "–",
        "0",
        found["duplicates"] > 0 and found["lost"] == found["unnominated"] == 0,
        f"refused by a gate; {found['unnominated']:,} more were not nominated",
    )


def clusters_alike(sizes: Sizes) -> Iterator[Outcome]:
    """Goal 7: the labels of a dense DBSCAN, faster and smaller."""
    path = sizes.zipf(sizes.small)
    for eps in (0.35, 0.45):
        found = measured(clusters.sparse, path=path, eps=eps, min_members=3)
        plain = measured(clusters.dense, path=path, eps=eps, min_members=3)
        same = found["labels"] == plain["labels"]
        smaller = plain["grown_mb"] / max(1.0, found["grown_mb"])
        yield Outcome(
            7,
            f"clusters of {sizes.small:,} facts at ε {eps}",
            f"{milliseconds(found['seconds'])}, {found['grown_mb']:.0f} MB",
            f"dense {milliseconds(plain['seconds'])}, {plain['grown_mb']:,.0f} MB",
            f"{times(plain['seconds'], found['seconds'])} time, {smaller:.0f}× memory",
            "identical, ≥ 50× time, ≥ 20× memory",
            same and plain["seconds"] >= 50 * found["seconds"] and smaller >= 20,
            f"{max(found['labels']) + 1} clusters, labels {'identical' if same else 'NOT identical'}",
        )


def asks_little(sizes: Sizes) -> Iterator[Outcome]:
    """Goal 10, and the share of a store that a model is sent when a hundredth of it is new."""
    count = sizes.small
    new = count // 100
    found = measured(sent.nights, count=count, new=new)
    parts = ", ".join(f"{name} {tokens:,}" for name, tokens in found["passes"].items())
    yield Outcome(
        10,
        f"sent a night, {new:,} new among {count:,}",
        f"{found['tokens']:,} tokens",
        f"the store whole {found['whole']:,}",
        f"{found['hosted']:.1%}",
        "≤ 5%",
        max(found["hosted"], found["near"]) <= 0.05,
        f"{parts}; {found['calls']} calls; in calls for a window of 8,192 tokens {found['near']:.1%}",
    )
    yield Outcome(
        10,
        f"first night over {count - new:,} facts, a stored fact",
        f"{found['first']:.0f} tokens, {found['first_calls']:.3f} calls",
        "–",
        "–",
        "≤ 100 tokens, ≤ 0.02 calls",
        found["first"] <= 100 and found["first_calls"] <= 0.02,
        "all passes together, instructions included",
    )
    yield Outcome(
        10,
        "a night after which nothing changed",
        f"{found['quiet']:,} tokens",
        "–",
        "–",
        "0",
        found["quiet"] == 0,
    )


def filters_fast(sizes: Sizes) -> Iterator[Outcome]:
    """Not of the thirteen: verdicts of the command ``nocturne gate``, its start included."""
    count = sizes.stores.proposals
    found = measured(filtering.filtered, count=count)
    each = count / found["seconds"]
    yield Outcome(
        15,
        f"nocturne gate over {count:,} proposals of {found['words']:.0f} words",
        f"{each:,.0f} a second",
        f"its JSON alone {count / found['json']:,.0f} a second",
        times(found["seconds"], found["json"]),
        "≥ 5,000 a second",
        each >= 5_000,
        f"{found['accepted']:,} accepted, {found['refused']:,} refused; the whole command, its start included",
    )


GOALS: tuple[tuple[int, Callable[[Sizes], Iterator[Outcome]]], ...] = (
    (1, exact_and_fast),
    (2, beats_the_best),
    (3, grows_gently),
    (4, follows_what_is_new),
    (5, wholes.dedupes_whole),
    (6, accepts_no_swap),
    (7, clusters_alike),
    (8, wholes.versions_cost_what_changed),
    (9, wholes.diffs_alike),
    (10, asks_little),
    (11, wholes.starts_fast),
    (12, wholes.recalls_fast),
    (13, wholes.sleeps_whole),
    (14, wholes.years_stay_fast),
    (15, filters_fast),
)
