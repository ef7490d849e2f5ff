"""Whether the cited turns say a fact: each of its clauses is one of theirs, its subject spelled out, nothing added."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from nocturne.core.meaning.alike import Rewrites
from nocturne.core.meaning.clauses import statements, verb_at
from nocturne.core.meaning.finding import Fails, Finding, Holds, Said, guarded
from nocturne.core.meaning.grammar import FLOATING, SUBJECT_PRONOUNS, VERB_ADVERBS, Grammar
from nocturne.core.meaning.guards import brief, difference, name_set, shown, unfit
from nocturne.core.meaning.moves import Key, bare
from nocturne.core.meaning.outright import before_question, cut_out
from nocturne.core.meaning.reading import SUBJECTS, Reading, Sentence, read
from nocturne.core.meaning.support import embedded, follows
from nocturne.core.meaning.verbs import is_form
from nocturne.core.text.analysis import analyse
from nocturne.core.text.folding import fold
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.text.stemming import stem_of

_SUPPORTING = ("human", "profile", "assistant")
_ASSISTANT = "Assistant"
_NAMED_ASSISTANT = re.compile(r"\b(?:the|this) assistant\b", re.IGNORECASE)
_RULES = frozenset(("must", "should", "shall", "ought"))
_LEAD_IN = frozenset(
    ("hi", "hey", "hello", "oh", "ah", "well", "so", "yeah", "yes", "yep", "yup", "no", "nope", "wow", "okay", "ok",
     "btw", "also", "and", "but", "plus", "anyway", "anyways", "sure", "thanks", "thank", "you", "haha", "lol", "aw",
     "aww", "hmm", "um", "uh", "honestly", "actually", "luckily", "sadly", "fortunately", "unfortunately", "please",
     "remember", "note", "fyi", "quick", "by", "way", "right", "cool", "great", "nice", "good", "morning", "evening",
     "afternoon", "then", "listen", "look", "totally", "absolutely", "definitely", "know", "update", "reminder",
     "everyone", "again", "too", "really", "exactly", "true", "agreed", "just", "moreover", "however", "furthermore",
     "additionally", "similarly", "likewise", "woah", "whoa", "yay", "ooh", "awesome", "welcome", "congrats")
)  # fmt: skip
"""Words that may go before a statement and say nothing of it."""

_NEVER_LEFT_OUT = frozenset(
    ("sometimes", "usually", "maybe", "perhaps", "probably", "possibly", "often", "rarely", "never", "once",
     "otherwise", "hopefully", "apparently", "allegedly", "supposedly", "ideally", "normally", "generally",
     "occasionally",
     "hypothetically", "theoretically", "almost", "mostly", "formerly", "previously")
)  # fmt: skip
_GREETS = frozenset(
    ("hi", "hey", "hello", "thanks", "wow", "oh", "yeah", "aw", "aww", "morning", "dear", "yes", "no")
)
_TAIL = frozenset(
    ("thanks", "thank", "you", "lol", "haha", "right", "know", "too", "though", "please", "btw", "by", "way", "so",
     "much", "again", "obviously", "honestly", "actually", "hehe", "though")
)  # fmt: skip
_RETRACTS = (
    "kidding",
    "joking",
    "scratch that",
    "no wait",
    "wait no",
    "actually no",
    "/s",
)
_RETRACTS_AT_FRONT = (("not", "really"), ("§subj", "mean"), ("i", "mean"))
"""Only at the front of a sentence: *I am not really into hiking* takes nothing back."""
_NO_GERUND = frozenset(
    ("nothing", "something", "anything", "everything", "morning", "evening", "during", "according")
)
_PREFACES = (
    ("sorry", "to", "tell", "you", "this", "but"), ("speaking", "of", "which"), ("long", "story", "short"),
    ("fun", "fact"), ("good", "news"), ("guess", "what"),
)  # fmt: skip
_FICTION = frozenset(
    ("pretend", "imagine", "suppose", "supposing", "hypothetically", "fictional", "fiction", "roleplay",
     "fictitious", "translate")
)  # fmt: skip
_SCENES = frozenset(
    ("novel", "story", "tale", "movie", "film", "book", "game", "play", "script", "song", "dream", "scenario")
)
"""*In the novel, …* sets a scene of its own."""

_ADDRESS = frozenset(("you", "your", "yours"))


@guarded
def judge_encode(
    turns: Sequence[Said], text: str, *, lexicon: Lexicon, subject: str | None = None, block: str = "scratch"
) -> Finding:
    """Holds where every clause of the text is a clause of a cited turn, about the same subject."""
    if not turns:
        return Fails("N015", {"turn": "none cited"})
    if refused := _provenance(turns, block, subject):
        return refused
    claim_text, speaker = _about(turns, text)
    claim = read(claim_text, lexicon, speaker)
    if not claim.analysis.content:
        return Fails("N110", {"found": "no content word"})
    readings = [read(_parted(said.text), lexicon, said.speaker) for said in turns]
    if refused := next(filter(None, (unfit(part.analysis) for part in (claim, *readings))), None):
        return refused
    if refused := _measured(turns, text, lexicon, speaker):
        return refused
    if claim.asks:
        return Fails("N212", {"found": brief(text)})
    if refused := _statement(claim):
        return refused
    found = _said(claim, readings)
    if isinstance(found, Fails):
        return found
    if turns[0].provenance == "assistant" and (refused := _of_itself(claim)):
        return refused
    return Holds("traceable", {"rewrites": list(dict.fromkeys(found))})


_BREAK = re.compile(r"\n[ \t]*(?:```|~~~)[^\n]*(?:\n|\Z)|\n[ \t]*\n")


def _parted(text: str) -> str:
    """The text with a full stop where a paragraph or a block of code ends: no sentence goes on beyond."""
    return _BREAK.sub(" .\n", text) if "\n" in text else text


def _provenance(turns: Sequence[Said], block: str, subject: str | None) -> Fails | None:
    for said in turns:
        if said.provenance not in _SUPPORTING:
            return Fails("N104", {"provenance": said.provenance})
        if said.provenance == "assistant" and (block != "persona" or subject not in (None, "assistant")):
            found = "an assistant supports only what it says of itself, in persona"
            return Fails("N104", {"provenance": "assistant", "found": found})
        if said.provenance != "assistant" and block == "persona" and subject == "assistant":
            return Fails(
                "N104",
                {"provenance": said.provenance, "found": "persona is what the assistant says of itself"},
            )
    speakers = sorted({said.speaker or "the user" for said in turns})
    if len(speakers) > 1:
        return Fails("N210", {"speakers": speakers})
    return None


def _about(turns: Sequence[Said], text: str) -> tuple[str, str | None]:
    """The text and the name for which its subject is read: the assistant's own where it speaks of itself."""
    first = turns[0]
    if first.provenance != "assistant":
        return text, first.speaker
    return _NAMED_ASSISTANT.sub(_ASSISTANT, text), first.speaker or _ASSISTANT


