"""Whether a merged text says what its sources say: all of it, and nothing that none of them says."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

from nocturne.core.meaning.alike import Rewrites, match, same
from nocturne.core.meaning.attributes import attribute_of
from nocturne.core.meaning.clauses import statements
from nocturne.core.meaning.contradict import denies
from nocturne.core.meaning.finding import Fails, Finding, Holds, Said, guarded
from nocturne.core.meaning.guards import (
    brief,
    cased,
    difference,
    name_set,
    same_source,
    shown,
    tied,
    unfit,
)
from nocturne.core.meaning.moves import Key, bare
from nocturne.core.meaning.reading import Reading, read
from nocturne.core.meaning.support import contained
from nocturne.core.meaning.trace import trace
from nocturne.core.text.analysis import analyse
from nocturne.core.text.folding import fold
from nocturne.core.text.lexicon import Lexicon


@guarded
def judge_merge(
    sources: Sequence[Said], text: str, *, lexicon: Lexicon, single_valued: Sequence[str] = ()
) -> Finding:
    """Holds where every clause of the text is one source's, and every clause of every source is in the text."""
    if not sources:
        return Fails("N012", {"found": 0, "needed": 2})
    if refused := same_source(sources):
        return refused
    said = tuple(sources)
    if refused := _measured(said, text, lexicon) or _one_value(said, lexicon, single_valued):
        return refused
    return _traced(said, text, lexicon)


# What code composed it has judged, and the gate judges it again by itself.
@lru_cache(maxsize=16_384)
def _traced(sources: tuple[Said, ...], text: str, lexicon: Lexicon) -> Finding:
    """Clause by clause, both ways."""
    speaker = sources[0].speaker
    whole = read(text, lexicon, speaker)
    parts = [read(said.text, lexicon, speaker) for said in sources]
    if refused := next(filter(None, (unfit(part.analysis) for part in (whole, *parts))), None):
        return refused
    if not all(part.grammar.known for part in (whole, *parts)):
        return _unjudged(whole, parts)
    for part in parts:
        if refused := cased(part.analysis, whole.analysis) or tied(part.analysis, whole.analysis):
            return refused
    for one, two in combinations(parts, 2):
        if denies(one, two):
            return Fails("N203", {"before": brief(one.analysis.text), "after": brief(two.analysis.text)})
    rewrites = _says(whole, _unabsorbed(parts))
    if isinstance(rewrites, Fails):
        return rewrites
    return Holds("merge", {"rewrites": list(rewrites)})


@lru_cache(maxsize=16_384)
def _measured(sources: tuple[Said, ...], text: str, lexicon: Lexicon) -> Fails | None:
    """Content, names and values, both ways, with nobody's name taken for the subject."""
    whole = analyse(text, lexicon)
    if not whole.content:
        return Fails("N110", {"found": "no content word"})
    parts = [analyse(said.text, lexicon) for said in sources]
    context = [text, *(said.text for said in sources)]
    speaker = sources[0].speaker
    for said, part in zip(sources, parts, strict=True):
        if part.values - whole.values:
            return Fails("N211", {"before": sorted(part.values - whole.values), "after": "nothing"})
        if part.content - whole.content:
            return _lost(said, part.content - whole.content, text, lexicon, speaker)
    held = frozenset().union(*(part.content for part in parts))
    values = frozenset().union(*(part.values for part in parts))
    if whole.values - values:
        return Fails("N103", {"values": sorted(whole.values - values)})
    said_names = frozenset().union(*(name_set(said.text, lexicon, context) for said in sources))
    merged_names = name_set(text, lexicon, context)
    if whole.content - held:
        return _gained(sources, whole.content - held, text, lexicon, speaker)
    if merged_names - said_names:
        return Fails("N102", {"names": sorted(merged_names - said_names)})
    if said_names - merged_names:
        return Fails("N213", {"before": sorted(said_names - merged_names), "after": "nothing"})
    return None


def _lost(said: Said, lost: frozenset[str], text: str, lexicon: Lexicon, speaker: str | None) -> Fails:
    part, whole = read(said.text, lexicon, speaker), read(text, lexicon, speaker)
    found = difference(part, whole, superset=True)
    if found.code in ("N202", "N204", "N215", "N101", "N217"):
        return Fails("N221", {"lost": shown(part.analysis, lost)})
    return found


def _gained(
    sources: Sequence[Said], more: frozenset[str], text: str, lexicon: Lexicon, speaker: str | None
) -> Fails:
    whole = read(text, lexicon, speaker)
    if len(sources) == 1:
        found = difference(read(sources[0].text, lexicon, speaker), whole, superset=False)
        if found.code not in ("N202", "N204", "N215", "N101", "N217"):
            return found
    return Fails("N101", {"missing": shown(whole.analysis, more)})


