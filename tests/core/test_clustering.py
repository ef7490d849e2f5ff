"""Clusters: the labels of scikit-learn's dense DBSCAN by both ways, and terms that explain them."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import DBSCAN

from nocturne.core import clustering, entries, join, radius
from nocturne.core.clustering import clusters, inverse_frequencies, labels, unit_vector
from nocturne.core.facts import Fact

ways = pytest.mark.parametrize("small", [10**9, 0], ids=["plain", "sparse"])
TOPICS = [
    "kiln clay glaze oven",
    "sail mast tide harbour",
    "rye yeast crumb starter",
    "lens film shutter flash",
]


def dense(sets: Sequence[frozenset[str]], eps: float, min_members: int) -> list[int]:
    weights = inverse_frequencies(sets)
    column = {token: place for place, token in enumerate(sorted(weights))}
    matrix = np.zeros((len(sets), len(column)))
    for row, tokens in enumerate(sets):
        for token, value in unit_vector(tokens, weights).items():
            matrix[row, column[token]] = value
    found: list[int] = DBSCAN(eps=eps, min_samples=min_members, metric="cosine").fit(matrix).labels_.tolist()
    return found


def scattered(count: int, seed: int) -> list[frozenset[str]]:
    """Rows about four topics with words of their own, and as many about none."""
    source = random.Random(seed)
    sets = []
    for _ in range(count):
        row = {f"w{source.randrange(300)}" for _ in range(source.randint(1, 3))}
        if source.random() < 0.5:
            topic = source.choice(TOPICS).split()
            row |= set(source.sample(topic, source.randint(2, 4)))
        sets.append(frozenset(row))
    return sets


@ways
@pytest.mark.parametrize("eps", [0.35, 0.45])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_labels_equal_the_dense_way(
    monkeypatch: pytest.MonkeyPatch, small: int, eps: float, seed: int
) -> None:
    monkeypatch.setattr(clustering, "SMALL", small)
    sets = scattered(600, seed)
    expected = dense(sets, eps, 3)
    assert max(expected) >= 1
    assert -1 in expected
    assert labels(sets, eps=eps, min_members=3) == expected


@ways
@given(
    st.lists(st.frozensets(st.sampled_from("abcdefghij"), min_size=1, max_size=5), min_size=1, max_size=30),
    st.sampled_from([0.351, 0.4507, 0.2003]),
    st.integers(1, 5),
)
def test_labels_equal_the_dense_way_on_anything(
    small: int, sets: list[frozenset[str]], eps: float, min_members: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clustering, "SMALL", small)
        found = labels(sets, eps=eps, min_members=min_members)
    assert found == dense(sets, eps, min_members)


@settings(deadline=None)
@given(
    st.lists(st.frozensets(st.sampled_from("abcdefghij"), min_size=1, max_size=5), min_size=1, max_size=30),
    st.sampled_from([0.351, 0.4507, 0.2003]),
    st.integers(1, 9),
)
def test_stretches_of_any_length_give_the_same_graph(
    sets: list[frozenset[str]], eps: float, stretch: int
) -> None:
    rows = radius.vectors(sets, inverse_frequencies(sets))
    whole = radius.radius_graph(rows, eps)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entries, "STRETCH", stretch)
        patch.setattr(join, "TOGETHER", stretch)
        patch.setattr(radius, "BLOCK", 2)
        again = radius.vectors(sets, inverse_frequencies(sets))
        graph = radius.radius_graph(again, eps)
    assert again.values(0, len(sets)).tobytes() == rows.values(0, len(sets)).tobytes()
    for one, other in ((graph.left, whole.left), (graph.right, whole.right)):
        assert one.tolist() == other.tolist()
    assert graph.distance.tobytes() == whole.distance.tobytes()


def fact(number: int, text: str) -> Fact:
    return Fact(number, text, "episodes", "event", recorded_at=0)


def made(*texts: str) -> tuple[dict[int, Fact], dict[int, frozenset[str]]]:
    facts = {number: fact(number, text) for number, text in enumerate(texts, 1)}
    return facts, {number: frozenset(each.text.split()) for number, each in facts.items()}


POTTERY = ("fired kiln glaze monday", "fired kiln glaze friday", "fired kiln glaze again")


def test_a_cluster_names_its_members_and_what_they_share() -> None:
    facts, sets = made("sailed past lighthouse", *POTTERY, "baked rye bread")
    (found,) = clusters(facts.values(), sets, eps=0.45, min_members=3)
    assert found.members == (2, 3, 4)
    assert found.terms == ("fired", "glaze", "kiln")
    assert set(found.centrality) == {2, 3, 4}


def test_the_typical_member_is_the_more_central() -> None:
    facts, sets = made("fired kiln glaze", *POTTERY[:2], "fired kiln glaze twice badly")
    (found,) = clusters(facts.values(), sets, eps=0.6, min_members=3)
    assert all(0 < share <= 1 for share in found.centrality.values())
    assert found.centrality[1] > found.centrality[2] > found.centrality[4]


def test_terms_are_few_and_the_most_telling_first() -> None:
    common = " ".join(f"word{n}" for n in range(12))
    facts, sets = made(*(f"{common} {tail}" for tail in "abc"), "word1 other", "word1 else", "word1 more")
    (found,) = clusters(facts.values(), sets, eps=0.45, min_members=3)
    assert len(found.terms) == 8
    assert "word1" not in found.terms


def test_other_subjects_namespaces_and_retired_facts_stay_out() -> None:
    facts, sets = made(*POTTERY)
    assert clusters(facts.values(), sets, eps=0.6, min_members=3)
    for change in ({"subject": "Ana"}, {"namespace": "work"}, {"active": False}):
        changed = facts | {3: replace(facts[3], **change)}
        assert clusters(changed.values(), sets, eps=0.6, min_members=3) == []


@ways
def test_facts_without_content_belong_nowhere(monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    monkeypatch.setattr(clustering, "SMALL", small)
    facts, sets = made(*POTTERY, "…")
    sets[4] = frozenset()
    (found,) = clusters(facts.values(), sets, eps=0.6, min_members=3)
    assert found.members == (1, 2, 3)
    assert clusters([], {}, eps=0.6, min_members=3) == []


def test_weights_are_smoothed() -> None:
    weights = inverse_frequencies([frozenset("ab"), frozenset("a")])
    assert weights == {"a": 1.0, "b": pytest.approx(1.0 + math.log(1.5))}
    assert math.fsum(value**2 for value in unit_vector("ab", weights).values()) == pytest.approx(1.0)


def test_scikit_learn_is_loaded_only_where_there_is_a_core() -> None:
    script = (
        "import sys\n"
        "from nocturne.core.clustering import labels\n"
        "rows = [frozenset({'a', str(n)}) for n in range(400)]\n"
        "assert set(labels(rows[:200], eps=0.35, min_members=3)) == {-1}\n"
        "assert 'numpy' not in sys.modules\n"
        "assert set(labels(rows, eps=0.35, min_members=3)) == {-1}\n"
        "assert 'numpy' in sys.modules and 'sklearn' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
