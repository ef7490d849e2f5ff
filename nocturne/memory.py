"""nocturne as a library: a memory of blocks on disk, over the same ports as the command line.

``Memory(path)`` has ``list_blocks``, ``get_block``, ``append``, ``replace``, ``snapshot`` and ``restore``, and the
use cases ``ingest``, ``sleep``, ``recall``, ``ask``, ``quiz``, ``audit`` and ``forget``; ``judge`` is the gates
alone. The README shows them at work.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from nocturne.core import codes, ids
from nocturne.core.facts import BLOCKS, Fact
from nocturne.core.policy import Policy
from nocturne.core.sanitise import REMOVED, clean
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.verdicts import Refused
from nocturne.errors import CheckFailed, InputUnreadable, UsageError

if TYPE_CHECKING:
    from nocturne.app.answering import Answer
    from nocturne.app.auditing import Audit
    from nocturne.app.forgetting import Receipt
    from nocturne.app.ingest import IngestReport
    from nocturne.app.ports import Proposer, SnapshotInfo
    from nocturne.app.quizzing import Quiz
    from nocturne.app.recall import Found
    from nocturne.app.sleep import SleepReport
    from nocturne.app.writing import Item, Written
    from nocturne.core.policy import Intent


def _clock() -> int:
    return time.time_ns() // 1_000


class Memory:
    """One store, opened for reading and writing; created where there is none.

    ``policy`` is a shipped policy's name, a TOML file's path, or a ``Policy``. ``clock`` gives the time in
    microseconds since the epoch. Raises the exceptions of ``nocturne.errors``.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        policy: str | Policy = "default",
        clock: Callable[[], int] = _clock,
        create: bool = True,
    ) -> None:
        from nocturne.app import policies
        from nocturne.app.lexicons import default_lexicon
        from nocturne.store import measures_of, open_store

        self._clock = clock
        self._lexicon: Lexicon = default_lexicon()
        self.policy = policy if isinstance(policy, Policy) else policies.load(policy)
        self._store = open_store(
            path, mode="create" if create else "rw", now=clock(), measures=measures_of(self._lexicon)
        )

    def __enter__(self) -> Self:
        """The memory itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the store."""
        self.close()

    def close(self) -> None:
        """Close the store. Safe to call twice."""
        self._store.close()

    # The six methods

    def list_blocks(self) -> tuple[str, ...]:
        """The names of the blocks."""
        return BLOCKS

    def get_block(self, name: str) -> list[Fact]:
        """The active facts of one block, by id."""
        self._known(name)
        return [fact for fact in self._store.state().facts.values() if fact.block == name]

    def append(self, block: str, item: str | Mapping[str, Any] | Item) -> Fact:
        """Write one fact into a block. CheckFailed, with the code, where a gate refuses it; that is recorded."""
        written = self._write(block, [_item(item)])
        return written.facts[0]

    def replace(self, block: str, items: Iterable[str | Mapping[str, Any] | Item | Fact]) -> list[Fact]:
        """Make a block hold just these: facts given back stay, texts are written, the rest is retired.

        Every step is judged and recorded; nothing is deleted, and the whole can be restored. Where one item is
        refused the block stays as it was, and CheckFailed names the code.
        """
        if isinstance(items, str | Mapping) or not isinstance(items, Iterable):
            raise UsageError("replace takes a list of items", hint=f"replace({block!r}, [item])")
        wanted = list(items)
        kept = {item.id for item in wanted if isinstance(item, Fact)}
        texts = {fact.text: fact for fact in self.get_block(block)}
        new: list[Item] = []
        for item in wanted:
            if isinstance(item, Fact):
                continue
            made = _item(item)
            if made.text in texts:
                kept.add(texts[made.text].id)
            else:
                new.append(made)
        retire = [fact for fact in self.get_block(block) if fact.id not in kept]
        if new or retire:
            self._write(block, new, retire)
        return self.get_block(block)

    def snapshot(self) -> str:
        """Take a snapshot now; its id, such as ``s7``."""
        with self._store.transaction() as tx:
            info = tx.snapshot("snapshot", command="library", policy=self.policy, at=self._clock())
        return f"s{info.number}"

    def restore(self, snapshot: str) -> str:
        """Bring a version back as a new one; its id. ``latest~1`` and the like are understood."""
        from nocturne.app.restoring import restore

        newest = self._store.head().snapshot
        done = restore(
            self._store,
            self._named(snapshot),
            policy=self.policy,
            lexicon=self._lexicon,
            now=self._clock(),
            command="library",
        )
        return f"s{done.snapshot if done.snapshot is not None else newest}"

    def _named(self, snapshot: str) -> SnapshotInfo:
        wanted = ids.parse_snapshot(str(snapshot))
        newest = self._store.head().snapshot
        number = newest - wanted.back if isinstance(wanted, ids.Latest) else wanted
        if not 0 <= number <= newest:
            raise InputUnreadable(f"no snapshot {snapshot}: there is s0 to s{newest}")
        return self._store.snapshot(number)

    # The use cases

    def ingest(
        self, *paths: str | os.PathLike[str], form: str | None = None, proposer: Proposer | None = None
    ) -> IngestReport:
        """Read transcripts, or directories of them, into turns and facts."""
        from nocturne import formats
        from nocturne.app.ingest import Ingest, ingest

        def read(path: str, *, start: int, state: Mapping[str, object]) -> formats.Reading:
            kept = state.get("reader")
            return formats.read(
                path, format=form, start=start, state=kept if isinstance(kept, Mapping) else None
            )

        files = [str(file) for path in paths for file in self._files(path)]
        job = Ingest(
            store=self._store,
            policy=self.policy,
            lexicon=self._lexicon,
            proposer=proposer or _rules(),
            now=self._clock(),
            command="library",
            open=read,
            purged=self._store.purged_keys(),
        )
        return ingest(job, files)

    def sleep(
        self,
        *,
        dry_run: bool = False,
        only: Sequence[str] | None = None,
        allow_loss: bool = False,
        proposer: Proposer | None = None,
    ) -> SleepReport:
        """One night under the memory's policy."""
        from nocturne.app.sleep import Night, asking, mending, sleep, unanswered

        chosen = proposer or _rules()
        return sleep(
            Night(
                store=self._store,
                policy=self.policy,
                lexicon=self._lexicon,
                now=self._clock(),
                command="library --allow-loss" if allow_loss else "library",
                proposer=chosen.name,
                answer=asking(chosen),
                mend=mending(chosen),
                unanswered=unanswered(chosen),
                only=tuple(only) if only else None,
                allow_loss=allow_loss,
                dry_run=dry_run,
            )
        )

    def recall(self, query: str, *, top: int = 10, intent: Intent | None = None, record: bool = True) -> Found:
        """The facts nearest to a query, best first, with their factors; ``record=False`` leaves no access behind."""
        from nocturne.app.accesses import remember
        from nocturne.app.recall import Query, retrieve

        now = self._clock()
        wanted = Query(query, intent=intent, top=top)
        found = retrieve(self._store, wanted, policy=self.policy, lexicon=self._lexicon, now=now)
        if record:
            remember(self._store, [found], policy=self.policy, lexicon=self._lexicon, now=now)
        return found

    def ask(self, question: str) -> Answer:
        """What the facts answer, quoted and cited; ``found`` is False where it is not in memory."""
        from nocturne.app.answering import Extract

        return Extract(self._store, policy=self.policy, lexicon=self._lexicon, now=self._clock()).answer(
            question
        )

    def quiz(self, *, questions: int = 5, seed: int = 0, baseline: str | None = None) -> Quiz:
        """Recall and forgetting, proven against the store; ``problems`` is empty where it passes."""
        from nocturne.app.answering import Extract
        from nocturne.app.quizzing import Exam, quiz

        def answers(at: int | None) -> Extract:
            return Extract(self._store, policy=self.policy, lexicon=self._lexicon, now=self._clock(), at=at)

        return quiz(
            Exam(
                store=self._store,
                policy=self.policy,
                lexicon=self._lexicon,
                now=self._clock(),
                answerers=answers,
                seed=seed,
                questions=questions,
                baseline=self._named(baseline) if baseline is not None else None,
            )
        )

    def audit(self, *, expect_head: str | None = None) -> Audit:
        """The record replayed and measured anew; ``problems`` is empty where it holds."""
        from nocturne.app.auditing import audit

        with self._store.moment():
            return audit(self._store, lexicon=self._lexicon, expect_head=expect_head)

    def forget(
        self,
        *facts: str,
        match: Sequence[str] = (),
        by: str = "library",
        reason: str = "",
        erase: bool = False,
    ) -> Receipt | None:
        """Retire facts at a person's word with all that was made of them; ``erase`` purges their words as well.

        None where nothing says it.
        """
        from nocturne.app.forgetting import Order, carry_out, preview

        order = Order(
            "purge" if erase else "forget",
            tuple(ids.parse_fact(name) for name in facts),
            tuple(match),
            by,
            reason,
            self._clock(),
            "library",
        )
        seen = preview(self._store, self._lexicon, order)
        return None if seen.idle else carry_out(self._store, self._lexicon, seen, policy=self.policy)

    def _files(self, path: str | os.PathLike[str]) -> list[Path]:
        from nocturne import formats

        where = Path(path)
        return list(formats.discover(where).paths) if where.is_dir() else [where]

    def _write(self, block: str, items: Sequence[Item], retire: Sequence[Fact] = ()) -> Written:
        from nocturne.app.writing import append, refusals

        self._known(block)
        written = append(
            self._store,
            block,
            items,
            policy=self.policy,
            lexicon=self._lexicon,
            now=self._clock(),
            command="library",
            retire=retire,
        )
        refused = refusals(written)
        if refused:
            verdict = refused[0].verdict
            assert isinstance(verdict, Refused)
            raise CheckFailed(
                f"{verdict.code} {codes.message(verdict.code, verdict.evidence)}",
                hint=f"nocturne explain {verdict.code}",
            )
        return written

    def _known(self, block: str) -> None:
        if block not in BLOCKS:
            raise UsageError(f"no block {block!r}", hint=f"blocks: {', '.join(BLOCKS)}")


