"""Every code that a refusal can carry: what it checks, why, and one example each way.

This table is the only place for their wording: ``nocturne explain``, the README's table and every message
are made from it. In a template, ``{key}`` is taken from the evidence and a part in brackets is left out where
one of its keys is not there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

_ANY = ("encode", "dedupe", "contradict", "merge", "promote", "schematise", "forget")
_STANDING = ("dedupe", "contradict", "merge", "promote", "schematise", "forget")
_TEXT = ("encode", "dedupe", "merge", "schematise")
_PAIR = ("dedupe", "merge")


@dataclass(frozen=True, slots=True)
class Code:
    """One reason to refuse; ``passes`` are those in which it can occur."""

    code: str
    title: str
    template: str
    why: str
    refused_example: str
    accepted_example: str
    passes: tuple[str, ...]


CODES: tuple[Code, ...] = (
    Code("N001", "malformed", "not a proposal of this pass[: {found}]",
         "Only the documented shapes are judged; nothing is guessed from broken output.",
         '{"drop":[{"itemId":"m3"}]} — duplicateOf is missing',
         '{"drop":[{"itemId":"m3","duplicateOf":"m2","reason":"says the same"}]}', _ANY),
    Code("N002", "id never existed", "{fact} never existed",
         "A proposal over a made-up id cannot be about any fact.",
         "drop m99 in a store of twelve facts", "drop m3, which is active", _STANDING),
    Code("N003", "id is inactive", "{fact} is inactive[ since {snapshot}][ ({rule})]",
         "What an earlier pass or night retired is not judged again.",
         "drop m3, retired by dedupe at s12", "drop m4, which is active", _STANDING),
    Code("N004", "already used in this pass", "{fact} was already used earlier in this pass[ by {by}]",
         "Each fact changes once a pass; a later proposal would rest on a row that is gone.",
         "drop m3 after m3 was dropped", "drop m4, untouched so far", _STANDING),
    Code("N005", "self-pair", "{fact} is paired with itself",
         "A fact is no duplicate, source or contradiction of itself.",
         "drop m3 as a duplicate of m3", "drop m3 as a duplicate of m2",
         ("dedupe", "contradict", "merge", "schematise")),
    Code("N006", "duplicate chain",
         "{earlier}, dropped earlier for {fact}, does not hold against the new keeper[ ({code})]",
         "Containment is not transitive, so every earlier duplicate is measured anew against the new keeper.",
         "m5 was dropped for m3, and m3 is to be dropped for m2, which lacks a word of m5",
         "m5 was dropped for m3, and m2 says all that m5 said", ("dedupe",)),
    Code("N007", "no reason", "the proposal gives no reason[ for its {kind}]",
         "Whoever audits a change must be able to read why it was proposed.",
         'reason: ""', 'reason: "says the same in other words"', _ANY),
    Code("N008", "illegal block", "the block {block} is not legal here[; legal: {legal}]",
         "Each pass may write to a few blocks only.",
         "encode into human", "encode into scratch", ("encode", "promote")),
    Code("N009", "illegal category", "the category {category} is not legal[; legal: {legal}]",
         "Protection and ageing hang on the category, so only the listed ones count.",
         "category: misc", "category: preferences", ("encode",)),
    Code("N010", "already there", "{fact} is already in {block}",
         "A move that moves nothing would be a change on record that changed nothing.",
         "promote m3 to human, where it stands", "promote m3 from scratch to human", ("promote",)),
    Code("N011", "blocks differ", "the facts are of different blocks: {blocks}",
         "A text about the assistant and one about the person never become one fact.",
         "merge a persona fact with one of human", "merge two facts of human", ("merge",)),
    Code("N012", "too few sources", "{found} source, {needed} needed",
         "A merge of one fact would be a rewording.",
         "merge m3 alone", "merge m3 and m4", ("merge",)),
    Code("N013", "the gate erred", "the gate erred and therefore refuses: {error}",
         "A gate that cannot finish has proven nothing.",
         "any proposal on which a gate raised", "the same proposal judged to the end", _ANY),
    Code("N014", "namespaces differ", "the facts belong to different namespaces: {namespaces}",
         "One owner's night never touches another owner's memory.",
         "merge a fact of team-a with one of team-b", "merge two facts of team-a",
         ("dedupe", "contradict", "merge", "schematise")),
    Code("N015", "turn unknown", "the cited turn {turn} is not among those given",
         "A fact names the turns that say it; others are no source.",
         "a fact citing t99 of three turns", "a fact citing t2 of three turns", ("encode",)),
    Code("N101", "content not in the sources", "not in the cited texts: {missing}",
         "Every content word must be said in the turns or sources that are cited.",
         "I bake bread. → The user bakes rye bread.", "I bake bread. → The user bakes bread.",
         ("encode", "merge", "schematise")),
    Code("N102", "name not in the sources", "name not in the cited texts: {names}",
         "A name that nobody said is invented, however likely it sounds.",
         "My sister lives in Ghent. → The user's sister Mara lives in Ghent.",
         "My sister Mara lives in Ghent. → The user's sister Mara lives in Ghent.",
         ("encode", "merge", "schematise")),
    Code("N103", "value not in the sources", "value not in the cited texts: {values}",
         "Numbers, dates, paths and identifiers are compared exactly.",
         "The port is 5433. → The port is 5432.", "The port is 5433. → The port is 5433.",
         ("encode", "merge", "schematise")),
    Code("N104", "the turn cannot support it", "a turn of {provenance} cannot support this[: {found}]",
         "Tools, injected text and summaries support nothing; an assistant only what it says of itself.",
         "assistant: You live in Oslo. → The user lives in Oslo.",
         "assistant: I answer in short sentences. → The assistant answers in short sentences.", ("encode",)),
    Code("N105", "forgotten by a person", "a person had this text forgotten",
         "What a person took back does not return by way of a transcript.",
         "the same words again after nocturne forget", "the same words after the policy's forgetting",
         ("encode", "merge", "schematise")),
    Code("N106", "own artefact", "the text is an export or recalled memory, not something said",
         "Memory that feeds on its own output repeats itself without end.",
         "[recalled memory] The user prefers tabs.", "I prefer tabs.", ("encode",)),
    Code("N107", "holds a secret", "the text holds a secret: {kinds}",
         "Keys and passwords are never kept, not even in part.",
         "The token is ghp_… in full", "The token is [secret:token].", ("encode", "merge", "schematise")),
    Code("N108", "control characters", "the text holds characters that do not show: {found}",
         "Characters that nobody sees can hide a word or turn its order round.",
         "a text with a bidirectional override in it", "the same text without it", ("encode",)),
    Code("N109", "fact too long", "the fact has {found} characters, {limit} are allowed",
         "A fact is one statement; a paragraph cannot be superseded in part.",
         "a whole turn of 900 characters as one fact", "one clause of that turn", ("encode",)),
    Code("N110", "empty", "the text says nothing[: {found}]",
         "A text without a single content word cannot be measured.",
         "a fact of three spaces", "The user lives in Ghent.", _TEXT),
    Code("N111", "span outside the turn",
         "the span {span} is not inside the cited turn[ of {length} characters]",
         "A span must point at the words that say the fact.",
         "span 40-90 of a turn of 50 characters", "span 0-50 of that turn", ("encode",)),
    Code("N201", "similarity below the floor",
         "similarity[ of {fact} and {other}] is {similarity}, below {floor}",
         "Too few of the smaller text's content words stand in the other.",
         "My stack is Airflow and Redis. / My stack is Airflow and Kafka.",
         "I live in Ghent. / The user lives in Ghent.", ("dedupe",)),
    Code("N202", "dropped is not contained in kept", "the kept text does not say: {lost}",
         "A drop must lose nothing; what falls short can be merged instead.",
         "drop: I have a dog called Saffron. / keep: I have a dog.",
         "drop: I have a dog. / keep: I have a dog called Saffron.", ("dedupe",)),
    Code("N203", "polarity differs", "the negation differs: {before} / {after}",
         "A statement and its denial share almost every word; no one fact is made of both.",
         "The user does not eat meat. / The user eats meat.",
         "I don't eat meat. / The user does not eat meat.", _TEXT),
    Code("N204", "role or order differs", "who does what to whom differs: {before} / {after}",
         "The same words in other roles say something else.",
         "Marco reports to Ana. / Ana reports to Marco.",
         "Ana trained Marco. / Marco was trained by Ana.", _TEXT),
    Code("N205", "hypothetical", "only supposed, not stated: {found}",
         "What would be so under a condition is not so.",
         "If I moved to Oslo, I would sell the car. → The user moved to Oslo.",
         "I moved to Oslo. → The user moved to Oslo.", _TEXT),
    Code("N206", "modality differs", "the modality differs: {before} / {after}",
         "Might, should, wants to and plans to are not deeds.",
         "The user might move to Oslo. / The user moves to Oslo.",
         "I might move to Oslo. / The user might move to Oslo.", _TEXT),
    Code("N207", "quantifier differs", "the quantity differs: {before} / {after}",
         "Some is not all, and usually is not always.",
         "Some of the tests pass. / All of the tests pass.",
         "All of the tests pass. / All the tests pass.", _TEXT),
    Code("N208", "tense differs", "the tense differs: {before} / {after}",
         "What was, is and will be are three statements.",
         "The user was a nurse. / The user is a nurse.",
         "I was a nurse. / The user was a nurse.", _TEXT),
    Code("N209", "subject differs",
         "the subject differs[: {before} / {after}][: {subjects}][: {fact} of {subject}, not for {block}]",
         "What is true of a person's wife, boss or friend is not true of the person.",
         "My wife runs. / The user runs.", "My wife runs. / The user's wife runs.",
         ("encode", "dedupe", "merge", "promote", "schematise")),
    Code("N210", "speaker differs", "the speakers differ: {speakers}",
         "The same words from another mouth are about somebody else.",
         "Ana: I am vegan. / Ben: I am vegan.", "Ana: I am vegan. / Ana: I'm vegan.", _TEXT),
    Code("N211", "values differ", "the values differ: {before} / {after}",
         "Numbers, dates, times, paths and identifiers hold exactly or not at all.",
         "The train leaves at 10:30. / The train leaves at 10:03.",
         "The train leaves at 2:30 pm. / The train leaves at 14:30.", _TEXT),
    Code("N212", "question", "a question states nothing: {found}",
         "To ask whether something is so does not say that it is.",
         "Should I move to Oslo? → The user should move to Oslo.",
         "I should move to Oslo. → The user should move to Oslo.", _TEXT),
    Code("N213", "names differ", "the names differ: {before} / {after}",
         "One swapped name changes who or where, whatever the similarity.",
         "I live in Ghent. / I live in Bruges.", "I live in Ghent. / The user lives in Ghent.", _TEXT),
    Code("N214", "quoted or reported", "said or written by somebody else: {found}",
         "What someone else said stands only together with who said it.",
         "My boss says I am lazy. → The user is lazy.",
         "My boss says I am lazy. → The user's boss says the user is lazy.", _TEXT),
    Code("N215", "connective or direction word differs", "the connecting words differ: {before} / {after}",
         "Before and after, from and to, or and and each turn a statement round.",
         "Call Ana or Ben. / Call Ana and Ben.", "Call Ana or Ben. / Call Ben or Ana.", _TEXT),
    Code("N216", "comparison differs", "the comparison differs: {before} / {after}",
         "More than, at most and about bound a value in different ways.",
         "It takes at most 5 minutes. / It takes 5 minutes.",
         "It takes at most 5 minutes. / At most five minutes it takes.", _TEXT),
    Code("N217", "binding differs", "a number or description moved to another word: {before} / {after}",
         "A count, unit or adjective belongs to its neighbour.",
         "Two dogs and three cats. / Three dogs and two cats.",
         "Two dogs and three cats. / Three cats and two dogs.", _TEXT),
    Code("N218", "spliced clause", "no single source says: {clause}",
         "Each clause of a merged text must come whole from one source.",
         "Ana lives in Ghent. + Ben lives in Bruges. → Ana lives in Bruges.",
         "Ana lives in Ghent. + Ben lives in Bruges. → Ana lives in Ghent and Ben lives in Bruges.",
         ("merge", "schematise", "encode")),
    Code("N219", "cannot be judged", "this text cannot be judged: {found}",
         "Where the gates do not know the language or script, only the same words in the same order pass.",
         "two Indonesian sentences with two words exchanged", "the same Indonesian sentence twice", _TEXT),
    Code("N220", "too small to drop unadjudicated",
         "the dropped text has {found} content words, and below {limit} only an adjudicated drop counts",
         "Very short texts are contained in longer ones by chance.",
         "The user smokes. / The user smokes salmon., nobody asked",
         "I have a cat. / I have a cat named Turnip., adjudicated", ("dedupe",)),
    Code("N221", "the text loses something", "the new text loses: {lost}",
         "After a merge every content word of every source must still be said.",
         "I have a dog. + I have a dog named Biscuit. → I have a dog.",
         "I have a dog. + I have a dog named Biscuit. → I have a dog named Biscuit.", ("merge", "encode")),
    Code("N222", "two values of a single-valued attribute",
         "{attribute} holds one value at a time, here {values}",
         "Two homes in one sentence hide that the second replaced the first.",
         "I live in Ghent. + I live in Bruges. → I live in Ghent and Bruges.",
         "I own a bike. + I own a car. → I own a bike and a car.", ("merge",)),
    Code("N223", "merged text too long", "the merged text has {found} characters, {limit} are allowed",
         "Merges must not grow into paragraphs.",
         "a merged text of 900 characters", "a merged text of 90 characters", ("merge",)),
    Code("N224", "too many originals",
         "the merged fact would stand for {found} originals, {limit} are allowed",
         "A fact of many originals can no longer be superseded alone.",
         "a merge of two facts of three originals each", "a merge of two facts", ("merge",)),
    Code("N225", "not similar enough to merge", "similarity is {similarity}, below {floor}",
         "Facts that share little are better kept apart.",
         "I bake bread. + The port is 5433.", "I bake bread. + I bake cakes.", ("merge",)),
    Code("N226", "validity differs", "the facts hold for different times: {facts}",
         "One fact has one span of validity, and who returns to an earlier value does not repeat it.",
         "merge a fact that ended in May with one that still holds", "merge two facts that still hold",
         ("merge", "dedupe")),
    Code("N227", "no statement about anyone", "no statement: {found}",
         "Greetings, thanks and one-off commands are no facts.",
         "Hello there!", "I always start at nine.", ("encode",)),
    Code("N228", "cannot be composed by code", "no text can be composed by code[ from {facts}]",
         "Without a text of the model's own, the code must be able to join the sources losslessly.",
         "merge a question with a statement, without a text", "merge two statements of one subject",
         ("merge",)),
    Code("N229", "the policy takes composed texts only",
         "the policy {policy} takes merge texts built by code only",
         "A strict policy leaves no wording to a model.",
         "a model's own text under strict", "the text that the code composed, under strict", ("merge",)),
    Code("N230", "different events", "the facts happened at different times[: {facts}]",
         "Two events of one kind are two events.",
         "I ran a marathon (May). / I ran a marathon (October).",
         "I ran a marathon (May). / I ran a marathon (May).", _PAIR),
    Code("N231", "both can be true", "both can be true at once[: {attribute} may have several values]",
         "Only what excludes the other supersedes it.",
         "I like tea. / I like coffee.", "I live in Ghent. / I live in Bruges now.", ("contradict",)),
    Code("N232", "new is not later", "the new text is not later: {old} / {new}",
         "Later means later as said or as it happened, never as it was read in.",
         "old said in May, new said in March", "old said in March, new said in May", ("contradict",)),
    Code("N233", "no cue of a change", "neither a single-valued attribute nor a cue of change[: {found}]",
         "Where several values may hold, only words such as now, moved or no longer say that one ended.",
         "The app runs on Linux. / The app runs on a server.",
         "We deploy with Helm. / We no longer deploy with Helm.", ("contradict",)),
    Code("N234", "not the same attribute or subject", "not about the same: {before} / {after}",
         "A statement supersedes only one about the same thing of the same subject.",
         "I live in Ghent. / I work at Acme.", "I live in Ghent. / I moved to Bruges.", ("contradict",)),
    Code("N235", "no times to order by", "neither text has a time, and they are not of one source",
         "Without times and across sources nobody can say which came later.",
         "two facts from two message dumps without times", "two turns of one message dump", ("contradict",)),
    Code("N241", "too few members", "{found} members, {needed} needed",
         "Two cases are no pattern.",
         "a schema of two members", "a schema of three members", ("schematise",)),
    Code("N242", "too few sessions", "members from {found} sessions, {needed} needed",
         "What was said in one sitting is one event.",
         "three members of one session", "three members of two sessions", ("schematise",)),
    Code("N243", "name in only one member", "named by one member only: {names}",
         "A pattern may carry only what recurs.",
         "Members: Ana bakes. Ben bakes. Cy bakes. → Ana bakes.",
         "Members: Ana bakes. Ana bakes bread. Ben bakes. → Ana bakes.", ("schematise",)),
    Code("N301", "age within the limit", "{fact} is {age_days} days old[, within {limit_days}]",
         "Forgetting needs a rule that the code itself verified.",
         "a fact of 12 days, limit 60", "a fact of 61 days, limit 60", ("forget",)),
    Code("N302", "not over capacity", "{fact} is not among those over the capacity of {capacity}",
         "Only the least salient beyond the capacity go.",
         "the most salient of seven facts, capacity six", "the least salient of seven facts, capacity six",
         ("forget",)),
    Code("N303", "only protected facts are left",
         "capacity {capacity} leaves only protected facts[: {active} active]",
         "Capacity never takes what is protected.",
         "eight protected facts, capacity six", "eight facts, two of them unprotected, capacity six",
         ("forget",)),
    Code("N304", "protected category", "{fact} is protected: {category}",
         "Identity, preferences, commitments and decisions do not age out.",
         "a preference of 400 days", "an event of 400 days", ("forget",)),
    Code("N305", "pinned", "{fact} is pinned",
         "A person asked for this fact to stay.",
         "a pinned event of 400 days", "an event of 400 days", ("forget",)),
    Code("N306", "loss budget",
         "the pass would bring losses to {would_lose} of {of}, {allowed} are allowed[ ({budget})]",
         "A night that loses much is stopped, and a person decides.",
         "30 of 100 facts without a successor, budget 0.25", "20 of 100 facts, budget 0.25",
         ("forget",)),
    Code("N307", "needs independent sources",
         "{fact} has {found} independent sources, {needed} needed[; trust {trust}]",
         "What little can be trusted needs a second, independent witness.",
         "a fact of trust 30 said in one file", "a fact of trust 30 said in two files on two days",
         ("promote",)),
    Code("N308", "pass switched off", "the pass {pass} is switched off by the policy[ {policy}]",
         "A policy decides what a night may do.",
         "forget under archive", "forget under default", _ANY),
    Code("N309", "conservation broken", "the pass would lose something[: {fact}][, {what}][: {lost}]",
         "After a pass every content word stands in an active fact or in one that names its successor.",
         "a drop whose keeper lacks a word", "a drop whose keeper has every word", _ANY),
    Code("N310", "keeper not active at the end", "the keeper {fact} is not active at the end of the pass",
         "A fact must not retire in favour of one that is gone.",
         "m3 dropped for m2, and m2 merged away later in the pass", "m3 dropped for m2, and m2 stays",
         ("dedupe", "merge")),
    Code("N401", "a person rejected it", "a person rejected this",
         "A person's word stands until a person lifts it.",
         "a proposal that was rejected in review", "a proposal that was approved in review", _ANY),
)

_TABLE = {entry.code: entry for entry in CODES}
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_KEY = re.compile(r"\{(\w+)\}")
_MEASURE = re.compile(r"-?\d+/\d+")
_SHOWN = 160
_NOTHING: tuple[Any, ...] = (None, "", [], ())


def code(name: str) -> Code:
    """The entry for ``N203``; ``KeyError`` where there is none."""
    return _TABLE[name]


def message(code: str, evidence: Mapping[str, Any]) -> str:
    """The sentence that a refusal says: ids, measure, limit, and what was found."""
    if code not in _TABLE:
        return f"refused ({code})"
    shown: list[str] = []
    for needed, texts, keys in _sections(code):
        if not needed or all(evidence.get(key) not in _NOTHING for key in needed):
            shown.append(texts[0])
            for key, text in zip(keys, texts[1:], strict=True):
                shown += (_shown(evidence.get(key)), text)
    return "".join(shown)


_Section = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
"""The keys that must be there, the texts around the keys, and the keys between them."""


@lru_cache(maxsize=256)
def _sections(code: str) -> tuple[_Section, ...]:
    """A template in its parts; those in brackets need their keys."""
    found: list[_Section] = []
    for n, section in enumerate(_OPTIONAL.split(_TABLE[code].template)):
        pieces = _KEY.split(section)
        texts, keys = tuple(pieces[::2]), tuple(pieces[1::2])
        found.append((keys if n % 2 else (), texts, keys))
    return tuple(found)


def _shown(value: Any) -> str:
    if isinstance(value, str):
        text = value or "nothing"
    elif value in _NOTHING:
        return "nothing"
    elif isinstance(value, (list, tuple)):
        return ", ".join([_shown(item) for item in value])
    else:
        text = str(value) or "nothing"
    if "/" in text and _MEASURE.fullmatch(text):
        above, below = text.split("/")
        return f"{int(above) / (int(below) or 1):.2f}"
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