def _measured(turns: Sequence[Said], text: str, lexicon: Lexicon, speaker: str | None) -> Fails | None:
    """Coverage, names and values against the turns, the speaker's label and the subject forms."""
    claim = analyse(text, lexicon)
    sources = [analyse(said.text, lexicon) for said in turns]
    label = frozenset(fold(word) for word in (speaker or "").split())
    # The claim's own language may have taken an s off the name: Ines is not a plural.
    label |= {stem_of(word, lexicon.of(claim.lang)) for word in label}
    held = label | {"user", "assistant"}
    for source in sources:
        held |= source.vocabulary
    if claim.values - frozenset().union(*(source.values for source in sources)):
        found = claim.values - frozenset().union(*(source.values for source in sources))
        return Fails("N103", {"values": sorted(found)})
    missing = {word for word in claim.content - held if word.removesuffix("'s") not in label}
    context = [said.text for said in turns]
    spoken = {
        fold(source.surface(at)).removesuffix("'s") for source in sources for at in range(len(source.forms))
    }
    strange = {
        name for name in name_set(text, lexicon, context)
        if name not in spoken and name.removesuffix("'s") not in spoken | label
        and not all(part in spoken | label for part in name.split())
    }  # fmt: skip
    if strange:
        return Fails("N102", {"names": sorted(strange)})
    if missing:
        return Fails("N101", {"missing": shown(claim, missing)})
    return None


