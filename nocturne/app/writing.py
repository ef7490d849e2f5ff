"""A fact that a program or a person writes straight into a block, judged and recorded like any other.

What is written becomes a turn of its own in the source ``library``, so that it is traceable like what was said in
a transcript; the encode and promote gates judge it; a refusal is on the record.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from nocturne.app.ports import KeyedTurn, SourceStep, Store
from nocturne.app.scenes import scene_of
from nocturne.core.acts import Act
from nocturne.core.facts import CATEGORIES, Category, Change, Fact, State, Turn
from nocturne.core.policy import Policy
from nocturne.core.proposals import Encode, Promote
from nocturne.core.secrets import redact
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.verdicts import Accepted, Ruling
from nocturne.errors import UsageError
from nocturne.passes.engine import Offer, run
from nocturne.passes.night import ENCODE, NIGHT

SOURCE = "library"
_PROMOTE = next(stage for stage in NIGHT if stage.name == "promote")


@dataclass(frozen=True, slots=True)
class Item:
    """What to write: a text, and optionally its category and whose it is."""

    text: str
    category: Category = "fact"
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """The facts that were added, and the rulings in the order of the items, refusals included."""

    facts: tuple[Fact, ...]
    rulings: tuple[Ruling, ...]
    snapshot: int | None


def append(
    store: Store,
    block: str,
    items: Sequence[Item],
    *,
    policy: Policy,
    lexicon: Lexicon,
    now: int,
    command: str,
    retire: Sequence[Fact] = (),
) -> Written:
    """Write items into a block, and retire others, in one transaction closed by a snapshot.

    Where an item is refused the refusals alone are recorded, and the block stays as it was.
    """
    if block not in ("persona", "human", "episodes", "scratch"):
        raise UsageError(f"no block {block!r} to write to", hint="persona, human, episodes or scratch")
    unknown = [item.category for item in items if item.category not in CATEGORIES]
    if unknown:
        raise UsageError(f"no category {unknown[0]!r}", hint=", ".join(CATEGORIES))
    head = store.head()
    first = store.next_turn()
    source = store.source_for(SOURCE)
    turns = [_turn(item, first + place, block, now) for place, item in enumerate(items)]
    rulings: list[Ruling] = []
    empty = State({}, {}, store.next_fact())
    scene = replace(
        scene_of(store, empty, policy=policy, lexicon=lexicon, now=now),
        turns={turn.id: turn for turn in turns},
    )
    asked = [
        Offer(
            Encode(
                turns=(turn.id,),
                text=turn.text,
                block="persona" if block == "persona" else "scratch",
                category=item.category,
                reason="written through the library",
            ),
            "person",
        )
        for item, turn in zip(items, turns, strict=True)
    ]
    encoded = run(ENCODE, scene, lambda _: asked)
    rulings += encoded.rulings
    state = encoded.state
    refused = [ruling for ruling in rulings if not ruling.accepted]
    if refused:
        # All or nothing: a block that was to be replaced must not be left half old and half new.
        rulings, state, retire = refused, empty, ()
    if block in ("human", "episodes") and state.facts:
        moves = [
            Offer(Promote(fact=id_, to_block=block, reason="written to this block"), "person")
            for id_ in state.facts
        ]
        moved = run(_PROMOTE, replace(scene, before=state, facts=state.facts), lambda _: moves, enforce=False)
        rulings += moved.rulings
        state = moved.state
    if not rulings and not retire:
        return Written((), (), None)
    step = SourceStep(
        path=SOURCE,
        format="library",
        content_hash=hashlib.sha256(f"{head.hash}{first}".encode()).hexdigest(),
        cursor=(source.cursor if source else 0) + len(turns),
        reader_version=1,
        source=source.id if source else None,
    )
    with store.transaction(expect=head) as tx:
        if turns:
            number = tx.add_source(step)
            placed = [replace(turn, source=number, offset=turn.id) for turn in turns]
            tx.add_turns(number, [KeyedTurn(f"library:{turn.id}", turn) for turn in placed])
        tx.record(rulings, at=now, policy=policy)
        if retire:
            tx.act([_retired(fact) for fact in retire], at=now, policy=policy)
        info = tx.snapshot(f"write:{block}", command=command, policy=policy, at=now)
    return Written(tuple(state.facts.values()), tuple(rulings), info.number)


def _retired(fact: Fact) -> Act:
    gone = replace(fact, active=False, retired_by="person:forget")
    return Act("forget", rule="person:forget", fact=fact.id, changes=(Change(fact, gone),))


def _turn(item: Item, id_: int, block: str, now: int) -> Turn:
    text, _ = redact(item.text)
    by_assistant = block == "persona"
    return Turn(
        id=id_,
        source=0,
        native_id=None,
        offset=0,
        position=id_,
        session=SOURCE,
        speaker=None if by_assistant else item.speaker,
        provenance="assistant" if by_assistant else "human",
        text=text,
        said_at=now,
        role="assistant" if by_assistant else "user",
    )


def refusals(written: Written) -> list[Ruling]:
    """The rulings that kept an item out."""
    return [ruling for ruling in written.rulings if not isinstance(ruling.verdict, Accepted)]
