"""``nocturne forget`` and ``purge``: a person's word, carried out and put on record.

Forgetting retires; the words stay in the record, and a tombstone keeps them from coming back. Purging erases them
wherever the store has them: a turn that says one of them goes whole, because its digest is over the whole.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from nocturne.app.ports import Head, HeadMoved, SnapshotInfo, SourceInfo
from nocturne.app.tombs import sentences_of
from nocturne.app.withdrawal import Withdrawable, Withdrawal, holding, holds, whole_word, withdraw
from nocturne.core.acts import Act, Cause, Tombstone
from nocturne.core.facts import Change, Fact, Turn
from nocturne.core.policy import Policy
from nocturne.core.text.analysis import analyse
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.text.measures import content
from nocturne.errors import StoreLocked, UsageError

What = Literal["forget", "purge"]
_SHORTEST = 4
"""Characters of a name or value from which on it is looked for beyond the turns that say it."""
_SHORTEST_QUOTE = 8
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}")


class Forgettable(Withdrawable, Protocol):
    """What forgetting and purging need of a store."""

    def leaf_hashes(self, facts: Iterable[int]) -> Mapping[int, Sequence[str]]: ...
    def text_uses(self, hashes: Iterable[str]) -> Mapping[str, int]: ...
    def texts_of_turns(self, turns: Iterable[int]) -> frozenset[str]: ...
    def word(self, hash_: str) -> str | None: ...
    def sources(self) -> Sequence[SourceInfo]: ...
    def all_turns(self, *, source: int | None = None) -> Iterator[Turn]: ...
    def scrub(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Erasure:
    """The texts that a purge nulls, by commitment, and how many rows of each table name one of them."""

    hashes: frozenset[str] = frozenset()
    uses: Mapping[str, int] | None = None
    turns: tuple[int, ...] = ()
    bereft: tuple[Fact, ...] = ()
    """Active facts that stay, and rest on a turn that goes: their quotes are lost, their words are not."""


@dataclass(frozen=True, slots=True)
class Order:
    """A person's word: what, of which facts, whose word it is and why."""

    what: What
    ids: tuple[int, ...]
    needles: tuple[str, ...]
    by: str
    reason: str
    now: int
    command: str
    cause: Cause | None = None
    """What the tombstones say; the order itself, where it is not told."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What an order would do."""

    order: Order
    head: Head
    withdrawal: Withdrawal
    erasure: Erasure
    outside: tuple[str, ...]
    """Files beyond the store that are known to have held it."""

    @property
    def idle(self) -> bool:
        """Whether there is nothing to do."""
        found = self.withdrawal
        return not (found.falls or found.returns or found.buried or self.erasure.hashes)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was done: no word of it is in here."""

    preview: Preview
    store: str
    snapshot: SnapshotInfo
    before: Head
    after: Head
    leaves: Mapping[int, Sequence[str]]
    tombstones: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The receipt as it is kept."""
        order, found, erasure = self.preview.order, self.preview.withdrawal, self.preview.erasure
        data: dict[str, Any] = {
            "nocturne_receipt": 1,
            "what": order.what,
            "store": self.store,
            "at": order.now,
            "by": order.by,
            "reason": order.reason,
            "command": order.command,
            "snapshot": f"s{self.snapshot.number}",
            "head_before": {"entry": self.before.seq, "hash": self.before.hash},
            "head_after": {"entry": self.after.seq, "hash": self.after.hash},
            "facts": [
                {
                    "id": f"m{each.fact.id}",
                    "why": each.why,
                    "was_active": each.fact.active,
                    "leaves": list(self.leaves.get(each.fact.id, ())),
                }
                for each in found.falls
            ],
            "returned": [f"m{each.back.id}" for each in found.returns],
            "tombstones": list(self.tombstones),
            "rows": {"facts": len(found.falls), "returned": len(found.returns)},
        }
        if order.what == "purge":
            data["rows"] = {**(erasure.uses or {}), "texts": len(erasure.hashes)}
            data["erased"] = sorted(erasure.hashes)
            data["turns"] = [f"t{turn}" for turn in erasure.turns]
            data["outside"] = list(self.preview.outside)
            data["also"] = "backups, exports and copies made before still hold it; delete them yourself"
        return data


