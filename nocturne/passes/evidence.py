"""What a schema rests on now.

A member lives on in what absorbed it. One that the policy forgot was still said, and still shows the pattern; one
that was superseded, or that a person took back, no longer does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nocturne.core.facts import Fact
from nocturne.core.meaning import Said
from nocturne.passes.said import said
from nocturne.passes.scene import Origin, Scene

_ABSORBED = frozenset({"dedupe", "merge"})


@dataclass(frozen=True, slots=True)
class Rest:
    """The evidence of a schema: active facts, those that the policy forgot, and how many members are lost."""

    active: tuple[int, ...]
    forgotten: tuple[Fact, ...]
    lost: int


def living(scene: Scene, schema: int) -> Rest:
    """What the schema rests on now, ids ascending."""
    active: set[int] = set()
    forgotten: dict[int, Fact] = {}
    lost = 0
    for member in scene.evidence.get(schema, ()):
        heir = _heir(scene, member)
        if heir in scene.facts:
            active.add(heir)
        elif heir in scene.forgotten:
            forgotten[heir] = scene.forgotten[heir]
        elif scene.consumed.get(heir) == "forget" and heir in scene.before.facts:
            forgotten[heir] = scene.before.facts[heir]
        else:
            lost += 1
    return Rest(tuple(sorted(active)), tuple(forgotten[id_] for id_ in sorted(forgotten)), lost)


def _heir(scene: Scene, member: int) -> int:
    """Where what the member says is now: itself, or the end of what absorbed it."""
    seen: set[int] = set()
    while member not in scene.facts and member not in seen:
        seen.add(member)
        gone = scene.before.retired.get(member)
        if gone is None or gone.rule not in _ABSORBED or gone.successor is None:
            break
        member = gone.successor
    return member


def sessions(scene: Scene, members: Sequence[Fact]) -> set[tuple[int, str | None]]:
    """The sessions that facts were said in, each with its source."""
    found: set[Origin] = {
        scene.origins[span.turn] for fact in members for span in fact.sources if span.turn in scene.origins
    }
    return {(origin.source, origin.session) for origin in found}


def in_session(scene: Scene, fact: Fact) -> Said:
    """The fact's words with the first session that it was said in."""
    words = said(fact)
    found = sorted(f"{source}/{session}" for source, session in sessions(scene, [fact]))
    return Said(
        words.text,
        speaker=words.speaker,
        said_at=words.said_at,
        occurred_at=words.occurred_at,
        provenance=words.provenance,
        session=found[0] if found else None,
        subject=words.subject,
    )
