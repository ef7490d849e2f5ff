"""The meaning gates: whether one text may stand for another."""

from __future__ import annotations

from nocturne.core.meaning.attributes import attribute_of
from nocturne.core.meaning.compose import compose_merge
from nocturne.core.meaning.contradict import clash_key, judge_contradict
from nocturne.core.meaning.drop import judge_drop
from nocturne.core.meaning.encode import judge_encode
from nocturne.core.meaning.finding import Fails, Finding, Holds, Said
from nocturne.core.meaning.merge import judge_merge
from nocturne.core.meaning.schema import judge_schema

__all__ = [
    "Fails",
    "Finding",
    "Holds",
    "Said",
    "attribute_of",
    "clash_key",
    "compose_merge",
    "judge_contradict",
    "judge_drop",
    "judge_encode",
    "judge_merge",
    "judge_schema",
]
