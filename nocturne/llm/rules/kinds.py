"""What kind of statement a fact is: its category, and the single-valued attribute that it states."""

from __future__ import annotations

import re

from nocturne.core.facts import Category
from nocturne.llm.rules.cues import cue, load, words

FILE = "kinds.json"
WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
DECISION = cue(FILE, "decision")
IDENTITY = cue(FILE, "identity")
PREFERENCE = cue(FILE, "preference")
OPINION = cue(FILE, "opinion")
COMMITMENT = cue(FILE, "commitment")
FUTURE = cue(FILE, "future")
FELT = cue(FILE, "felt")
HABITUAL = cue(FILE, "habitual")
STEADY = cue(FILE, "steady")
PERSONAL = words(FILE, "personal")
ATTRIBUTES = tuple((name[1:], cue(FILE, name)) for name in load(FILE) if name.startswith("@"))


def attribute(text: str) -> str | None:
    """The single-valued attribute that the fact states, from the closed table, else None."""
    bag = frozenset(WORD.findall(text.lower()))
    for name, wording in ATTRIBUTES:
        if wording.found(text, bag):
            return name
    return None


def category(
    text: str, *, tense: str, dated: bool, project: bool = False, personal: bool = False
) -> Category:
    """The fact's category by its cues, the protected ones first.

    ``tense`` is the main verb's: past, present, future or progressive.
    """
    if DECISION.within(text):
        return "decisions"
    past = tense == "past"
    future = tense == "future" or FUTURE.within(text)
    if dated and not past and (future or COMMITMENT.within(text)):
        return "commitments"
    if not future and not project and (personal or IDENTITY.within(text)):
        return "identity"
    if (PREFERENCE.within(text) and not (dated and past)) or (not past and HABITUAL.within(text)):
        return "preferences"
    if past:
        return "opinion" if not dated and FELT.within(text) and OPINION.within(text) else "event"
    if COMMITMENT.within(text):
        return "commitments"
    if project or STEADY.within(text):
        return "fact"
    if future or tense == "progressive":
        return "context"
    return "opinion" if OPINION.within(text) else "fact"
