"""From a model's JSON text to closed proposals, or to a named reason why not. Nothing is repaired here.

The wire keys are the seed's: ``{"drop":[{"itemId","duplicateOf","reason"}],"keep":[…]}``,
``{"merge":[{"intoId","fromIds","mergedText","reason"}]}``, ``{"promote":[{"itemId","toBlock","reason"}]}``,
``{"forget":[{"itemId","reason","policy"}]}``, ``{"contradict":[{"oldId","newId","reason"}],"keep":[…]}``,
``{"schematise":[{"memberIds","text","reason"}]}``,
``{"facts":[{"text","turnIds","block","category","subject","attribute","occurredAt","occurredGrain","span",
"reason"}]}``.
Ids are ``m17`` and ``t41``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from nocturne.core.instants import from_iso
from nocturne.core.proposals import NotAProposal, Proposal, read
from nocturne.core.verdicts import Refused

_FACT = re.compile(r"m_?(\d{1,15})\Z")
_TURN = re.compile(r"t_?(\d{1,15})\Z")
_UNKEPT = re.compile(r"[\ud800-\udfff\0]|\\u(?:[dD][89a-fA-F]|0000)")
# An escape of NUL as JSON writes it, which a backslash that is itself escaped does not begin.
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
MAX_PROPOSALS = 10_000


class Malformed(ValueError):
    """A reply or one of its entries is not of the pass's shape; the message says where."""


def _number(value: Any, pattern: re.Pattern[str], what: str) -> int:
    if not isinstance(value, str) or (found := pattern.match(value)) is None:
        raise Malformed(f"{what} is {_shown(value)}, not an id")
    return int(found[1])


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= 60 else text[:57] + "…"


def _fact(entry: Mapping[str, Any], key: str) -> int:
    return _number(entry.get(key), _FACT, key)


def _many(entry: Mapping[str, Any], key: str, pattern: re.Pattern[str]) -> list[int]:
    value = entry.get(key)
    if not isinstance(value, list):
        raise Malformed(f"{key} is {_shown(value)}, not a list of ids")
    return [_number(item, pattern, key) for item in value]


def _micros(value: Any) -> int | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise Malformed(f"occurredAt is {_shown(value)}, not an ISO time")
    try:
        return from_iso(value)
    except ValueError as error:
        raise Malformed(f"occurredAt is {_shown(value)}, not an ISO time") from error


def _encode(entry: Mapping[str, Any]) -> dict[str, Any]:
    span = entry.get("span")
    if span is not None and not (isinstance(span, list) and len(span) == 2):
        raise Malformed(f"span is {_shown(span)}, not [start, end]")
    return {
        "kind": "encode",
        "turns": tuple(_many(entry, "turnIds", _TURN)),
        "text": entry.get("text"),
        "block": entry.get("block", "scratch"),
        "category": entry.get("category", "context"),
        "subject": entry.get("subject", "user"),
        "attribute": entry.get("attribute"),
        "occurred_at": _micros(entry.get("occurredAt")),
        "occurred_grain": entry.get("occurredGrain"),
        "start": span[0] if span else None,
        "end": span[1] if span else None,
    }


