"""The JSON schema of a pass's reply, with the legal ids as an enumeration. The gates check all the same."""

from __future__ import annotations

from typing import Any

from nocturne.core.facts import BLOCKS, CATEGORIES
from nocturne.llm.batching import units
from nocturne.passes.briefs import Brief, EncodeBrief, ForgetBrief, MergeBrief, PromoteBrief, SchematiseBrief

Schema = dict[str, Any]
PROMOTED = ("persona", "human", "episodes")
REASON_CHARS = 60
TEXT_CHARS = 400


def ids(brief: Brief) -> tuple[str, ...]:
    """Every id that a proposal of the brief's pass may name, as the wire writes it."""
    if isinstance(brief, EncodeBrief):
        return tuple(f"t{turn.id}" for turn in brief.turns)
    seen: dict[int, None] = {}
    for unit in units(brief):
        seen.update(dict.fromkeys(unit))
    return tuple(f"m{identity}" for identity in seen)


def reply_schema(brief: Brief, *, nonce: bool, tight: bool = False) -> Schema:
    """A strict object schema: every key required, none besides.

    ``tight`` adds upper bounds of length and count; hosted services refuse some of those keywords.
    """
    lists = _lists(brief, tight=tight)
    properties: Schema = {"nonce": {"type": "string"}} if nonce else {}
    properties |= lists
    return _object(properties) | {"$defs": {"id": {"type": "string", "enum": list(ids(brief))}}}


def _object(properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _lists(brief: Brief, *, tight: bool) -> Schema:
    count = max(1, len(units(brief)))
    one: Schema = {"$ref": "#/$defs/id"}
    reason: Schema = {"type": "string"} | ({"maxLength": REASON_CHARS} if tight else {})
    text: Schema = {"type": "string"} | ({"maxLength": _longest(brief)} if tight else {})

    def several(most: int) -> Schema:
        return {"type": "array", "items": one} | ({"minItems": 1, "maxItems": most} if tight else {})

    def listed(most: int, **properties: Schema) -> Schema:
        made: Schema = {"type": "array", "items": _object({**properties, "reason": reason})}
        return made | ({"maxItems": most} if tight else {})

    longest = max((len(unit) for unit in units(brief)), default=1)
    match brief.pass_name:
        case "encode":
            return {"facts": _facts(listed, text, several, count, tight=tight)}
        case "dedupe":
            pair = {"itemId": one, "duplicateOf": one}
            return {"drop": listed(count, **pair), "keep": listed(count, **pair)}
        case "contradict":
            pair = {"oldId": one, "newId": one}
            return {"contradict": listed(count, **pair), "keep": listed(count, **pair)}
        case "merge":
            nullable = text | {"type": ["string", "null"]}
            return {"merge": listed(count, intoId=one, fromIds=several(longest), mergedText=nullable)}
        case "promote":
            return {"promote": listed(count, itemId=one, toBlock={"type": "string", "enum": list(PROMOTED)})}
        case "schematise":
            return {"schematise": listed(count, memberIds=several(longest), text=text)}
        case "forget":
            rules = sorted({item.rule for item in brief.candidates}) if isinstance(brief, ForgetBrief) else []
            return {
                "forget": listed(count, itemId=one, policy={"type": "string", "enum": rules or ["stale"]})
            }
        case "quiz":
            return {"quiz": listed(count, itemId=one, question=text)}
        case "ask":
            return {"ask": listed(1, itemIds=several(longest), text=text)}
        case other:
            raise ValueError(f"no pass is called {other}")


def _longest(brief: Brief) -> int:
    """Characters that a text of this brief may need: a merged one says what two of its sources say."""
    texts = brief.turns if isinstance(brief, EncodeBrief) else tuple(brief.facts.values())
    known = sorted((len(entry.text) for entry in texts), reverse=True)
    return min(TEXT_CHARS, max(80, sum(known[:2]) + 20))


def _facts(listed: Any, text: Schema, several: Any, count: int, *, tight: bool) -> Schema:
    """``tight`` leaves out what has a default: a small model fills every key it is given, at length."""
    fields: Schema = {
        "text": text,
        "turnIds": several(1 if tight else 3),
        "category": {"type": "string", "enum": list(CATEGORIES)},
    }
    if not tight:
        maybe: Schema = {"type": ["string", "null"]}
        fields |= {
            "block": {"type": "string", "enum": list(BLOCKS)},
            "subject": {"type": "string"},
            "attribute": maybe,
            "occurredAt": maybe,
            "occurredGrain": maybe,
            "span": {"type": ["array", "null"], "items": {"type": "integer"}},
        }
    made: Schema = listed(2 * count if tight else 4 * count, **fields)
    return made


def output_tokens(brief: Brief) -> int:
    """About how many tokens a full answer to the brief takes."""
    count = len(units(brief))
    if isinstance(brief, EncodeBrief):
        return 96 + sum(160 + len(turn.text) // 2 for turn in brief.turns)
    if isinstance(brief, PromoteBrief | ForgetBrief):
        return 96 + 48 * count
    if isinstance(brief, SchematiseBrief):
        return 96 + sum(120 + 8 * len(cluster.members) for cluster in brief.clusters)
    if isinstance(brief, MergeBrief):
        return 96 + sum(64 if union.composed is not None else 160 for union in brief.unions)
    return 96 + 64 * count
