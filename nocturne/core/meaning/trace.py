"""Trace a merged text back to its sources: each of its clauses, elisions restored, is one source's, and all are there.

A clause that follows a joint may take over the words with which the clause before it began; a list of subjects may
take over the words with which the last one ends. Which words those are is found by trying: the restored clause must
be a source's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nocturne.core.meaning.alike import Rewrites, match
from nocturne.core.meaning.forms import forms
from nocturne.core.meaning.grammar import Grammar
from nocturne.core.meaning.moves import Key, bare
from nocturne.core.meaning.reading import Reading

_MOST_PIECES = 24


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a merged text between two joints; ``joint`` is what stands before it."""

    words: Key
    joint: str
    finite: bool
    """Whether its first word shows by its form that it is a verb of its own."""


@dataclass(frozen=True, slots=True)
class Traced:
    """What the trace found: the rewrites used, or the clause that no source says, or the source that is not said."""

    rewrites: Rewrites
    clause: Key | None = None
    unsaid: int | None = None

    @property
    def whole(self) -> bool:
        """Whether every clause has its source and every source its clause."""
        return self.clause is None and self.unsaid is None


def pieces(text: Reading) -> list[Piece]:
    """The text cut at every joint and mark; later steps put back together what belongs together."""
    grammar = text.grammar
    found: list[Piece] = []
    for sentence in text.sentences:
        joint, start = ".", 0
        words = sentence.words
        at = 0
        while at <= len(words):
            word = words[at] if at < len(words) else "."
            name = grammar.joints.get(word)
            if at == len(words) or word in (",", ";") or name is not None:
                if at > start:
                    finite = start in sentence.inflected or _finite(words[start], grammar)
                    found.append(Piece(words[start:at], joint, finite))
                    joint = word
                elif found and name is not None:
                    joint = f"{joint}{name}" if joint == "," else name
                start = at + 1
                if name is not None:
                    joint = f",{name}" if at and words[at - 1] == "," else name
                elif word in (",", ";"):
                    joint = word
            at += 1
    return found


def _finite(word: str, grammar: Grammar) -> bool:
    return word in grammar.auxiliaries or word in grammar.modals or word in ("never", "not")


def trace(text: Reading, sources: Sequence[Key]) -> Traced:
    """Matches clauses with sources; each source's clause is to be said at least once."""
    grammar = text.grammar
    cut = pieces(text)
    if len(cut) > _MOST_PIECES:
        return Traced((), clause=text.words)
    known: dict[Key, tuple[int, Rewrites]] = {}
    sizes: set[int] = set()
    for number, source in enumerate(sources):
        for form, names in forms(source, grammar).items():
            known.setdefault(tuple(sorted(bare(form))), (number, names))
            sizes.add(len(bare(form)))
    best = _Search(cut, sources, known, frozenset(sizes), grammar)
    used = best.run()
    if used is not None:
        return Traced(used)
    if best.unsaid is not None:
        return Traced((), unsaid=best.unsaid)
    return Traced((), clause=cut[min(best.furthest, len(cut) - 1)].words if cut else ())


