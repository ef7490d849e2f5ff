"""Whether members show the pattern that a schema states."""

from __future__ import annotations

from collections.abc import Sequence

from nocturne.core.meaning.finding import Fails, Finding, Holds, Said, guarded
from nocturne.core.text.analysis import analyse
from nocturne.core.text.lexicon import Lexicon


@guarded
def judge_schema(
    members: Sequence[Said], text: str, *, lexicon: Lexicon, min_members: int, min_sessions: int
) -> Finding:
    """Holds where enough members of enough sessions cover the text."""
    if len(members) < min_members:
        return Fails("N241", {"found": len(members), "needed": min_members})
    sessions = {said.session for said in members if said.session is not None}
    if len(sessions) < min_sessions:
        return Fails("N242", {"found": len(sessions), "needed": min_sessions})
    schema = analyse(text, lexicon, members[0].speaker)
    sets = [analyse(said.text, lexicon, said.speaker) for said in members]
    if missing := schema.content - frozenset().union(*(part.content for part in sets)):
        return Fails("N101", {"missing": sorted(missing)})
    return Holds("schema", {"members": len(members)})
