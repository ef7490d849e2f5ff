"""Whether members show the pattern that a schema states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from nocturne.core.meaning.clauses import statements
from nocturne.core.meaning.finding import Fails, Finding, Holds, Said, guarded
from nocturne.core.meaning.guards import brief, difference, name_set, shown, unfit
from nocturne.core.meaning.moves import Key, bare
from nocturne.core.meaning.reading import Reading, read
from nocturne.core.meaning.support import follows
from nocturne.core.text.analysis import analyse
from nocturne.core.text.lexicon import Lexicon


@guarded
def judge_schema(
    members: Sequence[Said], text: str, *, lexicon: Lexicon, min_members: int, min_sessions: int
) -> Finding:
    """Holds where enough members of enough sessions cover the text, and each of its statements is one's."""
    if len(members) < min_members:
        return Fails("N241", {"found": len(members), "needed": min_members})
    sessions = {said.session for said in members if said.session is not None}
    if len(sessions) < min_sessions:
        return Fails("N242", {"found": len(sessions), "needed": min_sessions})
    subjects = sorted({said.subject or said.speaker or "user" for said in members})
    if len(subjects) > 1:
        return Fails("N209", {"subjects": subjects})
    if refused := _measured(members, text, lexicon):
        return refused
    speaker = members[0].speaker
    schema = read(text, lexicon, speaker)
    readings = [read(said.text, lexicon, speaker) for said in members]
    if refused := next(filter(None, (unfit(part.analysis) for part in (schema, *readings))), None):
        return refused
    if schema.asks:
        return Fails("N212", {"found": brief(text)})
    refused = _stated(schema, readings)
    return refused or Holds("schema", {"members": len(members), "sessions": len(sessions)})


def _measured(members: Sequence[Said], text: str, lexicon: Lexicon) -> Fails | None:
    schema = analyse(text, lexicon)
    if not schema.content:
        return Fails("N110", {"found": "no content word"})
    parts = [analyse(said.text, lexicon) for said in members]
    if missing := schema.content - frozenset().union(*(part.vocabulary for part in parts)):
        return Fails("N101", {"missing": shown(schema, missing)})
    context = [text, *(said.text for said in members)]
    named = Counter(name for said in members for name in name_set(said.text, lexicon, context))
    wanted = name_set(text, lexicon, context)
    if unknown := sorted(name for name in wanted if not named[name]):
        return Fails("N102", {"names": unknown})
    valued = Counter(value for part in parts for value in part.values)
    if unknown := sorted(value for value in schema.values if not valued[value]):
        return Fails("N103", {"values": unknown})
    single = [name for name in wanted if named[name] < 2] + [
        value for value in schema.values if valued[value] < 2
    ]
    if single:
        return Fails("N243", {"names": sorted(single)})
    return None


def _stated(schema: Reading, readings: Sequence[Reading]) -> Fails | None:
    """The refusal where a statement of the schema follows from no member."""
    for sentence in schema.sentences:
        parts = statements(sentence.words, schema.grammar)
        for clause in (sentence.words,) if _shown_by(sentence.words, readings) else parts:
            if not _shown_by(clause, readings):
                nearest = max(readings, key=lambda part: len(part.analysis.content & schema.analysis.content))
                found = difference(nearest, schema, superset=True)
                if found.code in ("N203", "N206", "N207", "N208", "N209", "N212", "N219"):
                    return found
                return Fails("N218", {"clause": " ".join(clause)})
    return None


def _shown_by(clause: Key, readings: Sequence[Reading]) -> bool:
    for reading in readings:
        for sentence in reading.sentences:
            if sentence.asks:
                continue
            if not reading.grammar.known:
                if bare(clause) == bare(sentence.words):
                    return True
                continue
            for offered in (sentence.words, *statements(sentence.words, reading.grammar, loose=True)):
                if follows(clause, offered, reading.grammar, loose=True) is not None:
                    return True
    return False
