"""What the page is drawn from, as compact JSON: every text once, versions as what they changed.

A text is a place in ``texts``; 0 is no text. Times are whole seconds since the epoch, strengths thousandths.
``assets/record.js`` reads it and is the other half of this file.

- ``snapshots``: [number, seq, at, active, label, command, policy]
- ``versions``: [seq, fact, {key: value}] in the order of the record; a fact's first version has every key that
  differs from ``_USUAL``, a later one only what changed
- ``mutations``: [seq, snapshot, pass, kind, origin, code, sentence, reason, [facts]]; code 0 is accepted
- ``links``: [seq, child, parent, role]
- ``origins``: [fact, place, place of the version that made the text, [seqs of later steps], [[fact, place]]],
  left out where a first version made its own text
- ``quotes``: [turn, speaker, provenance, said, session, before, words, after]
- ``touches``: {fact: [at, base, last access, spaced, …]}, four numbers each
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from nocturne.app.chronicle import TAKEN_BACK, Chronicle
from nocturne.app.lineage import Origin, Quote
from nocturne.app.ports import MutationRow
from nocturne.core import codes, strength
from nocturne.core.facts import BLOCKS, CATEGORIES, SECOND, Activation, Fact, Span
from nocturne.report import wording
from nocturne.report.page import clean
from nocturne.report.text import mutations

FORMAT = 1
_AROUND = 60
"""Characters of a turn shown on either side of the cited words."""
_LONGEST = 400
_THOUSAND = 1_000
_MILLION = 1_000_000
_USUAL = {"l": "episodic", "w": 100, "n": 1, "a": 1, "p": 0, "u": "user"}
_BREAKS = re.compile(r"\s+")
_ORIGINS = ("model", "engine", "person")


class Texts:
    """The table of texts; what a person took back is left out of every one of them."""

    def __init__(self) -> None:
        self.table: list[str] = [""]
        self._places: dict[str, int] = {"": 0}
        self._said: set[int] = set()

    def place(self, text: str | None) -> int:
        """Where the text stands, on one line and free of characters that do not show."""
        shown = clean(text or "")
        if shown not in self._places:
            self._places[shown] = len(self.table)
            self.table.append(shown)
        return self._places[shown]

    def stands(self, place: int) -> None:
        """Spare a text: an active fact says it."""
        self._said.add(place)

    def bury(self, texts: Iterable[str]) -> None:
        """Put a mark where a text holds one of these."""
        whole = "\n".join(self.table).casefold()
        sought = [low for text in texts if (low := clean(text).casefold()) in whole and low]
        for place, text in enumerate(self.table if sought else ()):
            if place not in self._said and any(low in text.casefold() for low in sought):
                self.table[place] = TAKEN_BACK


def payload(told: Chronicle, *, name: str) -> dict[str, Any]:
    """The whole page's data; ``name`` is what the store is called."""
    texts = Texts()
    asked = told.asked
    cited: dict[Span, int] = {}
    versions = list(_versions(told, texts, cited))
    data: dict[str, Any] = {
        "format": FORMAT,
        "name": name,
        "uuid": told.uuid,
        "head": [told.head.seq, told.head.hash],
        "upto": asked.upto.number,
        "last": told.head.snapshot,
        "now": _second(asked.now),
        "untold": told.untold,
        "policy": _policy(told),
        "blocks": BLOCKS,
        "categories": CATEGORIES,
        "origins_of": _ORIGINS,
        "usual": {key: texts.place(value) if isinstance(value, str) else value for key, value in _USUAL.items()},
        "snapshots": [
            [
                info.number, info.seq, _second(info.at), info.active, texts.place(info.label),
                texts.place(info.command), texts.place(info.policy),
            ]
            for info in told.snapshots
        ],
        "versions": versions,
        "mutations": [_mutation(row, told, texts) for row in told.mutations],
        "codes": _codes(told.mutations),
        "links": [[seq, link.child, link.parent, texts.place(link.role)] for seq, link in told.links],
        "origins": [_origin(at, found) for at, found in sorted(told.origins.items()) if _says(at, found)],
        "quotes": [_quote(told.quotes[span], texts, bare=span.turn in told.bare) for span in cited],
        "touches": {str(fact): _touches(line) for fact, line in told.touches.items()},
        "withheld": sorted(told.withheld),
    }  # fmt: skip
    texts.bury(told.buried)
    return {**data, "texts": texts.table}


def _second(micros: int | None) -> int | None:
    return None if micros is None else micros // SECOND


def _policy(told: Chronicle) -> dict[str, Any]:
    """The policy, and the constants of its law of strength, so that the page repeats none of them."""
    policy = told.asked.policy
    return {
        "name": policy.name,
        "sentence": policy.sentence(),
        "law": policy.strength.law,
        "visible": policy.strength.visible_above,
        "protected": policy.forget.protected,
        "floor": strength.FLOOR,
        "ceiling": strength.CEILING,
        "new": strength.NEW,
        "half_life": strength.HALF_LIFE_DAYS,
    }


