"""A small life of a store in which every table gets rows, and the pieces that it is told with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from nocturne.app.ports import KeyedTurn, SourceStep
from nocturne.core.acts import Act, Tombstone
from nocturne.core.facts import DAY, Activation, Change, Fact, Link, Reversion, Span, ToolCall, Turn
from nocturne.core.policy import Policy
from nocturne.core.proposals import Drop, Encode, Keep, Merge, Promote
from nocturne.core.verdicts import Accepted, Refused, Ruling
from nocturne.store import Measures, QuizRun, Reply, SqliteStore, open_store

T0 = 1_760_000_000_000_000
POLICY = Policy()
WORDS = Measures(version="7", lexicon=lambda: '{"stop":["the"]}', tokenise=lambda text: text.casefold().split())

SAID = (
    ("Priya", "human", "My sister Anouk keeps bees on the roof."),
    ("Priya", "human", "My sister keeps bees."),
    (None, "assistant", "Noted, bees on the roof."),
    ("Priya", "human", "I take my tea without sugar."),
    ("Priya", "human", "The release is on 3 May, from branch stable/9."),
)


def new_store(folder: Path, name: str = "life.db") -> SqliteStore:
    return open_store(folder / name, mode="create", now=T0, measures=WORDS)


def turns(first: int, source: int, said: Sequence[tuple[str | None, str, str]] = SAID) -> list[KeyedTurn]:
    made = []
    for place, (speaker, provenance, text) in enumerate(said):
        turn = Turn(
            id=first + place,
            source=source,
            native_id=f"n{place}",
            offset=100 * place,
            position=place,
            session="morning",
            speaker=speaker,
            provenance=provenance,  # type: ignore[arg-type]
            text=text,
            said_at=T0 - DAY + place,
            role="user" if provenance == "human" else "assistant",
            tool=ToolCall("grep", "call-1", '{"pattern":"bees"}', "ok")
            if provenance == "assistant"
            else None,
        )
        made.append(KeyedTurn(f"key-{text}", turn))
    return made


def fact(id_: int, text: str, turn: int, **more: object) -> Fact:
    base = Fact(
        id=id_,
        text=text,
        block="scratch",
        category="context",
        recorded_at=T0,
        speaker="Priya",
        said_at=T0 - DAY,
        sources=(Span(turn, 0, len(text)),),
    )
    return replace(base, **more)  # type: ignore[arg-type]


def encoded(new: Fact, origin: str = "model") -> Ruling:
    proposal = Encode(turns=tuple(span.turn for span in new.sources), text=new.text, reason="said so")
    verdict = Accepted(proposal, "encode", {"coverage": "4/4", "turns": [span.turn for span in new.sources]})
    return Ruling("encode", origin, verdict, changes=(Change(None, new),), provenance={"proposer": "rules"})  # type: ignore[arg-type]


def dropped(old: Fact, kept: Fact) -> Ruling:
    gone = replace(old, active=False, retired_by="dedupe", successor=kept.id)
    grown = replace(
        kept, sources=tuple(sorted((*kept.sources, *old.sources), key=lambda s: (s.turn, s.start)))
    )
    verdict = Accepted(
        Drop(fact=old.id, duplicate_of=kept.id, reason="the same"), "dedupe", {"similarity": "3/3"}
    )
    return Ruling(
        "dedupe",
        "engine",
        verdict,
        changes=(Change(old, gone), Change(kept, grown)),
        links=(Link(kept.id, old.id, "kept-for"),),
    )


def remember(store: SqliteStore, facts: Sequence[Fact], *, path: str = "/home/priya/talk.jsonl") -> None:
    """One ingest: SAID, and these facts."""
    with store.transaction(expect=store.head()) as tx:
        source = tx.add_source(SourceStep(path, "native", "c0ffee", 512, 1, {"line": 5}, {"blank": 2}))
        tx.add_turns(source, turns(store.next_turn(), source))
        tx.record([encoded(each) for each in facts], at=T0, policy=POLICY)
        tx.snapshot("ingest", command="nocturne ingest talk.jsonl", policy=POLICY, at=T0)


FACTS = (
    fact(1, "The user's sister Anouk keeps bees on the roof.", 1),
    fact(2, "The user's sister keeps bees.", 2),
    fact(3, "The user takes tea without sugar.", 4, category="preferences"),
    fact(4, "The release is on 3 May.", 5, category="event", occurred_at=T0 + DAY, occurred_grain="day"),
    fact(5, "The release is from branch stable/9.", 5, trust=90, attribute="version", importance=4),
)


def live(store: SqliteStore) -> None:
    """Ingest, a night with refusals, a restore, a person's word, a purge aside: every table gets rows."""
    remember(store, FACTS)
    with store.transaction(expect=store.head()) as tx:
        tx.snapshot("consolidation:start", command="nocturne sleep", policy=POLICY, at=T0 + 1)
        refused = Refused(Keep(fact=3, other=4), "N210", {"found": "sugar", "similarity": "1/5"})
        broken = Refused(None, "N001", {"found": "not JSON"})
        tx.record(
            [
                dropped(FACTS[1], FACTS[0]),
                Ruling("dedupe", "model", refused, memo="memo-1", provenance={"proposer": "rules"}),
                Ruling("dedupe", "model", broken, raw='{"drop": [}'),
            ],
            at=T0 + 1,
            policy=POLICY,
        )
        tx.snapshot("pass:dedupe:after", command="nocturne sleep", policy=POLICY, at=T0 + 2)
        four, five = store_now(store, 4), store_now(store, 5)
        text = "The release is on 3 May, from branch stable/9."
        merged = replace(four, text=text, originals=2, trust=90)
        gone = replace(five, active=False, retired_by="merge", successor=4)
        tx.record(
            [
                Ruling(
                    "merge",
                    "model",
                    Accepted(Merge(into=4, sources=(4, 5), text=text, reason="one release"), "merge"),
                    changes=(Change(four, merged), Change(five, gone)),
                    links=(Link(4, 4, "merged-from"), Link(4, 5, "merged-from")),
                    activations=(Activation(4, 1_200_000, T0),),
                ),
                Ruling(
                    "promote",
                    "engine",
                    Accepted(Promote(fact=3, to_block="human"), "promote:preferences"),
                    changes=(Change(FACTS[2], replace(FACTS[2], block="human", pinned=True)),),
                ),
            ],
            at=T0 + 3,
            policy=replace(POLICY, name="other", loss_budget=0.5),
        )
        tx.note_drift({"category:event": 900_000, "m4": 1_100_000})
        tx.snapshot("pass:promote:after", command="nocturne sleep", policy=POLICY, at=T0 + 4)
    store.record_accesses([Activation(3, 1_050_000, T0 + 5, 1, T0 + 6)], kind="retrieved", at=T0 + 5)
    store.record_quiz(QuizRun(T0 + 6, 4, 5, 5, 1, 1, passed=True, report='{"asked":["Who keeps bees?"]}'))
    store.journal(Reply(store.head().hash, "dedupe", 1, "f" * 64, "openai:x", '{"drop":[]}', T0 + 6))
    with store.transaction(expect=store.head()) as tx:
        back = [Reversion(now, then) for now, then in store.changes(None, 1)]
        tx.restore(back, to=store.snapshot(1), at=T0 + 7)
        tx.snapshot("restore:s1", command="nocturne restore s1", policy=None, at=T0 + 7)
    with store.transaction(expect=store.head()) as tx:
        three = store_now(store, 3)
        tx.act(
            [
                Act(
                    "forget",
                    rule="person:forget",
                    reason="no longer true",
                    changes=(Change(three, replace(three, active=False, retired_by="person:forget")),),
                    buries=(
                        Tombstone(store.tombstone_key(["sugar", "tea"]), "forget", 3),
                        Tombstone("t2", "reject"),
                    ),
                ),
                Act("lift", lifts=("t2",)),
            ],
            at=T0 + 8,
        )
        tx.snapshot("forget", command="nocturne forget m3", policy=None, at=T0 + 8)


def store_now(store: SqliteStore, id_: int) -> Fact:
    found = store.fact(id_)
    assert found is not None
    return found
