"""The text that code itself makes of several sources, always one that the gate accepts.

Tried in this order: the source that contains the others; one clause with a list; one subject with several verbs;
the sources joined by *and*; the sources one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nocturne.core.meaning.clauses import subject_of
from nocturne.core.meaning.finding import Holds, Said
from nocturne.core.meaning.grammar import ARTICLES, Grammar
from nocturne.core.meaning.merge import judge_merge
from nocturne.core.meaning.reading import Reading, read
from nocturne.core.meaning.verbs import is_form
from nocturne.core.text.lexicon import Lexicon

_ENDS = ".!。！।؟?"
_AND = {"en": "and", "es": "y", "pt": "e", "de": "und", "fr": "et", "ru": "и", "hi": "और"}
_OR = {"en": "or", "es": "ni", "pt": "nem", "de": "oder", "fr": "ni"}


def compose_merge(sources: Sequence[Said], *, lexicon: Lexicon, close: bool = False) -> str | None:
    """The shortest composed text that says all of the sources; None where none does.

    ``close`` takes only what makes one fact of them: the source that contains the others, or one clause with a list.
    Facts that merely share a subject stay two facts, so that one can be superseded alone.
    """
    if not sources:
        return None
    speaker = sources[0].speaker
    readings = [read(said.text, lexicon, speaker) for said in sources]
    if any(reading.asks for reading in readings):
        return None
    for text in dict.fromkeys(_composed(sources, readings, close=close)):
        if isinstance(judge_merge(sources, text, lexicon=lexicon), Holds):
            return text
    return None


def _composed(sources: Sequence[Said], readings: Sequence[Reading], *, close: bool) -> Iterator[str]:
    texts = [said.text.strip() for said in sources]
    widest = max(range(len(texts)), key=lambda at: len(readings[at].analysis.content))
    if all(reading.analysis.content <= readings[widest].analysis.content for reading in readings):
        yield texts[widest]
    grammar = readings[0].grammar
    alike = len({reading.grammar.language for reading in readings}) == 1 and grammar.known
    single = all(len(reading.sentences) == 1 for reading in readings)
    if alike and single and grammar.language in _AND:
        yield from _listed(texts, readings, grammar)
    if close:
        return
    if alike and single and grammar.language in _AND:
        yield from _elided(texts, readings, grammar)
    stopped = [text if text[-1:] in _ENDS else f"{text}." for text in dict.fromkeys(texts)]
    yield " ".join(stopped)


def _tail(text: str, reading: Reading, at: int) -> str | None:
    """The text from its ``at``-th canonical word on, without its full stop."""
    places = reading.sentences[0].places
    if at >= len(places):
        return None
    analysis = reading.analysis
    begin, article = places[at], places[at] - 1
    if article >= 0 and analysis.surface(article).casefold() in ARTICLES:
        begin = article
    lead = len(analysis.text) - len(analysis.text.lstrip())
    return text[max(0, analysis.starts[begin] - lead) :].rstrip().rstrip(_ENDS).rstrip() or None


def _shared(readings: Sequence[Reading]) -> int:
    first = readings[0].sentences[0].words
    shared = 0
    while all(
        shared < len(reading.sentences[0].words) and reading.sentences[0].words[shared] == first[shared]
        for reading in readings
    ):
        shared += 1
    return shared


def _same_words(texts: Sequence[str], tails: Sequence[str | None]) -> bool:
    """Whether the texts begin with the same words as written: *I* and *the user* are not set into one clause."""
    heads = {
        " ".join(
            text.rstrip().rstrip(_ENDS)[: len(text.rstrip().rstrip(_ENDS)) - len(tail)].casefold().split()
        )
        for text, tail in zip(texts, tails, strict=True)
        if tail is not None
    }
    return len(heads) == 1


def _listed(texts: Sequence[str], readings: Sequence[Reading], grammar: Grammar) -> Iterator[str]:
    """One clause whose last part is a list."""
    shared = _shared(readings)
    words = readings[0].sentences[0].words
    subject = subject_of(words, grammar) if grammar.english else words[:1]
    if subject is None or shared <= len(subject):
        return
    if any(
        word in grammar.joints or word == "," for reading in readings for word in reading.sentences[0].words
    ):
        return
    tails = [_tail(text, reading, shared) for text, reading in zip(texts, readings, strict=True)]
    if any(tail is None for tail in tails) or not _same_words(texts, tails):
        return
    parts = [str(tail) for tail in tails]
    ends = [reading.sentences[0].words[shared:] for reading in readings]
    if any(
        len(end) > 4 or set(end) & (grammar.adjuncts | grammar.auxiliaries | grammar.modals) for end in ends
    ):
        return
    negated = any(word in grammar.negation for word in words[:shared])
    joint = (_OR if negated else _AND).get(grammar.language)
    if joint is None:
        return
    head = texts[0].rstrip().rstrip(_ENDS)[: -len(parts[0])]
    yield f"{head}{_joined(parts, joint)}."


def _elided(texts: Sequence[str], readings: Sequence[Reading], grammar: Grammar) -> Iterator[str]:
    """One subject, several verbs; where a verb's helper would reach over the joint, the subject is said again."""
    joint = _AND[grammar.language]
    bare = [text.rstrip().rstrip(_ENDS) for text in texts]
    if grammar.english:
        subject = subject_of(readings[0].sentences[0].words, grammar)
        if subject is not None and _shared(readings) >= len(subject):
            tails = [
                _tail(text, reading, len(subject)) for text, reading in zip(texts, readings, strict=True)
            ]
            if all(tail is not None for tail in tails) and _same_words(texts, tails):
                yield f"{_joined([bare[0], *(str(tail) for tail in tails[1:])], joint)}."
    first = texts[1].split(" ", 1)[0]
    named = first == "I" or first.startswith("I'") or (grammar.english and not _plain(first, readings[1]))
    if len(bare) == 2 and (named or _plain(first, readings[1])):
        yield f"{bare[0]}, {joint} {_lowered(bare[1], readings[1])}."


def _joined(parts: Sequence[str], joint: str) -> str:
    if len(parts) == 1:
        return parts[0]
    return f"{', '.join(parts[:-1])} {joint} {parts[-1]}"


def _lowered(text: str, reading: Reading) -> str:
    """The text with a small first letter where its first word is no name."""
    first = text.split(" ", 1)[0]
    return text[:1].lower() + text[1:] if _plain(first, reading) else text


def _plain(word: str, reading: Reading) -> bool:
    """Whether the capital of a first word is only its place's."""
    if word == "I" or word.startswith("I'") or not word.istitle():
        return False
    folded = word.casefold()
    grammar = reading.grammar
    if folded in grammar.stopwords or folded in grammar.determiners or folded in grammar.pronouns:
        return True
    return grammar.english and is_form(folded, "base") and word not in reading.analysis.names