class _Search:
    def __init__(
        self,
        cut: list[Piece],
        sources: Sequence[Key],
        known: dict[Key, tuple[int, Rewrites]],
        sizes: frozenset[int],
        grammar: Grammar,
    ) -> None:
        self.cut, self.sources, self.known, self.sizes, self.grammar = cut, sources, known, sizes, grammar
        self.furthest = 0
        self.unsaid: int | None = None
        self.failed: set[tuple[int, Key, frozenset[int]]] = set()

    def run(self) -> Rewrites | None:
        """The rewrites of the first complete trace."""
        return self._from(0, (), frozenset(), ())

    def _from(self, at: int, before: Key, said: frozenset[int], names: Rewrites) -> Rewrites | None:
        if at == len(self.cut):
            missing = [number for number in range(len(self.sources)) if number not in said]
            if missing:
                self.unsaid = missing[0]
                return None
            return names
        state = (at, before, said)
        if state in self.failed:
            return None
        self.furthest = max(self.furthest, at)
        for end, clause, extra in self._candidates(at, before):
            for number, used in self._sources_of(clause):
                found = self._from(
                    end, clause, said | {number}, tuple(dict.fromkeys((*names, *used, *extra)))
                )
                if found is not None:
                    return found
        self.failed.add(state)
        return None

    def _sources_of(self, clause: Key) -> Iterator[tuple[int, Rewrites]]:
        near = self.known.get(tuple(sorted(bare(clause))))
        if near is None and self.grammar.english:
            near = next(
                (
                    self.known[key]
                    for form in forms(clause, self.grammar)
                    if (key := tuple(sorted(bare(form)))) in self.known
                ),
                None,
            )
        if near is None:
            return
        for number, source in enumerate(self.sources):
            found = match(clause, source, self.grammar)
            if found is not None:
                yield number, found

    def _candidates(self, at: int, before: Key) -> Iterator[tuple[int, Key, Rewrites]]:
        """Clauses that begin with this piece: as it stands, with words taken over, with words that follow later."""
        joined: list[str] = []
        for end in range(at, len(self.cut)):
            piece = self.cut[end]
            if end > at:
                if piece.joint in (".", ";"):
                    break
                joined.extend(self._joint_words(piece.joint))
            joined.extend(piece.words)
            clause = tuple(joined)
            length = len(bare(clause))
            first = self.cut[at]
            if first.joint in (".", ";") or (first.joint in (",and", "and", ",") and at):
                yield end + 1, clause, ()
            if at and first.joint not in (".", ";"):
                for size in sorted({wanted - length for wanted in self.sizes}):
                    if 0 < size < len(before) and self._may_take_over(before, size, first, clause):
                        yield end + 1, before[:size] + clause, ("shared words restored",)
            if first.joint in (".", ",", "and", ",and") and end + 1 < len(self.cut):
                yield from self._shared_ending(end, clause)

    def _joint_words(self, joint: str) -> list[str]:
        words = [","] if joint.startswith(",") else []
        name = joint.lstrip(",")
        if name:
            words.append(next((word for word, kind in self.grammar.joints.items() if kind == name), name))
        return words

    def _may_take_over(self, before: Key, size: int, piece: Piece, clause: Key) -> bool:
        """Whether the joint allows it, and nothing in the clause before reaches over the joint."""
        grammar = self.grammar
        taken, rest = before[:size], before[size:]
        negated = any(word in grammar.negation for word in taken)
        joint = piece.joint.lstrip(",") or "and"
        if joint == "and" and negated and not self._later_negated(clause):
            return False
        if joint in ("or", "nor") and not negated:
            return False
        reaching = rest and (
            rest[0] in grammar.negation
            or rest[0] in grammar.modals
            or rest[0] in grammar.hedges
            or rest[0] in grammar.quantifiers
            or rest[0] in grammar.limiters
            or rest[:2] == ("used", "to")
            or rest[0] in ("do", "did")
        )
        if not reaching:
            return True
        if rest[0] in grammar.quantifiers or rest[0] in grammar.limiters or rest[0] == "never":
            return clause[0] in grammar.auxiliaries or clause[0] in grammar.negation
        return piece.finite

    def _later_negated(self, clause: Key) -> bool:
        return any(word in self.grammar.negation for word in clause)

    def _shared_ending(self, end: int, clause: Key) -> Iterator[tuple[int, Key, Rewrites]]:
        last = end + 1
        while last < len(self.cut) and self.cut[last].joint in ("and", ",and", ","):
            ending = self.cut[last].words
            length = len(bare(clause))
            for size in sorted({wanted - length for wanted in self.sizes}):
                if 0 < size < len(ending):
                    yield end + 1, clause + ending[-size:], ("shared ending restored",)
            last += 1
