"""Encode: turns become atomic facts in scratch. Repeats are let through: dedupe exists for them."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import replace

from nocturne.core.artefacts import cut
from nocturne.core.facts import Change, Fact, Span, Turn
from nocturne.core.meaning import Fails, attribute_of, judge_encode
from nocturne.core.proposals import Encode as Proposed
from nocturne.core.proposals import Proposal
from nocturne.core.sanitise import REMOVED, clean
from nocturne.core.secrets import redact
from nocturne.core.verdicts import Accepted, Refused, Verdict
from nocturne.passes.briefs import EncodeBrief
from nocturne.passes.said import uttered
from nocturne.passes.scene import Effect, Scene
from nocturne.passes.signals import sessions, weighed
from nocturne.passes.standing import reasoned

_CITABLE = ("human", "assistant")
_INTO = ("scratch", "persona")


class Encode:
    """Adds a fact that names the turns, and the span, that say it."""

    name = "encode"

    def ready(self, scene: Scene) -> Scene:
        """The scene with its turns by session."""
        return replace(scene, sessions=sessions(scene.turns))

    def brief(self, scene: Scene) -> EncodeBrief | None:
        """The new turns of people and assistants on the active path."""
        turns = tuple(
            turn
            for turn in scene.turns.values()
            if turn.provenance in _CITABLE and turn.active_path and turn.text.strip()
        )
        if not turns:
            return None
        speakers = tuple(dict.fromkeys(turn.speaker for turn in turns if turn.speaker))
        return EncodeBrief(turns, speakers=speakers)

    def gate(self, scene: Scene, proposal: Proposal) -> Verdict:
        """Cited turns that can carry it, a legal block, and every word, name and value said there."""
        if not isinstance(proposal, Proposed):
            return Refused(proposal, "N001", {"found": f"a {proposal.kind} in the encode pass"})
        if not proposal.turns:
            return Refused(proposal, "N015", {"turn": "none cited"})
        unknown = [turn for turn in proposal.turns if turn not in scene.turns]
        if unknown:
            return Refused(proposal, "N015", {"turn": f"t{unknown[0]}"})
        if proposal.block not in _INTO:
            return Refused(proposal, "N008", {"block": proposal.block, "legal": list(_INTO)})
        if refused := reasoned(proposal):
            return refused
        cited = [scene.turns[turn] for turn in proposal.turns]
        return self._text(scene, proposal) or self._meaning(scene, proposal, cited)

    def _text(self, scene: Scene, proposal: Proposed) -> Refused | None:
        text, limit = proposal.text, scene.policy.limits.max_fact_chars
        if not text.strip():
            return Refused(proposal, "N110", {})
        if len(text) > limit:
            return Refused(proposal, "N109", {"found": len(text), "limit": limit})
        if unfit := sorted(set(clean(text).counts) & set(REMOVED)):
            return Refused(proposal, "N108", {"found": unfit})
        if kinds := redact(text)[1]:
            return Refused(proposal, "N107", {"kinds": sorted(kinds)})
        if cut(text)[1]:
            return Refused(proposal, "N106", {})
        if scene.tombstones.holds(scene.content(text)):
            return Refused(proposal, "N105", {})
        return None

    def _meaning(self, scene: Scene, proposal: Proposed, cited: list[Turn]) -> Verdict:
        subject = _subject(cited)
        found = judge_encode(
            [uttered(turn) for turn in cited],
            proposal.text,
            lexicon=scene.lexicon,
            subject=subject,
            block=proposal.block,
        )
        if isinstance(found, Fails):
            return Refused(proposal, found.code, found.evidence)
        span = _span(proposal, cited[0])
        if span is None:
            length = len(cited[0].text)
            return Refused(proposal, "N111", {"span": f"{proposal.start}-{proposal.end}", "length": length})
        return Accepted(proposal, "traceable", {**found.evidence, "subject": subject})

    def apply(self, scene: Scene, accepted: Accepted) -> Effect:
        """A new row; the engine numbers it."""
        proposal = accepted.proposal
        if not isinstance(proposal, Proposed):
            return Effect()
        cited = [scene.turns[turn] for turn in proposal.turns]
        first = cited[0]
        span = _span(proposal, first)
        spans: tuple[Span, ...] = (span,) if span else ()
        spans += tuple(Span(turn.id, 0, len(turn.text)) for turn in cited[1:])
        found = attribute_of(proposal.text, scene.lexicon, first.speaker)
        attribute = found[1] if found and found[1] in scene.policy.contradict.single_valued else None
        fact = Fact(
            id=0,
            text=proposal.text,
            block="persona" if proposal.block == "persona" else "scratch",
            category=proposal.category,
            recorded_at=scene.now,
            speaker=first.speaker,
            subject=str(accepted.evidence["subject"]),
            attribute=attribute,
            said_at=first.said_at,
            occurred_at=proposal.occurred_at,
            occurred_grain=proposal.occurred_grain,
            trust=min(turn.trust for turn in cited),
            sources=spans,
        )
        return Effect(changes=(Change(None, replace(fact, importance=weighed(scene, fact))),))

    def backstop(
        self, scene: Scene, brief: EncodeBrief | None, settled: AbstractSet[tuple[int, ...]]
    ) -> Iterable[Proposal]:
        """Nothing: the engine never says a fact by itself."""
        return ()

    def memo(self, scene: Scene, proposal: Proposal) -> str | None:
        """None: the cursor sees to it that a turn is asked about once."""
        return None


def _subject(cited: list[Turn]) -> str:
    """Whose fact it is, from the cited turns alone: the speaker by name, else the user; the assistant is itself."""
    if any(turn.provenance == "assistant" and turn.role in (None, "assistant") for turn in cited):
        return "assistant"
    return cited[0].speaker or "user"


def _span(proposal: Proposed, turn: Turn) -> Span | None:
    start = proposal.start if proposal.start is not None else 0
    end = proposal.end if proposal.end is not None else len(turn.text)
    return Span(turn.id, start, end) if 0 <= start < end <= len(turn.text) else None
