"""From a brief to the words that a model reads. Data is fenced, and cannot leave its fence.

It is one JSON object a line, in which every ``<`` is written as an escape, and so is every control, bidi or
line-separating character: no text, however it is worded, looks like a delimiter, a chat template's token or a
new line.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Any

from nocturne.core.facts import Fact
from nocturne.core.verdicts import Refused
from nocturne.llm.batching import least_tokens, units
from nocturne.llm.entries import entry_of, ids_in
from nocturne.llm.outcomes import Expected
from nocturne.passes import wire
from nocturne.passes.briefs import (
    AskBrief,
    Brief,
    ContradictBrief,
    DedupeBrief,
    EncodeBrief,
    ForgetBrief,
    MergeBrief,
    SchematiseBrief,
)

_RISKY = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb<>`\ud800-\udfff]"
    r"|\[(?=/?[A-Z_]+\])"
)
_ID = re.compile(r'"[mt]_?(\d{1,15})"')
_LETTERS = "bcdfghjkmnpqrstvwxz"


@dataclass(frozen=True, slots=True)
class Prompt:
    """What one call says. ``key`` is the hash of what is asked; ``files`` that of the prompt's files."""

    system: str
    user: str
    files: str
    key: str
    expected: Expected
    brief: Brief


@cache
def _file(name: str) -> str:
    return (files("nocturne.llm") / "prompts" / f"{name}.md").read_text(encoding="utf-8").strip()


def files_hash(pass_name: str, *, repair: bool = False) -> str:
    """SHA-256 over the files that make the pass's prompt: its version."""
    names = ["guardrail", pass_name, *(["repair"] if repair else [])]
    joined = "\x00".join(_file(name) for name in names)
    return hashlib.sha256(joined.encode("utf-8")).hexdigest()


def line(entry: Mapping[str, Any]) -> str:
    """One JSON object on one line, in which no text can forge a delimiter."""
    plain = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
    return _RISKY.sub(lambda found: f"\\u{ord(found[0]):04x}", plain)


def render(
    brief: Brief,
    *,
    asker: str,
    nonce: bool = True,
    refusals: Sequence[Mapping[str, Any]] = (),
) -> Prompt:
    """The prompt of a brief, or of a second try at what was refused.

    ``asker`` names provider and model: the same brief asked of another model is another request.
    """
    pass_name = brief.pass_name
    repair = bool(refusals)
    user = "\n".join(_user(brief, refusals, nonce=nonce))
    version = files_hash(pass_name, repair=repair)
    key = hashlib.sha256(
        "\x00".join([asker, pass_name, version, str(nonce), user]).encode("utf-8")
    ).hexdigest()
    word = check_word(key) if nonce else None
    parts = [_file("guardrail"), *([_file("repair")] if repair else []), _file(pass_name)]
    if word is not None:
        parts.insert(0, f"Check word: {word}")
        parts.append(
            f'The object also begins with "nonce":"{_PLACE}", where {_PLACE} is the check word above.'
        )
    system = "\n\n".join(parts)
    expected = Expected(
        pass_name=pass_name,
        keys=wire.keys_of(pass_name),
        units=len(units(brief)),
        estimate=least_tokens(system) + least_tokens(user),
        nonce=word,
    )
    return Prompt(system, user, version, key, expected, brief)


_PLACE = "WORD"


def check_word(key: str) -> str:
    """Six letters that spell nothing, from the hash of the request: the same request has the same word."""
    number = int(key[:12], 16)
    word = ""
    for _ in range(6):
        number, place = divmod(number, len(_LETTERS))
        word += _LETTERS[place]
    return word


def _user(brief: Brief, refusals: Sequence[Mapping[str, Any]], *, nonce: bool) -> Iterable[str]:
    yield "<data>"
    yield from map(line, data_lines(brief))
    yield "</data>"
    candidates = list(candidate_lines(brief))
    if candidates:
        yield "<candidates>"
        yield from map(line, candidates)
        yield "</candidates>"
    if refusals:
        yield "<refused>"
        yield from map(line, refusals)
        yield "</refused>"
    first = 'Start with "nonce". ' if nonce else ""
    yield f"{first}Answer now with the one JSON object for: {brief.pass_name}."


def data_lines(brief: Brief) -> Iterable[dict[str, Any]]:
    """The facts or turns that the brief shows, in its order."""
    if isinstance(brief, EncodeBrief):
        for turn in brief.context:
            yield _turn(
                turn.id, turn.speaker or turn.role, turn.provenance, turn.said_at, turn.text, cite=False
            )
        for turn in brief.turns:
            yield _turn(
                turn.id, turn.speaker or turn.role, turn.provenance, turn.said_at, turn.text, cite=True
            )
        return
    for fact in brief.facts.values():
        yield _fact(fact, brief.pass_name)


def _turn(
    identity: int, speaker: str | None, provenance: str, said_at: int | None, text: str, *, cite: bool
) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": f"t{identity}", "speaker": speaker or provenance, "from": provenance}
    if said_at is not None:
        entry["said"] = _day(said_at)
    return entry | {"cite": cite, "text": text}


def _fact(fact: Fact, pass_name: str) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": f"m{fact.id}"}
    if fact.subject != "user":
        entry["subject"] = fact.subject
    if pass_name in ("contradict", "schematise", "forget", "ask") and fact.said_at is not None:
        entry["said"] = _day(fact.said_at)
    if pass_name in ("promote", "forget"):
        entry["category"] = fact.category
    return entry | {"text": fact.text}


def _day(micros: int) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)
    return moment.date().isoformat()


def candidate_lines(brief: Brief) -> Iterable[dict[str, Any]]:
    """What is to be decided, with ids as the reply writes them."""
    match brief:
        case DedupeBrief():
            for pair in brief.pairs:
                yield {"itemId": f"m{pair.drop}", "duplicateOf": f"m{pair.keep}"}
        case ContradictBrief():
            for clash in brief.clashes:
                entry = {"oldId": f"m{clash.old}", "newId": f"m{clash.new}"}
                yield entry | ({"about": clash.attribute} if clash.attribute else {})
        case MergeBrief():
            for union in brief.unions:
                others = [f"m{source}" for source in union.sources if source != union.into]
                group = {"intoId": f"m{union.into}", "fromIds": others}
                yield {**group, "composed": True} if union.composed is not None else group
        case SchematiseBrief():
            for cluster in brief.clusters:
                yield {
                    "memberIds": [f"m{member}" for member in cluster.members],
                    "shared": list(cluster.terms[:8]),
                }
        case ForgetBrief():
            for candidate in brief.candidates:
                yield {"itemId": f"m{candidate.fact}", "policy": candidate.rule, "daysOld": candidate.days}
        case AskBrief():
            yield {"question": brief.question, "verbatim": brief.verbatim}
        case _:
            return


def refused_line(refused: Refused, found: str) -> dict[str, Any]:
    """One refusal as the model is told of it; ``found`` words the code."""
    if refused.proposal is not None:
        said: Any = entry_of(refused.proposal)
    else:
        said = str(refused.evidence.get("raw", ""))[:400]
    return {"proposal": said, "code": refused.code, "found": found}


def named(refused: Refused) -> frozenset[int]:
    """The ids that a refused entry speaks of; where it could not be read, those that its text has."""
    if refused.proposal is not None:
        return ids_in(refused.proposal)
    return frozenset(int(found[1]) for found in _ID.finditer(str(refused.evidence.get("raw", ""))))
