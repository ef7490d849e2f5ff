"""What falls when a person takes a text back: everything that says it or was made of it, and what comes back instead.

A merge that loses one source is undone and its other originals return, as they were before it. A duplicate and its
keeper say the same, so that they fall together. A schema falls with any of its evidence. What a fact superseded
stays ended: that its time was over does not become untrue.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from nocturne.app.lineage import Ancestor, Ancestry
from nocturne.app.ports import Store
from nocturne.core.acts import ERASED
from nocturne.core.facts import Fact, Turn
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.text.measures import content

Why = Literal["named", "matches", "says the same", "was made of it", "was kept for it", "is a pattern of it"]
_MADE = ("merged-from", "kept-for")
_MOST = 2_000_000
Leaf = tuple[int, int]


class Withdrawable(Store, Protocol):
    """What else this needs of a store."""

    def tombstone_key(self, tokens: Iterable[str]) -> str: ...
    def token_numbers(self, tokens: Iterable[str]) -> Mapping[str, tuple[int, int]]: ...
    def texts_containing(self, needles: Iterable[str]) -> Mapping[str, str]: ...
    def texts_of(self, facts: Iterable[int]) -> Mapping[str, frozenset[int]]: ...
    def facts_with_texts(self, hashes: Iterable[str]) -> Sequence[int]: ...


@dataclass(frozen=True, slots=True)
class Falling:
    """A fact that goes, as it stands now, and why."""

    fact: Fact
    why: Why


@dataclass(frozen=True, slots=True)
class Returning:
    """An original that comes back: as it stands now, and as it stood before the merge."""

    now: Fact
    back: Fact


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A person's word and all that follows from it, before anything is done."""

    falls: tuple[Falling, ...]
    returns: tuple[Returning, ...]
    buried: Mapping[str, int]
    """Texts that may not come back, each with the fact that says or said it."""
    turns: tuple[Turn, ...]
    """The turns that say what was taken back."""
    ended: tuple[tuple[Fact, int], ...]
    """Facts that stay ended, each with the falling fact that superseded it."""
    also: tuple[Fact, ...]
    """Active facts that hold every word of it and are left alone: they say more."""
    decisions: int
    """Rulings on record that name what falls."""

    @property
    def active(self) -> tuple[Falling, ...]:
        """What falls of the facts that are active now."""
        return tuple(each for each in self.falls if each.fact.active)


def holds(text: str, needle: str) -> bool:
    """Whether a text holds a needle, in any case."""
    return needle.casefold() in text.casefold()


def matching(store: Withdrawable, needle: str) -> list[int]:
    """Every fact that said the needle in any of its versions, ids ascending."""
    found = store.texts_containing([needle])
    return sorted(set(store.facts_with_texts(found)))


def holding(store: Withdrawable, lexicon: Lexicon, text: str) -> list[Fact]:
    """The active facts that hold every content word of a text."""
    words = content(text, lexicon)
    numbers = store.token_numbers(words)
    if not words or numbers.keys() < words:
        return []
    groups = [[number] for number, _ in numbers.values()]
    near = [fact for fact, _ in store.search(groups, limit=_MOST)]
    return [fact for fact in store.facts(near).values() if fact.active]


def withdraw(
    store: Withdrawable,
    lexicon: Lexicon,
    *,
    ids: Iterable[int] = (),
    needles: Sequence[str] = (),
    verbatim: bool = False,
) -> Withdrawal:
    """All that falls with these facts, and with every text that holds one of these needles.

    ``verbatim`` also takes every fact in which a falling text stands word for word, as an erasure must.
    """
    search = _Search(store, lexicon, verbatim=verbatim)
    for fact in ids:
        search.name(fact)
    for needle in needles:
        for fact in matching(store, needle):
            search.match(fact, needle)
    return search.found()


def leaves(node: Ancestor) -> Iterator[Ancestor]:
    """The texts that nothing on record was joined of."""
    if not node.parents:
        yield node
    for parent in node.parents:
        yield from leaves(parent)


def _key(node: Ancestor) -> Leaf:
    return node.fact.id, node.seq


def _kind(node: Ancestor) -> str:
    return node.made_by.kind if node.made_by is not None and node.parents else "leaf"


