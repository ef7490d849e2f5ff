from __future__ import annotations

import hashlib
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from nocturne.core import chain

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
bodies = st.dictionaries(
    st.sampled_from([*chain.ENTRY_COLUMNS, "changes", "links", "memo", "zz"]),
    text | st.integers(0, 9),
    max_size=8,
)


@given(bodies)
def test_an_entry_laid_out_and_read_back_is_the_same(body: dict[str, Any]) -> None:
    row = chain.laid_out(body)
    assert len(row) == len(chain.ENTRY_COLUMNS) + 1
    assert chain.entry_of(row[:-1], json.loads(row[-1])) == body


@given(bodies, st.integers(1, 10**9))
def test_the_hash_is_over_number_hash_before_and_the_whole_row(body: dict[str, Any], seq: int) -> None:
    row = chain.laid_out(body)
    content = json.dumps(
        [seq, "ab" * 32, *row[:-1], json.loads(row[-1])],
        ensure_ascii=False,
        sort_keys=True,
        separators=(",", ":"),
    )
    assert chain.sealed_row(seq, "ab" * 32, row) == hashlib.sha256(b"\x01" + content.encode()).hexdigest()


def test_the_facts_that_an_entry_touches() -> None:
    entry = {
        "fact": 4,
        "changes": [[4, {}], [5, {"active": 0}]],
        "links": [[4, 6, "merged-from"]],
        "refs": '{"duplicate_of":7,"sources":[4,8],"turns":[99],"start":1}',
    }
    assert chain.touched_by(entry) == {4, 5, 6, 7, 8}
    assert chain.touched_by({}) == set()


def test_every_default_belongs_to_a_column() -> None:
    assert set(chain.DEFAULTS) == set(chain.COLUMNS)
    assert [
        name for name in ("text", "block", "category", "recorded_at") if chain.DEFAULTS[name] is not None
    ] == []
