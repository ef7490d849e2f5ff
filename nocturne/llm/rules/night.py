"""The passes of a night, adjudicated by rule: what was nominated is proposed, kept apart, or left alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from nocturne.core.facts import Fact
from nocturne.llm.rules.cues import cue
from nocturne.llm.rules.grammar import DETERMINERS, PREPOSITIONS
from nocturne.passes.briefs import (
    Cluster,
    ContradictBrief,
    DedupeBrief,
    ForgetBrief,
    MergeBrief,
    PromoteBrief,
    SchematiseBrief,
)

WORD = re.compile(r"[^\W_](?:[\w'’]|[-./@:_#+](?=\w))*")
CHANGE = cue("kinds.json", "change")
DANGLING = PREPOSITIONS | DETERMINERS | {"and", "or", "but", "called", "named"}
"""Words that no statement ends with."""
HUMAN = frozenset({"identity", "preferences", "commitments", "decisions", "opinion", "fact"})
DENIALS = frozenset({"not", "never", "no", "nor", "neither", "without", "cannot"})
VALUED = re.compile(r"([A-Za-z][\w+#-]*)\s+(?:version\s+|v)?(\d[\w.]*)")


def _words(text: str) -> set[str]:
    return {word.lower().replace("’", "'") for word in WORD.findall(text)}


def _bag(text: str) -> Counter[str]:
    """The words that carry meaning, counted: articles and forms of "the user" aside, negation kept."""
    skip = {"the", "a", "an", "user", "user's"}
    return Counter(word.lower().replace("’", "'") for word in WORD.findall(text) if word.lower() not in skip)


def dedupe(brief: DedupeBrief) -> Iterator[tuple[str, dict[str, Any]]]:
    """Drop what the kept fact says word for word, keep apart what has a word of its own."""
    gone: set[int] = set()
    for pair in brief.pairs:
        if pair.drop in gone or pair.keep in gone:
            continue
        dropped, kept = brief.facts[pair.drop], brief.facts[pair.keep]
        ids = {"itemId": f"m{pair.drop}", "duplicateOf": f"m{pair.keep}"}
        own = _bag(dropped.text) - _bag(kept.text)
        negated = _negations(dropped.text) != _negations(kept.text)
        if dropped.subject != kept.subject or negated:
            yield "keep", {**ids, "reason": "the two differ in whom they are about or in what they deny"}
        elif pair.equal or not own:
            gone.add(pair.drop)
            yield "drop", {**ids, "reason": f"m{pair.keep} says all that m{pair.drop} says"}
        else:
            words = ", ".join(sorted(own)[:4])
            yield "keep", {**ids, "reason": f"only m{pair.drop} says {words}"}


def _negations(text: str) -> int:
    words = [word.lower().replace("’", "'") for word in WORD.findall(text)]
    return sum(word in DENIALS or word.endswith("n't") for word in words)


def contradict(brief: ContradictBrief) -> Iterator[tuple[str, dict[str, Any]]]:
    """The later statement supersedes where the attribute has one value at a time, or it tells of a change."""
    for clash in brief.clashes:
        old, new = brief.facts[clash.old], brief.facts[clash.new]
        ids = {"oldId": f"m{clash.old}", "newId": f"m{clash.new}"}
        cue = CHANGE.pattern.search(new.text)
        if old.subject != new.subject or _words(old.text) == _words(new.text):
            yield "keep", {**ids, "reason": "no later value of the same thing"}
        elif cue is not None:
            yield "contradict", {**ids, "reason": f"the later statement tells of a change: {cue[0].lower()}"}
        elif new.attribute is not None and new.attribute == old.attribute and _same_thing(old.text, new.text):
            why = f"{new.attribute} holds one value at a time, and this one was said later"
            yield "contradict", {**ids, "reason": why}
        elif clash.attribute is not None and _negations(old.text) != _negations(new.text):
            why = f"the later statement on {clash.attribute} says the opposite"
            yield "contradict", {**ids, "reason": why}
        else:
            yield "keep", {**ids, "reason": "both can be true"}


def _same_thing(old: str, new: str) -> bool:
    """Whether values with digits in them stand behind the same word in both texts: versions of one program."""
    before, after = dict(VALUED.findall(old)), dict(VALUED.findall(new))
    if not before or not after:
        return True
    return any(name in after and after[name] != value for name, value in before.items())


def merge(brief: MergeBrief) -> Iterator[tuple[str, dict[str, Any]]]:
    """Take every union whose text code could compose; each fact is used once a night."""
    used: set[int] = set()
    for union in brief.unions:
        ids = {union.into, *union.sources}
        if union.composed is None or ids & used:
            continue
        used |= ids
        yield (
            "merge",
            {
                "intoId": f"m{union.into}",
                "fromIds": [f"m{source}" for source in union.sources],
                "mergedText": None,
                "reason": "one statement holds every word of both",
            },
        )


def promote(brief: PromoteBrief) -> Iterator[tuple[str, dict[str, Any]]]:
    """Lasting facts about a person to human, what happened to episodes, what the assistant is to persona."""
    for id_, fact in brief.facts.items():
        block = _home(fact)
        if block is not None and block != fact.block:
            yield "promote", {"itemId": f"m{id_}", "toBlock": block, "reason": _promotion(fact, block)}


def _home(fact: Fact) -> str | None:
    if fact.subject == "assistant":
        return "persona"
    if fact.category == "event":
        return "episodes"
    return "human" if fact.category in HUMAN else None


def _promotion(fact: Fact, block: str) -> str:
    if block == "episodes":
        return "something that happened, kept with its time"
    if block == "persona":
        return "what the assistant says it is"
    return f"a lasting statement of kind {fact.category}"


def schematise(brief: SchematiseBrief) -> Iterator[tuple[str, dict[str, Any]]]:
    """Word a cluster by the beginning of its most typical member that the others share."""
    for cluster in brief.clusters:
        text = _pattern(cluster, brief.facts)
        if text is not None:
            yield (
                "schematise",
                {
                    "memberIds": [f"m{member}" for member in cluster.members],
                    "text": text,
                    "reason": f"{len(cluster.members)} statements share {', '.join(cluster.terms[:4])}",
                },
            )


def _pattern(cluster: Cluster, facts: Mapping[int, Fact]) -> str | None:
    texts = [facts[member].text for member in cluster.members if member in facts]
    if len(texts) < 3:
        return None
    spread: Counter[str] = Counter()
    for text in texts:
        spread.update(_words(text))
    needed = max(3, -(-len(texts) * 3 // 5))
    for text in sorted(texts, key=lambda text: (-_typical(text, spread), len(text))):
        kept = _shared_clause(text, spread, needed)
        if kept is not None and len(_words(kept)) >= 3:
            return kept
    return None


def _typical(text: str, spread: Counter[str]) -> float:
    """How common the text's words are among the members; the 3 keeps very short texts from winning."""
    words = _words(text)
    return sum(spread[word] for word in words) / (len(words) + 3)


