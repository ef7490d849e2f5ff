"""Which statements are shown as denying one another, with and without what is known of them already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from nocturne.core.digest import sealed_key
from nocturne.core.facts import Fact
from nocturne.core.meaning import clash_key
from nocturne.passes.briefs import ContradictBrief
from nocturne.passes.contradict import Contradict
from nocturne.passes.said import said
from nocturne.passes.scene import Scene
from tests.passes.scenes import fact, scene

FACTS: Sequence[Fact] = [
    fact(1, "The user lives in Ghent.", age=40),
    fact(2, "The user likes goat cheese.", age=30),
    fact(3, "The user lives in Bruges.", age=20),
    fact(4, "The user lives in Delft.", age=10, subject="Joost", speaker="Joost"),
    fact(5, "The user does not like goat cheese.", age=5),
    fact(6, "The user works at Kestrel as a welder.", age=4),
    fact(7, "The user lives in Namur.", age=3, namespace="other"),
    fact(8, "The user lives in Leuven.", age=2),
]


def shown(at: Scene) -> list[tuple[int, int, str]]:
    brief = Contradict().brief(at)
    if brief is None:
        return []
    assert isinstance(brief, ContradictBrief)
    return [(clash.old, clash.new, clash.attribute) for clash in brief.clashes]


def sealed(at: Scene, facts: Sequence[Fact]) -> dict[int, bytes]:
    return {
        each.id: b"".join(
            sealed_key(at.memo.secret, key) for key in clash_key(said(each), lexicon=at.lexicon)
        )
        for each in facts
    }


def test_later_statements_of_one_attribute_of_one_subject_are_shown() -> None:
    found = shown(scene(FACTS))
    assert {(old, new) for old, new, _ in found} == {(1, 3), (1, 8), (3, 8), (2, 5)}
    assert all(attribute for _, _, attribute in found)


@pytest.mark.parametrize("known", [(), (1, 4, 5), tuple(range(1, 9))])
@pytest.mark.parametrize("fresh", [None, frozenset[int](), frozenset({8}), frozenset({1, 5}), frozenset({6})])
def test_what_is_known_already_changes_nothing(known: Sequence[int], fresh: frozenset[int] | None) -> None:
    anew = replace(scene(FACTS), fresh=fresh)
    keys = sealed(anew, [each for each in FACTS if each.id in known])
    found = shown(replace(anew, denials=keys))
    assert found == shown(anew)
    everything = shown(scene(FACTS))
    assert found == [each for each in everything if fresh is None or fresh & set(each[:2])]


def test_where_nothing_is_new_nothing_is_read() -> None:
    class Unread(dict[int, bytes]):
        def get(self, key: int, default: object = None) -> bytes:
            raise AssertionError(f"m{key} was looked at")

    assert Contradict().brief(replace(scene(FACTS), fresh=frozenset(), denials=Unread())) is None