def _one_value(sources: Sequence[Said], lexicon: Lexicon, single_valued: Sequence[str]) -> Fails | None:
    """The refusal where two sources give two values of an attribute that has one."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for said in sources if single_valued else ():
        stated = attribute_of(said.text, lexicon, said.speaker) or _relation(said, lexicon)
        if stated is not None and (stated[1] in single_valued or stated[1].startswith(_ROLE)):
            found.setdefault(stated[:2], {})[stated[2]] = None
    for (_, attribute), held in found.items():
        if len(held) > 1:
            return Fails("N222", {"attribute": attribute.removeprefix(_ROLE), "values": list(held)})
    return None


_ROLE = "role: "


def _relation(said: Said, lexicon: Lexicon) -> tuple[str, str, str] | None:
    """Who somebody's one dentist, manager or neighbour is: such a role in the singular has one holder."""
    reading = read(said.text, lexicon, said.speaker)
    if len(reading.sentences) != 1 or not reading.grammar.english:
        return None
    words = reading.sentences[0].words
    names = {fold(part) for name in reading.analysis.names for part in name.split()}
    if len(words) < 4 or words[2] != "is" or not words[0].endswith("'s") or words[1].endswith("s"):
        return None
    holder = words[3:]
    return (words[0], _ROLE + words[1], " ".join(holder)) if set(holder) <= names else None


def _unjudged(whole: Reading, parts: Sequence[Reading]) -> Finding:
    """In a language that is not known a merged text may only set its sources one after the other."""
    left = [part.analysis.words for part in parts]
    words = whole.analysis.words
    while left:
        for part in left:
            if words[: len(part)] == part:
                words = words[len(part) :]
                left.remove(part)
                break
        else:
            return Fails("N219", {"found": "a language that the gates do not know"})
    if words:
        return Fails("N219", {"found": "a language that the gates do not know"})
    return Holds("merge", {"rewrites": [], "judged": "verbatim only"})


def _unabsorbed(parts: Sequence[Reading]) -> list[Reading]:
    """The sources without those that another one contains; of equal ones the first."""
    kept: list[Reading] = []
    for place, part in enumerate(parts):
        others = [other for at, other in enumerate(parts) if at != place]
        absorbed = False
        for other in others:
            if not part.analysis.content <= other.analysis.content:
                continue
            if same(part, other) is not None:
                absorbed = any(other is earlier for earlier in kept)
            elif contained(part, other) is not None:
                absorbed = True
            if absorbed:
                break
        if not absorbed:
            kept.append(part)
    return kept or [parts[0]]


def _says(whole: Reading, parts: Sequence[Reading]) -> Rewrites | Fails:
    if len(parts) == 1:
        found = same(parts[0], whole)
        if found is not None:
            return found
        return _refused(difference(parts[0], whole, superset=False))
    grammar = whole.grammar
    if len({part.grammar.language for part in (whole, *parts)}) > 1:
        return Fails("N219", {"found": "texts of different languages"})
    if whole.asks or any(part.asks for part in parts):
        return Fails("N212", {"found": brief(whole.analysis.text)})
    clauses = [sentence.words for part in parts for sentence in part.sentences]
    traced = trace(whole, clauses)
    if traced.whole:
        return traced.rewrites
    found = _by_statements(whole, parts)
    if found is not None:
        return found
    fused = _fused(whole, parts)
    if fused is not None:
        return fused
    if traced.unsaid is not None:
        return Fails("N218", {"clause": " ".join(clauses[traced.unsaid])})
    return Fails("N218", {"clause": " ".join(traced.clause or grammar.language)})


def _refused(found: Fails) -> Fails:
    if found.code == "N202":
        return Fails("N221", found.evidence)
    return found


def _by_statements(whole: Reading, parts: Sequence[Reading]) -> Rewrites | None:
    """Statement by statement, where verbs tell them apart."""
    grammar = whole.grammar
    said = [clause for sentence in whole.sentences for clause in statements(sentence.words, grammar)]
    wanted = [
        clause
        for part in parts
        for sentence in part.sentences
        for clause in statements(sentence.words, grammar)
    ]
    if len(said) != len(wanted):
        return None
    names: list[str] = []
    for clause in said:
        for at, source in enumerate(wanted):
            found = match(clause, source, grammar)
            if found is not None:
                names.extend(found)
                del wanted[at]
                break
        else:
            return None
    return (*dict.fromkeys(names), "clauses joined")


def _fused(whole: Reading, parts: Sequence[Reading]) -> Rewrites | None:
    """One clause that carries the adjuncts of several: the sources share more than subject and verb."""
    if len(whole.sentences) != 1 or any(len(part.sentences) != 1 for part in parts):
        return None
    words = bare(whole.sentences[0].words)
    if set(words) & set(whole.grammar.joints):
        return None
    sources = [bare(part.sentences[0].words) for part in parts]
    lead = sources[0][:2]
    if words[:2] != lead or any(source[:2] != lead for source in sources):
        return None
    covered: set[int] = set()
    shared: set[int] | None = None
    for source in sources:
        places = _subsequence(source, words)
        if places is None:
            return None
        covered |= set(places)
        shared = set(places) if shared is None else shared & set(places)
    content = whole.analysis.content
    anchors = [words[at] for at in shared or () if at > 1 and words[at] not in whole.grammar.stopwords]
    if len(covered) == len(words) and anchors and content:
        return ("adjuncts of one clause joined",)
    return None


def _subsequence(part: Key, words: Key) -> list[int] | None:
    places: list[int] = []
    at = 0
    # Adjuncts of one source may stand in another order than in the whole: each is found from its own head on.
    for word in part:
        try:
            at = words.index(word, at) + 1
        except ValueError:
            return None
        places.append(at - 1)
    return places
