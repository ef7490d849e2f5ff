"""What a schema rests on now: members live on in what absorbed them, and are lost where nothing did."""

from __future__ import annotations

from collections.abc import Sequence

from nocturne.core.facts import Fact
from nocturne.core.meaning import Said
from nocturne.passes.said import said
from nocturne.passes.scene import Origin, Scene

_ABSORBED = frozenset({"dedupe", "merge"})


def living(scene: Scene, schema: int) -> tuple[tuple[int, ...], int]:
    """The active facts that the schema's evidence lives on in, ascending, and how many members are lost."""
    found: set[int] = set()
    lost = 0
    for member in scene.evidence.get(schema, ()):
        heir = _heir(scene, member)
        if heir is None:
            lost += 1
        else:
            found.add(heir)
    return tuple(sorted(found)), lost


def _heir(scene: Scene, member: int) -> int | None:
    current: int | None = member
    seen: set[int] = set()
    while current is not None and current not in seen:
        if current in scene.facts:
            return current
        seen.add(current)
        gone = scene.before.retired.get(current)
        current = gone.successor if gone is not None and gone.rule in _ABSORBED else None
    return None


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
