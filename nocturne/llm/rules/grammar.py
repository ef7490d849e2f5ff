"""The closed classes of English words, from ``english.json``."""

from __future__ import annotations

from nocturne.llm.rules.cues import load

FILE = "english.json"


def _set(name: str) -> frozenset[str]:
    """One class: lines of words set with spaces."""
    return frozenset(word for line in load(FILE)[name] for word in line.split())


ABBREVIATIONS = _set("abbreviations")
ADVERBS = _set("adverbs")
MODALS = _set("modals")
BE = _set("be")
HAVE = _set("have")
DO = _set("do")
AUXILIARY = BE | HAVE | DO | MODALS
DETERMINERS = _set("determiners")
PREPOSITIONS = _set("prepositions")
SUBORDINATORS = _set("subordinators")
PRONOUNS = _set("pronouns")

FIRST = _set("first")
"""Forms of "I" that open a clause."""
TEAM = _set("team")
OTHERS = _set("others")
OWN = _set("own")
CONTRACTED = _set("contracted")
SUBJECTS = FIRST | TEAM | OTHERS
COORDINATORS = _set("coordinators")
DASHES = frozenset({"-", "–", "—", "--", "---"})
QUOTES = frozenset({'"', "“", "”", "«", "»"})

FILLERS = _set("fillers")
OPENERS = _set("openers")
"""Fillers that go even without a comma after them."""
ALWAYS_DROPPED = _set("always_dropped")
PHRASES: tuple[tuple[str, ...], ...] = tuple(
    sorted((tuple(phrase.split()) for phrase in load(FILE)["filler_phrases"]), key=len, reverse=True)
)

QUESTIONS = _set("questions")
REQUEST_HEADS = _set("request_heads")
IMPERATIVES = _set("imperatives")
TOLD_HEADS = _set("told_heads")
CONTRAST_HEADS = _set("contrast_heads")

FAMILY = _set("family")
PROJECT = _set("project")
EVENT_NOUNS = _set("event_nouns")
LABELS = _set("labels")
ROLE_NAMES = _set("role_names")
TIMES = _set("times")
DEMONSTRATIVE = _set("demonstrative")
PLURAL = _set("plural")

SHORT_IS = _set("short_is")
"""What after ``'s`` shows it to be a verb."""
DONE = _set("done")
LEADING = _set("leading")
FRONTING = _set("fronting")
ADJECTIVES = _set("adjectives")
INNER = _set("inner")
LINKING = _set("linking")
COMPLEMENT = _set("complement")
SURE_PRESENT = _set("sure_present")
SURE_PAST = _set("sure_past")
PONDERING = _set("pondering")
BARE = _set("bare")
"""Verbs that say little, so that one noun is enough beside them."""
DOING = _set("doing")
HOPING = _set("hoping")
NOUN_VERBS = _set("noun_verbs")
"""Verbs that are nouns as often: only what follows shows which."""
SEEMING = _set("seeming")
UNSAID_PAST = _set("unsaid_past")
LIKING = _set("liking")
NOT_LIKED = _set("not_liked")
PRONOUN_OBJECTS = _set("pronoun_objects")
VALUING = _set("valuing")
"""Words of praise and blame, which say nothing by themselves."""
WH = frozenset({"what", "how", "why", "where", "which", "who"})
FRONT_CLAUSE = frozenset({"after", "before", "since", "until", "while", "when"})