def _shared_clause(text: str, spread: Counter[str], needed: int) -> str | None:
    """The longest beginning of the member whose every telling word at least so many members have."""
    end = len(text)
    for match in WORD.finditer(text):
        word = match[0].lower().replace("’", "'")
        if spread[word] < needed and word not in DANGLING:
            end = match.start()
            break
    if end == len(text):
        return text
    head = text[:end].rstrip(" ,;:-–—(\"'“")
    while head and (last := head.rsplit(None, 1))[-1].lower() in DANGLING:
        head = last[0].rstrip(" ,;:-–—") if len(last) > 1 else ""
    return head + "." if len(head) > 8 else None


def forget(brief: ForgetBrief) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every candidate that the policy's rule lets go, with its age."""
    for candidate in brief.candidates:
        stale = candidate.rule == "stale"
        why = f"{candidate.days} days old and not confirmed since" if stale else "least telling above the capacity"
        yield "forget", {"itemId": f"m{candidate.fact}", "reason": why, "policy": candidate.rule}


JUDGES: Mapping[str, Callable[[Any], Iterator[tuple[str, dict[str, Any]]]]] = {
    "dedupe": dedupe,
    "contradict": contradict,
    "merge": merge,
    "promote": promote,
    "schematise": schematise,
    "forget": forget,
}