class _Search:
    def __init__(self, store: Withdrawable, lexicon: Lexicon, *, verbatim: bool) -> None:
        self.store = store
        self.lexicon = lexicon
        self.verbatim = verbatim
        self.known = store.tombstone_keys()
        self.ancestry = Ancestry(store)
        self.hits: dict[Leaf, Why] = {}
        self.nodes: dict[Leaf, Ancestor] = {}
        self.whole: dict[int, Why] = {}
        self.buried: dict[str, int] = {}
        self.returns: dict[int, Ancestor] = {}
        self.reached: dict[int, Why] = {}
        self._waiting: list[int] = []
        self._same: set[str] = set()
        self._read: set[str] = set()

    def name(self, fact: int) -> None:
        """A fact that a person named: everything that it says."""
        node = self.ancestry.now(fact)
        if _kind(node) == "schematise":
            self._fall(fact, "named")
            return
        for leaf in leaves(node):
            self._hit(leaf, "named")
        self.reached[fact] = "named"

    def match(self, fact: int, needle: str) -> None:
        """A fact with a version that holds the needle: the originals that hold it, else all of them."""
        for node in self.ancestry.history(fact):
            if not holds(node.fact.text, needle):
                continue
            if _kind(node) == "schematise":
                self._fall(fact, "matches")
                continue
            saying = [leaf for leaf in leaves(node) if holds(leaf.fact.text, needle)]
            if not saying and not self._touched(node):
                saying = list(leaves(node))
            for leaf in saying:
                self._hit(leaf, "matches")

    def _hit(self, leaf: Ancestor, why: Why) -> None:
        key = _key(leaf)
        if key not in self.hits:
            self.hits[key] = why
            self.nodes[key] = leaf
            self._waiting.append(leaf.fact.id)
            self._bury(leaf.fact.text, leaf.fact.id)

    def _fall(self, fact: int, why: Why) -> None:
        if fact not in self.whole:
            self.whole[fact] = why
            self._waiting.append(fact)
            for _, _, version in self.store.versions(fact):
                self._bury(version.text, fact)

    def _bury(self, text: str, fact: int) -> None:
        if text != ERASED:
            self.buried.setdefault(text, fact)

    def found(self) -> Withdrawal:
        """Follow everything until nothing new falls."""
        while True:
            while self._waiting:
                self._follow(self._waiting.pop())
            self._same_words()
            if self.verbatim and not self._waiting:
                self._quoted()
            if not self._waiting:
                self.returns.clear()
                for root in sorted(self.reached.keys() | {fact for fact, _ in self.hits}):
                    self._undo(root)
                if not self._waiting:
                    return self._result()

    def _follow(self, fact: int) -> None:
        """What was made of a fact: versions that say a hit are buried; patterns of it fall."""
        for each in sorted(self._made_of(fact)):
            for node in self.ancestry.history(each):
                if self._touched(node) and _kind(node) != "schematise":
                    self.reached.setdefault(each, "was made of it")
                    self._bury(node.fact.text, each)
        for each in self._made_of(fact):
            for link in self.store.links_from(each):
                if link.role == "evidence" and link.child not in self.whole:
                    self._pattern(link.child)

    def _pattern(self, schema: int) -> None:
        """A schema falls with any of its evidence; its words are buried only where the rest does not say them."""
        node = self.ancestry.now(schema)
        rest: set[str] = set()
        fell = False
        for parent in node.parents:
            if self._touched(parent) or parent.fact.id in self.whole:
                fell = True
            else:
                rest |= content(parent.fact.text, self.lexicon)
        if not fell:
            return
        self.whole[schema] = "is a pattern of it"
        self._waiting.append(schema)
        if content(node.fact.text, self.lexicon) - rest:
            self._bury(node.fact.text, schema)

    def _made_of(self, fact: int) -> set[int]:
        """The fact and everything that was merged or absorbed from it, however far on."""
        found, todo = {fact}, [fact]
        while todo:
            for link in self.store.links_from(todo.pop()):
                if link.role in _MADE and link.child not in found:
                    found.add(link.child)
                    todo.append(link.child)
        return found

    def _touched(self, node: Ancestor) -> bool:
        return any(_key(leaf) in self.hits for leaf in leaves(node))

    def _same_words(self) -> None:
        """Facts that are no kin of it and say the very same."""
        for text in list(self.buried):
            if text in self._same:
                continue
            self._same.add(text)
            for fact in holding(self.store, self.lexicon, text):
                if fact.id not in self.whole and content(fact.text, self.lexicon) == content(
                    text, self.lexicon
                ):
                    node = self.ancestry.now(fact.id)
                    if self._touched(node):
                        continue
                    if _kind(node) == "schematise":
                        self._fall(fact.id, "says the same")
                        continue
                    for leaf in leaves(node):
                        self._hit(leaf, "says the same")

    def _quoted(self) -> None:
        """Facts in which a falling text stands word for word."""
        fresh = [text for text in self.buried if text not in self._read]
        self._read.update(fresh)
        # One look at the store for all of them; which text it is that a fact holds is told from its versions.
        near = self.store.facts_with_texts(self.store.texts_containing(fresh)) if fresh else ()
        for fact in near:
            if fact in self.whole:
                continue
            said = {version.text for _, _, version in self.store.versions(fact)} - self.buried.keys()
            for text in fresh:
                if any(holds(each, text) for each in said):
                    self.match(fact, text)

    def _undo(self, root: int) -> None:
        """Take an active fact apart as far as it says what falls, and let the rest come back."""
        node = self.ancestry.now(root)
        if not node.fact.active or root in self.whole or not self._touched(node):
            return
        for left in self._remains(node):
            text = left.fact.text
            key = self.store.tombstone_key(content(text, self.lexicon))
            if left.fact.id in self.whole or text in self.buried or text == ERASED or key in self.known:
                continue
            self.returns.setdefault(left.fact.id, left)

    def _remains(self, node: Ancestor) -> list[Ancestor]:
        if not self._touched(node):
            return [node]
        kind = _kind(node)
        if kind in ("leaf", "schematise"):
            return []
        if kind == "drop":
            return self._parted(node)
        return [left for parent in node.parents for left in self._remains(parent)]

    def _parted(self, node: Ancestor) -> list[Ancestor]:
        """A keeper and its duplicate: what the duplicate said, the keeper said as well."""
        keeper, *dropped = node.parents
        for parent in dropped:
            for leaf in leaves(parent):
                if _key(leaf) in self.hits:
                    self._implicate(keeper, leaf)
        left = self._remains(keeper)
        still = {word for each in left for word in content(each.fact.text, self.lexicon)}
        for parent in dropped:
            for leaf in leaves(parent):
                if _key(leaf) not in self.hits and content(leaf.fact.text, self.lexicon) - still:
                    if self._touched(parent):
                        left.append(leaf)
                    else:
                        self._hit(leaf, "was kept for it")
        return left

    def _implicate(self, keeper: Ancestor, dropped: Ancestor) -> None:
        if self._touched(keeper):
            return
        words = content(dropped.fact.text, self.lexicon)
        own = list(leaves(keeper))
        saying = [leaf for leaf in own if words <= content(leaf.fact.text, self.lexicon)]
        sharing = [leaf for leaf in own if words & content(leaf.fact.text, self.lexicon)]
        for leaf in saying or sharing or own:
            self._hit(leaf, "was kept for it")

    def _result(self) -> Withdrawal:
        met: dict[int, Why] = {**self.reached, **{fact: why for (fact, _), why in self.hits.items()}}
        gone = {fact: why for fact, why in met.items() if self._touched(self.ancestry.now(fact))}
        gone.update(self.whole)
        returning = {
            fact: node.fact
            for fact, node in self.returns.items()
            if not (fact not in gone and self.store.facts([fact])[fact].active)
        }
        now = self.store.facts(gone.keys() | returning.keys())
        falls = [
            Falling(now[fact], why)
            for fact, why in sorted(gone.items())
            if fact not in returning and (now[fact].active or self._is_news(now[fact]))
        ]
        turns: dict[int, Turn] = {}
        for leaf in self.nodes.values():
            turns.update({quote.turn.id: quote.turn for quote in leaf.quotes})
        ids = {each.fact.id for each in falls}
        ended = []
        for fact in sorted(ids):
            for _, link in self.store.links(fact):
                if link.role == "supersedes" and link.child == fact and link.parent not in ids:
                    old = self.store.facts([link.parent])[link.parent]
                    if not old.active and old.retired_by == "contradict":
                        ended.append((old, fact))
        also = {
            fact.id: fact
            for text in [node.fact.text for node in self.nodes.values()]
            for fact in holding(self.store, self.lexicon, text)
            if fact.id not in gone and fact.id not in returning
        }
        rulings = {row.seq for fact in ids for row in self.store.mutations_of(fact)}
        return Withdrawal(
            falls=tuple(falls),
            returns=tuple(Returning(now[fact], back) for fact, back in sorted(returning.items())),
            buried=dict(self.buried),
            turns=tuple(turn for _, turn in sorted(turns.items())),
            ended=tuple(ended),
            also=tuple(also.values()),
            decisions=len(rulings),
        )

    def _is_news(self, fact: Fact) -> bool:
        """Whether a fact that is not active was not taken back by a person already."""
        return not (fact.retired_by or "").startswith("person:")


_EDGE = r"(?<![\w]){}(?![\w])"


def whole_word(text: str, word: str) -> bool:
    """Whether a text holds a word that stands by itself there."""
    return re.search(_EDGE.format(re.escape(word)), text, re.IGNORECASE) is not None