def _versions(told: Chronicle, texts: Texts, cited: dict[Span, int]) -> Iterator[list[Any]]:
    ordered = sorted(
        (seq, fact, place) for fact, line in told.versions.items() for place, (seq, _, _) in enumerate(line)
    )
    before: dict[int, dict[str, Any]] = {}
    usual = {key: texts.place(value) if isinstance(value, str) else value for key, value in _USUAL.items()}
    for seq, fact, place in ordered:
        version = told.versions[fact][place][2]
        spans = [span for span in version.sources if span in told.quotes]
        quotes = [cited.setdefault(span, len(cited)) for span in spans]
        now = _columns(version, texts, quotes)
        if place == len(told.versions[fact]) - 1 and version.active:
            texts.stands(now["t"])
        was = before.get(fact, usual)
        changed = {key: value for key, value in now.items() if was.get(key) != value}
        changed |= {key: usual.get(key) for key in was if key not in now and was[key] != usual.get(key)}
        before[fact] = now
        yield [seq, fact, changed]


def _columns(fact: Fact, texts: Texts, quotes: Sequence[int]) -> dict[str, Any]:
    """What the page shows of a version; what is not known is not there."""
    columns: dict[str, Any] = {
        "t": texts.place(fact.text),
        "b": BLOCKS.index(fact.block),
        "c": CATEGORIES.index(fact.category),
        "l": texts.place(fact.layer),
        "k": texts.place(fact.speaker) or None,
        "u": texts.place(fact.subject),
        "e": texts.place(fact.attribute) or None,
        "r": _second(fact.recorded_at),
        "s": _second(fact.said_at),
        "o": _second(fact.occurred_at),
        "y": _second(fact.confirmed_at),
        "f": _second(fact.valid_from),
        "v": _second(fact.valid_until),
        "x": fact.successor,
        "a": int(fact.active),
        "d": texts.place(fact.retired_by) or None,
        "w": fact.trust,
        "z": texts.place(fact.quarantined_by) or None,
        "p": int(fact.pinned),
        "n": fact.originals,
        "q": list(quotes) or None,
    }
    return {key: value for key, value in columns.items() if value is not None}


def _mutation(row: MutationRow, told: Chronicle, texts: Texts) -> list[Any]:
    touched = sorted({*row.touched, *(() if row.fact is None else (row.fact,))})
    withheld = not told.withheld.isdisjoint(touched)
    if row.accepted:
        # Where a purge took the evidence as well, what was asked is all that is left to say.
        said = (
            mutations.asked(row) if "erased" in row.evidence else mutations.done(replace(row, origin="model"))
        )
    elif withheld:
        said = f"{mutations.asked(row)}   {wording.title(row.code or '?')}"
    else:
        said = f"{mutations.asked(row)}   {wording.sentence(row.code or '?', row.evidence)}"
    return [
        row.seq, row.snapshot, texts.place(row.pass_name), texts.place(row.kind),
        _ORIGINS.index(row.origin) if row.origin in _ORIGINS else 0,
        0 if row.accepted else row.code or "?", texts.place(said), texts.place(row.reason), touched,
    ]  # fmt: skip


def _codes(rows: Iterable[MutationRow]) -> dict[str, list[str]]:
    """What the codes that were given mean: title, why, an example of each side."""
    found = {}
    for name in sorted({row.code for row in rows if not row.accepted and row.code is not None}):
        try:
            entry = codes.code(name)
        except KeyError:
            found[name] = [wording.title(name), "", "", ""]
        else:
            found[name] = [entry.title, entry.why, entry.refused_example, entry.accepted_example]
    return found


def _says(at: tuple[int, int], found: Origin) -> bool:
    return at[1] > 0 or bool(found.joined)


def _origin(at: tuple[int, int], found: Origin) -> list[Any]:
    steps = [row.seq for row in found.steps]
    return [*at, found.place, steps, [list(parent) for parent in found.joined]]


def _quote(quote: Quote, texts: Texts, *, bare: bool) -> list[Any]:
    turn = quote.turn
    before, words, after = _excerpt(quote)
    return [
        turn.id, texts.place(turn.speaker), texts.place(turn.provenance), _second(turn.said_at),
        texts.place(turn.session), 0 if bare else texts.place(before), texts.place(words),
        0 if bare else texts.place(after),
    ]  # fmt: skip


def _excerpt(quote: Quote) -> tuple[str, str, str]:
    """The cited words and a few whole words on either side; an ellipsis where the turn goes on."""
    text, span = quote.turn.text, quote.span
    start, end = max(0, span.start - _AROUND), min(len(text), span.end + _AROUND)
    if start:
        space = text.find(" ", start, span.start)
        start = space + 1 if space >= 0 else span.start
    if end < len(text):
        space = text.rfind(" ", span.end, end)
        end = space if space >= 0 else span.end
    words = quote.words if len(quote.words) <= _LONGEST else quote.words[: _LONGEST - 1] + "…"
    before = ("… " if start else "") + text[start : span.start]
    after = text[span.end : end] + (" …" if end < len(text) else "")
    # Line breaks become spaces here, edges included, so that the three parts still join.
    return _BREAKS.sub(" ", before), words, _BREAKS.sub(" ", after)


def _touches(line: Iterable[tuple[int, Activation]]) -> list[int | None]:
    return [
        value
        for at, set_ in line
        for value in (
            _second(at), set_.base * _THOUSAND // _MILLION, _second(set_.last_access), set_.spaced,
        )
    ]  # fmt: skip
