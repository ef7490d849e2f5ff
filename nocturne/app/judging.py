"""The gates as a filter: one JSON object in, one verdict out, no store.

Shapes: ``{"pass":"dedupe","drop":{"text",…},"keep":{…}}`` · ``{"pass":"merge","sources":[{…},…],"text"}`` ·
``{"pass":"encode","turns":[{"role","speaker"?,"text"},…],"text"}`` ·
``{"pass":"contradict","old":{…},"new":{…}}`` · ``{"pass":"schematise","members":[{…,"session"?},…],"text"}``;
an optional ``id`` comes back. A text may carry
``speaker``, ``said_at``, ``occurred_at`` (ISO 8601) and ``session``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nocturne.core import codes
from nocturne.core.instants import from_iso
from nocturne.core.meaning import (
    Fails,
    Holds,
    Said,
    judge_contradict,
    judge_drop,
    judge_encode,
    judge_merge,
    judge_schema,
)
from nocturne.core.policy import Policy, exact
from nocturne.core.text.lexicon import Lexicon

_ROLES = {"user": "human", "human": "human", "assistant": "assistant", "tool": "tool", "system": "injected"}
_OBJECT = (dict, Mapping)
"""What JSON gives comes first: asking an abstract class takes longer than all other checks of a text."""
_STRINGS = ("speaker", "session", "subject", "role")
_SAID = frozenset({"text", "speaker", "said_at", "occurred_at", "session", "subject", "role", "id"})


class Malformed(ValueError):
    """The object is of none of the shapes; the message says what is wrong."""


def judge(entry: Any, *, lexicon: Lexicon, policy: Policy) -> dict[str, Any]:
    """The verdict on one object: ``{"id", "pass", "verdict", "code", "message", "evidence"}``. Never raises."""
    named = entry if isinstance(entry, _OBJECT) else {}
    head = {"id": named.get("id"), "pass": named.get("pass")}
    try:
        found = _reader(entry)(named, lexicon, policy)
    except Malformed as error:
        return {**head, "verdict": "malformed", "code": "N001", "message": str(error), "evidence": {}}
    if isinstance(found, Holds):
        return {
            **head,
            "verdict": "accepted",
            "code": None,
            "message": found.rule,
            "evidence": dict(found.evidence),
        }
    message = codes.message(found.code, found.evidence)
    return {
        **head,
        "verdict": "refused",
        "code": found.code,
        "message": message,
        "evidence": dict(found.evidence),
    }


Finding = Holds | Fails
Reader = Callable[[Mapping[str, Any], Lexicon, Policy], Finding]


def _reader(entry: Any) -> Reader:
    if not isinstance(entry, _OBJECT):
        raise Malformed("not a JSON object")
    name = entry.get("pass")
    reader = _PASSES.get(name) if isinstance(name, str) else None
    if reader is None:
        raise Malformed(f"pass is {name!r}; the gates are {', '.join(_PASSES)}")
    return reader


def _text(entry: Mapping[str, Any]) -> str:
    text = entry.get("text")
    if not isinstance(text, str) or not text.strip():
        raise Malformed("text is missing or empty")
    return text


def _time(value: Any, key: str) -> int | None:
    if value is None:
        return None
    if isinstance(value, str):
        try:
            return from_iso(value)
        except ValueError as error:
            raise Malformed(f"{key} is {value!r}, not an ISO 8601 time") from error
    raise Malformed(f"{key} is {value!r}, not an ISO 8601 time")


def _said(entry: Any, key: str) -> Said:
    if not isinstance(entry, _OBJECT):
        raise Malformed(f"{key} is not an object with a text")
    if len(entry) == 1 and "text" in entry:
        return Said(_text(entry))
    if not entry.keys() <= _SAID:
        raise Malformed(f"{key} has the unknown key {min(entry.keys() - _SAID, key=str)!r}")
    for name in _STRINGS:
        value = entry.get(name)
        if value is not None and not isinstance(value, str):
            raise Malformed(f"{key}.{name} is not a string")
    role = entry.get("role") or "user"
    if role not in _ROLES:
        raise Malformed(f"{key}.role is {role!r}; roles are {', '.join(_ROLES)}")
    return Said(
        _text(entry),
        speaker=entry.get("speaker"),
        said_at=_time(entry.get("said_at"), f"{key}.said_at"),
        occurred_at=_time(entry.get("occurred_at"), f"{key}.occurred_at"),
        provenance=_ROLES[role],
        session=entry.get("session"),
        subject=entry.get("subject"),
    )


def _list(entry: Mapping[str, Any], key: str) -> Sequence[Said]:
    items = entry.get(key)
    if not isinstance(items, list) or not items:
        raise Malformed(f"{key} is not a list of texts")
    return [_said(item, f"{key}[{place}]") for place, item in enumerate(items)]


def _dedupe(entry: Mapping[str, Any], lexicon: Lexicon, policy: Policy) -> Finding:
    return judge_drop(
        _said(entry.get("drop"), "drop"),
        _said(entry.get("keep"), "keep"),
        floor=exact(policy.dedupe.floor),
        lexicon=lexicon,
        smallest_subset=policy.dedupe.smallest_subset,
        adjudicated=True,
    )


def _merge(entry: Mapping[str, Any], lexicon: Lexicon, policy: Policy) -> Finding:
    return judge_merge(
        _list(entry, "sources"), _text(entry), lexicon=lexicon, single_valued=policy.contradict.single_valued
    )


def _encode(entry: Mapping[str, Any], lexicon: Lexicon, _policy: Policy) -> Finding:
    return judge_encode(_list(entry, "turns"), _text(entry), lexicon=lexicon)


def _contradict(entry: Mapping[str, Any], lexicon: Lexicon, policy: Policy) -> Finding:
    return judge_contradict(
        _said(entry.get("old"), "old"),
        _said(entry.get("new"), "new"),
        lexicon=lexicon,
        single_valued=policy.contradict.single_valued,
    )


def _schematise(entry: Mapping[str, Any], lexicon: Lexicon, policy: Policy) -> Finding:
    rules = policy.schematise
    return judge_schema(
        _list(entry, "members"),
        _text(entry),
        lexicon=lexicon,
        min_members=rules.min_members,
        min_sessions=rules.min_sessions,
    )


_PASSES: Mapping[str, Reader] = {
    "dedupe": _dedupe,
    "merge": _merge,
    "encode": _encode,
    "contradict": _contradict,
    "schematise": _schematise,
}
