"""Small stores made the way a person makes them: talk is read in, a night is slept, things are taken back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from nocturne.app.auditing import Audit, audit
from nocturne.app.forgetting import Order, Receipt, carry_out, preview
from nocturne.app.ingest import Ingest, IngestReport, ingest
from nocturne.app.lexicons import default_lexicon
from nocturne.app.restoring import Restored, restore
from nocturne.app.sleep import Answer, Night, SleepReport, asking, sleep
from nocturne.core.facts import DAY
from nocturne.core.policy import Merge as Merging
from nocturne.core.policy import Policy
from nocturne.core.proposals import Merge, Schematise
from nocturne.core.text.lexicon import Lexicon
from nocturne.formats.ingestion import read
from nocturne.llm.rules import RulesProposer
from nocturne.passes.engine import Offer
from nocturne.store import SqliteStore, measures_of, open_store

T0 = 1_770_000_000_000_000
POLICY = Policy()
LOOSE = Policy(merge=Merging(floor=0.0))
LEXICON: Lexicon = default_lexicon()
measures = lru_cache(maxsize=1)(lambda: measures_of(LEXICON))


def new_store(folder: Path, name: str = "made.db") -> SqliteStore:
    return open_store(folder / name, mode="create", now=T0, measures=measures())


def talk(path: Path, said: Sequence[str], *, session: str = "s", speaker: str = "Ana", at: int = T0) -> Path:
    lines = [
        {
            "session": session, "id": f"{session}-{place}", "role": "user", "speaker": speaker, "text": text,
            "time": _iso(at + place * 60_000_000),
        }
        for place, text in enumerate(said)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def _iso(micros: int) -> str:
    from nocturne.core.instants import iso

    return iso(micros) or ""


def take_in(
    store: SqliteStore, path: Path, *, now: int = T0 + DAY, lift: bool = False, policy: Policy = POLICY
) -> IngestReport:
    def opening(where: str, *, start: int, state: object) -> object:
        kept = state.get("reader") if isinstance(state, dict) else None
        return read(where, start=start, state=kept)

    job = Ingest(
        store=store,
        policy=policy,
        lexicon=LEXICON,
        proposer=RulesProposer(),
        now=now,
        command="nocturne ingest",
        open=opening,  # type: ignore[arg-type]  # a reader's own state
        purged=store.purged_keys(),
        lift=lift,
    )
    return ingest(job, [str(path)])


def slept(store: SqliteStore, *, now: int = T0 + 2 * DAY, policy: Policy = POLICY) -> SleepReport:
    rules = RulesProposer()
    return sleep(
        Night(
            store=store, policy=policy, lexicon=LEXICON, now=now, command="nocturne sleep", proposer=rules.name,
            answer=asking(rules),
        )
    )  # fmt: skip


def taken_back(
    store: SqliteStore, *ids: int, match: Sequence[str] = (), purge: bool = False, now: int = T0 + 3 * DAY
) -> Receipt:
    order = Order("purge" if purge else "forget", ids, tuple(match), "Ana", "", now, "nocturne forget")
    return carry_out(store, LEXICON, preview(store, LEXICON, order), policy=POLICY)


def back(store: SqliteStore, number: int, *, lift: bool = False, now: int = T0 + 4 * DAY) -> Restored:
    return restore(
        store,
        store.snapshot(number),
        policy=None,
        lexicon=LEXICON,
        now=now,
        command=f"nocturne restore s{number}",
        lift=lift,
    )


def audited(store: SqliteStore) -> Audit:
    return audit(store, lexicon=LEXICON)


def texts(store: SqliteStore) -> dict[int, str]:
    return {id_: fact.text for id_, fact in store.state().facts.items()}


def id_of(store: SqliteStore, words: str) -> int:
    """The only fact, active or not, that says these words."""
    (found,) = [fact.id for fact in store.all_facts() if words in fact.text]
    return found


def activated(store: SqliteStore, id_: int) -> bool:
    return id_ in store.state().facts


def joined(store: SqliteStore, into: int, *sources: int, now: int = T0 + 2 * DAY) -> None:
    """One night of one merge, composed by code, under a policy that asks for no likeness."""
    offer = Offer(Merge(into=into, sources=sources, reason="said together"), "model")
    night(store, lambda stage, _: [offer] if stage.name == "merge" else (), now, LOOSE)
    for each in sources:
        found = store.fact(each)
        assert found is not None
        assert found.successor == into, "the merge was refused"


def patterned(store: SqliteStore, members: Sequence[int], text: str, now: int = T0 + 2 * DAY) -> int:
    """One night of one schema; its number."""
    offer = Offer(Schematise(members=tuple(members), text=text, reason="a pattern"), "model")
    night(store, lambda stage, _: [offer] if stage.name == "schematise" else (), now)
    (found,) = [fact.id for fact in store.state().facts.values() if fact.block == "schemas"]
    return found


def night(store: SqliteStore, answer: Answer, now: int, policy: Policy = POLICY) -> SleepReport:
    return sleep(
        Night(
            store=store, policy=policy, lexicon=LEXICON, now=now, command="nocturne sleep", proposer="scripted",
            answer=answer, enforce=False,
        )
    )  # fmt: skip