def _item(item: str | Mapping[str, Any] | Item) -> Item:
    from nocturne.app.writing import Item

    if isinstance(item, str):
        item = {"text": item}
    if isinstance(item, Mapping):
        unknown = set(item) - {"text", "category", "speaker"}
        if unknown or not isinstance(item.get("text"), str):
            wrong = f"no {min(map(str, unknown))!r}" if unknown else "no 'text' that is a string"
            raise UsageError(f"an item has {wrong}", hint="text, and optionally category and speaker")
        item = Item(**item)
    if not isinstance(item, Item):
        raise UsageError(f"an item is a text or a mapping, not {type(item).__name__}")
    taken = [reason for reason in REMOVED if clean(item.text).counts[reason]]
    if taken:
        raise UsageError(f"the text holds what no store can carry: {', '.join(taken)}")
    return item


def _rules() -> Proposer:
    from nocturne.llm.rules import RulesProposer

    return RulesProposer()


def judge(entry: Mapping[str, Any], *, policy: str | Policy = "default") -> dict[str, Any]:
    """The gates alone, without a store: the shapes and verdicts of ``nocturne gate``."""
    from nocturne.app import judging, policies
    from nocturne.app.lexicons import default_lexicon

    rules = policy if isinstance(policy, Policy) else policies.load(policy)
    return judging.judge(entry, lexicon=default_lexicon(), policy=rules)
