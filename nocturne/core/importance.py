"""How much an episode matters, 1 to 10: counted from what people did, never asked of a model.

Explicit signals weigh most: the person corrected it, or said it again. Implicit ones weigh a point each: it
was told at length, or asked about afterwards.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from nocturne.core.facts import Fact, Turn

LEAST, MOST = 1, 10
PER_CORRECTION, MOST_CORRECTIONS = 2, 2
MOST_REPEATS = 3
LONG_WORDS = 40
NEAR_TURNS = 6
CORRECTION_CUES = (
    "actually",
    "correction",
    "i meant",
    "i mean",
    "no,",
    "no.",
    "not quite",
    "sorry,",
    "that's not",
    "that is not",
    "that's wrong",
    "that is wrong",
    "wrong,",
)


@dataclass(frozen=True, slots=True)
class Signals:
    """What was counted: corrections, turns that mention it, words of the longest turn cited, follow-ups."""

    corrections: int = 0
    mentions: int = 1
    words: int = 0
    follow_ups: int = 0


def importance(signals: Signals) -> int:
    """1 + 2 a correction (two count) + 1 a repeated mention (three count) + 1 if long + 1 if asked about."""
    score = LEAST + PER_CORRECTION * min(signals.corrections, MOST_CORRECTIONS)
    score += min(max(0, signals.mentions - 1), MOST_REPEATS)
    score += signals.words >= LONG_WORDS
    score += signals.follow_ups > 0
    return min(MOST, score)


def observed(
    fact: Fact,
    content: AbstractSet[str],
    turns: Sequence[Turn],
    turn_content: Mapping[int, Collection[str]],
) -> Signals:
    """The signals of a fact in the turns of the sessions that it came from.

    ``turns`` are whole sessions; ``turn_content`` holds each turn's content tokens by turn id. A mention is a
    human turn that holds the whole content of the fact, or that the fact cites. Corrections and follow-up
    questions are human turns at most six after a mention in its session that share a token with the fact.
    """
    cited = {span.turn for span in fact.sources}
    human = [turn for turn in turns if turn.provenance == "human"]
    said = [turn for turn in human if turn.id in cited or (content and content <= set(turn_content[turn.id]))]
    places: dict[tuple[int, str | None], list[int]] = defaultdict(list)
    for turn in said:
        places[turn.source, turn.session].append(turn.position)
    corrections = follow_ups = 0
    mentioned = {turn.id for turn in said}
    for turn in human:
        near = any(
            0 < turn.position - place <= NEAR_TURNS for place in places.get((turn.source, turn.session), ())
        )
        if not near or not content & set(turn_content[turn.id]):
            continue
        corrections += corrects(turn.text)
        follow_ups += turn.id not in mentioned and asks(turn.text)
    words = max((len(turn.text.split()) for turn in turns if turn.id in cited), default=0)
    return Signals(corrections, max(1, len(said)), words, follow_ups)


def corrects(text: str) -> bool:
    """Whether a turn opens as a correction of what was said before."""
    return text.lstrip().casefold().replace("’", "'").startswith(CORRECTION_CUES)


def asks(text: str) -> bool:
    """Whether a turn ends in a question mark, of any script."""
    return text.rstrip().rstrip("\"'”’)»").endswith(("?", "？", "؟", "՞", "\u037e"))