def _statement(claim: Reading) -> Fails | None:
    """The refusal where the text states nothing: a greeting, thanks, a bare command."""
    words = claim.sentences[0].words if claim.sentences else ()
    if not words or all(word in _LEAD_IN or word == "," for word in words):
        return Fails("N227", {"found": brief(claim.analysis.text)})
    return None


def _of_itself(claim: Reading) -> Fails | None:
    for sentence in claim.sentences:
        if not sentence.words[:1] or sentence.words[0] not in SUBJECTS:
            return Fails("N104", {"provenance": "assistant", "found": "not about the assistant itself"})
        if _RULES & set(sentence.words) or _ADDRESS & set(sentence.words) or "§user" in sentence.words:
            return Fails(
                "N104", {"provenance": "assistant", "found": "a rule, or something about the person"}
            )
    return None


def _said(claim: Reading, readings: Sequence[Reading]) -> Rewrites | Fails:
    names: list[str] = []
    for sentence in claim.sentences:
        found = _sentence_said(sentence, readings) or _sentence_said(_reflexive(sentence), readings)
        if found is None:
            parts = statements(sentence.words, claim.grammar)
            several = [_key_said(part, readings) for part in parts] if len(parts) > 1 else [None]
            if any(item is None for item in several):
                return _why_not(claim, sentence, readings)
            found = tuple(name for item in several if item for name in item)
        names.extend(found)
    return tuple(names)


def _reflexive(sentence: Sentence) -> Sentence:
    """*The user immerses themselves in it* read as *I immerse myself in it*: the subject is the speaker's own."""
    if sentence.words[:1] != ("§subj",) or "themselves" not in sentence.words or "they" in sentence.words:
        return sentence
    words = tuple("§subj" if word == "themselves" else word for word in sentence.words)
    return replace(sentence, words=words)


def _sentence_said(sentence: Sentence, readings: Sequence[Reading]) -> Rewrites | None:
    return _key_said(sentence.words, readings)


def _key_said(claim: Key, readings: Sequence[Reading]) -> Rewrites | None:
    for reading in readings:
        if not reading.grammar.known:
            if any(
                bare(claim) == bare(sentence.words) for sentence in reading.sentences if not sentence.asks
            ):
                return ("verbatim only",)
            continue
        retracted = _retracted(reading)
        for place, sentence in enumerate(reading.sentences):
            words = before_question(sentence.words, reading.grammar) if sentence.asks else sentence.words
            if not words or retracted or _fictional(reading, place):
                continue
            for offered in _offered(words, reading.grammar):
                if not set(claim) <= set(offered) | _ADDED or _broken_off(claim, offered, reading.grammar):
                    continue
                found = follows(claim, offered, reading.grammar, loose=True)
                if found is not None:
                    return (
                        found
                        if offered == sentence.words and not sentence.asks
                        else (*found, "clause taken out")
                    )
            bodies = (*_stripped(words, reading.grammar), *_noted(words, reading.grammar))
            if any(cut_out(claim, body, reading.grammar) for body in bodies):
                return ("clause taken out",)
    return None


def _broken_off(claim: Key, offered: Key, grammar: Grammar) -> bool:
    """Whether the claim ends in the middle of a phrase, or takes the person spoken to for the subject."""
    if claim[0] == offered[0] and offered[1:2] == (",",) and claim[1:2] != (",",) and offered.count(",") == 1:
        return claim[0] not in grammar.adjuncts and claim[0] not in SUBJECTS
    last = claim[-1]
    if last == offered[-1]:
        return False
    open_ended = last in grammar.determiners or last in grammar.auxiliaries or last in grammar.modals
    return open_ended or last in _OPEN or last.endswith("'s") or last in grammar.joints


_OPEN = frozenset(
    ("of", "to", "for", "with", "from", "in", "on", "at", "by", "after", "before", "into", "but", "very", "so",
     "really",
     "because", "who", "which", "when", "while", "if", "than", "as", "about", "—", ",")
)  # fmt: skip
_ADDED = frozenset(("is", "have", "do", "did", "was", "of", "'s", "§=", "and", "that")) | SUBJECTS