def preview(store: Forgettable, lexicon: Lexicon, order: Order) -> Preview:
    """Everything that the order would do; nothing is written."""
    known = store.facts(order.ids)
    for id_ in order.ids:
        if id_ not in known:
            raise UsageError(f"no fact m{id_}", hint="nocturne facts --all lists every fact")
    purge = order.what == "purge"
    found = withdraw(store, lexicon, ids=order.ids, needles=order.needles, verbatim=purge)
    erasure = _erasure(store, lexicon, found, order.needles) if purge else Erasure()
    outside = tuple(_outside(store, found, erasure)) if purge else ()
    return Preview(order, store.head(), found, erasure, outside)


def carry_out(store: Forgettable, lexicon: Lexicon, seen: Preview, *, policy: Policy) -> Receipt:
    """Do what the preview says, in one transaction closed by a snapshot; StoreLocked where the store moved on."""
    order, found = seen.order, seen.withdrawal
    cause: Cause = order.cause or order.what
    stones = _stones(store, lexicon, seen, cause)
    leaves = store.leaf_hashes(each.fact.id for each in found.falls)
    acts = list(_acts(order, found, stones))
    try:
        with store.transaction(expect=seen.head) as tx:
            tx.act(acts, at=order.now, policy=policy)
            if order.what == "purge":
                _erase(tx, seen, policy)
            info = tx.snapshot(order.what, command=order.command, policy=policy, at=order.now)
    except HeadMoved as error:
        raise StoreLocked(
            f"the store was written to while the {order.what} was looked at; nothing is done",
            hint="run the command again: the preview may differ",
        ) from error
    if order.what == "purge":
        store.scrub()
    return Receipt(
        seen, store.uuid(), info, seen.head, store.head(), leaves, tuple(stone.key for stone in stones)
    )


def _erase(tx: Any, seen: Preview, policy: Policy) -> None:
    order = seen.order
    refs = {"texts": len(seen.erasure.hashes), "turns": list(seen.erasure.turns)}
    act = Act("purge", rule="person:purge", refs=refs, evidence={"by": order.by})
    tx.erase(seen.erasure.hashes, act, at=order.now, policy=policy)


def _stones(store: Forgettable, lexicon: Lexicon, seen: Preview, cause: Cause) -> list[Tombstone]:
    found = seen.withdrawal
    made: dict[str, Tombstone] = {}
    standing = store.tombstone_keys()
    texts: list[tuple[str, int | None]] = list(found.buried.items())
    if cause == "purge":
        # What a turn said in its own words is buried too, so that another transcript does not bring it back.
        texts += [(quote, None) for quote in _sentences(store, found, seen.order.needles, lexicon)]
    for text, fact in texts:
        tokens = content(text, lexicon)
        key = store.tombstone_key(tokens)
        if tokens and not (cause != "purge" and key in standing):
            made.setdefault(key, Tombstone(key, cause, fact))
    return list(made.values())


def _sentences(
    store: Forgettable, found: Withdrawal, needles: Sequence[str], lexicon: Lexicon
) -> Iterator[str]:
    """The sentences of the falling turns that say what falls; none that a fact says which stays."""
    # A fact names the person who in a turn says *I*.
    speakers = frozenset().union(*(content(turn.speaker, lexicon) for turn in found.turns if turn.speaker))
    told = [words for text in found.buried if (words := _known_by(text, lexicon) - speakers)]
    gone = {each.fact.id for each in found.falls}
    for turn in found.turns:
        for start, end in sentences_of(turn.text, lexicon):
            quote = turn.text[start:end]
            words = content(quote, lexicon)
            if not any(each <= words for each in told) and not any(holds(quote, each) for each in needles):
                continue
            staying = [fact for fact in holding(store, lexicon, quote) if fact.id not in gone]
            if not any(content(fact.text, lexicon) == words for fact in staying):
                yield quote


def _known_by(text: str, lexicon: Lexicon) -> frozenset[str]:
    """The words by which a sentence that says the text is known; a date may stand there as *yesterday*."""
    words = content(text, lexicon)
    undated = frozenset(word for word in words if not _DATE.match(word))
    return undated if len(undated) > 1 else words


