"""What must agree before wording is looked at, and the name of the difference where it does not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from nocturne.core.meaning.finding import Fails, Said
from nocturne.core.meaning.grammar import Grammar
from nocturne.core.meaning.reading import SUBJECTS, Reading
from nocturne.core.text.analysis import Analysis, analyse
from nocturne.core.text.folding import fold
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.text.measures import names_of

Counted = Mapping[str, int]
_SHOWN = 120
_HIDDEN = re.compile(
    "(?<=[0-9A-Za-z])[\u200b\u200c\u200d\u2060\ufeff\u00ad](?=[0-9A-Za-z])"
    "|[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)
_BE = frozenset(("is", "was", "be", "been", "have", "had", "did", "do", "will", "used", "being"))
_FUTURE = frozenset(("will", "shall", "going"))


def same_source(texts: Sequence[Said]) -> Fails | None:
    """The refusal where the texts are of different speakers, subjects or events."""
    record = texts[0][1:]
    for said in texts[1:]:
        if said[1:] != record:
            break
    else:
        return None
    speakers = {said.speaker or "" for said in texts}
    if len(speakers) > 1:
        return Fails("N210", {"speakers": [name or "the user" for name in sorted(speakers)]})
    subjects = {said.subject for said in texts if said.subject is not None}
    if len(subjects) > 1:
        return Fails("N209", {"subjects": sorted(subjects)})
    moments = {said.occurred_at for said in texts if said.occurred_at is not None}
    if len(moments) > 1:
        return Fails("N230", {})
    return None


def shown(analysis: Analysis, stems: Iterable[str]) -> list[str]:
    """The words as written for each stem."""
    held = analysis.stems
    return [analysis.surface(held.index(stem)) if stem in held else stem for stem in sorted(set(stems))]


def brief(text: str) -> str:
    """The text, cut to what fits into a message."""
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def name_set(text: str, lexicon: Lexicon, context: Sequence[str]) -> frozenset[str]:
    """The casefolded names of a text, read beside its context."""
    return folded_names(analyse(text, lexicon), *(analyse(other, lexicon) for other in context))


def folded_names(analysis: Analysis, *context: Analysis) -> frozenset[str]:
    """The casefolded names of a text that was read, beside its context."""
    return frozenset([fold(name) for name in names_of(analysis, context)])


def unfit(analysis: Analysis) -> Fails | None:
    """The refusal where a text cannot be judged at all."""
    if not analysis.text.isascii() and (hidden := _HIDDEN.search(analysis.text)):
        return Fails("N108", {"found": [f"U+{ord(hidden.group()):04X}"]})
    if analysis.mixed:
        return Fails("N219", {"found": f"letters of two scripts in {analysis.mixed[0]}"})
    if len(analysis.text) > 20_000:
        return Fails("N219", {"found": f"{len(analysis.text)} characters"})
    return None


def cased(one: Analysis, two: Analysis) -> Fails | None:
    """The refusal where a word is a name in one text and a plain word in the other: *apple*, *Apple*."""
    if one.text == two.text or not one.lang == two.lang == "en":
        return None
    for first, second in ((one, two), (two, one)):
        text = second.text
        inner = {low for name in first.names if name[1:].islower() and (low := fold(name)) in text}
        if not inner or not _capitals_kept(second):
            continue
        inner &= {second.surface(at) for at, kind in enumerate(second.kinds) if kind == "word"}
        if inner:
            return Fails("N213", {"before": sorted(inner), "after": "a plain word"})
    return None


def _capitals_kept(analysis: Analysis) -> bool:
    """Whether the text writes capitals at all where they are due, so that a small letter says something."""
    if not analysis.text[:1].isupper():
        return False
    return "i" not in map(analysis.surface, range(len(analysis.forms)))


def tied(one: Analysis, two: Analysis) -> Fails | None:
    """The refusal where two words are one compound in one text only: *man-eating*, *man eating*."""
    first, second = _compounds(one), _compounds(two)
    for pair in (first ^ second) if first or second else ():
        loose = two if pair in first else one
        words = loose.words
        if pair[1].endswith("ing") and any(words[at : at + 2] == pair for at in range(len(words) - 1)):
            return Fails("N217", {"before": "-".join(pair), "after": " ".join(pair)})
    return None


def _compounds(analysis: Analysis) -> set[tuple[str, str]]:
    if "-" not in analysis.text:
        return set()
    tokens = analysis.tokens
    return {
        (tokens[at].form, tokens[at + 1].form)
        for at in range(len(tokens) - 1)
        if tokens[at + 1].start == tokens[at].end + 1 and analysis.text[tokens[at].end] == "-"
    }


def verbatim(one: Analysis, two: Analysis) -> bool:
    """Whether the two hold the same canonical words in the same order: all that an unknown language allows."""
    return one.words == two.words


def difference(one: Reading, two: Reading, *, superset: bool) -> Fails:
    """The first kind of word in which two texts differ; where none differs, it is the order."""
    if refused := _incomparable(one, two):
        return refused
    gone, more = _balance(_forms(one), _forms(two))
    return (
        _marked(one, two, gone, more, superset=superset)
        or _worded(one, two, gone, more, superset=superset)
        or Fails(
            "N217" if not more and _bound(one) != _bound(two) else "N204",
            {"before": brief(one.analysis.text), "after": brief(two.analysis.text)},
        )
    )


def _balance(first: Sequence[str], second: Sequence[str]) -> tuple[Counted, Counted]:
    """What the first holds more often than the second, by how much, and the other way round."""
    one, two = set(first), set(second)
    if len(one) == len(first) and len(two) == len(second):
        return dict.fromkeys(one - two, 1), dict.fromkeys(two - one, 1)
    # Texts that may say the same begin and end alike: what they share there balances.
    size = min(len(first), len(second))
    begin = end = 0
    while begin < size and first[begin] == second[begin]:
        begin += 1
    while end < size - begin and first[-1 - end] == second[-1 - end]:
        end += 1
    counts: dict[str, int] = {}
    for word in first[begin : len(first) - end]:
        counts[word] = counts.get(word, 0) + 1
    for word in second[begin : len(second) - end]:
        counts[word] = counts.get(word, 0) - 1
    return (
        {word: count for word, count in counts.items() if count > 0},
        {word: -count for word, count in counts.items() if count < 0},
    )


def _incomparable(one: Reading, two: Reading) -> Fails | None:
    if one.asks != two.asks:
        return Fails("N212", {"found": brief((one if one.asks else two).analysis.text)})
    if not one.grammar.known or not two.grammar.known:
        return Fails("N219", {"found": "a language that the gates do not know"})
    if one.grammar.language != two.grammar.language:
        return Fails("N219", {"found": f"{one.grammar.language} and {two.grammar.language}"})
    return None


_EVEN: tuple[Counted, Counted] = ({}, {})
_PASSIVE = frozenset(("by", "is", "was", "be", "been", "being", "have", "had"))


def _marked(one: Reading, two: Reading, gone: Counted, more: Counted, *, superset: bool) -> Fails | None:
    """A difference in values, or in words that have a code of their own."""
    before, after = one.analysis.value_list, two.analysis.value_list
    fewer, further = _balance(before, after) if before != after else _EVEN
    if fewer or (further and not superset):
        return Fails("N211", {"before": _each(fewer) or "nothing", "after": _each(further) or "nothing"})
    content = one.analysis.content - two.analysis.content
    if not more and content and not content <= _markers(one.grammar):
        return Fails("N202", {"lost": shown(one.analysis, content)})
    if "by" in gone or "by" in more:
        turned = (gone.keys() | more.keys()) - _PASSIVE
        if not turned:
            return Fails("N204", {"before": brief(one.analysis.text), "after": brief(two.analysis.text)})
    changed = gone.keys() | more.keys()
    for code, kinds in _kinds(one.grammar):
        if kinds.isdisjoint(changed):
            continue
        lost = sorted(word for word in gone if word in kinds)
        added = sorted(word for word in more if word in kinds)
        return Fails(code, {"before": lost or "nothing", "after": added or "nothing"})
    return None


def _each(counts: Counted) -> list[str]:
    """The counted words in order, each as often as it was counted."""
    return sorted(word for word, count in counts.items() for _ in range(count))


def _worded(one: Reading, two: Reading, gone: Counted, more: Counted, *, superset: bool) -> Fails | None:
    """A difference in subjects, connecting words or content."""
    possessed = any(f"{word}'s" in more for word in gone) if more else False
    if possessed or _subjects(gone, one.grammar) or (not superset and _subjects(more, two.grammar)):
        return Fails("N209", {"before": brief(one.analysis.text), "after": brief(two.analysis.text)})
    linking = one.grammar.linking
    lost = sorted(word for word in gone if word in linking)
    added = sorted(word for word in more if word in linking)
    if lost or (added and not superset):
        return Fails("N215", {"before": lost or "nothing", "after": added or "nothing"})
    content = one.analysis.content - two.analysis.content
    if content:
        return Fails("N202", {"lost": shown(one.analysis, content)})
    if more and not superset:
        return Fails("N101", {"missing": sorted(more)})
    if gone:
        return Fails("N215", {"before": sorted(gone), "after": sorted(more) or "nothing"})
    return None


_SEPARATING = frozenset((",", ":", ";"))


def _forms(reading: Reading) -> Sequence[str]:
    sentences = reading.sentences
    if len(sentences) == 1 and _SEPARATING.isdisjoint(sentences[0].words):
        return sentences[0].words
    return [word for sentence in sentences for word in sentence.words if word not in _SEPARATING]


@lru_cache(maxsize=64)
def _markers(grammar: Grammar) -> frozenset[str]:
    """All words whose loss has a code of its own."""
    return grammar.linking.union(*(kinds for _, kinds in _kinds(grammar)))


@lru_cache(maxsize=64)
def _kinds(grammar: Grammar) -> tuple[tuple[str, frozenset[str]], ...]:
    negation = grammar.negation
    return (
        ("N203", negation),
        ("N205", grammar.conditionals - grammar.modals),
        (
            "N214",
            (grammar.reporting | frozenset(('"',))) - grammar.hedges - frozenset(("call", "called", "calls")),
        ),
        ("N206", (grammar.modals | grammar.hedges) - _FUTURE),
        ("N207", grammar.quantifiers | grammar.restrictors),
        ("N216", grammar.comparison - grammar.quantifiers),
        ("N208", frozenset(("used",)) | grammar.tense & (_BE | _FUTURE | grammar.auxiliaries) | _FUTURE),
    )


def _subjects(words: Iterable[str], grammar: Grammar) -> list[str]:
    """Those that are forms of the subject, pronouns or possessors."""
    standing = _pronouns(grammar)
    return [word for word in words if word in standing or word.endswith("'s")]


@lru_cache(maxsize=64)
def _pronouns(grammar: Grammar) -> frozenset[str]:
    return SUBJECTS | (grammar.pronouns - grammar.relatives)


def _bound(reading: Reading) -> Counter[tuple[str, str]]:
    """Each value with the word after it."""
    words = _forms(reading)
    values = {value for value in reading.analysis.values if value[:1].isdigit() or value.startswith("#:")}
    closed = reading.grammar.stopwords | reading.grammar.pronouns | reading.grammar.adjuncts | SUBJECTS
    return Counter(
        (word, words[at + 1])
        for at, word in enumerate(words[:-1])
        if word in values and words[at + 1] not in closed and not words[at + 1].startswith("§")
    )


def analysed(text: str, lexicon: Lexicon) -> Analysis:
    """The text as the measures see it, with nobody's name for the subject."""
    return analyse(text, lexicon)