def _offered(sentence: Key, grammar: Grammar) -> Iterator[Key]:
    """The sentence, without what leads into it or trails after it, and its single statements."""
    yield from _stripped(sentence, grammar)
    for whole in (sentence, *(words for words in _stripped(sentence, grammar) if words != sentence)):
        parts = statements(whole, grammar, loose=True)
        for place, part in enumerate(parts if len(parts) > 1 else ()):
            # What hangs on a condition, a report or a doubt before it is not said by itself.
            if embedded(tuple(word for before in parts[:place] for word in before), grammar):
                break
            if _taken_back(parts[place + 1 :], grammar):
                continue
            yield from _stripped(part, grammar)
            yield from _after_reason(part, grammar)
        yield from _after_reason(whole, grammar)


def _taken_back(later: Sequence[Key], grammar: Grammar) -> bool:
    """Whether what follows doubts the clause or sets a condition for it: *…, I think*, *…, if it rains*."""
    if not later:
        return False
    first = later[0]
    if len(first) < 4 and set(first) & (grammar.hedges | grammar.reporting):
        return True
    conditions = grammar.conditionals - grammar.modals
    return any(
        word in conditions and at and part[at - 1] not in _WONDERING
        for part in later
        for at, word in enumerate(part)
    )


_WONDERING = frozenset(
    ("know", "knows", "see", "wonder", "wondering", "sure", "ask", "asked", "but", "even", "as", "like")
)


def _after_reason(whole: Key, grammar: Grammar) -> Iterator[Key]:
    """The clause before *so*, *but* or *because*, and the one after: both are said."""
    for at, word in enumerate(whole):
        linked = word in ("because", "so") or (word == "but" and whole[at - 1] in (",", "—"))
        if linked and 1 < at < len(whole) - 2 and not embedded(whole, grammar):
            if whole[at + 1] in grammar.restrictors or (word == "but" and whole[at + 1] in grammar.negation):
                return
            if whole[at + 1] in SUBJECT_PRONOUNS or whole[at + 1].endswith("'s"):
                yield whole[at + 1 :]
            yield whole[: at - 1] if whole[at - 1] == "," else whole[:at]
            return


def _stripped(words: Key, grammar: Grammar) -> Iterator[Key]:
    """The words without what leads into them and trails after them, and with the subject that a note leaves out."""
    seen: dict[Key, None] = {words: None}
    leads = _leads(words)
    for end in _ends(words):
        for at in leads:
            body = words[at:end]
            while body and body[-1] in (",", "—"):
                body = body[:-1]
            if body:
                seen[body] = None
    for body in list(seen):
        if grammar.english and (whole := _with_speaker(body, grammar)):
            seen[whole] = None
    yield from seen


def _leads(words: Key) -> list[int]:
    """Where the statement may begin: each place behind words that only lead into it."""
    found = [0]
    at = 0
    while at < min(len(words) - 1, 8) and (words[at] in _LEAD_IN or words[at] in (",", ":", "—")):
        at += 1
        found.append(at)
    if at == 0 and _called_by_name(words):
        found.extend(2 + n for n in _leads(words[2:]))
    called = 2 if words[1:2] == (",",) else 0
    for phrase in _PREFACES:
        end = called + len(phrase)
        if words[called:end] == phrase and len(words) > end + 2:
            found.append(end + (words[end] == ","))
    if words[:1] and words[0] in _GREETS and at < len(words) - 2:
        for more in (1, 2):
            if words[at + more : at + more + 1] in ((",",), ("—",)):
                found.append(at + more + 1)
                found.extend(at + more + 1 + n for n in _leads(words[at + more + 1 :])[1:])
                break
    return found


def _called_by_name(words: Key) -> bool:
    """Whether the first word, before a comma, only says to whom this is said."""
    if words[1:2] != (",",) or len(words) < 4 or words[0] in _NEVER_LEFT_OUT:
        return False
    if words[0] in SUBJECT_PRONOUNS or words[0] in FLOATING:
        return False
    noted = words[2] == "had" or (is_form(words[2], "past") and not is_form(words[2], "base"))
    return noted or words[2] in SUBJECT_PRONOUNS or words[2].endswith("'s") or words[2] in _LEAD_IN