def _drop(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {"kind": "drop", "fact": _fact(entry, "itemId"), "duplicate_of": _fact(entry, "duplicateOf")}


def _keep(entry: Mapping[str, Any]) -> dict[str, Any]:
    first, second = ("itemId", "duplicateOf") if "itemId" in entry else ("newId", "oldId")
    return {"kind": "keep", "fact": _fact(entry, first), "other": _fact(entry, second)}


def _merge(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "kind": "merge",
        "into": _fact(entry, "intoId"),
        "sources": tuple(_many(entry, "fromIds", _FACT)),
        "text": entry.get("mergedText"),
    }


def _promote(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {"kind": "promote", "fact": _fact(entry, "itemId"), "to_block": entry.get("toBlock")}


def _forget(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {"kind": "forget", "fact": _fact(entry, "itemId"), "policy": entry.get("policy", "")}


def _contradict(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {"kind": "contradict", "old": _fact(entry, "oldId"), "new": _fact(entry, "newId")}


def _schematise(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "kind": "schematise",
        "members": tuple(_many(entry, "memberIds", _FACT)),
        "text": entry.get("text"),
    }


Reader = Callable[[Mapping[str, Any]], dict[str, Any]]

WORDED: Mapping[str, frozenset[str]] = {"quiz": frozenset({"quiz"}), "ask": frozenset({"ask"})}
"""The keys of replies that propose nothing: questions and answers, which the use cases read themselves."""

SHAPES: Mapping[str, Mapping[str, tuple[Reader, frozenset[str]]]] = {
    "encode": {
        "facts": (
            _encode,
            frozenset(
                [
                    "text",
                    "turnIds",
                    "block",
                    "category",
                    "subject",
                    "attribute",
                    "occurredAt",
                    "occurredGrain",
                    "span",
                    "reason",
                ]
            ),
        )
    },
    "dedupe": {
        "drop": (_drop, frozenset({"itemId", "duplicateOf", "reason"})),
        "keep": (_keep, frozenset({"itemId", "duplicateOf", "reason"})),
    },
    "contradict": {
        "contradict": (_contradict, frozenset({"oldId", "newId", "reason"})),
        "keep": (_keep, frozenset({"itemId", "duplicateOf", "oldId", "newId", "reason"})),
    },
    "merge": {"merge": (_merge, frozenset({"intoId", "fromIds", "mergedText", "reason"}))},
    "promote": {"promote": (_promote, frozenset({"itemId", "toBlock", "reason"}))},
    "schematise": {"schematise": (_schematise, frozenset({"memberIds", "text", "reason"}))},
    "forget": {"forget": (_forget, frozenset({"itemId", "reason", "policy"}))},
}


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for key, value in pairs:
        if key in seen:
            raise Malformed(f"the key {_shown(key)} stands twice in one object")
        seen[key] = value
    return seen


def _refuse_constant(name: str) -> Any:
    raise Malformed(f"{name} is not a JSON number")


def _short_integer(text: str) -> int:
    if len(text) > 18:
        raise Malformed("an integer of more than 18 digits")
    return int(text)


def load(text: str) -> Any:
    """Strict JSON: no duplicate keys, no NaN, no huge integers, bounded nesting."""
    try:
        return json.loads(
            text,
            object_pairs_hook=_no_duplicates,
            parse_constant=_refuse_constant,
            parse_int=_short_integer,
        )
    except json.JSONDecodeError as error:
        raise Malformed(f"not JSON at character {error.pos}: {error.msg}") from error
    except RecursionError as error:
        raise Malformed("nested too deeply") from error


def _unkept(written: str) -> str | None:
    """Why no store could keep a text that is legal JSON, or None where it could."""
    try:
        written.encode("utf-8")
    except UnicodeEncodeError:
        return "not valid Unicode: half of a surrogate pair"
    return "a NUL character" if _NUL.search(written) else None


def keys_of(pass_name: str) -> frozenset[str]:
    """The keys that a reply of this name may have."""
    return WORDED[pass_name] if pass_name in WORDED else frozenset(SHAPES[pass_name])


def _fields(pass_name: str, key: str, entry: Any, *, doubtful: bool) -> dict[str, Any]:
    reader, allowed = SHAPES[pass_name][key]
    if doubtful and (found := _unkept(json.dumps(entry, ensure_ascii=False, default=str))):
        raise Malformed(found)
    if not isinstance(entry, dict):
        raise Malformed(f"an entry of {key} is {_shown(entry)}, not an object")
    unknown = sorted(set(entry) - allowed)
    if unknown:
        raise Malformed(f"unknown key {_shown(unknown[0])}")
    return {**reader(entry), "reason": entry.get("reason", "")}


def _entry(pass_name: str, key: str, entry: Any, *, doubtful: bool) -> Proposal | Refused:
    try:
        return read(_fields(pass_name, key, entry, doubtful=doubtful))
    except Malformed as error:
        found = str(error)
    except NotAProposal as error:
        found = f"{error.where or key}: {error}"
    raw = json.dumps(entry, ensure_ascii=False, sort_keys=True, default=str)[:2000]
    return Refused(None, "N001", {"found": found, "raw": raw.encode("utf-8", "backslashreplace").decode("utf-8")})


def _lists(pass_name: str, text: str) -> dict[str, list[Any]]:
    data = load(text)
    if not isinstance(data, dict):
        raise Malformed(f"the reply is {_shown(data)}, not an object")
    shape = SHAPES[pass_name]
    if not data:
        raise Malformed(f"an empty object; {pass_name} takes {', '.join(shape)}")
    for key, value in data.items():
        if key not in shape:
            raise Malformed(f"unknown key {_shown(key)}; {pass_name} takes {', '.join(shape)}")
        if not isinstance(value, list):
            raise Malformed(f"{key} is {_shown(value)}, not a list")
    return data


def parse(pass_name: str, text: str) -> list[Proposal | Refused]:
    """Every entry of one raw reply, in order: a proposal, or the refusal that says what is wrong with it."""
    try:
        data = _lists(pass_name, text)
    except Malformed as error:
        return [Refused(None, "N001", {"found": str(error), "raw": text[:2000].replace("\0", "\\u0000")})]
    entries = [(key, entry) for key in SHAPES[pass_name] for entry in data.get(key, [])]
    # Only where the reply has such characters, written out or as an escape, is any entry looked at for them.
    doubtful = _UNKEPT.search(text) is not None
    rulings = [_entry(pass_name, key, entry, doubtful=doubtful) for key, entry in entries[:MAX_PROPOSALS]]
    if len(entries) > MAX_PROPOSALS:
        found = f"{len(entries)} entries in one reply, limit {MAX_PROPOSALS}; the rest was not read"
        rulings.append(Refused(None, "N001", {"found": found}))
    return rulings