def _acts(order: Order, found: Withdrawal, stones: Sequence[Tombstone]) -> Iterator[Act]:
    rule = f"person:{order.what}"
    evidence: dict[str, Any] = {"by": order.by}
    waiting = list(stones)
    back = {each.back.id for each in found.returns}
    for each in found.falls:
        fact = each.fact
        mine = tuple(stone for stone in waiting if stone.fact == fact.id)
        waiting = [stone for stone in waiting if stone.fact != fact.id]
        gone = replace(fact, active=False, retired_by=rule, successor=None)
        yield Act(
            order.what if order.what == "forget" else "withdraw",
            rule=rule,
            fact=fact.id,
            refs={"why": each.why.replace(" ", "-")},
            reason=order.reason,
            evidence=evidence,
            changes=(Change(fact, gone),),
            buries=mine,
        )
    for pair in found.returns:
        yield Act(
            "revive",
            rule=rule,
            fact=pair.back.id,
            reason="a source of its merge was taken back",
            changes=(Change(pair.now, replace(pair.back, active=True)),),
        )
    if waiting:
        yield Act("bury", rule=rule, evidence=evidence, buries=tuple(waiting), refs={"returned": len(back)})


# What a purge erases


def _erasure(store: Forgettable, lexicon: Lexicon, found: Withdrawal, needles: Sequence[str]) -> Erasure:
    gone = {each.fact.id for each in found.falls} | set(found.buried.values())
    stay = {
        version.text
        for fact in gone
        for _, _, version in store.versions(fact)
        if version.text not in found.buried
    }
    hashes = {hash_ for hash_ in store.texts_of(gone) if store.word(hash_) not in stay}
    quotes = [words for words in _quotes(found) if len(words) >= _SHORTEST_QUOTE]
    exact = [*found.buried, *needles, *quotes]
    hashes |= set(store.texts_containing(exact))
    hashes |= set(store.texts_containing([f'"m{fact}"' for fact in sorted(gone)]))
    hashes |= _telling(store, lexicon, found, gone)
    hashes |= store.texts_of_turns(turn.id for turn in found.turns)
    hashes -= {hash_ for hash_ in hashes if store.word(hash_) in stay}
    turns = sorted(turn.id for turn in _turns_with(store, hashes))
    staying = store.state().facts
    bereft = tuple(
        fact
        for fact in staying.values()
        if fact.id not in {each.fact.id for each in found.falls}
        and any(span.turn in set(turns) for span in fact.sources)
    )
    return Erasure(frozenset(hashes), store.text_uses(hashes), tuple(turns), bereft)


def _quotes(found: Withdrawal) -> Iterator[str]:
    for each in found.falls:
        turns = {turn.id: turn for turn in found.turns}
        for span in each.fact.sources:
            if span.turn in turns:
                yield turns[span.turn].text[span.start : span.end]


def _turns_with(store: Forgettable, hashes: set[str]) -> Iterator[Turn]:
    lost = {store.word(hash_) for hash_ in hashes} - {None}
    for turn in store.all_turns():
        payload = turn.tool.payload if turn.tool is not None else None
        if turn.text in lost or (payload is not None and payload in lost):
            yield turn


def _telling(store: Forgettable, lexicon: Lexicon, found: Withdrawal, gone: set[int]) -> set[str]:
    """Texts that name a name or value which only the falling facts had: an echo in a reply, a quiz, a refusal."""
    spared = {source.path for source in store.sources()}
    hashes: set[str] = set()
    words = {
        token.surface
        for text in found.buried
        for token in analyse(text, lexicon).tokens
        if token.kind in ("name", "value") and len(token.surface) >= _SHORTEST
    }
    for word in sorted(words):
        near = {
            hash_: text for hash_, text in store.texts_containing([word]).items() if whole_word(text, word)
        }
        kept = [
            version
            for fact in store.facts_with_texts(near)
            if fact not in gone
            for _, _, version in store.versions(fact)
            if holds(version.text, word) and version.text not in found.buried
        ]
        if not kept:
            hashes |= {hash_ for hash_, text in near.items() if text not in spared and text != word}
    return hashes


_FILES = ("--plan", "--record", "--replay", "--out", "-o", "--receipt")


def _outside(store: Forgettable, found: Withdrawal, erasure: Erasure) -> Iterator[str]:
    """Transcripts that said it, and files that commands on record wrote or read."""
    turns = store.turns([*erasure.turns, *(turn.id for turn in found.turns)])
    places = {source.id: source.path for source in store.sources()}
    seen: dict[str, None] = {}
    for turn in turns.values():
        seen.setdefault(places.get(turn.source, "?"))
    for info in store.snapshots():
        words: list[str] = []
        with suppress(ValueError):
            words = shlex.split(info.command)
        for place, word in enumerate(words[:-1]):
            if word in _FILES or (word == "apply" and not words[place + 1].startswith("-")):
                seen.setdefault(words[place + 1])
    yield from seen