def _ends(words: Key) -> list[int]:
    """Where it may end: before a comma and words that only trail after it."""
    found = [len(words)]
    end = len(words)
    while end > 2 and (words[end - 1] in _TAIL or words[end - 1] == ","):
        end -= 1
        if words[end] == "," or words[end] in ("too", "again"):
            found.append(end)
    return found


def _with_speaker(body: Key, grammar: Grammar) -> Key | None:
    """Adds the subject that a note leaves out: *Just moved to Oslo*, *Going to sell the car*."""
    verb = 0
    while verb < len(body) - 1 and (body[verb] in VERB_ADVERBS or body[verb] == "mostly"):
        verb += 1
    word = body[verb]
    past = (
        word == "had" or is_form(word, "past") or (word.endswith("ed") and len(word) > 3)
    ) and not is_form(word, "base")
    if past and (word in ("got", "had") or word not in grammar.auxiliaries):
        return ("§subj", *body)
    if word == "been":
        return ("§subj", "have", *body)
    if word.endswith("ing") and len(word) > 4 and word not in _NO_GERUND and verb_at(body, grammar) is None:
        return ("§subj", "is", *body)
    return None


def _noted(words: Key, grammar: Grammar) -> Iterator[Key]:
    """Notes behind a dash, with the subject that they leave out: *quite a week — had an interview*."""
    for at, word in enumerate(words[:-2]):
        if word != "—" or not grammar.english or embedded(words[:at], grammar):
            continue
        if (whole := _with_speaker(words[at + 1 :], grammar)) is not None:
            yield whole


def _retracted(reading: Reading) -> bool:
    text = f" {' '.join(reading.analysis.words)} "
    return any(f" {cue} " in text for cue in _RETRACTS) or any(
        sentence.words[at : at + 2] in _RETRACTS_AT_FRONT and sentence.words[at + 2 : at + 3] != (",",)
        for sentence in reading.sentences
        for at in _leads(sentence.words)
    )


def _fictional(reading: Reading, place: int) -> bool:
    """Whether a word that sets a scene stands in this sentence or the one before it."""
    return any(
        set(sentence.words) & _FICTION
        or (sentence.words[:1] == ("in",) and set(sentence.words[1:4]) & _SCENES)
        for sentence in reading.sentences[max(0, place - 1) : place + 1]
    )


def _why_not(claim: Reading, sentence: Sentence, readings: Sequence[Reading]) -> Fails:
    """The refusal against the sentence that shares most with the claim."""
    wanted = set(sentence.words)
    best: tuple[int, Reading, Sentence] | None = None
    for reading in readings:
        if not reading.grammar.known:
            return Fails("N219", {"found": "a language that the gates do not know"})
        for other in reading.sentences:
            shared = len(wanted & set(other.words))
            if best is None or shared > best[0]:
                best = (shared, reading, other)
    if best is None:
        return Fails("N101", {"missing": shown(claim.analysis, claim.analysis.content)})
    _, reading, other = best
    grammar = reading.grammar
    words = set(other.words)
    said = brief(reading.analysis.text)
    if other.asks:
        return Fails("N212", {"found": said})
    if _retracted(reading) or any(
        _fictional(reading, at) for at, s in enumerate(reading.sentences) if s is other
    ):
        return Fails("N205", {"found": said})
    if words & (grammar.conditionals - grammar.modals) - wanted:
        return Fails("N205", {"found": said})
    if '"' in words - wanted or (words & (grammar.reporting - grammar.hedges)) - wanted:
        return Fails("N214", {"found": said})
    alone = Reading.of(reading.analysis, grammar, (other,))
    found = difference(alone, Reading.of(claim.analysis, claim.grammar, (sentence,)), superset=True)
    if found.code in ("N202", "N204", "N211", "N215", "N217"):
        lost = words & (grammar.negation | grammar.hedges | grammar.modals)
        if found.code == "N202" or lost:
            return Fails("N218", {"clause": " ".join(sentence.words)})
        return Fails(found.code if found.code != "N202" else "N218", found.evidence)
    return found
